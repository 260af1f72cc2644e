/* The ways as data, and what one transposition asks of the chip: host arithmetic alone (docs/predict.md).
 *
 * Instructions are those that each warp executes in sm_90's machine code, and `gpufx validate --sass` recounts them; no
 * kernel has a loop, but for the poll of `bulk`. */
#pragma once

#include "../demand.h"

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

/* Where the lanes of one access lie: `group` of them a step apart, the next group another step; each step is so many
 * bytes and rows. */
typedef struct spread {
    unsigned char width, group, near_bytes, near_rows, far_bytes, far_rows;
} spread;

typedef struct way {
    unsigned char side;   /* of a block's tile */
    unsigned char issue;  /* instructions of a warp */
    unsigned char places; /* for blocks, of an SM of 64 warps: registers are the limit below 8 */
    signed char layout;   /* of a tile of words in shared memory; -1: there is none */
    spread load, store;   /* of global memory */
} way;

/* In the order of the variants. */
static const way ways[VARIANTS] = {
    {TILE, 33, 8, -1, {4, 32, 4, 0, 0, 0}, {4, 32, 4, 0, 0, 0}},
    {WIDE, 30, 8, -1, {16, 32, 16, 0, 0, 0}, {16, 32, 16, 0, 0, 0}},
    {TILE, 37, 8, -1, {4, 32, 4, 0, 0, 0}, {4, 32, 0, 1, 0, 0}},
    {TILE, 37, 8, -1, {4, 32, 0, 1, 0, 0}, {4, 32, 4, 0, 0, 0}},
    {TILE, 70, 8, PLAIN, {4, 32, 4, 0, 0, 0}, {4, 32, 4, 0, 0, 0}},
    {TILE, 57, 8, PADDED, {4, 32, 4, 0, 0, 0}, {4, 32, 4, 0, 0, 0}},
    {TILE, 79, 8, SWIZZLED, {4, 32, 4, 0, 0, 0}, {4, 32, 4, 0, 0, 0}},
    {TILE, 62, 8, PADDED, {4, 32, 4, 0, 0, 0}, {4, 32, 4, 0, 0, 0}},
    {WIDE, 79, 8, -1, {16, 4, 0, 4, 16, 0}, {16, 4, 16, 0, 0, 4}},
    {WIDE, 114, 8, -1, {16, 16, 16, 0, 0, 4}, {16, 16, 16, 0, 0, 1}},
    {WIDE, 190, 6, -1, {16, 16, 16, 0, 0, 1}, {16, 16, 16, 0, 0, 4}},
};

enum { BULK_ALONE = 13 }; /* what the first warp of a block of `bulk` does beside */

static void code(const fx_params *params, fx_code *out) {
    const int64_t variant = params->value[VARIANT];
    out->before = ways[variant].issue + (variant == BULK ? BULK_ALONE : 0u);
}

static void lanes_of(const spread *s, uint32_t n, fx_lanes *out) {
    for (uint32_t l = 0; l < FX_WARP; l++) {
        const uint32_t near = l % s->group, far = l / s->group;
        out->offset[l] =
            (int32_t)(near * (s->near_bytes + 4 * n * s->near_rows) + far * (s->far_bytes + 4 * n * s->far_rows));
    }
}

/* Wavefronts of a warp's store to shared memory and of its load, in a tile of words. */
static double shared_of_words(const fx_geometry *geometry, int layout) {
    fx_lanes row, column;
    fx_lanes_stride(&row, 4, 1, 0);
    if (layout == SWIZZLED) {
        fx_lanes_xor_column(&column, 4, 0);
    } else {
        fx_lanes_column(&column, 4, layout == PADDED ? TILE + 1 : TILE, 0);
    }
    return fx_law_shared_store(geometry, &row, 4) + fx_law_shared_load(geometry, &column, 4);
}

/* The same in tiles of quads, as the kernels place them: `vector` stores squares and loads rows; the copy engine stores
 * the rows of `bulk`, and squares are loaded. */
static double shared_of_quads(const fx_geometry *geometry, int64_t variant) {
    fx_lanes store, load;
    for (uint32_t l = 0; l < FX_WARP; l++) {
        const uint32_t near = l % 16, far = l / 16;
        store.offset[l] = (int32_t)(16 * (4 * near * 16 + (far ^ near)));
        load.offset[l] = (int32_t)(16 * (variant == VECTOR ? far * 16 + near : 4 * near * 16 + near + far));
    }
    const unsigned loads = fx_law_shared_load(geometry, &load, 16);
    const unsigned line_steps = 16 * FX_WARP / 128; /* of as many bytes, whole lines */
    return loads + (variant == VECTOR ? fx_law_shared_store(geometry, &store, 16) : line_steps);
}

static double shared_of(const fx_geometry *geometry, int64_t variant) {
    return ways[variant].layout >= 0              ? shared_of_words(geometry, ways[variant].layout)
           : variant == VECTOR || variant == BULK ? shared_of_quads(geometry, variant)
                                                  : 0;
}

/* Both matrices together: up to half of the L2 they stay there. */
static bool from_dram(const fx_facts *facts, double bytes) {
    return facts->l2_bytes == 0 || 2 * bytes > (double)facts->l2_bytes / 2;
}

static void set_demands(const fx_facts *facts, const fx_params *params, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const int64_t variant = params->value[VARIANT];
    const uint32_t n = (uint32_t)params->value[SIDE];
    const way *w = &ways[variant];
    const double bytes = 4.0 * n * n, blocks = (double)(n / w->side) * (n / w->side);
    const double sms = sms_of(facts);
    const double room = facts->warps_per_sm >= WARPS ? facts->warps_per_sm / WARPS : 1;
    const double places = least(room, w->places);
    const double on_sm = ceil(blocks / sms), turns = ceil(blocks / (sms * places));
    const double accesses = WARPS * ROUNDS; /* of a block, loads or stores */
    const bool dram = from_dram(facts, bytes), strided = w->load.group == FX_WARP && w->load.near_rows > 0;
    const double shared = shared_of(geometry, variant);
    fx_lanes load, store;
    lanes_of(&w->load, n, &load);
    lanes_of(&w->store, n, &store);
    const double stored = accesses * fx_law_blocks(&store, w->store.width, geometry->sector_bytes);
    /* Lanes a row apart bring a sector of each of their lines; for the next columns it is in the L1. */
    const double columns = (double)geometry->sector_bytes / 4;
    const double fetches = strided ? TILE / columns : accesses;
    demand(out, "launches", 1);
    demand(out, "dram_read_bytes", dram ? bytes : 0);
    demand(out, "dram_write_bytes", dram ? bytes : 0);
    demand(out, "l2_bytes", bytes + blocks * stored * geometry->sector_bytes);
    demand(out, "l2_requests",
           blocks * (fetches * fx_law_blocks(&load, w->load.width, geometry->line_bytes) +
                     accesses * fx_law_blocks(&store, w->store.width, geometry->line_bytes)));
    demand(out, "shared_steps", on_sm * accesses * shared);
    demand(out, "l1_steps", strided ? on_sm * accesses * fx_law_l1_load(geometry, &load, w->load.width) : 0);
    demand(out, "l2_load_steps", on_sm * fetches * fx_law_l2_load(geometry, &load, w->load.width));
    demand(out, "l2_store_steps", on_sm * accesses * fx_law_l2_store(geometry, &store, w->store.width));
    demand(out, "issue", on_sm * WARPS * w->issue);
    demand(out, "blocks", on_sm); /* of 256 threads, as it is counted */
    demand(out, "barriers", shared > 0 ? turns : 0);
    demand(out, dram ? "dram_rounds" : "l2_rounds", turns);
    demand(out, "shared_rounds", shared > 0 ? turns : 0);
    demand(out, dram ? "dram_in_flight_bytes" : "l2_in_flight_bytes",
           least(on_sm, places) * THREADS * ROUNDS * w->load.width);
}
