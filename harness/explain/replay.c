#include "replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"

enum {
    SCHEDULERS = 4,
    MOST_WARPS = 16, /* of a scheduler */
    MOST_BLOCKS = 32,
    WARP_THREADS = 32,
    START_THREADS = 256, /* of a block whose start takes as long as any smaller one's */
    NEVER = 1000000000,
    ARRIVING = 1 << 10,
};
/* Not measured by a probe; from the sources that docs/explain.md names. */
#define JUMP       10.0 /* cycles from a jump that is taken to what it jumps to */
#define PORT       2.0  /* cycles of a scheduler's port for each wavefront: a lone warp's shared load takes 21 + 2 W */
#define QUEUE      12.0 /* cycles of accesses that wait in front of the port before the scheduler must wait */
#define L2_QUEUE   400.0
#define DRAM_QUEUE 1500.0
/* How much longer DRAM takes under load: cycles times load / (1 - load), as the archive's occupancy cases show it by
 * Little's law, 775 cycles of a lone warp, 860 at half the rate, 1100 at 0.83 of it; and over how long load is a mean.
 */
#define DRAM_LOADED   65.0
#define MOST_LOAD     0.9
#define LOAD_CYCLES   4000.0
#define SHARED_AND_L1 0.90 /* of the sum, where both are busy */
#define MISSED_ATOMIC 2.0  /* passes through the L2: one that finds no sector, and one when DRAM has sent it */
#define OFF_WAVEFRONT                                                                                                  \
    1.0 /* of an access that is predicated off in all lanes: tests/studies/explain/predicated_off.cu */

const char *const fx_time_names[FX_TIMES] = {"issue", "math",  "shared", "sm_l2",   "l2",   "dram",  "atomics",
                                             "long",  "short", "fixed",  "barrier", "code", "starts"};

fx_status fx_rates_read(const char *json, fx_rates *out, fx_error *err) {
    json_error_t problem;
    json_t *all = json ? json_loads(json, 0, &problem) : NULL;
    *out = (fx_rates){0};
    const struct {
        const char *key;
        double *to;
    } keys[] = {
        {"ghz", &out->ghz},
        {"sms", &out->sms},
        {"fma", &out->unit[FX_UNIT_FMA]},
        {"imad", &out->unit[FX_UNIT_IMAD]},
        {"alu", &out->unit[FX_UNIT_ALU]},
        {"fp64", &out->unit[FX_UNIT_FP64]},
        {"special", &out->unit[FX_UNIT_SPECIAL]},
        {"uniform", &out->unit[FX_UNIT_UNIFORM]},
        {"tensor", &out->unit[FX_UNIT_TENSOR]},
        {"shuffle", &out->unit[FX_UNIT_SHUFFLE]},
        {"shared_latency", &out->shared_latency},
        {"l1_latency", &out->l1_latency},
        {"copy_latency", &out->copy_latency},
        {"near_latency", &out->near_latency},
        {"far_latency", &out->far_latency},
        {"dram_latency", &out->dram_latency},
        {"atomic_latency", &out->atomic_latency},
        {"constant_latency", &out->constant_latency},
        {"special_latency", &out->special_latency},
        {"barrier", &out->barrier},
        {"block", &out->block},
        {"dram_read", &out->dram_read},
        {"dram_write", &out->dram_write},
        {"l2", &out->l2},
        {"l2_request", &out->l2_request},
        {"l2_store", &out->l2_store},
        {"l2_atomic", &out->l2_atomic},
        {"same_word", &out->same_word},
        {"start_ns", &out->start_ns},
    };
    const char *lacks = all ? NULL : "all of them";
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !lacks; i++) {
        *keys[i].to = json_number_value(json_object_get(all, keys[i].key));
        lacks = json_is_number(json_object_get(all, keys[i].key)) && *keys[i].to >= 0 ? NULL : keys[i].key;
    }
    json_decref(all);
    return !lacks && out->ghz > 0 && out->sms >= 1
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT, "the chip's rates lack %s", lacks ? lacks : "ghz");
}

/* What a scoreboard waits for. */
typedef struct pending {
    double until, latency_until; /* without a queue it would have been done then */
    uint32_t step;
    uint8_t latency, pipe; /* fx_time */
} pending;

typedef struct warp {
    const fx_play_warp *of;
    unsigned block, on; /* places on the SM: of its block, and the scheduler */
    uint64_t age;
    size_t item;
    uint32_t at;            /* in the item's path */
    double issued, ready;   /* when the last one was; not before */
    double stalled, waited; /* until when it is the stall count, and then latency, that holds it */
    uint32_t last, owner;   /* the instruction before, and whose result it waits for */
    uint8_t why, pipe;      /* of the wait: latency, and what was queued for */
    bool live;
    pending board[FX_SCOREBOARDS];
} warp;

typedef struct scheduler {
    warp *warps[MOST_WARPS];
    unsigned count;
    warp *chosen; /* that issues next; stale: it is not known */
    bool stale;
    uint64_t accesses; /* of all schedulers when it was chosen */
    const warp *recent;
    double free, next; /* when it may issue again; when it will */
    double port, unit[FX_UNITS];
} scheduler;

typedef struct place {
    bool used;
    unsigned alive, arrived;
} place;

typedef struct player {
    const fx_play *play;
    fx_played *out;
    scheduler schedulers[SCHEDULERS];
    warp *warps; /* places x warps of a block */
    place places[MOST_BLOCKS];
    unsigned resident;
    double lsu, to_l2, l2, dram, atomics; /* until when the pipes are busy */
    double load, loaded;                  /* of DRAM: its mean, and until when that is known */
    double share;                         /* of the chip that an SM has */
    double next_start, now;
    double started, ended, blocks; /* of this SM */
    uint64_t age, slot, accesses;
    struct {
        uint32_t place;
        double until;
    } arriving[ARRIVING]; /* loads on their way into the L1 */
    double *ends;
    size_t end_count, end_room;
} player;

static double later(double a, double b) {
    return a > b ? a : b;
}

static double sooner(double a, double b) {
    return a < b ? a : b;
}

static const fx_code_step *step_of(const player *p, const warp *w, uint32_t *at) {
    const fx_play_item *item = &p->play->items[w->of->first + w->item];
    *at = item->path->step[w->at];
    return &p->play->code->steps[*at];
}

/* Whether the instruction at hand is the access of its item. */
static uint32_t access_of(const player *p, const warp *w) {
    const fx_play_item *item = &p->play->items[w->of->first + w->item];
    return w->at + 1 == item->path->count ? item->access : UINT32_MAX;
}

/* When the instruction at hand can be issued. */
static double possible(const player *p, const scheduler *s, const warp *w, fx_time *held_by) {
    uint32_t at;
    const fx_code_step *step = step_of(p, w, &at);
    double free = s->unit[step->unit];
    *held_by = FX_TIME_MATH;
    if (step->unit == FX_UNIT_MEMORY || step->unit == FX_UNIT_SHUFFLE) {
        free = later(s->port - QUEUE, p->lsu - L2_QUEUE);
        *held_by = FX_TIME_SHARED;
        if (step->unit == FX_UNIT_MEMORY && !step->shared) {
            const double full[] = {p->to_l2 - L2_QUEUE, p->l2 - L2_QUEUE, p->dram - DRAM_QUEUE, p->atomics - L2_QUEUE};
            const fx_time pipes[] = {FX_TIME_SM_L2, FX_TIME_L2, FX_TIME_DRAM, FX_TIME_ATOMICS};
            for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
                if (full[i] > free) {
                    free = full[i];
                    *held_by = pipes[i];
                }
            }
        }
    }
    return free > w->ready ? free : w->ready;
}

/* When the scheduler issues next, and whose instruction. */
static warp *choose(const player *p, scheduler *s) {
    double least = INFINITY;
    warp *best = NULL;
    fx_time held;
    double times[MOST_WARPS];
    for (unsigned i = 0; i < s->count; i++) {
        times[i] = possible(p, s, s->warps[i], &held);
        least = times[i] < least ? times[i] : least;
    }
    s->next = least > s->free ? least : s->free;
    for (unsigned i = 0; i < s->count; i++) {
        if (times[i] <= s->next) {
            if (s->warps[i] == s->recent) {
                return s->warps[i];
            }
            if (!best || s->warps[i]->age < best->age) {
                best = s->warps[i];
            }
        }
    }
    return best;
}

static void give(player *p, uint32_t step, fx_time to, double from, double until) {
    if (until > from) {
        p->out->part[to] += until - from;
        p->out->step[step][to] += until - from;
    }
}

/* The oldest of the scheduler's warps that have started and are queued for a pipe now: none of the start's making. */
static const warp *queued(const player *p, const scheduler *s, fx_time *pipe) {
    const warp *oldest = NULL;
    for (unsigned i = 0; i < s->count; i++) {
        const warp *one = s->warps[i];
        fx_time by;
        const bool full = possible(p, s, one, &by) > one->ready,
                   waits = one->ready > one->waited && one->waited < s->next;
        if (one->why != FX_TIME_STARTS && (!oldest || one->age < oldest->age) && (full || waits)) {
            oldest = one;
            *pipe = full ? by : one->pipe;
        }
    }
    return oldest;
}

/* Gives the idle cycles before an issue to what held the warp. */
static void give_idle(player *p, const scheduler *s, const warp *w, uint32_t at, fx_time held_by) {
    double from = s->free;
    fx_time pipe = FX_TIME_SHARED;
    const warp *other = w->why == FX_TIME_STARTS ? queued(p, s, &pipe) : NULL;
    const double until[] = {w->stalled, w->waited, w->ready, s->next};
    const fx_time to[] = {FX_TIME_FIXED, other ? pipe : w->why, w->pipe, held_by};
    const uint32_t whose[] = {w->last, other ? other->last : w->owner, w->owner, at};
    for (size_t i = 0; i < sizeof until / sizeof *until; i++) {
        const double end = sooner(until[i], s->next);
        give(p, whose[i], to[i], from, end);
        from = later(from, end);
    }
}

/* What held a warp from its own last issue to this one; that others were served first is issue. */
static void give_held(player *p, const scheduler *s, const warp *w, fx_time held_by, double possible_at) {
    double from = w->issued + 1;
    const double until[] = {w->stalled, w->waited, w->ready, possible_at, s->next};
    const fx_time to[] = {FX_TIME_FIXED, w->why, w->pipe, held_by, FX_TIME_ISSUE};
    for (size_t i = 0; i < sizeof until / sizeof *until; i++) {
        const double end = sooner(until[i], s->next);
        p->out->held[to[i]] += end > from ? end - from : 0;
        from = later(from, end);
    }
}

static void hold(warp *w, double until, double latency_until, uint32_t owner, fx_time why, fx_time pipe) {
    if (until > w->ready) {
        w->ready = until;
        w->waited = latency_until;
        w->owner = owner;
        w->why = (uint8_t)why;
        w->pipe = (uint8_t)pipe;
    }
}

/* What the load of DRAM adds to its latency; busy: cycles of the SM's share that an access takes now. */
static double loaded_latency(player *p, double now, double busy) {
    p->load *= exp((p->loaded - now) / LOAD_CYCLES);
    p->loaded = now;
    p->load += busy / LOAD_CYCLES;
    const double load = sooner(p->load, MOST_LOAD);
    return DRAM_LOADED * load / (1 - load);
}

/* Latency beyond the L1. A load has come when its last line has: of several lines one is in the far half of the L2. */
static double beyond_latency(player *p, const fx_play_access *a, unsigned best, double now) {
    const fx_rates *r = p->play->rates;
    const double far = (r->far_latency - r->near_latency) * (1 - exp2(-(double)a->lines[best]));
    const bool dram = a->level[best] == FX_PLAY_DRAM && a->dram_read[best] > 0;
    return dram ? r->dram_latency + far + loaded_latency(p, now, a->dram_read[best] * r->dram_read / p->share)
           : a->level[best] == FX_PLAY_COPY ? r->copy_latency
                                            : r->near_latency + far;
}

/* Serves an access in the pipes from `now` on: when its result is there, and its operands are read. */
static void serve(player *p, scheduler *s, const fx_code_step *step, uint32_t number, uint32_t at, double now,
                  pending *result, pending *operands) {
    const fx_rates *r = p->play->rates;
    const fx_play_access *a = number == UINT32_MAX ? NULL : &p->play->accesses[number];
    const unsigned best = a && (p->play->at_best == a->line || p->play->at_best == UINT32_MAX - 1) ? 1 : 0;
    const double wavefronts = a ? a->wavefronts[best] : OFF_WAVEFRONT;
    const double begin = later(now, s->port);
    double lsu = later(p->lsu, now), queued = 0, latency = r->shared_latency - PORT;
    fx_time why = FX_TIME_SHORT, pipe = FX_TIME_SHARED;
    s->port = begin + PORT * wavefronts;
    p->lsu = lsu + wavefronts * (a && !a->shared ? SHARED_AND_L1 : 1);
    double done = later(s->port, p->lsu);
    *operands = (pending){done + PORT, now + PORT * wavefronts + PORT, at, FX_TIME_SHORT, FX_TIME_SHARED};
    if (a && !a->shared) {
        why = FX_TIME_LONG;
        latency = r->l1_latency - PORT;
    }
    if (a && !a->shared && a->bytes[best] > 0) {
        p->to_l2 = later(p->to_l2, now) + a->to_l2[best];
        const double l2 = (double)a->bytes[best] * r->l2, requests = a->lines[best] * r->l2_request,
                     stores = a->store ? ((double)a->lines[best] + a->sectors[best]) * r->l2_store : 0;
        p->l2 = later(p->l2, now) + later(l2, later(a->store ? 0 : requests, stores)) / p->share;
        const double dram = (a->dram_read[best] * r->dram_read + a->dram_write[best] * r->dram_write) / p->share;
        p->out->dram += dram;
        p->dram = later(p->dram, now) + dram;
        latency = beyond_latency(p, a, best, now);
        const struct {
            double until;
            fx_time pipe;
        } pipes[] = {
            {p->to_l2, FX_TIME_SM_L2}, {p->l2, FX_TIME_L2}, {a->dram_read[best] > 0 ? p->dram : 0, FX_TIME_DRAM}};
        for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++) {
            if (pipes[i].until > done) {
                done = pipes[i].until;
                pipe = pipes[i].pipe;
            }
        }
        if (a->atomic) {
            const double turns = a->crowded ? r->same_word : 0,
                         sectors = a->sectors[best] * r->l2_atomic * (a->dram_read[best] > 0 ? MISSED_ATOMIC : 1);
            p->atomics = later(p->atomics, now) + later(turns, sectors) / p->share;
            latency = r->atomic_latency;
            if (p->atomics > done) {
                done = p->atomics;
                pipe = FX_TIME_ATOMICS;
            }
        }
    }
    queued = done + latency;
    if (a && !a->shared && !step->store && !a->atomic) { /* one that hits waits for what is on its way */
        const uint32_t slot = a->place % ARRIVING;
        if (p->arriving[slot].place == a->place) {
            const double late = later(p->arriving[slot].until - queued, 0);
            queued += late;
            latency += late;
        }
        if (a->bytes[best] > 0) {
            p->arriving[slot].place = a->place;
            p->arriving[slot].until = queued;
        }
    }
    *result = (pending){queued, sooner(queued, now + PORT * wavefronts + latency), at, (uint8_t)why, (uint8_t)pipe};
    if (step->store && a && a->shared) {
        result->until = done + PORT;
    }
}

/* The units and scoreboards of an instruction that is issued now. */
static void execute(player *p, scheduler *s, warp *w, const fx_code_step *step, uint32_t at, double now) {
    const fx_rates *r = p->play->rates;
    pending result = {now + r->unit[step->unit] + 2, now, at, FX_TIME_SHORT, FX_TIME_MATH};
    pending operands = {now + 4, now + 4, at, FX_TIME_SHORT, FX_TIME_MATH};
    if (step->unit == FX_UNIT_MEMORY) {
        serve(p, s, step, access_of(p, w), at, now, &result, &operands);
        p->accesses++;
    } else if (step->unit == FX_UNIT_SHUFFLE) {
        s->port = later(s->port, now) + PORT;
        p->accesses++;
        p->lsu = later(p->lsu, now) + 4 * r->unit[FX_UNIT_SHUFFLE] / SCHEDULERS;
        result.latency_until = now + r->shared_latency;
        result.until = later(s->port, p->lsu) + r->shared_latency - PORT;
        result.pipe = FX_TIME_SHARED;
    } else {
        const double begin = later(s->unit[step->unit], now);
        s->unit[step->unit] = begin + r->unit[step->unit];
        const double latency = step->unit == FX_UNIT_CONSTANT  ? r->constant_latency
                               : step->unit == FX_UNIT_TEXTURE ? r->copy_latency
                                                               : r->special_latency;
        result.until = s->unit[step->unit] + latency;
        result.latency_until = now + r->unit[step->unit] + latency;
    }
    if (step->writes < FX_SCOREBOARDS && result.until > w->board[step->writes].until) {
        w->board[step->writes] = result;
    }
    if (step->reads < FX_SCOREBOARDS && operands.until > w->board[step->reads].until) {
        w->board[step->reads] = operands;
    }
}

/* Waits for what the next instruction needs. */
static void ready_for_next(player *p, warp *w) {
    uint32_t at;
    const fx_code_step *step = step_of(p, w, &at);
    for (unsigned i = 0; i < FX_SCOREBOARDS; i++) {
        const pending *one = &w->board[i];
        if (step->waits >> i & 1) {
            hold(w, one->until, one->latency_until, one->step, one->latency, one->pipe);
        }
    }
}

static void release(player *p, unsigned block, double now) {
    const unsigned n = p->play->warps_of_block;
    place *here = &p->places[block];
    if (here->arrived < here->alive || !here->alive) {
        return;
    }
    here->arrived = 0;
    for (unsigned i = 0; i < n; i++) {
        warp *w = &p->warps[block * n + i];
        if (w->live && w->ready >= NEVER) {
            p->schedulers[w->on].stale = true;
            w->ready = 0;
            const double until = now + p->play->rates->barrier;
            hold(w, until, until, w->last, FX_TIME_BARRIER, FX_TIME_BARRIER);
            ready_for_next(p, w);
        }
    }
}

static void leave(player *p, scheduler *s, warp *w, double now) {
    place *here = &p->places[w->block];
    w->live = false;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->warps[i] == w) {
            s->warps[i] = s->warps[--s->count];
            break;
        }
    }
    if (--here->alive == 0) {
        here->used = false;
        p->ended++;
        if (p->end_count < p->end_room) {
            p->ends[p->end_count++] = now;
        }
    } else {
        release(p, w->block, now);
    }
}

static void issue(player *p, scheduler *s, warp *w) {
    uint32_t at;
    fx_time held_by;
    const fx_code_step *step = step_of(p, w, &at);
    const double possible_at = possible(p, s, w, &held_by);
    give_idle(p, s, w, at, held_by);
    give_held(p, s, w, held_by, possible_at);
    w->issued = s->next;
    const double now = s->next;
    give(p, at, FX_TIME_ISSUE, now, now + 1);
    p->now = now;
    p->out->played++;
    s->stale = true;
    s->free = now + 1;
    s->recent = w;
    execute(p, s, w, step, at, now);
    const fx_play_item *item = &p->play->items[w->of->first + w->item];
    w->last = at;
    w->stalled = w->waited = w->ready = now + (step->stall ? step->stall : 1);
    w->at++;
    if (w->at >= item->path->count) {
        w->at = 0;
        do {
            w->item++;
        } while (w->item < w->of->count && p->play->items[w->of->first + w->item].path->count == 0);
    }
    if (w->item >= w->of->count) {
        leave(p, s, w, now);
        return;
    }
    uint32_t next;
    (void)step_of(p, w, &next);
    if (step->flow == FX_FLOW_JUMP && next != at + 1) {
        hold(w, now + JUMP, now + JUMP, at, FX_TIME_CODE, FX_TIME_CODE);
    }
    if (step->flow == FX_FLOW_BARRIER) {
        w->ready = NEVER;
        p->places[w->block].arrived++;
        release(p, w->block, now);
    } else {
        ready_for_next(p, w);
    }
}

/* A block takes a free place, if it is time for one. */
static void start_block(player *p, unsigned to, double takes) {
    const unsigned n = p->play->warps_of_block;
    const size_t recorded = (size_t)fmod(p->started, (double)p->play->blocks);
    const double begin = p->next_start;
    p->places[to] = (place){.used = true, .alive = 0};
    for (unsigned i = 0; i < n; i++) {
        warp *w = &p->warps[to * n + i];
        const unsigned on = p->slot++ % SCHEDULERS;
        scheduler *s = &p->schedulers[on];
        s->stale = true;
        *w = (warp){.on = on, .of = &p->play->warps[recorded * n + i], .block = to, .age = p->age++, .live = true};
        while (w->item < w->of->count && p->play->items[w->of->first + w->item].path->count == 0) {
            w->item++;
        }
        if (w->item >= w->of->count || s->count == MOST_WARPS) {
            w->live = false;
            continue;
        }
        uint32_t at;
        (void)step_of(p, w, &at);
        w->last = w->owner = at;
        const double its = begin + takes * i / n;
        hold(w, its, its, at, FX_TIME_STARTS, FX_TIME_STARTS);
        w->issued = its;
        s->warps[s->count++] = w;
        p->places[to].alive++;
    }
    p->started++;
    if (!p->places[to].alive) {
        p->places[to].used = false;
        p->ended++;
    }
}

static void start_blocks(player *p) {
    const double threads = p->play->threads > START_THREADS ? p->play->threads / (double)START_THREADS : 1;
    for (unsigned i = 0; i < p->resident && p->started < p->blocks; i++) {
        if (!p->places[i].used) {
            p->next_start = later(p->next_start, p->now);
            start_block(p, i, p->play->rates->block * threads);
            p->next_start += p->play->rates->block * threads;
        }
    }
}

static uint64_t steps_of(const fx_play *play) {
    uint64_t steps = 0;
    for (size_t i = 0; i < play->blocks * play->warps_of_block; i++) {
        steps += play->warps[i].steps;
    }
    return steps;
}

/* From what was played to all blocks of the SM: the pace of the last blocks for those that are left, or of the
 * instructions where too few blocks have ended. */
static double extrapolated(const player *p) {
    const double all = (double)steps_of(p->play) / (double)p->play->blocks * p->blocks;
    double end = p->now + 1;
    for (unsigned q = 0; q < SCHEDULERS; q++) {
        end = later(end, p->schedulers[q].free);
    }
    if (p->ended >= p->blocks) {
        return later(later(end, p->lsu), later(p->l2, p->to_l2));
    }
    const size_t skipped = p->resident < p->end_count / 3 ? p->end_count / 3 : p->resident;
    if (p->end_count > skipped + p->resident) {
        const double pace = (p->ends[p->end_count - 1] - p->ends[skipped]) / (double)(p->end_count - 1 - skipped);
        return p->ends[p->end_count - 1] + pace * (p->blocks - (double)p->end_count);
    }
    return end * all / (double)p->out->played;
}

static void play(player *p) {
    for (;;) {
        start_blocks(p);
        scheduler *first = NULL;
        for (unsigned q = 0; q < SCHEDULERS; q++) {
            scheduler *s = &p->schedulers[q];
            if (s->stale) {
                s->chosen = choose(p, s);
                s->stale = false;
                s->accesses = p->accesses;
            }
            if (s->chosen && (!first || s->next < first->next)) {
                first = s;
            }
        }
        if (!first || first->next >= NEVER || p->out->played >= p->play->budget) {
            return;
        }
        const double before = first->next;
        if (first->accesses != p->accesses) { /* pipes may have filled since */
            first->chosen = choose(p, first);
            first->accesses = p->accesses;
        }
        if (first->next <= before) {
            issue(p, first, first->chosen);
        }
    }
}

fx_status fx_replay(const fx_play *what, fx_played *out, fx_error *err) {
    enum { ENDS = 1 << 14 };
    const double sms = what->rates->sms;
    player p = {.play = what, .out = out, .blocks = ceil(what->grid / sms), .end_room = ENDS};
    p.resident = what->resident < MOST_BLOCKS ? what->resident : MOST_BLOCKS;
    const unsigned fit = SCHEDULERS * MOST_WARPS / what->warps_of_block;
    p.resident = p.resident < fit ? p.resident : fit;
    p.resident = p.resident ? p.resident : 1;
    p.share = what->grid < sms ? 1 / what->grid : 1 / sms;
    p.warps = calloc((size_t)p.resident * what->warps_of_block, sizeof *p.warps);
    p.ends = calloc(ENDS, sizeof *p.ends);
    *out = (fx_played){.step = calloc(what->code->count + 1, sizeof *out->step)};
    fx_status status =
        p.warps && p.ends && out->step ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while playing");
    if (!status) {
        play(&p);
        out->dram /= p.now + 1;
        out->cycles = out->played ? extrapolated(&p) : 0;
        double given = 0;
        for (size_t i = 0; i < FX_TIMES; i++) {
            given += out->part[i];
        }
        const double scale = given > 0 ? out->cycles / given : 0;
        for (size_t i = 0; i < FX_TIMES; i++) {
            out->part[i] *= scale;
            for (size_t k = 0; k < what->code->count; k++) {
                out->step[k][i] *= scale;
            }
        }
    }
    free(p.warps);
    free(p.ends);
    return status;
}
