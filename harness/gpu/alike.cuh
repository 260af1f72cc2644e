/* Device side: lanes of a warp by what they have. */
#pragma once

#include <stdint.h>

/* The lanes of `lanes` whose value is this lane's. */
__device__ __forceinline__ unsigned fx_lanes_alike(unsigned lanes, int32_t value) {
#if __CUDA_ARCH__ >= 700
    return __match_any_sync(lanes, value);
#else
    unsigned alike = 0;
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const int lane = __ffs((int)left) - 1;
        alike |= (__shfl_sync(lanes, value, lane) == value ? 1u : 0u) << lane;
    }
    return alike;
#endif
}
