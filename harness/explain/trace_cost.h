/* What the accesses of a trace cost, instruction by instruction of each launch. */
#pragma once

#include "access_cost.h"
#include "replay.h"

enum { FX_MOST_SHOWN_PATTERNS = 4 };

/* Something that weighs so much; fx_heavier orders those by qsort, the heaviest first. */
typedef struct fx_weighed {
    double weight;
    size_t index;
} fx_weighed;
int fx_heavier(const void *a, const void *b);

/* Equal accesses of one row. */
typedef struct fx_cost_tally {
    uint32_t row, cost; /* the key; cost: index of fx_access_costs */
    uint64_t base;      /* of the first of them */
    uint64_t times;
    uint64_t at[FX_COST_LEVELS]; /* those that the nearest level serves; those that go beyond the L1 */
    size_t next;                 /* of the same row; SIZE_MAX: none */
} fx_cost_tally;

/* One instruction in one launch: sums over the recorded blocks. */
typedef struct fx_cost_row {
    uint32_t launch, instruction;
    fx_access_class of;
    uint64_t executed, lanes, bytes;
    uint64_t sectors, wavefronts, best_sectors, best_wavefronts;
    struct {
        uint64_t l1, l2, dram; /* sectors; l1: also accesses of shared memory */
        uint64_t pairs, lines; /* of DRAM's sectors, and of lines that they begin */
    } served;
    fx_brought brought;
    double of_dram;    /* of the sectors that the model sends to DRAM, the share that comes from there */
    double best_share; /* of those beyond the L1, the share that is needed at best */
    double filled;     /* sectors that DRAM reads to fill in one that is stored */
    double alone;      /* of DRAM's pairs of sectors, the share whose line has no other */
    /* The cost of a block: cycles, or where no fit is known sectors or wavefronts. Over the blocks that have the
     * instruction: sum and sum of squares; and of the block at each place of the SM. */
    double block_sum, block_squares, this_block[FX_CACHE_PLACES];
    uint64_t lowest, highest; /* addresses: the first byte, one past the last line */
    size_t first, distinct;   /* tallies */
} fx_cost_row;

/* What serves one access of a record, and each of its repeats. */
typedef struct fx_record_cost {
    uint32_t cost, row; /* index of fx_access_costs; of the rows */
    uint16_t l2[2], dram[2], near[2], beside[2];
    uint8_t recent[2];
} fx_record_cost;

typedef struct fx_cost_launch {
    uint64_t blocks;  /* that were recorded; 0: none */
    bool wanted;      /* it is told of: the others only leave what they do in the L2 */
    uint64_t busiest; /* of FX_SERVED_BYTES: those with most atomics, for whose sectors all blocks have most packets */
    double apart;     /* share of its lines that a block does not share with others of the sample */
    double lines_bytes; /* of all lines that all blocks touch */
    double room_bytes;  /* that these and the copies of those that are loaded take in the L2 */
} fx_cost_launch;

typedef struct fx_trace_cost {
    const fx_trace *trace;
    fx_access_costs *costs;
    fx_cost_row *rows;
    size_t row_count;
    fx_hash_table tallies;    /* fx_cost_tally */
    size_t *row_of;           /* of the launch at hand by instruction, + 1 */
    fx_brought *brought;      /* of the launch at hand by instruction */
    fx_cost_launch *launches; /* as the trace's */
    fx_record_cost *records;  /* as the trace's */
    fx_cache_left *left;      /* in the L2, by the launches before; the first is of all that repeat */
    size_t left_count;
    double copied_bytes; /* of lines that loads touch before anything else does: the host has copied them */
    double left_bytes;   /* of all lines that all launches touch: what came since the last launch of the same kind */
    bool assumed_l1;     /* the chip's L1 is not known */
    bool cold;           /* each launch begins with an empty L2 */
} fx_trace_cost;

/* `kernels`: an extended regular expression that names the kernels, as they are or demangled; NULL: all. Borrows the
 * trace and the costs; the caller frees *out also on failure. */
fx_status fx_trace_cost_new(fx_access_costs *costs, const char *kernels, bool cold, const fx_trace *trace,
                            fx_trace_cost **out, fx_error *err);
void fx_trace_cost_free(fx_trace_cost *cost); /* NULL is fine */

static inline const fx_cost_tally *fx_cost_tally_at(const fx_trace_cost *cost, size_t index) {
    return fx_hash_item(&cost->tallies, (uint32_t)index);
}
/* Neighbouring lines whose atomics wait for each other. Of an archive's contended atomics 4 words in a line of their
 * own get 1.7 times the rate of one, 16 get 3.7 times, 64 get 9 times, and 132 get 19 times. */
enum { FX_SERVED_BYTES = 512 };
/* Packets of an atomic for the sectors of one place that the L2 serves at a time: one takes one lane of each word; and
 * those for the word that most lanes want. */
typedef struct fx_trace_packets {
    unsigned all, of_word;
} fx_trace_packets;
fx_trace_packets fx_trace_packets_of(const fx_trace_pattern *pattern, uint64_t base, uint64_t served);
/* Blocks that fit on an SM. */
unsigned fx_trace_cost_resident(const fx_trace_cost *cost, const fx_trace_launch *launch);

static inline bool fx_cost_row_is_global(const fx_cost_row *row) {
    return row->of >= FX_CLASS_GLOBAL_LOAD && row->of != FX_CLASS_LOCAL_LOAD && row->of != FX_CLASS_LOCAL_STORE &&
           row->of != FX_CLASS_COUNTED;
}

/* launch_time.c: what a launch takes by its machine code, and its lines at their best. */
json_t *fx_launch_time(const fx_trace_cost *cost, uint32_t launch, const fx_rates *rates);
