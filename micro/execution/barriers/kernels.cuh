/* The kernels: barriers and signals in a row, with nothing in between. Every wait at an mbarrier gives up after a
 * while, so that no fault can hang the GPU; what gave up is wrong. */
#pragma once

#include <cooperative_groups.h>

#include "gpu/async.cuh"
#include "gpu/cluster.cuh"
#include "gpu/from.cuh"
#include "gpu/rig_objects.h"
#include "gpu/sums.cuh"
#include "gpu/timed.cuh"

/* STEPS: of a trip; a multiple of 4, after which signals are at their first barrier and parity again. PHASE: arrivals
 * of a phase where nobody waits, the most that an mbarrier takes. */
enum { STEPS = 16, POLLS = 1 << 16, PHASE = (1 << 20) - 1, GRID_BARRIERS = 64, STATIC_BYTES = 1024 };

typedef struct work {
    uint64_t arrivals; /* at the mbarrier of op=arrive, over all passes */
    uint32_t seed, group_warps, lanes;
} work;

typedef struct meeting {
    unsigned long long *sums;
    uint32_t *flags; /* one for each block */
    uint32_t count, token;
} meeting;

__device__ __forceinline__ void named_sync(uint32_t id, uint32_t threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_arrive(uint32_t id, uint32_t threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void show_init(void) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(uint32_t barrier, uint32_t count) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* One arrival of each lane below `lanes`; at another block's barrier without a release as CUTLASS has it. */
#define ARRIVE(kind)                                                                                                   \
    asm volatile("{\n.reg .pred mine;\nsetp.lt.u32 mine, %1, %2;\n"                                                    \
                 "@mine mbarrier.arrive." kind ".b64 _, [%0];\n}\n" ::"r"(barrier),                                    \
                 "r"(lane), "r"(lanes)                                                                                 \
                 : "memory")
template <int OP_> __device__ __forceinline__ void arrive_by(uint32_t barrier, uint32_t lane, uint32_t lanes) {
    if constexpr (OP_ == REMOTE_SIGNAL) {
        ARRIVE("shared::cluster");
    } else if constexpr (OP_ == REMOTE_RELEASE) {
        ARRIVE("release.cluster.shared::cluster");
    } else {
        ARRIVE("shared::cta");
    }
}
#undef ARRIVE

/* One look at a phase. */
__device__ __forceinline__ uint32_t phase_is_over(uint32_t barrier, uint32_t parity) {
    uint32_t done;
    asm volatile("{\n.reg .pred there;\nmbarrier.test_wait.parity.shared::cta.b64 there, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, there;\n}\n"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return done;
}

template <int OP_> __device__ __forceinline__ void cluster_barrier(void) {
    if constexpr (OP_ == CLUSTER_RELAXED) {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    } else {
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
}
#endif

/* The oldest architecture that each runs on. */
__host__ __device__ constexpr int least_arch(int op) {
    return op == BLOCK || op == NAMED || op == NAMED_SIGNAL ? 0 : 900;
}

/* All warps of a block, or of each group, at one barrier. The oracle: what a warp's neighbour has written before a
 * barrier is there behind it. */
template <int OP_> __global__ void __launch_bounds__(MOST_WARPS *FX_WARP) meet(FX_TIMED_WITH(work, w)) {
    if constexpr (FX_RUNS_FROM(least_arch(OP_))) {
        __shared__ uint64_t barrier_word;
        __shared__ volatile uint32_t told[MOST_WARPS];
        const uint32_t warp = fx_warp_id(), group = warp / w.group_warps;
        const uint32_t id = 1 + group, threads = w.group_warps * FX_WARP, barrier = fx_shared_address(&barrier_word);
        const uint32_t next = group * w.group_warps + (warp + 1 - group * w.group_warps) % w.group_warps;
        uint32_t patience = POLLS;
#if __CUDA_ARCH__ >= 900
        if (OP_ == MBARRIER && threadIdx.x == 0) {
            fx_barrier_init(barrier, w.group_warps);
        }
#endif
        told[warp] = ~w.seed;
        __syncthreads();
        uint64_t marks[FX_MAX_PASSES] = {0};
        const auto barrier_step = [&](uint32_t s) {
            if constexpr (OP_ == BLOCK) {
                __syncthreads();
            } else if constexpr (OP_ == NAMED) {
                named_sync(id, threads);
            } else {
#if __CUDA_ARCH__ >= 900
                arrive_by<OP_>(barrier, threadIdx.x % FX_WARP, 1);
                fx_barrier_await(barrier, s % 2, patience);
#endif
            }
        };
        fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, [&](uint32_t, uint32_t s) { barrier_step(s); });
        told[warp] = w.seed + warp;
        barrier_step(0);
        const bool wrong = told[next] != w.seed + next || patience < POLLS;
        fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
    }
}

/* Two warps: each signals the other, and waits for its signal. Barriers and signals are taken in turn, so that nobody
 * signals twice before the other has heard. */
template <int OP_> __global__ void __launch_bounds__(2 * FX_WARP) signal_warp(FX_TIMED_WITH(work, w)) {
    if constexpr (FX_RUNS_FROM(least_arch(OP_))) {
        constexpr bool IS_REMOTE = OP_ == REMOTE_SIGNAL || OP_ == REMOTE_RELEASE;
        __shared__ uint64_t barrier_word[2][2]; /* by turn, and by who waits */
        __shared__ volatile uint32_t told[2];
        const uint32_t warp = fx_warp_id();
        uint32_t patience = POLLS, me = warp, own = fx_shared_address(&barrier_word[0][me]);
        uint32_t other = fx_shared_address(&barrier_word[0][1 - me]),
                 heard = fx_shared_address((const void *)&told[1 - me]);
#if __CUDA_ARCH__ >= 900
        if (IS_REMOTE) { /* the same place in the other block */
            me = fx_cluster_rank();
            other = fx_cluster_map(own, 1 - me);
            heard = fx_cluster_map(fx_shared_address((const void *)&told[0]), 1 - me);
        }
        if (OP_ != NAMED_SIGNAL && threadIdx.x % FX_WARP == 0) {
            fx_barrier_init(own, 1);
            fx_barrier_init(own + sizeof barrier_word[0], 1);
            show_init();
        }
        told[warp] = ~w.seed;
        if (IS_REMOTE) {
            cluster_barrier<CLUSTER>();
        }
#endif
        __syncthreads();
        uint64_t marks[FX_MAX_PASSES] = {0};
        const auto exchange = [&](uint32_t s) {
            if constexpr (OP_ == NAMED_SIGNAL) {
                named_arrive(1 + s % 2 * 2 + me, 2 * FX_WARP);
                named_sync(1 + s % 2 * 2 + (1 - me), 2 * FX_WARP);
            } else {
#if __CUDA_ARCH__ >= 900
                const uint32_t turn = s % 2 * (uint32_t)sizeof barrier_word[0];
                arrive_by<OP_>(other + turn, threadIdx.x % FX_WARP, 1);
                fx_barrier_await(own + turn, s / 2 % 2, patience);
#endif
            }
        };
        fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, [&](uint32_t, uint32_t s) { exchange(s); });
        bool wrong = false;
        if constexpr (IS_REMOTE) {
#if __CUDA_ARCH__ >= 900
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(heard), "r"(w.seed + me) : "memory");
            __syncwarp();
            exchange(0);
            cluster_barrier<CLUSTER>(); /* a wait without .acquire.cluster orders nothing between blocks */
            wrong = told[0] != w.seed + (1 - me);
            cluster_barrier<CLUSTER>(); /* nobody leaves while the other still writes to it */
#endif
        } else {
            asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(heard), "r"(w.seed + me) : "memory");
            __syncwarp();
            exchange(0);
            wrong = told[me] != w.seed + (1 - me);
        }
        fx_timed_end(timed, marks, FX_ALL_LANES, wrong || patience < POLLS);
    }
}

/* Arrivals that nobody waits for. The oracle counts them: with as many more as a phase then lacks, but one, it is not
 * over, and with that one it is. */
__global__ static void __launch_bounds__(MOST_WARPS *FX_WARP) arrive_often(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    __shared__ uint64_t barrier_word;
    const uint32_t barrier = fx_shared_address(&barrier_word), lane = threadIdx.x % FX_WARP;
    bool wrong = false;
    if (threadIdx.x == 0) {
        fx_barrier_init(barrier, PHASE);
        show_init();
    }
    __syncthreads();
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto access = [&](uint32_t, int) { arrive_by<ARRIVE>(barrier, lane, w.lanes); };
    fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, access);
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t lacking = PHASE - (uint32_t)(w.arrivals % PHASE), parity = (uint32_t)(w.arrivals / PHASE) & 1;
        if (lacking > 1) {
            arrive(barrier, lacking - 1);
        }
        wrong = phase_is_over(barrier, parity) != 0;
        arrive(barrier, 1);
        wrong |= fx_barrier_wait(barrier, parity, POLLS) == 0;
    }
    __syncwarp();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
#endif
}

/* Blocks of a cluster. The oracle: what the block before has written here is there behind a barrier. */
template <int OP_> __global__ void __launch_bounds__(MOST_WARPS *FX_WARP) meet_cluster(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    __shared__ volatile uint32_t told[MOST_WARPS];
    const uint32_t warp = fx_warp_id(), place = fx_shared_address((const void *)&told[warp]);
    const uint32_t there = fx_cluster_map(place, fx_cluster_next());
    told[warp] = ~w.seed;
    cluster_barrier<CLUSTER>();
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, [](uint32_t, int) { cluster_barrier<OP_>(); });
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(w.seed + warp) : "memory");
    cluster_barrier<CLUSTER>();
    const bool wrong = told[warp] != w.seed + warp;
    cluster_barrier<CLUSTER>();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
#endif
}

/* The blocks of a cooperative grid. Each finds the flag that its neighbour has raised before the last barrier. */
__global__ static void __launch_bounds__(MOST_WARPS *FX_WARP) meet_grid(const __grid_constant__ meeting m) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    FX_NO_UNROLL for (uint32_t i = 0; i < m.count; i++) {
        grid.sync();
    }
    if (threadIdx.x == 0) {
        *(volatile uint32_t *)&m.flags[blockIdx.x] = m.token + blockIdx.x;
    }
    grid.sync();
    const uint32_t next = (blockIdx.x + 1) % gridDim.x;
    fx_sums_add(m.sums, *(volatile uint32_t *)&m.flags[next] == m.token + next);
}
