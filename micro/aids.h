/* Kernels beside what is timed: what they lay out and what they add up, on the whole device. */
#pragma once

#include "gpu/rig.h"

enum { AID_THREADS = 256, AID_BLOCKS_PER_SM = 8 };

static inline fx_status aid(fx_rig *rig, const char *name, void **arguments, fx_error *err) {
    return fx_rig_aid(rig, name, AID_BLOCKS_PER_SM * (unsigned)rig->gpu->facts.sm_count, AID_THREADS, arguments, err);
}

/* Refuses the sample where aids have counted any: `what` they are. */
static inline fx_status none_wrong(fx_rig *rig, const char *what, fx_error *err) {
    unsigned long long wrong = 0;
    FX_TRY(fx_rig_take_sum(rig, &wrong, err));
    FX_FAIL_IF(wrong > 0, err, FX_WRONG_RESULT, "%llu %s: the case is discarded; report it if it persists", wrong,
               what);
    return FX_OK;
}

/* From link to link of a ring, in places: with no factor in common with it, so that all places are on it. */
static inline uint32_t ring_step(uint32_t places) {
    for (uint32_t step = places / 8 * 5 + 1;; step++) {
        uint32_t a = step, b = places;
        while (b != 0) {
            const uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) {
            return step;
        }
    }
}

/* One that adds to the rig's counters; *sum receives what it has added. */
static inline fx_status aid_sum(fx_rig *rig, const char *name, void **arguments, unsigned long long *sum,
                                fx_error *err) {
    FX_TRY(aid(rig, name, arguments, err));
    return fx_rig_take_sum(rig, sum, err);
}
