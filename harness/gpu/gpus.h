/* The GPUs of the host beside the one that is measured, for cases that involve several.
 *
 * CUDA's calls are about the current device of the thread, so whoever queues work says first on which GPU
 * (fx_gpus_use), and goes home when done. */
#pragma once

#include "gpu/cuda.h"

FX_C_BEGIN

/* Zero it, then fx_gpus_open. at[i] is what a probe's context is for CUDA device i, NULL where it takes no part; that
 * of the home GPU is the probe's own. Of the others' fields those hold that a launch, a fill and a check need: ordinal,
 * streams, scratch, SMs, NUMA node, ticks of the timers. */
typedef struct fx_gpus {
    fx_gpu *home;
    fx_gpu *at[FX_MOST_GPUS];
    unsigned char mapped[FX_MOST_GPUS]; /* bit d of mapped[s]: s has the memory of d mapped, by us */
    int count;                          /* visible devices, FX_MOST_GPUS at the most */
} fx_gpus;

/* Opens those whose bit is set in `which`; the home GPU is always there. The current device is home's afterwards, as
 * after each call here but fx_gpus_use. */
fx_status fx_gpus_open(fx_gpu *home, unsigned which, fx_gpus *out, fx_error *err);

/* Takes back the mappings and closes them; fine on a zeroed one. */
void fx_gpus_close(fx_gpus *gpus);

/* Makes GPU `which` the thread's current device. */
fx_status fx_gpus_use(const fx_gpus *gpus, int which, fx_error *err);

/* Back on the home GPU, whatever became of the work on others; the status of that work, or of the way back. */
fx_status fx_gpus_home_after(const fx_gpus *gpus, fx_status status, fx_error *err);
static inline fx_status fx_gpus_home(const fx_gpus *gpus, fx_error *err) {
    return fx_gpus_home_after(gpus, FX_OK, err);
}

/* Has GPU `from` map the memory of GPU `to`: its kernels and copy engines then reach it. One that is mapped already
 * stays so. FX_UNSUPPORTED where the two can't. */
fx_status fx_gpus_map(fx_gpus *gpus, int from, int to, fx_error *err);

/* Device memory on GPU `which`, and its end. */
fx_status fx_gpus_memory(const fx_gpus *gpus, int which, size_t bytes, void *out, fx_error *err);
void fx_gpus_free(const fx_gpus *gpus, int which, void *memory, size_t bytes); /* NULL is fine */

/* Fills gpu_count, reaches and adds. */
void fx_gpus_in_reach(fx_facts *facts);

FX_C_END
