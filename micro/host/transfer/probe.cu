/* transfer: what does it cost to move data between host and device, by the kind of host memory?
 *
 * Method: pinned, registered, write-combined and mapped memory is timed by events around the copies, all queued behind
 * a latch; pageable copies and page migrations block, so the host clock times them. Every page is faulted in, holds
 * random bits. Pageable and registered pages prefer the GPU's NUMA node where the machine tells it; a copy whose pages
 * lie elsewhere is flagged. Destinations are poisoned and checked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/probe.h"
#include "core/random.h"

enum { TASK, KIND, DIRECTION, PIECES, SIZE };
enum { COPY, LOOP, BATCH, PIN, UNPIN, HOST_WRITE, HOST_READ };
/* in the order of fx_host_kind, which knows one kind of managed memory */
enum { PAGEABLE, REGISTERED, PINNED, WRITE_COMBINED, MAPPED, MANAGED_FAULT, MANAGED_PREFETCH, MANAGED_RESIDENT };
enum { H2D, D2H, BOTH };
enum { GPU_NS, HOST_NS };
enum { LEAST_COPIED_BYTES = 4 << 10 };
enum { EXTRA_H2D, EXTRA_D2H, EXTRA_LINK_GENERATION, EXTRA_LINK_WIDTH };

static const fx_axis axes[] = {
    {"task", "", "one copy; many in a loop or one batch call; pinning; the host's own access",
     "copy loop batch pin unpin host_write host_read", 0, 0, COPY},
    {"kind", "", "the host memory",
     "pageable registered pinned write_combined mapped managed_fault managed_prefetch managed_resident", 0, 0, PINNED},
    {"direction", "", "host to device, device to host, both at once", "h2d d2h both", 0, 0, H2D},
    {"pieces", "", "copies that make up the size, in tasks loop and batch", NULL, 1, 256, 1},
    {"size", "bytes", "bytes each way", NULL, 4, (int64_t)1 << 30, 64 << 20},
};

static const fx_sweep sweeps[] = {
    {"copy", "task=copy kind=pageable,registered,pinned,write_combined,mapped direction=h2d,d2h,both size=4:1Gi:*4",
     "task=copy kind=pageable,pinned direction=h2d,d2h size=4Ki,1Mi,64Mi"},
    {"managed", "task=copy kind=managed_fault,managed_prefetch,managed_resident direction=h2d,d2h size=4Ki:1Gi:*4",
     NULL},
    {"many", "task=loop,batch kind=pinned direction=h2d,d2h pieces=1,4,16,64,256 size=1Mi,16Mi",
     "task=loop,batch kind=pinned direction=h2d pieces=64 size=1Mi"},
    {"pin", "task=pin,unpin kind=registered size=4Ki:1Gi:*4", "task=pin kind=registered size=1Mi"},
    {"pin_new", "task=pin,unpin kind=pinned size=4Ki:256Mi:*4", NULL},
    {"host", "task=host_write,host_read kind=pageable,pinned,write_combined size=1Mi", NULL},
};

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "copy"},
    {"copy_host_ns", "ns", FX_HOST_NS, false, "copy"},
};

static bool is_managed(int64_t kind) {
    return kind >= MANAGED_FAULT;
}

/* Whether the host waits for what is timed. */
static bool by_host_clock(const fx_params *p) {
    const int64_t kind = p->value[KIND];
    return p->value[TASK] >= PIN || kind == PAGEABLE || kind == MANAGED_PREFETCH ||
           (is_managed(kind) && p->value[DIRECTION] == D2H);
}

/* The line t0 + V/B is that of one copy, or of registering pages. Copies under 4 KiB travel inside the command stream,
 * resident pages do not travel at all, and pinned allocations come from a cache. */
static bool has_fit(const fx_params *p) {
    const int64_t task = p->value[TASK], kind = p->value[KIND];
    return p->value[SIZE] >= LEAST_COPIED_BYTES &&
           ((task == COPY && kind != MANAGED_RESIDENT) || ((task == PIN || task == UNPIN) && kind == REGISTERED));
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double bytes = (double)params->value[SIZE] * (params->value[DIRECTION] == BOTH ? 2 : 1);
    (void)facts;
    (void)table;
    out->metric = by_host_clock(params) ? HOST_NS : GPU_NS;
    out->law = "bytes";
    out->count = bytes;
    out->in_fit = has_fit(params);
    out->useful_bytes = bytes;
    fx_prediction_count(out, "bytes", bytes);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t kind = params->value[KIND], task = params->value[TASK];
    if (params->value[SIZE] % 4 != 0) {
        return "the size is not a multiple of 4 bytes";
    }
    if (is_managed(kind) && !facts->managed_memory) {
        return "the device and the system do not share managed memory concurrently";
    }
    if (is_managed(kind) &&
        (params->value[DIRECTION] == BOTH || task != COPY || params->value[SIZE] < LEAST_COPIED_BYTES)) {
        return "managed memory moves one way at a time, by pages";
    }
    if ((task == LOOP || task == BATCH) && (kind != PINNED || params->value[DIRECTION] == BOTH)) {
        return "many copies are compared on pinned memory, one way";
    }
    if ((task == LOOP || task == BATCH) && params->value[SIZE] % (4 * params->value[PIECES]) != 0) {
        return "the size does not divide into so many pieces of whole words";
    }
    if (task == COPY && params->value[PIECES] != 1) {
        return "one copy has one piece: use task=loop or task=batch";
    }
    if ((task == PIN || task == UNPIN) && kind != REGISTERED && kind != PINNED) {
        return "only registered and pinned memory is pinned";
    }
    if ((task == HOST_WRITE || task == HOST_READ) && is_managed(kind)) {
        return "the host's own access is compared on memory that stays where it is";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include <pthread.h>

#include "gpu/cuda.h"
#include "gpu/host_memory.h"
#include "gpu/latch.h"
#include "gpu/numa.h"
#include "gpu/pool.h"

enum { PROBED_WORDS = 64, PATTERN_SEED = 7, LOAD_BYTES = 256 << 20, PRIME_BYTES = 64 << 10 };

typedef struct state {
    void *host, *host2; /* source or destination; host2: of the other direction, when both */
    char *device, *device2;
    char *prime_host, *prime_device; /* PRIME_BYTES each */
    fx_latch latch;
    cudaEvent_t begin, end, begin2, end2;
    size_t size;
    bool spoiled; /* a copy failed, and what the pool's memory holds is not known */
} state;

static fx_host_kind kind_of(const fx_params *p) {
    return is_managed(p->value[KIND]) ? FX_HOST_MANAGED : (fx_host_kind)p->value[KIND];
}

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

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    cudaEvent_t events[] = {s->begin, s->end, s->begin2, s->end2};
    (void)gpu;
    fx_latch_close(&s->latch);
    for (size_t i = 0; i < FX_COUNT(events); i++) {
        if (events[i]) {
            cudaEventDestroy(events[i]);
        }
    }
    fx_memory_free(gpu, s->device, s->size);
    fx_memory_free(gpu, s->device2, s->size);
    cudaFreeHost(s->prime_host);
    cudaFree(s->prime_device);
    fx_host_memory_free(kind_of(&c->params), s->host2, s->size);
    if (s->spoiled) {
        fx_host_memory_drop(gpu);
    }
    free(s);
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    const fx_params *p = &c->params;
    const int64_t kind = p->value[KIND], task = p->value[TASK];
    const bool both = p->value[DIRECTION] == BOTH;
    fx_status status = FX_OK;
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->size = (size_t)p->value[SIZE];
    if (task != PIN && task != UNPIN) {
        status = fx_host_memory_borrow(gpu, kind_of(p), s->size, PATTERN_SEED, &s->host, err);
        if (status == FX_OK && both) {
            status = fx_host_memory_alloc(gpu, kind_of(p), s->size, PATTERN_SEED, &s->host2, err);
        }
        if (status != FX_OK) {
            goto cleanup;
        }
    }
    if (task <= BATCH && !is_managed(kind)) {
        FX_CUDA(cudaMalloc((void **)&s->device, s->size));
        if (both) {
            FX_CUDA(cudaMalloc((void **)&s->device2, s->size));
        }
        FX_CUDA(cudaMallocHost((void **)&s->prime_host, PRIME_BYTES));
        FX_CUDA(cudaMalloc((void **)&s->prime_device, PRIME_BYTES));
        memset(s->prime_host, 0x5a, PRIME_BYTES);
        status = fx_gpu_fill(gpu, s->device, s->size / 4, PATTERN_SEED, err);
        if (status == FX_OK) {
            status = fx_gpu_fill(gpu, s->prime_device, PRIME_BYTES / 4, PATTERN_SEED, err);
        }
        if (status == FX_OK && both) {
            status = fx_gpu_fill(gpu, s->device2, s->size / 4, PATTERN_SEED, err);
        }
        if (status != FX_OK) {
            goto cleanup;
        }
    }
    FX_CUDA(cudaEventCreate(&s->begin));
    FX_CUDA(cudaEventCreate(&s->end));
    FX_CUDA(cudaEventCreate(&s->begin2));
    FX_CUDA(cudaEventCreate(&s->end2));
    status = fx_latch_open(&s->latch, err);
    if (status == FX_OK) {
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
    }
cleanup:
    if (status != FX_OK) {
        close_case(gpu, c, s);
        return status;
    }
    *out = s;
    return FX_OK;
}

/* Queues one direction's transfer of a case on `stream`. */
static fx_status queue(fx_gpu *gpu, const fx_case *c, char *device, char *host, size_t size, bool to_device,
                       cudaStream_t stream, fx_error *err) {
    const enum cudaMemcpyKind way = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    char *to = to_device ? device : host;
    const char *from = to_device ? host : device;
    const size_t pieces = (size_t)c->params.value[PIECES], piece = size / pieces;
    fx_status status = FX_OK;
    if (c->params.value[KIND] == MAPPED) {
        size_t words = size / 4;
        void *arguments[] = {&to, &from, &words};
        const dim3 grid((unsigned)gpu->facts.sm_count * 2, 1, 1), block(512, 1, 1);
        FX_CUDA(cudaLaunchKernel((const void *)copy_words, grid, block, arguments, 0, stream));
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
        FX_CUDA(cudaMemcpyBatchAsync(destinations, sources, sizes, pieces, &attributes, &which, 1, stream));
#else
        size_t failed;
        FX_CUDA(cudaMemcpyBatchAsync(destinations, (void **)sources, sizes, pieces, &attributes, &which, 1, &failed,
                                     stream));
#endif
    } else {
        for (size_t i = 0; i < pieces; i++) {
            FX_CUDA(cudaMemcpyAsync(to + i * piece, from + i * piece, piece, way, stream));
        }
    }
cleanup:
    return status;
}

/* A stream that goes from a kernel to a copy hands over from one engine to another, which takes 5 us on an H200: a
 * small copy in the same direction between the latch and the first event keeps that out of the number. */
static fx_status prime(state *s, const fx_case *c, bool to_device, cudaStream_t stream, fx_error *err) {
    fx_status status = FX_OK;
    if (c->params.value[KIND] == MAPPED) {
        return FX_OK; /* a kernel moves it, behind the latch's kernel: no copy engine has a part in it */
    }
    if (to_device) {
        FX_CUDA(cudaMemcpyAsync(s->prime_device, s->prime_host, PRIME_BYTES, cudaMemcpyHostToDevice, stream));
    } else {
        FX_CUDA(cudaMemcpyAsync(s->prime_host, s->prime_device, PRIME_BYTES, cudaMemcpyDeviceToHost, stream));
    }
cleanup:
    return status;
}

static double rate_GBps(size_t bytes, double ns) {
    return ns > 0 ? (double)bytes / ns : NAN;
}

/* Pinned kinds: everything queued behind the latch, events around the copies. */
static fx_status sample_queued(fx_gpu *gpu, const fx_case *c, state *s, fx_sample *out, fx_error *err) {
    const int64_t direction = c->params.value[DIRECTION];
    const bool both = direction == BOTH, first_to_device = direction != D2H;
    fx_status status = FX_OK;
    bool held = false;
    float first_ms, second_ms, lead_ms;
    unsigned generation, width;
    status = fx_latch_hold(&s->latch, gpu->stream, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    held = true;
    if (both) {
        FX_CUDA(cudaEventRecord(s->begin2, gpu->stream));
        FX_CUDA(cudaStreamWaitEvent(gpu->other_stream, s->begin2, 0));
        status = prime(s, c, false, gpu->other_stream, err);
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaEventRecord(s->begin2, gpu->other_stream));
        status = queue(gpu, c, s->device2, (char *)s->host2, s->size, false, gpu->other_stream, err);
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaEventRecord(s->end2, gpu->other_stream));
    }
    status = prime(s, c, first_to_device, gpu->stream, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaEventRecord(s->begin, gpu->stream));
    status = queue(gpu, c, s->device, (char *)s->host, s->size, first_to_device, gpu->stream, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaEventRecord(s->end, gpu->stream));
    fx_latch_release(&s->latch);
    held = false;
    if (s->size >= LOAD_BYTES && fx_gpu_link(gpu, &generation, &width)) {
        out->extra[EXTRA_LINK_GENERATION] = generation;
        out->extra[EXTRA_LINK_WIDTH] = width;
    }
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->other_stream));
    FX_CUDA(cudaEventElapsedTime(&first_ms, s->begin, s->end));
    out->value = (double)first_ms * 1e6;
    out->extra[first_to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(s->size, out->value);
    if (both) {
        FX_CUDA(cudaEventElapsedTime(&second_ms, s->begin2, s->end2));
        FX_CUDA(cudaEventElapsedTime(&lead_ms, s->begin2, s->begin)); /* under 0: the first direction began first */
        out->extra[EXTRA_D2H] = rate_GBps(s->size, (double)second_ms * 1e6);
        const double begin_ms = lead_ms > 0 ? -lead_ms : 0, end_ms = fmax(first_ms, second_ms - lead_ms);
        out->value = (end_ms - begin_ms) * 1e6;
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

static fx_status sample_pageable(fx_gpu *gpu, const fx_case *c, state *s, fx_sample *out, fx_error *err) {
    const int64_t direction = c->params.value[DIRECTION];
    fx_status status = FX_OK;
    pthread_barrier_t start;
    pthread_t thread;
    blocking_copy h2d = {.to = s->device,
                         .from = s->host,
                         .size = s->size,
                         .stream = gpu->stream,
                         .ordinal = gpu->ordinal,
                         .start = &start};
    blocking_copy d2h = {.to = direction == BOTH ? s->host2 : s->host,
                         .from = direction == BOTH ? s->device2 : s->device,
                         .size = s->size,
                         .stream = gpu->other_stream,
                         .ordinal = gpu->ordinal,
                         .start = &start};
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

/* A word of the host's destination that is poisoned before and checked after; the last word is always among them. */
static uint32_t *probed_word(void *host, size_t size, uint64_t seed, uint64_t i, size_t *index) {
    uint64_t random = fx_random_at(seed, i);
    *index = i == 0 ? size / 4 - 1 : (size_t)fx_random_below(&random, size / 4);
    return (uint32_t *)host + *index;
}

static void poison_host(void *host, size_t size, uint64_t seed) {
    size_t index;
    for (uint64_t i = 0; i < PROBED_WORDS; i++) {
        uint32_t *word = probed_word(host, size, seed, i, &index);
        *word = ~fx_random_word(PATTERN_SEED, index);
    }
}

/* Checks those words against fx_random_word(pattern, index). */
static fx_status check_words(void *host, size_t size, uint64_t seed, uint64_t pattern, fx_error *err) {
    size_t index;
    for (uint64_t i = 0; i < PROBED_WORDS; i++) {
        const uint32_t *word = probed_word(host, size, seed, i, &index);
        if (*word != fx_random_word(pattern, index)) {
            return fx_fail(err, FX_WRONG_RESULT, "word %zu of the host's buffer did not arrive", index);
        }
    }
    return FX_OK;
}

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

/* Managed: pages start on the other side (or, resident, on this side), then are prefetched or touched. */
static fx_status sample_managed(fx_gpu *gpu, const fx_case *c, state *s, uint64_t seed, fx_sample *out, fx_error *err) {
    const int64_t kind = c->params.value[KIND];
    const bool to_device = c->params.value[DIRECTION] == H2D;
    float ms;
    const bool starts_on_device = kind == MANAGED_RESIDENT ? to_device : !to_device;
    fx_status status = prefetch(gpu, s->host, s->size, starts_on_device, err);
    if (status == FX_OK) {
        status = renew(gpu, s->host, s->size, seed, starts_on_device, err);
    }
    if (status != FX_OK) {
        return status;
    }
    const double begin = fx_now_ns();
    if (kind == MANAGED_PREFETCH) {
        status = prefetch(gpu, s->host, s->size, to_device, err);
        out->value = fx_now_ns() - begin;
    } else if (!to_device) {
        sink = read_on_host(s->host, s->size);
        out->value = fx_now_ns() - begin;
    } else {
        FX_CUDA(cudaEventRecord(s->begin, gpu->stream));
        status = fx_gpu_read(gpu, s->host, s->size, err);
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaEventRecord(s->end, gpu->stream));
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
        FX_CUDA(cudaEventElapsedTime(&ms, s->begin, s->end));
        out->value = (double)ms * 1e6;
    }
    out->extra[to_device ? EXTRA_H2D : EXTRA_D2H] = rate_GBps(s->size, out->value);
    if (status == FX_OK) {
        status = to_device ? fx_gpu_verify(gpu, s->host, s->size / 4, seed, err)
                           : check_words(s->host, s->size, seed, seed, err);
    }
cleanup:
    return status;
}

/* What it costs to pin: register pages that are there, or allocate pinned ones. */
static fx_status sample_pin(fx_gpu *gpu, const fx_case *c, state *s, fx_sample *out, fx_error *err) {
    const bool registered = c->params.value[KIND] == REGISTERED;
    fx_status status = FX_OK;
    void *memory = NULL;
    double times[3];
    if (registered) {
        status = fx_host_memory_borrow(gpu, FX_HOST_PAGEABLE, s->size, PATTERN_SEED, &memory, err);
        if (status != FX_OK) {
            return status;
        }
    }
    times[0] = fx_now_ns();
    if (registered) {
        FX_CUDA(cudaHostRegister(memory, s->size, cudaHostRegisterDefault));
    } else {
        FX_CUDA(cudaHostAlloc(&memory, s->size, cudaHostAllocDefault));
    }
    times[1] = fx_now_ns();
    if (registered) {
        FX_CUDA(cudaHostUnregister(memory));
    } else {
        FX_CUDA(cudaFreeHost(memory));
    }
    times[2] = fx_now_ns();
    out->value = c->params.value[TASK] == PIN ? times[1] - times[0] : times[2] - times[1];
cleanup:
    return status;
}

/* The host's own read or write rate on this kind of memory. */
static fx_status sample_host(const fx_case *c, state *s, uint64_t seed, fx_sample *out, fx_error *err) {
    char *ordinary = (char *)malloc(s->size);
    if (!ordinary) {
        return fx_fail(err, FX_NO_MEMORY, "no %zu bytes of host memory", s->size);
    }
    fx_host_fill(ordinary, s->size, seed);
    const double begin = fx_now_ns();
    if (c->params.value[TASK] == HOST_WRITE) {
        memcpy(s->host, ordinary, s->size);
    } else {
        memcpy(ordinary, s->host, s->size);
    }
    out->value = fx_now_ns() - begin;
    const bool same = memcmp(ordinary, s->host, s->size) == 0;
    fx_host_fill(s->host, s->size, PATTERN_SEED); /* the pool hands it out as such again */
    free(ordinary);
    return same ? FX_OK : fx_fail(err, FX_WRONG_RESULT, "the host's copy differs from its source");
}

static fx_status sample_copy(fx_gpu *gpu, const fx_case *c, state *s, uint64_t seed, fx_sample *out, fx_error *err) {
    const int64_t direction = c->params.value[DIRECTION], kind = c->params.value[KIND];
    void *arrived = direction == BOTH ? s->host2 : s->host;
    fx_status status = FX_OK;
    if (direction != D2H) {
        FX_CUDA(cudaMemsetAsync(s->device, 0xa5, s->size, gpu->stream));
    }
    if (direction != H2D) {
        poison_host(arrived, s->size, seed);
    }
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    status = kind == PAGEABLE ? sample_pageable(gpu, c, s, out, err) : sample_queued(gpu, c, s, out, err);
    if (status == FX_OK && direction != D2H) {
        status = fx_gpu_verify(gpu, s->device, s->size / 4, PATTERN_SEED, err);
    }
    if (status == FX_OK && direction != H2D) {
        status = check_words(arrived, s->size, seed, PATTERN_SEED, err);
    }
cleanup:
    return status;
}

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state_, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    const int64_t task = c->params.value[TASK];
    fx_status status;
    if (task == PIN || task == UNPIN) {
        return sample_pin(gpu, c, s, out, err);
    }
    if (task == HOST_WRITE || task == HOST_READ) {
        return sample_host(c, s, seed, out, err);
    }
    if (is_managed(c->params.value[KIND])) {
        return sample_managed(gpu, c, s, seed, out, err);
    }
    status = sample_copy(gpu, c, s, seed, out, err);
    s->spoiled = s->spoiled || status != FX_OK;
    if (status == FX_OK && (!fx_numa_is_on_node(s->host, s->size, gpu->numa_node) ||
                            (s->host2 && !fx_numa_is_on_node(s->host2, s->size, gpu->numa_node)))) {
        out->flags |= FX_SAMPLE_NOT_PLACED;
    }
    return status;
}
#endif
static const fx_probe transfer = {
    .contract = FX_PROBE_CONTRACT,
    .name = "transfer",
    .question = "What does it cost to move data between host and device, by the kind of host memory?",
    .method_version = 2,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "task kind direction",
    .extras = "h2d_GBps d2h_GBps link_generation link_width",
    .law = law,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    .sass = NULL,
    .sass_count = 0,
};

FX_PROBE(transfer)
