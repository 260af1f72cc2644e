/* Host memory by kind, and the pool of one buffer. */
#include "gpu/kinds.h"

#include "gpu/host.h"

static struct {
    fx_kind kind;
    uint64_t seed;
    size_t size;
    void *memory;
} pool;

void fx_kind_free(fx_kind kind, void *memory, size_t size) {
    if (!memory) {
        return;
    }
    switch (kind) {
    case FX_KIND_MANAGED:
        cudaFree(memory);
        break;
    case FX_KIND_PINNED:
    case FX_KIND_WRITE_COMBINED:
    case FX_KIND_MAPPED:
        cudaFreeHost(memory);
        break;
    case FX_KIND_REGISTERED:
        cudaHostUnregister(memory);
        fx_host_free(memory, size);
        break;
    case FX_KIND_PAGEABLE:
        fx_host_free(memory, size);
        break;
    }
}

fx_status fx_kind_alloc(fx_gpu *gpu, fx_kind kind, size_t size, uint64_t seed, void **out, fx_error *err) {
    fx_status status = FX_OK;
    void *memory = NULL;
    *out = NULL;
    switch (kind) {
    case FX_KIND_PAGEABLE:
    case FX_KIND_REGISTERED:
        status = fx_host_alloc(size, gpu->numa_node, &memory, err);
        break;
    case FX_KIND_MANAGED:
        FX_CUDA(cudaMallocManaged(&memory, size, cudaMemAttachGlobal));
        break;
    case FX_KIND_PINNED:
        FX_CUDA(cudaHostAlloc(&memory, size, cudaHostAllocDefault));
        break;
    case FX_KIND_WRITE_COMBINED:
        FX_CUDA(cudaHostAlloc(&memory, size, cudaHostAllocWriteCombined));
        break;
    case FX_KIND_MAPPED:
        FX_CUDA(cudaHostAlloc(&memory, size, cudaHostAllocMapped));
        break;
    }
    if (status != FX_OK) {
        return status;
    }
    fx_host_fill(memory, size, seed);
    if (kind == FX_KIND_REGISTERED) {
        FX_CUDA(cudaHostRegister(memory, size, cudaHostRegisterDefault));
    }
    *out = memory;
    return FX_OK;
cleanup:
    fx_host_free(kind == FX_KIND_REGISTERED ? memory : NULL, size); /* the others' calls failed before there was any */
    return status;
}

void fx_kind_drop(void) {
    fx_kind_free(pool.kind, pool.memory, pool.size);
    pool.memory = NULL;
}

fx_status fx_kind_take(fx_gpu *gpu, fx_kind kind, size_t size, uint64_t seed, void **out, fx_error *err) {
    if (!pool.memory || pool.kind != kind || pool.seed != seed || pool.size < size) {
        fx_kind_drop();
        const fx_status status = fx_kind_alloc(gpu, kind, size, seed, &pool.memory, err);
        if (status != FX_OK) {
            return status;
        }
        pool.kind = kind;
        pool.seed = seed;
        pool.size = size;
    }
    *out = pool.memory;
    return FX_OK;
}
