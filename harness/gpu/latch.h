/* The start latch: a kernel that holds a stream until the host lets go, so that everything queued behind it starts
 * without the host's own pace between the parts. */
#pragma once

#include "gpu/cuda.h"

FX_C_BEGIN

typedef struct fx_latch {
    volatile uint32_t *host; /* [0]: go, [1]: the kernel gave up waiting. Pinned and mapped */
    uint32_t *device;        /* the same memory as the device sees it */
} fx_latch;

fx_status fx_latch_open(fx_latch *latch, fx_error *err);
void fx_latch_close(fx_latch *latch); /* fine on a zeroed latch */

/* Queues the waiting kernel on `stream`. It gives up by itself after two seconds, so that no mistake can hang the GPU.
 * Queue nothing behind it that blocks the host. */
fx_status fx_latch_hold(fx_latch *latch, cudaStream_t stream, fx_error *err);

/* Lets the stream go on. */
void fx_latch_release(fx_latch *latch);

/* After the stream has finished: true if the latch gave up before it was released. */
bool fx_latch_timed_out(const fx_latch *latch);

FX_C_END
