/* Host side of the clock reads around a launch. Which SM a block runs on is not ours to choose: there are as many
 * blocks as SMs, and only what was read on one and the same SM is compared. */
#include "gpu/stamps.h"

#include "core/stats.h"

fx_status fx_stamps_open(fx_gpu *gpu, fx_stamps *stamps, fx_error *err) {
    const unsigned count = gpu->facts.sm_count > 0 ? (unsigned)gpu->facts.sm_count : 1;
    const size_t bytes = 2 * (size_t)count * sizeof *stamps->device;
    memset(stamps, 0, sizeof *stamps);
    stamps->count = count;
    stamps->scratch = fx_new(count, sizeof *stamps->scratch);
    FX_TRY_CUDA(cudaMalloc((void **)&stamps->device, bytes));
    return FX_CUDA_STATUS(cudaMallocHost((void **)&stamps->host, bytes));
}

void fx_stamps_close(fx_stamps *stamps) {
    cudaFree(stamps->device);
    cudaFreeHost(stamps->host);
    free(stamps->scratch);
    memset(stamps, 0, sizeof *stamps);
}

fx_status fx_stamps_take(fx_gpu *gpu, const fx_stamps *stamps, fx_stamps_when when, fx_error *err) {
    return fx_gpu_stamp(gpu, stamps->device + (when == FX_STAMPS_AFTER ? stamps->count : 0), stamps->count, err);
}

double fx_stamps_MHz(const fx_stamp *before, const fx_stamp *after, unsigned count, double tick_ns, double *scratch) {
    size_t known = 0;
    for (unsigned b = 0; b < count; b++) {
        const fx_stamp *from = &before[b], *to = after;
        while (to < after + count && to->sm != from->sm) {
            to++;
        }
        if (to == after + count || to->ns <= from->ns || to->cycles <= from->cycles) {
            continue;
        }
        const double ns = (double)(to->ns - from->ns);
        if (ns >= FX_CLOCK_TICKS * tick_ns) {
            scratch[known++] = 1e3 * (double)(to->cycles - from->cycles) / ns;
        }
    }
    return fx_median_finite(scratch, known);
}

fx_status fx_stamps_read(fx_gpu *gpu, const fx_stamps *stamps, double *MHz, fx_error *err) {
    const size_t bytes = 2 * (size_t)stamps->count * sizeof *stamps->host;
    FX_TRY(fx_gpu_download(gpu, stamps->host, stamps->device, bytes, err));
    *MHz =
        fx_stamps_MHz(stamps->host, stamps->host + stamps->count, stamps->count, gpu->timer_tick_ns, stamps->scratch);
    return FX_OK;
}
