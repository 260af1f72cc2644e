/* Host side of the timing: from the warps' clock reads to one sample. */
#include "gpu/timed.h"

#include <math.h>
#include <string.h>

static uint32_t stretch = 1;

enum { CHAIN_PASSES = 3, SETTLED = 1 /* the pass that ends with all warps at work */ };

fx_status fx_timed_open(fx_timed_buffer *buffer, unsigned warps, fx_error *err) {
    return fx_timed_open_grid(buffer, warps, 1, 1, err);
}

fx_status fx_timed_open_grid(fx_timed_buffer *buffer, unsigned warps, unsigned blocks, unsigned cluster,
                             fx_error *err) {
    const size_t records = (size_t)warps * blocks;
    fx_status status = FX_OK;
    memset(buffer, 0, sizeof *buffer);
    buffer->warps = warps;
    buffer->blocks = blocks;
    buffer->cluster = cluster;
    FX_CUDA(cudaMalloc((void **)&buffer->device, records * sizeof *buffer->device));
    FX_CUDA(cudaMallocHost((void **)&buffer->host, records * sizeof *buffer->host));
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

static double chain_value(const fx_timed_warp *warp, const fx_timed *timed, double accesses, double *intercept) {
    const double once = (double)(warp->stop[1] - warp->stop[0]), twice = (double)(warp->stop[2] - warp->stop[1]);
    *intercept = 2 * once - twice;
    return (twice - once) / (timed->trips[1] * accesses);
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

/* All passes begin together, so the block takes as long as the last warp of each. */
static double together_value(const fx_timed_warp *warps, unsigned count, const fx_timed *timed, double accesses) {
    uint64_t from = 0, to = 0;
    double trips = 0;
    for (unsigned w = 0; w < count; w++) {
        const uint64_t first = warps[w].stop[SETTLED], last = warps[w].stop[timed->passes - 1];
        from = first > from ? first : from;
        to = last > to ? last : to;
    }
    for (uint32_t p = SETTLED + 1; p < timed->passes; p++) {
        trips += (double)timed->trips[p] * count;
    }
    return (double)(to - from) / (trips * accesses);
}

/* NAN where one warp was done before another had begun: no number, and the sampler will say so. */
static double rate_value(const fx_timed_warp *warps, unsigned count, const fx_timed *timed, double accesses) {
    uint64_t from = 0, to = UINT64_MAX;
    double trips = 0;
    for (unsigned w = 0; w < count; w++) {
        const uint64_t first = warps[w].stop[SETTLED], last = warps[w].stop[timed->passes - 2];
        from = first > from ? first : from;
        to = last < to ? last : to;
    }
    if (to <= from) {
        return (double)NAN;
    }
    for (unsigned w = 0; w < count; w++) {
        trips += progress(&warps[w], timed, to) - progress(&warps[w], timed, from);
    }
    return (double)(to - from) / (trips * accesses);
}

/* The mean over the blocks that were at work; the SM's frequency as the first of them saw it. */
static void evaluate(fx_gpu *gpu, const fx_timed_buffer *buffer, const fx_timed *timed, double accesses,
                     fx_sample *out) {
    const fx_timed_warp *seen = NULL;
    double sum = 0, intercepts = 0;
    unsigned busy = 0;
    for (unsigned b = 0; b < buffer->blocks; b++) {
        const fx_timed_warp *warps = &buffer->host[(size_t)b * buffer->warps];
        double intercept = NAN;
        if (warps->stop[timed->passes - 1] == 0) {
            continue;
        }
        sum += buffer->warps == 1                ? chain_value(warps, timed, accesses, &intercept)
               : timed->barriers < timed->passes ? rate_value(warps, buffer->warps, timed, accesses)
                                                 : together_value(warps, buffer->warps, timed, accesses);
        intercepts += intercept;
        seen = seen ? seen : warps;
        busy++;
    }
    if (!seen) {
        return;
    }
    out->value = sum / busy;
    out->intercept = intercepts / busy;
    const double ns = (double)(seen->last_ns - seen->first_ns);
    if (ns < 50 * gpu->timer_tick_ns) {
        out->flags |= FX_SAMPLE_TIMER_RESOLUTION; /* the frequency is not known; the cycles are */
    } else {
        out->sm_clock_MHz = 1e3 * (double)(seen->last_cycles - seen->first_cycles) / ns;
    }
}

/* A launch of the buffer's grid: with the attribute only where there are clusters, which older devices don't know. */
static fx_status launch(fx_gpu *gpu, const fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                        void **arguments, fx_error *err) {
    const unsigned threads = buffer->warps * FX_WARP;
    fx_status status = FX_OK;
    if (buffer->cluster == 1) {
        return fx_gpu_launch(gpu, kernel, buffer->blocks, threads, shared_bytes, arguments, err);
    }
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
    attribute.val.clusterDim.x = buffer->cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    const cudaLaunchConfig_t config = {.gridDim = {buffer->blocks, 1, 1},
                                       .blockDim = {threads, 1, 1},
                                       .dynamicSmemBytes = shared_bytes,
                                       .stream = gpu->stream,
                                       .attrs = &attribute,
                                       .numAttrs = 1};
    FX_CUDA(cudaLaunchKernelExC(&config, kernel, arguments));
cleanup:
    return status;
}

fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err) {
    fx_status status = FX_OK;
    const unsigned warps = buffer->warps * buffer->blocks;
    const size_t bytes = warps * sizeof *buffer->host;
    uint64_t wrong = 0;
    unsigned unwritten = 0;
    FX_CUDA(cudaMemsetAsync(buffer->device, 0xff, bytes, gpu->stream));
    status = launch(gpu, buffer, kernel, shared_bytes, arguments, err);
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
    evaluate(gpu, buffer, timed, accesses, out);
cleanup:
    return status;
}
