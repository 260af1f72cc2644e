#include "recorder_timer.h"

#include <stddef.h>
#include <time.h>

enum { POLL_NS = 20000 };

/* Where a thread captures a stream for a graph, calls that wait are refused to all threads, and end its capture, unless
 * theirs is the relaxed mode. Returns the mode to go back to. */
static CUstreamCaptureMode exchange(const fx_api *api, CUstreamCaptureMode mode) {
    if (api->ThreadExchangeStreamCaptureMode) {
        (void)api->ThreadExchangeStreamCaptureMode(&mode);
    }
    return mode;
}

static void drop(const fx_api *api, fx_timer *timer) {
    if (timer->start) {
        (void)api->EventDestroy(timer->start);
    }
    if (timer->stop) {
        (void)api->EventDestroy(timer->stop);
    }
    *timer = (fx_timer){.on = false};
}

void fx_timer_drop(const fx_api *api, fx_timer *timer) {
    const CUstreamCaptureMode before = exchange(api, CU_STREAM_CAPTURE_MODE_RELAXED);
    drop(api, timer);
    (void)exchange(api, before);
}

bool fx_timer_captured(const fx_api *api, CUstream stream) {
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    return api->StreamIsCapturing &&
           (api->StreamIsCapturing(stream, &capture) != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE);
}

static bool can_time(const fx_api *api, CUstream stream) {
    return api->EventCreate && api->EventDestroy && api->EventRecord && api->EventSynchronize && api->EventQuery &&
           api->EventElapsedTime && !fx_timer_captured(api, stream);
}

void fx_timer_start(const fx_api *api, CUstream stream, fx_timer *timer) {
    *timer = (fx_timer){.stream = stream};
    if (!can_time(api, stream)) {
        return;
    }
    const CUstreamCaptureMode before = exchange(api, CU_STREAM_CAPTURE_MODE_RELAXED);
    timer->on = api->EventCreate(&timer->start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventCreate(&timer->stop, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventRecord(timer->start, stream) == CUDA_SUCCESS;
    if (!timer->on) {
        drop(api, timer);
    }
    (void)exchange(api, before);
}

double fx_timer_stop(const fx_api *api, fx_timer *timer) {
    float ms = -1;
    const CUstreamCaptureMode before = exchange(api, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (timer->on && (api->EventRecord(timer->stop, timer->stream) != CUDA_SUCCESS ||
                      api->EventSynchronize(timer->stop) != CUDA_SUCCESS ||
                      api->EventElapsedTime(&ms, timer->start, timer->stop) != CUDA_SUCCESS)) {
        ms = -1;
    }
    drop(api, timer);
    (void)exchange(api, before);
    return ms < 0 ? -1 : 1e6 * (double)ms;
}

CUresult fx_timer_rest(const fx_api *api, CUstream stream, double most_s) {
    static const struct timespec pause = {.tv_nsec = POLL_NS};
    fx_timer timer;
    fx_timer_start(api, stream, &timer);
    const CUstreamCaptureMode before = exchange(api, CU_STREAM_CAPTURE_MODE_RELAXED);
    CUresult state = timer.on ? CUDA_ERROR_NOT_READY : CUDA_ERROR_UNKNOWN;
    for (double s = 0; state == CUDA_ERROR_NOT_READY && s < most_s; s += 1e-9 * POLL_NS) {
        state = api->EventQuery(timer.start);
        if (state == CUDA_ERROR_NOT_READY) {
            (void)nanosleep(&pause, NULL);
        }
    }
    drop(api, &timer);
    (void)exchange(api, before);
    return state;
}
