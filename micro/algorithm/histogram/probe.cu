/* histogram: what does counting values into bins cost, by where and how it is counted?
 *
 * Method: the whole device counts 32 Mi values, fresh for each launch; clearing the bins belongs to a run. The oracle
 * is exact: sums over values and over bins, with random weights. What can fool it: see README.md. */
#include "shape.h"

static const fx_axis axes[] = {
    {"variant", "",
     "atomics in global memory, one per value or one per distinct value in a warp; in shared memory, "
     "one copy per block, one per warp, or eight by lane; the same after each thread has added up runs",
     "global aggregated shared per_warp copies runs", 0, 0, SHARED},
    {"data", "",
     "distribution of the values: uniform; fourth powers of uniform numbers; uniform, each 16 times in a row; one "
     "value",
     "uniform skewed repeated constant", 0, 0, UNIFORM},
    {"bins", "bins", "bins, a power of two", NULL, 32, MOST_BINS, 256},
};

static const fx_sweep sweeps[] = {
    {"bins", "variant=global,aggregated data=uniform bins=256,4Ki,64Ki", "variant=global data=uniform bins=4Ki"},
    {"bins_shared", "variant=shared,runs data=uniform bins=64,256,4Ki,16Ki", "variant=shared data=uniform bins=4Ki"},
    {"bins_copies", "variant=per_warp,copies data=uniform bins=64,256,1Ki", NULL},
    {"data", "variant=all data=skewed,repeated,constant bins=256", "variant=shared,runs data=constant bins=256"},
};

static const fx_metric metrics[] = {{"histogram_ns", "ns", FX_GPU_NS, false, "histogram of 32 Mi values"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "values";
    out->count = COUNTED;
    out->why_not = "the bottleneck of a histogram changes with its data and its bins";
    out->useful_bytes = (double)COUNTED * WORD_BYTES;
}

static bool in_shared(int64_t variant) {
    return variant != GLOBAL && variant != AGGREGATED;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t bins = params->value[BINS];
    return bins & (bins - 1) ? "bins must be a power of two"
           : params->value[VARIANT] == AGGREGATED && facts->compute_major < 7
               ? "variant=aggregated needs compute capability 7.0"
           : in_shared(params->value[VARIANT]) &&
                   copies_of(params->value[VARIANT], (uint32_t)bins).words * (uint64_t)WORD_BYTES >
                       facts->shared_per_block_bytes
               ? "bins: the copies of a block do not fit into its shared memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "histogram.cuh"

enum { LAUNCHED = 3 /* times N runs: all of a sample */, RESERVED_BYTES = 1024 /* of shared memory, a block */ };

/* What the kernel gets, and what the host keeps. */
typedef struct work {
    job j;
    uint32_t *values;
    uint64_t count, seed, next, last; /* of the values; where the next launch begins, and the last run began */
    int data;
} work;

/* Blocks of one SM, all there at once. */
static uint32_t blocks_per_sm(const fx_facts *facts, uint32_t own_words) {
    const uint64_t room = facts->shared_per_sm_bytes / (own_words * (uint64_t)WORD_BYTES + RESERVED_BYTES);
    const uint64_t warps = facts->warps_per_sm > 0 ? (uint64_t)facts->warps_per_sm / WARPS : BLOCKS_PER_SM;
    const uint64_t most = warps < BLOCKS_PER_SM ? warps : BLOCKS_PER_SM;
    return (uint32_t)(room > most ? most : room > 0 ? room : 1);
}

static uint32_t bits_of(int64_t bins) {
    uint32_t bits = 0;
    while (bins > 1) {
        bins /= 2;
        bits++;
    }
    return bits;
}

/* A run clears the bins and counts. Each has values of its own. */
static fx_status launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {&w->j};
    for (int i = 0; i < (1 + which) * (int)rig->units; i++, w->next += COUNTED) {
        w->j.in = (const uint4 *)(w->values + w->next);
        w->last = w->next;
        FX_TRY_CUDA(cudaMemsetAsync(w->j.bins, 0, w->j.bin_count * sizeof *w->j.bins, rig->gpu->stream));
        FX_TRY(
            fx_gpu_launch(rig->gpu, rig->work->entry.address, rig->blocks, THREADS, rig->shared_bytes, arguments, err));
    }
    return FX_OK;
}

/* The bins hold the last run's values. */
static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    uint64_t count = COUNTED;
    void *values[] = {&w->last, &count, &w->seed, &w->data, &w->j.bins_bits, &rig->sums};
    void *bins[] = {&w->j.bins, &w->j.bin_count, &w->seed, &rig->sums};
    unsigned long long wanted = 0, found = 0;
    FX_TRY(aid_sum(rig, "weigh_values", values, &wanted, err));
    FX_TRY(aid_sum(rig, "weigh_bins", bins, &found, err));
    FX_FAIL_IF(found != wanted, err, FX_WRONG_RESULT, "the bins hold wrong counts (sum %016llx, not %016llx)", found,
               wanted);
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const bool shared = in_shared(c->params.value[VARIANT]);
    work *w = FX_ARGUMENT(rig, work);
    w->j.bin_count = (uint32_t)c->params.value[BINS];
    w->j.bins_bits = bits_of(c->params.value[BINS]);
    w->j.own = copies_of(c->params.value[VARIANT], w->j.bin_count);
    w->j.quads = COUNTED / QUAD;
    rig->units = shared ? 4 : 1; /* one takes milliseconds in global memory */
    w->count = (uint64_t)rig->units * LAUNCHED * COUNTED;
    w->data = (int)c->params.value[DATA];
    rig->shared_bytes = shared ? w->j.own.words * sizeof *w->j.bins : 0;
    rig->carveout_pct = shared ? 100 : 0;
    rig->warps = WARPS;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count * blocks_per_sm(&rig->gpu->facts, shared ? w->j.own.words : 0);
    rig->cold = true;
    rig->launch = launch;
    rig->check = check;
    FX_TRY(fx_rig_memory(rig, &w->values, FX_POOL_MEMORY, w->count * sizeof *w->values, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->j.bins, FX_DEVICE_MEMORY, w->j.bin_count * sizeof *w->j.bins, 0, err));
    return fx_rig_sums(rig, NULL, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {&w->values, &w->count, &w->seed, &w->data, &w->j.bins_bits};
    w->seed = seed;
    w->next = 0;
    return aid(rig, "lay_values", arguments, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("variant=global", FX_K(count, GLOBAL), {"LDG.E.128", 1}, {"RED.E.ADD.STRONG.GPU", 4}),
    FX_TIMED("variant=aggregated", FX_K(count, AGGREGATED), {"LDG.E.128", 1}, {"RED.E.ADD.STRONG.GPU", 4},
             {"MATCH.ANY", 0}),
    FX_TIMED_FROM(80, "variant=shared,per_warp,copies", FX_K(count_shared), {"LDG.E.128", 2}, {"ATOMS.POPC.INC.32", 8},
                  {"RED.E.ADD.STRONG.GPU", 0}),
    FX_TIMED_FROM(80, "variant=runs", FX_K(count_runs), {"LDG.E.128", 4}, {"ATOMS.ADD", 15}, {"ATOMS.POPC.INC.32", 1},
                  {"RED.E.ADD.STRONG.GPU", 0}),
    FX_AIDED("", FX_K(lay_values)),
    FX_AIDED("", FX_K(weigh_values)),
    FX_AIDED("", FX_K(weigh_bins)),
};

FX_PROBE(histogram, .question = "What does a histogram cost, by where and how it is counted?",
         .method_version = 2, /* 1: atomics on words picked at random, now atomic_table */
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
