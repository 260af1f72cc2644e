/* The blocks that fit on one SM, played instruction by instruction: four schedulers that issue one ready warp's
 * instruction a cycle, scoreboards and stall counts from the machine code, pipes that serve by the laws at measured
 * rates, measured latencies, barriers, and blocks that start as others end. One constant is fitted to a kernel
 * (START_THREADS).
 *
 * Every cycle of a scheduler is given to what it was spent on: an instruction that was issued, or what held the warp
 * that issued next. So the parts of a launch add up to its time. */
#pragma once

#include <jansson.h>

#include "machine_code.h"

/* What a chip's parts take: from the parent's JSON (plot/gpufx_plot/explain/played.py). In cycles of its SMs, but for
 * the first two and the last. */
typedef struct fx_rates {
    double ghz, sms;
    double unit[FX_UNITS]; /* of a scheduler's unit for each instruction */
    double shared_latency, l1_latency, copy_latency, near_latency, far_latency, dram_latency, atomic_latency,
        constant_latency, constant_far, special_latency, barrier, block; /* block: between starts of small blocks */
    double off;                                  /* of an SM: an access that is predicated off in all lanes */
    double dram_read, dram_write, dram_copy, l2; /* per byte of the whole chip; copy: half read, half written */
    double dram_pairs[3];                        /* of pairs of sectors at random within 16 MiB, 128 MiB, 1 GiB */
    double l2_request, l2_store, l2_atomic, same_line,
        same_word[2]; /* per line; per line and sector; per sector; per
                         packet of a line; of a word of integers, floats */
    double start_ns;
} fx_rates;
fx_status fx_rates_read(json_t *all, fx_rates *out, fx_error *err);

/* What a cycle went to. The first is issue, those up to FX_TIME_ATOMICS are pipes, those up to FX_TIME_CODE are waits
 * of a warp, the last is starts. */
typedef enum fx_time {
    FX_TIME_ISSUE,
    FX_TIME_MATH,   /* a unit of the scheduler was busy */
    FX_TIME_SHARED, /* the path of shared memory and of the L1 */
    FX_TIME_SM_L2,  /* between the SM and the L2 */
    FX_TIME_L2,
    FX_TIME_DRAM,
    FX_TIME_ATOMICS,
    FX_TIME_LONG,    /* latency of the L1, the L2 and DRAM */
    FX_TIME_SHORT,   /* latency of shared memory and shuffles */
    FX_TIME_SPECIAL, /* latency of special functions, conversions, special registers and constants */
    FX_TIME_FIXED,   /* stall counts */
    FX_TIME_BARRIER, /* of the block's warps for each other */
    FX_TIME_CODE,    /* jumps */
    FX_TIME_STARTS,
    FX_TIMES
} fx_time;
extern const char *const fx_time_names[FX_TIMES];
double fx_time_sum(const double part[FX_TIMES]);

/* What a load comes from: copies in the SM's half of the L2, either half, DRAM. */
typedef enum fx_play_level { FX_PLAY_COPY, FX_PLAY_L2, FX_PLAY_DRAM } fx_play_level;

/* What one access takes, as it is (0) and at best (1). */
typedef struct fx_play_access {
    bool shared, atomic, store;
    uint8_t crowded, of_word;      /* packets of an atomic on the lines that have most of the launch, and on one word */
    float wavefronts[2], to_l2[2]; /* cycles of the SM */
    float bytes[2], lines[2], sectors[2], dram_read[2], dram_write[2]; /* beyond the L1; in bytes */
    fx_play_level level[2];
    bool recent;    /* a hit of a line that another warp may have brought, from that level */
    uint32_t place; /* of its first lane: the sector in memory */
    uint32_t line;  /* whose best it is */
} fx_play_access;

/* A path and the access that it ends with; UINT32_MAX: none. */
typedef struct fx_play_item {
    const fx_path *path;
    uint32_t access;
} fx_play_item;

typedef struct fx_play_warp {
    size_t first, count; /* items */
    uint64_t steps;
} fx_play_warp;

typedef struct fx_play {
    const fx_rates *rates;
    const fx_machine_code *code;
    const fx_play_access *accesses;
    const fx_play_item *items;
    const fx_play_warp *warps; /* of all recorded blocks, block by block */
    size_t blocks;             /* that were recorded */
    unsigned warps_of_block, threads, resident;
    double grid;      /* blocks */
    double in_step;   /* SMs that want the same lines at the same time */
    uint32_t at_best; /* the line whose accesses are at best; UINT32_MAX: none, UINT32_MAX - 1: all */
    bool without_barriers;
    uint64_t budget; /* instructions to play at most */
    uint64_t early;  /* 0: what the launch takes is all that is wanted, and where the time goes is not */
} fx_play;

typedef struct fx_played {
    double cycles;            /* of the launch, without its start */
    double early_cycles;      /* by the first `early` instructions alone */
    double held[FX_TIMES];    /* cycles that warps were held, all of them together: what profilers sample */
    double dram;              /* the share of the time that DRAM was busy */
    double part[FX_TIMES];    /* of them */
    double (*step)[FX_TIMES]; /* by instruction; the caller frees it. NULL: not wanted */
    uint64_t played;          /* instructions */
} fx_played;
void fx_replay(const fx_play *play, fx_played *out);
double fx_play_steps(const fx_play *play, size_t block); /* instructions of a recorded block */
