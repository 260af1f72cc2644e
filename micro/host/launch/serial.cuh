/* A serial step between two parallel ones: left on the device, where one thread does it, or done by the host between a
 * copy there and one back. */
#pragma once

#include <string.h>

#include "core/random.h"
#include "gpu/rig.h"

typedef struct serial_work {
    uint32_t *data, *staged; /* on the device, on the host */
    bool left;               /* on the device */
} serial_work;

__host__ __device__ static uint32_t mixed(uint32_t word) {
    word = (word ^ word >> 16) * 0x7feb352du;
    return word ^ word >> 15;
}

/* Each word depends on all words before it. */
__host__ __device__ static uint32_t chained(uint32_t before, uint32_t word) {
    return (before ^ word) * 0x9e3779b1u + 1;
}

__global__ static void parallel_step(uint32_t *data, uint32_t words) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        data[i] = mixed(data[i]);
    }
}

__host__ __device__ static void chain_words(uint32_t *data, uint32_t words) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < words; i++) {
        data[i] = last = chained(last, data[i]);
    }
}

__global__ static void serial_step(uint32_t *data, uint32_t words) {
    chain_words(data, words);
}

static fx_status check_serial(const uint32_t *data, uint32_t words, uint64_t seed, fx_error *err) {
    uint32_t last = 0, wrong = 0;
    for (uint32_t i = 0; i < words; i++) {
        last = chained(last, mixed(fx_random_word(seed, i)));
        wrong += data[i] != mixed(last);
    }
    FX_FAIL_IF(wrong > 0, err, FX_WRONG_RESULT, "%u of %u words differ from the result of the three steps", wrong,
               words);
    return FX_OK;
}

/* Left and round trip: parallel, serial, parallel. */
static fx_status sample_serial(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    const serial_work *w = FX_ARGUMENT(rig, serial_work);
    const size_t bytes = (size_t)c->prediction.useful_bytes;
    uint32_t words = (uint32_t)(bytes / 4);
    const unsigned threads = 256, sms = (unsigned)gpu->facts.sm_count;
    const unsigned blocks = words / threads < sms ? words / threads + 1 : sms;
    void *data = w->data, *arguments[] = {&data, &words};
    FX_TRY(fx_gpu_fill(gpu, w->data, words, seed, err));
    FX_TRY(fx_gpu_wait(gpu, err));
    const double begin = fx_now_ns();
    FX_TRY(fx_gpu_launch(gpu, (const void *)parallel_step, blocks, threads, 0, arguments, err));
    if (w->left) {
        FX_TRY(fx_gpu_launch(gpu, (const void *)serial_step, 1, 1, 0, arguments, err));
    } else {
        FX_TRY(fx_gpu_download(gpu, w->staged, w->data, bytes, err));
        chain_words(w->staged, words);
        FX_TRY_CUDA(cudaMemcpyAsync(w->data, w->staged, bytes, cudaMemcpyHostToDevice, gpu->stream));
    }
    FX_TRY(fx_gpu_launch(gpu, (const void *)parallel_step, blocks, threads, 0, arguments, err));
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    out->value = fx_now_ns() - begin;
    memset(w->staged, 0, bytes);
    FX_TRY(fx_gpu_download(gpu, w->staged, w->data, bytes, err));
    return check_serial(w->staged, words, seed, err);
}

static fx_status arrange_serial(fx_rig *rig, size_t bytes, bool left, fx_error *err) {
    serial_work *w = FX_ARGUMENT(rig, serial_work);
    FX_TRY(fx_rig_memory(rig, &w->data, FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->staged, FX_PINNED_MEMORY, bytes, 0, err));
    w->left = left;
    rig->sample = sample_serial;
    return FX_OK;
}
