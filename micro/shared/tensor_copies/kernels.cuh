/* The kernels: boxes that TMA copies, one after another or several in flight. Every wait at an mbarrier gives up after
 * a while, so that no fault can hang the GPU; what gave up is wrong. */
#pragma once

#include "gpu/access.cuh"
#include "gpu/async.cuh"
#include "gpu/cluster.cuh"
#include "gpu/rig_objects.h"
#include "gpu/sums.cuh"
#include "gpu/tensor_map.h"
#include "gpu/timed.cuh"

enum { POLLS = 1 << 16, READ_WARPS = 32, READS = 32, READ_CHAINS = 4, SHARE_STAGES = 4, SHARE_BOX = 16 << 10 };

/* The tensor is a matrix of ROW_BYTES a row, with boxes side by side in rows of boxes. */
typedef struct work {
    const char *maps; /* descriptors, end to end */
    char *data;       /* the matrix */
    fx_lanes lanes;   /* mode=reader */
    uint64_t seed;
    uint32_t row_bytes, rows, boxes;  /* of the box; boxes of the matrix; all are powers of two */
    uint32_t row_shift, across_shift; /* of them: of a row's bytes, and of boxes side by side */
    uint32_t mask;                    /* of the swizzle: the chunk's bits that the row's bits turn round */
    uint32_t map_count;               /* box k's descriptor is number k % map_count, a power of two */
    uint32_t steps;                   /* boxes over all passes, or of the launch */
    uint32_t zero;                    /* so that an order waits for the read of what it overwrites */
    unsigned long long *sums;
} work;

/* Where a box begins. */
typedef struct corner {
    uint32_t x, y; /* bytes, rows */
} corner;

__device__ __forceinline__ corner corner_of(const work &w, uint32_t box) {
    const uint32_t k = box & (w.boxes - 1);
    return {(k & ((1u << w.across_shift) - 1)) << w.row_shift, (k >> w.across_shift) * w.rows};
}

/* The matrix's word that byte `offset` of a box in shared memory holds; the swizzle is its own inverse. */
__device__ __forceinline__ uint32_t word_at(const work &w, uint32_t box, uint32_t offset) {
    const corner c = corner_of(w, box);
    const uint32_t logical = offset ^ ((offset >> 7 & w.mask) << 4);
    return ((c.y + (logical >> w.row_shift)) * ROW_BYTES + c.x + (logical & (w.row_bytes - 1))) / 4;
}

/* Swizzled boxes begin at multiples of 1024 bytes. */
__device__ __forceinline__ uint32_t first_slot(const void *memory) {
    return (fx_shared_address(memory) + 1023) & ~1023u;
}

#if __CUDA_ARCH__ >= 900
template <int DIMS_>
__device__ __forceinline__ void load_box(const char *map, uint32_t to, uint32_t barrier, uint32_t x, uint32_t y) {
#define LOAD_BOX(dims, corner)                                                                                         \
    asm volatile("cp.async.bulk.tensor." dims "." FX_BULK_TO                                                           \
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, " corner "], [%2];" ::"r"(to),                  \
                 "l"(map), "r"(barrier), "r"(x), "r"(y)                                                                \
                 : "memory")
    if constexpr (DIMS_ == 2) {
        LOAD_BOX("2d", "{%3, %4}");
    } else {
        LOAD_BOX("3d", "{%3, 0, %4}");
    }
}

template <int WAY_> __device__ __forceinline__ void store_box(const char *map, uint32_t from, uint32_t x, uint32_t y) {
#define STORE_BOX(begin, end)                                                                                          \
    asm volatile(begin ".async.bulk.tensor.2d.global.shared::cta" end                                                  \
                       ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),                                            \
                 "r"(from), "r"(x), "r"(y)                                                                             \
                 : "memory")
    if constexpr (WAY_ == STORE) {
        STORE_BOX("cp", "");
    } else {
        STORE_BOX("cp.reduce", ".add");
    }
}

/* Until at most PENDING_ groups of this lane have yet to read their source, or to be there. */
template <int UNTIL_, int PENDING_> __device__ __forceinline__ void wait_stores(void) {
    if constexpr (UNTIL_ == READ) {
        asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING_) : "memory");
    } else {
        asm volatile("cp.async.bulk.wait_group %0;" ::"n"(PENDING_) : "memory");
    }
}

/* Descriptor of a box. PREFETCHED orders the next one's meanwhile. */
template <int DESCRIPTOR_> __device__ __forceinline__ const char *map_of(const work &w, uint32_t box) {
    if constexpr (DESCRIPTOR_ == USED) {
        return w.maps;
    }
    const char *map = w.maps + (box & (w.map_count - 1)) * FX_TENSOR_MAP_BYTES;
    if constexpr (DESCRIPTOR_ == PREFETCHED) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(w.maps + ((box + 1) & (w.map_count - 1)) * FX_TENSOR_MAP_BYTES)
                     : "memory");
    }
    return map;
}
#endif

/* One warp loads boxes into STAGES_ slots: waits for the oldest, reads a word of it per lane, orders the next. */
template <int DIMS_, int STAGES_, int DESCRIPTOR_>
__global__ void __launch_bounds__(FX_WARP) load_boxes(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char memory[];
    __shared__ __align__(8) uint64_t barrier_words[STAGES_];
    const uint32_t bytes = w.row_bytes * w.rows, pitch = bytes < 1024 ? 1024 : bytes, lane = threadIdx.x;
    const uint32_t slots = first_slot(memory), barriers = fx_shared_address(barrier_words);
    uint32_t box = 0, stage = 0, parity = 1, sum = 0, expected = 0, patience = POLLS;
    const auto order = [&](uint32_t after) {
        if (fx_elect()) {
            const corner c = corner_of(w, box);
            const uint32_t barrier = barriers + stage * FX_BARRIER_BYTES;
            fx_barrier_expect(barrier, bytes);
            load_box<DIMS_>(map_of<DESCRIPTOR_>(w, box), slots + stage * pitch, barrier, c.x / 4 + after,
                            DIMS_ == 3 ? c.y / PLANE_ROWS : c.y);
        }
        __syncwarp();
        box++;
        stage = stage + 1 == STAGES_ ? 0 : stage + 1;
        parity ^= stage == 0;
    };
    uint64_t marks[FX_MAX_PASSES] = {0};
    if (fx_elect()) {
        fx_barriers_init(barriers, STAGES_);
    }
    __syncwarp();
    for (uint32_t s = 0; s < STAGES_; s++) {
        order(0);
    }
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
        fx_barrier_await(barriers + stage * FX_BARRIER_BYTES, parity, patience);
        const uint32_t x = fx_load<FX_SHARED, 4>(slots + stage * pitch + lane * 4);
        sum += x;
        order(x & w.zero);
    });
    for (uint32_t s = 0; s < STAGES_; s++) { /* the last ones, whole */
        fx_barrier_await(barriers + stage * FX_BARRIER_BYTES, parity, patience);
        for (uint32_t i = lane; i < bytes / 4; i += FX_WARP) {
            expected += fx_random_word(w.seed, word_at(w, box - STAGES_ + s, 4 * i));
            sum += fx_load<FX_SHARED, 4>(slots + stage * pitch + 4 * i);
        }
        stage = stage + 1 == STAGES_ ? 0 : stage + 1;
        parity ^= stage == 0;
    }
    for (uint32_t k = 0; k < w.steps; k++) {
        expected += fx_random_word(w.seed, word_at(w, k, 4 * lane));
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, sum != expected || patience < POLLS);
#endif
}

/* Word i of the slot that box k is stored from. */
__device__ __forceinline__ uint32_t source_word(const work &w, uint32_t stage, uint32_t i) {
    return fx_random_word(~w.seed, stage * (MOST_BOX / 4) + i);
}

/* One warp stores boxes, or adds them to the matrix, from STAGES_ slots, and waits until a slot may be written again,
 * or until the data are there. */
template <int WAY_, int UNTIL_, int STAGES_>
__global__ void __launch_bounds__(FX_WARP) store_boxes(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char memory[];
    const uint32_t bytes = w.row_bytes * w.rows, pitch = bytes < 1024 ? 1024 : bytes, slots = first_slot(memory);
    uint32_t box = 0;
    bool wrong = false;
    for (uint32_t i = threadIdx.x; i < STAGES_ * bytes / 4; i += FX_WARP) {
        fx_store<FX_SHARED, 4>(slots + i / (bytes / 4) * pitch + i % (bytes / 4) * 4,
                               source_word(w, i / (bytes / 4), i % (bytes / 4)));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    const bool chosen = fx_elect();
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t) {
            if (fx_elect()) {
                const corner c = corner_of(w, box);
                store_box<WAY_>(w.maps, slots + box % STAGES_ * pitch, c.x / 4, c.y);
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
                wait_stores<UNTIL_, STAGES_ - 1>();
            }
            __syncwarp();
            box++;
        },
        [&] {
            if (chosen) {
                wait_stores<UNTIL_, 0>();
            }
            __syncwarp();
        });
    if (chosen) {
        wait_stores<DONE, 0>();
    }
    __syncwarp();
    for (uint32_t k = 0; k < w.boxes; k++) { /* a line of every box, which is there as often as its turn has come */
        const uint32_t times = w.steps / w.boxes + (k < w.steps % w.boxes);
        const uint32_t i = k * 5 % (bytes / 128) * FX_WARP + threadIdx.x;
        const uint32_t at = word_at(w, k, 4 * i), first = fx_random_word(w.seed, at);
        const uint32_t word = source_word(w, k % STAGES_, i);
        wrong |= fx_load<FX_L2, 4>(w.data + 4 * (size_t)at) != (WAY_ == ADD ? first + times * word
                                                                : times > 0 ? word
                                                                            : first);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
#endif
}

/* What a reader of a box pays for where its 16-byte chunks lie: all warps read the same lanes' chunks. */
__global__ static void __launch_bounds__(READ_WARPS *FX_WARP) read_box(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char memory[];
    __shared__ __align__(8) uint64_t barrier_word;
    const uint32_t bytes = w.row_bytes * w.rows, slot = first_slot(memory), barrier = fx_shared_address(&barrier_word);
    const uint32_t offset = (uint32_t)w.lanes.offset[threadIdx.x % FX_WARP], at = slot + offset;
    uint32_t sum = 0, expected = 0;
    if (fx_warp_id() == 0 && fx_elect()) {
        fx_barriers_init(barrier, 1);
        fx_barrier_expect(barrier, bytes);
        load_box<2>(w.maps, slot, barrier, 0, 0);
    }
    __syncthreads();
    const bool came = fx_barrier_wait(barrier, 0, POLLS) > 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
        /* the barrier: else the assembler merges loads of one address */
        fx_add_groups<READS, READ_CHAINS>(sum, [&](int) { return fx_load<FX_SHARED, 16>(at); }, [] { __syncwarp(); });
    });
    for (uint32_t i = 0; i < 4; i++) {
        expected += w.steps * READS * fx_random_word(w.seed, word_at(w, 0, offset + 4 * i));
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, sum != expected || !came);
#endif
}

/* Which box a cluster takes next: all blocks of a cluster take the same one. */
__device__ __forceinline__ uint32_t shared_box(uint32_t cluster, uint32_t i) {
    return cluster * 37 + i;
}

/* Blocks of the whole chip: warp 0 orders boxes, warp 1 takes them. Alone, each block loads the whole box; with
 * multicast each loads its part of the rows into all blocks of its cluster, and waits until all have left the slot. */
template <int WAY_> __global__ void __launch_bounds__(2 * FX_WARP) share_boxes(const __grid_constant__ work w) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char memory[];
    __shared__ __align__(8) uint64_t barrier_words[2 * SHARE_STAGES];
    const uint32_t slots = first_slot(memory), full = fx_shared_address(barrier_words);
    const uint32_t empty = full + SHARE_STAGES * FX_BARRIER_BYTES, rank = fx_cluster_rank();
    const uint32_t blocks = WAY_ == MULTICAST ? fx_cluster_size() : 1, cluster = blockIdx.x / fx_cluster_size();
    [[maybe_unused]] const uint32_t rows = SHARE_BOX / w.row_bytes / blocks;
    const uint32_t lane = threadIdx.x % FX_WARP;
    uint32_t stage = 0, phase = 0, sum = 0;
    const auto next_stage = [&] {
        stage = stage + 1 == SHARE_STAGES ? 0 : stage + 1;
        phase ^= stage == 0;
    };
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < SHARE_STAGES; s++) {
            fx_barrier_init(empty + s * FX_BARRIER_BYTES, blocks);
        }
        fx_barriers_init(full, SHARE_STAGES);
    }
    fx_cluster_barrier();
    if (fx_warp_id() == 0) {
        FX_NO_UNROLL for (uint32_t i = 0; i < w.steps; i++) {
            const corner c = corner_of(w, shared_box(cluster, i));
            const uint32_t barrier = full + stage * FX_BARRIER_BYTES, to = slots + stage * SHARE_BOX;
            fx_barrier_wait(empty + stage * FX_BARRIER_BYTES, phase ^ 1, POLLS);
            if (fx_elect()) {
                fx_barrier_expect(barrier, SHARE_BOX);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
                if constexpr (WAY_ == MULTICAST) {
                    asm volatile(
                        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                        "multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to + rank * rows * w.row_bytes),
                        "l"(w.maps), "r"(barrier), "r"(c.x / 4), "r"(c.y + rank * rows),
                        "h"((uint16_t)((1u << blocks) - 1))
                        : "memory");
                }
#endif
                if constexpr (WAY_ == LOAD) {
                    load_box<2>(w.maps, to, barrier, c.x / 4, c.y);
                }
            }
            __syncwarp();
            next_stage();
        }
    } else {
        const uint32_t there = fx_cluster_map(empty, WAY_ == MULTICAST ? lane % blocks : rank);
        FX_NO_UNROLL for (uint32_t i = 0; i < w.steps; i++) {
            fx_barrier_wait(full + stage * FX_BARRIER_BYTES, phase, POLLS);
            sum += fx_load<FX_SHARED, 4>(slots + stage * SHARE_BOX + lane * (SHARE_BOX / FX_WARP));
            if (lane < blocks) {
                asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there + stage * FX_BARRIER_BYTES)
                             : "memory");
            }
            __syncwarp();
            next_stage();
        }
        fx_sums_add(w.sums, sum);
    }
    fx_cluster_barrier(); /* a block that has ended has no shared memory for others to write to */
#endif
}

/* The same sums, without the copies. `clusters` in place of the cluster's launch. */
__global__ static void expect_boxes(const __grid_constant__ work w) {
    const uint32_t lane = threadIdx.x % FX_WARP, cluster = blockIdx.x / w.map_count;
    uint32_t sum = 0;
    if (threadIdx.x >= FX_WARP) {
        for (uint32_t i = 0; i < w.steps; i++) {
            sum += fx_random_word(w.seed, word_at(w, shared_box(cluster, i), lane * (SHARE_BOX / FX_WARP)));
        }
        fx_sums_add(w.sums, sum);
    }
}
