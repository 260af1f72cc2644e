/* The units and pipes that serve instructions, one after the other: a scheduler's own units and port, shared memory and
 * the L1 of the SM, and its share of what lies beyond. */

#include "replay_player.h"

/* Not measured by a probe; from the sources that docs/explain.md names. */
#define PORT 2.0 /* cycles of a scheduler's port for each wavefront: a lone warp's shared load takes 21 + 2 W */
/* How much longer DRAM takes under load: cycles times load / (1 - load), as the archive's occupancy cases show it by
 * Little's law, 775 cycles of a lone warp, 860 at half the rate, 1100 at 0.83; and over how long load is a mean. */
#define DRAM_LOADED   65.0
#define MOST_LOAD     0.9
#define LOAD_CYCLES   4000.0
#define SHARED_AND_L1 0.90 /* of the sum, where both are busy */
#define SLICES        96.0 /* of the L2, each of which serves one request at a time */

/* In no probe; by loops on all SMs of an H200 that mix loads with 1 to 8 FFMA, IMAD, IADD3 and LOP3: what holds a
 * scheduler besides its one cycle, the 64-bit address of an access and an IMAD with a wide or a high result, which
 * takes its unit twice as long, too; and what an IMAD takes of the other half of the FMA unit. */
#define ADDRESS     1.0
#define WIDE        2.0
#define IMAD_OF_FMA 0.5

/* In (0, 1), and the same for an access in every replay. */
static double drawn(uint64_t of) {
    of = (of ^ of >> 30) * 0xbf58476d1ce4e5b9u;
    of = (of ^ of >> 27) * 0x94d049bb133111ebu;
    return ((double)((of ^ of >> 31) >> 12) + 0.5) / (double)(1ull << 52);
}

/* Latency beyond the L1, drawn for each access, since a block ends and a barrier opens with the slowest. A load has
 * come when its last line has: each is in the far half of the L2 as often as not, and waits in a queue of DRAM as in
 * any queue, exponentially. */
static double beyond_latency(const fx_player *p, const fx_play_access *a, uint64_t number, unsigned best) {
    const fx_rates *r = p->play->rates;
    const double lines = fx_later(a->lines[best], 1);
    const double far = drawn(2 * number) < 1 - exp2(-lines) ? r->far_latency - r->near_latency : 0;
    const double load = fx_sooner(p->load, MOST_LOAD), wait = -log1p(-pow(drawn(2 * number + 1), 1 / lines));
    const bool dram = a->level[best] == FX_PLAY_DRAM && (a->dram_read[best] > 0 || a->recent),
               copy = a->level[best] == FX_PLAY_COPY;
    /* SMs that go in step want a line at the same time, and its slice of the L2, or of each half, serves one of them
     * after the other */
    const double turn = SLICES * fx_later(a->bytes[best] / lines * r->l2, r->l2_request),
                 queued = p->play->in_step * turn * (copy ? 0.5 : 1) * pow(drawn(2 * number + 1), 1 / lines);
    return dram   ? r->dram_latency + far + DRAM_LOADED * load / (1 - load) * wait
           : copy ? r->copy_latency + queued
                  : r->near_latency + far + queued;
}

/* Cycles of DRAM: reads and writes by themselves, and what it takes longer to do as much of one as of the other. */
static double dram_takes(fx_player *p, double read, double written) {
    const fx_rates *r = p->play->rates;
    p->read += read;
    p->written += written;
    const double mixed = fx_sooner(p->read, p->written) - p->turned;
    p->turned += mixed;
    return read * r->dram_read + written * r->dram_write +
           mixed * fx_later(2 * r->dram_copy - r->dram_read - r->dram_write, 0);
}

/* Sends an access on behind the L1; returns when the last pipe is done with it, which is *pipe. */
static double serve_beyond(fx_player *p, const fx_play_access *a, bool floats, unsigned best, double now, double done,
                           fx_time *pipe) {
    const fx_rates *r = p->play->rates;
    const double bytes = (double)a->bytes[best] * r->l2, requests = a->lines[best] * r->l2_request,
                 stores = ((double)a->lines[best] + a->sectors[best]) * r->l2_store;
    const double takes[] = {
        [FX_TIME_SM_L2] = a->to_l2[best],
        [FX_TIME_L2] = fx_later(bytes, a->store ? stores : requests) / p->share,
        [FX_TIME_DRAM] = dram_takes(p, a->dram_read[best], a->dram_write[best]) / p->share,
        [FX_TIME_ATOMICS] = a->atomic ? fx_later(fx_later(a->crowded * r->same_line, a->of_word * r->same_word[floats]),
                                                 a->sectors[best] * r->l2_atomic) /
                                            p->share
                                      : 0,
    };
    p->out->dram += takes[FX_TIME_DRAM];
    if (takes[FX_TIME_DRAM] > 0) {
        p->load = p->load * exp((p->loaded - now) / LOAD_CYCLES) + takes[FX_TIME_DRAM] / LOAD_CYCLES;
        p->loaded = now;
    }
    for (fx_time t = FX_TIME_SM_L2; t <= FX_TIME_ATOMICS; t++) {
        if (takes[t] > 0) {
            p->busy[t] = fx_later(p->busy[t], now) + takes[t];
            const bool waits = t != FX_TIME_DRAM || a->dram_read[best] > 0; /* nothing waits for what is written */
            if (waits && p->busy[t] > done) {
                done = p->busy[t];
                *pipe = t;
            }
        }
    }
    return done;
}

/* Serves an access from `now` on: when its result is there, and its operands are read. Returns when it has come. */
static double serve(fx_player *p, fx_scheduler *s, const fx_player_warp *w, const fx_play_access *a, uint32_t at,
                    double now, fx_pending *result, fx_pending *operands) {
    const fx_rates *r = p->play->rates;
    const fx_code_step *step = &p->play->code->steps[at];
    const unsigned best = a && (p->play->at_best == a->line || p->play->at_best == UINT32_MAX - 1) ? 1 : 0;
    const bool global = a && !a->shared, beyond = global && a->bytes[best] > 0;
    const double wavefronts = a ? a->wavefronts[best] : r->off, at_port = PORT * wavefronts;
    s->port = fx_later(now, s->port) + at_port;
    /* a store holds the path for as long as its sectors leave by it */
    const double on_path = fx_later(wavefronts, global && a->store ? a->to_l2[best] : 0);
    p->own[global] = fx_later(p->own[global], now) + on_path;
    p->busy[FX_TIME_SHARED] =
        fx_later(fx_later(p->busy[FX_TIME_SHARED], now) + SHARED_AND_L1 * on_path, p->own[global]);
    double done = fx_later(s->port, p->busy[FX_TIME_SHARED]);
    double latency = (global ? r->l1_latency : r->shared_latency) - PORT;
    fx_time pipe = FX_TIME_SHARED;
    *operands = (fx_pending){done + PORT, now + at_port + PORT, at, FX_TIME_SHORT, FX_TIME_SHARED};
    if (beyond) {
        done = serve_beyond(p, a, step->floats, best, now, done, &pipe);
        latency = a->atomic ? r->atomic_latency : beyond_latency(p, a, w->number << 32 ^ w->item, best);
    }
    double come = done + latency;
    if (global && !step->store && !a->atomic) { /* one that hits waits for what is on its way */
        struct fx_arriving *one = &p->arriving[(a->place * 0x9e3779b1u) >> 18];
        const bool known = one->place == a->place, early = a->recent && !known;
        latency = early                           ? beyond_latency(p, a, w->number << 32 ^ w->item, best)
                  : beyond && known && one->early ? r->l1_latency - PORT
                                                  : latency;
        come = fx_later(done + latency, known ? one->until : 0);
        latency = come - done;
        *one = beyond || early ? (struct fx_arriving){a->place, early, come} : *one;
    }
    const fx_time why = global ? FX_TIME_LONG : FX_TIME_SHORT;
    *result = (fx_pending){come, fx_sooner(come, now + at_port + latency), at, (uint8_t)why, (uint8_t)pipe};
    if (step->store && a && a->shared) {
        result->until = done + PORT;
    }
    return come;
}

void fx_pipes_execute(fx_player *p, fx_scheduler *s, fx_player_warp *w, double now) {
    const fx_rates *r = p->play->rates;
    const uint32_t at = w->next;
    const fx_code_step *step = fx_step_of(p, w);
    const fx_play_item *item = &p->play->items[w->of->first + w->item];
    fx_pending result = {now, now, at, FX_TIME_SHORT, FX_TIME_MATH},
               operands = {now + 4, now + 4, at, FX_TIME_SPECIAL, FX_TIME_MATH};
    if (step->unit == FX_UNIT_MEMORY) {
        fx_time_hold(p, s, at, step->shared ? 0 : ADDRESS, FX_TIME_MATH);
        const bool made = w->at + 1 == item->path->count && item->access != UINT32_MAX; /* else it is predicated off */
        const double come = serve(p, s, w, made ? &p->play->accesses[item->access] : NULL, at, now, &result, &operands);
        w->stored = step->store && !step->shared ? fx_later(w->stored, come) : w->stored;
    } else if (step->unit == FX_UNIT_SHUFFLE) {
        s->port = fx_later(s->port, now) + PORT;
        p->busy[FX_TIME_SHARED] = fx_later(p->busy[FX_TIME_SHARED], now) + 4 * r->unit[FX_UNIT_SHUFFLE] / FX_SCHEDULERS;
        result.latency_until = now + r->shared_latency;
        result.until = fx_later(s->port, p->busy[FX_TIME_SHARED]) + r->shared_latency - PORT;
        result.pipe = FX_TIME_SHARED;
    } else {
        p->constants = step->constant && p->constants <= 0 ? now + r->constant_far : p->constants;
        const double latency = step->constant                   ? fx_later(r->constant_latency, p->constants - now)
                               : step->unit == FX_UNIT_CONSTANT ? r->constant_latency
                               : step->unit == FX_UNIT_TEXTURE  ? r->copy_latency
                                                                : r->special_latency;
        result.latency = step->unit == FX_UNIT_TEXTURE ? FX_TIME_LONG : FX_TIME_SPECIAL;
        const double takes = r->unit[step->unit] * (step->wide ? 2 : 1);
        s->unit[step->unit] = fx_later(s->unit[step->unit], now) + takes;
        fx_time_hold(p, s, at, step->wide ? WIDE : 0, FX_TIME_MATH);
        if (step->unit == FX_UNIT_IMAD) {
            s->unit[FX_UNIT_FMA] = fx_later(s->unit[FX_UNIT_FMA], now) + takes * IMAD_OF_FMA;
        }
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
