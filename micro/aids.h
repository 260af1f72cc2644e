/* Kernels beside what is timed: what they lay out and what they add up, on the whole device. */
#pragma once

#include "gpu/rig.h"

enum { AID_THREADS = 256, AID_BLOCKS_PER_SM = 8 };

static inline fx_status aid(fx_rig *rig, const char *name, void **arguments, fx_error *err) {
    return fx_rig_aid(rig, name, AID_BLOCKS_PER_SM * (unsigned)rig->gpu->facts.sm_count, AID_THREADS, arguments, err);
}

/* One that adds to the rig's counters; *sum receives what it has added. */
static inline fx_status aid_sum(fx_rig *rig, const char *name, void **arguments, unsigned long long *sum,
                                fx_error *err) {
    FX_TRY(aid(rig, name, arguments, err));
    return fx_rig_take_sum(rig, sum, err);
}
