/* managed_memory: what does it cost to touch pages that host and device share one address of? Method: the pages start
 * on the other side, on this one, or nowhere; then they are touched, prefetched, or read under advice. The device's
 * reads are timed by events, the host's by its clock. Each sample has new data, which is checked where it should
 * arrive. */
#include "core/probe.h"

enum { KIND, DIRECTION, SIZE };
enum { FAULT, PREFETCH, RESIDENT, FIRST_TOUCH, READ_MOSTLY, READ_AGAIN, PREFERRED, ACCESSED_BY, CROWDED };
enum { H2D, D2H };
enum { GPU_NS, HOST_NS };
enum { LEAST_BYTES = 4 << 10, PAGE = 4 << 10, LEAST_FRESH_BYTES = 4 << 20 };
enum { EXTRA_H2D, EXTRA_D2H };

static const fx_axis axes[] = {
    {"kind", "",
     "migration of the pages: on a fault, prefetched, or none because they are resident; first touch of fresh "
     "pages; under advice: a first read and a later one of pages that are mostly read, a read of pages that prefer "
     "the other side, or that this side has mapped; or the second read of all pages on a device with 256 MiB of room",
     "managed_fault managed_prefetch managed_resident first_touch read_mostly read_again preferred accessed_by crowded",
     0, 0, FAULT},
    {"direction", "", "side that accesses: the device (h2d), or the host (d2h)", "h2d d2h", 0, 0, H2D},
    {"size", "bytes", "bytes read", NULL, LEAST_BYTES, (int64_t)1 << 30, 64 << 20},
};

static const fx_sweep sweeps[] = {
    {"managed", "kind=managed_fault,managed_prefetch,managed_resident direction=h2d,d2h size=4Ki:256Mi:*4",
     "kind=managed_prefetch direction=h2d size=1Mi"},
    {"largest", "kind=managed_fault direction=h2d size=1Gi", NULL},
    {"first_touch", "kind=first_touch direction=h2d,d2h size=4Mi,16Mi,64Mi", NULL},
    {"advice", "kind=read_mostly,read_again,preferred,accessed_by direction=h2d,d2h size=1Mi,16Mi", NULL},
    {"crowded", "kind=crowded direction=h2d size=128Mi,256Mi,320Mi", NULL},
};

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "transfer"},
    {"copy_host_ns", "ns", FX_HOST_NS, false, "transfer"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t kind = params->value[KIND];
    out->metric = kind == PREFETCH || params->value[DIRECTION] == D2H ? HOST_NS : GPU_NS;
    out->law = "bytes";
    out->count = (double)params->value[SIZE];
    out->why_not = kind == CROWDED || kind == RESIDENT || kind == READ_AGAIN
                       ? "resident pages are not transferred"
                       : "pages move in groups, not linearly in bytes";
    out->useful_bytes = out->count;
    fx_prediction_count(out, "bytes", out->count);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[SIZE] % PAGE != 0 ? "size must be a multiple of 4 KiB"
           : params->value[KIND] == FIRST_TOUCH && params->value[SIZE] < LEAST_FRESH_BYTES
               ? "kind=first_touch needs 4 MiB or more: the runtime reuses parts of 2 MiB"
           : params->value[KIND] == CROWDED && params->value[DIRECTION] != H2D ? "kind=crowded needs direction=h2d"
           : params->value[KIND] == CROWDED && facts->integrated ? "kind=crowded needs memory of the device's own"
           : facts->managed_memory                               ? NULL
                                   : "the device and the system do not share managed memory concurrently";
}

#ifdef FX_WITH_CUDA
#include <string.h>

#include "../arrival.h"
#include "gpu/host_memory.h"
#include "gpu/numa.h"
#include "gpu/rig.h"

static const size_t ROOM_BYTES = (size_t)256 << 20; /* that CROWDED leaves free on the device */
static const size_t OWN_BYTES = (size_t)2 << 30;    /* that this process may hold beside its known buffers */
static const size_t GIVE_BYTES = (size_t)16 << 20;
enum { TRIES = 16, SETTLE_BYTES = 64 << 10 };

typedef struct shared {
    void *memory; /* the pool's, or, under advice, the case's own */
    cudaEvent_t begin, end;
} shared;

/* A side as the calls want it named, which before CUDA 13 is by a number. */
#if CUDART_VERSION >= 13000
static struct cudaMemLocation side(const fx_gpu *gpu, bool device) {
    struct cudaMemLocation where;
    memset(&where, 0, sizeof where);
    where.type = device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    where.id = device ? gpu->ordinal : 0;
    return where;
}
#else
static int side(const fx_gpu *gpu, bool device) {
    return device ? gpu->ordinal : cudaCpuDeviceId;
}
#endif

static fx_status prefetch(fx_gpu *gpu, void *memory, size_t size, bool to_device, fx_error *err) {
#if CUDART_VERSION >= 13000
    FX_TRY_CUDA(cudaMemPrefetchAsync(memory, size, side(gpu, to_device), 0, gpu->stream));
#else
    FX_TRY_CUDA(cudaMemPrefetchAsync(memory, size, side(gpu, to_device), gpu->stream));
#endif
    return fx_gpu_wait(gpu, err);
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
    if (!on_device) {
        fx_host_fill(memory, size, seed);
        return FX_OK;
    }
    FX_TRY(fx_gpu_fill(gpu, memory, size / 4, seed, err));
    return fx_gpu_wait(gpu, err);
}

/* This side reads all of the memory: the time of it. */
static fx_status read_all(fx_gpu *gpu, const shared *s, size_t size, bool device, double *ns, uint32_t *flags,
                          fx_error *err) {
    if (!device) {
        const double begin = fx_now_ns();
        sink = read_on_host(s->memory, size);
        *ns = fx_now_ns() - begin;
        return FX_OK;
    }
    FX_TRY_CUDA(cudaEventRecord(s->begin, gpu->stream));
    FX_TRY(fx_gpu_read(gpu, s->memory, size, err));
    FX_TRY_CUDA(cudaEventRecord(s->end, gpu->stream));
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    return fx_event_ns(gpu, s->begin, s->end, ns, flags, err);
}

static fx_status check(fx_gpu *gpu, const shared *s, size_t size, uint64_t seed, bool device, fx_error *err) {
    return device ? fx_gpu_verify(gpu, s->memory, size / 4, seed, err) : check_words(s->memory, size, seed, seed, err);
}

/* Pages start on the other side (or, resident, on this side), then are prefetched or touched. */
static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const shared *s = FX_ARGUMENT(rig, shared);
    fx_gpu *gpu = rig->gpu;
    const int64_t kind = c->params.value[KIND];
    const size_t size = (size_t)c->params.value[SIZE];
    const bool to_device = c->params.value[DIRECTION] == H2D;
    const bool starts_on_device = kind == RESIDENT ? to_device : !to_device;
    uint32_t ignored = 0;
    FX_TRY(prefetch(gpu, s->memory, size, starts_on_device, err));
    FX_TRY(renew(gpu, s->memory, size, seed, starts_on_device, err));
    if (kind == READ_AGAIN || kind == CROWDED) {
        FX_TRY(read_all(gpu, s, size, to_device, &out->value, &ignored, err));
    }
    if (kind == READ_AGAIN) {
        FX_TRY(read_all(gpu, s, size, !to_device, &out->value, &ignored, err));
    }
    if (kind == PREFETCH) {
        const double begin = fx_now_ns();
        FX_TRY(prefetch(gpu, s->memory, size, to_device, err));
        out->value = fx_now_ns() - begin;
    } else {
        FX_TRY(read_all(gpu, s, size, to_device, &out->value, &out->flags, err));
    }
    out->extra[to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(size, out->value);
    return check(gpu, s, size, seed, to_device, err);
}

/* A word of each page. */
static void touch_on_host(void *memory, size_t size, uint64_t seed) {
    for (size_t at = 0; at < size; at += PAGE) {
        *(volatile uint32_t *)((char *)memory + at) = fx_random_word(seed, at / 4);
    }
}

static fx_status check_touched(const void *memory, size_t size, uint64_t seed, fx_error *err) {
    for (size_t at = 0; at < size; at += PAGE) {
        const uint32_t *word = (const uint32_t *)((const char *)memory + at);
        FX_FAIL_IF(word[0] != fx_random_word(seed, at / 4) || word[1] != 0, err, FX_WRONG_RESULT,
                   "page %zu does not hold what was written", at / PAGE);
    }
    return FX_OK;
}

/* Fresh memory for each sample: the first write to its pages finds them nowhere. */
static fx_status sample_first_touch(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const shared *s = FX_ARGUMENT(rig, shared);
    fx_gpu *gpu = rig->gpu;
    const size_t size = (size_t)c->params.value[SIZE];
    const bool device = c->params.value[DIRECTION] == H2D;
    void *memory = NULL;
    fx_status status = FX_OK;
    FX_CUDA(cudaMallocManaged(&memory, size, cudaMemAttachGlobal));
    if (device) {
        FX_CUDA(cudaEventRecord(s->begin, gpu->stream));
        FX_GO(fx_gpu_fill(gpu, memory, size / 4, seed, err));
        FX_CUDA(cudaEventRecord(s->end, gpu->stream));
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
        FX_GO(fx_event_ns(gpu, s->begin, s->end, &out->value, &out->flags, err));
        FX_GO(fx_gpu_verify(gpu, memory, size / 4, seed, err));
    } else {
        const double begin = fx_now_ns();
        touch_on_host(memory, size, seed);
        out->value = fx_now_ns() - begin;
        status = check_touched(memory, size, seed, err);
    }
    out->extra[device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(size, out->value);
cleanup:
    if (memory) {
        cudaStreamSynchronize(gpu->stream);
        cudaFree(memory);
    }
    return status;
}

static void give_memory(fx_rig *rig, void *memory, size_t bytes) {
    cudaFree(memory);
}

/* For up to half a second after most of the device's memory was given back, the driver takes another millisecond for
 * each move of pages to the host. Waits until a few in a row take none, or two seconds. */
static void settle(fx_gpu *gpu) {
    enum { IN_ROW = 8, SLOW_NS = 500000 };
    const double end = fx_now_ns() + 2e9;
    void *memory = NULL;
    fx_error ignored;
    if (cudaMallocManaged(&memory, SETTLE_BYTES, cudaMemAttachGlobal) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    fx_host_fill(memory, SETTLE_BYTES, PATTERN_SEED);
    for (int quick = 0; quick < IN_ROW && fx_now_ns() < end;) {
        fx_status status = prefetch(gpu, memory, SETTLE_BYTES, true, &ignored);
        const double begin = fx_now_ns();
        status = status == FX_OK ? prefetch(gpu, memory, SETTLE_BYTES, false, &ignored) : status;
        if (status != FX_OK) {
            break;
        }
        quick = fx_now_ns() - begin < SLOW_NS ? quick + 1 : 0;
    }
    cudaFree(memory);
}

static void give_ballast(fx_rig *rig, void *memory, size_t bytes) {
    give_memory(rig, memory, bytes);
    settle(rig->gpu);
}

/* Takes all of the device's free memory but ROOM_BYTES, where no other process seems to want it. */
static fx_status take_ballast(fx_rig *rig, fx_error *err) {
    const fx_gpu *gpu = rig->gpu;
    const size_t room = ROOM_BYTES;
    void *ballast = NULL;
    size_t free_bytes, all_bytes, bytes;
    FX_TRY_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    FX_FAIL_IF(all_bytes - free_bytes > gpu->flush_bytes + gpu->pool.bytes + OWN_BYTES, err, FX_UNSUPPORTED,
               "other processes use device memory, which this case would fill up");
    FX_FAIL_IF(free_bytes < 4 * room, err, FX_UNSUPPORTED, "less than 1 GiB of device memory is free");
    bytes = (free_bytes - room) / GIVE_BYTES * GIVE_BYTES;
    for (int i = 0; i < TRIES && cudaMalloc(&ballast, bytes) != cudaSuccess; i++, bytes -= GIVE_BYTES) {
        cudaGetLastError();
        ballast = NULL;
    }
    FX_FAIL_IF(!ballast, err, FX_UNSUPPORTED, "the device memory can't be filled up to the last 256 MiB");
    return fx_rig_keep(rig, ballast, give_ballast, err);
}

/* Memory of the case's own: advice would stay with the pool's, and what of that lies on the device would be room. */
static fx_status take_own(fx_rig *rig, const fx_case *c, shared *s, fx_error *err) {
    const size_t size = (size_t)c->params.value[SIZE];
    const bool to_device = c->params.value[DIRECTION] == H2D;
    const int64_t kind = c->params.value[KIND];
    const enum cudaMemoryAdvise advice = kind == PREFERRED     ? cudaMemAdviseSetPreferredLocation
                                         : kind == ACCESSED_BY ? cudaMemAdviseSetAccessedBy
                                                               : cudaMemAdviseSetReadMostly;
    const bool where = kind == PREFERRED ? !to_device : to_device;
    FX_TRY_CUDA(cudaMallocManaged(&s->memory, size, cudaMemAttachGlobal));
    FX_TRY(fx_rig_keep(rig, s->memory, give_memory, err));
    if (kind == CROWDED) {
        fx_host_memory_drop(rig->gpu);
        FX_TRY(take_ballast(rig, err));
    } else {
        FX_TRY_CUDA(cudaMemAdvise(s->memory, size, advice, side(rig->gpu, where)));
    }
    fx_host_fill(s->memory, size, PATTERN_SEED);
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    shared *s = FX_ARGUMENT(rig, shared);
    const int64_t kind = c->params.value[KIND];
    const size_t size = (size_t)c->params.value[SIZE];
    rig->sample = kind == FIRST_TOUCH ? sample_first_touch : sample;
    FX_TRY(fx_rig_event(rig, &s->begin, err));
    FX_TRY(fx_rig_event(rig, &s->end, err));
    return kind == FIRST_TOUCH ? FX_OK
           : kind >= READ_MOSTLY
               ? take_own(rig, c, s, err)
               : fx_host_memory_borrow(rig->gpu, FX_HOST_MANAGED, size, PATTERN_SEED, &s->memory, err);
}
#endif

static const fx_kernel kernels[] = {FX_TIMED("", FX_NO_KERNEL)};

FX_PROBE(managed_memory,
         .question = "What does it cost to access managed memory, with page faults, prefetches or advice?",
         .method_version = 2, FX_PARTS, .fit_by = "kind direction", .extras = "h2d_GBps d2h_GBps",
         .supported = supported)
