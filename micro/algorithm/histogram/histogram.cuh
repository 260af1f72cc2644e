/* The kernels of the histogram. Blocks go through the input together, a quad of values per thread at a time, and count
 * in global memory, or in copies of their own in shared memory, which they add up at their end. */
#pragma once

#include "gpu/sums.cuh"

#include "shape.h"

typedef struct job {
    const uint4 *in;
    uint32_t *bins;
    uint32_t quads, bin_count, bins_bits;
    copies own;
} job;

/* Every value an atomic in global memory; or one for all lanes of the warp that share a value. */
template <int VARIANT_> __device__ __forceinline__ void count_global(const job &j, uint32_t value) {
    if constexpr (VARIANT_ == AGGREGATED) {
#if __CUDA_ARCH__ >= 700
        const unsigned same = __match_any_sync(0xffffffffu, value);
        if (__ffs((int)same) - 1 == (int)(threadIdx.x % FX_WARP)) {
            atomicAdd(&j.bins[value], (uint32_t)__popc(same));
        }
#endif
    } else {
        atomicAdd(&j.bins[value], 1u);
    }
}

template <int VARIANT_> __global__ void __launch_bounds__(THREADS) count(const __grid_constant__ job j) {
    FX_NO_UNROLL for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < j.quads; i += gridDim.x * THREADS) {
        const uint4 v = j.in[i];
        count_global<VARIANT_>(j, v.x);
        count_global<VARIANT_>(j, v.y);
        count_global<VARIANT_>(j, v.z);
        count_global<VARIANT_>(j, v.w);
    }
}

__device__ __forceinline__ void clear_own(const job &j, uint32_t *own) {
    for (uint32_t w = threadIdx.x; w < j.own.words; w += THREADS) {
        own[w] = 0;
    }
    __syncthreads();
}

/* Adds the block's copies to the common table. Lanes begin with different copies of their bins, whose banks differ. */
__device__ __forceinline__ void add_own(const job &j, const uint32_t *own) {
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < j.bin_count; b += THREADS) {
        uint32_t sum = 0;
        const uint32_t all = j.own.words / j.bin_count;
        FX_NO_UNROLL for (uint32_t c = 0; c < all; c++) {
            sum += own[j.own.lanes > 1 ? b * LANE_COPIES + (c + threadIdx.x / (FX_WARP / LANE_COPIES)) % LANE_COPIES
                                       : c * j.bin_count + b];
        }
        atomicAdd(&j.bins[b], sum);
    }
}

__global__ static void __launch_bounds__(THREADS) count_shared(const __grid_constant__ job j) {
    extern __shared__ uint32_t own[];
    clear_own(j, own);
    uint32_t *mine = own + threadIdx.x / FX_WARP * j.own.of_warp + threadIdx.x % j.own.lanes;
    const uint32_t step = j.own.step;
    FX_NO_UNROLL for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < j.quads / 2; i += gridDim.x * THREADS) {
        const uint4 v = j.in[i], w = j.in[i + j.quads / 2];
        atomicAdd(mine + v.x * step, 1u);
        atomicAdd(mine + v.y * step, 1u);
        atomicAdd(mine + v.z * step, 1u);
        atomicAdd(mine + v.w * step, 1u);
        atomicAdd(mine + w.x * step, 1u);
        atomicAdd(mine + w.y * step, 1u);
        atomicAdd(mine + w.z * step, 1u);
        atomicAdd(mine + w.w * step, 1u);
    }
    add_own(j, own);
}

/* RUN values side by side per thread; what repeats is added once. */
__global__ static void __launch_bounds__(THREADS) count_runs(const __grid_constant__ job j) {
    extern __shared__ uint32_t own[];
    clear_own(j, own);
    FX_NO_UNROLL for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < j.quads / (RUN / QUAD);
                      i += gridDim.x * THREADS) {
        uint32_t value[RUN], length = 1;
        FX_UNROLL for (int q = 0; q < RUN / QUAD; q++) {
            const uint4 v = j.in[i * (RUN / QUAD) + q];
            value[q * QUAD] = v.x, value[q * QUAD + 1] = v.y, value[q * QUAD + 2] = v.z, value[q * QUAD + 3] = v.w;
        }
        FX_UNROLL for (int k = 1; k < RUN; k++) {
            if (value[k] != value[k - 1]) {
                atomicAdd(&own[value[k - 1]], length);
                length = 0;
            }
            length++;
        }
        atomicAdd(&own[value[RUN - 1]], length);
    }
    add_own(j, own);
}

__global__ static void lay_values(uint32_t *to, uint64_t count, uint64_t seed, int data, uint32_t bins_bits) {
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        to[i] = value_of(data, seed, i, bins_bits);
    }
}

/* The oracle: each bin has a random weight of 64 bits, and the weights of all values must add up to those of all bins,
 * each times its count. Values are made again, not read. */
__global__ static void weigh_values(uint64_t first, uint64_t count, uint64_t seed, int data, uint32_t bins_bits,
                                    unsigned long long *sums) {
    unsigned long long sum = 0;
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        sum += fx_random_at(~seed, value_of(data, seed, first + i, bins_bits));
    }
    fx_sums_add(sums, sum);
}

__global__ static void weigh_bins(const uint32_t *bins, uint32_t count, uint64_t seed, unsigned long long *sums) {
    unsigned long long sum = 0;
    for (uint32_t b = blockIdx.x * blockDim.x + threadIdx.x; b < count; b += gridDim.x * blockDim.x) {
        sum += bins[b] * fx_random_at(~seed, b);
    }
    fx_sums_add(sums, sum);
}
