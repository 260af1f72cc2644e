/* What one product asks of the chip (docs/predict.md), by the laws of core/law.h from what its kernel's warps do in one
 * trip of its loop. C, on the host. */
#pragma once

#include "../demand.h"
#include "task.h"

enum { VARIANT, STORED, TYPE, SIDE };
enum {
    ROWS,
    COLUMNS,
    TILE16,
    TILE32,
    TILE32_PADDED,
    ONE_SHARED,
    BOTH_SHARED,
    ASYNC,
    BULK,
    TENSOR,
    WGMMA,
    CUBLAS,
    VARIANTS
};
enum { PLAIN, TRANSPOSED, FIRST };
enum { FP32, TF32, FP16, FP64, INT8, FP8 };

/* A kernel's shape. Instructions are those of the loop on sm_90, of one warp and trip: all of them, and by pipe. `gpufx
 * validate --sass` recounts them. */
typedef struct shape {
    unsigned rows, columns;  /* of C, of a block */
    unsigned threads, depth; /* depth: steps of k in a trip */
    unsigned resident;       /* blocks of an SM at a time: what registers, threads and shared memory leave room for */
    unsigned issue, fma, imad, mma;
    unsigned barriers;
    bool ahead; /* a tile comes while others are multiplied */
} shape;

enum { BULK_TURN = 21 }; /* of a loop within the trip, which asks for four rows of A: four turns */

/* In the order of the variants. */
static const shape shapes[VARIANTS] = {
    {FX_WARP, NAIVE_WARPS, NAIVE_THREADS, NAIVE_UNROLL, 8, 25, 4, 8, 0, 0, false},
    {NAIVE_WARPS, FX_WARP, NAIVE_THREADS, NAIVE_UNROLL, 8, 25, 4, 8, 0, 0, false},
    {16, 16, 256, 16, 8, 50, 16, 2, 0, 2, false},
    {32, 32, 1024, 32, 2, 86, 32, 1, 0, 2, false},
    {32, 32, 1024, 32, 2, 84, 32, 1, 0, 2, false},
    {ONE_ROWS, ONE_COLUMNS, ONE_COLUMNS, ONE_DEPTH, 16, 365, 256, 16, 0, 2, false},
    {BOTH_SIDE, BOTH_SIDE, BOTH_THREADS, BOTH_DEPTH, 2, 1112, 1024, 3, 0, 2, false},
    {BOTH_SIDE, BOTH_SIDE, BOTH_THREADS, BOTH_DEPTH, 2, 1125, 1024, 4, 0, 1, true},
    {BOTH_SIDE, BOTH_SIDE, BOTH_THREADS, BOTH_DEPTH, 2, 1192 + 3 * BULK_TURN, 1024, 1, 0, 1, true},
    {TENSOR_SIDE, TENSOR_SIDE, TENSOR_THREADS, 0, 2, 141, 0, 14, 64, 1, true},
    {WGMMA_ROWS, WGMMA_COLUMNS, WGMMA_THREADS, WGMMA_DEPTH, 1, 0, 0, 0, 0, 0, true},
    {0}, /* cuBLAS */
};

static unsigned bytes_of(int64_t type) {
    static const unsigned bytes[] = {4, 4, 2, 8, 1, 1};
    return bytes[type];
}

static shape shape_of(const fx_params *p) {
    shape s = shapes[p->value[VARIANT]];
    if (p->value[VARIANT] == TENSOR) {
        s.depth = TENSOR_ROW_BYTES / bytes_of(p->value[TYPE]);
        s.issue = p->value[TYPE] == FP16 ? s.issue : 165;
    }
    if ((p->value[VARIANT] == TILE32 || p->value[VARIANT] == TILE32_PADDED) && p->value[STORED] == TRANSPOSED) {
        s.issue = 87;
        s.imad = 0;
    }
    return s;
}

static void code(const fx_params *p, fx_code *out) {
    const shape s = shape_of(p);
    const fx_code found = {.loop = p->value[VARIANT] == BULK ? s.issue - 3 * BULK_TURN : s.issue,
                           .holds = {{"FFMA", s.fma}, {"IMAD", s.imad}, {"HMMA", s.mma}}};
    *out = found;
}

static bool is_naive(const fx_params *p) {
    return p->value[VARIANT] <= COLUMNS;
}

/* Naive: A's element (i, k) lies at i * n + k. */
static walk walk_of_a(const fx_params *p) {
    const uint32_t n = (uint32_t)p->value[SIDE];
    const walk columns = {0, n, 1}, rows = {n, 0, 1};
    return p->value[VARIANT] == COLUMNS ? columns : rows;
}

/* B's element (k, j) lies at k * n + j, or at j * n + k once it is transposed. */
static walk walk_of_b(const fx_params *p) {
    const bool plain = p->value[STORED] == PLAIN;
    const uint32_t n = (uint32_t)p->value[SIDE], next = plain ? 1 : n, step = plain ? n : 1;
    const walk columns = {next, 0, step}, rows = {0, next, step};
    return p->value[VARIANT] == COLUMNS ? columns : rows;
}

/* Lanes in rows of `across`, whose pieces of `width` bytes lie side by side, and rows `pitch` bytes apart. */
static fx_lanes rows_of(unsigned across, unsigned width, unsigned pitch) {
    fx_lanes lanes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = (int32_t)(l / across * pitch + l % across * width);
    }
    return lanes;
}

/* The lanes of both_shared that multiply (row_of_lane and column_of_lane in blocked.cuh), for A and for B. */
static fx_lanes lanes_of(bool a) {
    fx_lanes lanes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = (int32_t)(a ? (l / 2 % 2 + l / 16 * 2) * BOTH_A_PITCH * 4 : (l % 2 + l / 4 % 4 * 2) * 16);
    }
    return lanes;
}

/* Steps of one warp in one trip: shared memory, and loads and stores beyond the L1. C's stores come once, not per trip.
 * In bytes, what its loads bring. */
typedef struct steps {
    double shared, l1, l2_load, l2_store;
    double in_flight_bytes;
} steps;

#define STEPS(name, law)                                                                                               \
    static double name(const fx_geometry *g, fx_lanes lanes, unsigned width) {                                         \
        return law(g, &lanes, width);                                                                                  \
    }
STEPS(loads, fx_law_l2_load)
STEPS(stores, fx_law_l2_store)
STEPS(reads, fx_law_shared_load)
STEPS(writes, fx_law_shared_store)

/* One operand of a naive product: a step of a walk along a line brings a new sector every eighth time, and warps that
 * read the same find it in the L1. */
static void add_walk(const fx_geometry *g, walk w, steps *out) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, w.lane, 0);
    const double new_ones = (w.step == 1 ? 4.0 / (double)g->sector_bytes : 1) / (w.warp == 0 ? NAIVE_WARPS : 1);
    out->l1 += NAIVE_UNROLL * (double)fx_law_l1_load(g, &lanes, 4);
    out->l2_load += NAIVE_UNROLL * new_ones * fx_law_l2_load(g, &lanes, 4);
    out->in_flight_bytes += NAIVE_UNROLL * new_ones * g->sector_bytes * fx_law_blocks(&lanes, 4, g->sector_bytes);
}

static steps steps_of_naive(const fx_geometry *g, const fx_params *p) {
    steps out = {0};
    const uint32_t n = (uint32_t)p->value[SIDE];
    add_walk(g, walk_of_a(p), &out);
    add_walk(g, walk_of_b(p), &out);
    out.l2_store = stores(g, rows_of(p->value[VARIANT] == COLUMNS ? FX_WARP : 1, 4, n * 4), 4);
    return out;
}

static steps steps_of_tile(const fx_geometry *g, const fx_params *p) {
    const unsigned side = shapes[p->value[VARIANT]].columns, n = (unsigned)p->value[SIDE];
    const unsigned pitch = p->value[VARIANT] == TILE32_PADDED ? side + 1 : side;
    const fx_lanes line = rows_of(side, 4, n * 4);
    steps out = {.l2_load = 2 * loads(g, line, 4), .l2_store = stores(g, line, 4), .in_flight_bytes = 2 * FX_WARP * 4};
    out.shared = writes(g, rows_of(side, 4, side * 4), 4);
    if (p->value[STORED] == TRANSPOSED) {
        fx_lanes down;
        fx_lanes_stride(&down, 4, pitch, 0);
        out.shared += writes(g, down, 4);
    } else {
        out.shared += writes(g, rows_of(side, 4, pitch * 4), 4);
    }
    out.shared += side / 4 * reads(g, rows_of(side, 0, side * 4), 16) + side * reads(g, rows_of(side, 4, 0), 4);
    return out;
}

static steps steps_of_one_shared(const fx_geometry *g, const fx_params *p) {
    const unsigned n = (unsigned)p->value[SIDE];
    const fx_lanes line = rows_of(FX_WARP, 4, 0), same = rows_of(FX_WARP, 0, 0);
    fx_lanes store;
    for (unsigned l = 0; l < FX_WARP; l++) {
        store.offset[l] = (int32_t)((l % 4 * 4 * ONE_PITCH + l / 4) * 4);
    }
    const steps out = {
        .shared = ONE_DEPTH * (ONE_ROWS / 4) * reads(g, same, 16) + 4 * writes(g, store, 4),
        .l2_load = ONE_DEPTH * loads(g, line, 4) + loads(g, rows_of(4, 16, n * 4), 16),
        .l2_store = ONE_ROWS * stores(g, line, 4),
        .in_flight_bytes = (ONE_DEPTH + 4) * FX_WARP * 4,
    };
    return out;
}

/* What comes by the bulk engine takes no step of a warp's loads; it is written all the same. */
static steps steps_of_both(const fx_geometry *g, const fx_params *p) {
    const unsigned n = (unsigned)p->value[SIDE];
    steps out = {
        .shared = 2 * BOTH_DEPTH * (reads(g, lanes_of(true), 16) + reads(g, lanes_of(false), 16)),
        .l2_store = 16 * stores(g, rows_of(8, 16, n * 4), 16),
        .in_flight_bytes = 4 * FX_WARP * 16,
    };
    out.shared += 4 * writes(g, rows_of(FX_WARP, 16, 0), 16);
    if (p->value[VARIANT] != BULK) {
        out.l2_load = 2 * loads(g, rows_of(4, 16, n * 4), 16) + 2 * loads(g, rows_of(16, 16, n * 4), 16);
    }
    return out;
}

/* A request of ldmatrix for four matrices of 128 bytes takes four wavefronts; TF32 reads B word by word. */
static steps steps_of_tensor(const fx_geometry *g, const fx_params *p) {
    const unsigned width = bytes_of(p->value[TYPE]), pitch = (unsigned)p->value[SIDE] * width;
    steps out = {
        .shared = 8 * 4 + 8 * writes(g, rows_of(FX_WARP, 16, 0), 16),
        .l2_load = 4 * loads(g, rows_of(4, 16, pitch), 16) + 4 * loads(g, rows_of(8 * width, 16, pitch), 16),
        .l2_store = 64 * stores(g, rows_of(4, 8, (unsigned)p->value[SIDE] * 4), 8),
        .in_flight_bytes = (TENSOR_STAGES - 1) * 8 * FX_WARP * 16,
    };
    out.shared += width == 2 ? 8 * 4 : 32;
    return out;
}

static steps steps_of(const fx_geometry *g, const fx_params *p) {
    const int64_t variant = p->value[VARIANT];
    return variant <= COLUMNS      ? steps_of_naive(g, p)
           : variant == TENSOR     ? steps_of_tensor(g, p)
           : variant > ONE_SHARED  ? steps_of_both(g, p)
           : variant == ONE_SHARED ? steps_of_one_shared(g, p)
                                   : steps_of_tile(g, p);
}

static double ceiling(double a, double b) {
    const double whole = (double)(uint64_t)(a / b);
    return whole * b < a ? whole + 1 : whole;
}

/* Rows of blocks that are at work at a time share what they read of B: with more than the L2 holds, all of B is read
 * again for the next ones. */
static void add_dram(const fx_facts *facts, const fx_params *p, const shape *s, double *read, double *write) {
    const double n = (double)p->value[SIDE], width = bytes_of(p->value[TYPE]), l2 = (double)facts->l2_bytes;
    const double at_work = (double)facts->sm_count * s->resident * s->columns / n; /* rows of blocks */
    const double together = p->value[VARIANT] >= BOTH_SHARED ? STRIP : at_work > 1 ? at_work : 1;
    const double passes = n * n * width > l2 ? ceiling(n / s->rows, together) : 1;
    if (n * n * (2 * width + 4) > l2) {
        *read = n * n * width * (1 + passes);
        *write = n * n * 4;
    }
}

/* A kernel that transposes B: 79 instructions of each of its warps on sm_90 by nvcc 13.0, which nothing recounts, for
 * four rows of a tile of 32 x 32. */
static double flips_of(const fx_facts *facts, const fx_params *p) {
    const double tiles = (double)p->value[SIDE] / FX_WARP;
    return p->value[STORED] == FIRST ? NAIVE_WARPS * ceiling(tiles * tiles, facts->sm_count) : 0;
}

static void add_demands(const fx_facts *facts, const fx_params *p, fx_prediction *out) {
    const double n = (double)p->value[SIDE], width = bytes_of(p->value[TYPE]), flips = flips_of(facts, p);
    const shape s = shape_of(p);
    const steps per = steps_of(&facts->geometry, p);
    const double blocks = n / s.rows * (n / s.columns), trips = n / s.depth;
    const double on_sm = ceiling(blocks, facts->sm_count) * s.threads / FX_WARP; /* warps of the busiest SM */
    const double in_place = ceiling(blocks, (double)facts->sm_count * s.resident);
    double read = 0, write = 0;
    add_dram(facts, p, &s, &read, &write);
    demand(out, "launches", flips > 0 ? 2 : 1);
    demand(out, "dram_read_bytes", read);
    demand(out, "dram_write_bytes", write);
    demand(out, "l2_bytes", blocks * (s.rows + s.columns) * n * width + n * n * 4 * (flips > 0 ? 3 : 1));
    demand(out, "shared_steps", on_sm * trips * per.shared + flips * 8);
    demand(out, "l1_steps", on_sm * trips * per.l1);
    demand(out, "l2_load_steps", on_sm * trips * per.l2_load + flips * 4);
    demand(out, "l2_store_steps", on_sm * per.l2_store + flips * 4 * 4);
    demand(out, "issue", on_sm * trips * s.issue + flips * 79);
    demand(out, "fma32", on_sm * trips * s.fma);
    demand(out, s.mma > 0 ? "mma" : "imad32", on_sm * trips * (s.mma > 0 ? s.mma : s.imad));
    demand(out, "barriers", in_place * trips * s.barriers);
    demand(out, is_naive(p) ? "l1_rounds" : "l2_rounds", in_place * (s.ahead ? 1 : trips));
    demand(out, "shared_rounds", is_naive(p) ? 0 : in_place * trips);
    demand(out, "l2_in_flight_bytes", s.resident * s.threads / FX_WARP * per.in_flight_bytes);
    demand(out, "dram_in_flight_bytes", read > 0 ? s.resident * s.threads / FX_WARP * per.in_flight_bytes : 0);
}

/* Pairs of blocks stay on their SMs and take pairs of tiles; each gets all of its tile of A and of B, half of the
 * latter by the other's order. A wgmma takes 16 steps of k for 64 rows. */
static void add_demands_of_wgmma(const fx_facts *facts, const fx_params *p, fx_prediction *out) {
    const double n = (double)p->value[SIDE], blocks = n / WGMMA_ROWS * (n / WGMMA_COLUMNS);
    const double in_place = ceiling(blocks / 2, facts->sm_count / 2), trips = n / WGMMA_DEPTH;
    const shape s = shape_of(p);
    double read = 0, write = 0;
    add_dram(facts, p, &s, &read, &write);
    demand(out, "launches", 1);
    demand(out, "dram_read_bytes", read);
    demand(out, "dram_write_bytes", write);
    demand(out, "l2_bytes", blocks * (WGMMA_ROWS + WGMMA_COLUMNS / 2) * n * 2 + n * n * 4);
    demand(out, "bulk_bytes", blocks * trips * WGMMA_STAGE_BYTES);
    demand(out, "wgmma", in_place * trips * (WGMMA_ROWS / 64) * (WGMMA_DEPTH / 16));
    demand(out, "l2_rounds", 1);
    demand(out, "l2_in_flight_bytes", (double)WGMMA_STAGES * WGMMA_STAGE_BYTES);
}
