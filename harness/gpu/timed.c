/* Host side of the two-length timing: from the warps' clock reads to one sample. */
#include "gpu/timed.h"

#include <stdlib.h>
#include <string.h>

fx_status fx_timed_open(fx_timed_buffer *buffer, unsigned warps, fx_error *err) {
    fx_status status = FX_OK;
    memset(buffer, 0, sizeof *buffer);
    buffer->warps = warps;
    FX_CUDA(cudaMalloc((void **)&buffer->device, warps * sizeof *buffer->device));
    FX_CUDA(cudaMallocHost((void **)&buffer->host, warps * sizeof *buffer->host));
    return FX_OK;
cleanup:
    fx_timed_close(buffer);
    return status;
}

void fx_timed_close(fx_timed_buffer *buffer) {
    cudaFree(buffer->device);
    cudaFreeHost(buffer->host);
    memset(buffer, 0, sizeof *buffer);
}

fx_timed fx_timed_argument(const fx_timed_buffer *buffer, uint32_t trips, uint32_t warm_trips) {
    const uint32_t warm = warm_trips > trips ? warm_trips : trips;
    const fx_timed timed = {.trips = {warm, trips, 2 * trips}, .warps = buffer->device};
    return timed;
}

/* Last stop minus first start of one pass over the block's warps. */
static double span_cycles(const fx_timed_warp *warps, unsigned count, int pass) {
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned w = 0; w < count; w++) {
        first = warps[w].start[pass] < first ? warps[w].start[pass] : first;
        last = warps[w].stop[pass] > last ? warps[w].stop[pass] : last;
    }
    return last > first ? (double)(last - first) : 0;
}

uint32_t fx_timed_total_trips(const fx_timed *timed) {
    return timed->trips[0] + timed->trips[1] + timed->trips[2];
}

fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err) {
    fx_status status = FX_OK;
    const unsigned warps = buffer->warps;
    const size_t bytes = warps * sizeof *buffer->host;
    uint64_t wrong = 0;
    FX_CUDA(cudaMemsetAsync(buffer->device, 0xff, bytes, gpu->stream));
    status = fx_gpu_launch(gpu, kernel, 1, warps * FX_WARP, shared_bytes, arguments, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaMemcpyAsync(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    for (unsigned w = 0; w < warps; w++) {
        wrong += buffer->host[w].wrong;
    }
    if (wrong > 0) {
        return fx_fail(err, FX_WRONG_RESULT,
                       "the kernel's results are not those of its accesses (%llu lanes of %u differ): the number is "
                       "not a measurement",
                       (unsigned long long)wrong, warps * FX_WARP);
    }
    const double once = span_cycles(buffer->host, warps, 1);
    const double twice = span_cycles(buffer->host, warps, 2);
    const fx_timed_warp *warp = &buffer->host[0];
    const double ns = (double)(warp->last_ns - warp->first_ns);
    out->value = (twice - once) / ((double)timed->trips[1] * accesses);
    out->intercept = 2 * once - twice;
    if (ns >= 50 * gpu->timer_tick_ns) {
        out->sm_clock_MHz = 1e3 * (double)(warp->last_cycles - warp->first_cycles) / ns;
    }
cleanup:
    return status;
}

uint32_t fx_timed_trips(double cycles, double cycles_per_trip) {
    const double trips = cycles / cycles_per_trip;
    return trips < 4 ? 4 : trips > 65536 ? 65536 : (uint32_t)trips;
}
