/* wgmma by type, columns and place of A: one warpgroup's D += A x B, 64 x COLUMNS_ elements over 32 bytes of k. The
 * instruction is asynchronous. It is in sm_90a alone. */
#pragma once

#include "gpu/matrix.cuh"
#include "values.h"

#define ISSUE(sparse, shape, kinds, list, outputs, a, b, tail, ...)                                                    \
    asm volatile("{\n.reg .pred kept;\nsetp.eq.u32 kept, 0, 0;\nwgmma.mma_async" sparse ".sync.aligned." shape kinds   \
                 " {" list "}, " a ", " b ", kept" tail ";\n}\n"                                                       \
                 : outputs                                                                                             \
                 : __VA_ARGS__)
#define OF_COLUMNS(columns, count, a, b, r0, r1, r2, r3, rb)                                                           \
    if constexpr (COLUMNS_ == columns && A_ == A_SHARED && TYPE_ == FP16) {                                            \
        ISSUE("", "m64n" #columns "k16.", "f32.f16.f16", FX_D##count, FX_OUT##count("+f", d, 0), a, b, ", 1, 1, 0, 0", \
              "l"(at_a), "l"(at_b));                                                                                   \
    }                                                                                                                  \
    if constexpr (COLUMNS_ == columns && A_ == A_REGISTERS && TYPE_ == FP16) {                                         \
        ISSUE("", "m64n" #columns "k16.", "f32.f16.f16", FX_D##count, FX_OUT##count("+f", d, 0),                       \
              "{" r0 ", " r1 ", " r2 ", " r3 "}", rb, ", 1, 1, 0", "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]),           \
              "r"(of_a[3]), "l"(at_b));                                                                                \
    }
#define OF_TYPE(type, shape, kinds, tail)                                                                              \
    if constexpr (COLUMNS_ == 256 && A_ == A_SHARED && TYPE_ == type) {                                                \
        ISSUE("", shape, kinds, FX_D128, FX_OUT128("+f", d, 0), "%128", "%129", tail, "l"(at_a), "l"(at_b));           \
    }

/* D is words, that a type may call floats. */
template <int TYPE_, int COLUMNS_, int A_, typename SUM_>
__device__ __forceinline__ void multiply(SUM_ (&d)[COLUMNS_ / 2], const uint32_t (&of_a)[4], uint64_t at_a,
                                         uint64_t at_b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    OF_COLUMNS(8, 4, "%4", "%5", "%4", "%5", "%6", "%7", "%8")
    OF_COLUMNS(16, 8, "%8", "%9", "%8", "%9", "%10", "%11", "%12")
    OF_COLUMNS(32, 16, "%16", "%17", "%16", "%17", "%18", "%19", "%20")
    OF_COLUMNS(64, 32, "%32", "%33", "%32", "%33", "%34", "%35", "%36")
    OF_COLUMNS(128, 64, "%64", "%65", "%64", "%65", "%66", "%67", "%68")
    OF_COLUMNS(256, 128, "%128", "%129", "%128", "%129", "%130", "%131", "%132")
    OF_TYPE(BF16, "m64n256k16.", "f32.bf16.bf16", ", 1, 1, 0, 0")
    OF_TYPE(TF32, "m64n256k8.", "f32.tf32.tf32", ", 1, 1")
    OF_TYPE(E4M3, "m64n256k32.", "f32.e4m3.e4m3", ", 1, 1")
    OF_TYPE(E5M2, "m64n256k32.", "f32.e5m2.e5m2", ", 1, 1")
#if CUDART_VERSION >= 12020
    if constexpr (TYPE_ == FP16_SPARSE && A_ == A_SHARED) { /* of each four elements the first two */
        ISSUE(".sp", "m64n256k32.", "f32.f16.f16", FX_D128, FX_OUT128("+f", d, 0), "%128", "%129, %130, 0",
              ", 1, 1, 0, 0", "l"(at_a), "l"(at_b), "r"(0x44444444));
    }
    if constexpr (TYPE_ == FP16_SPARSE && A_ == A_REGISTERS) {
        ISSUE(".sp", "m64n256k32.", "f32.f16.f16", FX_D128, FX_OUT128("+f", d, 0), "{%128, %129, %130, %131}",
              "%132, %133, 0", ", 1, 1, 0", "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "l"(at_b),
              "r"(0x44444444));
    }
#endif
    if constexpr (TYPE_ == INT8) {
        ISSUE("", "m64n256k32.", "s32.s8.s8", FX_D128, FX_OUT128("+r", d, 0), "%128", "%129", "", "l"(at_a), "l"(at_b));
    }
#endif
}

/* The same 64 x 256 elements over 16 steps of k by mma.sync: the warp's 16 rows, 32 instructions. */
__device__ __forceinline__ void multiply_by_warps(float (&d)[128], const uint32_t (&of_a)[4],
                                                  const uint32_t (&of_b)[32]) {
    FX_UNROLL for (int i = 0; i < 32; i++) {
        asm volatile FX_MMA("m16n8k16.row.col.f32.f16.f16.f32", &d[4 * i], of_a, of_b[2 * i % 32],
                            of_b[2 * i % 32 + 1]);
    }
}
