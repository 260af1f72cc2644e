/* The pool of one buffer, and the watch over what the driver clears. */
#include "gpu/pool.h"

/* A look is the mean of LOOK_READS reads of the flush buffer, some 0.1 ms or more in all; at rest are QUIET_LOOKS of
 * them in a row. A device whose clocks fall never reads as fast again, hence the limit. */
enum { LOOK_READS = 8, QUIET_LOOKS = 3, FIRST_LOOKS = 8 };
static const double AT_REST = 1.05, MOST_WAIT_NS = 1e9;

static fx_status look(fx_gpu *gpu, double *read_ns, fx_error *err) {
    float ms;
    FX_TRY_CUDA(cudaEventRecord(gpu->pool.from, gpu->stream));
    for (int i = 0; i < LOOK_READS; i++) {
        FX_TRY(fx_gpu_flush_l2(gpu, err));
    }
    FX_TRY_CUDA(cudaEventRecord(gpu->pool.to, gpu->stream));
    FX_TRY_CUDA(cudaEventSynchronize(gpu->pool.to));
    FX_TRY_CUDA(cudaEventElapsedTime(&ms, gpu->pool.from, gpu->pool.to));
    *read_ns = 1e6 * (double)ms / LOOK_READS;
    if (gpu->pool.rest_ns == 0 || *read_ns < gpu->pool.rest_ns) {
        gpu->pool.rest_ns = *read_ns;
    }
    return FX_OK;
}

fx_status fx_memory_settle(fx_gpu *gpu, uint32_t *flags, fx_error *err) {
    fx_status status = FX_OK;
    int quiet = 0;
    if (gpu->pool.freed_bytes < gpu->flush_bytes) {
        return FX_OK; /* less than one look sees */
    }
    const double end = fx_now_ns() + MOST_WAIT_NS;
    while (status == FX_OK && quiet < QUIET_LOOKS && fx_now_ns() < end) {
        double read_ns = 0;
        status = look(gpu, &read_ns, err);
        quiet = read_ns <= AT_REST * gpu->pool.rest_ns ? quiet + 1 : 0;
    }
    *flags |= quiet < QUIET_LOOKS ? FX_SAMPLE_UNSETTLED : 0;
    gpu->pool.freed_bytes = 0;
    return status;
}

void fx_memory_free(fx_gpu *gpu, void *memory, size_t bytes) {
    cudaFree(memory);
    gpu->pool.freed_bytes += memory ? bytes : 0;
}

void fx_pool_empty(fx_gpu *gpu) {
    fx_memory_free(gpu, gpu->pool.memory, gpu->pool.bytes);
    gpu->pool.memory = NULL;
    gpu->pool.bytes = 0;
}

fx_status fx_pool_borrow(fx_gpu *gpu, size_t bytes, void **out, fx_error *err) {
    if (gpu->pool.bytes < bytes) {
        fx_pool_empty(gpu);
        FX_TRY_CUDA(cudaMalloc(&gpu->pool.memory, bytes));
        gpu->pool.bytes = bytes;
    }
    *out = gpu->pool.memory;
    return FX_OK;
}

fx_status fx_pool_room(fx_gpu *gpu, size_t *bytes, fx_error *err) {
    size_t all;
    FX_TRY_CUDA(cudaMemGetInfo(bytes, &all));
    *bytes += gpu->pool.bytes;
    return FX_OK;
}

fx_status fx_pool_open(fx_gpu *gpu, fx_error *err) {
    double read_ns;
    FX_TRY_CUDA(cudaEventCreate(&gpu->pool.from));
    FX_TRY_CUDA(cudaEventCreate(&gpu->pool.to));
    for (int i = 0; i < FIRST_LOOKS; i++) {
        FX_TRY(look(gpu, &read_ns, err));
    }
    return FX_OK;
}

void fx_pool_close(fx_gpu *gpu) {
    fx_pool_empty(gpu);
    fx_event_drop(gpu->pool.from);
    fx_event_drop(gpu->pool.to);
    gpu->pool = (fx_pool){0};
}
