/* Timing on the SM's own clock: how on-chip kernels are measured.
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
 * SM busy there may be no such time, since the others wait for it to end: then the probe sets `barriers` to `passes`,
 * all passes begin together, and the sample is the time of the whole block, barriers included. */
#ifndef FX_TIMED_H
#define FX_TIMED_H

#include <stdint.h>

#include "gpu/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FX_MAX_PASSES = 6 };

/* Links of every chain per trip, for one chain a warp and for several. Primes above 32, so that no ring that a lane
 * table can lay comes round with the trip, and the oracle can tell a loop that ran from one that did not. */
enum { FX_CHAIN_STEPS = 61, FX_RATE_STEPS = 37 };

/* What one warp saw. */
typedef struct fx_timed_warp {
    uint64_t stop[FX_MAX_PASSES];    /* SM cycles */
    uint64_t first_cycles, first_ns; /* clock64 and %globaltimer side by side, before the passes ... */
    uint64_t last_cycles, last_ns;   /* ... and after them: together the SM's real frequency */
    uint32_t sm;                     /* %smid */
    uint32_t wrong;                  /* lanes whose result is not what the oracle demands */
} fx_timed_warp;

/* The kernel's argument, passed by value. */
typedef struct fx_timed {
    uint32_t passes;
    uint32_t barriers; /* so many passes, from the first, begin with a barrier */
    uint32_t trips[FX_MAX_PASSES];
    fx_timed_warp *warps; /* device memory, one per warp of the grid */
} fx_timed;

/* Host side: buffers for the warps of a grid. */
typedef struct fx_timed_buffer {
    fx_timed_warp *device, *host; /* block by block */
    unsigned warps;               /* per block */
    unsigned blocks;
    unsigned cluster; /* blocks that are launched as one thread-block cluster; 1: none */
} fx_timed_buffer;

/* For one block of `warps` warps. */
fx_status fx_timed_open(fx_timed_buffer *buffer, unsigned warps, fx_error *err);

/* For `blocks` blocks of `warps` warps, in clusters of `cluster` blocks (1: none). Each block is timed by its own SM's
 * clock. A block that is told to idle (its kernel runs fx_timed_passes with passes = 0) gives no value. */
fx_status fx_timed_open_grid(fx_timed_buffer *buffer, unsigned warps, unsigned blocks, unsigned cluster, fx_error *err);
void fx_timed_close(fx_timed_buffer *buffer); /* frees; fine on a zeroed buffer */

/* The kernel argument of a chain (blocks of one warp: N = trips) or of a rate (more warps: every pass has `trips`).
 * The first pass has at least `warm_trips`. */
fx_timed fx_timed_argument(const fx_timed_buffer *buffer, uint32_t trips, uint32_t warm_trips);

/* Adds to the warm-up until chains that go `steps` links per trip along a ring of `ring` places end elsewhere than they
 * began, and returns the links of all passes together. A ring of one place has nowhere else to end. */
uint64_t fx_timed_steps(fx_timed *timed, uint32_t steps, uint32_t ring);

/* Trips of all passes together, for oracles that count. */
uint32_t fx_timed_total_trips(const fx_timed *timed);

/* One sample: poisons the records, launches the buffer's grid, waits, checks every warp's oracle, and fills value
 * (cycles per warp-level access, the mean over the blocks at work), intercept (chains), sm_clock_MHz and flags. Each
 * warp makes `accesses` warp-level accesses per trip. `arguments` are the kernel's, as for fx_gpu_launch; `timed` is
 * one of them. */
fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err);

/* Trips of which each pass takes about `cycles`, when one trip of all warps costs `cycles_per_trip`; 2 to 65536, and
 * then as many times more as fx_timed_stretch says. */
uint32_t fx_timed_trips(double cycles, double cycles_per_trip);

/* From now on fx_timed_trips answers `factor` times as many; 1 or 0: as usual. For counters, which count a kernel's
 * set-up as well: no number of a stretched loop is archived as a measurement. */
void fx_timed_stretch(unsigned factor);

#ifdef __cplusplus
}
#endif
#endif
