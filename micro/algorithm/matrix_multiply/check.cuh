/* The inputs, and the oracle. Everything here is in double precision, and none of it is timed.
 *
 * Of large matrices the row sums with random signs x are compared (Freivalds, 1977): C x against A (B x). As no sign is
 * zero, an element of C that is wrong by more than what is allowed shows in its row, whichever it is. Of small ones
 * every element is worked out. */
#pragma once

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "core/random.h"
#include "gpu/sums.cuh"
#include "task.h"

enum { CHECK_THREADS = 256 };
enum { WHOLE_BITS = 0, TEN_BITS = 13 /* of a float, so many less than it has */ };
enum { AS_FLOAT, AS_HALF, AS_DOUBLE, AS_INT8, AS_FP8, AS_INT32 }; /* how an element is stored */

/* Uniform in [-1, 1). With 10 bits, which TF32 and FP16 hold, so that their products are exact in FP32. INT8: all 256
 * values. FP8: multiples of 1/8, which E4M3 holds. */
__global__ static void __launch_bounds__(CHECK_THREADS)
    fill_values(void *to, uint32_t count, uint32_t as, uint32_t cut, uint64_t seed) {
    for (uint32_t i = blockIdx.x * CHECK_THREADS + threadIdx.x; i < count; i += gridDim.x * CHECK_THREADS) {
        const float value = (float)(int32_t)fx_random_word(seed, i) * 0x1p-31f;
        const float kept = __uint_as_float(__float_as_uint(value) >> cut << cut);
        switch (as) {
        case AS_HALF:
            ((__half *)to)[i] = __float2half_rn(kept);
            break;
        case AS_DOUBLE:
            ((double *)to)[i] = (double)kept;
            break;
        case AS_INT8:
            ((int8_t *)to)[i] = (int8_t)fx_random_word(seed, i);
            break;
        case AS_FP8:
            ((__nv_fp8_e4m3 *)to)[i] = __nv_fp8_e4m3(floorf(kept * 8) / 8);
            break;
        default:
            ((float *)to)[i] = kept;
        }
    }
}

__device__ __forceinline__ double value_at(const void *matrix, uint32_t as, uint32_t at) {
    switch (as) {
    case AS_HALF:
        return (double)__half2float(((const __half *)matrix)[at]);
    case AS_DOUBLE:
        return ((const double *)matrix)[at];
    case AS_INT8:
        return (double)((const int8_t *)matrix)[at];
    case AS_FP8:
        return (double)(float)((const __nv_fp8_e4m3 *)matrix)[at];
    case AS_INT32:
        return (double)((const int32_t *)matrix)[at];
    default:
        return (double)((const float *)matrix)[at];
    }
}

__device__ __forceinline__ double over_warp(double sum) {
    for (int step = FX_WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    return sum;
}

/* to[row] = the row of the matrix times the signs of `seed`, a warp for each. turned: it is stored by columns. */
__global__ static void __launch_bounds__(CHECK_THREADS)
    times_signs(const void *matrix, uint32_t as, uint32_t turned, uint32_t n, uint64_t seed, double *to) {
    const uint32_t row = (blockIdx.x * CHECK_THREADS + threadIdx.x) / FX_WARP, lane = threadIdx.x % FX_WARP;
    double sum = 0;
    for (uint32_t j = lane; j < n; j += FX_WARP) {
        const double value = value_at(matrix, as, turned ? j * n + row : row * n + j);
        sum += fx_random_word(seed, j) & 1 ? value : -value;
    }
    sum = over_warp(sum);
    if (lane == 0) {
        to[row] = sum;
    }
}

/* Adds the rows in which A y is not z to the sums. A row with a NaN is one. */
__global__ static void __launch_bounds__(CHECK_THREADS)
    compare_rows(const void *a, uint32_t as, uint32_t n, const double *y, const double *z, double allowed,
                 unsigned long long *sums) {
    const uint32_t row = (blockIdx.x * CHECK_THREADS + threadIdx.x) / FX_WARP, lane = threadIdx.x % FX_WARP;
    double sum = 0;
    for (uint32_t k = lane; k < n; k += FX_WARP) {
        sum += value_at(a, as, row * n + k) * y[k];
    }
    sum = over_warp(sum);
    fx_sums_add(sums, lane == 0 && !(fabs(sum - z[row]) <= allowed));
}

/* Adds the elements of C that are not what A x B is to the sums. */
__global__ static void __launch_bounds__(CHECK_THREADS)
    compare_elements(const void *a, const void *b, uint32_t as, uint32_t turned, uint32_t n, const void *c,
                     uint32_t c_as, double allowed, unsigned long long *sums) {
    const uint32_t at = blockIdx.x * CHECK_THREADS + threadIdx.x, row = at / n, column = at % n;
    double sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        sum += value_at(a, as, row * n + k) * value_at(b, as, turned ? column * n + k : k * n + column);
    }
    fx_sums_add(sums, !(fabs(sum - value_at(c, c_as, at)) <= allowed));
}

/* Makes an element wrong. */
__global__ static void spoil(void *c, uint32_t as, uint32_t at, double by) {
    switch (as) {
    case AS_DOUBLE:
        ((double *)c)[at] += by;
        break;
    case AS_INT32:
        ((int32_t *)c)[at] += (int32_t)by;
        break;
    default:
        ((float *)c)[at] += (float)by;
    }
}
