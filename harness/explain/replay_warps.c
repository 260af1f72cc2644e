/* Warps on the four schedulers of an SM, the barriers of their blocks, and blocks that start as others end. */
#include "replay_player.h"

/* START_THREADS: of a block whose start takes as long as any smaller one's: one of 256 threads that do nothing takes
 * 156 cycles of an SM in the archive. Larger ones no probe starts: one of 1,024 took 263 in one program, `matern` of
 * results/traces/times.txt, which started 62,500 of them. */
enum { START_THREADS = 608, NEVER = 1000000000 };
/* Of the ifs that no lane, or every lane, takes, in the archive's divergence: a warp alone takes 32 cycles for each,
 * and eight of a scheduler 8.0 for its 4 instructions. Cycles from a jump that is taken, and from where lanes meet, to
 * what follows; and those that the scheduler has no instruction meanwhile. */
#define JUMP  7.0
#define MEET  16.0
#define FETCH 1.8

static double earliest(const fx_scheduler *s, const fx_player_warp *w) {
    return fx_later(fx_later(s->unit[w->unit], w->ready), s->free);
}

/* When the scheduler issues next, and whose instruction: of those that are ready the last one's, else the oldest's. */
static fx_player_warp *choose(const fx_player *p, fx_scheduler *s) {
    fx_player_warp *recent = s->recent,
                   *best = recent && recent->live && &p->schedulers[recent->on] == s ? recent : NULL;
    fx_time held;
    s->unit[FX_UNIT_MEMORY] = fx_pipes_take(p, s, FX_UNIT_MEMORY, &held);
    s->unit[FX_UNIT_SHUFFLE] = fx_pipes_take(p, s, FX_UNIT_SHUFFLE, &held);
    s->next = best ? earliest(s, best) : INFINITY;
    for (unsigned i = 0; i < s->count && s->next > s->free; i++) {
        const double at = earliest(s, s->warps[i]);
        if (at < s->next) {
            s->next = at;
            best = s->warps[i];
        }
    }
    return best;
}

static void hold(fx_player_warp *w, fx_pending by) {
    if (by.until > w->ready) {
        w->ready = by.until;
        w->waited = by.latency_until;
        w->owner = by.step;
        w->why = by.latency;
        w->pipe = by.pipe;
    }
}

static void hold_until(fx_player_warp *w, double until, fx_time why) {
    hold(w, (fx_pending){until, until, w->last, (uint8_t)why, (uint8_t)why});
}

/* Waits for what the next instruction needs. */
static void ready_for_next(fx_player *p, fx_player_warp *w) {
    const unsigned waits = fx_step_of(p, w)->waits;
    if (fx_step_of(p, w)->operand) { /* the first constants are in no first level where the SM starts */
        p->constants = p->constants > 0 ? p->constants : w->issued + p->play->rates->constant_far;
        hold_until(w, p->constants, FX_TIME_STARTS);
    }
    for (unsigned i = 0; waits >> i && i < FX_SCOREBOARDS; i++) {
        if (waits >> i & 1) {
            hold(w, w->board[i]);
        }
    }
}

/* Lets a block's warps go on when all have come to the barrier. */
static void release(fx_player *p, unsigned block, double now) {
    const unsigned n = p->play->warps_of_block;
    if (p->places[block].arrived < p->places[block].alive || !p->places[block].alive) {
        return;
    }
    p->places[block].arrived = 0;
    for (fx_player_warp *w = &p->warps[block * n]; w < &p->warps[(block + 1) * n]; w++) {
        if (w->live && w->ready >= NEVER) {
            p->schedulers[w->on].stale = true;
            w->ready = 0;
            hold_until(w, now + p->play->rates->barrier, FX_TIME_BARRIER);
            ready_for_next(p, w);
        }
    }
}

static void leave(fx_player *p, fx_scheduler *s, fx_player_warp *w, double now) {
    const double drained = fx_later(now, p->constants); /* it waits for what it has asked for */
    w->live = false;
    p->places[w->block].stored = fx_later(p->places[w->block].stored, fx_later(w->stored, drained));
    p->places[w->block].by = w->last;
    unsigned kept = 0;
    for (unsigned i = 0; i < s->count; i++) {
        s->warps[kept] = s->warps[i];
        kept += s->warps[i] != w;
    }
    s->count = kept;
    p->out->held[FX_TIME_FIXED] += fx_step_of(p, w)->stall;
    p->out->held[FX_TIME_CODE] += JUMP; /* its time is in the start of the archive's empty kernel */
    p->out->held[FX_TIME_LONG] += drained - now;
    if (!kept) {
        fx_time_hold(p, s, w->last, drained - now, FX_TIME_LONG);
    }
    if (--p->places[w->block].alive) {
        release(p, w->block, now);
        return;
    }
    p->places[w->block].used = false;
    p->ended++;
    if (p->end_count < p->end_room) {
        p->ends[p->end_count++] = p->places[w->block].stored;
    }
}

/* Goes to the instruction at hand, in this item of a warp or the next that has any; false: there is none. */
static bool find_next(const fx_player *p, fx_player_warp *w) {
    const fx_play_item *items = &p->play->items[w->of->first];
    while (w->item < w->of->count && w->at >= items[w->item].path->count) {
        w->item++;
        w->at = 0;
    }
    if (w->item >= w->of->count) {
        return false;
    }
    w->next = items[w->item].path->step[w->at];
    const fx_code_step *step = fx_step_of(p, w);
    w->unit = step->unit == FX_UNIT_MEMORY && step->shared ? FX_UNIT_SHUFFLE : step->unit;
    return true;
}

static void issue(fx_player *p, fx_scheduler *s, fx_player_warp *w) {
    const fx_code_step *step = fx_step_of(p, w);
    const double now = s->next;
    if (p->out->step) {
        fx_time_give(p, s, w);
    }
    p->now = w->issued = now;
    p->out->played++;
    s->stale = true;
    s->free = now + 1;
    s->recent = w;
    fx_pipes_execute(p, s, w, now);
    w->last = w->next;
    w->stalled = w->waited = w->ready = now + (step->stall ? step->stall : 1);
    w->at++;
    if (!find_next(p, w)) {
        leave(p, s, w, now);
        return;
    }
    const bool jumps = step->flow == FX_FLOW_JUMP || step->flow == FX_FLOW_BACK || step->calls,
               meets = step->flow == FX_FLOW_MEET;
    if (meets || (jumps && w->next != w->last + 1)) {
        hold_until(w, now + (meets ? MEET : JUMP), FX_TIME_CODE);
        fx_time_hold(p, s, w->last, FETCH, FX_TIME_CODE);
    }
    if (step->flow == FX_FLOW_BARRIER && !p->play->without_barriers) {
        w->ready = NEVER;
        p->places[w->block].arrived++;
        release(p, w->block, now);
    } else {
        ready_for_next(p, w);
    }
}

double fx_play_steps(const fx_play *play, size_t block) {
    double steps = 0;
    for (unsigned i = 0; i < play->warps_of_block; i++) {
        steps += (double)play->warps[block * play->warps_of_block + i].steps;
    }
    return steps;
}

/* Which recorded block is the nth on this SM: in turn; where it has fewer, spread over all of them. Where all that it
 * has start at once, the launch ends with the longest. */
static size_t nth_block(const fx_player *p, double n) {
    const double recorded = (double)p->play->blocks;
    size_t longest = 0;
    for (size_t i = 1; i < p->play->blocks && n < 1 && p->blocks <= p->resident; i++) {
        longest = fx_play_steps(p->play, i) > fx_play_steps(p->play, longest) ? i : longest;
    }
    return n < 1 && p->blocks <= p->resident ? longest
           : p->blocks < recorded            ? (size_t)((n + 0.5) * recorded / p->blocks)
                                             : (size_t)fmod(n, recorded);
}

/* A block takes a free place; its warps begin one after the other. */
static void start_block(fx_player *p, unsigned to, double takes) {
    const unsigned n = p->play->warps_of_block;
    const double stored = p->places[to].stored;
    const size_t recorded = nth_block(p, p->started);
    p->started++;
    p->places[to].alive = p->places[to].arrived = 0;
    for (unsigned i = 0; i < n; i++) {
        fx_player_warp *w = &p->warps[to * n + i];
        const unsigned on = p->slot++ % FX_SCHEDULERS;
        fx_scheduler *s = &p->schedulers[on];
        s->stale = true;
        *w = (fx_player_warp){
            .on = on, .of = &p->play->warps[recorded * n + i], .block = to, .number = (uint64_t)p->started * n + i};
        w->live = find_next(p, w) && s->count < FX_MOST_WARPS;
        if (w->live) {
            w->last = w->owner = w->next;
            w->issued = p->next_start + takes * i / n;
            hold(w, stored < p->next_start
                        ? (fx_pending){w->issued, w->issued, w->last, FX_TIME_STARTS, FX_TIME_STARTS}
                        : (fx_pending){w->issued, stored, p->places[to].by, FX_TIME_LONG, FX_TIME_STARTS});
            s->warps[s->count++] = w;
            p->places[to].alive++;
        }
    }
    p->places[to].used = p->places[to].alive;
    p->ended += !p->places[to].alive;
}

/* Starts a block in the place that is free first, if that is before `until`. */
static bool start_next(fx_player *p, double until) {
    if (p->started >= p->blocks || p->started - p->ended >= p->resident) {
        return false;
    }
    const double takes = p->play->rates->block * fx_later(p->play->threads / (double)START_THREADS, 1);
    unsigned first = p->resident;
    for (unsigned i = 0; i < p->resident; i++) {
        if (!p->places[i].used && (first == p->resident || p->places[i].stored < p->places[first].stored)) {
            first = i;
        }
    }
    if (p->places[first].stored > until) {
        return false;
    }
    p->next_start = fx_later(p->next_start, p->places[first].stored);
    start_block(p, first, takes);
    p->next_start += takes;
    return true;
}

/* From what was played to all blocks of the SM: the pace of the last blocks for those that are left, or of the
 * instructions where too few blocks have ended. */
static double extrapolated(const fx_player *p) {
    double end = p->now + 1; /* when all has ended that was started, and its stores are taken */
    for (unsigned i = 0; i < p->resident; i++) {
        end = fx_later(end, p->places[i].stored);
    }
    if (p->ended >= p->blocks) {
        return fx_later(fx_later(end, p->busy[FX_TIME_SHARED]), fx_later(p->busy[FX_TIME_L2], p->busy[FX_TIME_SM_L2]));
    }
    const size_t skipped = p->resident < p->end_count / 3 ? p->end_count / 3 : p->resident;
    if (p->end_count > skipped + p->resident) {
        const double pace = (p->ends[p->end_count - 1] - p->ends[skipped]) / (double)(p->end_count - 1 - skipped);
        return p->ends[p->end_count - 1] + pace * (p->blocks - (double)p->end_count);
    }
    const double some = fx_sooner(p->blocks, (double)p->play->blocks);
    double all = 0;
    for (double n = 0; n < some; n++) {
        all += fx_play_steps(p->play, nth_block(p, n));
    }
    return end * all / some * p->blocks / (double)p->out->played;
}

static void play(fx_player *p) {
    for (;;) {
        fx_scheduler *first = NULL;
        for (unsigned q = 0; q < FX_SCHEDULERS; q++) {
            fx_scheduler *s = &p->schedulers[q];
            if (s->stale) {
                s->chosen = choose(p, s);
                s->stale = false;
            }
            if (s->chosen && (!first || s->next < first->next)) {
                first = s;
            }
        }
        if (start_next(p, first ? first->next : INFINITY)) {
            continue;
        }
        if (!first || first->next >= NEVER || p->out->played >= p->play->budget) {
            return;
        }
        if (p->out->played == p->play->early && p->out->early_cycles <= 0) {
            p->out->early_cycles = extrapolated(p);
        }
        const double before = first->next;
        fx_time held;
        if (fx_pipes_take(p, first, first->chosen->unit, &held) > before) { /* its pipes may have filled since */
            first->chosen = choose(p, first);
        }
        if (first->next <= before) {
            issue(p, first, first->chosen);
        }
    }
}

void fx_replay(const fx_play *what, fx_played *out) {
    enum { ENDS = 1 << 14 };
    const double sms = what->rates->sms;
    fx_player p = {.play = what, .out = out, .blocks = ceil(what->grid / sms), .end_room = ENDS};
    p.resident = what->resident < FX_MOST_BLOCKS ? what->resident : FX_MOST_BLOCKS;
    const unsigned fit = FX_SCHEDULERS * FX_MOST_WARPS / what->warps_of_block;
    p.resident = p.resident < fit ? p.resident : fit;
    p.resident = p.resident ? p.resident : 1;
    p.share = what->grid < sms ? 1 / what->grid : 1 / sms;
    p.warps = fx_new((size_t)p.resident * what->warps_of_block, sizeof *p.warps);
    p.ends = fx_new(ENDS, sizeof *p.ends);
    *out = (fx_played){.step = what->early ? fx_new(what->code->count + 1, sizeof *out->step) : NULL};
    play(&p);
    out->dram /= p.now + 1;
    out->cycles = out->played ? extrapolated(&p) : 0;
    out->early_cycles = out->played > what->early ? out->early_cycles : out->cycles;
    const double given = fx_time_sum(out->part), scale = given > 0 ? out->cycles / given : 0;
    for (size_t i = 0; i < FX_TIMES; i++) {
        out->part[i] *= scale;
        for (size_t k = 0; out->step && k < what->code->count; k++) {
            out->step[k][i] *= scale;
        }
    }
    free(p.warps);
    free(p.ends);
}
