/* A long run of code as one piece of PTX: 256 granules of 64 machine instructions (from sm_70 on 1 KiB each). A warp
 * comes in at the granule `at`, by an indirect branch where that is not the first, and leaves behind the granule
 * `last`: a test and a branch in each. So one and the same code serves all lengths, and data decide. */
#pragma once

#include <stdint.h>

enum { GRANULES = 256, GRANULE_BYTES = 1024, GRANULE_FMAS = 62, CHAINS = 8, INSTRUCTION_BYTES = 16 };

/* How many of a granule's multiply-adds go to a chain. */
__host__ __device__ constexpr uint32_t fmas_of_chain(uint32_t chain) {
    return GRANULE_FMAS / CHAINS + (chain < GRANULE_FMAS % CHAINS);
}

// clang-format off
#define EACH_LOW(F, high)                                                                                              \
    F(high, 0) F(high, 1) F(high, 2) F(high, 3) F(high, 4) F(high, 5) F(high, 6) F(high, 7)                            \
    F(high, 8) F(high, 9) F(high, a) F(high, b) F(high, c) F(high, d) F(high, e) F(high, f)
#define EACH(F)                                                                                                        \
    EACH_LOW(F, 0) EACH_LOW(F, 1) EACH_LOW(F, 2) EACH_LOW(F, 3) EACH_LOW(F, 4) EACH_LOW(F, 5) EACH_LOW(F, 6)           \
    EACH_LOW(F, 7) EACH_LOW(F, 8) EACH_LOW(F, 9) EACH_LOW(F, a) EACH_LOW(F, b) EACH_LOW(F, c) EACH_LOW(F, d)           \
    EACH_LOW(F, e) EACH_LOW(F, f)
// clang-format on
#define FMA(chain)      "fma.rn.f32 %" #chain ", %" #chain ", %8, %9;\n"
#define SIX             FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5)
#define EIGHT           SIX FMA(6) FMA(7)
#define NAME(high, low) "G" #high #low ", "
#define GRANULE(high, low)                                                                                             \
    "G" #high #low ":\n" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT SIX "setp.eq.u32 p, %11, 0x" #high #low             \
    ";\n@p bra.uni OUT;\n"

/* Each multiply-add makes its chain x more, as `one` is 1. */
__device__ __forceinline__ void run_code(float (&chain)[CHAINS], float one, float x, uint32_t at, uint32_t last) {
    asm volatile(
        "{\n.reg .pred p;\nT: .branchtargets " EACH(NAME) "OUT;\nsetp.ne.u32 p, %10, 0;\n@p bra.uni FAR;\n" EACH(
            GRANULE) "bra.uni OUT;\nFAR: brx.idx.uni %10, T;\nOUT:\n}"
        : "+f"(chain[0]), "+f"(chain[1]), "+f"(chain[2]), "+f"(chain[3]), "+f"(chain[4]), "+f"(chain[5]),
          "+f"(chain[6]), "+f"(chain[7])
        : "f"(one), "f"(x), "r"(at), "r"(last));
}

#undef EACH_LOW
#undef EACH
#undef FMA
#undef SIX
#undef EIGHT
#undef NAME
#undef GRANULE
