/* Timing on the SM's own clock: how on-chip kernels are measured. What is timed, and how clock reads become a number,
 * is core/window.h's; here are the buffers, the launch and the oracle. */
#pragma once

#include <stdint.h>

#include "core/probe.h"
#include "core/window.h"
#include "gpu/cuda.h"

FX_C_BEGIN

/* Host side: buffers for the warps of a grid. */
typedef struct fx_timed_buffer {
    fx_timed_warp *device, *host; /* block by block */
    unsigned warps;               /* per block */
    unsigned blocks;
    unsigned cluster; /* blocks that are launched as one thread-block cluster; 1: none */
} fx_timed_buffer;    /* to be closed also where fx_timed_open failed */

/* For `blocks` blocks of `warps` warps, in clusters of `cluster` blocks (1: none). Each block is timed by its own SM's
 * clock. A block that is told to idle (its kernel runs fx_timed_passes with passes = 0) gives no value. */
fx_status fx_timed_open(fx_timed_buffer *buffer, unsigned warps, unsigned blocks, unsigned cluster, fx_error *err);
void fx_timed_close(fx_timed_buffer *buffer); /* frees; fine on a zeroed buffer */

/* fx_window_plan for the buffer's blocks, with its records. */
fx_timed fx_timed_argument(const fx_timed_buffer *buffer, uint32_t trips, uint32_t warm_trips);

/* One sample: poisons the records, launches the buffer's grid, waits, checks every warp's oracle, and fills value
 * (cycles per warp-level access, the mean over the blocks at work), t_n and intercept (chains), sm_clock_MHz and flags.
 * Each warp makes `accesses` warp-level accesses per trip. `arguments` are the kernel's, as for fx_gpu_launch; `timed`
 * is one of them. */
fx_status fx_timed_sample(fx_gpu *gpu, fx_timed_buffer *buffer, const void *kernel, size_t shared_bytes,
                          void **arguments, const fx_timed *timed, double accesses, fx_sample *out, fx_error *err);

FX_C_END
