/* What the demands of all algorithms are counted with (docs/predict.md). Plain C. */
#pragma once

#include <math.h>

#include "core/probe.h"

enum { SM_REGISTERS = 65536, MOST_BLOCKS = 32, RESERVED_BYTES = 1024 /* of an SM; of shared memory, a block */ };

static inline void demand(fx_prediction *out, const char *name, double value) {
    if (value > 0) {
        fx_prediction_count(out, name, value);
    }
}

static inline double least(double a, double b) {
    return a < b ? a : b;
}

/* Of whole things, so many places at a time. */
static inline double in_turns(double things, double places) {
    return (double)(int64_t)((things + places - 1) / places);
}

static inline double sms_of(const fx_facts *facts) {
    return facts->sm_count > 0 ? facts->sm_count : 1;
}

/* Blocks that an SM holds at a time, of so many threads with so many registers each. */
static inline double resident_of(const fx_facts *facts, unsigned threads, unsigned registers, double shared_bytes) {
    const double warps = threads / (double)FX_WARP, room = facts->warps_per_sm > 0 ? facts->warps_per_sm : 64;
    const double by_registers = registers > 0 ? SM_REGISTERS / ((registers + 7) / 8 * 8 * threads) : MOST_BLOCKS;
    const double blocks = least(least(MOST_BLOCKS, (double)(int)(room / warps)), by_registers);
    const double shared = (double)facts->shared_per_sm_bytes;
    const double fit =
        shared_bytes > 0 && shared > 0 ? (double)(int)(shared / (shared_bytes + RESERVED_BYTES)) : blocks;
    return fmax(1, least(blocks, fit));
}
