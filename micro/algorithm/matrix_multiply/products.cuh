/* The products without blocking in registers: one thread per element of C, from global memory or from tiles in shared
 * memory; and the transposition of B. */
#pragma once

#include "task.h"

__device__ __forceinline__ uint32_t start_of(const walk &w, uint32_t lane, uint32_t warp) {
    return lane * w.lane + warp * w.warp; /* at most 2^26 elements */
}

/* A block has 32 elements of C along the lanes and 8 across; neighbouring blocks are neighbours along the lanes. Where
 * elements lie is data, so that one instruction stream serves all orders. */
__global__ static void __launch_bounds__(NAIVE_THREADS) naive(const __grid_constant__ task t) {
    const uint32_t across = t.n / FX_WARP;
    const uint32_t lane = blockIdx.x % across * FX_WARP + threadIdx.x % FX_WARP;
    const uint32_t warp = blockIdx.x / across * NAIVE_WARPS + threadIdx.x / FX_WARP;
    const float *a = (const float *)t.a + start_of(t.to_a, lane, warp);
    const float *b = (const float *)t.b + start_of(t.to_b, lane, warp);
    const uint64_t a_step = t.to_a.step, b_step = t.to_b.step;
    float sum = 0;
    FX_NO_UNROLL for (uint32_t group = t.n / NAIVE_UNROLL; group > 0; group--) {
        FX_UNROLL for (int k = 0; k < NAIVE_UNROLL; k++) {
            sum += *a * *b;
            a += a_step;
            b += b_step;
        }
    }
    t.c[start_of(t.to_c, lane, warp)] = sum;
}

/* The tile of the guides: SIDE_ x SIDE_ threads bring a tile of A and one of B, then each adds up its element. Rows of
 * B's tile lie PITCH_ words apart. FLIPPED_: B lies transposed in memory, and its tile is turned as it is stored. */
template <int SIDE_, int PITCH_, int FLIPPED_>
__global__ static void __launch_bounds__(SIDE_ *SIDE_) tiled(const __grid_constant__ task t) {
    __shared__ float a_tile[SIDE_][SIDE_], b_tile[SIDE_][PITCH_];
    const uint32_t across = t.n / SIDE_, x = threadIdx.x % SIDE_, y = threadIdx.x / SIDE_;
    const uint32_t row = blockIdx.x / across * SIDE_, column = blockIdx.x % across * SIDE_;
    const float *a = (const float *)t.a + (row + y) * t.n + x;
    const float *b = (const float *)t.b + (FLIPPED_ ? (column + y) * t.n + x : y * t.n + column + x);
    const uint64_t b_step = FLIPPED_ ? SIDE_ : (uint64_t)SIDE_ * t.n;
    float sum = 0;
    FX_NO_UNROLL for (uint32_t tile = across; tile > 0; tile--) {
        a_tile[y][x] = *a;
        (FLIPPED_ ? b_tile[x][y] : b_tile[y][x]) = *b;
        a += SIDE_;
        b += b_step;
        __syncthreads();
        FX_UNROLL for (int k = 0; k < SIDE_; k++) {
            sum += a_tile[y][k] * b_tile[k][x];
        }
        __syncthreads();
    }
    t.c[(row + y) * t.n + column + x] = sum;
}

/* to[j][k] = from[k][j], by tiles of 32 x 32 with a column to spare, so that no bank is asked twice. */
__global__ static void __launch_bounds__(NAIVE_THREADS) flip(const float *from, float *to, uint32_t n) {
    __shared__ float tile[FX_WARP][FX_WARP + 1];
    const uint32_t lane = threadIdx.x % FX_WARP, warp = threadIdx.x / FX_WARP, tiles = n / FX_WARP;
    const uint32_t row = blockIdx.x / tiles * FX_WARP, column = blockIdx.x % tiles * FX_WARP;
    FX_UNROLL for (uint32_t r = 0; r < FX_WARP; r += NAIVE_WARPS) {
        tile[r + warp][lane] = from[(row + r + warp) * n + column + lane];
    }
    __syncthreads();
    FX_UNROLL for (uint32_t r = 0; r < FX_WARP; r += NAIVE_WARPS) {
        to[(column + r + warp) * n + row + lane] = tile[lane][r + warp];
    }
}
