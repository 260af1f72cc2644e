/* Device side: the instructions of tensor cores, of a warp and of a warpgroup. */
#pragma once

#include <stdint.h>

#include "gpu/from.cuh"

/* 8 x 8 matrices of 16-bit elements, one, two or four of them, or four transposed on the way. */
template <int MATRICES_, bool TURNED_>
__device__ __forceinline__ void fx_load_matrices(uint32_t (&out)[MATRICES_], uint32_t address) {
    static_assert(!TURNED_ || MATRICES_ == 4);
#define LDMATRIX(count, list, at, ...)                                                                                 \
    asm volatile(FX_FROM_750("ldmatrix.sync.aligned.m8n8." count ".shared.b16 {" list "}, [" at "];")                  \
                 : __VA_ARGS__                                                                                         \
                 : "r"(address)                                                                                        \
                 : "memory")
#define FOUR(count) LDMATRIX(count, "%0, %1, %2, %3", "%4", "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3]))
    if constexpr (MATRICES_ == 1) {
        LDMATRIX("x1", "%0", "%1", "=r"(out[0]));
    } else if constexpr (MATRICES_ == 2) {
        LDMATRIX("x2", "%0, %1", "%2", "=r"(out[0]), "=r"(out[1]));
    } else if constexpr (TURNED_) {
        FOUR("x4.trans");
    } else {
        FOUR("x4");
    }
#undef FOUR
#undef LDMATRIX
}

/* `asm FX_MMA(shape and types, sum, a, b0, b1)`: adds the product of a's four words and b's two to four floats. */
#define FX_MMA(shape, sum, a, b0, b1)                                                                                  \
    (FX_FROM_800("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};")         \
     : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3])                                                  \
     : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), "r"(b1))

/* The sums of wgmma: operands by number, one more list for each doubling, and what they are, d[i] on. */
// clang-format off
#define FX_D4   "%0, %1, %2, %3"
#define FX_D8   FX_D4 ", %4, %5, %6, %7"
#define FX_D16  FX_D8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define FX_D32  FX_D16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define FX_D64  FX_D32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                  \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define FX_D128 FX_D64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                  \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                                 \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                     \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// clang-format on
#define FX_OUT4(c, d, i)   c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define FX_OUT8(c, d, i)   FX_OUT4(c, d, i), FX_OUT4(c, d, i + 4)
#define FX_OUT16(c, d, i)  FX_OUT8(c, d, i), FX_OUT8(c, d, i + 8)
#define FX_OUT32(c, d, i)  FX_OUT16(c, d, i), FX_OUT16(c, d, i + 16)
#define FX_OUT64(c, d, i)  FX_OUT32(c, d, i), FX_OUT32(c, d, i + 32)
#define FX_OUT128(c, d, i) FX_OUT64(c, d, i), FX_OUT64(c, d, i + 64)
