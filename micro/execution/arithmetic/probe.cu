/* arithmetic: what does an instruction cost that computes, and how many can an SM issue?
 *
 * Method: each warp works a chain of one operation, each step on the result of the one before. One warp alone waits for
 * every result, which is the latency; more warps hide it until the unit, or the issue of instructions, is busy, which
 * is the rate. The chains never come back to where they began, or hardly ever, and are computed again without a clock:
 * a step that is missing is seen. What can fool it: see README.md. */
#include <assert.h>
#include <math.h>

#include "core/probe.h"

enum { OP, WARPS };
enum {
    FMA32,
    ADD32,
    MUL32,
    IMAD,
    ADD3,
    FADD_ROTATE,
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
enum { STEPS = 61, MANY_STEPS = 4 * STEPS, TWIN_STEPS = 2 * STEPS, FEW_STEPS = 8 };
enum { ALONE = 4 /* warps of which each has a quarter of the SM to itself */, MOST_WARPS = 32 };

static const fx_axis axes[] = {
    {"op", "",
     "operation: a multiply-add, addition or product of floats, an integer multiply-add, a sum of three integers, two "
     "of these in turn (fadd_rotate: a float and 1, and a rotation, which read fewer registers), a multiply-add of "
     "doubles or of "
     "two halves, a logarithm, a reciprocal root, a sine, a division "
     "of integers, an integer to float and back, a shuffle, a sum over the warp, a product of tensor cores, a barrier",
     "fma32 add32 mul32 imad add3 fadd_rotate fma_add3 fma_imad fp64 half2 log2 rsqrt sine divide convert shuffle "
     "redux "
     "mma_fp16 "
     "mma_tf32 barrier",
     0, 0, FMA32},
    {"warps", "warps", "warps at work on the SM", NULL, 1, MOST_WARPS, MOST_WARPS},
};

#define ALL                                                                                                            \
    "op=fma32,add32,mul32,imad,add3,fadd_rotate,fma_add3,fma_imad,fp64,half2,log2,rsqrt,sine,divide,convert,shuffle,"  \
    "redux,"                                                                                                           \
    "mma_fp16,mma_tf32,barrier "

static const fx_sweep sweeps[] = {
    {"warps", ALL "warps=1,2,4,8,12,16,24,32",
     "op=fma32,imad,fadd_rotate,fma_add3,fp64,log2,shuffle,mma_fp16 warps=1,32"},
};

static const fx_metric metrics[] = {{"operation_cycles", "cycles", FX_SM_CYCLES, false, "warp-level operation"}};

/* What is known of an operation before it is measured: machine instructions of one (0: the compiler's choice), of a
 * step, operations of a step, steps of a trip (few where the code would not fit the instruction cache), and about what
 * a step takes a warp alone, and the SM. In the order of the operations: nvcc 12.4 takes no [FMA32] = before a row. */
static const struct {
    unsigned instructions, operations, steps;
    double latency, interval;
} known[] = {
    /* FMA32 */ {1, 1, MANY_STEPS, 4, 0.25},
    /* ADD32 */ {1, 1, MANY_STEPS, 4, 0.25},
    /* MUL32 */ {1, 1, MANY_STEPS, 4, 0.25},
    /* IMAD */ {1, 1, MANY_STEPS, 4, 0.5},
    /* ADD3 */ {1, 1, MANY_STEPS, 4, 0.5},
    /* FADD_ROTATE */ {1, 2, TWIN_STEPS, 4, 0.5},
    /* FMA_ADD3 */ {1, 2, TWIN_STEPS, 4, 0.75},
    /* FMA_IMAD */ {1, 2, TWIN_STEPS, 4, 0.75},
    /* FP64 */ {1, 1, MANY_STEPS, 8, 0.5},
    /* HALF2 */ {1, 1, MANY_STEPS, 8, 0.3},
    /* LOG2 */ {1, 1, STEPS, 17, 2},
    /* RSQRT */ {2, 1, STEPS, 23, 2},
    /* SINE */ {3, 1, STEPS, 25, 2},
    /* DIVIDE */ {0, 1, FEW_STEPS, 131, 8},
    /* CONVERT */ {0, 2, STEPS, 28, 2},
    /* SHUFFLE */ {1, 1, STEPS, 26, 1},
    /* REDUX */ {2, 1, STEPS, 47, 2},
    /* MMA_FP16 */ {1, 1, STEPS, 24, 1.5},
    /* MMA_TF32 */ {1, 1, STEPS, 24, 1.5},
    /* BARRIER */ {1, 1, STEPS, 16, 1},
};
static_assert(sizeof known / sizeof *known == BARRIER + 1, "an operation of which nothing is known");

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

template <int OP_, int STEPS_>
__global__ void run(const __grid_constant__ fx_timed timed, const __grid_constant__ work w) {
    chain<OP_> c(w), again(w);
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
#pragma unroll
        for (int s = 0; s < STEPS_; s++) {
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
    {"op=fma32", FX_K(run, FMA32, MANY_STEPS), FX_WORK, 0, {{"FFMA", MANY_STEPS}}},
    {"op=add32", FX_K(run, ADD32, MANY_STEPS), FX_WORK, 0, {{"FADD", MANY_STEPS}}},
    {"op=mul32", FX_K(run, MUL32, MANY_STEPS), FX_WORK, 0, {{"FMUL", MANY_STEPS}}},
    {"op=imad", FX_K(run, IMAD, MANY_STEPS), FX_WORK, 0, {{"IMAD", MANY_STEPS}}},
    {"op=add3", FX_K(run, ADD3, MANY_STEPS), FX_WORK, 0, {{"IADD3", 0}}},
    {"op=fadd_rotate",
     FX_K(run, FADD_ROTATE, TWIN_STEPS),
     FX_WORK,
     0,
     {{"FADD", TWIN_STEPS}, {"SHF.L.W.U32.HI", TWIN_STEPS}}},
    {"op=fma_add3", FX_K(run, FMA_ADD3, TWIN_STEPS), FX_WORK, 0, {{"FFMA", TWIN_STEPS}, {"IADD3", 0}}},
    {"op=fma_imad", FX_K(run, FMA_IMAD, TWIN_STEPS), FX_WORK, 0, {{"FFMA", TWIN_STEPS}, {"IMAD", TWIN_STEPS}}},
    {"op=fp64", FX_K(run, FP64, MANY_STEPS), FX_WORK, 0, {{"DFMA", MANY_STEPS}}},
    {"op=half2", FX_K(run, HALF2, MANY_STEPS), FX_WORK, 0, {{"HFMA2", 0}}},
    {"op=log2", FX_K(run, LOG2, STEPS), FX_WORK, 0, {{"MUFU.LG2", STEPS}}},
    {"op=rsqrt", FX_K(run, RSQRT, STEPS), FX_WORK, 0, {{"MUFU.RSQ", STEPS}, {"FADD.FTZ", STEPS}}},
    {"op=sine", FX_K(run, SINE, STEPS), FX_WORK, 0, {{"MUFU.SIN", STEPS}}},
    {"op=divide",
     FX_K(run, DIVIDE, FEW_STEPS),
     FX_WORK,
     0,
     {{"MUFU.RCP", FEW_STEPS}, {"I2F.U32.RP", FEW_STEPS}, {"F2I.FTZ.U32.TRUNC.NTZ", FEW_STEPS}}},
    {"op=convert", FX_K(run, CONVERT, STEPS), FX_WORK, 90, {{"I2FP.F32.U32", STEPS}, {"F2I.U32.TRUNC.NTZ", STEPS}}},
    {"op=shuffle", FX_K(run, SHUFFLE, STEPS), FX_WORK, 0, {{"SHFL.IDX", STEPS}}},
    {"op=redux", FX_K(run, REDUX, STEPS), FX_WORK, 80, {{"REDUX.SUM", STEPS}, {"IMAD", STEPS}}},
    {"op=mma_fp16", FX_K(run, MMA_FP16, STEPS), FX_WORK, 80, {{"HMMA.16816.F32", STEPS}}},
    {"op=mma_tf32", FX_K(run, MMA_TF32, STEPS), FX_WORK, 80, {{"HMMA.1688.F32.TF32", STEPS}}},
    {"op=barrier", FX_K(run, BARRIER, STEPS), FX_WORK, 80, {{"BAR.SYNC.DEFER_BLOCKING", STEPS}}},
};

static const fx_probe arithmetic = {
    .name = "arithmetic",
    .question = "What does an instruction cost that computes, and how many can an SM issue?",
    .method_version = 1,
    FX_TABLES,
    .fit_by = "op",
    .law = law,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    .draw = FX_GPU(draw),
    FX_TABLE(kernels),
    .once = true,
};

FX_PROBE(arithmetic)
