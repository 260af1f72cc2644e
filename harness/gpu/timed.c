/* Host side of the timing: from the warps' clock reads to one sample. */
#include "gpu/timed.h"

#include <string.h>

static uint32_t stretch = 1;

enum { CHAIN_PASSES = 3, SETTLED = 1 /* the pass that ends with all warps at work */ };

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
    const bool chain = buffer->warps == 1;
    fx_timed timed = {.passes = chain ? CHAIN_PASSES : FX_MAX_PASSES,
                      .barriers = chain ? CHAIN_PASSES : SETTLED + 1,
                      .trips = {0},
                      .warps = buffer->device};
    for (uint32_t p = 0; p < timed.passes; p++) {
        timed.trips[p] = trips;
    }
    timed.trips[0] = warm_trips > trips ? warm_trips : trips;
    if (chain) {
        timed.trips[2] = 2 * trips;
    }
    return timed;
}

uint32_t fx_timed_total_trips(const fx_timed *timed) {
    uint32_t total = 0;
    for (uint32_t p = 0; p < timed->passes; p++) {
        total += timed->trips[p];
    }
    return total;
}

uint64_t fx_timed_steps(fx_timed *timed, uint32_t steps, uint32_t ring) {
    for (uint32_t i = 0; i < ring && (uint64_t)fx_timed_total_trips(timed) * steps % ring == 0; i++) {
        timed->trips[0]++;
    }
    return (uint64_t)fx_timed_total_trips(timed) * steps;
}

uint32_t fx_timed_trips(double cycles, double cycles_per_trip) {
    const double trips = cycles / cycles_per_trip;
    return stretch * (trips < 2 ? 2 : trips > 65536 ? 65536 : (uint32_t)trips);
}

void fx_timed_stretch(unsigned factor) {
    stretch = factor > 1 ? factor : 1;
}

static void chain_sample(const fx_timed_warp *warp, const fx_timed *timed, double accesses, fx_sample *out) {
    const double once = (double)(warp->stop[1] - warp->stop[0]), twice = (double)(warp->stop[2] - warp->stop[1]);
    out->value = (twice - once) / (timed->trips[1] * accesses);
    out->intercept = 2 * once - twice;
}

/* Trips that a warp has done since it settled at time `at`, which lies between the ends of that pass and of its last.
 */
static double progress(const fx_timed_warp *warp, const fx_timed *timed, uint64_t at) {
    double done = 0;
    for (uint32_t p = SETTLED + 1; p < timed->passes; p++) {
        if (at <= warp->stop[p]) {
            const double length = (double)(warp->stop[p] - warp->stop[p - 1]);
            return done + (length > 0 ? (double)(at - warp->stop[p - 1]) / length * timed->trips[p] : 0);
        }
        done += timed->trips[p];
    }
    return done;
}

static void rate_sample(const fx_timed_warp *warps, unsigned count, const fx_timed *timed, double accesses,
                        fx_sample *out) {
    uint64_t from = 0, to = UINT64_MAX;
    double trips = 0;
    for (unsigned w = 0; w < count; w++) {
        const uint64_t first = warps[w].stop[SETTLED], last = warps[w].stop[timed->passes - 2];
        from = first > from ? first : from;
        to = last < to ? last : to;
    }
    if (to <= from) { /* one warp was done before another had begun: no number, and the sampler will say so */
        return;
    }
    for (unsigned w = 0; w < count; w++) {
        trips += progress(&warps[w], timed, to) - progress(&warps[w], timed, from);
    }
    out->value = (double)(to - from) / (trips * accesses);
}

fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err) {
    fx_status status = FX_OK;
    const unsigned warps = buffer->warps;
    const size_t bytes = warps * sizeof *buffer->host;
    uint64_t wrong = 0;
    unsigned unwritten = 0;
    FX_CUDA(cudaMemsetAsync(buffer->device, 0xff, bytes, gpu->stream));
    status = fx_gpu_launch(gpu, kernel, 1, warps * FX_WARP, shared_bytes, arguments, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaMemcpyAsync(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    for (unsigned w = 0; w < warps; w++) {
        unwritten += buffer->host[w].wrong > FX_WARP; /* still poisoned */
        wrong += buffer->host[w].wrong;
    }
    if (unwritten > 0) {
        return fx_fail(err, FX_WRONG_RESULT,
                       "the kernel wrote no record for %u of its %u warps, so it did not run to its end: there is no "
                       "measurement",
                       unwritten, warps);
    }
    if (wrong > 0) {
        return fx_fail(err, FX_WRONG_RESULT,
                       "the kernel's results are not those of its accesses (%llu lanes of %u differ): the number is "
                       "not a measurement",
                       (unsigned long long)wrong, warps * FX_WARP);
    }
    if (warps == 1) {
        chain_sample(buffer->host, timed, accesses, out);
    } else {
        rate_sample(buffer->host, warps, timed, accesses, out);
    }
    const fx_timed_warp *warp = &buffer->host[0];
    const double ns = (double)(warp->last_ns - warp->first_ns);
    if (ns < 50 * gpu->timer_tick_ns) {
        out->flags |= FX_SAMPLE_TIMER_RESOLUTION; /* the frequency is not known; the cycles are */
    } else {
        out->sm_clock_MHz = 1e3 * (double)(warp->last_cycles - warp->first_cycles) / ns;
    }
cleanup:
    return status;
}
