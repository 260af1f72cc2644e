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
    BARRIER,
    HALF2_CHAINS,
    BFLOAT2_CHAINS,
    DP4A,
    DP2A,
    PERMUTE,
    VOTE,
    MATCH_DISTINCT,
    MATCH_SAME,
    INT_FLOAT,
    FLOAT_INT,
    INT8_FLOAT,
    FLOAT_HALF2,
    FLOAT_BFLOAT2,
    HALF_FLOAT,
    E4M3_HALF2,
    HALF2_E4M3,
    FLOAT_E4M3,
    MMA_FP64,
    HALF2_CONSTANT,
    OP_COUNT
};
enum { STEPS = 61, MANY_STEPS = 4 * STEPS, TWIN_STEPS = 2 * STEPS, ODD_STEPS = 4 * STEPS - 1, FEW_STEPS = 8 };
enum { CHAINS = 4 /* of HALF2_CHAINS, in turn */, IN_ROW = 4 /* conversions of a step */ };
enum {
    ALONE = 4 /* warps that each have a quarter of the SM to themselves */,
    MOST_WARPS = 32,
    MOST_MATRIX_WARPS = 24
};

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
     "fma32 add32 mul32 imad add3 fadd_rotate fma_add3 fma_imad fp64 half2 log2 rsqrt sine divide convert shuffle "
     "redux "
     "mma_fp16 "
     "mma_tf32 barrier "
     "half2_chains bfloat2_chains dp4a dp2a permute vote match_distinct match_same int_float "
     "float_int int8_float float_half2 float_bfloat2 half_float e4m3_half2 half2_e4m3 float_e4m3 "
     "mma_fp64 half2_constant",
     0, 0, FMA32},
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
    /* HALF2_CHAINS */ {1, CHAINS, STEPS, 8, 1},
    /* BFLOAT2_CHAINS */ {1, CHAINS, STEPS, 8, 1},
    /* DP4A */ {1, 1, MANY_STEPS, 5, 0.5},
    /* DP2A */ {1, 1, MANY_STEPS, 5, 0.5},
    /* PERMUTE */ {1, 1, ODD_STEPS, 5, 0.5},
    /* VOTE */ {3, 1, STEPS, 20, 1},
    /* MATCH_DISTINCT */ {0, 1, FEW_STEPS, 400, 16},
    /* MATCH_SAME */ {0, 1, FEW_STEPS, 30, 2},
    /* INT_FLOAT */ {0, IN_ROW, STEPS, 20, 2},
    /* FLOAT_INT */ {0, IN_ROW, STEPS, 50, 8},
    /* INT8_FLOAT */ {0, IN_ROW, STEPS, 50, 8},
    /* FLOAT_HALF2 */ {0, IN_ROW, STEPS, 20, 2},
    /* FLOAT_BFLOAT2 */ {0, IN_ROW, STEPS, 20, 2},
    /* HALF_FLOAT */ {0, IN_ROW, STEPS, 20, 2},
    /* E4M3_HALF2 */ {0, IN_ROW, STEPS, 20, 2},
    /* HALF2_E4M3 */ {0, IN_ROW, STEPS, 20, 2},
    /* FLOAT_E4M3 */ {0, IN_ROW, STEPS, 20, 2},
    /* MMA_FP64 */ {1, 1, STEPS, 70, 16},
    /* HALF2_CONSTANT */ {1, CHAINS, STEPS, 8, 1},
};
static_assert(sizeof known / sizeof *known == OP_COUNT, "an unknown operation");

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

template <int OP_, int STEPS_>
__global__ void run(const __grid_constant__ fx_timed timed, const __grid_constant__ work w) {
    chain<OP_> c(w), again(w);
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
        FX_UNROLL for (int s = 0; s < STEPS_; s++) {
            c.step();
        }
    };
    fx_timed_passes(timed, marks, FX_ALL_LANES, trip, [&] { fx_consume(c.word()); });
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

static const fx_kernel kernels[] = {
    FX_TIMED("op=fma32", FX_K(run, FMA32, MANY_STEPS), {"FFMA", MANY_STEPS}),
    FX_TIMED("op=add32", FX_K(run, ADD32, MANY_STEPS), {"FADD", MANY_STEPS}),
    FX_TIMED("op=mul32", FX_K(run, MUL32, MANY_STEPS), {"FMUL", MANY_STEPS}),
    FX_TIMED("op=imad", FX_K(run, IMAD, MANY_STEPS), {"IMAD", MANY_STEPS}),
    FX_TIMED("op=add3", FX_K(run, ADD3, MANY_STEPS), {"IADD3", 0}),
    FX_TIMED("op=fadd_rotate", FX_K(run, FADD_ROTATE, TWIN_STEPS), {"FADD", TWIN_STEPS},
             {"SHF.L.W.U32.HI", TWIN_STEPS}),
    FX_TIMED("op=fma_add3", FX_K(run, FMA_ADD3, TWIN_STEPS), {"FFMA", TWIN_STEPS}, {"IADD3", 0}),
    FX_TIMED("op=fma_imad", FX_K(run, FMA_IMAD, TWIN_STEPS), {"FFMA", TWIN_STEPS}, {"IMAD", TWIN_STEPS}),
    FX_TIMED("op=fp64", FX_K(run, FP64, MANY_STEPS), {"DFMA", MANY_STEPS}),
    FX_TIMED("op=half2", FX_K(run, HALF2, MANY_STEPS), {"HFMA2", 0}),
    FX_TIMED("op=log2", FX_K(run, LOG2, STEPS), {"MUFU.LG2", STEPS}),
    FX_TIMED("op=rsqrt", FX_K(run, RSQRT, STEPS), {"MUFU.RSQ", STEPS}, {"FADD.FTZ", STEPS}),
    FX_TIMED("op=sine", FX_K(run, SINE, STEPS), {"MUFU.SIN", STEPS}),
    FX_TIMED("op=divide", FX_K(run, DIVIDE, FEW_STEPS), {"MUFU.RCP", FEW_STEPS}, {"I2F.U32.RP", FEW_STEPS},
             {"F2I.FTZ.U32.TRUNC.NTZ", FEW_STEPS}),
    FX_TIMED_FROM(90, "op=convert", FX_K(run, CONVERT, STEPS), {"I2FP.F32.U32", STEPS}, {"F2I.U32.TRUNC.NTZ", STEPS}),
    FX_TIMED("op=shuffle", FX_K(run, SHUFFLE, STEPS), {"SHFL.IDX", STEPS}),
    FX_TIMED_FROM(80, "op=redux", FX_K(run, REDUX, STEPS), {"REDUX.SUM", STEPS}, {"IMAD", STEPS}),
    FX_TIMED_FROM(80, "op=mma_fp16", FX_K(run, MMA_FP16, STEPS), {"HMMA.16816.F32", STEPS}),
    FX_TIMED_FROM(80, "op=mma_tf32", FX_K(run, MMA_TF32, STEPS), {"HMMA.1688.F32.TF32", STEPS}),
    FX_TIMED_FROM(80, "op=barrier", FX_K(run, BARRIER, STEPS), {"BAR.SYNC.DEFER_BLOCKING", STEPS}),
    FX_TIMED_FROM(80, "op=half2_chains", FX_K(run, HALF2_CHAINS, STEPS), {"HFMA2", 0}),
    FX_TIMED_FROM(90, "op=bfloat2_chains", FX_K(run, BFLOAT2_CHAINS, STEPS), {"HFMA2.BF16_V2", 0}),
    FX_TIMED("op=dp4a", FX_K(run, DP4A, MANY_STEPS), {"IDP.4A.U8.U8", MANY_STEPS}),
    FX_TIMED("op=dp2a", FX_K(run, DP2A, MANY_STEPS), {"IDP.2A.LO.U16.U8", MANY_STEPS}),
    FX_TIMED("op=permute", FX_K(run, PERMUTE, ODD_STEPS), {"PRMT", ODD_STEPS}),
    FX_TIMED("op=vote", FX_K(run, VOTE, STEPS), {"VOTE.ANY", STEPS}, {"IMAD", STEPS}),
    FX_TIMED("op=match_distinct", FX_K(run, MATCH_DISTINCT, FEW_STEPS), {"MATCH.ANY", FEW_STEPS}),
    FX_TIMED("op=match_same", FX_K(run, MATCH_SAME, FEW_STEPS), {"MATCH.ANY", FEW_STEPS}),
    FX_TIMED_FROM(90, "op=int_float", FX_K(run, INT_FLOAT, STEPS), {"I2FP.F32.S32", IN_ROW *STEPS}),
    FX_TIMED("op=float_int", FX_K(run, FLOAT_INT, STEPS), {"F2I.TRUNC.NTZ", IN_ROW *STEPS}),
    FX_TIMED("op=int8_float", FX_K(run, INT8_FLOAT, STEPS), {"I2F.S8", IN_ROW *STEPS}),
    FX_TIMED_FROM(90, "op=float_half2", FX_K(run, FLOAT_HALF2, STEPS), {"F2FP.F16.F32.PACK_AB", IN_ROW *STEPS}),
    FX_TIMED_FROM(90, "op=float_bfloat2", FX_K(run, FLOAT_BFLOAT2, STEPS), {"F2FP.BF16.F32.PACK_AB", IN_ROW *STEPS}),
    FX_TIMED("op=half_float", FX_K(run, HALF_FLOAT, STEPS), {"HADD2.F32", IN_ROW *STEPS}),
    FX_TIMED_FROM(90, "op=e4m3_half2", FX_K(run, E4M3_HALF2, STEPS), {"F2FP.F16.E4M3.UNPACK_B", IN_ROW *STEPS}),
    FX_TIMED_FROM(90, "op=half2_e4m3", FX_K(run, HALF2_E4M3, STEPS),
                  {"F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C", IN_ROW *STEPS}),
    FX_TIMED_FROM(90, "op=float_e4m3", FX_K(run, FLOAT_E4M3, STEPS),
                  {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", IN_ROW *STEPS}),
    FX_TIMED_FROM(80, "op=half2_constant", FX_K(run, HALF2_CONSTANT, STEPS), {"HFMA2", 0}),
    FX_TIMED_FROM(-90, "op=mma_fp64", FX_K(run, MMA_FP64, STEPS), {"DMMA.16x8x16", STEPS}),
};

FX_PROBE(arithmetic, .question = "What does an arithmetic instruction cost, and how many can an SM issue?",
         .method_version = 1, FX_TABLES, .fit_by = "op", .law = law, .supported = supported, .arrange = FX_GPU(arrange),
         .draw = FX_GPU(draw), FX_TABLE(kernels), .once = true)
