/* Where the cycles go: each of a scheduler to an instruction that it issues or to what held the warp that issues next,
 * and those of each warp to what held it, which is what profilers sample. */
#include "replay_player.h"

const char *const fx_time_names[FX_TIMES] = {"issue", "math",  "shared",  "sm_l2", "l2",      "dram", "atomics",
                                             "long",  "short", "special", "fixed", "barrier", "code", "starts"};

double fx_time_sum(const double part[FX_TIMES]) {
    double sum = 0;
    for (size_t i = 0; i < FX_TIMES; i++) {
        sum += part[i];
    }
    return sum;
}

/* The oldest of the scheduler's warps that have started and are queued for a pipe now: none of the start's making. */
static const fx_player_warp *queued(const fx_player *p, const fx_scheduler *s, fx_time *pipe) {
    for (unsigned i = 0; i < s->count; i++) {
        const fx_player_warp *one = s->warps[i];
        fx_time by;
        const bool full = fx_pipes_take(p, s, one->unit, &by) > one->ready,
                   waits = one->ready > one->waited && one->waited < s->next;
        if (one->why != FX_TIME_STARTS && (full || waits)) {
            *pipe = full ? by : one->pipe;
            return one;
        }
    }
    return NULL;
}

void fx_time_give(fx_player *p, const fx_scheduler *s, const fx_player_warp *w) {
    fx_time held_by, pipe = FX_TIME_SHARED;
    const double possible = fx_pipes_take(p, s, w->unit, &held_by);
    const uint32_t at = w->next;
    const fx_player_warp *other = w->why == FX_TIME_STARTS ? queued(p, s, &pipe) : NULL;
    const struct {
        double until;
        fx_time warp, scheduler; /* whose cycles go to what */
        uint32_t step;
    } spans[] = {
        {w->stalled, FX_TIME_FIXED, FX_TIME_FIXED, w->last},
        {w->waited, w->why, other ? pipe : w->why, other ? other->last : w->owner},
        {w->ready, w->why == FX_TIME_LONG ? FX_TIME_LONG : w->pipe, w->pipe, w->owner},
        {possible, w->unit == FX_UNIT_MEMORY ? FX_TIME_LONG : held_by, held_by, at},
        {s->next, FX_TIME_ISSUE, held_by, at}, /* of the warp: others were served first */
    };
    double idle = s->free, held = w->issued + 1;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        const double end = fx_sooner(spans[i].until, s->next);
        if (end > idle) {
            p->out->part[spans[i].scheduler] += end - idle;
            p->out->step[spans[i].step][spans[i].scheduler] += end - idle;
            idle = end;
        }
        if (end > held) {
            p->out->held[spans[i].warp] += end - held;
            held = end;
        }
    }
    p->out->part[FX_TIME_ISSUE]++;
    p->out->step[at][FX_TIME_ISSUE]++;
}

void fx_time_hold(fx_player *p, fx_scheduler *s, uint32_t at, double cycles, fx_time why) {
    s->free += cycles;
    p->out->part[why] += cycles;
    if (p->out->step) {
        p->out->step[at][why] += cycles;
    }
}
