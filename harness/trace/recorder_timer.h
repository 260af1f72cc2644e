/* A launch's time on the device, between two events of the driver: of an unpatched program. The stream waits for a word
 * of host memory until all is queued, so no time of the host is in between. A word is set first: what follows a copy to
 * or from the host starts 1 to 8 us late (H200), and the kernel would. Then what lies between two events with nothing
 * between them, 1.3 us, is subtracted, and what is left is the time from one kernel of a stream to the next. */
#pragma once

#include "recorder_api.h"

typedef struct fx_timer {
    CUevent before, start, stop;
    CUstream stream;
    volatile uint64_t *gate; /* NULL: the stream does not wait */
    uint64_t value;
    bool on;
} fx_timer;

/* Whether its work is captured for a graph. */
bool fx_timer_captured(const fx_api *api, CUstream stream);

/* Before the launch. Nothing is timed of a stream that is captured. `gate`: a word that starts at 0 and is for such
 * timers alone; NULL: there is none. */
void fx_timer_start(const fx_api *api, CUstream stream, volatile uint64_t *gate, fx_timer *timer);

/* After it: waits for it, five seconds at most; if that was not enough, no later launch is timed. Nanoseconds; not
 * known: negative. `made`: there was a launch. */
double fx_timer_stop(const fx_api *api, fx_timer *timer, bool made);
