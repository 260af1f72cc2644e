/* Host side of the timing: launches a grid, checks its oracle, and has its clock reads evaluated. */
#include "gpu/timed.h"

fx_status fx_timed_open(fx_timed_buffer *buffer, unsigned warps, unsigned blocks, unsigned cluster, fx_error *err) {
    const size_t records = (size_t)warps * blocks;
    memset(buffer, 0, sizeof *buffer);
    buffer->warps = warps;
    buffer->blocks = blocks;
    buffer->cluster = cluster;
    FX_TRY_CUDA(cudaMalloc((void **)&buffer->device, records * sizeof *buffer->device));
    return FX_CUDA_STATUS(cudaMallocHost((void **)&buffer->host, records * sizeof *buffer->host));
}

void fx_timed_close(fx_timed_buffer *buffer) {
    cudaFree(buffer->device);
    cudaFreeHost(buffer->host);
    memset(buffer, 0, sizeof *buffer);
}

fx_timed fx_timed_argument(const fx_timed_buffer *buffer, uint32_t trips, uint32_t warm_trips) {
    fx_timed timed = fx_window_plan(buffer->warps, trips, warm_trips);
    timed.warps = buffer->device;
    return timed;
}

fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err) {
    const unsigned warps = buffer->warps * buffer->blocks;
    const size_t bytes = warps * sizeof *buffer->host;
    uint64_t wrong = 0;
    unsigned unwritten = 0;
    fx_window seen;
    FX_TRY_CUDA(cudaMemsetAsync(buffer->device, 0xff, bytes, gpu->stream));
    FX_TRY(fx_gpu_launch_clusters(gpu, kernel, buffer->cluster, buffer->blocks, buffer->warps * FX_WARP, shared_bytes,
                                  arguments, err));
    FX_TRY(fx_gpu_download(gpu, buffer->host, buffer->device, bytes, err));
    for (unsigned w = 0; w < warps; w++) {
        unwritten += buffer->host[w].wrong > FX_WARP; /* still poisoned */
        wrong += buffer->host[w].wrong;
    }
    FX_FAIL_IF(unwritten > 0, err, FX_WRONG_RESULT,
               "the kernel wrote no record for %u of its %u warps, so it did not finish; the case is discarded",
               unwritten, warps);
    FX_FAIL_IF(wrong > 0, err, FX_WRONG_RESULT,
               "the kernel computed wrong results (%llu lanes of %u differ); the case is discarded",
               (unsigned long long)wrong, warps * FX_WARP);
    seen = fx_window_of(timed, buffer->host, buffer->warps, buffer->blocks, accesses, gpu->timer_tick_ns);
    out->value = seen.value;
    out->t_n = seen.t_n;
    out->intercept = seen.intercept;
    out->sm_clock_MHz = seen.sm_clock_MHz;
    out->flags |= (seen.coarse ? FX_SAMPLE_TIMER_RESOLUTION : 0) | (seen.disturbed ? FX_SAMPLE_DISTURBED : 0);
    return FX_OK;
}
