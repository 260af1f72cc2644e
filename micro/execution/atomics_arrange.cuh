/* How the kernels of atomics.cuh are arranged: on one SM, and on the whole device. */
#pragma once

#include "../aids.h"
#include "atomics.cuh"

enum { PASS_CYCLES = 64000, CHAIN_CYCLES = 16000 }; /* about what a pass, and N trips of a chain, should take */
enum { NEAR_WORDS = 4 << 20, FAR_BLOCKS = 64 /* of an SM, on a larger table */ };

/* What the kernel gets, and what the launches of the whole device are made of. */
typedef struct task {
    work w;
    uint64_t words;         /* in w.data */
    uint32_t trips, before; /* of the shorter launch; of all launches so far */
} task;

static void seed_words(work *w, uint64_t seed) {
    w->start = fx_random_at(seed, 0) & 0x3fffffff3fffffffu; /* room to count up */
    w->addend = fx_random_at(seed, 1) | 1;
}

/* One SM. `w` has its lanes, pitch and owner. How long a pass must be is found by trying: lanes that meet may cost
 * nothing, or a loop each. */
static fx_status arrange_one_sm(fx_rig *rig, bool latency, int64_t space, bool loop, bool gathered, fx_error *err) {
    work *w = &FX_ARGUMENT(rig, task)->w;
    double cost = 0;
    rig->warps = latency ? 1 : WARPS;
    const size_t bytes = w->pitch * (latency ? 2 : w->owner == BY_WARP ? rig->warps : 1);
    rig->shared_bytes = space == SHARED ? bytes : 0;
    rig->carveout_pct = space == SHARED ? 100 : 0;
    rig->accesses = loop ? 1 : latency ? (double)FX_CHAIN_STEPS : gathered ? (double)GATHERED : (double)ACCESSES;
    rig->pass_cycles = latency ? CHAIN_CYCLES : PASS_CYCLES;
    rig->trips = loop ? 64 : 16;
    FX_TRY(fx_rig_memory(rig, &w->data, FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->sink, FX_DEVICE_MEMORY, WARPS * FX_WARP * sizeof *w->sink, 0, err));
    FX_TRY(fx_rig_trial(rig, &cost, err));
    if (cost > 0) { /* no number is not more than 0 */
        rig->trips = fx_rig_trips(rig, rig->accesses * rig->warps * cost);
    }
    return FX_OK;
}

/* The kernel lays its words itself. */
static void draw_one_sm(fx_rig *rig, uint64_t seed) {
    work *w = &FX_ARGUMENT(rig, task)->w;
    seed_words(w, seed);
    if (rig->warps == 1) {
        w->steps = (uint32_t)fx_timed_steps(&rig->timed, (uint32_t)rig->accesses, 2); /* ends in the other slot */
    } else {
        rig->timed.trips[0] += fx_timed_total_trips(&rig->timed) % 2 == 0; /* an odd number: floats do not end at 0 */
    }
    w->trips = fx_timed_total_trips(&rig->timed);
}

static void part(fx_rig *rig, const fx_case *c, int which) {
    task *t = FX_ARGUMENT(rig, task);
    t->w.trips = (which == 0 ? 1 : 2) * t->trips;
    t->w.before = t->before;
    t->before += t->w.trips;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->w.before = t->before;
    FX_TRY(aid(rig, "check_words", fx_arguments{&t->w, &t->words}, err));
    return none_wrong(rig, "words hold a wrong result of the atomics", err);
}

/* Trips of the shorter launch, by trying: nobody knows beforehand what a crowd costs. An odd number, so that floats,
 * which go up and down, are up after an odd number of launches. */
static fx_status choose_trips(fx_rig *rig, fx_error *err) {
    const double wanted_ns = 200e3;
    task *t = FX_ARGUMENT(rig, task);
    double ns = 0;
    for (t->trips = 1; t->trips < 100000 && ns <= wanted_ns / 4;) {
        FX_TRY(fx_rig_trial(rig, &ns, err));
        if (ns <= wanted_ns / 4) {
            t->trips = 4 * t->trips + 1;
        }
    }
    t->trips = (uint32_t)(ns > wanted_ns ? t->trips : t->trips * (wanted_ns / ns)) | 1u;
    return FX_OK;
}

/* A table beyond the L2: a second trip would find the words of the first, so the longer launch is two, each of many
 * blocks that come to their words once. */
static fx_status launch_far(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = &FX_ARGUMENT(rig, task)->w;
    w->trips = 1;
    for (int i = 0; i <= which; i++, w->before++) {
        FX_TRY(fx_rig_launch(rig, rig->work->entry.address, rig->blocks, BLOCK_THREADS, fx_arguments{w}, err));
    }
    return FX_OK;
}

/* The whole device. `w` has its lanes, pitch, owner and words; words: of a table, or 0: each owner has its own. */
static fx_status arrange_device(fx_rig *rig, int64_t blocks, int64_t space, int64_t type, bool gathered,
                                fx_error *err) {
    const uint64_t warps = BLOCK_THREADS / (unsigned)FX_WARP;
    const unsigned width = word_bytes(type);
    bool weighted = gathered;
    task *t = FX_ARGUMENT(rig, task);
    work *w = &t->w;
    const bool far = w->words > NEAR_WORDS;
    void *lay[] = {w, &t->words}, *count[] = {w, &weighted};
    rig->warps = (unsigned)warps;
    rig->blocks = blocks > 0 ? (unsigned)blocks : (unsigned)rig->gpu->facts.sm_count * (far ? FAR_BLOCKS : 1);
    const uint64_t owners = w->owner == BY_WARP ? rig->blocks * warps : w->owner == BY_BLOCK ? rig->blocks : 1;
    t->words = w->words > 0 ? w->words : w->pitch / width * owners;
    rig->shared_bytes = space == SHARED ? t->words * width : 0;
    rig->carveout_pct = space == SHARED ? 100 : -1;
    rig->units = 1; /* a pair, for the trials */
    rig->part = part;
    rig->launch = far ? launch_far : NULL;
    rig->check = check;
    const size_t sink_bytes = rig->blocks * (size_t)BLOCK_THREADS * sizeof *w->sink;
    FX_TRY(fx_rig_memory(rig, &w->data, FX_DEVICE_MEMORY, t->words * width, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->adds, FX_DEVICE_MEMORY, t->words * sizeof *w->adds, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->sink, FX_DEVICE_MEMORY, sink_bytes, 0, err));
    FX_TRY(fx_rig_sums(rig, &w->sums, err));
    seed_words(w, w->seed);
    FX_TRY(fx_rig_aid(rig, "lay_words", rig->blocks, BLOCK_THREADS, lay, err));
    FX_TRY(fx_rig_aid(rig, "count_adds", rig->blocks, BLOCK_THREADS, count, err));
    t->trips = 1;
    FX_TRY(far ? FX_OK : choose_trips(rig, err));
    rig->units = (double)t->trips * (double)(SHARES * rig->blocks * warps);
    return FX_OK;
}
