/* What the host and the kernels of the histogram must agree on: the input, and how blocks work on it. Plain C. */
#pragma once

#include "core/probe.h"
#include "core/random.h"

enum { GLOBAL, AGGREGATED, SHARED, PER_WARP, COPIES, RUNS };
enum { UNIFORM, SKEWED, REPEATED, CONSTANT };
enum { VARIANT, DATA, BINS };

enum { COUNTED = 32 << 20 /* values of one run */, WORD_BYTES = 4 };
enum {
    THREADS = 512,
    WARPS = THREADS / FX_WARP,
    BLOCKS_PER_SM = 4,
    QUAD = 4,
    RUN = 16 /* values of a thread's turn */
};
enum { LANE_COPIES = 8, MOST_BINS = 64 << 10, SHARED_BYTES = 48 << 10 /* of a block, so that four fit everywhere */ };
enum { REPEATS = 16 /* of a value, in a row */ };

/* Value i of the input named `seed`, below 2^bins_bits. Skewed: the fourth power of a uniform number, so that bin 0
 * gets the fourth root of 1 / bins. */
FX_HOST_DEVICE static inline uint32_t value_of(int data, uint64_t seed, uint64_t i, uint32_t bins_bits) {
    const uint64_t place = data == CONSTANT ? 0 : data == REPEATED ? i / REPEATS : i;
    uint64_t u = fx_random_at(seed, place) >> 32;
    if (data == SKEWED) {
        u = u * u >> 32;
        u = u * u >> 32;
    }
    return (uint32_t)(u >> (32 - bins_bits));
}

/* Where copy `lane` or `warp` of a bin lies in the shared memory of a block, in words: bin * step + warp * of_warp +
 * (lane modulo the copies) * 1. One code serves all; a single copy has step 1. */
typedef struct copies {
    uint32_t step, of_warp, lanes, words;
} copies;

static inline copies copies_of(int64_t variant, uint32_t bins) {
    const copies one = {1, 0, 1, bins}, per_warp = {1, bins, 1, bins * WARPS};
    const copies per_lane = {LANE_COPIES, 0, LANE_COPIES, bins * LANE_COPIES};
    return variant == PER_WARP ? per_warp : variant == COPIES ? per_lane : one;
}
