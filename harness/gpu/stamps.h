/* The SM's clock beside work that fills the device: kernels of their own, one before it and one after it, in which one
 * warp of each SM reads clock64 and %globaltimer side by side. Cycles over time between the two reads of one SM are its
 * frequency. Nothing is added to a kernel that is timed, and nothing stands between the events that time it. */
#pragma once

#include <stdint.h>

#include "gpu/cuda.h"

FX_C_BEGIN

typedef struct fx_stamp {
    uint64_t cycles, ns;
    uint32_t sm, reserved;
} fx_stamp;

/* Zero it, then fx_stamps_open; close it also after an error. */
typedef struct fx_stamps {
    fx_stamp *device, *host; /* 2 x count: before, then after */
    unsigned count;
    double *scratch;
} fx_stamps;

typedef enum fx_stamps_when { FX_STAMPS_BEFORE, FX_STAMPS_AFTER } fx_stamps_when;

/* A frequency is reported where the span has so many ticks of the timer: one tick at each end is half a percent. */
enum { FX_CLOCK_TICKS = 400 };

fx_status fx_stamps_open(fx_gpu *gpu, fx_stamps *stamps, fx_error *err);
void fx_stamps_close(fx_stamps *stamps); /* fine on a zeroed one */

/* Queues the reads on the gpu's stream. */
fx_status fx_stamps_take(fx_gpu *gpu, const fx_stamps *stamps, fx_stamps_when when, fx_error *err);

/* Waits for both, and gives the frequency: NAN as below. */
fx_status fx_stamps_read(fx_gpu *gpu, const fx_stamps *stamps, double *MHz, fx_error *err);

/* From `count` reads before and as many after: the median over the SMs that are in both. NAN where there is none, or
 * the span is under FX_CLOCK_TICKS x tick_ns. `scratch` has room for `count` numbers. */
double fx_stamps_MHz(const fx_stamp *before, const fx_stamp *after, unsigned count, double tick_ns, double *scratch);

/* stamps.cu: queues `count` blocks; each writes one read. */
fx_status fx_gpu_stamp(fx_gpu *gpu, fx_stamp *to, unsigned count, fx_error *err);

FX_C_END
