/* Device side of the sums of pair.h: what a block has read becomes part of one total, which the host compares with what
 * was written there. All lanes of the warp take part. */
#pragma once

#include "core/lanes.h"
#include "gpu/pair.h"

__device__ __forceinline__ void fx_sums_add(unsigned long long *sums, unsigned long long mine) {
    for (int step = FX_WARP / 2; step > 0; step /= 2) {
        mine += __shfl_xor_sync(0xffffffffu, mine, step);
    }
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd(&sums[blockIdx.x % FX_SUMS], mine);
    }
}
