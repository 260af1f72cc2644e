/* The products blocked in registers, on the FP32 units. */
#pragma once

#include "gpu/async.cuh"
#include "task.h"

/* Row and column, in tiles, of this block: down a strip first, then along it. */
__device__ __forceinline__ void place_of(const task &t, uint32_t tiles, uint32_t *row, uint32_t *column) {
    const uint32_t of_strip = t.strip * tiles;
    *row = blockIdx.x / of_strip * t.strip + blockIdx.x % t.strip;
    *column = blockIdx.x % of_strip / t.strip;
}

/* Volkov and Demmel's: each thread keeps 16 elements of one column of C, takes its word of B from global memory and 16
 * words of A from shared memory, where they lie turned. */
__global__ static void __launch_bounds__(ONE_COLUMNS) one_shared(const __grid_constant__ task t) {
    __shared__ __align__(16) float a_tile[ONE_DEPTH][ONE_PITCH];
    const uint32_t across = t.n / ONE_COLUMNS, column = blockIdx.x % across * ONE_COLUMNS + threadIdx.x;
    const uint32_t row = blockIdx.x / across * ONE_ROWS;
    const uint32_t a_row = threadIdx.x / 4, a_k = threadIdx.x % 4 * 4;
    const float *a = (const float *)t.a + (row + a_row) * t.n + a_k;
    const float *b = (const float *)t.b + column;
    float sum[ONE_ROWS] = {0};
    FX_NO_UNROLL for (uint32_t tile = t.n / ONE_DEPTH; tile > 0; tile--) {
        const float4 four = *(const float4 *)a;
        float of_b[ONE_DEPTH];
        FX_UNROLL for (int k = 0; k < ONE_DEPTH; k++) {
            of_b[k] = *b;
            b += t.n;
        }
        a += ONE_DEPTH;
        __syncthreads();
        a_tile[a_k][a_row] = four.x;
        a_tile[a_k + 1][a_row] = four.y;
        a_tile[a_k + 2][a_row] = four.z;
        a_tile[a_k + 3][a_row] = four.w;
        __syncthreads();
        FX_UNROLL for (int k = 0; k < ONE_DEPTH; k++) {
            FX_UNROLL for (int r = 0; r < ONE_ROWS; r += 4) {
                const float4 of_a = *(const float4 *)&a_tile[k][r];
                sum[r] += of_a.x * of_b[k];
                sum[r + 1] += of_a.y * of_b[k];
                sum[r + 2] += of_a.z * of_b[k];
                sum[r + 3] += of_a.w * of_b[k];
            }
        }
    }
    FX_UNROLL for (int r = 0; r < ONE_ROWS; r++) {
        t.c[(row + r) * t.n + column] = sum[r];
    }
}

enum { POLLS = 1 << 22 /* a second or more: then the result is wrong, which the check finds */ };

/* This thread's part of a tile, four pieces of 16 bytes, and its places in global and in shared memory. Of A, eight
 * lanes take pieces of eight rows, so that they meet in no bank; of B, pieces side by side. */
__device__ __forceinline__ uint32_t a_row_of_thread(void) {
    return threadIdx.x / FX_WARP * 16 + threadIdx.x % 8;
}
__device__ __forceinline__ uint32_t a_word_of_thread(void) {
    return threadIdx.x % FX_WARP / 8 * 4;
}
__device__ __forceinline__ uint32_t b_row_of_thread(void) {
    return threadIdx.x / 16;
}
__device__ __forceinline__ uint32_t b_word_of_thread(void) {
    return threadIdx.x % 16 * 4;
}

/* Places in shared memory are counted in words of it. */
template <int WAY_>
__device__ __forceinline__ void bring(const task &t, uint32_t a, uint32_t b, float *words, uint32_t to_a,
                                      uint32_t to_b) {
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(words);
    float4 piece[4];
    FX_UNROLL for (int i = 0; i < 4; i++) {
        const float *from = i < 2 ? (const float *)t.a + (a + i * 8 * t.n) : (const float *)t.b + b + i % 2 * 64;
        const uint32_t to = i < 2 ? to_a + i * 8 * BOTH_A_PITCH : to_b + i % 2 * 64;
        if (WAY_ == BY_LOADS) {
            piece[i] = *(const float4 *)from;
        } else {
            fx_copy_async<16>(shared + to * sizeof(float), (const char *)from);
        }
    }
    if (WAY_ == BY_LOADS) {
        __syncthreads();
        FX_UNROLL for (int i = 0; i < 4; i++) {
            const uint32_t to = i < 2 ? to_a + i * 8 * BOTH_A_PITCH : to_b + i % 2 * 64;
            *(float4 *)(words + to) = piece[i];
        }
    }
}

/* The same by the bulk engine, row by row: an eighth of the rows for each warp, whose elected lane orders them. One
 * thread arrives for all, and tells the barrier of all bytes. */
__device__ __forceinline__ void order(const task &t, uint32_t a, uint32_t b, uint32_t words, uint32_t barrier) {
    const uint32_t warp = fx_warp_id();
    if (!fx_elect()) {
        return;
    }
    if (warp == 0) {
        fx_barrier_expect(barrier, (BOTH_SIDE * BOTH_DEPTH + BOTH_DEPTH * BOTH_SIDE) * sizeof(float));
    }
    const float *from = (const float *)t.a + a + warp * 16 * t.n;
    uint32_t to = words + warp * 16 * BOTH_A_PITCH * sizeof(float);
#pragma unroll 4
    for (int r = 0; r < 16; r++, from += t.n, to += BOTH_A_PITCH * sizeof(float)) {
        fx_bulk_start(to, (const char *)from, BOTH_DEPTH * sizeof(float), barrier);
    }
    from = (const float *)t.b + b + warp * (BOTH_DEPTH / 8) * t.n;
    to = words + (BOTH_A_WORDS + warp * (BOTH_DEPTH / 8) * BOTH_SIDE) * sizeof(float);
    FX_UNROLL for (int r = 0; r < BOTH_DEPTH / 8; r++, from += t.n, to += BOTH_SIDE * sizeof(float)) {
        fx_bulk_start(to, (const char *)from, BOTH_SIDE * sizeof(float), barrier);
    }
}

/* A warp has 32 x 64 elements of C: rows y + 4 i, columns 4 x + 32 j + 0..3. Lanes lie so that a load of A's tile has
 * lanes i and i^1 at one address, and one of B's tile lanes i and i^2: then half of its phases merge. */
__device__ __forceinline__ uint32_t row_of_lane(uint32_t lane) {
    return lane / 2 % 2 + lane / 16 * 2;
}
__device__ __forceinline__ uint32_t column_of_lane(uint32_t lane) {
    return (lane % 2 + lane / 4 % 4 * 2) * 4;
}

/* To and fro, so that the word of B at each turn is still in the reuse cache: an FFMA that reads two registers of one
 * bank takes a cycle more. */
__device__ __forceinline__ void add_tile(float (&sum)[8][8], const float *of_a, const float *of_b) {
    FX_UNROLL for (int k = 0; k < BOTH_DEPTH; k += 4) {
        float4 a[8];
        FX_UNROLL for (int r = 0; r < 8; r++) {
            a[r] = *(const float4 *)(of_a + r * 4 * BOTH_A_PITCH + k);
        }
        FX_UNROLL for (int i = 0; i < 4; i++) {
            const float4 low = *(const float4 *)(of_b + (k + i) * BOTH_SIDE);
            const float4 high = *(const float4 *)(of_b + (k + i) * BOTH_SIDE + 32);
            const float of[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            FX_UNROLL for (int r = 0; r < 8; r++) {
                const float one = i == 0 ? a[r].x : i == 1 ? a[r].y : i == 2 ? a[r].z : a[r].w;
                FX_UNROLL for (int q = 0; q < 8; q++) {
                    const int column = r % 2 ? 7 - q : q;
                    sum[r][column] += one * of[column];
                }
            }
        }
    }
}

template <int WAY_>
__global__ static void __launch_bounds__(BOTH_THREADS, 2) both_shared(const __grid_constant__ task t) {
    extern __shared__ __align__(128) float words[];
    __shared__ uint64_t barriers[BOTH_STAGES];
    const uint32_t tiles = t.n / BOTH_DEPTH, lane = threadIdx.x % FX_WARP, warp = threadIdx.x / FX_WARP;
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(words);
    const uint32_t barrier = (uint32_t)__cvta_generic_to_shared(barriers);
    const uint32_t row = warp / 2 * 32 + row_of_lane(lane), column = warp % 2 * 64 + column_of_lane(lane);
    uint32_t down, along;
    place_of(t, t.n / BOTH_SIDE, &down, &along);
    uint32_t a = down * BOTH_SIDE * t.n, b = along * BOTH_SIDE; /* elements from the beginning */
    const uint32_t to_a = a_row_of_thread() * BOTH_A_PITCH + a_word_of_thread();
    const uint32_t to_b = BOTH_A_WORDS + b_row_of_thread() * BOTH_SIDE + b_word_of_thread();
    if (WAY_ != BY_BULK) {
        a += a_row_of_thread() * t.n + a_word_of_thread();
        b += b_row_of_thread() * t.n + b_word_of_thread();
    }
    const float *of_a = words + row * BOTH_A_PITCH, *of_b = words + BOTH_A_WORDS + column;
    float sum[8][8] = {{0}};
    const auto next = [&](uint32_t slot) {
        if (WAY_ == BY_BULK) {
            order(t, a, b, shared + slot * BOTH_STAGE_WORDS * sizeof(float), barrier + slot * FX_BARRIER_BYTES);
        } else {
            bring<WAY_>(t, a, b, words + slot * BOTH_STAGE_WORDS, to_a, to_b);
        }
        a += BOTH_DEPTH;
        b += BOTH_DEPTH * t.n;
    };
    if (WAY_ == BY_BULK) {
        if (threadIdx.x == 0) {
            fx_barriers_init(barrier, BOTH_STAGES);
        }
        __syncthreads();
    }
    if (WAY_ != BY_LOADS) {
        next(0);
        fx_close_group();
    }
    FX_NO_UNROLL for (uint32_t tile = 0; tile < tiles; tile++) {
        const uint32_t slot = WAY_ == BY_LOADS ? 0 : tile % BOTH_STAGES;
        if (WAY_ == BY_LOADS) {
            next(0);
        } else if (WAY_ == BY_BULK) {
            fx_barrier_wait(barrier + slot * FX_BARRIER_BYTES, tile / BOTH_STAGES % 2, POLLS);
        } else {
            fx_wait_groups<0>();
        }
        __syncthreads(); /* this tile has come for all, and all are through with the one before */
        if (WAY_ != BY_LOADS && tile + 1 < tiles) {
            next(1 - slot);
            fx_close_group();
        }
        add_tile(sum, of_a + slot * BOTH_STAGE_WORDS, of_b + slot * BOTH_STAGE_WORDS);
    }
    float *c = t.c + (down * BOTH_SIDE + row) * t.n + along * BOTH_SIDE + column;
    FX_UNROLL for (int r = 0; r < 8; r++, c += 4 * t.n) {
        *(float4 *)c = make_float4(t.scale * sum[r][0], t.scale * sum[r][1], t.scale * sum[r][2], t.scale * sum[r][3]);
        *(float4 *)(c + 32) =
            make_float4(t.scale * sum[r][4], t.scale * sum[r][5], t.scale * sum[r][6], t.scale * sum[r][7]);
    }
}
