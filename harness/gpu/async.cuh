/* Copies from global into shared memory that run asynchronously: cp.async (sm_80 on), the bulk copy engine and the
 * barriers in shared memory that answer for it (sm_90 on). Addresses of shared memory are 32 bits, in its window. Below
 * those architectures the functions are empty: kernels guard themselves, and `supported` waives.
 *
 * The operands of a bulk copy and of its barrier lie in uniform registers. What the compiler does not know to be one
 * for the whole warp it brings there in a loop over the lanes, so make addresses from fx_warp_id and choose the lane
 * that copies by fx_elect. */
#pragma once

#include <stdint.h>

#include "core/lanes.h"
#include "gpu/from.cuh"

enum { FX_BARRIER_BYTES = 8 };

/* This warp's place in its block, handed round by lane 0. */
__device__ __forceinline__ uint32_t fx_warp_id(void) {
    return __shfl_sync(0xffffffffu, threadIdx.x / FX_WARP, 0);
}

/* Of what lies in shared memory. */
__device__ __forceinline__ uint32_t fx_shared_address(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* True in one lane. The whole warp must take part. */
__device__ __forceinline__ bool fx_elect(void) {
#if __CUDA_ARCH__ >= 900
    uint32_t elected;
    asm volatile("{\n"
                 ".reg .pred mine;\n"
                 "elect.sync _|mine, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, mine;\n"
                 "}\n"
                 : "=r"(elected));
    return elected != 0;
#else
    return threadIdx.x % FX_WARP == 0;
#endif
}

/* This lane's copy of WIDTH_ bytes; past the L1 where it can go there, which is with 16 bytes alone. */
template <int WIDTH_> __device__ __forceinline__ void fx_copy_async(uint32_t to, const char *from) {
    if constexpr (WIDTH_ == 16) {
        asm volatile(FX_FROM_800("cp.async.cg.shared.global [%0], [%1], 16;")::"r"(to), "l"(from) : "memory");
    } else {
        asm volatile(FX_FROM_800("cp.async.ca.shared.global [%0], [%1], %2;")::"r"(to), "l"(from), "n"(WIDTH_)
                     : "memory");
    }
}

/* Closes this lane's copies since the last call to a group. */
__device__ __forceinline__ void fx_close_group(void) {
    asm volatile(FX_FROM_800("cp.async.commit_group;")::: "memory");
}

/* Waits until at most PENDING_ of this lane's groups are under way. */
template <int PENDING_> __device__ __forceinline__ void fx_wait_groups(void) {
    asm volatile(FX_FROM_800("cp.async.wait_group %0;")::"n"(PENDING_) : "memory");
}

#if __CUDA_ARCH__ >= 900
/* For one lane: a barrier whose phase ends after so many arrivals. */
__device__ __forceinline__ void fx_barrier_init(uint32_t barrier, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
#endif

/* For one lane: prepares `count` barriers, end to end, for one arrival a phase, and lets the copy engine see them. */
__device__ __forceinline__ void fx_barriers_init(uint32_t barrier, uint32_t count) {
#if __CUDA_ARCH__ >= 900
#pragma unroll 1
    for (; count > 0; count--, barrier += FX_BARRIER_BYTES) {
        fx_barrier_init(barrier, 1);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* For one lane: arrives at the barrier, whose phase then ends when this many bytes have come. They may come before. */
__device__ __forceinline__ void fx_barrier_expect(uint32_t barrier, uint32_t bytes) {
    asm volatile(FX_FROM_900("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;")::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* What PTX calls the shared memory that a bulk copy writes to: of the own block from CUDA 12.8 on, before that of the
 * cluster, which includes the own block's. */
#if CUDART_VERSION < 12080
#define FX_BULK_TO "shared::cluster"
#else
#define FX_BULK_TO "shared::cta"
#endif

/* For one lane: starts a copy, from and to a multiple of 16 bytes, which tells the barrier when it has come. */
__device__ __forceinline__ void fx_bulk_start(uint32_t to, const char *from, uint32_t bytes, uint32_t barrier) {
    asm volatile(
        FX_FROM_900("cp.async.bulk." FX_BULK_TO ".global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];")::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}

/* For one lane: both, for a copy whose end ends the phase. */
__device__ __forceinline__ void fx_bulk_copy(uint32_t to, const char *from, uint32_t bytes, uint32_t barrier) {
    fx_barrier_expect(barrier, bytes);
    fx_bulk_start(to, from, bytes, barrier);
}

/* Waits for a barrier's phase of this parity, for `polls` polls of 20 cycles or more at most. Returns what is left of
 * them; 0: the phase has not ended, and something is wrong. */
__device__ __forceinline__ uint32_t fx_barrier_wait(uint32_t barrier, uint32_t parity, uint32_t polls) {
#if __CUDA_ARCH__ >= 900
    uint32_t done;
    do {
        asm volatile("{\n"
                     ".reg .pred there;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 there, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, there;\n"
                     "}\n"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done && --polls > 0);
#endif
    return polls;
}

/* A wait of `patience` polls, which falls to 1 where it ends in vain, so that a fault costs one long wait. */
__device__ __forceinline__ void fx_barrier_await(uint32_t barrier, uint32_t parity, uint32_t &patience) {
    patience = fx_barrier_wait(barrier, parity, patience) > 0 ? patience : 1;
}
