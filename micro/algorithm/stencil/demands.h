/* The law of the stencil: what one run over a field asks of the chip, counted from the shapes of its blocks: everything
 * for one block, then times the blocks. What a block wants twice, its L1 gives the second time: the part of the field
 * that it reads is 2 to 36 KiB. Plain C. */
#pragma once

#include "../demand.h"
#include "shape.h"

enum { VARIANT, RADIUS, LEVEL };
enum { L2, DRAM };

enum { SECTORS_OF_LINE = 4, LANE_BYTES = 4, QUAD_BYTES = 16 };
/* Loads of a tile by a thread: with radius 4 its eight points, four rows apart, share some. */
enum { NEAR_READS = 40, WIDE_READS = 101 };
enum { TEX_QUADS = 8 /* of a warp, one after another */ };
enum { FAR = 1 << 16 /* bytes: where a table of lanes begins, so that none lies before its base */ };

/* The field of a case on this device. */
static extent field_of_case(const fx_facts *facts, const fx_params *params) {
    const bool dram = params->value[LEVEL] == DRAM;
    const uint64_t l2 = facts->l2_bytes > 0 ? facts->l2_bytes : (uint64_t)32 << 20;
    return extent_of(dram ? 4 * l2 : l2 / 4, dram ? 13 : 11);
}

/* What the machine code for sm_90 takes of one warp of a block: instructions outside of its loop and in each of so many
 * trips, which `gpufx validate --sass` recounts, and registers of a thread, by nvcc 13.0. */
typedef struct machine_code {
    unsigned before, trips, loop, registers;
} machine_code;

/* In the order of the variants; 0: there is no such kernel. */
static machine_code code_of(int64_t variant, int64_t radius) {
    static const machine_code near[VARIANTS] = {
        {38, 0, 0, 18},        {38, 0, 0, 18},  {40, 0, 0, 20}, {47, 0, 0, 22},  {173, 0, 0, 32},
        {105, TILES, 153, 40}, {28, 8, 52, 32}, {50, 0, 0, 25}, {25, 8, 64, 32},
    };
    static const machine_code wide[VARIANTS] = {
        {0, 0, 0, 0},          {69, 0, 0, 32},   {0, 0, 0, 0},    {0, 0, 0, 0},     {332, 0, 0, 32},
        {113, TILES, 313, 40}, {47, 8, 136, 32}, {115, 0, 0, 40}, {48, 8, 194, 64},
    };
    return radius == 1 ? near[variant] : wide[variant];
}

static void code(const fx_params *params, fx_code *out) {
    const int64_t variant = params->value[VARIANT], radius = params->value[RADIUS];
    const machine_code machine = code_of(variant, radius);
    const fx_opcode reads = {"LDS", (unsigned)(radius == 1 ? NEAR_READS : WIDE_READS)};
    out->before = machine.before;
    out->loop = machine.loop;
    if (variant == TILE) {
        out->holds[0] = reads;
    }
}

/* What a block does. Loads: warp-level ones; `fresh`: those that bring what the L1 does not have. */
typedef struct doing {
    double l1_steps, l2_load_steps, l2_store_steps, shared_steps;
    double sectors_in, sectors_out; /* between the L2 and the SM */
    double requests;                /* of lines; 0: four sectors each */
    double rounds, shared_rounds;   /* loads that wait for each other */
    double flying_sectors;          /* of a round */
    double barriers, shared_bytes;
} doing;

/* Loads of 32 lanes `step_bytes` apart, `shift` elements off the block's first point. */
static void add_loads(doing *d, const fx_geometry *g, unsigned width, int64_t step_bytes, int64_t shift, double count,
                      double fresh) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, width, step_bytes / width, FAR + LANE_BYTES * shift);
    d->l1_steps += (count - fresh) * fx_law_l1_load(g, &lanes, width);
    d->l2_load_steps += fresh * fx_law_l2_load(g, &lanes, width);
}

/* The same star of loads by each warp of the block: rows above and below, and elements to the sides, `sides` of them at
 * either side. */
static void add_star(doing *d, const fx_geometry *g, unsigned width, int64_t step_bytes, int64_t radius, int64_t sides,
                     double warps, double fresh) {
    add_loads(d, g, width, step_bytes, 0, (double)(2 * radius + 1) * warps, fresh);
    for (int64_t k = 1; k <= sides; k++) {
        const bool single = width == LANE_BYTES || radius == 1; /* else the whole quad beside */
        const int64_t shift = single ? k : QUAD;
        add_loads(d, g, single ? LANE_BYTES : width, step_bytes, shift, warps, 0);
        add_loads(d, g, single ? LANE_BYTES : width, step_bytes, -shift, warps, 0);
    }
}

/* A tile's loads by quads, row by row of its padded width; they do not meet again in the L1. */
static void add_tile(doing *d, const fx_geometry *g, uint32_t pitch, int64_t radius) {
    const int row_quads = TILE_PITCH / QUAD, quads = (int)(TILE_DOWN + 2 * radius) * row_quads;
    fx_lanes stored;
    fx_lanes_stride(&stored, QUAD_BYTES, 1, 0);
    for (int first = 0; first < quads; first += FX_WARP) {
        fx_lanes lanes;
        for (int l = 0; l < FX_WARP; l++) {
            const int q = first + l;
            lanes.offset[l] = q < quads ? FAR - QUAD_BYTES + q / row_quads * (int32_t)(pitch * LANE_BYTES) +
                                              q % row_quads * QUAD_BYTES
                                        : -1;
        }
        d->l2_load_steps += fx_law_l2_load(g, &lanes, QUAD_BYTES);
        d->shared_steps += fx_law_shared_store(g, &stored, QUAD_BYTES);
    }
}

static doing doing_of(const fx_facts *facts, const extent *e, int64_t variant, int64_t radius) {
    const fx_geometry *g = &facts->geometry;
    const part_of_block part = part_of(variant);
    const bool quad = variant == VECTOR || variant == MARCH_VECTOR, columns = variant == COLUMNS;
    const unsigned width = quad ? QUAD_BYTES : LANE_BYTES;
    const int64_t step = columns ? (int64_t)e->pitch * LANE_BYTES : width;
    const double across = part.across, down = part.down, r = (double)radius;
    const double row_sectors = across * LANE_BYTES / FX_SECTOR_BYTES,
                 stores = across * down * LANE_BYTES / width / FX_WARP;
    doing d = {.sectors_out = row_sectors * down, .rounds = 1};
    fx_lanes lanes;
    fx_lanes_stride(&lanes, width, step / width, FAR);
    d.l2_store_steps = stores * fx_law_l2_store(g, &lanes, width);
    if (variant == TILE || variant == TILE_ASYNC) {
        const double tiles = variant == TILE ? 1 : TILES, tile_sectors = (TILE_DOWN + 2 * r) * (row_sectors + 2);
        add_tile(&d, g, e->pitch, radius);
        d.l2_load_steps *= tiles;
        d.shared_steps =
            tiles * (d.shared_steps + part.threads / (double)FX_WARP * (radius == 1 ? NEAR_READS : WIDE_READS));
        d.sectors_in = tiles * tile_sectors;
        d.flying_sectors = tile_sectors;
        d.rounds = d.shared_rounds = tiles;
        d.barriers = variant == TILE ? 1 : 2 * tiles;
        d.shared_bytes = (variant == TILE ? 1 : 2) * (TILE_DOWN + 2 * r) * TILE_PITCH * LANE_BYTES;
        return d;
    }
    const bool march = variant == MARCH || variant == MARCH_VECTOR;
    const double warps = part.threads / (double)FX_WARP;
    d.sectors_in = (down + 2 * r) * row_sectors + 2 * down;
    d.flying_sectors = d.sectors_in;
    d.requests = columns ? d.sectors_in + stores * FX_WARP : 0;
    const double fresh = columns ? 3 : (down + 2 * r) * across * LANE_BYTES / width / FX_WARP;
    if (march) { /* each row's own load is the only one from above or below */
        const double group = variant == MARCH ? MARCH_GROUP : 2;
        add_loads(&d, g, width, step, 0, (down + 2 * r) * warps, fresh);
        add_star(&d, g, width, step, radius, quad ? 1 : radius, warps * down, 0);
        d.l1_steps -= warps * down * (2 * r + 1) * fx_law_l1_load(g, &lanes, width);
        d.rounds = 1 + down / group;
        d.flying_sectors = group * row_sectors;
    } else {
        add_star(&d, g, width, step, radius, quad ? 1 : radius, warps, fresh);
    }
    return d;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *none, fx_prediction *out) {
    const int64_t variant = params->value[VARIANT], radius = params->value[RADIUS];
    const bool dram = params->value[LEVEL] == DRAM;
    const extent e = field_of_case(facts, params);
    const part_of_block part = part_of(variant);
    const machine_code machine = code_of(variant, radius);
    const doing d = doing_of(facts, &e, variant, radius);
    const double points = (double)e.across * e.down, bytes = points * LANE_BYTES;
    const double blocks = points / (part.across * part.down), sms = sms_of(facts);
    const double resident = resident_of(facts, part.threads, machine.registers, d.shared_bytes);
    const double mine = in_turns(blocks, sms), turns = in_turns(blocks, sms * resident);
    const double warps = part.threads / (double)FX_WARP;
    const char *rounds = dram ? "dram_rounds" : "l2_rounds";
    const char *flying = dram ? "dram_in_flight_bytes" : "l2_in_flight_bytes";
    out->law = "points";
    out->count = points;
    out->why_not = "the demands predict the time";
    out->useful_bytes = 2 * bytes;
    demand(out, "launches", 1);
    demand(out, "dram_read_bytes", dram ? bytes : 0);
    demand(out, "dram_write_bytes", dram ? bytes : 0);
    demand(out, "l2_bytes", FX_SECTOR_BYTES * blocks * (d.sectors_in + d.sectors_out));
    demand(out, "l2_requests",
           blocks * (d.requests > 0 ? d.requests : (d.sectors_in + d.sectors_out) / SECTORS_OF_LINE));
    demand(out, "shared_steps", mine * d.shared_steps);
    demand(out, "l1_steps", variant == TEXTURE ? 0 : mine * d.l1_steps);
    demand(out, "texture_steps", variant == TEXTURE ? mine * warps * (double)(4 * radius + 1) * TEX_QUADS : 0);
    demand(out, "l2_load_steps", mine * d.l2_load_steps);
    demand(out, "l2_store_steps", mine * d.l2_store_steps);
    demand(out, "issue", mine * warps * (machine.before + machine.trips * machine.loop));
    demand(out, "fma32", mine * part.across * part.down / FX_WARP * (double)(4 * radius + 1));
    demand(out, "blocks", mine * part.threads / THREADS);
    demand(out, "barriers", turns * d.barriers);
    demand(out, rounds, turns * d.rounds);
    demand(out, "shared_rounds", turns * d.shared_rounds);
    demand(out, flying, FX_SECTOR_BYTES * d.flying_sectors * least(resident, in_turns(blocks, sms)));
}
