/* What the negative probes share: a chain of shared-memory loads, as in micro/shared/bank_conflict/probe.cu but with one width and
 * one warp, and the faults that can be put into it. */
#ifndef CHASE_CUH
#define CHASE_CUH

#include <stdlib.h>

#include "gpu/timed.cuh"

enum { COPIES = 3, PITCH_BYTES = 4096, CHAIN_CYCLES = 16000 };

enum fault { SOUND, ONE_LINK_MORE };

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

typedef struct state {
    fx_timed_buffer timed;
    uint32_t trips;
} state;

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    (void)gpu, (void)c;
    fx_timed_close(&s->timed);
    free(s);
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    state *s = (state *)calloc(1, sizeof *s);
    (void)gpu, (void)c;
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->trips = fx_timed_trips(CHAIN_CYCLES, FX_CHAIN_STEPS * 30);
    const fx_status status = fx_timed_open(&s->timed, 1, err);
    if (status != FX_OK) {
        free(s);
        return status;
    }
    *out = s;
    return FX_OK;
}

/* One sample of `kernel`, which has the arguments of chase<>. */
static fx_status sample_with(const void *kernel, fx_gpu *gpu, const fx_case *c, void *state_, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    fx_timed timed = fx_timed_argument(&s->timed, s->trips, 0);
    ring r = {.lanes = c->lanes, .steps = (uint32_t)fx_timed_steps(&timed, FX_CHAIN_STEPS, COPIES)};
    void *arguments[] = {&timed, &r};
    return fx_timed_sample(gpu, &s->timed, kernel, 0, arguments, &timed, FX_CHAIN_STEPS, out, err);
}

#endif
