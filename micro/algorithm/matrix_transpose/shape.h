/* What the host and the kernels of the transposition must agree on. Plain C. */
#pragma once

#include "core/probe.h"

enum { VARIANT, SIDE };
enum {
    COPY,
    COPY_VECTOR,
    READ_COALESCED,
    WRITE_COALESCED,
    TILED,
    TILED_PADDED,
    TILED_SWIZZLED,
    TILED_DIAGONAL,
    REGISTERS,
    VECTOR,
    BULK,
    VARIANTS
};
enum { PLAIN, PADDED, SWIZZLED };
enum { TILE = 32, WIDE = 64, WARPS = 8, THREADS = WARPS * FX_WARP };
enum { ROUNDS = 4, QUADS = 4 }; /* loads, and stores, of each thread */
enum { MOST_POLLS = 1 << 20 };

/* Rows and columns of a block's tile. */
static inline unsigned tile_of(int64_t variant) {
    return variant == COPY_VECTOR || variant >= REGISTERS ? WIDE : TILE;
}
