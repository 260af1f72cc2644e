/* arithmetic: what does an instruction cost that computes, and how many can an SM issue? Method: each warp works a
 * chain of one operation: alone it waits for every result, more warps hide that until the unit is busy. Chains never
 * come back to where they began, or hardly ever, and are computed again without a clock. */
#include <math.h>

#include "core/probe.h"

enum { OP, WARPS };
enum { STEPS = 61, MANY_STEPS = 4 * STEPS, TWIN_STEPS = 2 * STEPS, ODD_STEPS = 4 * STEPS - 1, FEW_STEPS = 8 };
enum { CHAINS = 4 /* of HALF2_CHAINS, in turn */, IN_ROW = 4 /* conversions of a step */ };
enum { ALONE = 4 /* warps that each have a quarter of the SM to themselves */ };
enum { MOST_WARPS = 32, MOST_MATRIX_WARPS = 24 };

/* What is known of an operation before it is measured: its name on the axis; the compute capability that it is measured
 * from; the first architecture with this machine code; machine instructions of one (0: the compiler's choice);
 * operations of a step; steps of a trip (few where the code would not fit the instruction cache); about what a step
 * takes a warp alone, and the SM; the loop's opcodes. */
#define OPERATIONS(X)                                                                                                  \
    X(FMA32, fma32, 0, 0, 1, 1, MANY_STEPS, 4, 0.25, {"FFMA", MANY_STEPS})                                             \
    X(ADD32, add32, 0, 0, 1, 1, MANY_STEPS, 4, 0.25, {"FADD", MANY_STEPS})                                             \
    X(MUL32, mul32, 0, 0, 1, 1, MANY_STEPS, 4, 0.25, {"FMUL", MANY_STEPS})                                             \
    X(IMAD, imad, 0, 0, 1, 1, MANY_STEPS, 4, 0.5, {"IMAD", MANY_STEPS})                                                \
    X(ADD3, add3, 0, 0, 1, 1, MANY_STEPS, 4, 0.5, {"IADD3", 0})                                                        \
    X(FADD_ROTATE, fadd_rotate, 0, 0, 1, 2, TWIN_STEPS, 4, 0.5, {"FADD", TWIN_STEPS}, {"SHF.L.W.U32.HI", TWIN_STEPS})  \
    X(FMA_ADD3, fma_add3, 0, 0, 1, 2, TWIN_STEPS, 4, 0.75, {"FFMA", TWIN_STEPS}, {"IADD3", 0})                         \
    X(FMA_IMAD, fma_imad, 0, 0, 1, 2, TWIN_STEPS, 4, 0.75, {"FFMA", TWIN_STEPS}, {"IMAD", TWIN_STEPS})                 \
    X(FP64, fp64, 0, 0, 1, 1, MANY_STEPS, 8, 0.5, {"DFMA", MANY_STEPS})                                                \
    X(HALF2, half2, 0, 0, 1, 1, MANY_STEPS, 8, 0.3, {"HFMA2", 0})                                                      \
    X(LOG2, log2, 0, 0, 1, 1, STEPS, 17, 2, {"MUFU.LG2", STEPS})                                                       \
    X(RSQRT, rsqrt, 0, 0, 2, 1, STEPS, 23, 2, {"MUFU.RSQ", STEPS}, {"FADD.FTZ", STEPS})                                \
    X(SINE, sine, 0, 0, 3, 1, STEPS, 25, 2, {"MUFU.SIN", STEPS})                                                       \
    X(DIVIDE, divide, 0, 0, 0, 1, FEW_STEPS, 131, 8, {"MUFU.RCP", FEW_STEPS}, {"I2F.U32.RP", FEW_STEPS},               \
      {"F2I.FTZ.U32.TRUNC.NTZ", FEW_STEPS})                                                                            \
    X(CONVERT, convert, 0, 90, 0, 2, STEPS, 28, 2, {"I2FP.F32.U32", STEPS}, {"F2I.U32.TRUNC.NTZ", STEPS})              \
    X(SHUFFLE, shuffle, 0, 0, 1, 1, STEPS, 26, 1, {"SHFL.IDX", STEPS})                                                 \
    X(REDUX, redux, 8, 80, 2, 1, STEPS, 47, 2, {"REDUX.SUM", STEPS}, {"IMAD", STEPS})                                  \
    X(MMA_FP16, mma_fp16, 8, 80, 1, 1, STEPS, 24, 1.5, {"HMMA.16816.F32", STEPS})                                      \
    X(MMA_TF32, mma_tf32, 8, 80, 1, 1, STEPS, 24, 1.5, {"HMMA.1688.F32.TF32", STEPS})                                  \
    X(BARRIER, barrier, 0, 80, 1, 1, STEPS, 16, 1, {"BAR.SYNC.DEFER_BLOCKING", STEPS})                                 \
    X(HALF2_CHAINS, half2_chains, 0, 80, 1, CHAINS, STEPS, 8, 1, {"HFMA2", 0})                                         \
    X(BFLOAT2_CHAINS, bfloat2_chains, 8, 90, 1, CHAINS, STEPS, 8, 1, {"HFMA2.BF16_V2", 0})                             \
    X(DP4A, dp4a, 7, 0, 1, 1, MANY_STEPS, 5, 0.5, {"IDP.4A.U8.U8", MANY_STEPS})                                        \
    X(DP2A, dp2a, 7, 0, 1, 1, MANY_STEPS, 5, 0.5, {"IDP.2A.LO.U16.U8", MANY_STEPS})                                    \
    X(PERMUTE, permute, 0, 0, 1, 1, ODD_STEPS, 5, 0.5, {"PRMT", ODD_STEPS})                                            \
    X(VOTE, vote, 0, 0, 3, 1, STEPS, 20, 1, {"VOTE.ANY", STEPS}, {"IMAD", STEPS})                                      \
    X(MATCH_DISTINCT, match_distinct, 7, 0, 0, 1, FEW_STEPS, 400, 16, {"MATCH.ANY", FEW_STEPS})                        \
    X(MATCH_SAME, match_same, 7, 0, 0, 1, FEW_STEPS, 30, 2, {"MATCH.ANY", FEW_STEPS})                                  \
    X(INT_FLOAT, int_float, 0, 90, 0, IN_ROW, STEPS, 20, 2, {"I2FP.F32.S32", IN_ROW * STEPS})                          \
    X(FLOAT_INT, float_int, 0, 0, 0, IN_ROW, STEPS, 50, 8, {"F2I.TRUNC.NTZ", IN_ROW * STEPS})                          \
    X(INT8_FLOAT, int8_float, 0, 0, 0, IN_ROW, STEPS, 50, 8, {"I2F.S8", IN_ROW * STEPS})                               \
    X(FLOAT_HALF2, float_half2, 8, 90, 0, IN_ROW, STEPS, 20, 2, {"F2FP.F16.F32.PACK_AB", IN_ROW * STEPS})              \
    X(FLOAT_BFLOAT2, float_bfloat2, 8, 90, 0, IN_ROW, STEPS, 20, 2, {"F2FP.BF16.F32.PACK_AB", IN_ROW * STEPS})         \
    X(HALF_FLOAT, half_float, 0, 0, 0, IN_ROW, STEPS, 20, 2, {"HADD2.F32", IN_ROW * STEPS})                            \
    X(E4M3_HALF2, e4m3_half2, 9, 90, 0, IN_ROW, STEPS, 20, 2, {"F2FP.F16.E4M3.UNPACK_B", IN_ROW * STEPS})              \
    X(HALF2_E4M3, half2_e4m3, 9, 90, 0, IN_ROW, STEPS, 20, 2,                                                          \
      {"F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C", IN_ROW * STEPS})                                                    \
    X(FLOAT_E4M3, float_e4m3, 9, 90, 0, IN_ROW, STEPS, 20, 2,                                                          \
      {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", IN_ROW * STEPS})                                                     \
    X(MMA_FP64, mma_fp64, 9, -90, 1, 1, STEPS, 70, 16, {"DMMA.16x8x16", STEPS})                                        \
    X(HALF2_CONSTANT, half2_constant, 0, 80, 1, CHAINS, STEPS, 8, 1, {"HFMA2", 0})

#define OP_OF(op, ...)         op,
#define WORD_OF(op, word, ...) " " #word
#define SINCE(word, major)     "op=" #word " is measured from compute capability " #major ".0 on"
#define KNOWN_OF(op, word, major, first, instructions, operations, steps, latency, interval, ...)                      \
    {instructions, operations, steps, latency, interval, major, SINCE(word, major)},
#define ROW_OF(op, word, major, first, instructions, operations, steps, latency, interval, ...)                        \
    FX_TIMED_FROM(first, "op=" #word, FX_K(run, op, steps), __VA_ARGS__),

enum { OPERATIONS(OP_OF) };

static const fx_axis axes[] = {
    {"op", "",
     "operation: a multiply-add, addition or product of floats, an integer multiply-add, a sum of three integers, two "
     "of these in turn (fadd_rotate: a float and 1, and a rotation, which read fewer registers), a multiply-add of "
     "doubles or of two halves, a logarithm, a reciprocal root, a sine, a division of integers, an integer to float "
     "and back, a shuffle, a sum over the warp, a product of tensor cores, a barrier, four chains of multiply-adds of "
     "two halves or bfloats, products of four bytes or of two words and bytes added up, a permutation of bytes, a vote "
     "or a match of the warp and a multiply-add, conversions of one kind each",
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
    int major;
    const char *reason; /* where it is older */
} known[] = {OPERATIONS(KNOWN_OF)};

/* A warp that waits for each result issues once per latency, and up to four warps do so side by side. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t op = params->value[OP], warps = params->value[WARPS];
    out->law = "turns";
    out->count = 1.0 / (double)warps;
    out->why_not = op == BARRIER   ? "the warps of a barrier wait for each other"
                   : warps > ALONE ? "warps share a scheduler, and may keep a unit busy"
                                   : NULL;
    if (known[op].instructions > 0) {
        fx_prediction_count(out, "instructions", known[op].instructions);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t op = params->value[OP];
    return facts->compute_major < known[op].major ? known[op].reason
           : op == MMA_FP64 && params->value[WARPS] > MOST_MATRIX_WARPS
               ? "op=mma_fp64 needs warps=24 or fewer: its matrices fill the registers"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* The chains of operations: one type for each, with a state that each step replaces. What a step needs beside it comes
 * from the thread's number and a 0 that the compiler does not know, so that it lies in registers of the thread; written
 * as PTX, so that nothing is folded, merged or left out. */

typedef struct work {
    uint64_t seed;
    uint32_t steps; /* of all passes */
    uint32_t none;  /* 0 */
} work;

/* A word of the thread's own, and one that all have in common but that the compiler can't know to be so. */
__device__ __forceinline__ uint32_t own_word(const work &w, uint32_t i) {
    return fx_random_word(w.seed, threadIdx.x + 1024 * i);
}

__device__ __forceinline__ uint32_t common_word(const work &w, uint32_t word) {
    return word + threadIdx.x * w.none;
}

__device__ __forceinline__ float common_float(const work &w, float value) {
    return __uint_as_float(common_word(w, __float_as_uint(value)));
}

/* Small enough that as many ones as there are steps are added to it without rounding. */
__device__ __forceinline__ float own_count(const work &w) {
    return (float)(own_word(w, 0) % (1 << 20));
}

/* A value in [0.5, 1). */
__device__ __forceinline__ float own_fraction(const work &w) {
    return __uint_as_float(0x3f000000u | (own_word(w, 0) & 0x7fffffu));
}

template <int OP_> struct chain;

__device__ __forceinline__ uint32_t bits_of(uint32_t x) {
    return x;
}
__device__ __forceinline__ uint32_t bits_of(float x) {
    return __float_as_uint(x);
}
__device__ __forceinline__ uint32_t bits_of(double x) {
    return __float_as_uint((float)x);
}

/* Of four values that do not wait for each other. */
template <typename VALUE_> __device__ __forceinline__ uint32_t word_of(const VALUE_ (&x)[4]) {
    return bits_of(x[0]) + 3 * bits_of(x[1]) + 5 * bits_of(x[2]) + 7 * bits_of(x[3]);
}

/* A chain of one PTX line: %0 is its state, from `first` on, %1 and %2 are what it takes beside. */
#define CHAIN(op, state, letter, first, beside, other, text)                                                           \
    template <> struct chain<op> {                                                                                     \
        state x, a, b;                                                                                                 \
        __device__ explicit chain(const work &w) : x(first), a(beside), b(other) {}                                    \
        __device__ __forceinline__ void step() {                                                                       \
            asm volatile(text : "+" letter(x) : letter(a), letter(b));                                                 \
        }                                                                                                              \
        __device__ uint32_t word() const {                                                                             \
            return bits_of(x);                                                                                         \
        }                                                                                                              \
    };

CHAIN(FMA32, float, "f", own_count(w), common_float(w, 1), common_float(w, 1), "fma.rn.f32 %0, %0, %1, %2;")
CHAIN(ADD32, float, "f", own_count(w), common_float(w, 1), 0, "add.rn.f32 %0, %0, %1;")

/* The factor is the float next to 1. */
CHAIN(MUL32, float, "f", own_fraction(w), common_float(w, 1.00000012f), 0, "mul.rn.f32 %0, %0, %1;")

/* With a factor of 5 modulo 8 and an odd addend no value comes back within 2^32 steps. */
CHAIN(IMAD, uint32_t, "r", own_word(w, 0), common_word(w, 0x2545f495), common_word(w, 0x9e3779b9),
      "mad.lo.u32 %0, %0, %1, %2;")
CHAIN(ADD3, uint32_t, "r", own_word(w, 0), common_word(w, 0x2545f495), common_word(w, 0x9e3779b8),
      "{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}")

template <int ONE_, int OTHER_> struct both {
    chain<ONE_> one;
    chain<OTHER_> other;
    __device__ explicit both(const work &w) : one(w), other(w) {}
    __device__ __forceinline__ void step() {
        one.step();
        other.step();
    }
    __device__ uint32_t word() const { return one.word() + 31 * other.word(); }
};

/* Additions of the constant 1 beside rotations, which come back after 32. */
template <> struct chain<FADD_ROTATE> {
    float x;
    uint32_t y, a;
    __device__ explicit chain(const work &w) : x(own_count(w)), y(own_word(w, 1)), a(common_word(w, 7)) {}
    __device__ __forceinline__ void step() {
        asm volatile("add.rn.f32 %0, %0, 0f3F800000; shf.l.wrap.b32 %1, %1, %1, %2;" : "+f"(x), "+r"(y) : "r"(a));
    }
    __device__ uint32_t word() const { return __float_as_uint(x) + 31 * y; }
};

#define BOTH(op, other)                                                                                                \
    template <> struct chain<op> : both<FMA32, other> {                                                                \
        using both::both;                                                                                              \
    };
BOTH(FMA_ADD3, ADD3)
BOTH(FMA_IMAD, IMAD)

CHAIN(FP64, double, "d", own_count(w), 1 + (double)common_word(w, 0), 1 + (double)common_word(w, 0),
      "fma.rn.f64 %0, %0, %1, %2;")

/* x * x - 1.8 in both halves, which never settles; it comes back after some hundred steps. */
CHAIN(HALF2, uint32_t, "r", (own_word(w, 0) & 0x03ff03ffu) | 0x38003800u, common_word(w, 0xbf33bf33u), 0,
      "fma.rn.f16x2 %0, %0, %0, %1;")

/* The logarithm of the magnitude, which never settles. */
template <> struct chain<LOG2> {
    float x;
    __device__ explicit chain(const work &w) : x(own_fraction(w)) {}
    __device__ __forceinline__ void step() {
        asm volatile("{.reg .f32 t; abs.f32 t, %0; lg2.approx.ftz.f32 %0, t;}" : "+f"(x));
    }
    __device__ uint32_t word() const { return __float_as_uint(x); }
};
CHAIN(RSQRT, float, "f", own_fraction(w), common_float(w, -1.5f), 0,
      "{.reg .f32 t; add.ftz.f32 t, %0, %1; abs.f32 t, t; rsqrt.approx.ftz.f32 %0, t;}")
CHAIN(SINE, float, "f", own_fraction(w), common_float(w, 3), 0,
      "{.reg .f32 t; mul.ftz.f32 t, %0, %1; sin.approx.ftz.f32 %0, t;}")

/* The divisor is the state, or the compiler would divide once. */
CHAIN(DIVIDE, uint32_t, "r", own_word(w, 0), own_word(w, 1), common_word(w, 0x2545f495),
      "{.reg .u32 q; div.u32 q, %1, %0; mad.lo.u32 %0, %0, %2, q;}")

/* Between the two conversions 1 is added to the float. */
CHAIN(CONVERT, uint32_t, "r", own_word(w, 0) % (1 << 20), common_word(w, 0x3f800000u), 0,
      "{.reg .f32 t, d; mov.b32 d, %1; cvt.rn.f32.u32 t, %0; add.f32 t, t, d; cvt.rzi.u32.f32 %0, t;}")

/* After 32 steps the value is back; fx_timed_steps sees to it that the last one is not. */
CHAIN(SHUFFLE, uint32_t, "r", own_word(w, 0), (threadIdx.x + 1) % FX_WARP, 0,
      "shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;")

/* Factors of the lanes: their sum is 5 modulo 8. */
CHAIN(REDUX, uint32_t, "r", own_word(w, 0), common_word(w, threadIdx.x % FX_WARP == 0 ? 0x2545f495 : 8),
      own_word(w, 1) | 1, FX_FROM_800("{.reg .u32 s; redux.sync.add.u32 s, %0, 0xffffffff; mad.lo.u32 %0, s, %1, %2;}"))

/* Matrices of ones: each step adds 16, or 8, to every sum, without rounding. */
#define MATRICES(op, state, letter, element, of_one, one, text)                                                        \
    template <> struct chain<op> {                                                                                     \
        state sum[4];                                                                                                  \
        element ones;                                                                                                  \
        __device__ explicit chain(const work &w) : ones(one) {                                                         \
            for (int i = 0; i < 4; i++) {                                                                              \
                sum[i] = (state)(own_word(w, (uint32_t)i) % 4096);                                                     \
            }                                                                                                          \
        }                                                                                                              \
        __device__ __forceinline__ void step() {                                                                       \
            asm volatile(text                                                                                          \
                         : "+" letter(sum[0]), "+" letter(sum[1]), "+" letter(sum[2]), "+" letter(sum[3])              \
                         : of_one(ones));                                                                              \
        }                                                                                                              \
        __device__ uint32_t word() const {                                                                             \
            return word_of(sum);                                                                                       \
        }                                                                                                              \
    };
#define MULTIPLY(shape, a, b) "mma.sync.aligned." shape " {%0, %1, %2, %3}, {" a "}, {" b "}, {%0, %1, %2, %3};"
MATRICES(MMA_FP16, float, "f", uint32_t, "r", common_word(w, 0x3c003c00u),
         FX_FROM_800(MULTIPLY("m16n8k16.row.col.f32.f16.f16.f32", "%4, %4, %4, %4", "%4, %4")))
MATRICES(MMA_TF32, float, "f", uint32_t, "r", common_word(w, 0x3f800000u),
         FX_FROM_800(MULTIPLY("m16n8k8.row.col.f32.tf32.tf32.f32", "%4, %4, %4, %4", "%4, %4")))
MATRICES(MMA_FP64, double, "d", double, "d", 1 + (double)common_word(w, 0),
         FX_FROM_900(MULTIPLY("m16n8k16.row.col.f64.f64.f64.f64", "%4, %4, %4, %4, %4, %4, %4, %4", "%4, %4, %4, %4")))

/* Nothing is computed: only the machine code shows that the barriers are there. */
template <> struct chain<BARRIER> {
    uint32_t x;
    __device__ explicit chain(const work &w) : x(own_word(w, 0)) {}
    __device__ __forceinline__ void step() { asm volatile("bar.sync 0;" ::: "memory"); }
    __device__ uint32_t word() const { return x; }
};

/* x * x - 1.8 as above, in chains that do not wait for each other; and the same with the addend in the instruction,
 * which reads one register. */
#define IN_TURN(op, kept, set, addend, text, ...)                                                                      \
    template <> struct chain<op> {                                                                                     \
        uint32_t x[CHAINS], d;                                                                                         \
        __device__ explicit chain(const work &w) : d(common_word(w, addend)) {                                         \
            for (int i = 0; i < CHAINS; i++) {                                                                         \
                x[i] = (own_word(w, (uint32_t)i) & kept) | set;                                                        \
            }                                                                                                          \
        }                                                                                                              \
        __device__ __forceinline__ void step() {                                                                       \
            FX_UNROLL for (int i = 0; i < CHAINS; i++) {                                                               \
                asm volatile(text : "+r"(x[i]) : __VA_ARGS__);                                                         \
            }                                                                                                          \
        }                                                                                                              \
        __device__ uint32_t word() const {                                                                             \
            return word_of(x);                                                                                         \
        }                                                                                                              \
    };
IN_TURN(HALF2_CHAINS, 0x03ff03ffu, 0x38003800u, 0xbf33bf33u, "fma.rn.f16x2 %0, %0, %0, %1;", "r"(d))
IN_TURN(BFLOAT2_CHAINS, 0x007f007fu, 0x3f003f00u, 0xbfd8bfd8u, FX_FROM_800("fma.rn.bf16x2 %0, %0, %0, %1;"), "r"(d))
IN_TURN(HALF2_CONSTANT, 0x03ff03ffu, 0x38003800u, 0,
        "{.reg .b32 d; mov.b32 d, 0xbf33bf33; fma.rn.f16x2 %0, %0, %0, d;}")

/* What is added each time is odd. */
CHAIN(DP4A, uint32_t, "r", own_word(w, 0), common_word(w, 0x01030507), common_word(w, 0x11020406),
      FX_FROM_610("dp4a.u32.u32 %0, %1, %2, %0;"))
CHAIN(DP2A, uint32_t, "r", own_word(w, 0), common_word(w, 0x01030507), common_word(w, 0x02040611),
      FX_FROM_610("dp2a.lo.u32.u32 %0, %1, %2, %0;"))

/* The bytes go round: after 4 steps they are back. */
CHAIN(PERMUTE, uint32_t, "r", own_word(w, 0), common_word(w, 0), common_word(w, 0x0321), "prmt.b32 %0, %0, %1, %2;")

/* What the warp answers is added to a product, so that the question is another one each time: %0 is the answer, %1 the
 * state. */
#define ASKED(op, first, beside, text)                                                                                 \
    template <> struct chain<op> {                                                                                     \
        uint32_t x, factor, a;                                                                                         \
        __device__ explicit chain(const work &w) : x(first), factor(common_word(w, 0x2545f495)), a(beside) {}          \
        __device__ __forceinline__ void step() {                                                                       \
            uint32_t answer;                                                                                           \
            asm volatile(text : "=r"(answer) : "r"(x), "r"(a));                                                        \
            asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(factor), "r"(answer));                           \
        }                                                                                                              \
        __device__ uint32_t word() const {                                                                             \
            return x;                                                                                                  \
        }                                                                                                              \
    };
#define MATCH FX_FROM_700("match.any.sync.b32 %0, %1, 0xffffffff;")
ASKED(VOTE, own_word(w, 0), 0, "{.reg .pred p; setp.gt.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}")
ASKED(MATCH_DISTINCT, own_word(w, 0), 0, MATCH)
ASKED(MATCH_SAME, common_word(w, (uint32_t)w.seed), 0, MATCH)

/* Conversions, each of what the one before gave, whatever that is as the other type; the last one's is added to a
 * product, so that no step repeats. %2 is what a conversion of two takes beside. */
#define CONVERSIONS(op, text)                                                                                          \
    ASKED(op, own_word(w, 0), common_word(w, 0x3f800000u), "mov.b32 %0, %1;" text text text text)
CONVERSIONS(INT_FLOAT, "cvt.rn.f32.s32 %0, %0;")
CONVERSIONS(FLOAT_INT, "cvt.rzi.s32.f32 %0, %0;")
CONVERSIONS(INT8_FLOAT, "cvt.rn.f32.s8 %0, %0;")
CONVERSIONS(FLOAT_HALF2, FX_FROM_800("cvt.rn.f16x2.f32 %0, %0, %2;"))
CONVERSIONS(FLOAT_BFLOAT2, FX_FROM_800("cvt.rn.bf16x2.f32 %0, %0, %2;"))
CONVERSIONS(HALF_FLOAT, "{.reg .b16 h, g; mov.b32 {h, g}, %0; cvt.f32.f16 %0, h;}")
CONVERSIONS(E4M3_HALF2, FX_FROM_900("{.reg .b16 h, g; mov.b32 {h, g}, %0; cvt.rn.f16x2.e4m3x2 %0, h;}"))
CONVERSIONS(HALF2_E4M3, FX_FROM_900("{.reg .b16 h; cvt.rn.satfinite.e4m3x2.f16x2 h, %0; mov.b32 %0, {h, h};}"))
CONVERSIONS(FLOAT_E4M3, FX_FROM_900("{.reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, %0, %2; mov.b32 %0, {h, h};}"))

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
