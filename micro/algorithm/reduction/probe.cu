/* reduction: how fast can an array be added up, and what does each step of the lectures' ladder bring? Method: N and 2N
 * runs, queued behind a latch, each of as many launches as its variant needs until one number is left. Every run leaves
 * its sum in a place of its own; all are compared. */
#include "shape.h"

static const fx_axis axes[] = {
    {"variant", "", "rung of the ladder, in the order in which they are taught",
     "global divergent conflicts sequential unroll2 unroll4 unroll8 last_warp complete shuffle redux vector "
     "atomic_thread atomic_warp atomic_block persistent cub",
     0, 0, PERSISTENT},
    {"size", "bytes", "bytes to sum, a multiple of 16 KiB", NULL, TILE_BYTES, 4LL << 30, 256 << 20},
    {"type", "", "type of the elements", "int32", 0, 0, 0},
    {"memory", "", "memory that holds the elements before a run", "dram l2", 0, 0, DRAM},
};

static const fx_sweep sweeps[] = {
    {"ladder", "variant=all size=64Ki,16Mi,256Mi type=int32 memory=dram",
     "variant=divergent,sequential,unroll8,persistent,cub size=16Mi type=int32 memory=dram"},
    {"ladder_l2", "variant=all size=1Mi,16Mi type=int32 memory=l2", NULL},
    {"large", "variant=unroll8,vector,persistent,cub size=1Gi,4Gi type=int32 memory=dram", NULL},
};

static const fx_metric metrics[] = {{"reduction_ns", "ns", FX_GPU_NS, false, "reduction"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "elements";
    out->count = (double)params->value[SIZE] / 4;
    out->why_not = "the bottleneck of a reduction changes with its variant and its size";
    out->useful_bytes = (double)params->value[SIZE];
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t variant = params->value[VARIANT];
    const uint64_t bytes = (uint64_t)params->value[SIZE];
    return bytes % TILE_BYTES != 0 ? "size must be a multiple of 16 KiB"
           : variant == REDUX && facts->compute_major > 0 && facts->compute_major < 8
               ? "variant=redux needs compute capability 8.0"
           : params->value[MEMORY] == L2 && facts->l2_bytes > 0 && bytes > facts->l2_bytes / 2
               ? "memory=l2: the elements fill more than half of the L2"
           : facts->memory_bytes > 0 && bytes > facts->memory_bytes / (variant == GLOBAL ? 4 : 2)
               ? "size is more than half of the device memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../held.h"
#include "cub_sum.h"
#include "kernels.cuh"

enum { MOST_RUNS = 16, MOST_PARTS = 512, SAMPLE_RUNS = 5 /* x N: warm, N, warm and 2N */ };
static const double RUN_BYTES = 0x1p29; /* of N runs together, about */

typedef struct work {
    task t;
    char *data;
    uint32_t *sums, *expected; /* of a launch's runs; of the slices */
    void *partial[2];          /* of blocks, alternating over the launches of a run */
    void *cub;
    size_t cub_bytes;
    uint32_t count, slices, next_slice, first_slice; /* elements of a run; first_slice: of the last launch */
    int runs;                                        /* N */
    bool atomic, by_cub;
    unsigned per_thread, most_blocks;
} work;

static fx_status queue_cub(fx_rig *rig, work *w, const void *in, void *out, fx_error *err) {
    return FX_CUDA_STATUS(
        fx_cub_sum(w->cub, &w->cub_bytes, (const uint32_t *)in, (uint32_t *)out, w->count, rig->gpu->stream));
}

static unsigned blocks_for(const work *w, uint32_t count) {
    const unsigned blocks = (count + THREADS * w->per_thread - 1) / (THREADS * w->per_thread);
    return blocks < w->most_blocks ? blocks : w->most_blocks;
}

/* One run: launches until one sum is left. */
static fx_status queue_run(fx_rig *rig, work *w, const void *in, void *out, fx_error *err) {
    task t = w->t;
    if (w->by_cub) {
        return queue_cub(rig, w, in, out, err);
    }
    t.in = in;
    t.count = w->count;
    for (int level = 0; t.out != out; level++) {
        const unsigned blocks = blocks_for(w, t.count);
        t.out = w->atomic || blocks == 1 ? out : w->partial[level % 2];
        FX_TRY(fx_rig_launch(rig, rig->work->entry.address, blocks, THREADS, fx_arguments{&t}, err));
        t.in = t.out;
        t.count = blocks;
    }
    return FX_OK;
}

static fx_status queue(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const size_t slice_bytes = (size_t)w->count * WORD_BYTES;
    w->first_slice = w->next_slice;
    FX_TRY_CUDA(cudaMemsetAsync(w->sums, 0, 2 * MOST_RUNS * WORD_BYTES, rig->gpu->stream));
    for (int i = 0; i < (1 + which) * w->runs; i++) {
        FX_TRY(queue_run(rig, w, w->data + w->next_slice * slice_bytes, w->sums + i, err));
        w->next_slice = (w->next_slice + 1) % w->slices;
    }
    return FX_OK;
}

/* Slices that the runs of a sample read. */
static uint32_t slices_read(const work *w) {
    const uint32_t runs = SAMPLE_RUNS * (uint32_t)w->runs;
    return runs < w->slices ? runs : w->slices;
}

static size_t expected_bytes(const work *w) {
    return slices_read(w) * WORD_BYTES;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    uint32_t sums[2 * MOST_RUNS];
    uint32_t expected[SAMPLE_RUNS * MOST_RUNS];
    FX_TRY_CUDA(cudaMemcpyAsync(sums, w->sums, sizeof sums, cudaMemcpyDeviceToHost, rig->gpu->stream));
    FX_TRY(fx_gpu_download(rig->gpu, expected, w->expected, expected_bytes(w), err));
    for (int i = 0; i < (1 + which) * w->runs; i++) {
        const uint32_t wanted = expected[(w->first_slice + (uint32_t)i) % w->slices];
        FX_FAIL_IF(sums[i] != wanted, err, FX_WRONG_RESULT,
                   "the sum of run %d is %08x instead of %08x: the case is discarded; report it if it persists", i,
                   (unsigned)sums[i], (unsigned)wanted);
    }
    return FX_OK;
}

/* Fresh elements, what they must give, and none of them in the L2 where they are to come from DRAM. */
static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    uint32_t parts = w->count / (16 * THREADS) < MOST_PARTS ? w->count / (16 * THREADS) : MOST_PARTS;
    void *wanted[] = {&w->expected, &seed, &w->count, &parts};
    w->next_slice = 0;
    FX_TRY_CUDA(cudaMemsetAsync(w->expected, 0, expected_bytes(w), rig->gpu->stream));
    FX_TRY(fx_rig_aid(rig, "expect", slices_read(w) * parts, THREADS, wanted, err));
    return c->params.value[MEMORY] == DRAM ? fx_gpu_flush_l2(rig->gpu, err) : FX_OK;
}

static fx_status get_data(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    const uint64_t bytes = (uint64_t)c->params.value[SIZE], l2 = rig->gpu->facts.l2_bytes;
    const bool dram = c->params.value[MEMORY] == DRAM;
    w->slices = dram && bytes < 4 * l2 ? (uint32_t)((4 * l2 + bytes - 1) / bytes) : 1;
    return dram ? fx_rig_dram(rig, &w->data, FX_REFILLED, w->slices * bytes, 0, err)
                : fx_rig_memory(rig, &w->data, FX_REFILLED | FX_DEVICE_MEMORY, (size_t)bytes, 0, err);
}

/* What a rung needs besides the data. CUB runs once, since what it loads at its first call can't wait for a latch. */
static fx_status get_space(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    const size_t sums = (size_t)blocks_for(w, w->count) * WORD_BYTES + sizeof(uint4);
    for (int i = 0; i < 2 && !w->atomic && !w->by_cub; i++) { /* wide loads go up to three sums too far */
        FX_TRY(fx_rig_memory(rig, &w->partial[i], FX_DEVICE_MEMORY, sums, 0, err));
        FX_TRY_CUDA(cudaMemsetAsync(w->partial[i], 0, sums, rig->gpu->stream));
    }
    if (c->params.value[VARIANT] == GLOBAL) {
        FX_TRY(fx_rig_memory(rig, &w->t.space, FX_DEVICE_MEMORY, (size_t)c->params.value[SIZE], 0, err));
    }
    if (!w->by_cub) {
        return FX_OK;
    }
    FX_TRY(queue_cub(rig, w, w->data, w->sums, err)); /* without memory it says how much it wants */
    FX_TRY(fx_rig_memory(rig, &w->cub, FX_DEVICE_MEMORY, w->cub_bytes, 0, err));
    FX_TRY_CUDA(cudaMemsetAsync(w->data, 0, (size_t)w->count * WORD_BYTES, rig->gpu->stream));
    return queue_cub(rig, w, w->data, w->sums, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t variant = c->params.value[VARIANT];
    const unsigned places = (unsigned)(rig->gpu->facts.sm_count * rig->gpu->facts.warps_per_sm / WARPS);
    const double slow = variant == ATOMIC_THREAD ? 64 : 1, runs = RUN_BYTES / slow / (double)c->params.value[SIZE];
    work *w = FX_ARGUMENT(rig, work);
    w->by_cub = variant == CUB;
    w->atomic = variant >= ATOMIC_THREAD && variant <= PERSISTENT;
    w->per_thread = per_thread_of(variant);
    w->count = (uint32_t)((uint64_t)c->params.value[SIZE] / WORD_BYTES);
    w->most_blocks = variant == PERSISTENT ? places : UINT32_MAX;
    w->runs = runs < 1 ? 1 : runs < MOST_RUNS ? (int)runs : MOST_RUNS;
    FX_TRY(held_arrange(rig, queue, err));
    FX_TRY(get_data(rig, c, w, err));
    FX_TRY(fx_rig_memory(rig, &w->sums, FX_DEVICE_MEMORY, 2 * MOST_RUNS * WORD_BYTES, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->expected, FX_DEVICE_MEMORY, expected_bytes(w), 0, err));
    FX_TRY_CUDA(cudaMemsetAsync(w->sums, 0, 2 * MOST_RUNS * WORD_BYTES, rig->gpu->stream));
    rig->warps = WARPS;
    rig->blocks = w->by_cub ? 1 : blocks_for(w, w->count);
    rig->units = w->runs;
    rig->check = check;
    return get_space(rig, c, w, err);
}
#endif

/* Timed from outside, each kernel as a whole: {the elements' loads}, and how the block's values meet. */
static const fx_kernel kernels[] = {
    FX_TIMED("variant=global", FX_K(global), {"LDG.E", 4}, {"STG.E", 3}),
    FX_TIMED("variant=divergent", FX_K(divergent), {"LDG.E", 1}, {"LDS", 3}, {"STS", 2}, {"STG.E", 1}),
    FX_TIMED("variant=conflicts", FX_K(conflicts), {"LDG.E", 1}, {"LDS", 3}, {"STS", 2}, {"STG.E", 1}),
    FX_TIMED("variant=sequential", FX_K(sequential, 1), {"LDG.E", 1}, {"LDS", 3}, {"STS", 2}, {"STG.E", 1}),
    FX_TIMED("variant=unroll2", FX_K(sequential, 2), {"LDG.E", 2}, {"LDS", 3}, {"STS", 2}, {"STG.E", 1}),
    FX_TIMED("variant=unroll4", FX_K(sequential, 4), {"LDG.E", 4}, {"LDS", 3}, {"STS", 2}, {"STG.E", 1}),
    FX_TIMED("variant=unroll8", FX_K(sequential, 8), {"LDG.E", 8}, {"LDS", 3}, {"STS", 2}, {"STG.E", 1}),
    FX_TIMED("variant=last_warp", FX_K(last_warp), {"LDG.E", 8}, {"LDS", 10}, {"STS", 8}, {"STG.E", 1}),
    FX_TIMED("variant=complete", FX_K(complete), {"LDG.E", 8}, {"LDS", 12}, {"STS", 9}, {"STG.E", 1}),
    FX_TIMED("variant=shuffle", FX_K(shuffle), {"LDG.E", 8}, {"SHFL.BFLY", 8}, {"STG.E", 1}),
    FX_TIMED_FROM(80, "variant=redux", FX_K(redux), {"LDG.E", 8}, {"REDUX.SUM", 2}, {"STG.E", 1}),
    FX_TIMED("variant=vector", FX_K(vector), {"LDG.E.128", 2}, {"SHFL.BFLY", 8}, {"STG.E", 1}),
    FX_TIMED("variant=atomic_thread", FX_K(atomic_thread), {"LDG.E", 8}, {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("variant=atomic_warp", FX_K(atomic_warp), {"LDG.E", 8}, {"SHFL.BFLY", 5}, {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("variant=atomic_block", FX_K(atomic_block), {"LDG.E", 8}, {"SHFL.BFLY", 8}, {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("variant=persistent", FX_K(persistent), {"LDG.E.128", 4}, {"SHFL.BFLY", 8}, {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("variant=cub", FX_NO_KERNEL),
    FX_AIDED("", FX_K(expect)),
};

FX_PROBE(reduction, .question = "How fast is a sum reduction, and how much does each optimisation gain?",
         .method_version = 1, FX_PARTS, .supported = supported, .draw = FX_GPU(draw), .sanitized = "size=64Ki")
