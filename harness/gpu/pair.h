/* Timing on the device's clock: how kernels that fill the whole GPU are measured.
 *
 * A sample is a pair of launches, of N and of 2N units of work: (T(2N) - T(N)) / N, by events around each. They take
 * turns in coming first, so that what drifts from launch to launch adds to one sample and is missing from the next.
 * What a launch costs by itself, its start and its last blocks' tail, cancels, and stays as the intercept. Before each
 * launch the L2 is emptied by reading (cold), or N units are worked untimed, so that the host is ahead of the device
 * (warm). The SM's clock is read before that and behind the events of the longer launch (stamps.h). */
#pragma once

#include "core/window.h"
#include "gpu/cuda.h"
#include "gpu/stamps.h"

FX_C_BEGIN

/* Zero it, then fx_pair_open; close it also after an error. */
typedef struct fx_pair {
    cudaEvent_t event[4];
    fx_stamps stamps;  /* around the longer launch and what goes before it */
    uint64_t taken;    /* samples */
    bool longer_first; /* in the last of them */
} fx_pair;

/* What is launched. `which` is 0 for N units of work and 1 for 2N. */
typedef struct fx_pair_work {
    void *context;
    fx_status (*launch)(fx_gpu *gpu, void *context, int which, fx_error *err); /* queues, never waits */
    fx_status (*check)(fx_gpu *gpu, void *context, int which, fx_error *err);  /* the oracle: may wait. NULL: none */
    double units;                                                              /* N */
    bool cold;
    uint64_t seed; /* of the sample: that of the first one says which launch comes first in it */
} fx_pair_work;

fx_status fx_pair_open(fx_gpu *gpu, fx_pair *pair, fx_error *err);
void fx_pair_close(fx_pair *pair); /* fine on a zeroed pair */

/* One sample: fills value (ns per unit), T(N), intercept, the SM's clock and flags. A shorter launch that took longer
 * gives no difference: then the longer one alone is the value, flagged FX_SAMPLE_DISTURBED. */
fx_status fx_pair_sample(fx_gpu *gpu, fx_pair *pair, const fx_pair_work *work, fx_sample *out, fx_error *err);

/* Queues two launches of N units, and says how long the second one took: to find out how many units are enough. */
fx_status fx_pair_trial(fx_gpu *gpu, fx_pair *pair, void *context,
                        fx_status (*launch)(fx_gpu *gpu, void *context, int which, fx_error *err), double *ns,
                        fx_error *err);

/* Time between two events that have happened. Under FX_LEAST_TICKS of their clock's ticks it is flagged. */
fx_status fx_event_ns(fx_gpu *gpu, cudaEvent_t from, cudaEvent_t to, double *ns, uint32_t *flags, fx_error *err);

/* Smallest step seen in the times between some events, in ns. */
fx_status fx_event_tick(fx_gpu *gpu, double *tick_ns, fx_error *err);

/* Counters on the device in which blocks add up what they read: the device side is sums.cuh, the host side rig.h. */
enum { FX_SUMS = 1024 };

FX_C_END
