/* Where the warps of one SM read the L2: each at a random place of a window, from which it moves on by a random step
 * after each group of accesses; redrawn for each sample.
 *
 * With a fixed place for each access the warps of many patterns fall into step: then the lines of one and the same
 * pattern cost 1.00 cycles each, or 1.20, by the order of the lanes, by what the pattern is shifted by, and even by
 * process. Moving, 4 samples of 100 are still in step, and medians of some samples are not. */
#pragma once

#include "core/law.h"
#include "core/random.h"

enum { FX_ROAM_WARPS = 32 };

typedef struct fx_roam {
    uint32_t at[FX_ROAM_WARPS];   /* where each warp begins, bytes, a multiple of a line ... */
    uint32_t step[FX_ROAM_WARPS]; /* ... and what it moves on by: an odd number of lines, so that it comes everywhere */
    uint32_t mask;                /* bytes of the window, a power of two, less one */
} fx_roam;

/* Bytes of the window: 8 MiB, or the largest power of two that fits six times into a smaller L2. */
static inline uint32_t fx_roam_bytes(uint64_t l2_bytes) {
    uint32_t bytes = 8u << 20;
    while (l2_bytes > 0 && bytes > 2 * FX_LINE_BYTES && 6 * (uint64_t)bytes > l2_bytes) {
        bytes /= 2;
    }
    return bytes;
}

static inline void fx_roam_draw(fx_roam *roam, uint32_t window_bytes, uint64_t seed) {
    const uint32_t lines = window_bytes / FX_LINE_BYTES;
    for (int w = 0; w < FX_ROAM_WARPS; w++) {
        roam->at[w] = FX_LINE_BYTES * (uint32_t)fx_random_below(&seed, lines);
        roam->step[w] = FX_LINE_BYTES * (2 * (uint32_t)fx_random_below(&seed, lines / 2) + 1);
    }
    roam->mask = window_bytes - 1;
}

/* The next place. */
FX_HOST_DEVICE static inline uint32_t fx_roam_on(const fx_roam *roam, uint32_t at, uint32_t step) {
    return (at + step) & roam->mask;
}
