/* Device buffers of random bits that the device can check again, and the L2 flush. */
#include "core/random.h"
#include "gpu/cuda.h"

__global__ static void fill(uint32_t *data, size_t words, uint64_t seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) {
        data[i] = fx_random_word(seed, i);
    }
}

__global__ static void count_wrong(const uint32_t *data, size_t words, uint64_t seed, unsigned long long *wrong) {
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) {
        mine += data[i] != fx_random_word(seed, i);
    }
    if (mine > 0) {
        atomicAdd(wrong, mine);
    }
}

__global__ static void read_all(const uint4 *data, size_t quads) {
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < quads; i += (size_t)gridDim.x * blockDim.x) {
        uint4 v;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(data + i));
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0xfffffff1u && threadIdx.x == 4096) {
        asm volatile("trap;"); /* never: keeps the loads alive */
    }
}

__global__ static void timer_step(unsigned long long *smallest) {
    uint64_t last, now, least = UINT64_MAX;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(last));
    for (int i = 0; i < 4096; i++) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now > last) {
            least = now - last < least ? now - last : least;
            last = now;
        }
    }
    *smallest = least;
}

extern "C" fx_status fx_gpu_timer_tick(fx_gpu *gpu, double *tick_ns, fx_error *err) {
    unsigned long long least = 0;
    void *arguments[] = {&gpu->scratch};
    FX_TRY(fx_gpu_launch(gpu, (const void *)timer_step, 1, 1, 0, arguments, err));
    FX_TRY(fx_gpu_download(gpu, &least, gpu->scratch, sizeof least, err));
    *tick_ns = (double)least;
    return FX_OK;
}

static unsigned grid(const fx_gpu *gpu) {
    return (unsigned)gpu->facts.sm_count * 4;
}

extern "C" fx_status fx_gpu_fill(fx_gpu *gpu, void *data, size_t words, uint64_t seed, fx_error *err) {
    void *arguments[] = {&data, &words, &seed};
    return fx_gpu_launch(gpu, (const void *)fill, grid(gpu), 512, 0, arguments, err);
}

extern "C" fx_status fx_gpu_verify(fx_gpu *gpu, const void *data, size_t words, uint64_t seed, fx_error *err) {
    unsigned long long count = 0;
    void *arguments[] = {&data, &words, &seed, &gpu->scratch};
    FX_TRY_CUDA(cudaMemsetAsync(gpu->scratch, 0, sizeof count, gpu->stream));
    FX_TRY(fx_gpu_launch(gpu, (const void *)count_wrong, grid(gpu), 512, 0, arguments, err));
    FX_TRY(fx_gpu_download(gpu, &count, gpu->scratch, sizeof count, err));
    FX_FAIL_IF(count > 0, err, FX_WRONG_RESULT, "%llu of %zu words of a device buffer differ from what was written",
               count, words);
    return FX_OK;
}

extern "C" fx_status fx_gpu_read(fx_gpu *gpu, const void *data, size_t bytes, fx_error *err) {
    size_t quads = bytes / sizeof(uint4);
    void *arguments[] = {&data, &quads};
    return fx_gpu_launch(gpu, (const void *)read_all, grid(gpu), 512, 0, arguments, err);
}

extern "C" fx_status fx_gpu_flush_l2(fx_gpu *gpu, fx_error *err) {
    return fx_gpu_read(gpu, gpu->flush, gpu->flush_bytes, err);
}
