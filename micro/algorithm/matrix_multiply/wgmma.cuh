/* The product on Hopper's tensor cores: wgmma, fed by TMA. Blocks stay on their SM and take tile after tile of C. Warp
 * 8 of a block orders tiles of A and B, four of them ahead of what is multiplied; its two warpgroups multiply 64 x 256
 * elements of C each. Two blocks are a cluster: they take neighbouring rows of C, so each orders half of B's tile for
 * both. Barriers: `full` ends its phase when all bytes have come, `empty` when the warpgroups of both blocks are
 * through with the tile, since what one block orders is written into both.
 *
 * Layout: rows of 128 bytes whose 16-byte pieces are exchanged by the 128-byte swizzle. A's rows run along k. B lies as
 * it is in memory, so its rows run along C's columns, 64 of them, and four such parts, 64 steps of k high, make a tile;
 * wgmma turns it ("tnspB").
 *
 * wgmma is in sm_90a alone (setup/architectures.cmake), and no other chip has it. */
#pragma once

#include "blocked.cuh"
#include "gpu/cluster.cuh"
#include "gpu/matrix.cuh"
#include "gpu/tensor_map.h"

enum {
    WGMMA_ROW_BYTES = 128,
    WGMMA_GROUP_ROWS = WGMMA_ROWS / 2,
    WGMMA_PART = WGMMA_DEPTH * WGMMA_ROW_BYTES, /* of B: 64 columns */
    WGMMA_STEP = 16,                            /* of k, of an instruction */
    WGMMA_EIGHT_ROWS = 8 * WGMMA_ROW_BYTES,
    WGMMA_PRODUCER = 8, /* warp */
    WGMMA_SUMS = 128    /* of a thread */
};

/* Which tile a cluster takes next, in strips of `strip` pairs of tiles, whose A and B the L2 keeps. */
__device__ __forceinline__ void pair_of(const task &t, uint32_t pair, uint32_t *row, uint32_t *column) {
    const uint32_t rows = t.n / (2 * WGMMA_ROWS), of_strip = t.strip * (t.n / WGMMA_COLUMNS);
    const uint32_t first = pair / of_strip * t.strip, high = min(t.strip, rows - first), in = pair % of_strip;
    *row = (first + in % high) * 2 * WGMMA_ROWS;
    *column = in / high * WGMMA_COLUMNS;
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/* Where an operand lies, for wgmma: address, distance of B's parts, distance of eight rows, 128-byte swizzle. */
__device__ __forceinline__ uint64_t operand_at(uint32_t at, uint32_t part_bytes) {
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(part_bytes >> 4) << 16 |
           (uint64_t)(WGMMA_EIGHT_ROWS >> 4) << 32 | (uint64_t)1 << 62;
}

/* sum = a x b, + sum where it is kept: 64 x 256 elements over 16 steps of k, of a warpgroup. It runs asynchronously. */
__device__ __forceinline__ void multiply_group(float (&d)[WGMMA_SUMS], uint64_t a, uint64_t b, uint32_t keep) {
    asm volatile("{\n.reg .pred kept;\nsetp.ne.b32 kept, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" FX_D128 "}, %128, %129, kept, 1, 1, 0, 1;\n}\n"
                 : FX_OUT128("+f", d, 0)
                 : "l"(a), "l"(b), "r"(keep));
}

/* One arrival at the barrier of the block of this rank, which lies where the own one does. It says nothing of order:
 * what was read was read by the tensor cores, which have been waited for, and a release at the scope of a cluster is
 * compiled to MEMBAR.ALL.GPU, on which the next multiplication would wait. */
__device__ __forceinline__ void arrive_at(uint32_t barrier, uint32_t rank) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(fx_cluster_map(barrier, rank)) : "memory");
}

/* For one lane: this block's tile of A, and its half of B's for both blocks. */
__device__ __forceinline__ void order_tiles(const CUtensorMap *a, const CUtensorMap *b, uint32_t to, uint32_t barrier,
                                            uint32_t k, uint32_t row, uint32_t column, uint32_t rank) {
    const uint32_t half = WGMMA_COLUMNS / 2 / (WGMMA_ROW_BYTES / FP16_BYTES); /* parts */
    fx_barrier_expect(barrier, WGMMA_STAGE_BYTES);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
                 "%4}], [%2];" ::"r"(to),
                 "l"(a), "r"(barrier), "r"(k), "r"(row)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to + WGMMA_A_BYTES + rank * half * WGMMA_PART),
                 "l"(b), "r"(barrier), "r"(0), "r"(k), "r"(column / 64 + rank * half), "h"((uint16_t)3)
                 : "memory");
}
#endif

/* Its loops must not be unrolled: peeled copies of 128 sums fill the instruction cache and bring nothing. */
__global__ static void __launch_bounds__(WGMMA_THREADS, 1)
    wgmma(const __grid_constant__ task t, const __grid_constant__ CUtensorMap a,
          const __grid_constant__ CUtensorMap b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(128) float words[];
    __shared__ __align__(8) uint64_t barriers[2 * WGMMA_STAGES];
    /* Swizzled tiles begin at multiples of 1024 bytes. */
    const uint32_t shared = ((uint32_t)__cvta_generic_to_shared(words) + 1023) & ~1023u;
    const uint32_t full = (uint32_t)__cvta_generic_to_shared(barriers), empty = full + WGMMA_STAGES * FX_BARRIER_BYTES;
    const uint32_t warp = threadIdx.x / FX_WARP, lane = threadIdx.x % FX_WARP, rank = blockIdx.x % 2;
    const uint32_t pairs = t.n / (2 * WGMMA_ROWS) * (t.n / WGMMA_COLUMNS), tiles = t.n / WGMMA_DEPTH;
    uint32_t stage = 0, phase = 0, row, column;
    const auto next_stage = [&] {
        stage = stage == WGMMA_STAGES - 1 ? 0 : stage + 1;
        phase ^= stage == 0;
    };
    if (threadIdx.x == 0) {
        FX_NO_UNROLL for (uint32_t s = 0; s < WGMMA_STAGES; s++) {
            fx_barrier_init(empty + s * FX_BARRIER_BYTES, 4);
        }
        fx_barriers_init(full, WGMMA_STAGES);
    }
    fx_cluster_barrier();
    if (warp == WGMMA_PRODUCER && lane == 0) {
        FX_NO_UNROLL for (uint32_t pair = blockIdx.x / 2; pair < pairs; pair += gridDim.x / 2) {
            pair_of(t, pair, &row, &column);
            FX_NO_UNROLL for (uint32_t tile = 0; tile < tiles; tile++) {
                fx_barrier_wait(empty + stage * FX_BARRIER_BYTES, phase ^ 1, POLLS);
                order_tiles(&a, &b, shared + stage * WGMMA_STAGE_BYTES, full + stage * FX_BARRIER_BYTES,
                            tile * WGMMA_DEPTH, row + rank * WGMMA_ROWS, column, rank);
                next_stage();
            }
        }
    } else if (warp < WGMMA_PRODUCER) {
        float sum[WGMMA_SUMS];
        FX_NO_UNROLL for (uint32_t pair = blockIdx.x / 2; pair < pairs; pair += gridDim.x / 2) {
            uint32_t before = 0; /* the barrier of the stage that the multiplication before this one reads */
            pair_of(t, pair, &row, &column);
            FX_NO_UNROLL for (uint32_t tile = 0; tile < tiles; tile++) {
                const uint32_t from = shared + stage * WGMMA_STAGE_BYTES;
                const uint64_t of_a = operand_at(from + warp / 4 * WGMMA_GROUP_ROWS * WGMMA_ROW_BYTES, 16);
                const uint64_t of_b = operand_at(from + WGMMA_A_BYTES, WGMMA_PART);
                fx_barrier_wait(full + stage * FX_BARRIER_BYTES, phase, POLLS);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                FX_UNROLL for (uint32_t k = 0; k < WGMMA_DEPTH / WGMMA_STEP; k++) {
                    multiply_group(sum, of_a + k * (WGMMA_STEP * FP16_BYTES >> 4),
                                   of_b + k * (WGMMA_STEP * WGMMA_ROW_BYTES >> 4), tile + k);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (threadIdx.x % 128 < 2 && before) {
                    arrive_at(before, threadIdx.x % 128);
                }
                before = empty + stage * FX_BARRIER_BYTES;
                next_stage();
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (threadIdx.x % 128 < 2) {
                arrive_at(before, threadIdx.x % 128);
            }
            float *c = t.c + (size_t)(row + rank * WGMMA_ROWS + warp * 16 + lane / 4) * t.n + column + lane % 4 * 2;
            FX_UNROLL for (int j = 0; j < WGMMA_SUMS / 4; j++) {
                *(float2 *)(c + j * 8) = make_float2(sum[4 * j], sum[4 * j + 1]);
                *(float2 *)(c + 8 * t.n + j * 8) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
            }
        }
    }
    __syncwarp();
    fx_cluster_barrier(); /* a block that has ended has no shared memory for the other to write to */
#endif
}

/* Maps of A and B. Both halves of a box of B go to both blocks of a cluster. */
static fx_status wgmma_maps(const void *a, const void *b, uint32_t n, void *map_a, void *map_b, fx_error *err) {
    const cuuint32_t per_row = WGMMA_ROW_BYTES / FP16_BYTES;
    const cuuint64_t pitch = (cuuint64_t)n * FP16_BYTES;
    const fx_tensor of_a = {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                            .rank = 2,
                            .data = a,
                            .size = {n, n},
                            .pitch = {pitch},
                            .box = {per_row, WGMMA_ROWS},
                            .swizzle = CU_TENSOR_MAP_SWIZZLE_128B};
    const fx_tensor of_b = {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                            .rank = 3,
                            .data = b,
                            .size = {per_row, n, n / per_row},
                            .pitch = {pitch, WGMMA_ROW_BYTES},
                            .box = {per_row, WGMMA_DEPTH, WGMMA_COLUMNS / per_row / 2},
                            .swizzle = CU_TENSOR_MAP_SWIZZLE_128B};
    FX_TRY(fx_tensor_map(&of_a, map_a, err));
    return fx_tensor_map(&of_b, map_b, err);
}
