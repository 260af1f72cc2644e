/* Work on several GPUs, or several engines of one, that begins at the same moment, each piece timed by events on its
 * own device.
 *
 * A latch in host memory holds one stream for each piece: all poll the same word, so they begin within a poll over the
 * host's link, some microseconds, whatever the host's pace is. The clocks of two devices are never compared: a piece's
 * time is between two events of its own stream. So that the piece that counts is never the last one running, the others
 * may be repeated. */
#pragma once

#include "gpu/gpus.h"
#include "gpu/latch.h"

FX_C_BEGIN

enum { FX_MOST_LANES = FX_MOST_GPUS * (FX_MOST_GPUS - 1) };

/* One stream of work. Filled by fx_multi_gpu_add, but for what the caller's hooks want to know of it. */
typedef struct fx_lane {
    int gpu; /* on which it is queued */
    cudaStream_t stream;
    cudaEvent_t begin, end;
    unsigned repeats; /* units of work between the events; 1 */
    double ns;        /* out: of one unit */
} fx_lane;

/* Zero it, then fx_multi_gpu_open. */
typedef struct fx_multi_gpu {
    fx_gpus *gpus;
    fx_latch latch;
    fx_lane lane[FX_MOST_LANES];
    size_t count;
    void *context;
    /* Queues one unit of lane `which` on its stream; its GPU is the current device. Never waits. */
    fx_status (*queue)(void *context, const fx_lane *lane, size_t which, fx_error *err);
    /* What goes between the latch and the first event, to wake the engine; NULL: nothing. */
    fx_status (*prime)(void *context, const fx_lane *lane, size_t which, fx_error *err);
} fx_multi_gpu;

fx_status fx_multi_gpu_open(fx_gpus *gpus, fx_multi_gpu *out, fx_error *err);
void fx_multi_gpu_close(fx_multi_gpu *together); /* fine on a zeroed one */

/* One more lane on a GPU. */
fx_status fx_multi_gpu_add(fx_multi_gpu *together, int gpu, fx_error *err);

/* Runs lanes [first, first + count) and waits for them: fills their ns, and ORs FX_SAMPLE_* into *flags. */
fx_status fx_multi_gpu_run(fx_multi_gpu *together, size_t first, size_t count, uint32_t *flags, fx_error *err);

FX_C_END
