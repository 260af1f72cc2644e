/* peer: what does it cost to reach the memory of another GPU of the host?
 *
 * Method: one GPU copies from or to the other's memory, by its copy engine or by a kernel of its own, timed by events
 * of the GPU that does the work. Other pairs may be at work beside it: all are held by one latch, begin together, and
 * go on until the pair that counts is done. A chain of loads, or of atomics, of one warp of the reader's gives the
 * latency in cycles. What arrives is random and checked word by word. What can fool it: see README.md. */
#include "core/probe.h"

enum { TASK, MOVER, TRAFFIC, FROM_GPU, TO_GPU, SIZE };
enum { MOVE, CHASE };
enum { PUSH, PULL, STORE, LOAD, ATOMIC, STAGED };
enum { ALONE, BOTH, ONE_TO_ALL, ALL_TO_ONE, ALL_PAIRS };
enum { MOVE_NS, ACCESS_CYCLES };
enum { EXTRA_PAIR, EXTRA_SUM, EXTRA_LEAST };
enum { PAIR_BYTES = 256 << 20, CHASE_BYTES = 64 << 10, MOST_CHASE_BYTES = 1 << 30, LINE_BYTES = 128 };
enum { LEAST_FITTED_BYTES = 4 << 10 };

static const fx_axis axes[] = {
    {"task", "", "move bytes, or chase links by dependent accesses of one warp", "move chase", 0, 0, MOVE},
    {"mover", "",
     "copy engine of the source (push) or of the destination (pull); SMs of the source (store, atomic) or of the "
     "destination (load); a copy without mapping each other's memory (staged)",
     "push pull store load atomic staged", 0, 0, PUSH},
    {"traffic", "",
     "pairs that move at once: the one; it and its way back; the source to all; all to the destination; all of them",
     "alone both one_to_all all_to_one all_pairs", 0, 0, ALONE},
    {"from_gpu", "", "index of the GPU whose memory is read, or chased through", NULL, 0, FX_MOST_GPUS - 1, 0},
    {"to_gpu", "", "index of the GPU whose memory is written, or whose SM chases", NULL, 0, FX_MOST_GPUS - 1, 1},
    {"size", "bytes", "bytes of a pair, or that the links of a chase lie in", NULL, 4 << 10, 1 << 30, PAIR_BYTES},
};

#define ANY_PAIR "from_gpu=0:7 to_gpu=0:7"

static const fx_sweep sweeps[] = {
    {"size", "task=move mover=push,pull,store,load,staged traffic=alone from_gpu=0 to_gpu=1 size=4Ki:1Gi:*4",
     "task=move mover=push,load traffic=alone from_gpu=0 to_gpu=1 size=64Ki,4Mi,256Mi"},
    {"atomic", "task=move mover=atomic traffic=alone from_gpu=0 to_gpu=1 size=64Ki,1Mi,16Mi,64Mi", NULL},
    {"pairs", "task=move mover=push,pull,store,load traffic=alone " ANY_PAIR " size=256Mi",
     "task=move mover=push traffic=alone " ANY_PAIR " size=256Mi"},
    {"both", "task=move mover=push,pull,store,load traffic=both " ANY_PAIR " size=256Mi",
     "task=move mover=push traffic=both " ANY_PAIR " size=256Mi"},
    {"from_one", "task=move mover=push,store traffic=one_to_all " ANY_PAIR " size=256Mi", NULL},
    {"to_one", "task=move mover=push,store traffic=all_to_one " ANY_PAIR " size=256Mi", NULL},
    {"all", "task=move mover=push,load traffic=all_pairs " ANY_PAIR " size=256Mi",
     "task=move mover=push traffic=all_pairs " ANY_PAIR " size=256Mi"},
    {"latency", "task=chase mover=load,atomic " ANY_PAIR " size=64Ki", "task=chase mover=load " ANY_PAIR " size=64Ki"},
    {"footprint", "task=chase mover=load from_gpu=0 to_gpu=0,1 size=64Ki,1Mi,16Mi,256Mi", NULL},
};

static const fx_metric metrics[] = {
    {"move_ns", "ns", FX_GPU_NS, false, "transfer of the pair"},
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "dependent access"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double bytes = (double)params->value[SIZE];
    (void)facts, (void)table;
    if (params->value[TASK] == CHASE) {
        out->metric = ACCESS_CYCLES;
        out->useful_bytes = 8;
        return;
    }
    out->metric = MOVE_NS;
    out->law = "bytes";
    out->count = bytes;
    out->useful_bytes = bytes;
    out->in_fit = params->value[TRAFFIC] == ALONE && params->value[SIZE] >= LEAST_FITTED_BYTES;
    out->why_not = out->in_fit ? NULL : "the line t0 + V/B is that of a pair alone";
    fx_prediction_count(out, "bytes", bytes);
}

/* With two GPUs some names mean the same. With one, a few cases stay, to say that there is none. */
static bool present(const fx_facts *facts, const fx_params *params) {
    const int64_t from = params->value[FROM_GPU], to = params->value[TO_GPU], traffic = params->value[TRAFFIC];
    if (facts->gpu_count < 2) {
        return params->value[TASK] == MOVE
                   ? traffic == ALONE && from == 0 && to == 1 && params->value[SIZE] == PAIR_BYTES
                   : from == 0 && to <= 1 && params->value[SIZE] == CHASE_BYTES;
    }
    return from < facts->gpu_count && to < facts->gpu_count && (from != to || params->value[TASK] == CHASE) &&
           (traffic <= BOTH || facts->gpu_count > 2);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], mover = params->value[MOVER], traffic = params->value[TRAFFIC];
    const int64_t from = params->value[FROM_GPU], to = params->value[TO_GPU];
    if (params->value[SIZE] % LINE_BYTES != 0) {
        return "size must be a multiple of 128";
    }
    if (task == CHASE && (traffic != ALONE || (mover != LOAD && mover != ATOMIC))) {
        return "task=chase needs mover=load or mover=atomic, and traffic=alone";
    }
    if (task == MOVE && from == to) {
        return "task=move needs two GPUs: from_gpu must not be to_gpu";
    }
    if (from >= facts->gpu_count || to >= facts->gpu_count) {
        return facts->gpu_count < 2 ? "the device is the only GPU that this process may use"
                                    : "from_gpu and to_gpu: the device has fewer GPUs beside it";
    }
    if (mover == ATOMIC && task == MOVE && traffic > BOTH) {
        return "mover=atomic needs traffic=alone or traffic=both";
    }
    if (mover == STAGED && traffic != ALONE) {
        return "mover=staged needs traffic=alone";
    }
    if (from != to && mover != STAGED && !((facts->reaches[from] >> to & 1) && (facts->reaches[to] >> from & 1))) {
        return "these two GPUs can't map each other's memory";
    }
    if (mover == ATOMIC && !((facts->adds[from] >> to & 1) && (facts->adds[to] >> from & 1))) {
        return "atomics of these two GPUs don't work in each other's memory";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include <math.h>
#include <string.h>

#include "../arrival.h"
#include "gpu/rig.h"
#include "gpu/timed.cuh"
#include "gpu/together.h"

enum { THREADS = 512, BLOCKS_PER_SM = 4, UNROLLED = 4, PRIME_BYTES = 64 << 10 };
enum { LINK_CYCLES = 1000, CHASE_CYCLES = 400000, OTHERS_REPEAT = 2 };

/* Words through the SM, past the L1, as many loads in flight as there are places in the loop. */
__global__ static void copy_quads(uint4 *to, const uint4 *from, size_t quads) {
    const size_t step = (size_t)gridDim.x * blockDim.x, first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t i = first;
    for (; i + (UNROLLED - 1) * step < quads; i += UNROLLED * step) {
        uint4 quad[UNROLLED];
#pragma unroll
        for (int u = 0; u < UNROLLED; u++) {
            quad[u] = __ldcg(from + i + u * step);
        }
#pragma unroll
        for (int u = 0; u < UNROLLED; u++) {
            to[i + u * step] = quad[u];
        }
    }
    for (; i < quads; i += step) {
        to[i] = __ldcg(from + i);
    }
}

/* One addition per word, each for the whole system: the answer is not waited for. */
__global__ static void add_words(uint32_t *to, const uint32_t *from, size_t words) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += step) {
        asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(to + i), "r"(__ldcg(from + i)) : "memory");
    }
}

/* A cycle through all lines of the buffer; each link is the address of the next one. */
__global__ static void lay(char *data, const uint32_t *order, uint32_t places) {
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < places; k += gridDim.x * blockDim.x) {
        *(uint64_t *)(data + (size_t)order[k] * LINE_BYTES) =
            (uint64_t)(data + (size_t)order[k + 1 < places ? k + 1 : 0] * LINE_BYTES);
    }
}

typedef struct chain {
    uint64_t first, last; /* where it begins, and where it must end */
    uint32_t zero;        /* so that the compiler can't know that all lanes read one address */
} chain;

/* One warp's dependent accesses past all caches of this side: loads, or atomics that add nothing. */
template <int MOVER_> __global__ void chase(const __grid_constant__ fx_timed timed, const __grid_constant__ chain c) {
    uint64_t at = c.first + threadIdx.x * c.zero;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t) {
#pragma unroll
            for (int a = 0; a < FX_CHAIN_STEPS; a++) {
                if (MOVER_ == LOAD) {
                    asm volatile("ld.relaxed.sys.global.u64 %0, [%0];" : "+l"(at)::"memory");
                } else {
                    asm volatile("atom.relaxed.sys.global.or.b64 %0, [%0], 0;" : "+l"(at)::"memory");
                }
            }
        },
        [&] { fx_consume((uint32_t)at); });
    fx_timed_end(timed, marks, FX_ALL_LANES, at != c.last);
}

/* What one lane moves. */
typedef struct route {
    int from, to;
    char *arrived; /* on GPU `to` */
} route;

typedef struct state {
    fx_gpus gpus;
    fx_together together;
    route routes[FX_MOST_LANES]; /* lane by lane; the first is the pair that counts */
    char *data[FX_MOST_GPUS];    /* what GPU i sends */
    char *primed[FX_MOST_GPUS];  /* where a copy goes that only wakes the engine */
    size_t bytes;
    int64_t mover;
    /* Of a chase. */
    fx_timed_buffer buffer;
    uint32_t *order; /* order[k] is the k-th place of the cycle */
    uint32_t places;
} state;

static uint64_t seed_of(int gpu) {
    return PATTERN_SEED + 1 + (uint64_t)gpu;
}

static void give_state(fx_rig *rig, void *what, size_t bytes) {
    state *s = (state *)what;
    (void)rig, (void)bytes;
    if (s->gpus.home) {
        for (size_t i = 0; i < s->together.count; i++) {
            fx_gpus_free(&s->gpus, s->routes[i].to, s->routes[i].arrived, s->bytes);
        }
        for (int i = 0; i < FX_MOST_GPUS; i++) {
            fx_gpus_free(&s->gpus, i, s->data[i], s->bytes);
            fx_gpus_free(&s->gpus, i, s->primed[i], PRIME_BYTES);
        }
        fx_timed_close(&s->buffer);
        fx_together_close(&s->together);
        fx_gpus_close(&s->gpus);
    }
}

static bool source_works(int64_t mover) {
    return mover == PUSH || mover == STORE || mover == ATOMIC || mover == STAGED;
}

/* Moving. */

static fx_status wake(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    const state *s = (const state *)context;
    const route *r = &s->routes[which];
    fx_status status = FX_OK;
    (void)lane;
    if (s->mover == PUSH || s->mover == PULL) { /* from a kernel to a copy a stream goes to another engine */
        FX_CUDA(cudaMemcpyPeerAsync(s->primed[r->to], r->to, s->data[r->from], r->from,
                                    s->bytes < PRIME_BYTES ? s->bytes : (size_t)PRIME_BYTES, lane->stream));
    }
cleanup:
    return status;
}

static fx_status move(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    const state *s = (const state *)context;
    const route *r = &s->routes[which];
    const fx_gpu *gpu = s->gpus.at[lane->gpu];
    const dim3 grid((unsigned)gpu->facts.sm_count * BLOCKS_PER_SM, 1, 1), block(THREADS, 1, 1);
    char *to = r->arrived, *from = s->data[r->from];
    size_t units = s->mover == ATOMIC ? s->bytes / sizeof(uint32_t) : s->bytes / sizeof(uint4);
    void *arguments[] = {&to, &from, &units};
    fx_status status = FX_OK;
    if (s->mover == STORE || s->mover == LOAD) {
        FX_CUDA(cudaLaunchKernel((const void *)copy_quads, grid, block, arguments, 0, lane->stream));
    } else if (s->mover == ATOMIC) {
        FX_CUDA(cudaLaunchKernel((const void *)add_words, grid, block, arguments, 0, lane->stream));
    } else {
        FX_CUDA(cudaMemcpyPeerAsync(to, r->to, from, r->from, s->bytes, lane->stream));
    }
cleanup:
    return status;
}

/* What arrives is there only if it came now: words of which no byte is right, or zeros to which is added. */
static fx_status wipe(const state *s, fx_error *err) {
    fx_status status = FX_OK;
    for (size_t i = 0; i < s->together.count; i++) {
        const route *r = &s->routes[i];
        status = fx_gpus_use(&s->gpus, r->to, err);
        if (status != FX_OK) {
            return status;
        }
        FX_CUDA(cudaMemsetAsync(r->arrived, s->mover == ATOMIC ? 0 : 0xa5, s->bytes, s->gpus.at[r->to]->stream));
    }
    for (size_t i = 0; i < s->together.count; i++) {
        FX_CUDA(cudaStreamSynchronize(s->gpus.at[s->routes[i].to]->stream));
    }
cleanup:
    return status;
}

static fx_status check(const state *s, fx_error *err) {
    fx_status status = FX_OK;
    for (size_t i = 0; i < s->together.count && status == FX_OK; i++) {
        const route *r = &s->routes[i];
        status = fx_gpus_use(&s->gpus, r->to, err);
        if (status == FX_OK) {
            status = fx_gpu_verify(s->gpus.at[r->to], r->arrived, s->bytes / 4, seed_of(r->from), err);
        }
    }
    const fx_status home = fx_gpus_home(&s->gpus, status == FX_OK ? err : NULL);
    return status == FX_OK ? home : status;
}

static fx_status sample_move(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    state *s = *FX_ARGUMENT(rig, state *);
    (void)c, (void)seed;
    fx_status status = wipe(s, err);
    if (status == FX_OK) {
        status = fx_together_run(&s->together, 0, s->together.count, &out->flags, err);
    }
    if (status != FX_OK) {
        return status;
    }
    out->value = s->together.lane[0].ns;
    out->extra[EXTRA_PAIR] = rate_GBps(s->bytes, out->value);
    out->extra[EXTRA_SUM] = 0;
    out->extra[EXTRA_LEAST] = (double)INFINITY;
    for (size_t i = 0; i < s->together.count; i++) {
        const double rate = rate_GBps(s->bytes, s->together.lane[i].ns);
        out->extra[EXTRA_SUM] += rate;
        out->extra[EXTRA_LEAST] = fmin(out->extra[EXTRA_LEAST], rate);
    }
    return check(s, err);
}

static bool moves_too(const fx_params *p, int from, int to) {
    const int64_t source = p->value[FROM_GPU], destination = p->value[TO_GPU];
    switch (p->value[TRAFFIC]) {
    case ALONE:
        return false;
    case BOTH:
        return from == destination && to == source;
    case ONE_TO_ALL:
        return from == source;
    case ALL_TO_ONE:
        return to == destination;
    default:
        return true;
    }
}

static fx_status add_route(state *s, int from, int to, fx_error *err) {
    const size_t which = s->together.count;
    fx_status status = fx_together_add(&s->together, source_works(s->mover) ? from : to, err);
    if (status != FX_OK) {
        return status;
    }
    s->routes[which] = (route){.from = from, .to = to};
    s->together.lane[which].repeats = which == 0 || s->mover == ATOMIC ? 1 : OTHERS_REPEAT;
    status = fx_gpus_memory(&s->gpus, to, s->bytes, &s->routes[which].arrived, err);
    if (status == FX_OK && !s->primed[to]) {
        status = fx_gpus_memory(&s->gpus, to, PRIME_BYTES, &s->primed[to], err);
    }
    if (status == FX_OK && !s->data[from]) {
        status = fx_gpus_memory(&s->gpus, from, s->bytes, &s->data[from], err);
        if (status == FX_OK) {
            status = fx_gpus_use(&s->gpus, from, err);
        }
        if (status == FX_OK) {
            status = fx_gpu_fill(s->gpus.at[from], s->data[from], s->bytes / 4, seed_of(from), err);
        }
        if (status == FX_OK) {
            FX_CUDA(cudaStreamSynchronize(s->gpus.at[from]->stream));
        }
    }
    if (status == FX_OK && s->mover != STAGED) {
        status = fx_gpus_map(&s->gpus, from, to, err);
    }
    if (status == FX_OK && s->mover != STAGED) {
        status = fx_gpus_map(&s->gpus, to, from, err);
    }
cleanup:
    (void)fx_gpus_home(&s->gpus, NULL);
    return status;
}

static fx_status arrange_move(fx_rig *rig, const fx_params *p, state *s, fx_error *err) {
    const int source = (int)p->value[FROM_GPU], destination = (int)p->value[TO_GPU];
    fx_status status = fx_together_open(&s->gpus, &s->together, err);
    s->together.context = s;
    s->together.queue = move;
    s->together.prime = wake;
    if (status == FX_OK) {
        status = add_route(s, source, destination, err);
    }
    for (int from = 0; from < s->gpus.count && status == FX_OK; from++) {
        for (int to = 0; to < s->gpus.count && status == FX_OK; to++) {
            if (from != to && !(from == source && to == destination) && moves_too(p, from, to)) {
                status = add_route(s, from, to, err);
            }
        }
    }
    rig->sample = sample_move;
    rig->warps = (unsigned)THREADS / (unsigned)FX_WARP;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count * BLOCKS_PER_SM;
    return status;
}

/* Chasing. */

static fx_status sample_chase(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    state *s = *FX_ARGUMENT(rig, state *);
    const int reader = (int)c->params.value[TO_GPU];
    char *data = s->data[c->params.value[FROM_GPU]];
    fx_timed timed = fx_timed_argument(&s->buffer, fx_rig_trips(rig, rig->trip_cycles), rig->warm_trips);
    const uint64_t first = fx_random_below(&seed, s->places);
    const uint64_t last = (first + fx_timed_steps(&timed, FX_CHAIN_STEPS, s->places)) % s->places;
    const chain ring = {.first = (uint64_t)(data + (size_t)s->order[first] * LINE_BYTES),
                        .last = (uint64_t)(data + (size_t)s->order[last] * LINE_BYTES),
                        .zero = 0};
    void *arguments[] = {&timed, (void *)&ring};
    fx_status status = fx_gpus_use(&s->gpus, reader, err);
    if (status == FX_OK) {
        status = fx_timed_sample(s->gpus.at[reader], &s->buffer, rig->work->entry.address, 0, arguments, &timed,
                                 FX_CHAIN_STEPS, out, err);
    }
    const fx_status home = fx_gpus_home(&s->gpus, status == FX_OK ? err : NULL);
    return status == FX_OK ? home : status;
}

/* On the GPU whose memory it is. */
static fx_status lay_ring(fx_rig *rig, state *s, int where, fx_error *err) {
    const size_t bytes = s->places * sizeof *s->order;
    const fx_gpu *gpu = s->gpus.at[where];
    uint32_t *order = NULL;
    void *arguments[] = {&s->data[where], &order, &s->places};
    const dim3 grid((unsigned)gpu->facts.sm_count, 1, 1), block(256, 1, 1);
    fx_status status = fx_rig_memory(rig, &s->order, FX_HOST_MEMORY, bytes, 0, err);
    if (status == FX_OK) {
        fx_random_order(seed_of(where), s->order, s->places);
        status = fx_gpus_memory(&s->gpus, where, bytes, &order, err);
    }
    if (status == FX_OK) {
        status = fx_gpus_use(&s->gpus, where, err);
    }
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaMemcpyAsync(order, s->order, bytes, cudaMemcpyHostToDevice, gpu->stream));
    FX_CUDA(cudaLaunchKernel((const void *)lay, grid, block, arguments, 0, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
cleanup:
    fx_gpus_free(&s->gpus, where, order, bytes);
    (void)fx_gpus_home(&s->gpus, NULL);
    return status;
}

static fx_status arrange_chase(fx_rig *rig, const fx_params *p, state *s, fx_error *err) {
    const int source = (int)p->value[FROM_GPU], reader = (int)p->value[TO_GPU];
    s->places = (uint32_t)(s->bytes / LINE_BYTES);
    fx_status status = fx_gpus_memory(&s->gpus, source, s->bytes, &s->data[source], err);
    if (status == FX_OK) {
        status = lay_ring(rig, s, source, err);
    }
    if (status == FX_OK) {
        status = fx_gpus_map(&s->gpus, reader, source, err);
    }
    if (status == FX_OK) {
        status = fx_gpus_use(&s->gpus, reader, err);
    }
    if (status == FX_OK) {
        status = fx_timed_open(&s->buffer, 1, 1, 1, err);
    }
    (void)fx_gpus_home(&s->gpus, NULL);
    rig->sample = sample_chase;
    rig->warps = 1;
    rig->accesses = FX_CHAIN_STEPS;
    rig->pass_cycles = CHASE_CYCLES;
    rig->trip_cycles = FX_CHAIN_STEPS * LINK_CYCLES;
    rig->warm_trips = (s->places < 4096 ? s->places : 4096) / FX_CHAIN_STEPS + 1;
    return status;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const unsigned all = (1u << rig->gpu->facts.gpu_count) - 1;
    const unsigned pair = 1u << p->value[FROM_GPU] | 1u << p->value[TO_GPU];
    state *s;
    fx_status status = fx_rig_memory(rig, &s, FX_HOST_MEMORY, sizeof *s, 0, err);
    if (status == FX_OK) {
        *FX_ARGUMENT(rig, state *) = s;
        s->bytes = (size_t)p->value[SIZE];
        s->mover = p->value[MOVER];
        status = fx_rig_keep(rig, s, give_state, err);
    }
    if (status == FX_OK) {
        status = fx_gpus_open(rig->gpu, p->value[TRAFFIC] > BOTH ? all : pair, &s->gpus, err);
    }
    if (status == FX_OK) {
        status = p->value[TASK] == CHASE ? arrange_chase(rig, p, s, err) : arrange_move(rig, p, s, err);
    }
    return status;
}
#endif

static const fx_kernel kernels[] = {
    {"task=move mover=store,load", FX_K(copy_quads), FX_WORK, 0, {{"LDG.E.128.STRONG.GPU", 0}, {"STG.E.128", 0}}},
    {"task=move mover=atomic", FX_K(add_words), FX_WORK, 0, {{"LDG.E.STRONG.GPU", 0}, {"RED.E.ADD.STRONG.SYS", 0}}},
    {"task=move mover=push,pull,staged", FX_NO_KERNEL, FX_WORK, 0, {{0}}},
    {"task=chase mover=load", FX_K(chase, LOAD), FX_WORK, 0, {{"LDG.E.64.STRONG.SYS", 61}}},
    {"task=chase mover=atomic", FX_K(chase, ATOMIC), FX_WORK, 0, {{"ATOMG.E.OR.64.STRONG.SYS", 61}}},
    {"task=chase", FX_K(lay), FX_AID, 0, {{0}}},
};

static const fx_probe peer = {
    .contract = FX_PROBE_CONTRACT,
    .name = "peer",
    .question = "What does it cost to reach the memory of another GPU of the host?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "task mover traffic from_gpu to_gpu",
    .extras = "pair_GBps sum_GBps least_GBps",
    .law = law,
    .present = present,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    FX_TABLE(kernels),
};

FX_PROBE(peer)
