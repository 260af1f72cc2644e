/* What the negative probes share: a chain of shared-memory loads, as in micro/shared/bank_conflict/probe.cu but with
 * one width and one warp, and the faults that can be put into it. */
#pragma once

#include "gpu/rig.h"
#include "gpu/timed.cuh"

enum { COPIES = 3, PITCH_BYTES = 4096 };

typedef struct ring {
    fx_lanes lanes;
    uint32_t steps;
} ring;

/* Each word holds the address of the same word in the next copy, so a lane must end `steps` copies on. */
template <int FAULT_> __global__ void chase(const __grid_constant__ fx_timed timed, const __grid_constant__ ring r) {
    __shared__ uint32_t words[COPIES * PITCH_BYTES / 4];
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(words);
    const uint32_t offset = r.lanes.offset[threadIdx.x % FX_WARP];
    for (uint32_t c = 0; c < COPIES; c++) {
        words[(c * PITCH_BYTES + offset) / 4] = base + (c + 1) % COPIES * PITCH_BYTES + offset;
    }
    __syncthreads();
    uint32_t address = base + offset;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_begin(timed, FX_ALL_LANES);
#pragma unroll 1
    for (uint32_t pass = 0; pass < timed.passes; pass++) {
        const uint32_t trips = timed.trips[pass];
        fx_timed_barrier(timed, pass);
#pragma unroll 1
        for (uint32_t i = trips; i > 0; i--) {
#pragma unroll
            for (int a = 0; a < FX_CHAIN_STEPS; a++) {
                asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(address)::"memory");
            }
        }
        fx_consume(address);
        fx_timed_mark(marks, pass);
    }
    if (FAULT_ == ONE_LINK_MORE) {
        asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(address)::"memory");
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, address != base + r.steps % COPIES * PITCH_BYTES + offset);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    (void)err;
    FX_ARGUMENT(rig, ring)->lanes = c->lanes;
    rig->warps = 1;
    rig->accesses = FX_CHAIN_STEPS;
    rig->trip_cycles = FX_CHAIN_STEPS * 30;
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    (void)c, (void)seed, (void)err;
    FX_ARGUMENT(rig, ring)->steps = (uint32_t)fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, COPIES);
    return FX_OK;
}
