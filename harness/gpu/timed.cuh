/* Device side of timed.h. In a kernel:
 *
 *   uint64_t marks[FX_MAX_PASSES] = {0};
 *   fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t i) { accesses }, [&] { fx_consume(result); });
 *   fx_timed_end(timed, marks, FX_ALL_LANES, lane_is_wrong);
 *
 * The first function is one trip of the timed loop (i counts down to 1), the second waits for the last result: chains
 * need it, rates leave it out.
 *
 * All lanes of a warp come through these calls, or those of a mask where the others have left the kernel; the first of
 * them writes. The marks stay in registers to the end, since a store per pass would share the memory pipe with what is
 * timed. */
#pragma once

#include "core/probe.h"
#include "core/random.h"
#include "gpu/timed.h"

/* Parameters of a timed kernel: `timed`, and the probe's argument. */
#define FX_TIMED_WITH(type, name) const __grid_constant__ fx_timed timed, const __grid_constant__ type name

/* Links per trip of each of a warp's chains. */
__host__ __device__ constexpr int fx_steps_of(int chains) {
    return chains == 1 ? FX_CHAIN_STEPS : FX_RATE_STEPS;
}

__device__ __forceinline__ uint64_t fx_clock(void) {
    uint64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__device__ __forceinline__ uint64_t fx_globaltimer(void) {
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

__device__ __forceinline__ uint32_t fx_sm_id(void) {
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Waits until `value` is there: a branch that no run takes, but that needs the value. It leads to an exit, not to a
 * trap: with a trap behind a loop of volatile loads nvcc puts a YIELD into it, and then the loop's end takes some 54
 * cycles. */
__device__ __forceinline__ void fx_consume(uint32_t value) {
    if (value == 0xfffffff1u) {
        asm volatile("exit;" ::: "memory");
    }
}

__device__ __forceinline__ fx_timed_warp *fx_timed_here(const fx_timed &timed) {
    return &timed.warps[(blockIdx.x * blockDim.x + threadIdx.x) / FX_WARP];
}

enum : unsigned { FX_ALL_LANES = 0xffffffffu };

__device__ __forceinline__ void fx_timed_begin(const fx_timed &timed, unsigned lanes) {
    if (threadIdx.x % FX_WARP == __ffs(lanes) - 1) {
        fx_timed_warp *here = fx_timed_here(timed);
        here->sm = fx_sm_id();
        here->first_ns = fx_globaltimer();
        here->first_cycles = fx_clock();
    }
}

__device__ __forceinline__ void fx_timed_barrier(const fx_timed &timed, uint32_t pass) {
    if (pass < timed.barriers) {
        __syncthreads();
    }
}

__device__ __forceinline__ void fx_timed_mark(uint64_t (&marks)[FX_MAX_PASSES], uint32_t pass) {
    const uint64_t now = fx_clock();
#pragma unroll
    for (uint32_t p = 0; p < FX_MAX_PASSES; p++) { /* a run-time index would put the array into local memory */
        marks[p] = p == pass ? now : marks[p];
    }
}

/* The passes: each a barrier where the method has one, the trips, the wait, the clock. */
template <typename TRIP_, typename DRAIN_>
__device__ __forceinline__ void fx_timed_passes(const fx_timed &timed, uint64_t (&marks)[FX_MAX_PASSES], unsigned lanes,
                                                TRIP_ trip, DRAIN_ drain) {
    fx_timed_begin(timed, lanes);
#pragma unroll 1
    for (uint32_t pass = 0; pass < timed.passes; pass++) {
        const uint32_t trips = timed.trips[pass];
        fx_timed_barrier(timed, pass);
#pragma unroll 1
        for (uint32_t i = trips; i > 0; i--) {
            trip(i);
        }
        drain();
        fx_timed_mark(marks, pass);
    }
}

template <typename TRIP_>
__device__ __forceinline__ void fx_timed_passes(const fx_timed &timed, uint64_t (&marks)[FX_MAX_PASSES], unsigned lanes,
                                                TRIP_ trip) {
    fx_timed_passes(timed, marks, lanes, trip, [] {});
}

/* Passes of CHAINS_ chains of a warp: link(s, c) is the s-th link of a trip of chain c. A chain alone is waited for, by
 * its `last` word. */
template <int CHAINS_, int STEPS_ = fx_steps_of(CHAINS_), typename LINK_, typename LAST_>
__device__ __forceinline__ void fx_timed_chains(const fx_timed &timed, uint64_t (&marks)[FX_MAX_PASSES], LINK_ link,
                                                LAST_ last, unsigned lanes = FX_ALL_LANES) {
    const auto trip = [&](uint32_t) {
        FX_UNROLL for (int s = 0; s < STEPS_; s++) {
            FX_UNROLL for (int c = 0; c < CHAINS_; c++) {
                link(s, c);
            }
        }
    };
    fx_timed_passes(timed, marks, lanes, trip, [&] { CHAINS_ == 1 ? fx_consume(last()) : void(); });
}

/* Passes of independent accesses: access(i, a) is the a-th of trip i. */
template <int ACCESSES_, typename ACCESS_>
__device__ __forceinline__ void fx_timed_accesses(const fx_timed &timed, uint64_t (&marks)[FX_MAX_PASSES],
                                                  unsigned lanes, ACCESS_ access) {
    fx_timed_passes(timed, marks, lanes, [&](uint32_t i) {
        FX_UNROLL for (int a = 0; a < ACCESSES_; a++) {
            access(i, a);
        }
    });
}

/* Every lane says whether its result is wrong. */
__device__ __forceinline__ void fx_timed_end(const fx_timed &timed, const uint64_t (&marks)[FX_MAX_PASSES],
                                             unsigned lanes, bool wrong) {
    const unsigned wrong_lanes = __ballot_sync(lanes, wrong);
    uint32_t lane; /* asked again, so that no register keeps it through the passes */
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (lane == __ffs(lanes) - 1) {
        fx_timed_warp *here = fx_timed_here(timed);
        here->last_ns = fx_globaltimer();
        here->last_cycles = fx_clock();
        here->wrong = __popc(wrong_lanes);
#pragma unroll
        for (uint32_t p = 0; p < FX_MAX_PASSES; p++) {
            here->stop[p] = marks[p];
        }
    }
}

/* The same of several results, by `is_wrong(i)` of each. */
template <int COUNT_, typename WRONG_>
__device__ __forceinline__ void fx_timed_end_all(const fx_timed &timed, const uint64_t (&marks)[FX_MAX_PASSES],
                                                 const WRONG_ &is_wrong, unsigned lanes = FX_ALL_LANES) {
    bool wrong = false;
    FX_UNROLL for (int i = 0; i < COUNT_; i++) {
        wrong |= is_wrong(i);
    }
    fx_timed_end(timed, marks, lanes, wrong);
}
