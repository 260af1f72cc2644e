/* Blocks of a cluster (sm_90 on) and each other's shared memory. Below that the functions are not there: kernels guard
 * themselves, and `supported` waives. */
#pragma once

#include <stdint.h>

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ uint32_t fx_cluster_rank(void) {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ uint32_t fx_cluster_size(void) {
    uint32_t size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

__device__ __forceinline__ uint32_t fx_cluster_next(void) {
    return (fx_cluster_rank() + 1) % fx_cluster_size();
}

__device__ __forceinline__ void fx_cluster_barrier(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

/* The same place in another block's shared memory, in the window of the cluster. */
__device__ __forceinline__ uint32_t fx_cluster_map(uint32_t address, uint32_t rank) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
#endif
