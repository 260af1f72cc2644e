/* See multi_gpu.h. Whatever fails while streams are held, they are let go and waited for. */
#include "multi_gpu.h"

#include "gpu/pair.h"

fx_status fx_multi_gpu_open(fx_gpus *gpus, fx_multi_gpu *out, fx_error *err) {
    *out = (fx_multi_gpu){.gpus = gpus};
    return fx_latch_open(&out->latch, err);
}

void fx_multi_gpu_close(fx_multi_gpu *together) {
    if (!together->gpus) {
        return;
    }
    for (size_t i = 0; i < together->count; i++) {
        const fx_lane *lane = &together->lane[i];
        (void)cudaSetDevice(lane->gpu);
        fx_event_drop(lane->begin);
        fx_event_drop(lane->end);
        fx_stream_drop(lane->stream);
    }
    (void)cudaSetDevice(together->gpus->home->ordinal);
    fx_latch_close(&together->latch);
    *together = (fx_multi_gpu){0};
}

fx_status fx_multi_gpu_add(fx_multi_gpu *together, int gpu, fx_error *err) {
    FX_FAIL_IF(together->count == FX_MOST_LANES, err, FX_BAD_INPUT,
               "more than %d lanes begin together: raise FX_MOST_LANES", FX_MOST_LANES);
    fx_status status = FX_OK;
    FX_TRY(fx_gpus_use(together->gpus, gpu, err));
    fx_lane *lane = &together->lane[together->count++];
    *lane = (fx_lane){.gpu = gpu, .repeats = 1};
    FX_CUDA(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    FX_CUDA(cudaEventCreate(&lane->begin));
    FX_CUDA(cudaEventCreate(&lane->end));
cleanup:
    return fx_gpus_home_after(together->gpus, status, err);
}

static fx_status queue_lane(const fx_multi_gpu *together, size_t which, fx_error *err) {
    const fx_lane *lane = &together->lane[which];
    FX_TRY(together->prime ? together->prime(together->context, lane, which, err) : FX_OK);
    FX_TRY_CUDA(cudaEventRecord(lane->begin, lane->stream));
    for (unsigned i = 0; i < lane->repeats; i++) {
        FX_TRY(together->queue(together->context, lane, which, err));
    }
    return FX_CUDA_STATUS(cudaEventRecord(lane->end, lane->stream));
}

/* Holds them all first: a stream that is held takes what is queued behind. */
static fx_status queue_all(fx_multi_gpu *together, size_t first, size_t count, fx_error *err) {
    for (size_t i = first; i < first + count; i++) {
        FX_TRY(fx_gpus_use(together->gpus, together->lane[i].gpu, err));
        FX_TRY(fx_latch_hold(&together->latch, together->lane[i].stream, err));
    }
    for (size_t i = first; i < first + count; i++) {
        FX_TRY(fx_gpus_use(together->gpus, together->lane[i].gpu, err));
        FX_TRY(queue_lane(together, i, err));
    }
    return FX_OK;
}

static fx_status wait_all(const fx_multi_gpu *together, size_t first, size_t count, fx_error *err) {
    for (size_t i = first; i < first + count; i++) {
        const cudaError_t code = cudaStreamSynchronize(together->lane[i].stream);
        FX_TRY(fx_cuda_check(code, "cudaStreamSynchronize", __FILE__, __LINE__, err));
    }
    return FX_OK;
}

fx_status fx_multi_gpu_run(fx_multi_gpu *together, size_t first, size_t count, uint32_t *flags, fx_error *err) {
    fx_status status = queue_all(together, first, count, err);
    fx_latch_release(&together->latch);
    const fx_status waited = wait_all(together, first, count, status == FX_OK ? err : NULL);
    status = status == FX_OK ? waited : status;
    for (size_t i = first; i < first + count && status == FX_OK; i++) {
        fx_lane *lane = &together->lane[i];
        status = fx_gpus_use(together->gpus, lane->gpu, err);
        if (status == FX_OK) {
            status = fx_event_ns(together->gpus->home, lane->begin, lane->end, &lane->ns, flags, err);
            lane->ns /= lane->repeats;
        }
    }
    if (status == FX_OK && fx_latch_timed_out(&together->latch)) {
        *flags |= FX_SAMPLE_LATCH_TIMEOUT;
    }
    return fx_gpus_home_after(together->gpus, status, err);
}
