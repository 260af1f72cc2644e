/* What l2_requests and l2_stores share: random lines of a table that lies in the L2, by all SMs, and pairs of launches.
 * A probe includes this behind its `work`, which has table, lines, lanes, rounds, seed and sums; what else the kernels
 * get is the probe's own. */
#pragma once

#include "gpu/cuda_half.cuh"

enum { THREADS = 256, BLOCKS_PER_SM = 8, ROUNDS = 16 };

/* The first word of the line that a lane accesses next: its group of lanes has a random state; the high half of a
 * product with it is a line. */
__device__ __forceinline__ uint32_t next_line(uint32_t *state, const work &w) {
    *state = *state * 1664525u + 1013904223u;
    return __umulhi(*state, w.lines) * (LINE_BYTES / WORD_BYTES);
}

__device__ __forceinline__ uint32_t first_state(const work &w) {
    return (uint32_t)fx_random_at(w.seed, (blockIdx.x * THREADS + threadIdx.x) / w.lanes);
}

/* What the kernel gets, and the bytes of the table. */
typedef struct task {
    work w;
    size_t bytes;
} task;

static void part(fx_rig *rig, const fx_case *c, int which) {
    FX_ARGUMENT(rig, task)->w.rounds = (which == 0 ? 1 : 2) * ROUNDS;
}

/* A table of `bytes`, and launches of `accesses` a round; `lanes` lanes share a line. */
static fx_status arrange_words(fx_rig *rig, int64_t bytes, unsigned lanes, unsigned accesses, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->bytes = (size_t)bytes;
    t->w.lines = (uint32_t)(t->bytes / LINE_BYTES);
    t->w.lanes = lanes;
    rig->warps = THREADS / FX_WARP;
    rig->blocks = BLOCKS_PER_SM * (unsigned)rig->gpu->facts.sm_count;
    rig->carveout_pct = 0;
    rig->units = (double)ROUNDS * accesses * rig->warps * rig->blocks;
    rig->part = part;
    FX_TRY(fx_rig_memory(rig, &t->w.table, FX_DEVICE_MEMORY | FX_FILLED, t->bytes, LINE_BYTES, err));
    return fx_rig_sums(rig, &t->w.sums, err);
}
