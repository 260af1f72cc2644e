/* From clock reads to a number: the arithmetic of on-chip timing.
 *
 * A timed kernel runs its loop in passes of a given number of trips. Each warp keeps clock64 at the end of every pass.
 *
 * Chain (latency): one warp, three passes of warm-up, N and 2N trips, each drained before its clock read. The sample is
 * (T(2N) - T(N)) / accesses, so clock reads and the ends of the passes cancel.
 *
 * Rate (throughput): many warps, a warm-up, then equal passes with neither barrier nor drain between them. Warps do not
 * share an SM fairly: the last one runs alone for a while, and that tail differs from launch to launch, so that last
 * stop minus first start errs by 1 %, even between two lengths. Instead the sample covers the time in which every warp
 * was at work: from the moment the last warp has ended its second pass to the moment the first warp has ended its last
 * but one; in its last, the others already speed up, which would bend their progress. The accesses made in that time
 * are read off each warp's progress, by linear interpolation between its clock reads. Where one warp alone can keep the
 * SM busy there may be no such time, since the others wait for it to end: then `barriers` is `passes`, all passes begin
 * together, and the sample is the time of the whole block, barriers included. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

FX_C_BEGIN

enum { FX_MAX_PASSES = 6 };

/* What one warp saw. */
typedef struct fx_timed_warp {
    uint64_t stop[FX_MAX_PASSES];    /* SM cycles */
    uint64_t first_cycles, first_ns; /* clock64 and %globaltimer side by side, before the passes ... */
    uint64_t last_cycles, last_ns;   /* ... and after them: together the SM's real frequency */
    uint32_t sm;                     /* %smid */
    uint32_t wrong;                  /* lanes whose result is not what the oracle demands */
} fx_timed_warp;

/* The plan of a launch: the kernel's argument, passed by value. */
typedef struct fx_timed {
    uint32_t passes;
    uint32_t barriers; /* so many passes, from the first, begin with a barrier */
    uint32_t trips[FX_MAX_PASSES];
    fx_timed_warp *warps; /* device memory, one per warp of the grid */
} fx_timed;

/* The plan of a chain (one warp per block: N = trips) or of a rate (more warps: every pass has `trips`). The first pass
 * has at least `warm_trips`. `warps` of the plan is NULL. */
fx_timed fx_window_plan(unsigned warps_per_block, uint32_t trips, uint32_t warm_trips);

/* Trips for which each pass takes about `cycles`, when one trip of all warps costs `cycles_per_trip`; 2 to 65536. */
uint32_t fx_window_trips(double cycles, double cycles_per_trip);

/* Adds to the warm-up until chains that go `steps` links per trip along a ring of `ring` places end elsewhere than they
 * began, and returns the links of all passes together. A ring of one place has nowhere else to end. */
uint64_t fx_timed_steps(fx_timed *timed, uint32_t steps, uint32_t ring);

/* Trips of all passes together, for oracles that count. */
uint32_t fx_timed_total_trips(const fx_timed *timed);

/* What the clock reads of one launch come to. */
typedef struct fx_window {
    double value;        /* cycles per warp-level access, the mean over the blocks at work; NAN: no common window */
    double t_n;          /* chains: cycles of N trips, the mean likewise; else NAN */
    double intercept;    /* chains: 2 T(N) - T(2N); else NAN */
    double sm_clock_MHz; /* as the first block at work saw it; NAN: `coarse` */
    unsigned busy;       /* blocks at work; 0: no block has a value */
    bool disturbed;      /* chains: N trips took longer than 2N, so the SM was taken away in between, as by the time
                          * slice of another program; the value is that of the 2N alone */
    bool coarse;         /* the launch took under FX_LEAST_TICKS ticks of the timer: the frequency is not known */
} fx_window;

/* A span of fewer ticks of its clock is flagged, whatever the clock. */
enum { FX_LEAST_TICKS = 50 };

/* `records` holds the warps of all blocks, block by block. Each warp makes `accesses` warp-level accesses per trip. A
 * block that was told to idle has no stop and no value. `tick_ns`: the clock's step. */
fx_window fx_window_of(const fx_timed *timed, const fx_timed_warp *records, unsigned warps_per_block, unsigned blocks,
                       double accesses, double tick_ns);

FX_C_END
