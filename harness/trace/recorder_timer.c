#include "recorder_timer.h"

#include <stdatomic.h>

#include "recorder_drain.h"

enum { POLL_NS = 20000, MOST_S = 5 };

/* A launch had not ended after that long: it may wait for what the program does next, and others like it. */
static atomic_bool gave_up;

/* Where a thread captures a stream for a graph, calls that wait are refused to all threads, and end its capture, unless
 * theirs is the relaxed mode. Returns the mode to go back to. */
static CUstreamCaptureMode exchange(const fx_api *api, CUstreamCaptureMode mode) {
    if (api->ThreadExchangeStreamCaptureMode) {
        (void)api->ThreadExchangeStreamCaptureMode(&mode);
    }
    return mode;
}

static void drop(const fx_api *api, fx_timer *timer) {
    const CUevent events[] = {timer->before, timer->start, timer->stop};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (events[i]) {
            (void)api->EventDestroy(events[i]);
        }
    }
    *timer = (fx_timer){.on = false};
}

bool fx_timer_captured(const fx_api *api, CUstream stream) {
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    return api->StreamIsCapturing &&
           (api->StreamIsCapturing(stream, &capture) != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE);
}

static bool can_time(const fx_api *api, CUstream stream) {
    return !gave_up && api->EventCreate && api->EventDestroy && api->EventRecord && api->EventQuery &&
           api->EventElapsedTime && !fx_timer_captured(api, stream);
}

void fx_timer_start(const fx_api *api, CUstream stream, volatile uint64_t *gate, fx_timer *timer) {
    *timer = (fx_timer){.stream = stream};
    if (!can_time(api, stream)) {
        return;
    }
    const CUstreamCaptureMode before = exchange(api, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (gate && api->StreamWaitValue32 && (timer->value = fx_drain_gate(gate)) != 0) {
        const CUdeviceptr word = (CUdeviceptr)(uintptr_t)gate;
        timer->gate = gate;
        if (api->StreamWaitValue32(stream, word, (cuuint32_t)timer->value, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) {
            fx_drain_open(gate, timer->value);
            timer->gate = NULL;
        } else if (api->MemsetD32Async) {
            (void)api->MemsetD32Async(word + sizeof(cuuint32_t), 0, 1, stream); /* the upper half, always 0 */
        }
    }
    timer->on = api->EventCreate(&timer->before, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventCreate(&timer->start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventCreate(&timer->stop, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
                api->EventRecord(timer->before, stream) == CUDA_SUCCESS &&
                api->EventRecord(timer->start, stream) == CUDA_SUCCESS;
    if (!timer->on) {
        if (timer->gate) {
            fx_drain_open(timer->gate, timer->value);
        }
        drop(api, timer);
    }
    (void)exchange(api, before);
}

static bool has_ended(const fx_api *api, CUevent event) {
    const int64_t end = fx_drain_now_ns() + MOST_S * INT64_C(1000000000);
    CUresult state;
    while ((state = api->EventQuery(event)) == CUDA_ERROR_NOT_READY && fx_drain_now_ns() < end) {
        fx_drain_pause_ns(POLL_NS);
    }
    gave_up = gave_up || state == CUDA_ERROR_NOT_READY;
    return state == CUDA_SUCCESS;
}

double fx_timer_stop(const fx_api *api, fx_timer *timer, bool made) {
    float ms = -1, nothing = 0;
    if (!timer->on) {
        return -1;
    }
    const CUstreamCaptureMode before = exchange(api, CU_STREAM_CAPTURE_MODE_RELAXED);
    const bool queued = made && api->EventRecord(timer->stop, timer->stream) == CUDA_SUCCESS;
    if (timer->gate) {
        fx_drain_open(timer->gate, timer->value);
    }
    if (!queued || !has_ended(api, timer->stop) ||
        api->EventElapsedTime(&ms, timer->start, timer->stop) != CUDA_SUCCESS ||
        (timer->gate && api->EventElapsedTime(&nothing, timer->before, timer->start) != CUDA_SUCCESS)) {
        ms = -1;
    }
    drop(api, timer);
    (void)exchange(api, before);
    return ms < 0 ? -1 : ms > nothing ? 1e6 * ((double)ms - (double)nothing) : 0;
}
