/* kernel_start: what does a kernel take that hardly does anything, on the whole device? Method: pairs of N and 2N
 * kernels in a stream behind a latch. One that does nothing is compared with one whose threads each copy 16 bytes, and
 * which can't end before its first loads have come. */
#include "core/probe.h"

enum { WORK, MEMORY, BLOCKS };
enum { NOTHING, COPY };
enum { L2, DRAM };
enum { WARPS = 8, THREADS = WARPS * FX_WARP, COPIED_BYTES = 16, MOST_BLOCKS = 256 };

static const fx_axis axes[] = {
    {"work", "", "work of the kernel: nothing, or a copy of 16 bytes by each thread", "nothing copy", 0, 0, COPY},
    {"memory", "", "place of the copied data before the kernel", "l2 dram", 0, 0, L2},
    {"blocks", "blocks", "blocks of 256 threads on each SM; 0: one on the whole device", NULL, 0, MOST_BLOCKS, 1},
};

static const fx_sweep sweeps[] = {
    {"nothing", "work=nothing memory=l2 blocks=0,1,2,4,8", "work=nothing memory=l2 blocks=1"},
    {"many", "work=nothing memory=l2 blocks=32,64,128,256", NULL},
    {"copy", "work=copy memory=l2,dram blocks=0,1,2,4,8", "work=copy memory=l2 blocks=1"},
};

static const fx_metric metrics[] = {{"kernel_ns", "ns", FX_GPU_NS, false, "kernel"}};

static double blocks_of(const fx_facts *facts, const fx_params *params) {
    return params->value[BLOCKS] > 0 ? (double)params->value[BLOCKS] * facts->sm_count : 1;
}

/* No law of a kernel's start is known. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    if (params->value[WORK] == COPY) {
        out->useful_bytes = 2 * blocks_of(facts, params) * (double)(THREADS * COPIED_BYTES);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[WORK] == NOTHING && params->value[MEMORY] == DRAM ? "work=nothing uses no memory" : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "../../held.h"
#include "gpu/cuda_half.cuh"

enum { KERNELS = 32 /* N */ };

typedef struct task {
    const uint4 *in;
    uint4 *out;
    uint32_t slices, next, count; /* of `in`; words of 16 bytes in each */
} task;

__global__ void __launch_bounds__(THREADS) nothing(const uint4 *in, uint4 *out) {}

__global__ void __launch_bounds__(THREADS) copy(const uint4 *in, uint4 *out) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i];
}

/* How many words are not what they must be. */
__global__ void __launch_bounds__(THREADS) compare(const uint4 *in, const uint4 *out, unsigned long long *sums) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const uint4 a = in[i], b = out[i];
    fx_sums_add(sums, a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w);
}

static fx_status queue(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    for (int i = 0; i < (1 + which) * KERNELS; i++) {
        t->next = (t->next + 1) % t->slices;
        const uint4 *in = t->in + (size_t)t->next * t->count;
        FX_TRY(fx_rig_launch(rig, rig->work->entry.address, rig->blocks, THREADS, fx_arguments{&in, &t->out}, err));
    }
    return FX_OK;
}

/* What the last kernel has copied. */
static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    const uint4 *in = t->in + (size_t)t->next * t->count;
    if (c->params.value[WORK] == NOTHING) {
        return FX_OK;
    }
    FX_TRY(fx_rig_aid(rig, "compare", rig->blocks, THREADS, fx_arguments{&in, &t->out, &rig->sums}, err));
    return none_wrong(rig, "words were not copied", err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    return c->params.value[MEMORY] == DRAM ? fx_gpu_flush_l2(rig->gpu, err) : FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const bool dram = c->params.value[MEMORY] == DRAM;
    task *t = FX_ARGUMENT(rig, task);
    rig->warps = WARPS;
    rig->blocks = (unsigned)blocks_of(&rig->gpu->facts, &c->params);
    rig->units = KERNELS;
    rig->check = check;
    t->count = rig->blocks * THREADS;
    const uint64_t bytes = (uint64_t)t->count * COPIED_BYTES, l2 = rig->gpu->facts.l2_bytes;
    t->slices = dram ? (uint32_t)((4 * l2 + bytes - 1) / bytes) : 1;
    FX_TRY(held_arrange(rig, queue, err));
    FX_TRY(dram ? fx_rig_dram(rig, &t->in, FX_FILLED, t->slices * bytes, 0, err)
                : fx_rig_memory(rig, &t->in, FX_DEVICE_MEMORY | FX_FILLED, (size_t)bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &t->out, FX_DEVICE_MEMORY, (size_t)bytes, 0, err));
    return fx_rig_sums(rig, NULL, err);
}
#endif

/* Timed from outside, each kernel as a whole. */
static const fx_kernel kernels[] = {
    FX_TIMED("work=nothing", FX_K(nothing), {"EXIT", 1}),
    FX_TIMED("work=copy", FX_K(copy), {"LDG.E.128", 1}, {"STG.E.128", 1}),
    FX_AIDED("work=copy", FX_K(compare)),
};

FX_PROBE(kernel_start, .question = "How long does a nearly empty kernel take on the whole device?", .method_version = 1,
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
