/* Pairs of launches that are queued as a whole behind a latch, so that the host does not contribute: the warm-up is
 * held until all of what is timed is queued behind it. Its state lies behind the probe's argument, which begins with
 * what the kernel gets. */
#pragma once

#include "gpu/rig_objects.h"

typedef struct held {
    fx_latch latch;
    fx_status (*queue)(fx_rig *rig, const fx_case *c, int which, fx_error *err); /* queues a launch, never waits */
    bool timed;                                                                  /* the next launch is no warm-up */
} held;

static inline held *held_of(fx_rig *rig) {
    return (held *)(rig->argument.bytes + FX_ARGUMENT_BYTES) - 1;
}

static inline fx_status held_launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    held *h = held_of(rig);
    const bool timed = h->timed;
    fx_status status = timed ? FX_OK : fx_latch_hold(&h->latch, rig->gpu->stream, err);
    h->timed = !timed;
    status = status == FX_OK ? h->queue(rig, c, which, err) : status;
    if (timed || status != FX_OK) {
        fx_latch_release(&h->latch);
    }
    return status;
}

static inline fx_status held_report(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err) {
    out->flags |= fx_latch_timed_out(&held_of(rig)->latch) ? FX_SAMPLE_LATCH_TIMEOUT : 0;
    return FX_OK;
}

static inline fx_status held_arrange(fx_rig *rig, fx_status (*queue)(fx_rig *, const fx_case *, int, fx_error *),
                                     fx_error *err) {
    held *h = held_of(rig);
    h->queue = queue;
    rig->launch = held_launch;
    rig->report = held_report;
    return fx_rig_latch(rig, &h->latch, err);
}
