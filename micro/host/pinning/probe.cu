/* pinning: what does it cost to make host memory page-locked? Method: the host's clock around the call. Registering
 * locks pages that are there and faulted in; allocating makes new ones. The driver serves small allocations from a
 * cache of its own, so these have no law. */
#include "core/probe.h"

enum { TASK, KIND, SIZE };
enum { PIN, UNPIN };
enum { REGISTERED, PINNED };
enum { LEAST_BYTES = 4 << 10 };

static const fx_axis axes[] = {
    {"task", "", "page locking or unlocking", "pin unpin", 0, 0, PIN},
    {"kind", "", "existing pages (cudaHostRegister), or new ones (cudaHostAlloc)", "registered pinned", 0, 0,
     REGISTERED},
    {"size", "bytes", "bytes locked", NULL, 4, (int64_t)1 << 30, 64 << 20},
};

static const fx_sweep sweeps[] = {
    {"pin", "task=pin,unpin kind=registered size=4Ki:1Gi:*4", "task=pin kind=registered size=1Mi"},
    {"pin_new", "task=pin,unpin kind=pinned size=4Ki:256Mi:*4", NULL},
};

static const fx_metric metrics[] = {{"copy_host_ns", "ns", FX_HOST_NS, false, "call"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "bytes";
    out->count = (double)params->value[SIZE];
    out->why_not = params->value[KIND] == PINNED       ? "pinned allocations come from a cache of the driver"
                   : params->value[SIZE] < LEAST_BYTES ? "less than a page is locked"
                                                       : NULL;
    out->useful_bytes = out->count;
    fx_prediction_count(out, "bytes", out->count);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[SIZE] % 4 != 0 ? "size must be a multiple of 4" : NULL;
}

#ifdef FX_WITH_CUDA
#include "../arrival.h"
#include "gpu/host_memory.h"
#include "gpu/rig.h"

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const bool registered = c->params.value[KIND] == REGISTERED;
    const size_t size = (size_t)c->params.value[SIZE];
    void *memory = NULL;
    double times[3];
    if (registered) {
        FX_TRY(fx_host_memory_borrow(rig->gpu, FX_HOST_PAGEABLE, size, PATTERN_SEED, &memory, err));
    }
    times[0] = fx_now_ns();
    if (registered) {
        FX_TRY_CUDA(cudaHostRegister(memory, size, cudaHostRegisterDefault));
    } else {
        FX_TRY_CUDA(cudaHostAlloc(&memory, size, cudaHostAllocDefault));
    }
    times[1] = fx_now_ns();
    if (registered) {
        FX_TRY_CUDA(cudaHostUnregister(memory));
    } else {
        FX_TRY_CUDA(cudaFreeHost(memory));
    }
    times[2] = fx_now_ns();
    out->value = c->params.value[TASK] == PIN ? times[1] - times[0] : times[2] - times[1];
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    rig->sample = sample;
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {FX_TIMED("", FX_NO_KERNEL)};

FX_PROBE(pinning, .question = "What does it cost to page-lock host memory?", .method_version = 2, FX_PARTS,
         .fit_by = "task kind", .supported = supported)
