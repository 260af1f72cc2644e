/* The rungs as data, and what one run of each asks of the chip: host arithmetic alone (docs/predict.md).
 *
 * Instructions are those of sm_90's machine code, one warp's each, and `gpufx validate --sass` recounts them: `setup`,
 * what every warp executes outside the loop over the tree's steps; `step`, one turn of that loop; `once`, what one warp
 * of the block does alone at the end. A lane that has nothing to do is predicated off, not branched around (but for
 * `global`), so a step costs all warps the same. */
#pragma once

#include "../demand.h"

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
enum { INT32, FLOAT32 };
enum { DRAM, L2 };
enum { THREADS = 256, WARPS = THREADS / FX_WARP, QUADS = 4 }; /* QUADS: loads of 16 bytes of a thread in flight */
enum { TILE_BYTES = THREADS * QUADS * 16 };                   /* what a block of the persistent rung reads in a trip */

/* How the values of a block become one. */
typedef enum tree_kind {
    TREE_NONE,       /* they don't */
    TREE_GLOBAL,     /* halves, in global memory */
    TREE_NEIGHBOURS, /* lane l of every 2 x step, in shared memory */
    TREE_PACKED,     /* the same pairs, by the first lanes */
    TREE_HALVES,
    TREE_LAST_WARP, /* halves, the last six steps by one warp */
    TREE_LANES,     /* by shuffles within warps, through shared memory between them, and by shuffles again */
    TREE_WARP,      /* by shuffles within warps alone */
    TREE_REDUX,
} tree_kind;

typedef struct rung {
    tree_kind tree;
    unsigned char per_thread;        /* elements */
    unsigned char width;             /* bytes of a lane's load */
    unsigned short atomics;          /* of a block; 0: its sum goes to a place of its own, for a further launch */
    unsigned char setup, step, once; /* instructions */
    unsigned char loop_steps;        /* turns of that loop, where it is not one of trips */
    unsigned char filled;            /* blocks at most, times those that the device holds; 0: one for each tile */
} rung;

/* Instructions as well: what a warp of `global` with nothing to add branches around; what the warps of a rung with an
 * atomic each do behind the tree; and in the rungs' loops and trees, by kind. */
enum { BRANCH = 6, WARP_ENDS = 7 };
enum { LANES_SHUFFLES = 8, WARP_SHUFFLES = 5, REMAINDER_SPECIAL = 1, REMAINDER_CONVERSIONS = 2 };

/* In the order of the variants. Of rungs with blocks that go on, `per_thread` and `step` are of one trip. CUB's are
 * those of its policy for 4-byte sums (CCCL 3.0, tuning_reduce.cuh, Policy600: 256 threads, 16 elements, loads of 16
 * bytes; dispatch_reduce.cuh: five times as many blocks as the device holds, and one block for their sums), and of the
 * machine code of whole tiles by nvcc 13.0, which nothing recounts; before sm_80 it has shuffles for REDUX. */
static const rung rungs[VARIANTS] = {
    {TREE_GLOBAL, 1, 4, 0, 23, 8, 5, 8, 0},
    {TREE_NEIGHBOURS, 1, 4, 0, 23, 28, 8, 8, 0},
    {TREE_PACKED, 1, 4, 0, 23, 14, 8, 8, 0},
    {TREE_HALVES, 1, 4, 0, 24, 10, 8, 8, 0},
    {TREE_HALVES, 2, 4, 0, 31, 10, 8, 8, 0},
    {TREE_HALVES, 4, 4, 0, 43, 10, 8, 8, 0},
    {TREE_HALVES, 8, 4, 0, 69, 10, 8, 8, 0},
    {TREE_LAST_WARP, 8, 4, 0, 66, 11, 41, 2, 0},
    {TREE_LAST_WARP, 8, 4, 0, 76, 0, 38, 0, 0},
    {TREE_LANES, 8, 4, 0, 84, 0, 5, 0, 0},
    {TREE_REDUX, 8, 4, 0, 69, 0, 14, 0, 0},
    {TREE_LANES, 8, 16, 0, 53, 0, 5, 0, 0},
    {TREE_NONE, 8, 4, THREADS, 61, 0, 0, 0, 0},
    {TREE_WARP, 8, 4, WARPS, 66 + WARP_ENDS, 0, 0, 0, 0},
    {TREE_LANES, 8, 4, 1, 83, 0, 4, 0, 0},
    {TREE_LANES, 4 * QUADS, 16, 1, 42, 23, 4, 0, 1},
    {TREE_REDUX, 4 * QUADS, 16, 0, 30, 26, 16, 0, 5},
};

enum { TREE_STEPS = 8 }; /* log2(THREADS) */

/* Of a rung with integers or floats: those have an addition of three. */
static rung rung_of(const fx_params *params) {
    rung r = rungs[params->value[VARIANT]];
    if (params->value[TYPE] == FLOAT32 && params->value[VARIANT] == SHUFFLE) {
        r.setup = 88;
    }
    if (params->value[TYPE] == FLOAT32 && params->value[VARIANT] == PERSISTENT) {
        r.setup = 43;
        r.step = 30;
    }
    return r;
}

static void code(const fx_params *params, fx_code *out) {
    const rung r = rung_of(params);
    const unsigned end = r.tree == TREE_WARP ? WARP_ENDS : 0;
    const fx_opcode shuffles = {"SHFL", (unsigned)(r.tree == TREE_WARP ? WARP_SHUFFLES : LANES_SHUFFLES)};
    const fx_opcode special = {"MUFU", REMAINDER_SPECIAL}, from = {"I2F", REMAINDER_CONVERSIONS / 2},
                    to = {"F2I", REMAINDER_CONVERSIONS / 2};
    out->before = r.setup - end;
    out->loop = r.step + (r.tree == TREE_GLOBAL ? BRANCH : 0u);
    out->behind = r.once + end;
    if ((r.tree == TREE_LANES && !r.step) || r.tree == TREE_WARP) {
        out->holds[0] = shuffles;
    }
    if (r.tree == TREE_NEIGHBOURS) {
        out->holds[0] = special;
        out->holds[1] = from;
        out->holds[2] = to;
    }
}

/* What one block does. */
typedef struct block_work {
    double issue, shared_steps, shuffles, l1_steps, l2_store_steps; /* of all its warps */
    double special, conversions;
    double barriers, shared_rounds, l1_rounds, l2_rounds; /* one after another */
} block_work;

/* The lanes of warp `w` that add in step `s` (0: the first), by the places of the values that they keep. False: none.
 */
static bool step_lanes(tree_kind tree, unsigned s, unsigned w, fx_lanes *out) {
    const unsigned near = 1u << s, far = (unsigned)THREADS >> (s + 1);
    bool any = false;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const unsigned thread = w * FX_WARP + l;
        /* Neighbours: threads 0, 2 near, 4 near, ... at their own places; in the other trees the first `far`. */
        const bool adds = tree == TREE_NEIGHBOURS ? thread % (2 * near) == 0 : thread < far;
        out->offset[l] = adds ? (int32_t)(4 * thread * (tree == TREE_PACKED ? 2 * near : 1)) : -1;
        any = any || adds;
    }
    return any;
}

/* The steps of a tree, warp by warp: two loads and a store each. */
static void add_tree(const fx_geometry *geometry, tree_kind tree, unsigned steps, block_work *out) {
    for (unsigned s = 0; s < steps; s++) {
        for (unsigned w = 0; w < WARPS; w++) {
            fx_lanes lanes;
            if (!step_lanes(tree, s, w, &lanes)) {
                continue;
            }
            if (tree == TREE_GLOBAL) {
                out->issue += BRANCH;
                out->l1_steps += 2.0 * fx_law_l1_load(geometry, &lanes, 4);
                out->l2_store_steps += fx_law_l2_store(geometry, &lanes, 4);
            } else { /* the partner's place has the same distances */
                out->shared_steps +=
                    2.0 * fx_law_shared_load(geometry, &lanes, 4) + fx_law_shared_store(geometry, &lanes, 4);
            }
        }
        out->barriers += 1;
        if (tree == TREE_GLOBAL) {
            *(s > 0 ? &out->l1_rounds : &out->l2_rounds) += 1; /* stores bring no line into the L1 */
        } else {
            out->shared_rounds += 1;
        }
    }
}

/* What a tree takes besides the steps of add_tree, and how many those are; in the order of the kinds. A division by a
 * run-time number is one MUFU.RCP between I2F and F2I. Of last_warp the last warp loads once, and in six steps loads
 * and stores. A shuffle goes the way of a load from shared memory, and takes about as long. */
typedef struct tree_work {
    block_work once;
    unsigned steps;
} tree_work;

static const tree_work trees[] = {
    {{0}, 0},
    {{.l2_store_steps = WARPS * 4.0, .barriers = 1}, TREE_STEPS},
    {{.shared_steps = WARPS + 1,
      .special = REMAINDER_SPECIAL * WARPS * TREE_STEPS,
      .conversions = REMAINDER_CONVERSIONS * WARPS * TREE_STEPS,
      .barriers = 1,
      .shared_rounds = 1},
     TREE_STEPS},
    {{.shared_steps = WARPS + 1, .barriers = 1, .shared_rounds = 1}, TREE_STEPS},
    {{.shared_steps = WARPS + 1, .barriers = 1, .shared_rounds = 1}, TREE_STEPS},
    {{.shared_steps = WARPS + 1 + 13, .barriers = 1, .shared_rounds = 7 + 1}, 2},
    {{.shared_steps = 2 * WARPS, .shuffles = WARPS * LANES_SHUFFLES, .barriers = 1, .shared_rounds = 8 + 1}, 0},
    {{.shuffles = WARPS * WARP_SHUFFLES, .shared_rounds = 5}, 0},
    {{.shared_steps = WARPS + 1, .barriers = 1, .shared_rounds = 1}, 0},
};

static block_work work_of(const fx_geometry *geometry, const rung *r, double trips) {
    block_work out = trees[r->tree].once;
    out.issue = WARPS * (r->setup + r->step * (r->filled > 0 ? trips : r->loop_steps)) + r->once;
    add_tree(geometry, r->tree, trees[r->tree].steps, &out);
    return out;
}

/* Sums over the launches of one run. */
typedef struct run_work {
    double launches, sm_blocks; /* sm_blocks: of the busiest SM */
    double first_turns;         /* blocks, or trips, one after another in one place, that read what the run is about */
    block_work sum;             /* per SM: issue, steps, shuffles; per place: barriers, rounds */
    double warp_loads, in_flight;
} run_work;

/* Returns its blocks. Whose blocks go on has one for what is left to a further launch. */
static double add_launch(const fx_facts *facts, const rung *r, double elements, run_work *run) {
    const double sms = sms_of(facts);
    const double places = facts->warps_per_sm >= WARPS ? facts->warps_per_sm / WARPS : 1; /* for blocks, of an SM */
    const double tiles = ceil(elements / (THREADS * r->per_thread));
    const double most = run->launches == 0 ? sms * places * r->filled : 1;
    const double blocks = r->filled > 0 ? least(tiles, most) : tiles;
    const double trips = tiles / blocks, on_sm = ceil(blocks / sms), turns = ceil(blocks / (sms * places));
    const block_work one = work_of(&facts->geometry, r, trips);
    if (run->launches == 0) { /* later launches read what is in the L2 */
        run->first_turns = turns * ceil(trips);
        run->in_flight = least(on_sm, places) * THREADS * r->per_thread * 4;
    } else {
        run->sum.l2_rounds += turns;
    }
    run->launches += 1;
    run->sm_blocks += on_sm;
    run->warp_loads += on_sm * trips * WARPS * r->per_thread * 4 / r->width;
    run->sum.issue += on_sm * one.issue;
    run->sum.shared_steps += on_sm * one.shared_steps;
    run->sum.shuffles += on_sm * one.shuffles;
    run->sum.l1_steps += on_sm * one.l1_steps;
    run->sum.l2_store_steps += on_sm * one.l2_store_steps;
    run->sum.special += on_sm * one.special;
    run->sum.conversions += on_sm * one.conversions;
    run->sum.barriers += turns * one.barriers;
    run->sum.shared_rounds += turns * one.shared_rounds;
    run->sum.l1_rounds += turns * one.l1_rounds;
    run->sum.l2_rounds += turns * one.l2_rounds;
    return blocks;
}

static void set_demands(const fx_facts *facts, const fx_params *params, fx_prediction *out) {
    const rung r = rung_of(params);
    const double bytes = (double)params->value[SIZE], elements = bytes / 4;
    const bool dram = params->value[MEMORY] == DRAM;
    fx_lanes row;
    run_work run = {0};
    fx_lanes_stride(&row, r.width, 1, 0);
    const double load_steps = fx_law_l2_load(&facts->geometry, &row, r.width);
    /* A sum of each block is left to the next launch. */
    const double blocks = add_launch(facts, &r, elements, &run);
    for (double left = blocks; r.atomics == 0 && left > 1;) {
        left = add_launch(facts, &r, left, &run);
    }
    const bool written = r.tree == TREE_GLOBAL;
    demand(out, "launches", run.launches);
    demand(out, "dram_read_bytes", dram ? bytes : 0);
    demand(out, "dram_write_bytes", dram && written ? bytes : 0);
    const double moved = bytes * (written ? 2.5 : 1); /* each word once, and half of them again, in the tree */
    demand(out, "l2_bytes", moved);
    demand(out, "l2_requests", facts->geometry.line_bytes > 0 ? moved / facts->geometry.line_bytes : 0);
    demand(out, "l2_atomics", r.atomics * blocks);
    demand(out, "same_word_atomics", r.atomics * blocks);
    demand(out, "shared_steps", run.sum.shared_steps);
    demand(out, "shuffles", run.sum.shuffles);
    demand(out, "l1_steps", run.sum.l1_steps);
    demand(out, "l2_load_steps", run.warp_loads * load_steps);
    demand(out, "l2_store_steps", run.sum.l2_store_steps);
    demand(out, "issue", run.sum.issue);
    demand(out, "special", run.sum.special);
    demand(out, "conversions", run.sum.conversions);
    demand(out, "blocks", run.sm_blocks); /* of 256 threads, as it is counted */
    demand(out, "barriers", run.sum.barriers);
    demand(out, "dram_rounds", dram ? run.first_turns : 0);
    demand(out, "l2_rounds", run.sum.l2_rounds + (dram ? 0 : run.first_turns));
    demand(out, "l1_rounds", run.sum.l1_rounds);
    demand(out, "shared_rounds", run.sum.shared_rounds);
    demand(out, dram ? "dram_in_flight_bytes" : "l2_in_flight_bytes", run.in_flight);
}
