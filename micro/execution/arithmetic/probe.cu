/* arithmetic: what does an instruction cost that computes, and how many can an SM issue?
 *
 * Method: each warp works a chain of one operation: alone it waits for every result, more warps hide that until the
 * unit is busy. Chains never come back to where they began, or hardly ever, and are computed again without a clock.
 * What can fool it: see README.md. */
#include <math.h>

#include "core/probe.h"

enum { OP, WARPS };
enum { STEPS = 61, MANY_STEPS = 4 * STEPS, TWIN_STEPS = 2 * STEPS, ODD_STEPS = 4 * STEPS - 1, FEW_STEPS = 8 };
enum { CHAINS = 4 /* of HALF2_CHAINS, in turn */, IN_ROW = 4 /* conversions of a step */ };
enum {
    ALONE = 4 /* warps that each have a quarter of the SM to themselves */,
    MOST_WARPS = 32,
    MOST_MATRIX_WARPS = 24
};

/* What is known of an operation before it is measured: its name on the axis; the first architecture with this machine
 * code; machine instructions of one (0: the compiler's choice); operations of a step; steps of a trip (few where the
 * code would not fit the instruction cache); about what a step takes a warp alone, and the SM; the loop's opcodes. */
#define OPERATIONS(X)                                                                                                  \
    X(FMA32, fma32, 0, 1, 1, MANY_STEPS, 4, 0.25, {"FFMA", MANY_STEPS})                                                \
    X(ADD32, add32, 0, 1, 1, MANY_STEPS, 4, 0.25, {"FADD", MANY_STEPS})                                                \
    X(MUL32, mul32, 0, 1, 1, MANY_STEPS, 4, 0.25, {"FMUL", MANY_STEPS})                                                \
    X(IMAD, imad, 0, 1, 1, MANY_STEPS, 4, 0.5, {"IMAD", MANY_STEPS})                                                   \
    X(ADD3, add3, 0, 1, 1, MANY_STEPS, 4, 0.5, {"IADD3", 0})                                                           \
    X(FADD_ROTATE, fadd_rotate, 0, 1, 2, TWIN_STEPS, 4, 0.5, {"FADD", TWIN_STEPS}, {"SHF.L.W.U32.HI", TWIN_STEPS})     \
    X(FMA_ADD3, fma_add3, 0, 1, 2, TWIN_STEPS, 4, 0.75, {"FFMA", TWIN_STEPS}, {"IADD3", 0})                            \
    X(FMA_IMAD, fma_imad, 0, 1, 2, TWIN_STEPS, 4, 0.75, {"FFMA", TWIN_STEPS}, {"IMAD", TWIN_STEPS})                    \
    X(FP64, fp64, 0, 1, 1, MANY_STEPS, 8, 0.5, {"DFMA", MANY_STEPS})                                                   \
    X(HALF2, half2, 0, 1, 1, MANY_STEPS, 8, 0.3, {"HFMA2", 0})                                                         \
    X(LOG2, log2, 0, 1, 1, STEPS, 17, 2, {"MUFU.LG2", STEPS})                                                          \
    X(RSQRT, rsqrt, 0, 2, 1, STEPS, 23, 2, {"MUFU.RSQ", STEPS}, {"FADD.FTZ", STEPS})                                   \
    X(SINE, sine, 0, 3, 1, STEPS, 25, 2, {"MUFU.SIN", STEPS})                                                          \
    X(DIVIDE, divide, 0, 0, 1, FEW_STEPS, 131, 8, {"MUFU.RCP", FEW_STEPS}, {"I2F.U32.RP", FEW_STEPS},                  \
      {"F2I.FTZ.U32.TRUNC.NTZ", FEW_STEPS})                                                                            \
    X(CONVERT, convert, 90, 0, 2, STEPS, 28, 2, {"I2FP.F32.U32", STEPS}, {"F2I.U32.TRUNC.NTZ", STEPS})                 \
    X(SHUFFLE, shuffle, 0, 1, 1, STEPS, 26, 1, {"SHFL.IDX", STEPS})                                                    \
    X(REDUX, redux, 80, 2, 1, STEPS, 47, 2, {"REDUX.SUM", STEPS}, {"IMAD", STEPS})                                     \
    X(MMA_FP16, mma_fp16, 80, 1, 1, STEPS, 24, 1.5, {"HMMA.16816.F32", STEPS})                                         \
    X(MMA_TF32, mma_tf32, 80, 1, 1, STEPS, 24, 1.5, {"HMMA.1688.F32.TF32", STEPS})                                     \
    X(BARRIER, barrier, 80, 1, 1, STEPS, 16, 1, {"BAR.SYNC.DEFER_BLOCKING", STEPS})                                    \
    X(HALF2_CHAINS, half2_chains, 80, 1, CHAINS, STEPS, 8, 1, {"HFMA2", 0})                                            \
    X(BFLOAT2_CHAINS, bfloat2_chains, 90, 1, CHAINS, STEPS, 8, 1, {"HFMA2.BF16_V2", 0})                                \
    X(DP4A, dp4a, 0, 1, 1, MANY_STEPS, 5, 0.5, {"IDP.4A.U8.U8", MANY_STEPS})                                           \
    X(DP2A, dp2a, 0, 1, 1, MANY_STEPS, 5, 0.5, {"IDP.2A.LO.U16.U8", MANY_STEPS})                                       \
    X(PERMUTE, permute, 0, 1, 1, ODD_STEPS, 5, 0.5, {"PRMT", ODD_STEPS})                                               \
    X(VOTE, vote, 0, 3, 1, STEPS, 20, 1, {"VOTE.ANY", STEPS}, {"IMAD", STEPS})                                         \
    X(MATCH_DISTINCT, match_distinct, 0, 0, 1, FEW_STEPS, 400, 16, {"MATCH.ANY", FEW_STEPS})                           \
    X(MATCH_SAME, match_same, 0, 0, 1, FEW_STEPS, 30, 2, {"MATCH.ANY", FEW_STEPS})                                     \
    X(INT_FLOAT, int_float, 90, 0, IN_ROW, STEPS, 20, 2, {"I2FP.F32.S32", IN_ROW * STEPS})                             \
    X(FLOAT_INT, float_int, 0, 0, IN_ROW, STEPS, 50, 8, {"F2I.TRUNC.NTZ", IN_ROW * STEPS})                             \
    X(INT8_FLOAT, int8_float, 0, 0, IN_ROW, STEPS, 50, 8, {"I2F.S8", IN_ROW * STEPS})                                  \
    X(FLOAT_HALF2, float_half2, 90, 0, IN_ROW, STEPS, 20, 2, {"F2FP.F16.F32.PACK_AB", IN_ROW * STEPS})                 \
    X(FLOAT_BFLOAT2, float_bfloat2, 90, 0, IN_ROW, STEPS, 20, 2, {"F2FP.BF16.F32.PACK_AB", IN_ROW * STEPS})            \
    X(HALF_FLOAT, half_float, 0, 0, IN_ROW, STEPS, 20, 2, {"HADD2.F32", IN_ROW * STEPS})                               \
    X(E4M3_HALF2, e4m3_half2, 90, 0, IN_ROW, STEPS, 20, 2, {"F2FP.F16.E4M3.UNPACK_B", IN_ROW * STEPS})                 \
    X(HALF2_E4M3, half2_e4m3, 90, 0, IN_ROW, STEPS, 20, 2,                                                             \
      {"F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C", IN_ROW * STEPS})                                                    \
    X(FLOAT_E4M3, float_e4m3, 90, 0, IN_ROW, STEPS, 20, 2,                                                             \
      {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", IN_ROW * STEPS})                                                     \
    X(MMA_FP64, mma_fp64, -90, 1, 1, STEPS, 70, 16, {"DMMA.16x8x16", STEPS})                                           \
    X(HALF2_CONSTANT, half2_constant, 80, 1, CHAINS, STEPS, 8, 1, {"HFMA2", 0})

#define OP_OF(op, ...)         op,
#define WORD_OF(op, word, ...) " " #word
#define KNOWN_OF(op, word, first, instructions, operations, steps, latency, interval, ...)                             \
    {instructions, operations, steps, latency, interval},
#define ROW_OF(op, word, first, instructions, operations, steps, latency, interval, ...)                               \
    FX_TIMED_FROM(first, "op=" #word, FX_K(run, op, steps), __VA_ARGS__),

enum { OPERATIONS(OP_OF) };

static const fx_axis axes[] = {
    {"op", "",
     "operation: a multiply-add, addition or product of floats, an integer multiply-add, a sum of three integers, two "
     "of these in turn (fadd_rotate: a float and 1, and a rotation, which read fewer registers), a multiply-add of "
     "doubles or of "
     "two halves, a logarithm, a reciprocal root, a sine, a division "
     "of integers, an integer to float and back, a shuffle, a sum over the warp, a product of tensor cores, a barrier, "
     "four chains of multiply-adds of two halves or bfloats, "
     "products of four bytes or of two words and bytes added up, a "
     "permutation of bytes, a vote or a match of the warp and a multiply-add, conversions of one kind each",
     OPERATIONS(WORD_OF), 0, 0, FMA32},
    {"warps", "warps", "warps at work on the SM", NULL, 1, MOST_WARPS, MOST_WARPS},
};

#define ALL                                                                                                            \
    "op=fma32,add32,mul32,imad,add3,fadd_rotate,fma_add3,fma_imad,fp64,half2,log2,rsqrt,sine,divide,convert,shuffle,"  \
    "redux,"                                                                                                           \
    "mma_fp16,mma_tf32,barrier "
#define SIMD_WORDS                                                                                                     \
    "op=half2_chains,bfloat2_chains,dp4a,dp2a,permute,vote,match_distinct,match_same,"                                 \
    "int_float,float_int,int8_float,float_half2,float_bfloat2,half_float,e4m3_half2,half2_e4m3,float_e4m3 "

static const fx_sweep sweeps[] = {
    {"warps", ALL "warps=1,2,4,8,12,16,24,32",
     "op=fma32,imad,fadd_rotate,fma_add3,fp64,log2,shuffle,mma_fp16 warps=1,32"},
    {"simd_words", SIMD_WORDS "warps=1,16,32", "op=half2_chains,permute,dp4a,e4m3_half2 warps=32"},
    {"peaks", "op=mma_fp64,half2_constant warps=1,4,8,16", NULL},
};

static const fx_metric metrics[] = {{"operation_cycles", "cycles", FX_SM_CYCLES, false, "warp-level operation"}};

static const struct {
    unsigned instructions, operations, steps;
    double latency, interval;
} known[] = {OPERATIONS(KNOWN_OF)};

/* A warp that waits for each result issues once per latency, and up to four warps do so side by side. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t op = params->value[OP], warps = params->value[WARPS];
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
    return facts->compute_major < 7 && (op == DP4A || op == DP2A || op == MATCH_DISTINCT || op == MATCH_SAME)
               ? "op=dp4a, op=dp2a, op=match_distinct and op=match_same are measured from compute capability 7.0 on"
           : facts->compute_major < 8 && (op == REDUX || op == MMA_FP16 || op == MMA_TF32)
               ? "op=redux, op=mma_fp16 and op=mma_tf32 need compute capability 8.0"
           : facts->compute_major < 8 && (op == BFLOAT2_CHAINS || op == FLOAT_HALF2 || op == FLOAT_BFLOAT2)
               ? "op=bfloat2_chains, op=float_half2 and op=float_bfloat2 need compute capability 8.0"
           : facts->compute_major < 9 && op == MMA_FP64 ? "op=mma_fp64 needs compute capability 9.0"
           : params->value[WARPS] > MOST_MATRIX_WARPS && op == MMA_FP64
               ? "op=mma_fp64 needs warps=24 or fewer: its matrices fill the registers"
           : facts->compute_major < 9 && (op == E4M3_HALF2 || op == HALF2_E4M3 || op == FLOAT_E4M3)
               ? "op=e4m3_half2, op=half2_e4m3 and op=float_e4m3 are measured from compute capability 9.0 on"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "chains.cuh"
#include "gpu/rig.h"

enum { PASS_CYCLES = 64000, CHAIN_CYCLES = 16000 };

template <int OP_, int STEPS_> __global__ void run(FX_TIMED_WITH(work, w)) {
    chain<OP_> c(w), again(w);
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_chains<1, STEPS_>(timed, marks, [&](int, int) { c.step(); }, [&] { return c.word(); });
    FX_NO_UNROLL for (uint32_t s = 0; s < w.steps; s++) {
        again.step();
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, c.word() != again.word());
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t op = c->params.value[OP], warps = c->params.value[WARPS];
    const double steps = known[op].steps;
    rig->warps = (unsigned)warps;
    rig->pass_cycles = warps > 1 ? PASS_CYCLES : CHAIN_CYCLES;
    /* a barrier is one for all warps together */
    rig->accesses = steps * known[op].operations / (op == BARRIER ? (double)warps : 1);
    rig->trip_cycles = steps * fmax(known[op].latency, (double)warps * known[op].interval);
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const int64_t op = c->params.value[OP];
    w->seed = seed;
    /* bytes that go round are back after 4 steps, a shuffle's words after 32 */
    w->steps = (uint32_t)fx_timed_steps(&rig->timed, known[op].steps, op == PERMUTE ? 4 : FX_WARP);
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {OPERATIONS(ROW_OF)};

FX_PROBE(arithmetic, .question = "What does an arithmetic instruction cost, and how many can an SM issue?",
         .method_version = 1, FX_PARTS, .fit_by = "op", .supported = supported, .draw = FX_GPU(draw), .once = true)
