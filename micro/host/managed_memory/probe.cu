/* managed_memory: what does it cost to move pages that host and device share one address of?
 *
 * Method: the pages start on the other side. Then they are touched (fault), or moved ahead of the touch (prefetch); or
 * they are on the right side already (resident), for comparison. The device reads all of them, timed by events, or the
 * host does, by its own clock; a prefetch is timed until it is done. Each sample has new random data, which is checked
 * on the side where it should arrive. */
#include "core/probe.h"

enum { KIND, DIRECTION, SIZE };
enum { FAULT, PREFETCH, RESIDENT };
enum { H2D, D2H };
enum { GPU_NS, HOST_NS };
enum { LEAST_BYTES = 4 << 10 };
enum { EXTRA_H2D, EXTRA_D2H };

static const fx_axis axes[] = {
    {"kind", "", "migration of the pages: on a fault, ahead of it, or none because they are there",
     "managed_fault managed_prefetch managed_resident", 0, 0, FAULT},
    {"direction", "", "host to device, or device to host", "h2d d2h", 0, 0, H2D},
    {"size", "bytes", "bytes read", NULL, LEAST_BYTES, (int64_t)1 << 30, 64 << 20},
};

static const fx_sweep sweeps[] = {
    {"managed", "kind=managed_fault,managed_prefetch,managed_resident direction=h2d,d2h size=4Ki:1Gi:*4",
     "kind=managed_prefetch direction=h2d size=1Mi"},
};

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "transfer"},
    {"copy_host_ns", "ns", FX_HOST_NS, false, "transfer"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)facts, (void)table;
    out->metric = params->value[KIND] == PREFETCH || params->value[DIRECTION] == D2H ? HOST_NS : GPU_NS;
    out->law = "bytes";
    out->count = (double)params->value[SIZE];
    out->in_fit = params->value[KIND] != RESIDENT;
    out->why_not = out->in_fit ? NULL : "resident pages do not travel";
    out->useful_bytes = out->count;
    fx_prediction_count(out, "bytes", out->count);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    if (params->value[SIZE] % 4 != 0) {
        return "size must be a multiple of 4";
    }
    return facts->managed_memory ? NULL : "the device and the system do not share managed memory concurrently";
}

#ifdef FX_WITH_CUDA
#include <string.h>

#include "../arrival.h"
#include "gpu/host_memory.h"
#include "gpu/numa.h"
#include "gpu/rig.h"

typedef struct shared {
    void *memory; /* the pool's */
    cudaEvent_t begin, end;
} shared;

static fx_status prefetch(fx_gpu *gpu, void *memory, size_t size, bool to_device, fx_error *err) {
    fx_status status = FX_OK;
    struct cudaMemLocation where;
    memset(&where, 0, sizeof where);
    where.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    where.id = to_device ? gpu->ordinal : 0;
#if CUDART_VERSION >= 13000
    FX_CUDA(cudaMemPrefetchAsync(memory, size, where, 0, gpu->stream));
#else
    FX_CUDA(cudaMemPrefetchAsync_v2(memory, size, where, 0, gpu->stream));
#endif
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
cleanup:
    return status;
}

/* The host reads every cache line of the memory; returns something that depends on all of it. */
static uint64_t read_on_host(const void *memory, size_t size) {
    const uint64_t *words = (const uint64_t *)memory;
    uint64_t sum = 0;
    for (size_t i = 0; i < size / 8; i += 8) {
        sum += words[i];
    }
    return sum;
}

static volatile uint64_t sink;

/* New data for a sample, written on the side where the pages are. */
static fx_status renew(fx_gpu *gpu, void *memory, size_t size, uint64_t seed, bool on_device, fx_error *err) {
    fx_status status = FX_OK;
    if (!on_device) {
        fx_host_fill(memory, size, seed);
        return FX_OK;
    }
    status = fx_gpu_fill(gpu, memory, size / 4, seed, err);
    if (status == FX_OK) {
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
    }
cleanup:
    return status;
}

/* Pages start on the other side (or, resident, on this side), then are prefetched or touched. */
static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const shared *s = FX_ARGUMENT(rig, shared);
    fx_gpu *gpu = rig->gpu;
    const int64_t kind = c->params.value[KIND];
    const size_t size = (size_t)c->params.value[SIZE];
    const bool to_device = c->params.value[DIRECTION] == H2D;
    const bool starts_on_device = kind == RESIDENT ? to_device : !to_device;
    fx_status status = prefetch(gpu, s->memory, size, starts_on_device, err);
    if (status == FX_OK) {
        status = renew(gpu, s->memory, size, seed, starts_on_device, err);
    }
    if (status != FX_OK) {
        return status;
    }
    const double begin = fx_now_ns();
    if (kind == PREFETCH) {
        status = prefetch(gpu, s->memory, size, to_device, err);
        out->value = fx_now_ns() - begin;
    } else if (!to_device) {
        sink = read_on_host(s->memory, size);
        out->value = fx_now_ns() - begin;
    } else {
        FX_CUDA(cudaEventRecord(s->begin, gpu->stream));
        status = fx_gpu_read(gpu, s->memory, size, err);
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaEventRecord(s->end, gpu->stream));
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
        status = fx_event_ns(gpu, s->begin, s->end, &out->value, &out->flags, err);
    }
    out->extra[to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(size, out->value);
    if (status == FX_OK) {
        status = to_device ? fx_gpu_verify(gpu, s->memory, size / 4, seed, err)
                           : check_words(s->memory, size, seed, seed, err);
    }
cleanup:
    return status;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    shared *s = FX_ARGUMENT(rig, shared);
    cudaEvent_t *events[] = {&s->begin, &s->end};
    fx_status status =
        fx_host_memory_borrow(rig->gpu, FX_HOST_MANAGED, (size_t)c->params.value[SIZE], PATTERN_SEED, &s->memory, err);
    for (size_t i = 0; i < FX_COUNT(events) && status == FX_OK; i++) {
        status = fx_rig_event(rig, events[i], err);
    }
    rig->sample = sample;
    return status;
}
#endif

static const fx_kernel kernels[] = {{"", FX_NO_KERNEL, FX_WORK, 0, {{0}}}};

static const fx_probe managed_memory = {
    .contract = FX_PROBE_CONTRACT,
    .name = "managed_memory",
    .question = "What does it cost to move pages of managed memory between host and device?",
    .method_version = 2,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "kind direction",
    .extras = "h2d_GBps d2h_GBps",
    .law = law,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    FX_TABLE(kernels),
};

FX_PROBE(managed_memory)
