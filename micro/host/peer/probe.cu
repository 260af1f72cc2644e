/* peer: what does it cost to reach the memory of another GPU of the host? Method: events of the GPU that does the work;
 * all pairs at work are held by one latch, begin together, and go on until the pair that counts is done. A chain of one
 * warp of the reader's gives the latency. What arrives is checked word by word. */
#include "core/probe.h"

#include "cases.h"

static const fx_axis axes[] = {
    {"task", "", "move bytes, or chase links by dependent accesses of one warp", "move chase", 0, 0, MOVE},
    {"mover", "",
     "copy engine of the source (push) or of the destination (pull); SMs of the source (store, atomic) or of the "
     "destination (load); a copy without mapping each other's memory (staged)",
     "push pull store load atomic staged", 0, 0, PUSH},
    {"traffic", "",
     "pairs that move data at once: one; both directions of one; the source to all; all to the destination; all pairs",
     "alone both one_to_all all_to_one all_pairs", 0, 0, ALONE},
    {"from_gpu", "", "index of the GPU whose memory is read, or chased through", NULL, 0, FX_MOST_GPUS - 1, 0},
    {"to_gpu", "", "index of the GPU whose memory is written, or whose SM chases", NULL, 0, FX_MOST_GPUS - 1, 1},
    {"size", "bytes", "bytes per pair, or bytes that hold the links of a chase", NULL, 4 << 10, 1 << 30, PAIR_BYTES},
};

#define ANY_PAIR "from_gpu=0:7 to_gpu=0:7"

static const fx_sweep sweeps[] = {
    {"size", "task=move mover=push,pull,store,load traffic=alone from_gpu=0 to_gpu=1 size=4Ki:1Gi:*4",
     "task=move mover=push,load traffic=alone from_gpu=0 to_gpu=1 size=64Ki,4Mi,256Mi"},
    {"staged", "task=move mover=staged traffic=alone from_gpu=0 to_gpu=1 size=4Ki:256Mi:*4", NULL},
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
    if (params->value[TASK] == CHASE) {
        out->metric = ACCESS_CYCLES;
        out->useful_bytes = 8;
        return;
    }
    out->metric = MOVE_NS;
    out->law = "bytes";
    out->count = bytes;
    out->useful_bytes = bytes;
    out->why_not = params->value[TRAFFIC] == ALONE && params->value[SIZE] >= LEAST_FITTED_BYTES
                       ? NULL
                       : "the line t0 + V/B is that of a pair alone";
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
    return params->value[SIZE] % FX_LINE_BYTES != 0 ? "size must be a multiple of 128"
           : task == CHASE && (traffic != ALONE || (mover != LOAD && mover != ATOMIC))
               ? "task=chase needs mover=load or mover=atomic, and traffic=alone"
           : task == MOVE && from == to ? "task=move needs two GPUs: from_gpu must not be to_gpu"
           : from >= facts->gpu_count || to >= facts->gpu_count
               ? facts->gpu_count < 2 ? "the device is the only GPU that this process can use"
                                      : "from_gpu and to_gpu: the host has fewer GPUs"
           : mover == ATOMIC && task == MOVE && traffic > BOTH ? "mover=atomic needs traffic=alone or traffic=both"
           : mover == STAGED && traffic != ALONE               ? "mover=staged needs traffic=alone"
           : mover == STAGED && params->value[SIZE] > PAIR_BYTES
               ? "mover=staged needs size up to 268435456: the call waits for larger ones"
           : from != to && mover != STAGED && !((facts->reaches[from] >> to & 1) && (facts->reaches[to] >> from & 1))
               ? "these two GPUs can't map each other's memory"
           : mover == ATOMIC && !((facts->adds[from] >> to & 1) && (facts->adds[to] >> from & 1))
               ? "atomics of these two GPUs do not work on each other's memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/timed.cuh"
#include "moves.h"

enum { UNROLLED = 4 };

/* Pascal has no such word, and orders no more without it. */
#if __CUDA_ARCH__ >= 700
#define RELAXED      ".relaxed"
#define LOAD_RELAXED ".relaxed.sys"
#else
#define RELAXED      ""
#define LOAD_RELAXED ".volatile"
#endif

/* Words through the SM, past the L1, as many loads in flight as there are places in the loop. */
__global__ static void copy_quads(uint4 *to, const uint4 *from, size_t quads) {
    const size_t step = (size_t)gridDim.x * blockDim.x, first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t i = first;
    for (; i + (UNROLLED - 1) * step < quads; i += UNROLLED * step) {
        uint4 quad[UNROLLED];
        FX_UNROLL for (int u = 0; u < UNROLLED; u++) {
            quad[u] = __ldcg(from + i + u * step);
        }
        FX_UNROLL for (int u = 0; u < UNROLLED; u++) {
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
        asm volatile("red" RELAXED ".sys.global.add.u32 [%0], %1;" ::"l"(to + i), "r"(__ldcg(from + i)) : "memory");
    }
}

/* A cycle through all lines of the buffer; each link is the address of the next one. */
__global__ static void lay(char *data, const uint32_t *order, uint32_t places) {
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < places; k += gridDim.x * blockDim.x) {
        *(uint64_t *)(data + (size_t)order[k] * FX_LINE_BYTES) =
            (uint64_t)(data + (size_t)order[k + 1 < places ? k + 1 : 0] * FX_LINE_BYTES);
    }
}

/* One warp's dependent accesses past all caches of this side: loads, or atomics that add nothing. */
template <int MOVER_> __global__ void chase(FX_TIMED_WITH(chain, c)) {
    uint64_t at = c.first + threadIdx.x * c.zero;
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int) {
        if (MOVER_ == LOAD) {
            asm volatile("ld" LOAD_RELAXED ".global.u64 %0, [%0];" : "+l"(at)::"memory");
        } else {
            asm volatile("atom" RELAXED ".sys.global.or.b64 %0, [%0], 0;" : "+l"(at)::"memory");
        }
    };
    fx_timed_chains<1>(timed, marks, link, [&] { return (uint32_t)at; });
    fx_timed_end(timed, marks, FX_ALL_LANES, at != c.last);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("task=move mover=store,load", FX_K(copy_quads), {"LDG.E.128.STRONG.GPU", 0}, {"STG.E.128", 0}),
    FX_TIMED("task=move mover=atomic", FX_K(add_words), {"LDG.E.STRONG.GPU", 0}, {"RED.E.ADD.STRONG.SYS", 0}),
    FX_TIMED("task=move mover=push,pull,staged", FX_NO_KERNEL),
    FX_TIMED("task=chase mover=load", FX_K(chase, LOAD), {"LDG.E.64.STRONG.SYS", FX_CHAIN_STEPS}),
    FX_TIMED("task=chase mover=atomic", FX_K(chase, ATOMIC), {"ATOMG.E.OR.64.STRONG.SYS", FX_CHAIN_STEPS}),
    FX_AIDED("task=chase", FX_K(lay)),
};

FX_PROBE(peer, .question = "What does it cost to access the memory of another GPU of the host?", .method_version = 1,
         FX_PARTS, .fit_by = "task mover traffic from_gpu to_gpu", .extras = "pair_GBps sum_GBps least_GBps",
         .present = present, .supported = supported)
