/* What the host and the kernels of the reduction must agree on. Plain C. */
#pragma once

#include "core/probe.h"

enum { VARIANT, SIZE, TYPE, MEMORY };
enum {
    GLOBAL,
    DIVERGENT,
    CONFLICTS,
    SEQUENTIAL,
    UNROLL2,
    UNROLL4,
    UNROLL8,
    LAST_WARP,
    COMPLETE,
    SHUFFLE,
    REDUX,
    VECTOR,
    ATOMIC_THREAD,
    ATOMIC_WARP,
    ATOMIC_BLOCK,
    PERSISTENT,
    CUB,
    VARIANTS
};
enum { DRAM, L2 };
enum { WORD_BYTES = 4 };
enum { THREADS = 256, WARPS = THREADS / FX_WARP, QUADS = 4 }; /* QUADS: loads of 16 bytes of a thread in flight */
enum { TILE_BYTES = THREADS * QUADS * 16 };                   /* what a block of the persistent rung reads in a trip */

/* Elements that a thread adds up before the block's values meet; of the persistent rung, in a trip. */
static inline unsigned per_thread_of(int64_t variant) {
    static const unsigned char elements[VARIANTS] = {1, 1, 1, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4 * QUADS, 4 * QUADS};
    return elements[variant];
}
