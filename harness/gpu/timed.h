/* Two lengths in one launch: how on-chip kernels are timed.
 *
 * A timed kernel runs its loop three times, for trips[0] (warm-up), trips[1] = N and trips[2] = 2N trips. Each warp
 * keeps clock64 before and after each pass. Over the warps of a block, T = last stop - first start; the sample is
 * (T(2N) - T(N)) / (N x accesses per trip), so launch, clock reads, the barrier and address set-up cancel. */
#ifndef FX_TIMED_H
#define FX_TIMED_H

#include <stdint.h>

#include "gpu/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FX_PASSES = 3 };

/* What one warp saw. */
typedef struct fx_timed_warp {
    uint64_t start[FX_PASSES], stop[FX_PASSES]; /* SM cycles */
    uint64_t first_cycles, first_ns;            /* clock64 and %globaltimer side by side, before the passes ... */
    uint64_t last_cycles, last_ns;              /* ... and after them: together the SM's real frequency */
    uint32_t sm;                                /* %smid */
    uint32_t wrong;                             /* lanes whose result is not what the oracle demands */
} fx_timed_warp;

/* The kernel's argument, passed by value. */
typedef struct fx_timed {
    uint32_t trips[FX_PASSES];
    fx_timed_warp *warps; /* device memory, one per warp of the grid */
} fx_timed;

/* Host side: buffers for up to `warps` warps. */
typedef struct fx_timed_buffer {
    fx_timed_warp *device, *host;
    unsigned warps;
} fx_timed_buffer;

fx_status fx_timed_open(fx_timed_buffer *buffer, unsigned warps, fx_error *err);
void fx_timed_close(fx_timed_buffer *buffer); /* frees; fine on a zeroed buffer */

/* The kernel argument for N = trips, after a warm-up of at least `warm_trips`. */
fx_timed fx_timed_argument(const fx_timed_buffer *buffer, uint32_t trips, uint32_t warm_trips);

/* Trips of all passes together, for the oracle. */
uint32_t fx_timed_total_trips(const fx_timed *timed);

/* One sample: poisons the records, launches one block of all the buffer's warps, waits, checks every warp's oracle, and
 * fills value, intercept, sm_clock_MHz and flags. A pass makes `accesses` warp-level accesses per trip, all warps
 * together. `arguments` are the kernel's, as for fx_gpu_launch; `timed` is one of them. */
fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err);

/* N such that one pass takes about `cycles` when a trip costs `cycles_per_trip`; between 4 and 65536. */
uint32_t fx_timed_trips(double cycles, double cycles_per_trip);

#ifdef __cplusplus
}
#endif
#endif
