/* The ways of a matrix from `in` to `out`, n x n words, row by row: a block of 8 warps for each tile of 32 x 32 or
 * 64 x 64. Lane and warp of a block index column and row of the tile that is read. */
#pragma once

#include "core/random.h"
#include "gpu/async.cuh"
#include "gpu/sums.cuh"
#include "shape.h"

typedef struct task {
    const uint32_t *in;
    uint32_t *out;
    uint32_t n;
    unsigned long long *sums;
    uint64_t seed;
} task;

/* Where this thread is in its tile, and where the tile begins. */
typedef struct place {
    uint32_t lane, warp, row, column;
} place;

__device__ __forceinline__ place place_of(uint32_t side) {
    const place p = {threadIdx.x % FX_WARP, threadIdx.x / FX_WARP, blockIdx.y * side, blockIdx.x * side};
    return p;
}

__global__ static void __launch_bounds__(THREADS) copy(const task t) {
    const place p = place_of(TILE);
    const uint32_t at = (p.row + p.warp) * t.n + p.column + p.lane;
    uint32_t part[ROUNDS];
    FX_UNROLL for (int r = 0; r < ROUNDS; r++) {
        part[r] = t.in[at + r * WARPS * t.n];
    }
    FX_UNROLL for (int r = 0; r < ROUNDS; r++) {
        t.out[at + r * WARPS * t.n] = part[r];
    }
}

/* Every block copies 16 KiB, end to end. */
__global__ static void __launch_bounds__(THREADS) copy_vector(const task t) {
    const uint32_t at = (blockIdx.y * gridDim.x + blockIdx.x) * (THREADS * QUADS) + threadIdx.x;
    uint4 part[QUADS];
    FX_UNROLL for (int k = 0; k < QUADS; k++) {
        part[k] = ((const uint4 *)t.in)[at + k * THREADS];
    }
    FX_UNROLL for (int k = 0; k < QUADS; k++) {
        ((uint4 *)t.out)[at + k * THREADS] = part[k];
    }
}

/* Lanes lie along the rows of `in`, and each writes to a row of its own; or the other way round. */
template <int READ_> __global__ void __launch_bounds__(THREADS) naive(const task t) {
    const place p = place_of(TILE);
    uint32_t part[ROUNDS];
    FX_UNROLL for (uint32_t r = 0; r < ROUNDS; r++) {
        const uint32_t row = p.row + p.warp + r * WARPS, column = p.column + p.lane;
        part[r] = t.in[READ_ ? row * t.n + column : column * t.n + row];
    }
    FX_UNROLL for (uint32_t r = 0; r < ROUNDS; r++) {
        const uint32_t row = p.row + p.warp + r * WARPS, column = p.column + p.lane;
        t.out[READ_ ? column * t.n + row : row * t.n + column] = part[r];
    }
}

/* Where element (row, column) of a tile lies in shared memory. */
template <int LAYOUT_> __device__ __forceinline__ uint32_t word_of(uint32_t row, uint32_t column) {
    return LAYOUT_ == PADDED     ? row * (TILE + 1) + column
           : LAYOUT_ == SWIZZLED ? row * TILE + (column ^ row)
                                 : row * TILE + column;
}

/* Rows come and rows go; between them the tile is read by columns. DIAGONAL_: blocks that follow each other work along
 * a diagonal of the matrix. */
template <int LAYOUT_, int DIAGONAL_> __global__ void __launch_bounds__(THREADS) tiled(const task t) {
    __shared__ uint32_t tile[TILE * (TILE + 1)];
    place p = place_of(TILE);
    if (DIAGONAL_) {
        const uint32_t along = blockIdx.x + blockIdx.y;
        p.row = blockIdx.x * TILE;
        p.column = (along < gridDim.x ? along : along - gridDim.x) * TILE;
    }
    FX_UNROLL for (uint32_t r = 0; r < TILE; r += WARPS) {
        tile[word_of<LAYOUT_>(p.warp + r, p.lane)] = t.in[(p.row + p.warp + r) * t.n + p.column + p.lane];
    }
    __syncthreads();
    FX_UNROLL for (uint32_t r = 0; r < TILE; r += WARPS) {
        t.out[(p.column + p.warp + r) * t.n + p.row + p.lane] = tile[word_of<LAYOUT_>(p.lane, p.warp + r)];
    }
}

/* to[k] = column k of the square from[0..3]. */
__device__ __forceinline__ void turn(const uint4 from[4], uint4 to[4]) {
    to[0] = make_uint4(from[0].x, from[1].x, from[2].x, from[3].x);
    to[1] = make_uint4(from[0].y, from[1].y, from[2].y, from[3].y);
    to[2] = make_uint4(from[0].z, from[1].z, from[2].z, from[3].z);
    to[3] = make_uint4(from[0].w, from[1].w, from[2].w, from[3].w);
}

/* Row `row` of quads of a matrix, from column `column` on, both in words. */
__device__ __forceinline__ const uint4 *quads_at(const uint32_t *matrix, uint32_t n, uint32_t row, uint32_t column) {
    return (const uint4 *)(matrix + row * n + column);
}

/* A square of 4 x 4 words, the thread's own in the tile, turned in its registers. */
__device__ __forceinline__ void read_turned(const task &t, const place &p, uint32_t x, uint32_t y, uint4 (&to)[4]) {
    uint4 from[4];
    FX_UNROLL for (int k = 0; k < 4; k++) {
        from[k] = *quads_at(t.in, t.n, p.row + 4 * y + k, p.column + 4 * x);
    }
    turn(from, to);
}

/* A square for each thread: no shared memory, no barrier. A warp reads four whole lines and writes halves of eight.
 * Four neighbouring lanes write such a half: eight of them in different rows would all meet in the same banks on their
 * way to the L2. */
__global__ static void __launch_bounds__(THREADS) registers(const task t) {
    const place p = place_of(WIDE);
    const uint32_t x = p.warp % 2 * 8 + p.lane / 4, y = p.warp / 2 * 4 + p.lane % 4; /* of 16 x 16 squares */
    uint4 to[4];
    read_turned(t, p, x, y, to);
    FX_UNROLL for (int k = 0; k < 4; k++) {
        *(uint4 *)quads_at(t.out, t.n, p.column + 4 * x + k, p.row + 4 * y) = to[k];
    }
}

/* The same squares, gathered to rows of 256 bytes in shared memory. The column of quads is an exclusive or with the
 * square's row, so that neither side meets in banks. */
__global__ static void __launch_bounds__(THREADS) vector(const task t) {
    __shared__ uint4 tile[WIDE][WIDE / 4];
    const place p = place_of(WIDE);
    const uint32_t x = threadIdx.x % 16, y = threadIdx.x / 16;
    uint4 to[4];
    read_turned(t, p, x, y, to);
    FX_UNROLL for (int k = 0; k < 4; k++) {
        tile[4 * x + k][y ^ x] = to[k];
    }
    __syncthreads();
    FX_UNROLL for (uint32_t r = 0; r < WIDE; r += 16) {
        *(uint4 *)quads_at(t.out, t.n, p.column + y + r, p.row + 4 * x) = tile[y + r][x ^ (y + r) / 4];
    }
}

/* The copy engine brings the rows of the tile, a copy for each. After four of them a quad is left out, so that reading
 * columns of squares does not meet in banks. */
__global__ static void __launch_bounds__(THREADS) bulk(const task t) {
#if __CUDA_ARCH__ >= 900
    enum { ROW_QUADS = WIDE / 4, ROWS_OF_WARP = WIDE / WARPS };
    __shared__ __align__(128) uint4 tile[WIDE * ROW_QUADS + WIDE / 4];
    __shared__ __align__(8) uint64_t barrier;
    const place p = place_of(WIDE);
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile), warp = fx_warp_id();
    const uint32_t there = (uint32_t)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        fx_barrier_init(there, WARPS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (fx_elect()) {
        fx_barrier_expect(there, ROWS_OF_WARP * ROW_QUADS * 16);
        FX_UNROLL for (uint32_t r = 0; r < ROWS_OF_WARP; r++) {
            const uint32_t row = warp * ROWS_OF_WARP + r;
            const char *from = (const char *)(t.in + (p.row + row) * t.n + p.column);
            fx_bulk_start(to + (row * ROW_QUADS + row / 4) * 16, from, ROW_QUADS * 16, there);
        }
    }
    __syncwarp();
    fx_barrier_wait(there, 0, MOST_POLLS);
    const uint32_t x = threadIdx.x / 16, y = threadIdx.x % 16;
    uint4 from[4], turned[4];
    FX_UNROLL for (uint32_t k = 0; k < 4; k++) {
        from[k] = tile[(4 * y + k) * ROW_QUADS + y + x];
    }
    turn(from, turned);
    FX_UNROLL for (int k = 0; k < 4; k++) {
        *(uint4 *)quads_at(t.out, t.n, p.column + 4 * x + k, p.row + 4 * y) = turned[k];
    }
#endif
}

/* Elements of `out` that are not what they must be, by the generator and not from memory: in[column][row], or after a
 * copy in[row][column]. */
template <int TURNED_> __global__ void count_wrong(const task t) {
    const uint64_t words = (uint64_t)t.n * t.n, step = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long wrong = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < words; i += step) {
        const uint64_t row = i / t.n, column = i % t.n;
        wrong += t.out[i] != fx_random_word(t.seed, TURNED_ ? column * t.n + row : i);
    }
    fx_sums_add(t.sums, wrong);
}
