/* The host's half of peer: which GPUs have a part in a case, what is queued on them, and what must have arrived. It
 * knows no kernel by name, so that it can be tested with functions in place of kernels. */
#pragma once

#include <math.h>
#include <string.h>

#include "../arrival.h"
#include "cases.h"
#include "gpu/multi_gpu.h"
#include "gpu/rig.h"

enum { THREADS = 512, BLOCKS_PER_SM = 4, PRIME_BYTES = 64 << 10, QUAD_BYTES = 16 };
enum { LINK_CYCLES = 1000, CHASE_CYCLES = 400000, OTHERS_REPEAT = 2 };

/* The argument of the kernel that chases. */
typedef struct chain {
    uint64_t first, last; /* where it begins, and where it must end */
    uint32_t zero;        /* so that the compiler can't know that all lanes read one address */
} chain;

/* What one lane moves. */
typedef struct route {
    int from, to;
    char *arrived; /* on GPU `to` */
} route;

typedef struct peer_state {
    fx_gpus gpus;
    fx_multi_gpu together;
    route routes[FX_MOST_LANES]; /* lane by lane; the first is the pair that counts */
    char *data[FX_MOST_GPUS];    /* what GPU i sends */
    char *primed[FX_MOST_GPUS];  /* where a copy goes that only wakes the engine */
    size_t bytes;
    int64_t mover;
    const void *kernel; /* that moves; NULL: a copy engine does */
    /* Of a chase. */
    fx_timed_buffer buffer;
    uint32_t *order; /* order[k] is the k-th place of the cycle */
    uint32_t places;
} peer_state;

static uint64_t seed_of(int gpu) {
    return PATTERN_SEED + 1 + (uint64_t)gpu;
}

static void give_state(fx_rig *rig, void *what, size_t bytes) {
    peer_state *s = (peer_state *)what;
    if (s->gpus.home) {
        for (size_t i = 0; i < s->together.count; i++) {
            fx_gpus_free(&s->gpus, s->routes[i].to, s->routes[i].arrived, s->bytes);
        }
        for (int i = 0; i < FX_MOST_GPUS; i++) {
            fx_gpus_free(&s->gpus, i, s->data[i], s->bytes);
            fx_gpus_free(&s->gpus, i, s->primed[i], PRIME_BYTES);
        }
        fx_timed_close(&s->buffer);
        fx_multi_gpu_close(&s->together);
        fx_gpus_close(&s->gpus);
    }
}

static bool source_works(int64_t mover) {
    return mover == PUSH || mover == STORE || mover == ATOMIC || mover == STAGED;
}

/* Moving. */

static fx_status wake(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    const peer_state *s = (const peer_state *)context;
    const route *r = &s->routes[which];
    if (s->mover == PUSH || s->mover == PULL) { /* from a kernel to a copy a stream goes to another engine */
        FX_TRY_CUDA(cudaMemcpyPeerAsync(s->primed[r->to], r->to, s->data[r->from], r->from,
                                        s->bytes < PRIME_BYTES ? s->bytes : (size_t)PRIME_BYTES, lane->stream));
    }
    return FX_OK;
}

static fx_status move(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    const peer_state *s = (const peer_state *)context;
    const route *r = &s->routes[which];
    const fx_gpu *gpu = s->gpus.at[lane->gpu];
    const dim3 grid = {(unsigned)gpu->facts.sm_count * BLOCKS_PER_SM, 1, 1}, block = {THREADS, 1, 1};
    char *to = r->arrived, *from = s->data[r->from];
    size_t units = s->mover == ATOMIC ? s->bytes / sizeof(uint32_t) : s->bytes / QUAD_BYTES;
    void *arguments[] = {&to, &from, &units};
    if (s->kernel) {
        FX_TRY_CUDA(cudaLaunchKernel(s->kernel, grid, block, arguments, 0, lane->stream));
    } else {
        FX_TRY_CUDA(cudaMemcpyPeerAsync(to, r->to, from, r->from, s->bytes, lane->stream));
    }
    return FX_OK;
}

/* What arrives is there only if it came now: words with no right byte, or zeros to which is added. */
static fx_status wipe(const peer_state *s, fx_error *err) {
    for (size_t i = 0; i < s->together.count; i++) {
        const route *r = &s->routes[i];
        FX_TRY(fx_gpus_use(&s->gpus, r->to, err));
        FX_TRY_CUDA(cudaMemsetAsync(r->arrived, s->mover == ATOMIC ? 0 : 0xa5, s->bytes, s->gpus.at[r->to]->stream));
    }
    for (size_t i = 0; i < s->together.count; i++) {
        FX_TRY_CUDA(cudaStreamSynchronize(s->gpus.at[s->routes[i].to]->stream));
    }
    return FX_OK;
}

static fx_status check(const peer_state *s, fx_error *err) {
    for (size_t i = 0; i < s->together.count; i++) {
        const route *r = &s->routes[i];
        FX_TRY(fx_gpus_use(&s->gpus, r->to, err));
        FX_TRY(fx_gpu_verify(s->gpus.at[r->to], r->arrived, s->bytes / 4, seed_of(r->from), err));
    }
    return FX_OK;
}

static fx_status sample_move(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    peer_state *s = *FX_ARGUMENT(rig, peer_state *);
    FX_TRY(wipe(s, err));
    FX_TRY(fx_multi_gpu_run(&s->together, 0, s->together.count, &out->flags, err));
    out->value = s->together.lane[0].ns;
    out->extra[EXTRA_PAIR] = rate_GBps(s->bytes, out->value);
    out->extra[EXTRA_SUM] = 0;
    out->extra[EXTRA_LEAST] = (double)INFINITY;
    for (size_t i = 0; i < s->together.count; i++) {
        const double rate = rate_GBps(s->bytes, s->together.lane[i].ns);
        out->extra[EXTRA_SUM] += rate;
        out->extra[EXTRA_LEAST] = fmin(out->extra[EXTRA_LEAST], rate);
    }
    return fx_gpus_home_after(&s->gpus, check(s, err), err);
}

static bool moves_too(const fx_params *p, int from, int to) {
    const int64_t source = p->value[FROM_GPU], destination = p->value[TO_GPU];
    const int64_t traffic = p->value[TRAFFIC];
    return traffic == BOTH         ? from == destination && to == source
           : traffic == ONE_TO_ALL ? from == source
           : traffic == ALL_TO_ONE ? to == destination
                                   : traffic == ALL_PAIRS;
}

static fx_status add_route(peer_state *s, int from, int to, fx_error *err) {
    const size_t which = s->together.count;
    FX_TRY(fx_multi_gpu_add(&s->together, source_works(s->mover) ? from : to, err));
    s->routes[which] = (route){.from = from, .to = to};
    s->together.lane[which].repeats = which == 0 || s->mover == ATOMIC ? 1 : OTHERS_REPEAT;
    FX_TRY(fx_gpus_memory(&s->gpus, to, s->bytes, &s->routes[which].arrived, err));
    if (!s->primed[to]) {
        FX_TRY(fx_gpus_memory(&s->gpus, to, PRIME_BYTES, &s->primed[to], err));
    }
    if (!s->data[from]) {
        FX_TRY(fx_gpus_memory(&s->gpus, from, s->bytes, &s->data[from], err));
        FX_TRY(fx_gpus_use(&s->gpus, from, err));
        FX_TRY(fx_gpu_fill(s->gpus.at[from], s->data[from], s->bytes / 4, seed_of(from), err));
        FX_TRY(fx_gpu_wait(s->gpus.at[from], err));
    }
    if (s->mover != STAGED) {
        FX_TRY(fx_gpus_map(&s->gpus, from, to, err));
        FX_TRY(fx_gpus_map(&s->gpus, to, from, err));
    }
    return FX_OK;
}

static fx_status arrange_move(fx_rig *rig, const fx_params *p, peer_state *s, fx_error *err) {
    const int source = (int)p->value[FROM_GPU], destination = (int)p->value[TO_GPU];
    FX_TRY(fx_multi_gpu_open(&s->gpus, &s->together, err));
    s->together.context = s;
    s->together.queue = move;
    s->together.prime = wake;
    FX_TRY(add_route(s, source, destination, err));
    for (int from = 0; from < s->gpus.count; from++) {
        for (int to = 0; to < s->gpus.count; to++) {
            if (from != to && !(from == source && to == destination) && moves_too(p, from, to)) {
                FX_TRY(add_route(s, from, to, err));
            }
        }
    }
    s->kernel = rig->work->entry.address;
    rig->sample = sample_move;
    rig->warps = (unsigned)THREADS / (unsigned)FX_WARP;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count * BLOCKS_PER_SM;
    return FX_OK;
}

/* Chasing. */

static fx_status sample_chase(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    peer_state *s = *FX_ARGUMENT(rig, peer_state *);
    const int reader = (int)c->params.value[TO_GPU];
    char *data = s->data[c->params.value[FROM_GPU]];
    fx_timed timed = fx_timed_argument(&s->buffer, fx_rig_trips(rig, rig->trip_cycles), rig->warm_trips);
    const uint64_t first = fx_random_below(&seed, s->places);
    const uint64_t last = (first + fx_timed_steps(&timed, FX_CHAIN_STEPS, s->places)) % s->places;
    const chain ring = {.first = (uint64_t)(data + (size_t)s->order[first] * FX_LINE_BYTES),
                        .last = (uint64_t)(data + (size_t)s->order[last] * FX_LINE_BYTES),
                        .zero = 0};
    void *arguments[] = {&timed, (void *)&ring};
    FX_TRY(fx_gpus_use(&s->gpus, reader, err));
    const fx_status status = fx_timed_sample(s->gpus.at[reader], &s->buffer, rig->work->entry.address, 0, arguments,
                                             &timed, FX_CHAIN_STEPS, out, err);
    return fx_gpus_home_after(&s->gpus, status, err);
}

/* On the GPU whose memory it is. */
static fx_status lay_ring(fx_rig *rig, peer_state *s, int where, fx_error *err) {
    const size_t bytes = s->places * sizeof *s->order;
    const fx_gpu *gpu = s->gpus.at[where];
    uint32_t *order = NULL;
    void *arguments[] = {&s->data[where], &order, &s->places};
    const dim3 grid = {(unsigned)gpu->facts.sm_count, 1, 1}, block = {256, 1, 1};
    const fx_kernel *lay = NULL;
    fx_status status;
    FX_GO(fx_kernel_find(rig->c->probe, &rig->c->params, FX_AID, "lay", &lay, err));
    FX_GO(fx_rig_memory(rig, &s->order, FX_HOST_MEMORY, bytes, 0, err));
    fx_random_order(seed_of(where), s->order, s->places);
    FX_GO(fx_gpus_memory(&s->gpus, where, bytes, &order, err));
    FX_GO(fx_gpus_use(&s->gpus, where, err));
    FX_CUDA(cudaMemcpyAsync(order, s->order, bytes, cudaMemcpyHostToDevice, gpu->stream));
    FX_CUDA(cudaLaunchKernel(lay->entry.address, grid, block, arguments, 0, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
cleanup:
    fx_gpus_free(&s->gpus, where, order, bytes);
    return status;
}

static fx_status arrange_chase(fx_rig *rig, const fx_params *p, peer_state *s, fx_error *err) {
    const int source = (int)p->value[FROM_GPU], reader = (int)p->value[TO_GPU];
    s->places = (uint32_t)(s->bytes / FX_LINE_BYTES);
    rig->sample = sample_chase;
    rig->warps = 1;
    rig->accesses = FX_CHAIN_STEPS;
    rig->pass_cycles = CHASE_CYCLES;
    rig->trip_cycles = FX_CHAIN_STEPS * LINK_CYCLES;
    rig->warm_trips = (s->places < 4096 ? s->places : 4096) / FX_CHAIN_STEPS + 1;
    FX_TRY(fx_gpus_memory(&s->gpus, source, s->bytes, &s->data[source], err));
    FX_TRY(lay_ring(rig, s, source, err));
    FX_TRY(fx_gpus_map(&s->gpus, reader, source, err));
    FX_TRY(fx_gpus_use(&s->gpus, reader, err));
    return fx_timed_open(&s->buffer, 1, 1, 1, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const unsigned all = (1u << rig->gpu->facts.gpu_count) - 1;
    const unsigned pair = 1u << p->value[FROM_GPU] | 1u << p->value[TO_GPU];
    peer_state *s;
    FX_TRY(fx_rig_memory(rig, &s, FX_HOST_MEMORY, sizeof *s, 0, err));
    *FX_ARGUMENT(rig, peer_state *) = s;
    s->bytes = (size_t)p->value[SIZE];
    s->mover = p->value[MOVER];
    FX_TRY(fx_rig_keep(rig, s, give_state, err));
    FX_TRY(fx_gpus_open(rig->gpu, p->value[TRAFFIC] > BOTH ? all : pair, &s->gpus, err));
    /* after a failure give_state comes home */
    FX_TRY(p->value[TASK] == CHASE ? arrange_chase(rig, p, s, err) : arrange_move(rig, p, s, err));
    return fx_gpus_home(&s->gpus, err);
}
