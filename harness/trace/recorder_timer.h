/* A launch's time on the device, between two events of the driver: of an unpatched program, and with about two
 * microseconds that are the events' own. */
#ifndef FX_RECORDER_TIMER_H
#define FX_RECORDER_TIMER_H

#include <stdbool.h>

#include "recorder_api.h"

typedef struct fx_timer {
    CUevent start, stop;
    CUstream stream;
    bool on;
} fx_timer;

/* Whether its work is captured for a graph. */
bool fx_timer_captured(const fx_api *api, CUstream stream);

/* Before the launch. Nothing is timed of a stream that is captured. */
void fx_timer_start(const fx_api *api, CUstream stream, fx_timer *timer);

/* After it: waits for it. Nanoseconds; negative: not known. */
double fx_timer_stop(const fx_api *api, fx_timer *timer);

/* Waits for what the stream has: CUDA_SUCCESS; CUDA_ERROR_NOT_READY: not in so many seconds; else it can't wait. */
CUresult fx_timer_rest(const fx_api *api, CUstream stream, double most_s);

/* Instead of fx_timer_stop, for a launch that is not wanted. */
void fx_timer_drop(const fx_api *api, fx_timer *timer);

#endif
