/* transfer: what does it cost to copy data between host and device, by the kind of host memory? Method: events around
 * the copies, all queued behind a latch; pageable copies block, so the host's clock times them. Every page is faulted
 * in and holds random bits; destinations are poisoned and checked. */
#include "core/probe.h"

enum { TASK, KIND, DIRECTION, PIECES, SIZE };
enum { COPY, LOOP, BATCH };
enum { PAGEABLE, REGISTERED, PINNED, WRITE_COMBINED, MAPPED }; /* as fx_host_kind has them */
enum { H2D, D2H, BOTH };
enum { GPU_NS, HOST_NS };
enum { LEAST_COPIED_BYTES = 4 << 10 };
enum { EXTRA_H2D, EXTRA_D2H, EXTRA_LINK_GENERATION, EXTRA_LINK_WIDTH };

static const fx_axis axes[] = {
    {"task", "", "one copy, or many in a loop or in one batch call", "copy loop batch", 0, 0, COPY},
    {"kind", "", "kind of host memory", "pageable registered pinned write_combined mapped", 0, 0, PINNED},
    {"direction", "", "host to device, device to host, or both at once", "h2d d2h both", 0, 0, H2D},
    {"pieces", "", "copies that make up the size, with task=loop and task=batch", NULL, 1, 256, 1},
    {"size", "bytes", "bytes in each direction", NULL, 4, (int64_t)1 << 30, 64 << 20},
};

static const fx_sweep sweeps[] = {
    {"copy", "task=copy kind=pageable,registered,pinned,write_combined,mapped direction=h2d,d2h size=4:256Mi:*4",
     "task=copy kind=pageable,pinned direction=h2d,d2h size=4Ki,1Mi,64Mi"},
    {"largest", "task=copy kind=pageable,registered,pinned direction=h2d,d2h size=1Gi", NULL},
    {"both", "task=copy kind=pageable,registered,pinned,write_combined,mapped direction=both size=4:256Mi:*4", NULL},
    {"many", "task=loop,batch kind=pinned direction=h2d,d2h pieces=1,4,16,64,256 size=1Mi,16Mi",
     "task=loop,batch kind=pinned direction=h2d pieces=64 size=1Mi"},
};

/* From where on pinned memory is faster. */
static const fx_search searches[] = {
    {"task=copy kind=pinned direction=h2d pieces=1", "size", FX_COSTS_LESS, 4, 0, "kind=pageable"},
};

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "copy"},
    {"copy_host_ns", "ns", FX_HOST_NS, false, "copy"},
};

/* A pageable copy of a few pages is staged at a stroke; larger ones go piece by piece, through the host's caches as far
 * as these hold them. Mapped ones begin with what is in flight at a time. The lines have knees between them. */
static const char *law_of(int64_t kind, int64_t direction, int64_t size) {
    enum { PAST_CACHE_BYTES = 64 << 20, IN_FLIGHT_BYTES = 64 << 10 };
    const int64_t staged_bytes = direction == D2H ? 256 << 10 : 64 << 10;
    return kind == PAGEABLE ? (size <= staged_bytes      ? "bytes_staged"
                               : size < PAST_CACHE_BYTES ? "bytes_by_pieces"
                                                         : "bytes_past_cache")
           : kind == MAPPED ? (size <= IN_FLIGHT_BYTES ? "bytes_in_flight" : "bytes_streamed")
                            : "bytes";
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double bytes = (double)params->value[SIZE] * (params->value[DIRECTION] == BOTH ? 2 : 1);
    out->metric = params->value[KIND] == PAGEABLE ? HOST_NS : GPU_NS; /* what the host waits for, it times */
    out->law = params->value[TASK] == COPY ? law_of(params->value[KIND], params->value[DIRECTION], params->value[SIZE])
                                           : "bytes";
    out->count = bytes;
    out->why_not = params->value[TASK] != COPY                ? "the line t0 + V/B is that of one copy"
                   : params->value[SIZE] < LEAST_COPIED_BYTES ? "copies under 4 KiB travel inside the command stream"
                                                              : NULL;
    out->useful_bytes = bytes;
    fx_prediction_count(out, "bytes", bytes);
}

#if defined(CUDART_VERSION) && CUDART_VERSION < 12080
enum { BATCHES = false };
#else
enum { BATCHES = true };
#endif

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK];
    return params->value[SIZE] % 4 != 0 ? "size must be a multiple of 4"
           : task == BATCH && !BATCHES  ? "task=batch needs a build by CUDA 12.8 or newer"
           : task != COPY && (params->value[KIND] != PINNED || params->value[DIRECTION] == BOTH)
               ? "task=loop and task=batch need kind=pinned and one direction"
           : task != COPY && params->value[SIZE] % (4 * params->value[PIECES]) != 0
               ? "size must be a multiple of 4 x pieces"
           : task == COPY && params->value[PIECES] != 1 ? "task=copy needs pieces=1"
                                                        : NULL;
}

#ifdef FX_WITH_CUDA
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "../arrival.h"
#include "gpu/host_memory.h"
#include "gpu/numa.h"
#include "gpu/rig_objects.h"

enum { LOAD_BYTES = 256 << 20 };

/* One direction of a case. */
typedef struct way {
    bool to_device;
    char *host, *device;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    /* Of a thread that blocks on it. */
    int ordinal;
    size_t size;
    pthread_barrier_t *start;
    double begin_ns, end_ns;
    cudaError_t code;
} way;

typedef struct task {
    way ways[2]; /* the second one: to the host, beside the first */
    size_t count, size;
    char *prime_host, *prime_device; /* prime_bytes each */
    size_t prime_bytes;
    fx_latch latch;
} task;

/* Copies words through the SM: zero-copy, in either direction. */
__global__ static void copy_words(uint32_t *to, const uint32_t *from, size_t words) {
    const size_t step = (size_t)gridDim.x * blockDim.x, first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (size_t i = first; i < words / 4; i += step) {
        ((uint4 *)to)[i] = ((const uint4 *)from)[i];
    }
    for (size_t i = words / 4 * 4 + first; i < words; i += step) {
        to[i] = from[i];
    }
}

static void give_host_memory(fx_rig *rig, void *memory, size_t bytes) {
    fx_host_memory_free((fx_host_kind)rig->c->params.value[KIND], memory, FX_ARGUMENT(rig, task)->size);
}

/* Memory, data and events. The pool has one buffer of host memory: that of the second direction is the case's own. */
static fx_status take_way(fx_rig *rig, task *s, way *w, bool to_device, fx_error *err) {
    const fx_host_kind kind = (fx_host_kind)rig->c->params.value[KIND];
    const bool first = w == s->ways;
    void *host = NULL;
    w->to_device = to_device;
    w->size = s->size;
    w->ordinal = rig->gpu->ordinal;
    w->stream = first ? rig->gpu->stream : rig->gpu->other_stream;
    FX_TRY(first ? fx_host_memory_borrow(rig->gpu, kind, s->size, PATTERN_SEED, &host, err)
                 : fx_host_memory_alloc(rig->gpu, kind, s->size, PATTERN_SEED, &host, err));
    w->host = (char *)host;
    FX_TRY(first ? FX_OK : fx_rig_keep(rig, host, give_host_memory, err));
    FX_TRY(fx_rig_memory(rig, &w->device, FX_DEVICE_MEMORY, s->size, 0, err));
    FX_TRY(fx_rig_event(rig, &w->begin, err));
    FX_TRY(fx_rig_event(rig, &w->end, err));
    return fx_gpu_fill(rig->gpu, w->device, s->size / 4, PATTERN_SEED, err);
}

/* Queues one direction's transfer. */
static fx_status queue(fx_gpu *gpu, const fx_case *c, const way *w, fx_error *err) {
    char *to = w->to_device ? w->device : w->host;
    const char *from = w->to_device ? w->host : w->device;
    const size_t pieces = (size_t)c->params.value[PIECES], piece = w->size / pieces;
    const cudaStream_t stream = w->stream;
    if (c->params.value[KIND] == MAPPED) {
        size_t words = w->size / 4;
        void *arguments[] = {&to, &from, &words};
        const dim3 grid((unsigned)gpu->facts.sm_count * 2, 1, 1), block(512, 1, 1);
        FX_TRY_CUDA(cudaLaunchKernel((const void *)copy_words, grid, block, arguments, 0, stream));
#if CUDART_VERSION >= 12080
    } else if (c->params.value[TASK] == BATCH) {
        const void *sources[256];
        void *destinations[256];
        size_t sizes[256], which = 0;
        struct cudaMemcpyAttributes attributes;
        memset(&attributes, 0, sizeof attributes);
        attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
        for (size_t i = 0; i < pieces; i++) {
            destinations[i] = to + i * piece;
            sources[i] = from + i * piece;
            sizes[i] = piece;
        }
#if CUDART_VERSION >= 13000
        FX_TRY_CUDA(cudaMemcpyBatchAsync(destinations, sources, sizes, pieces, &attributes, &which, 1, stream));
#else
        size_t failed;
        FX_TRY_CUDA(cudaMemcpyBatchAsync(destinations, (void **)sources, sizes, pieces, &attributes, &which, 1, &failed,
                                         stream));
#endif
#endif
    } else {
        for (size_t i = 0; i < pieces; i++) {
            FX_TRY(queue_copy(w->device + i * piece, w->host + i * piece, piece, w->to_device, stream, err));
        }
    }
    return FX_OK;
}

/* A stream that goes from a kernel to a copy hands over from one engine to another, which takes 5 us on an H200: a
 * copy in the same direction between the latch and the first event keeps that out of the number. It goes the way of
 * what is measured: small copies to the device go by another one than large ones (fx_prime_bytes). */
static fx_status prime(const task *s, const fx_case *c, const way *w, fx_error *err) {
    return c->params.value[KIND] == MAPPED
               ? FX_OK /* a kernel moves it, behind the latch's kernel: no copy engine is involved */
               : queue_copy(s->prime_device, s->prime_host, s->prime_bytes, w->to_device, w->stream, err);
}

/* The second direction, which waits for the latch as well, is queued before the first. */
static fx_status queue_all(fx_gpu *gpu, const fx_case *c, const task *s, fx_error *err) {
    if (s->count > 1) {
        FX_TRY_CUDA(cudaEventRecord(s->ways[1].begin, gpu->stream));
        FX_TRY_CUDA(cudaStreamWaitEvent(gpu->other_stream, s->ways[1].begin, 0));
    }
    for (size_t i = s->count; i-- > 0;) {
        FX_TRY(prime(s, c, &s->ways[i], err));
        FX_TRY_CUDA(cudaEventRecord(s->ways[i].begin, s->ways[i].stream));
        FX_TRY(queue(gpu, c, &s->ways[i], err));
        FX_TRY_CUDA(cudaEventRecord(s->ways[i].end, s->ways[i].stream));
    }
    return FX_OK;
}

/* Pinned kinds: everything queued behind the latch, events around the copies. */
static fx_status sample_queued(fx_gpu *gpu, const fx_case *c, task *s, fx_sample *out, fx_error *err) {
    double ns[2];
    float lead_ms;
    unsigned generation, width;
    FX_TRY(fx_latch_hold(&s->latch, gpu->stream, err));
    const fx_status status = queue_all(gpu, c, s, err);
    fx_latch_release(&s->latch);
    if (status == FX_OK && s->size >= LOAD_BYTES && fx_gpu_link(gpu, &generation, &width)) {
        out->extra[EXTRA_LINK_GENERATION] = generation;
        out->extra[EXTRA_LINK_WIDTH] = width;
    }
    const cudaError_t code = cudaStreamSynchronize(gpu->stream), other = cudaStreamSynchronize(gpu->other_stream);
    FX_TRY(status);
    FX_TRY_CUDA(code);
    FX_TRY_CUDA(other);
    for (size_t i = 0; i < s->count; i++) {
        FX_TRY(fx_event_ns(gpu, s->ways[i].begin, s->ways[i].end, &ns[i], &out->flags, err));
        out->extra[s->ways[i].to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(s->size, ns[i]);
    }
    out->value = ns[0];
    if (s->count > 1) {
        /* under 0: the first direction began first */
        FX_TRY_CUDA(cudaEventElapsedTime(&lead_ms, s->ways[1].begin, s->ways[0].begin));
        const double lead_ns = (double)lead_ms * 1e6;
        out->value = fmax(ns[0], ns[1] - lead_ns) + fmax(lead_ns, 0);
    }
    out->flags |= fx_latch_timed_out(&s->latch) ? FX_SAMPLE_LATCH_TIMEOUT : 0;
    return FX_OK;
}

/* A pageable copy blocks its caller: the second direction is on a thread of its own. */
static void *copy_blocking(void *argument) {
    way *w = (way *)argument;
    w->code = cudaSetDevice(w->ordinal);
    pthread_barrier_wait(w->start);
    if (w->code != cudaSuccess) {
        return NULL;
    }
    w->begin_ns = fx_now_ns();
    w->code = cudaMemcpyAsync(w->to_device ? w->device : w->host, w->to_device ? w->host : w->device, w->size,
                              cudaMemcpyDefault, w->stream);
    if (w->code == cudaSuccess) {
        w->code = cudaStreamSynchronize(w->stream);
    }
    w->end_ns = fx_now_ns();
    return NULL;
}

static fx_status sample_pageable(task *s, fx_sample *out, fx_error *err) {
    pthread_barrier_t start;
    pthread_t thread;
    double begin = (double)INFINITY, end = 0;
    pthread_barrier_init(&start, NULL, (unsigned)s->count);
    s->ways[0].start = s->ways[1].start = &start;
    if (s->count > 1 && pthread_create(&thread, NULL, copy_blocking, &s->ways[1]) != 0) {
        pthread_barrier_destroy(&start);
        return fx_fail(err, FX_NO_MEMORY, "no second thread for the other direction");
    }
    copy_blocking(&s->ways[0]);
    if (s->count > 1) {
        pthread_join(thread, NULL);
    }
    pthread_barrier_destroy(&start);
    for (size_t i = s->count; i-- > 0;) {
        const way *w = &s->ways[i];
        FX_TRY_CUDA(w->code);
        begin = fmin(begin, w->begin_ns);
        end = fmax(end, w->end_ns);
        out->extra[w->to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(s->size, w->end_ns - w->begin_ns);
    }
    out->value = end - begin;
    return FX_OK;
}

static fx_status sample_copy(fx_gpu *gpu, const fx_case *c, task *s, uint64_t seed, fx_sample *out, fx_error *err) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->ways[i].to_device) {
            FX_TRY_CUDA(cudaMemsetAsync(s->ways[i].device, 0xa5, s->size, gpu->stream));
        } else {
            poison_host(s->ways[i].host, s->size, seed);
        }
    }
    FX_TRY(fx_gpu_wait(gpu, err));
    FX_TRY(c->params.value[KIND] == PAGEABLE ? sample_pageable(s, out, err) : sample_queued(gpu, c, s, out, err));
    for (size_t i = 0; i < s->count; i++) {
        FX_TRY(s->ways[i].to_device ? fx_gpu_verify(gpu, s->ways[i].device, s->size / 4, PATTERN_SEED, err)
                                    : check_words(s->ways[i].host, s->size, seed, PATTERN_SEED, err));
    }
    return FX_OK;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    const fx_status status = sample_copy(rig->gpu, c, s, seed, out, err);
    if (status != FX_OK) {
        fx_host_memory_drop(rig->gpu); /* what the pool's memory holds is not known */
        s->ways[0].host = NULL;
        return status;
    }
    for (size_t i = 0; i < s->count; i++) {
        const bool placed = fx_numa_is_on_node(s->ways[i].host, s->size, rig->gpu->numa_node);
        out->flags |= placed ? 0 : FX_SAMPLE_NOT_PLACED;
    }
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    task *s = FX_ARGUMENT(rig, task);
    rig->sample = sample;
    s->size = (size_t)p->value[SIZE];
    s->prime_bytes = fx_prime_bytes(s->size, s->size / (size_t)p->value[PIECES]);
    s->count = p->value[DIRECTION] == BOTH ? 2 : 1;
    for (size_t i = 0; i < s->count; i++) {
        FX_TRY(take_way(rig, s, &s->ways[i], i == 0 && p->value[DIRECTION] != D2H, err));
    }
    FX_TRY(fx_rig_memory(rig, &s->prime_host, FX_PINNED_MEMORY, s->prime_bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &s->prime_device, FX_DEVICE_MEMORY, s->prime_bytes, 0, err));
    memset(s->prime_host, 0x5a, s->prime_bytes);
    FX_TRY(fx_gpu_fill(rig->gpu, s->prime_device, s->prime_bytes / 4, PATTERN_SEED, err));
    FX_TRY(fx_rig_latch(rig, &s->latch, err));
    return fx_gpu_wait(rig->gpu, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("kind=mapped", FX_K(copy_words)),
    FX_TIMED("kind=pageable,registered,pinned,write_combined", FX_NO_KERNEL),
};

FX_PROBE(transfer, .question = "What does it cost to copy data between host and device, by the kind of host memory?",
         .method_version = 3, /* 2: other primes; 3: the prime goes the way of the copy */
         FX_PARTS, .fit_by = "task kind direction", .extras = "h2d_GBps d2h_GBps link_generation link_width",
         .supported = supported, FX_TABLE(searches))
