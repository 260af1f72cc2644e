/* One SM at play, for the files of the replay alone. */
#pragma once

#include "replay.h"

enum {
    FX_SCHEDULERS = 4,
    FX_MOST_WARPS = 16, /* of a scheduler */
    FX_MOST_BLOCKS = 32,
    FX_ARRIVING = 1 << 14, /* by 14 bits of a hash */
};

/* What a scoreboard waits for. */
typedef struct fx_pending {
    double until, latency_until; /* without a queue it would have been done then */
    uint32_t step;
    uint8_t latency, pipe; /* fx_time */
} fx_pending;

typedef struct fx_player_warp {
    const fx_play_warp *of;
    unsigned block, on; /* places on the SM: of its block, and the scheduler */
    size_t item;
    uint64_t number;      /* among all warps of the launch */
    uint32_t at, next;    /* in the item's path; the instruction there */
    unsigned unit;        /* that it needs: a fx_unit; of accesses of shared memory, as of shuffles, FX_UNIT_SHUFFLE */
    double issued, ready; /* when the last one was; not before */
    double stalled, waited; /* until when it is the stall count, and then latency, that holds it */
    double stored;          /* when the L2 has taken its stores */
    uint32_t last, owner;   /* the instruction before, and whose result it waits for */
    uint8_t why, pipe;      /* of the wait: latency, and what was queued for */
    bool live;
    fx_pending board[FX_SCOREBOARDS];
} fx_player_warp;

typedef struct fx_scheduler {
    fx_player_warp *warps[FX_MOST_WARPS]; /* the oldest first */
    unsigned count;
    fx_player_warp *chosen; /* that issues next; stale: it is not known */
    bool stale;
    fx_player_warp *recent;
    double free, next;           /* when it may issue again; when it will */
    double port, unit[FX_UNITS]; /* until when they are busy */
} fx_scheduler;

typedef struct fx_player {
    const fx_play *play;
    fx_played *out;
    fx_scheduler schedulers[FX_SCHEDULERS];
    fx_player_warp *warps; /* places x warps of a block */
    struct {
        bool used;
        unsigned alive, arrived;
        double stored; /* when the stores of the last block are taken, for which its place is kept, ... */
        uint32_t by;   /* ... and where its last warp ended */
    } places[FX_MOST_BLOCKS];
    unsigned resident;
    double busy[FX_TIME_ATOMICS + 1]; /* until when a pipe is */
    double own[2];                    /* and what shared memory, and the L1, have for themselves */
    double load, loaded;              /* of DRAM: its mean, and until when that is known */
    double read, written, turned;     /* bytes of DRAM; of both, those that have been paid for as mixed */
    double constants;                 /* when the SM has the first ones, which are in no first level where it starts */
    double share;                     /* of the chip that an SM has */
    double next_start, now;
    double started, ended, blocks; /* of this SM */
    uint64_t slot;
    struct fx_arriving {
        uint32_t place;
        bool early; /* for one whose turn it was not: who brings the line finds it on its way */
        double until;
    } arriving[FX_ARRIVING]; /* loads on their way into the L1 */
    double *ends;
    size_t end_count, end_room;
} fx_player;

static inline double fx_later(double a, double b) {
    return a > b ? a : b;
}

static inline double fx_sooner(double a, double b) {
    return a < b ? a : b;
}

static inline const fx_code_step *fx_step_of(const fx_player *p, const fx_player_warp *w) {
    return &p->play->code->steps[w->next];
}

/* Cycles of accesses that wait in front of a pipe, or of a scheduler's port, before a scheduler must wait. */
#define FX_QUEUE 12.0
static const double fx_queues[] = {
    [FX_TIME_SHARED] = 400, [FX_TIME_SM_L2] = 400, [FX_TIME_L2] = 400, [FX_TIME_DRAM] = 1500, [FX_TIME_ATOMICS] = 400};

/* When the unit takes an instruction, by the state of the pipes now, and what holds it until then. */
static inline double fx_pipes_take(const fx_player *p, const fx_scheduler *s, unsigned unit, fx_time *held_by) {
    double free = s->unit[unit];
    *held_by = FX_TIME_MATH;
    if (unit == FX_UNIT_MEMORY || unit == FX_UNIT_SHUFFLE) {
        free = s->port - FX_QUEUE;
        *held_by = FX_TIME_SHARED;
        for (fx_time t = FX_TIME_SHARED; t <= (unit == FX_UNIT_MEMORY ? FX_TIME_ATOMICS : FX_TIME_SHARED); t++) {
            if (p->busy[t] - fx_queues[t] > free) {
                free = p->busy[t] - fx_queues[t];
                *held_by = t;
            }
        }
    }
    return free;
}

/* replay_pipes.c: what is issued now goes to its unit or pipe; its scoreboards wait for that. */
void fx_pipes_execute(fx_player *p, fx_scheduler *s, fx_player_warp *w, double now);

/* replay_time.c: gives the cycles before an issue to what held the scheduler, and those of the warp to what held it. */
void fx_time_give(fx_player *p, const fx_scheduler *s, const fx_player_warp *w);
/* For so many cycles more the scheduler issues nothing, because of what it issued. */
void fx_time_hold(fx_player *p, fx_scheduler *s, uint32_t at, double cycles, fx_time why);
