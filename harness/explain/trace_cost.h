/* What a trace-costs, instruction by instruction of each launch. */
#ifndef FX_TRACE_COST_H
#define FX_TRACE_COST_H

#include "access_cost.h"

enum { FX_MOST_SHOWN_PATTERNS = 4, FX_MOST_CURED_PATTERNS = 64 };

/* Equal accesses of one row. */
typedef struct fx_cost_tally {
    size_t row, cost; /* cost: index of fx_access_costs */
    uint64_t base;    /* of the first of them */
    uint64_t times;
    uint64_t at[FX_COST_LEVELS]; /* those that the nearest level serves; those that go beyond the L1; of these, those
                                    for which DRAM is needed */
    size_t next;                 /* of the same row; SIZE_MAX: none */
} fx_cost_tally;

/* One instruction in one launch: sums over the recorded blocks. */
typedef struct fx_cost_row {
    uint32_t launch, instruction;
    fx_access_class of;
    uint64_t executed, lanes, bytes;
    uint64_t sectors, wavefronts, lines, best_sectors, best_wavefronts;
    uint64_t served[FX_COST_LEVELS]; /* sectors; of shared memory accesses */
    fx_brought brought;
    /* The cost of a block: cycles, or where no fit is known sectors or wavefronts. Over the blocks that have the
     * instruction: sum and sum of squares. */
    double block_sum, block_squares, this_block;
    uint32_t block;
    uint64_t lowest, highest; /* addresses: the first byte, one past the last line */
    size_t first, distinct;   /* tallies */
} fx_cost_row;

/* What serves one access of a record, and each of its repeats: sectors beyond the L1, and those of them from DRAM. */
typedef struct fx_record_cost {
    uint32_t cost; /* index of fx_access_costs */
    uint16_t l2[2], dram[2];
} fx_record_cost;

typedef struct fx_trace_cost {
    const fx_trace *trace;
    fx_access_costs *costs;
    fx_cost_row *rows;
    size_t row_count, row_room;
    fx_cost_tally *tallies;
    size_t tally_count, tally_room;
    size_t *table; /* of tallies, + 1, by hash */
    size_t table_room;
    size_t *row_of;          /* of the launch at hand by instruction, + 1 */
    fx_brought *brought;     /* of the launch at hand by instruction */
    uint64_t *blocks;        /* by launch: the recorded blocks */
    fx_record_cost *records; /* as the trace's */
    bool assumed_l1;         /* the chip's L1 is not known */
} fx_trace_cost;

/* `kernels`: an extended regular expression that names the kernels, as they are or demangled; NULL: all. Borrows the
 * trace. */
fx_status fx_trace_cost_new(const fx_options *options, const char *kernels, const fx_trace *trace, fx_trace_cost **out,
                            fx_error *err);
void fx_trace_cost_free(fx_trace_cost *cost); /* NULL is fine */

/* Of the sectors that the model sends to DRAM, the share that comes from there; of those beyond the L1, the share that
 * is needed at best. */
double fx_cost_row_of_dram(const fx_trace_cost *cost, const fx_cost_row *row);
double fx_cost_row_best_share(const fx_cost_row *row);
/* Blocks that fit on an SM. */
unsigned fx_trace_cost_resident(const fx_trace_cost *cost, const fx_trace_launch *launch);

/* launch_time.c: what each launch takes by its machine code, and its lines at their best; rates: JSON, fx_rates_read.
 */
fx_status fx_launch_times_print(FILE *to, const fx_trace_cost *cost, const char *rates, fx_error *err);

/* trace_json.c: the answer of `gpufx trace-cost`, docs/trace.md. */
fx_status fx_trace_cost_print(FILE *to, fx_trace_cost *cost, fx_error *err);

#endif
