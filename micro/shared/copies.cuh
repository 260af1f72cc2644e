/* What bank_conflict and matrix_fragments share: a ring of copies of a pattern in shared memory, a multiple of 128
 * bytes apart: copy order[k] points to copy order[k + 1]. A probe includes this behind its `ring`, which has lanes,
 * order, copies, pitch_bytes, steps, total_words and seed, and behind CHAINS and THROUGHPUT_WARPS. */
#pragma once

#include "gpu/rig.h"

enum { MOST_BYTES = 96 << 10 /* of shared memory */ };

/* Random bits everywhere. */
__device__ static void fill(uint32_t *shared, const ring &r) {
    for (uint32_t i = threadIdx.x; i < r.total_words; i += blockDim.x) {
        shared[i] = (uint32_t)fx_random_at(r.seed, i);
    }
    __syncthreads();
}

/* As many copies as a block may have, and passes of one chain or of all warps. Odd numbers, so that no power of two of
 * steps comes back to the start. */
static fx_status arrange_copies(fx_rig *rig, const fx_case *c, unsigned width, bool latency, fx_error *err) {
    static const uint32_t counts[] = {7, 5, 3, 2, 1};
    const size_t block = rig->gpu->facts.shared_per_block_bytes, limit = block < MOST_BYTES ? block : MOST_BYTES;
    const size_t pitch = (fx_lanes_span(&c->lanes, width) + 127) / 128 * 128;
    const uint32_t wavefronts = (uint32_t)c->prediction.count + 1;
    ring *r = FX_ARGUMENT(rig, ring);
    for (size_t i = 0; i < FX_COUNT(counts) && r->copies == 0; i++) {
        r->copies = pitch * counts[i] <= limit ? counts[i] : 0;
    }
    FX_FAIL_IF(r->copies == 0, err, FX_UNSUPPORTED, "the pattern spans %zu bytes, a block has %zu", pitch, limit);
    r->lanes = c->lanes;
    r->pitch_bytes = (uint32_t)pitch;
    r->total_words = (uint32_t)(pitch * r->copies / 4);
    rig->warps = latency ? 1 : THROUGHPUT_WARPS;
    rig->shared_bytes = pitch * r->copies;
    rig->carveout_pct = 100;
    rig->accesses = latency ? (double)FX_CHAIN_STEPS : (double)FX_RATE_STEPS * CHAINS;
    rig->trip_cycles = rig->accesses * (latency ? 24 + 2 * wavefronts : rig->warps * wavefronts);
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    ring *r = FX_ARGUMENT(rig, ring);
    r->seed = seed;
    r->steps = (uint32_t)fx_timed_steps(&rig->timed, rig->warps == 1 ? FX_CHAIN_STEPS : FX_RATE_STEPS, r->copies);
    fx_random_order(seed, r->order, r->copies);
    return FX_OK;
}
