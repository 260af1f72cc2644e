/* What a run takes where the user says nothing: how many processes, which seed, and which cases only the first one
 * measures. */
#ifndef FX_SETTLE_H
#define FX_SETTLE_H

#include "call/options.h"
#include "core/cases.h"

enum { FX_SYNTHETIC_SEED = 1 }; /* a synthetic device repeats itself to the digit */

typedef struct fx_settled {
    bool usual;       /* the number of processes is ours, not the user's */
    int64_t new_seed; /* that was chosen here, for the children to be told; -1: they know it */
} fx_settled;

/* Sets options->processes (with by_need where they are the usual ones) and options->seed where they were not given.
 * look: one process is meant (a list, an output of Google Benchmark, a child). random: called where a new seed is
 * wanted. */
fx_settled fx_settle(fx_options *options, bool synthetic, bool look, uint64_t (*random)(void));

/* How many of the cases each process behind the first one leaves out (fx_probe.once). `selected`: cases that all
 * filters leave. None where they are all there is, or where Google Benchmark's filter chooses. */
size_t fx_spared(const fx_settled *settled, const fx_case_list *cases, size_t selected);

/* Takes these cases out of `more`, one entry per case. Returns how many stay. */
size_t fx_spare(const fx_settled *settled, const fx_case_list *cases, size_t selected, bool *more);

#endif
