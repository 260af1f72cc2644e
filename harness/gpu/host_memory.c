/* Host memory by kind, and the pool of one buffer. */
#include "gpu/host_memory.h"

#include "gpu/numa.h"

void fx_host_memory_free(fx_host_kind kind, void *memory, size_t size) {
    if (memory && kind == FX_HOST_REGISTERED) {
        cudaHostUnregister(memory);
    }
    if (kind == FX_HOST_PAGEABLE || kind == FX_HOST_REGISTERED) {
        fx_numa_free(memory, size);
    } else if (memory && kind == FX_HOST_MANAGED) {
        cudaFree(memory);
    } else if (memory) {
        cudaFreeHost(memory);
    }
}

fx_status fx_host_memory_alloc(fx_gpu *gpu, fx_host_kind kind, size_t size, uint64_t seed, void **out, fx_error *err) {
    static const unsigned how[] = {[FX_HOST_PINNED] = cudaHostAllocDefault,
                                   [FX_HOST_WRITE_COMBINED] = cudaHostAllocWriteCombined,
                                   [FX_HOST_MAPPED] = cudaHostAllocMapped};
    fx_status status = FX_OK;
    void *memory = NULL;
    *out = NULL;
    if (kind == FX_HOST_PAGEABLE || kind == FX_HOST_REGISTERED) {
        FX_TRY(fx_numa_alloc(size, gpu->numa_node, &memory, err));
    } else if (kind == FX_HOST_MANAGED) {
        FX_TRY_CUDA(cudaMallocManaged(&memory, size, cudaMemAttachGlobal));
    } else {
        FX_TRY_CUDA(cudaHostAlloc(&memory, size, how[kind]));
    }
    fx_host_fill(memory, size, seed);
    if (kind == FX_HOST_REGISTERED) {
        FX_CUDA(cudaHostRegister(memory, size, cudaHostRegisterDefault));
    }
    *out = memory;
    return FX_OK;
cleanup:
    fx_numa_free(memory, size);
    return status;
}

void fx_host_memory_drop(fx_gpu *gpu) {
    fx_host_memory_free((fx_host_kind)gpu->host_pool.kind, gpu->host_pool.memory, gpu->host_pool.size);
    gpu->host_pool = (fx_host_pool){0};
}

fx_status fx_host_memory_borrow(fx_gpu *gpu, fx_host_kind kind, size_t size, uint64_t seed, void **out, fx_error *err) {
    fx_host_pool *pool = &gpu->host_pool;
    if (!pool->memory || pool->kind != (int)kind || pool->seed != seed || pool->size < size) {
        void *memory;
        fx_host_memory_drop(gpu);
        FX_TRY(fx_host_memory_alloc(gpu, kind, size, seed, &memory, err));
        *pool = (fx_host_pool){.memory = memory, .size = size, .seed = seed, .kind = (int)kind};
    }
    *out = pool->memory;
    return FX_OK;
}
