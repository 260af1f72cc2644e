/* host_memory: how fast does the host itself read and write memory that the device can reach? Method: the host's clock
 * around a copy of the buffer to or from ordinary memory, by one thread. Write-combined memory is written past the
 * caches and read without them. What was copied is compared. */
#include "core/probe.h"

enum { TASK, KIND, SIZE };
enum { HOST_WRITE, HOST_READ };
enum { PAGEABLE, REGISTERED, PINNED, WRITE_COMBINED, MAPPED }; /* as fx_host_kind has them */

static const fx_axis axes[] = {
    {"task", "", "access by the host", "host_write host_read", 0, 0, HOST_WRITE},
    {"kind", "", "kind of host memory", "pageable registered pinned write_combined mapped", 0, 0, PINNED},
    {"size", "bytes", "bytes written or read", NULL, 4, (int64_t)1 << 30, 1 << 20},
};

static const fx_sweep sweeps[] = {
    {"host", "task=host_write,host_read kind=pageable,pinned,write_combined size=1Mi",
     "task=host_write kind=pinned size=1Mi"},
};

static const fx_metric metrics[] = {{"copy_host_ns", "ns", FX_HOST_NS, false, "copy"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "bytes";
    out->count = (double)params->value[SIZE];
    out->why_not = "one size does not make a line";
    out->useful_bytes = out->count;
    fx_prediction_count(out, "bytes", out->count);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[SIZE] % 4 != 0 ? "size must be a multiple of 4" : NULL;
}

#ifdef FX_WITH_CUDA
#include <string.h>

#include "../arrival.h"
#include "gpu/host_memory.h"
#include "gpu/numa.h"
#include "gpu/rig.h"

typedef struct buffers {
    void *host;     /* of the kind that is measured; the pool's */
    char *ordinary; /* where the host keeps its copy */
} buffers;

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const buffers *b = FX_ARGUMENT(rig, buffers);
    const size_t size = (size_t)c->params.value[SIZE];
    fx_host_fill(b->ordinary, size, seed);
    const double begin = fx_now_ns();
    if (c->params.value[TASK] == HOST_WRITE) {
        memcpy(b->host, b->ordinary, size);
    } else {
        memcpy(b->ordinary, b->host, size);
    }
    out->value = fx_now_ns() - begin;
    const bool same = memcmp(b->ordinary, b->host, size) == 0;
    fx_host_fill(b->host, size, PATTERN_SEED); /* the pool hands it out as such again */
    return same ? FX_OK : fx_fail(err, FX_WRONG_RESULT, "the host copy differs from its source");
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const size_t size = (size_t)c->params.value[SIZE];
    buffers *b = FX_ARGUMENT(rig, buffers);
    rig->sample = sample;
    FX_TRY(fx_host_memory_borrow(rig->gpu, (fx_host_kind)c->params.value[KIND], size, PATTERN_SEED, &b->host, err));
    return fx_rig_memory(rig, &b->ordinary, FX_HOST_MEMORY, size, 0, err);
}
#endif

static const fx_kernel kernels[] = {FX_TIMED("", FX_NO_KERNEL)};

FX_PROBE(host_memory, .question = "How fast does the host read and write memory that the device can access?",
         .method_version = 2, FX_PARTS, .supported = supported)
