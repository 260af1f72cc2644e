/* The chains of operations: one type for each, with a state that each step replaces. What a step needs beside it comes
 * from the thread's number and a 0 that the compiler does not know, so that it lies in registers of the thread; written
 * as PTX, so that nothing is folded, merged or left out. */
#pragma once

#include "gpu/from.cuh"
#include "gpu/timed.cuh"

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
