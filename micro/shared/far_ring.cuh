/* What cluster and dsmem_atomics share: a ring of addresses in the memory of a block of the cluster, 128 bytes a step,
 * one chain of each lane. A generic address is its lower half, which the chain hands on, and an upper one that all
 * share. */
#pragma once

#include "gpu/cluster.cuh"
#include "gpu/timed.cuh"

enum { ROWS = 64, STRIDE = 37 /* odd: the ring goes through all rows */, ROW_BYTES = 4 * FX_WARP };

extern __shared__ __align__(128) char shared[];

#if __CUDA_ARCH__ >= 900
/* The first byte of the memory of the block of this rank, as a generic address. */
__device__ __forceinline__ uint64_t memory_of(uint32_t rank) {
    uint64_t mapped;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(shared), "r"(rank));
    return mapped;
}

/* A block at work lays the addresses itself, from `place` on, as it will read them: `low` is the first. Each block's
 * memory has one reader at most. step(at) is where the address at `at` leads. */
template <typename STEP_>
__device__ __forceinline__ void chase_ring(const fx_timed &timed, bool busy, char *place, uint32_t low, uint32_t first,
                                           uint32_t steps, STEP_ step) {
    uint32_t at = low + first * ROW_BYTES;
    bool wrong = false;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_cluster_barrier(); /* the other block is there */
    if (busy) {
        for (uint32_t row = 0; row < ROWS; row++) {
            *(volatile uint32_t *)(place + row * ROW_BYTES) = low + (row + STRIDE) % ROWS * ROW_BYTES;
        }
    }
    fx_cluster_barrier();
    if (busy) {
        fx_timed_chains<1>(timed, marks, [&](int, int) { at = step(at); }, [&] { return at; });
        wrong = at != low + (first + steps * STRIDE) % ROWS * ROW_BYTES;
    }
    fx_cluster_barrier();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}
#endif
