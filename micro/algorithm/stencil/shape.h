/* What the host and the kernels of the stencil must agree on: how a field lies in memory, and which part of it a
 * block of each variant works on. Plain C. */
#pragma once

#include "core/probe.h"

enum { COLUMNS, ROWS, READONLY, TEXTURE, TILE, TILE_ASYNC, MARCH, VECTOR, MARCH_VECTOR, VARIANTS };
enum { VARIANT, RADIUS, LEVEL };
enum { L2, DRAM };
enum { MOST_RADIUS = 4, QUAD = 4 /* elements of a float4 */ };

/* Around the field lie values that nobody computes: MOST_RADIUS rows above and below, a line to either side. */
enum { SIDE = 32 };

/* Blocks: 256 threads, as 64 columns by 4 rows or 32 rows by 8 columns; tiles of 64 x 32, whose rows of shared memory
 * begin a float4 before the tile and end one behind it; marches that go down 32 or 16 rows. */
enum { THREADS = 256, ACROSS = 64, DOWN = THREADS / ACROSS };
enum { TILE_DOWN = 32, TILE_PITCH = ACROSS + 2 * QUAD, TILES = 4 /* of one block of tile_async */ };
enum { MARCH_DOWN = 32, MARCH_GROUP = 4, VECTOR_THREADS = 128, VECTOR_DOWN = 16 };

/* Columns, rows and threads of a block. */
typedef struct part_of_block {
    unsigned across, down, threads;
} part_of_block;

static inline part_of_block part_of(int64_t variant) {
    static const part_of_block parts[VARIANTS] = {
        {THREADS / FX_WARP, FX_WARP, THREADS},                /* columns */
        {ACROSS, DOWN, THREADS},                              /* rows */
        {ACROSS, DOWN, THREADS},                              /* readonly */
        {ACROSS, DOWN, THREADS},                              /* texture */
        {ACROSS, TILE_DOWN, THREADS},                         /* tile */
        {ACROSS, TILES * TILE_DOWN, THREADS},                 /* tile_async */
        {THREADS, MARCH_DOWN, THREADS},                       /* march */
        {QUAD * ACROSS, DOWN, THREADS},                       /* vector */
        {QUAD * VECTOR_THREADS, VECTOR_DOWN, VECTOR_THREADS}, /* march_vector */
    };
    return parts[variant];
}

/* The field: a power of two across, so that no block divides; a multiple of every block's part down. */
typedef struct extent {
    uint32_t across_bits, across, down, pitch; /* pitch: elements from row to row */
} extent;

static inline extent extent_of(uint64_t bytes, uint32_t across_bits) {
    const uint32_t across = 1u << across_bits, step = TILES * TILE_DOWN;
    const uint32_t rows = (uint32_t)(bytes / sizeof(float) >> across_bits) / step * step;
    const extent e = {across_bits, across, rows > step ? rows : step, across + 2 * SIDE};
    return e;
}

/* The field of a case on this device. */
static inline extent field_of_case(const fx_facts *facts, const fx_params *params) {
    const bool dram = params->value[LEVEL] == DRAM;
    const uint64_t l2 = facts->l2_bytes > 0 ? facts->l2_bytes : (uint64_t)32 << 20;
    return extent_of(dram ? 4 * l2 : l2 / 4, dram ? 13 : 11);
}
