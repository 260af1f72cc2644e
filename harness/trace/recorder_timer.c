#include "recorder_timer.h"

#include <stddef.h>

void fx_timer_drop(const fx_api *api, fx_timer *timer) {
    if (timer->start) {
        (void)api->EventDestroy(timer->start);
    }
    if (timer->stop) {
        (void)api->EventDestroy(timer->stop);
    }
    *timer = (fx_timer){.on = false};
}

bool fx_timer_captured(const fx_api *api, CUstream stream) {
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    return api->StreamIsCapturing &&
           (api->StreamIsCapturing(stream, &capture) != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE);
}

void fx_timer_start(const fx_api *api, CUstream stream, fx_timer *timer) {
    *timer = (fx_timer){.stream = stream};
    if (!api->EventCreate || !api->EventDestroy || !api->EventRecord || !api->EventSynchronize ||
        !api->EventElapsedTime || fx_timer_captured(api, stream)) {
        return;
    }
    timer->on = api->EventCreate(&timer->start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventCreate(&timer->stop, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventRecord(timer->start, stream) == CUDA_SUCCESS;
    if (!timer->on) {
        fx_timer_drop(api, timer);
    }
}

double fx_timer_stop(const fx_api *api, fx_timer *timer) {
    float ms = -1;
    if (timer->on && (api->EventRecord(timer->stop, timer->stream) != CUDA_SUCCESS ||
                      api->EventSynchronize(timer->stop) != CUDA_SUCCESS ||
                      api->EventElapsedTime(&ms, timer->start, timer->stop) != CUDA_SUCCESS)) {
        ms = -1;
    }
    fx_timer_drop(api, timer);
    return ms < 0 ? -1 : 1e6 * (double)ms;
}
