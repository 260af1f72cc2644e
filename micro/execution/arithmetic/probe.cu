/* arithmetic: what does an instruction cost that computes, and how many can an SM issue?
 *
 * Method: each warp works a chain of one operation, each step on the result of the one before. One warp alone waits for
 * every result, which is the latency; more warps hide it until the unit, or the issue of instructions, is busy, which
 * is the rate. The chains never come back to where they began, or hardly ever, and are computed again without a clock:
 * a step that is missing is seen. What can fool it: see README.md. */
#include <math.h>

#include "core/probe.h"

enum { OP, WARPS };
enum {
    FMA32,
    ADD32,
    MUL32,
    IMAD,
    ADD3,
    FMA_ADD3,
    FMA_IMAD,
    FP64,
    HALF2,
    LOG2,
    RSQRT,
    SINE,
    DIVIDE,
    CONVERT,
    SHUFFLE,
    REDUX,
    MMA_FP16,
    MMA_TF32,
    BARRIER
};
enum { FEW_STEPS = 8, ALONE = 4 /* warps of which each has a quarter of the SM to itself */, MOST_WARPS = 32 };

static const fx_axis axes[] = {
    {"op", "",
     "operation: a multiply-add, addition or product of floats, an integer multiply-add, a sum of three integers, two "
     "of these in turn, a multiply-add of doubles or of two halves, a logarithm, a reciprocal root, a sine, a division "
     "of integers, an integer to float and back, a shuffle, a sum over the warp, a product of tensor cores, a barrier",
     "fma32 add32 mul32 imad add3 fma_add3 fma_imad fp64 half2 log2 rsqrt sine divide convert shuffle redux mma_fp16 "
     "mma_tf32 barrier",
     0, 0, FMA32},
    {"warps", "warps", "warps at work on the SM", NULL, 1, MOST_WARPS, MOST_WARPS},
};

#define ALL                                                                                                            \
    "op=fma32,add32,mul32,imad,add3,fma_add3,fma_imad,fp64,half2,log2,rsqrt,sine,divide,convert,shuffle,redux,"        \
    "mma_fp16,mma_tf32,barrier "

static const fx_sweep sweeps[] = {
    {"warps", ALL "warps=1,2,4,8,12,16,24,32", "op=fma32,imad,fma_add3,fp64,log2,shuffle,mma_fp16 warps=1,32"},
};

static const fx_metric metrics[] = {{"operation_cycles", "cycles", FX_SM_CYCLES, false, "warp-level operation"}};

/* What is known of an operation before it is measured: machine instructions of one (0: the compiler's choice), of a
 * step, operations of a step, steps of a trip (few where the code would not fit the instruction cache), and about what
 * a step takes a warp alone, and the SM. */
static const struct {
    unsigned instructions, operations, steps;
    double latency, interval;
} known[] = {
    [FMA32] = {1, 1, 61, 4, 0.25},         [ADD32] = {1, 1, 61, 4, 0.25},
    [MUL32] = {1, 1, 61, 4, 0.25},         [IMAD] = {1, 1, 61, 4, 0.5},
    [ADD3] = {1, 1, 61, 4, 0.5},           [FMA_ADD3] = {1, 2, 61, 4, 0.5},
    [FMA_IMAD] = {1, 2, 61, 4, 0.5},       [FP64] = {1, 1, 61, 8, 1},
    [HALF2] = {1, 1, 61, 5, 0.5},          [LOG2] = {1, 1, 61, 18, 2},
    [RSQRT] = {2, 1, 61, 40, 2},           [SINE] = {3, 1, 61, 26, 2},
    [DIVIDE] = {0, 1, FEW_STEPS, 140, 12}, [CONVERT] = {0, 2, 61, 20, 3},
    [SHUFFLE] = {1, 1, 61, 24, 1},         [REDUX] = {2, 1, 61, 20, 2},
    [MMA_FP16] = {1, 1, 61, 33, 2},        [MMA_TF32] = {1, 1, 61, 33, 2},
    [BARRIER] = {1, 1, 61, 16, 1},
};

/* A warp that waits for each result issues once per latency, and up to four warps do so side by side. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t op = params->value[OP], warps = params->value[WARPS];
    (void)facts, (void)table;
    out->law = "turns";
    out->count = 1.0 / (double)warps;
    out->why_not = op == BARRIER   ? "the warps of a barrier wait for each other"
                   : warps > ALONE ? "warps share a scheduler, and may keep a unit busy"
                                   : NULL;
    out->in_fit = !out->why_not;
    if (known[op].instructions > 0) {
        fx_prediction_count(out, "instructions", known[op].instructions);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t op = params->value[OP];
    if (facts->compute_major < 8 && (op == REDUX || op == MMA_FP16 || op == MMA_TF32)) {
        return "op=redux, op=mma_fp16 and op=mma_tf32 need compute capability 8.0";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "chains.cuh"
#include "gpu/rig.h"

enum { PASS_CYCLES = 64000, CHAIN_CYCLES = 16000 };

template <int OP_> __global__ void run(const __grid_constant__ fx_timed timed, const __grid_constant__ work w) {
    chain<OP_> c(w), again(w);
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
        constexpr int STEPS = OP_ == DIVIDE ? FEW_STEPS : FX_CHAIN_STEPS;
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            c.step();
        }
    };
    fx_timed_passes(timed, marks, FX_ALL_LANES, trip, [&] { fx_consume(c.word()); });
#pragma unroll 1
    for (uint32_t s = 0; s < w.steps; s++) {
        again.step();
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, c.word() != again.word());
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t op = c->params.value[OP], warps = c->params.value[WARPS];
    const double steps = known[op].steps;
    (void)err;
    rig->warps = (unsigned)warps;
    rig->pass_cycles = warps > 1 ? PASS_CYCLES : CHAIN_CYCLES;
    /* a barrier is one for all warps together */
    rig->accesses = steps * known[op].operations / (op == BARRIER ? (double)warps : 1);
    rig->trip_cycles = steps * fmax(known[op].latency, (double)warps * known[op].interval);
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    (void)err;
    w->seed = seed;
    w->steps = (uint32_t)fx_timed_steps(&rig->timed, known[c->params.value[OP]].steps, FX_WARP);
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {
    {"op=fma32", FX_K(run, FMA32), FX_WORK, 0, {{"FFMA", 61}}},
    {"op=add32", FX_K(run, ADD32), FX_WORK, 0, {{"FADD", 61}}},
    {"op=mul32", FX_K(run, MUL32), FX_WORK, 0, {{"FMUL", 61}}},
    {"op=imad", FX_K(run, IMAD), FX_WORK, 0, {{"IMAD", 61}}},
    {"op=add3", FX_K(run, ADD3), FX_WORK, 0, {{"IADD3", 0}}},
    {"op=fma_add3", FX_K(run, FMA_ADD3), FX_WORK, 0, {{"FFMA", 61}, {"IADD3", 0}}},
    {"op=fma_imad", FX_K(run, FMA_IMAD), FX_WORK, 0, {{"FFMA", 61}, {"IMAD", 61}}},
    {"op=fp64", FX_K(run, FP64), FX_WORK, 0, {{"DFMA", 61}}},
    {"op=half2", FX_K(run, HALF2), FX_WORK, 0, {{"HFMA2", 0}}},
    {"op=log2", FX_K(run, LOG2), FX_WORK, 0, {{"MUFU.LG2", 61}}},
    {"op=rsqrt", FX_K(run, RSQRT), FX_WORK, 0, {{"MUFU.RSQ", 61}, {"FADD.FTZ", 61}}},
    {"op=sine", FX_K(run, SINE), FX_WORK, 0, {{"MUFU.SIN", 61}}},
    {"op=divide", FX_K(run, DIVIDE), FX_WORK, 0, {{"MUFU.RCP", 8}, {"I2F.U32.RP", 8}, {"F2I.FTZ.U32.TRUNC.NTZ", 8}}},
    {"op=convert", FX_K(run, CONVERT), FX_WORK, 90, {{"I2FP.F32.U32", 61}, {"F2I.U32.TRUNC.NTZ", 61}}},
    {"op=shuffle", FX_K(run, SHUFFLE), FX_WORK, 0, {{"SHFL.IDX", 61}}},
    {"op=redux", FX_K(run, REDUX), FX_WORK, 80, {{"REDUX.SUM", 61}, {"IMAD", 61}}},
    {"op=mma_fp16", FX_K(run, MMA_FP16), FX_WORK, 80, {{"HMMA.16816.F32", 61}}},
    {"op=mma_tf32", FX_K(run, MMA_TF32), FX_WORK, 80, {{"HMMA.1688.F32.TF32", 61}}},
    {"op=barrier", FX_K(run, BARRIER), FX_WORK, 80, {{"BAR.SYNC.DEFER_BLOCKING", 61}}},
};

static const fx_probe arithmetic = {
    .contract = FX_PROBE_CONTRACT,
    .name = "arithmetic",
    .question = "What does an instruction cost that computes, and how many can an SM issue?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "op",
    .law = law,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    .draw = FX_GPU(draw),
    FX_TABLE(kernels),
};

FX_PROBE(arithmetic)
