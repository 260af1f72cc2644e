/* Host side of the timing by pairs of launches, and of the sums that are their oracle. */
#include "gpu/pair.h"

#include <string.h>

fx_status fx_pair_open(fx_pair *pair, fx_error *err) {
    fx_status status = FX_OK;
    memset(pair, 0, sizeof *pair);
    for (size_t i = 0; i < FX_COUNT(pair->event); i++) {
        FX_CUDA(cudaEventCreate(&pair->event[i]));
    }
    return FX_OK;
cleanup:
    fx_pair_close(pair);
    return status;
}

void fx_pair_close(fx_pair *pair) {
    for (size_t i = 0; i < FX_COUNT(pair->event); i++) {
        if (pair->event[i]) {
            cudaEventDestroy(pair->event[i]);
        }
    }
    memset(pair, 0, sizeof *pair);
}

static fx_status time_launch(fx_gpu *gpu, fx_pair *pair, const fx_pair_work *work, int which, double *ns,
                             fx_error *err) {
    fx_status status = work->cold ? fx_gpu_flush_l2(gpu, err) : work->launch(gpu, work->context, 0, err);
    float ms;
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaEventRecord(pair->event[2 * which], gpu->stream));
    status = work->launch(gpu, work->context, which, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaEventRecord(pair->event[2 * which + 1], gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    FX_CUDA(cudaEventElapsedTime(&ms, pair->event[2 * which], pair->event[2 * which + 1]));
    *ns = (double)ms * 1e6;
    if (work->check) {
        status = work->check(gpu, work->context, which, err);
    }
cleanup:
    return status;
}

/* Works untimed until memory that was freed has been cleared. */
static fx_status settle(fx_gpu *gpu, const fx_pair_work *work, fx_error *err) {
    fx_status status = FX_OK;
    while (fx_now_ns() < fx_gpu_quiet_ns()) {
        status = work->launch(gpu, work->context, 0, err);
        if (status == FX_OK && work->check) {
            status = work->check(gpu, work->context, 0, err);
        }
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
    }
cleanup:
    return status;
}

fx_status fx_pair_sample(fx_gpu *gpu, fx_pair *pair, const fx_pair_work *work, fx_sample *out, fx_error *err) {
    double ns[2];
    const fx_status settled = settle(gpu, work, err);
    if (settled != FX_OK) {
        return settled;
    }
    for (int which = 0; which < 2; which++) {
        const fx_status status = time_launch(gpu, pair, work, which, &ns[which], err);
        if (status != FX_OK) {
            return status;
        }
    }
    if (ns[1] > ns[0]) {
        out->value = (ns[1] - ns[0]) / work->units;
    } else { /* something hit the shorter launch, and a time can't be negative: its own start and end are in this one */
        out->value = ns[1] / (2 * work->units);
        out->flags |= FX_SAMPLE_DISTURBED;
    }
    out->intercept = 2 * ns[0] - ns[1];
    return FX_OK;
}

fx_status fx_sums_open(fx_gpu *gpu, unsigned long long **sums, fx_error *err) {
    fx_status status = FX_OK;
    FX_CUDA(cudaMalloc((void **)sums, FX_SUMS * sizeof **sums));
    FX_CUDA(cudaMemsetAsync(*sums, 0, FX_SUMS * sizeof **sums, gpu->stream));
cleanup:
    return status;
}

fx_status fx_sums_take(fx_gpu *gpu, unsigned long long *sums, unsigned long long *total, fx_error *err) {
    fx_status status = FX_OK;
    unsigned long long host[FX_SUMS];
    FX_CUDA(cudaMemcpyAsync(host, sums, sizeof host, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaMemsetAsync(sums, 0, sizeof host, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    *total = 0;
    for (size_t i = 0; i < FX_SUMS; i++) {
        *total += host[i];
    }
cleanup:
    return status;
}
