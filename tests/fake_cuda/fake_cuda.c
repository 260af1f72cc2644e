#include "fake_cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "gpu/cuda.h"
#include "gpu/stamps.h"

fake_device fake;

struct fake_event {
    double ns;
};

/* True where this call is the one that fails. */
static bool fails(void) {
    return ++fake.calls == fake.failing_call;
}

static cudaError_t allocate(void **memory, size_t bytes) {
    if (fails()) {
        return fake.failure;
    }
    *memory = malloc(bytes);
    fake.live++;
    return cudaSuccess;
}

static cudaError_t release(void *memory) {
    fake.live -= memory != NULL;
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    return allocate(memory, bytes);
}

cudaError_t cudaFree(void *memory) {
    return release(memory);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) {
    return allocate(memory, bytes);
}

cudaError_t cudaFreeHost(void *memory) {
    return release(memory);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes) {
    *free_bytes = *all_bytes = fake.free_bytes;
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    if (fails()) {
        return fake.failure;
    }
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)kind, (void)stream;
    if (fails()) {
        return fake.failure;
    }
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return allocate((void **)event, sizeof **event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return release(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    event->ns = fake.clock_ns;
    fake.clock_ns += 1500 + (fake.calls % 5 == 0) * fake.tick_ns; /* an event takes time of its own */
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    (void)event;
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    const double tick = fake.tick_ns > 0 ? fake.tick_ns : 1;
    *ms = (float)((floor(to->ns / tick) - floor(from->ns / tick)) * tick / 1e6);
    return fails() ? fake.failure : cudaSuccess;
}

static cudaError_t launch(const void *kernel, const fake_launch *l) {
    if (fails()) {
        return fake.failure;
    }
    ((fake_kernel *)(uintptr_t)kernel)(l);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    const fake_launch l = {
        .grid = grid, .block = block, .arguments = arguments, .shared_bytes = shared_bytes, .stream = stream};
    return launch(kernel, &l);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    const fake_launch l = {.grid = config->gridDim,
                           .block = config->blockDim,
                           .arguments = arguments,
                           .shared_bytes = config->dynamicSmemBytes,
                           .stream = config->stream,
                           .cluster = config->numAttrs > 0 ? config->attrs[0].val.clusterDim.x : 0};
    return launch(kernel, &l);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
    (void)kernel;
    *attributes =
        (struct cudaFuncAttributes){.sharedSizeBytes = 512, .localSizeBytes = fake.local_bytes, .numRegs = 40};
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
    (void)kernel;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        fake.carveout_pct = value;
    }
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t code) {
    return code == cudaErrorMemoryAllocation ? "out of memory" : "something else";
}

const char *cudaGetErrorName(cudaError_t code) {
    return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}

/* What buffers.cu does on a device. */

fx_status fx_gpu_fill(fx_gpu *gpu, void *data, size_t words, uint64_t seed, fx_error *err) {
    uint32_t *at = data;
    (void)gpu;
    if (fails()) {
        return fx_cuda_check(fake.failure, "fill", "fake_cuda.c", 0, err);
    }
    for (size_t i = 0; i < words; i++) {
        at[i] = fx_random_word(seed, i);
    }
    return FX_OK;
}

fx_status fx_gpu_flush_l2(fx_gpu *gpu, fx_error *err) {
    (void)gpu;
    if (fails()) {
        return fx_cuda_check(fake.failure, "flush", "fake_cuda.c", 0, err);
    }
    fake.clock_ns += fake.slow_flushes > 0 ? 1.5 * fake.flush_ns : fake.flush_ns;
    fake.slow_flushes -= fake.slow_flushes > 0;
    fake.flushes++;
    return FX_OK;
}

/* What stamps.cu does: blocks come to SMs in an order of their own. */
fx_status fx_gpu_stamp(fx_gpu *gpu, fx_stamp *to, unsigned count, fx_error *err) {
    (void)gpu;
    if (fails()) {
        return fx_cuda_check(fake.failure, "stamp", "fake_cuda.c", 0, err);
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned sm = (i + fake.stamps) % count + fake.stamps * fake.strange_sms;
        to[i] = (fx_stamp){.cycles = (uint64_t)(1e6 * sm + fake.clock_ns * fake.sm_MHz / 1e3), /* each has a zero */
                           .ns = (uint64_t)fake.clock_ns,
                           .sm = sm};
    }
    fake.stamps++;
    fake.clock_ns += 1000;
    return FX_OK;
}
