/* The start latch of latch.h. */
#include "gpu/latch.h"

#include <string.h>

__global__ static void hold(volatile uint32_t *flags, unsigned long long limit_ns) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    while (flags[0] == 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > limit_ns) {
            flags[1] = 1;
            return;
        }
    }
}

extern "C" fx_status fx_latch_open(fx_latch *latch, fx_error *err) {
    fx_status status = FX_OK;
    memset(latch, 0, sizeof *latch);
    FX_CUDA(cudaHostAlloc((void **)&latch->host, 2 * sizeof *latch->host, cudaHostAllocMapped));
    FX_CUDA(cudaHostGetDevicePointer((void **)&latch->device, (void *)latch->host, 0));
    return FX_OK;
cleanup:
    fx_latch_close(latch);
    return status;
}

extern "C" void fx_latch_close(fx_latch *latch) {
    cudaFreeHost((void *)latch->host);
    memset(latch, 0, sizeof *latch);
}

extern "C" fx_status fx_latch_hold(fx_latch *latch, cudaStream_t stream, fx_error *err) {
    unsigned long long limit_ns = 2000000000u;
    void *arguments[] = {&latch->device, &limit_ns};
    const dim3 one(1, 1, 1);
    latch->host[0] = 0;
    latch->host[1] = 0;
    return FX_CUDA_STATUS(cudaLaunchKernel((const void *)hold, one, one, arguments, 0, stream));
}

extern "C" void fx_latch_release(fx_latch *latch) {
    __sync_synchronize();
    latch->host[0] = 1;
}

extern "C" bool fx_latch_timed_out(const fx_latch *latch) {
    return latch->host[1] != 0;
}
