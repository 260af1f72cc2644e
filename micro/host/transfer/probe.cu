/* transfer: what does it cost to copy data between host and device, by the kind of host memory?
 *
 * Method: pinned, registered, write-combined and mapped memory is timed by events around the copies, all queued behind
 * a latch; pageable copies block, so the host clock times them. Every page is faulted in, holds
 * random bits. Pageable and registered pages prefer the GPU's NUMA node where the machine tells it; a copy whose pages
 * lie elsewhere is flagged. Destinations are poisoned and checked. */
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
    out->in_fit = params->value[TASK] == COPY && params->value[SIZE] >= LEAST_COPIED_BYTES;
    out->why_not = out->in_fit                   ? NULL
                   : params->value[TASK] == COPY ? "copies under 4 KiB travel inside the command stream"
                                                 : "the line t0 + V/B is that of one copy";
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

typedef struct task {
    void *host, *host2; /* source or destination; host2: of the other direction, when both */
    char *device, *device2;
    char *prime_host, *prime_device; /* prime_bytes each */
    size_t size, prime_bytes;
    fx_latch latch;
    cudaEvent_t begin, end, begin2, end2;
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

/* The pool has one buffer of the host's memory: that of the other direction is the case's own. */
static fx_status take_host(fx_rig *rig, const fx_params *p, task *s, fx_error *err) {
    const fx_host_kind kind = (fx_host_kind)p->value[KIND];
    FX_TRY(fx_host_memory_borrow(rig->gpu, kind, s->size, PATTERN_SEED, &s->host, err));
    if (p->value[DIRECTION] == BOTH) {
        FX_TRY(fx_host_memory_alloc(rig->gpu, kind, s->size, PATTERN_SEED, &s->host2, err));
        FX_TRY(fx_rig_keep(rig, s->host2, give_host_memory, err));
    }
    return FX_OK;
}

static fx_status take_device(fx_rig *rig, const fx_params *p, task *s, fx_error *err) {
    FX_TRY(fx_rig_memory(rig, &s->device, FX_DEVICE_MEMORY, s->size, 0, err));
    if (p->value[DIRECTION] == BOTH) {
        FX_TRY(fx_rig_memory(rig, &s->device2, FX_DEVICE_MEMORY, s->size, 0, err));
    }
    FX_TRY(fx_rig_memory(rig, &s->prime_host, FX_PINNED_MEMORY, s->prime_bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &s->prime_device, FX_DEVICE_MEMORY, s->prime_bytes, 0, err));
    memset(s->prime_host, 0x5a, s->prime_bytes);
    FX_TRY(fx_gpu_fill(rig->gpu, s->device, s->size / 4, PATTERN_SEED, err));
    FX_TRY(fx_gpu_fill(rig->gpu, s->prime_device, s->prime_bytes / 4, PATTERN_SEED, err));
    if (s->device2) {
        FX_TRY(fx_gpu_fill(rig->gpu, s->device2, s->size / 4, PATTERN_SEED, err));
    }
    return FX_OK;
}

/* Queues one direction's transfer of a case on `stream`. */
static fx_status queue(fx_gpu *gpu, const fx_case *c, char *device, char *host, size_t size, bool to_device,
                       cudaStream_t stream, fx_error *err) {
    char *to = to_device ? device : host;
    const char *from = to_device ? host : device;
    const size_t pieces = (size_t)c->params.value[PIECES], piece = size / pieces;
    if (c->params.value[KIND] == MAPPED) {
        size_t words = size / 4;
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
            FX_TRY(queue_copy(device + i * piece, host + i * piece, piece, to_device, stream, err));
        }
    }
    return FX_OK;
}

/* A stream that goes from a kernel to a copy hands over from one engine to another, which takes 5 us on an H200: a
 * copy in the same direction between the latch and the first event keeps that out of the number. It goes the way of
 * what is measured: small copies to the device go by another one than large ones (fx_prime_bytes). */
static fx_status prime(const task *s, const fx_case *c, bool to_device, cudaStream_t stream, fx_error *err) {
    if (c->params.value[KIND] == MAPPED) {
        return FX_OK; /* a kernel moves it, behind the latch's kernel: no copy engine is involved */
    }
    return queue_copy(s->prime_device, s->prime_host, s->prime_bytes, to_device, stream, err);
}

/* Pinned kinds: everything queued behind the latch, events around the copies. */
static fx_status sample_queued(fx_gpu *gpu, const fx_case *c, task *s, fx_sample *out, fx_error *err) {
    const int64_t direction = c->params.value[DIRECTION];
    const bool both = direction == BOTH, first_to_device = direction != D2H;
    fx_status status = FX_OK;
    bool held = false;
    double first_ns, second_ns;
    float lead_ms;
    unsigned generation, width;
    FX_GO(fx_latch_hold(&s->latch, gpu->stream, err));
    held = true;
    if (both) {
        FX_CUDA(cudaEventRecord(s->begin2, gpu->stream));
        FX_CUDA(cudaStreamWaitEvent(gpu->other_stream, s->begin2, 0));
        FX_GO(prime(s, c, false, gpu->other_stream, err));
        FX_CUDA(cudaEventRecord(s->begin2, gpu->other_stream));
        FX_GO(queue(gpu, c, s->device2, (char *)s->host2, s->size, false, gpu->other_stream, err));
        FX_CUDA(cudaEventRecord(s->end2, gpu->other_stream));
    }
    FX_GO(prime(s, c, first_to_device, gpu->stream, err));
    FX_CUDA(cudaEventRecord(s->begin, gpu->stream));
    FX_GO(queue(gpu, c, s->device, (char *)s->host, s->size, first_to_device, gpu->stream, err));
    FX_CUDA(cudaEventRecord(s->end, gpu->stream));
    fx_latch_release(&s->latch);
    held = false;
    if (s->size >= LOAD_BYTES && fx_gpu_link(gpu, &generation, &width)) {
        out->extra[EXTRA_LINK_GENERATION] = generation;
        out->extra[EXTRA_LINK_WIDTH] = width;
    }
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->other_stream));
    FX_GO(fx_event_ns(gpu, s->begin, s->end, &first_ns, &out->flags, err));
    out->value = first_ns;
    out->extra[first_to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(s->size, out->value);
    if (both) {
        FX_GO(fx_event_ns(gpu, s->begin2, s->end2, &second_ns, &out->flags, err));
        FX_CUDA(cudaEventElapsedTime(&lead_ms, s->begin2, s->begin)); /* under 0: the first direction began first */
        const double lead_ns = (double)lead_ms * 1e6;
        out->extra[EXTRA_D2H] = rate_GBps(s->size, second_ns);
        out->value = fmax(first_ns, second_ns - lead_ns) + fmax(lead_ns, 0);
    }
    if (fx_latch_timed_out(&s->latch)) {
        out->flags |= FX_SAMPLE_LATCH_TIMEOUT;
    }
cleanup:
    if (held) {
        fx_latch_release(&s->latch);
        cudaStreamSynchronize(gpu->stream);
        cudaStreamSynchronize(gpu->other_stream);
    }
    return status;
}

/* One direction of a pageable copy on a thread of its own, since such a copy blocks its caller. */
typedef struct blocking_copy {
    void *to;
    const void *from;
    size_t size;
    cudaStream_t stream;
    int ordinal;
    pthread_barrier_t *start;
    double begin_ns, end_ns;
    cudaError_t code;
} blocking_copy;

static void *copy_blocking(void *argument) {
    blocking_copy *copy = (blocking_copy *)argument;
    copy->code = cudaSetDevice(copy->ordinal);
    pthread_barrier_wait(copy->start);
    if (copy->code != cudaSuccess) {
        return NULL;
    }
    copy->begin_ns = fx_now_ns();
    copy->code = cudaMemcpyAsync(copy->to, copy->from, copy->size, cudaMemcpyDefault, copy->stream);
    if (copy->code == cudaSuccess) {
        copy->code = cudaStreamSynchronize(copy->stream);
    }
    copy->end_ns = fx_now_ns();
    return NULL;
}

static fx_status sample_pageable(fx_gpu *gpu, const fx_case *c, task *s, fx_sample *out, fx_error *err) {
    const int64_t direction = c->params.value[DIRECTION];
    fx_status status = FX_OK;
    pthread_barrier_t start;
    pthread_t thread;
    blocking_copy h2d = {s->device, s->host, s->size, gpu->stream, gpu->ordinal, &start};
    blocking_copy d2h = {direction == BOTH ? s->host2 : s->host,
                         direction == BOTH ? s->device2 : s->device,
                         s->size,
                         gpu->other_stream,
                         gpu->ordinal,
                         &start};
    blocking_copy *mine = direction == D2H ? &d2h : &h2d;
    pthread_barrier_init(&start, NULL, direction == BOTH ? 2 : 1);
    if (direction == BOTH && pthread_create(&thread, NULL, copy_blocking, &d2h) != 0) {
        pthread_barrier_destroy(&start);
        return fx_fail(err, FX_NO_MEMORY, "no second thread for the other direction");
    }
    copy_blocking(mine);
    if (direction == BOTH) {
        pthread_join(thread, NULL);
        FX_CUDA(d2h.code);
    }
    FX_CUDA(mine->code);
    out->value = mine->end_ns - mine->begin_ns;
    out->extra[direction == D2H ? EXTRA_D2H : EXTRA_H2D] = rate_GBps(s->size, out->value);
    if (direction == BOTH) {
        const double begin = fmin(h2d.begin_ns, d2h.begin_ns), end = fmax(h2d.end_ns, d2h.end_ns);
        out->extra[EXTRA_D2H] = rate_GBps(s->size, d2h.end_ns - d2h.begin_ns);
        out->value = end - begin;
    }
cleanup:
    pthread_barrier_destroy(&start);
    return status;
}

static fx_status sample_copy(fx_gpu *gpu, const fx_case *c, task *s, uint64_t seed, fx_sample *out, fx_error *err) {
    const int64_t direction = c->params.value[DIRECTION], kind = c->params.value[KIND];
    void *arrived = direction == BOTH ? s->host2 : s->host;
    if (direction != D2H) {
        FX_TRY_CUDA(cudaMemsetAsync(s->device, 0xa5, s->size, gpu->stream));
    }
    if (direction != H2D) {
        poison_host(arrived, s->size, seed);
    }
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    FX_TRY(kind == PAGEABLE ? sample_pageable(gpu, c, s, out, err) : sample_queued(gpu, c, s, out, err));
    FX_TRY(direction == H2D ? FX_OK : check_words(arrived, s->size, seed, PATTERN_SEED, err));
    return direction == D2H ? FX_OK : fx_gpu_verify(gpu, s->device, s->size / 4, PATTERN_SEED, err);
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    fx_gpu *gpu = rig->gpu;
    const fx_status status = sample_copy(gpu, c, s, seed, out, err);
    if (status != FX_OK) {
        fx_host_memory_drop(gpu); /* what the pool's memory holds is not known */
        s->host = NULL;
    } else if (!fx_numa_is_on_node(s->host, s->size, gpu->numa_node) ||
               (s->host2 && !fx_numa_is_on_node(s->host2, s->size, gpu->numa_node))) {
        out->flags |= FX_SAMPLE_NOT_PLACED;
    }
    return status;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    task *s = FX_ARGUMENT(rig, task);
    cudaEvent_t *events[] = {&s->begin, &s->end, &s->begin2, &s->end2};
    rig->sample = sample;
    s->size = (size_t)p->value[SIZE];
    s->prime_bytes = fx_prime_bytes(s->size, s->size / (size_t)p->value[PIECES]);
    FX_TRY(take_host(rig, p, s, err));
    FX_TRY(take_device(rig, p, s, err));
    for (size_t i = 0; i < FX_COUNT(events); i++) {
        FX_TRY(fx_rig_event(rig, events[i], err));
    }
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
