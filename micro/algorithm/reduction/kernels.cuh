/* The rungs of the ladder. Each block of THREADS threads adds up `per thread` x THREADS elements and leaves one sum in
 * out[block], or adds it to out[0] by an atomic. Where a lecture's kernel lets the lanes of a warp run on without a
 * barrier, the barrier of the warp stands here: a warp need not run in step since Volta.
 *
 * The block's size is a run-time number up to the rung that knows it (`complete`), as it is in the lecture: a compiler
 * that knows it unrolls the loops by itself. */
#pragma once

#include "core/lanes.h"
#include "core/random.h"
#include "gpu/access.cuh"
#include "shape.h"

#define ALL_LANES 0xffffffffu

typedef struct task {
    const void *in;
    void *out;
    void *space;          /* of the rung `global`: as many elements as there are threads */
    uint32_t count, zero; /* elements; 0, which the compiler does not know */
} task;

/* This thread's elements, THREADS apart, in flight together. */
template <int PER_> __device__ __forceinline__ uint32_t load_some(const task &t) {
    const uint32_t *in = (const uint32_t *)t.in;
    const uint32_t first = blockIdx.x * (THREADS * PER_) + threadIdx.x;
    uint32_t sum = 0;
    fx_add_groups<PER_, PER_>(
        sum, [&](int k) { return first + k * THREADS < t.count ? in[first + k * THREADS] : 0; }, [] {});
    return sum;
}

__device__ __forceinline__ void put(const task &t, uint32_t sum) {
    if (threadIdx.x == 0) {
        ((uint32_t *)t.out)[blockIdx.x] = sum;
    }
}

/* Neighbours first: more and more lanes of every warp have nothing to do. */
__global__ static void __launch_bounds__(THREADS) divergent(const task t) {
    __shared__ uint32_t value[THREADS];
    const uint32_t me = threadIdx.x;
    value[me] = load_some<1>(t);
    __syncthreads();
    FX_NO_UNROLL for (uint32_t step = 1; step < blockDim.x; step *= 2) {
        if (me % (2 * step) == 0) {
            value[me] += value[me + step];
        }
        __syncthreads();
    }
    put(t, value[0]);
}

/* The same additions by the first threads of the block: whole warps, whose lanes meet in banks. */
__global__ static void __launch_bounds__(THREADS) conflicts(const task t) {
    __shared__ uint32_t value[THREADS];
    value[threadIdx.x] = load_some<1>(t);
    __syncthreads();
    FX_NO_UNROLL for (uint32_t step = 1; step < blockDim.x; step *= 2) {
        const uint32_t at = 2 * step * threadIdx.x;
        if (at < blockDim.x) {
            value[at] += value[at + step];
        }
        __syncthreads();
    }
    put(t, value[0]);
}

/* Halves are added, as long as they are longer than LEAST_: neighbouring lanes take neighbouring words. */
template <uint32_t LEAST_> __device__ __forceinline__ void add_halves(uint32_t *value) {
    const uint32_t me = threadIdx.x;
    FX_NO_UNROLL for (uint32_t step = blockDim.x / 2; step > LEAST_; step /= 2) {
        if (me < step) {
            value[me] += value[me + step];
        }
        __syncthreads();
    }
}

/* PER_ > 1: the first additions happen while the elements are loaded. */
template <int PER_> __global__ void __launch_bounds__(THREADS) sequential(const task t) {
    __shared__ uint32_t value[THREADS];
    const uint32_t me = threadIdx.x;
    value[me] = load_some<PER_>(t);
    __syncthreads();
    add_halves<0>(value);
    put(t, value[0]);
}

/* The same in global memory. In place it would spoil the data for the next run, hence a place beside it. */
__global__ static void __launch_bounds__(THREADS) global(const task t) {
    uint32_t *const value = (uint32_t *)t.space + blockIdx.x * THREADS;
    const uint32_t me = threadIdx.x;
    value[me] = load_some<1>(t);
    __syncthreads();
    add_halves<0>(value);
    put(t, value[0]);
}

/* The last 64 values are the business of one warp, which needs no barrier of the block. */
__device__ __forceinline__ void finish_in_warp(uint32_t *value) {
    uint32_t mine = value[threadIdx.x];
    FX_UNROLL for (uint32_t step = FX_WARP; step > 0; step /= 2) {
        mine += value[threadIdx.x + step]; /* beyond the halves it is of no use, and does no harm */
        __syncwarp();
        value[threadIdx.x] = mine;
        __syncwarp();
    }
}

__global__ static void __launch_bounds__(THREADS) last_warp(const task t) {
    __shared__ uint32_t value[THREADS];
    const uint32_t me = threadIdx.x;
    value[me] = load_some<8>(t);
    __syncthreads();
    add_halves<FX_WARP>(value);
    if (me < FX_WARP) {
        finish_in_warp(value);
        put(t, value[0]);
    }
}

/* The block's size is known, and no loop is left. */
__global__ static void __launch_bounds__(THREADS) complete(const task t) {
    __shared__ uint32_t value[THREADS];
    const uint32_t me = threadIdx.x;
    value[me] = load_some<8>(t);
    __syncthreads();
    FX_UNROLL for (uint32_t step = THREADS / 2; step > FX_WARP; step /= 2) {
        if (me < step) {
            value[me] += value[me + step];
        }
        __syncthreads();
    }
    if (me < FX_WARP) {
        finish_in_warp(value);
        put(t, value[0]);
    }
}

__device__ __forceinline__ uint32_t add_lanes(uint32_t mine, int lanes) {
    FX_UNROLL for (int step = lanes / 2; step > 0; step /= 2) {
        mine += __shfl_xor_sync(ALL_LANES, mine, step);
    }
    return mine;
}

/* One value from each warp, and every warp adds those up: that costs less than a branch around shuffles, in which the
 * compiler would have to bring the lanes together first. */
__device__ __forceinline__ uint32_t add_block(uint32_t mine) {
    __shared__ uint32_t of_warp[WARPS];
    mine = add_lanes(mine, FX_WARP);
    if (threadIdx.x % FX_WARP == 0) {
        of_warp[threadIdx.x / FX_WARP] = mine;
    }
    __syncthreads();
    return add_lanes(of_warp[threadIdx.x % WARPS], WARPS);
}

__global__ static void __launch_bounds__(THREADS) shuffle(const task t) {
    put(t, add_block(load_some<8>(t)));
}

/* One instruction adds the integers of a warp. */
__global__ static void __launch_bounds__(THREADS) redux(const task t) {
#if __CUDA_ARCH__ >= 800
    __shared__ uint32_t of_warp[WARPS];
    const uint32_t mine = __reduce_add_sync(ALL_LANES, load_some<8>(t));
    if (threadIdx.x % FX_WARP == 0) {
        of_warp[threadIdx.x / FX_WARP] = mine;
    }
    __syncthreads();
    if (threadIdx.x < WARPS) {
        put(t, __reduce_add_sync((1u << WARPS) - 1, of_warp[threadIdx.x]));
    }
#endif
}

/* As `shuffle`, the eight elements of a thread in two loads. Behind the last sum of a launch there are zeros. */
__global__ static void __launch_bounds__(THREADS) vector(const task t) {
    const uint4 *in = (const uint4 *)t.in;
    const uint32_t first = blockIdx.x * (2 * THREADS) + threadIdx.x, quads = (t.count + 3) / 4;
    const uint4 nothing = {0, 0, 0, 0};
    const uint4 a = first < quads ? in[first] : nothing;
    const uint4 b = first + THREADS < quads ? in[first + THREADS] : nothing;
    put(t, add_block(fx_added(a) + fx_added(b)));
}

/* An address that may differ from lane to lane, so that the compiler does not add up the warp first. */
__global__ static void __launch_bounds__(THREADS) atomic_thread(const task t) {
    atomicAdd((uint32_t *)t.out + threadIdx.x * t.zero, load_some<8>(t));
}

__global__ static void __launch_bounds__(THREADS) atomic_warp(const task t) {
    const uint32_t sum = add_lanes(load_some<8>(t), FX_WARP);
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd((uint32_t *)t.out + threadIdx.x * t.zero, sum);
    }
}

__global__ static void __launch_bounds__(THREADS) atomic_block(const task t) {
    const uint32_t sum = add_block(load_some<8>(t));
    if (threadIdx.x == 0) {
        atomicAdd((uint32_t *)t.out, sum);
    }
}

/* As many blocks as the chip holds at a time; each goes on by all of them together, QUADS loads of a thread in flight.
 */
__global__ static void __launch_bounds__(THREADS) persistent(const task t) {
    const uint32_t stretch = gridDim.x * (QUADS * THREADS);
    uint32_t sum = 0;
    FX_NO_UNROLL for (uint32_t at = blockIdx.x * (QUADS * THREADS) + threadIdx.x; at < t.count / 4; at += stretch) {
        fx_add_groups<QUADS, QUADS>(sum, [&](int k) { return ((const uint4 *)t.in)[at + k * THREADS]; }, [] {});
    }
    sum = add_block(sum);
    if (threadIdx.x == 0) {
        atomicAdd((uint32_t *)t.out, sum);
    }
}

/* What is not timed. */

/* What the sum of each slice must be, from the generator and not from memory. `parts` blocks for each slice. */
__global__ static void expect(uint32_t *sums, uint64_t seed, uint32_t count, uint32_t parts) {
    const uint32_t slice = blockIdx.x / parts, part = blockIdx.x % parts;
    uint32_t sum = 0;
    for (uint64_t i = part * blockDim.x + threadIdx.x; i < count; i += parts * blockDim.x) {
        sum += fx_random_word(seed, (uint64_t)slice * count + i);
    }
    sum = add_lanes(sum, FX_WARP);
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd(sums + slice, sum);
    }
}
