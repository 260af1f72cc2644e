/* The plan of a run: how many processes it has, which case runs in which of them, and in which order.
 *
 * A run measures everything in its first processes. With --processes auto it goes on with those cases alone whose mean
 * is not yet known to a stated precision between processes: what repeats within 0.1 %, as nine cases in ten do, is
 * known after two processes; the rest is not known after five.
 *
 * The parent and each of its processes make the same selection from the same options, and the archive tells both what
 * was measured so far. So one text of '1' and '0' per case is all that the parent has to tell a process. */
#pragma once

#include "archive/archive.h"
#include "call/options.h"
#include "core/case_list.h"
#include "core/device.h"

enum { FX_SYNTHETIC_SEED = 1 }; /* a synthetic device repeats itself to the digit */

typedef struct fx_plan {
    fx_case_list cases; /* the selection; owned */
    size_t repetitions; /* of each case within a process; 1 or more */
    size_t processes;   /* at most */
    size_t first;       /* processes that measure everything */
    bool by_need;       /* the processes behind these measure what is not known to FX_PRECISION_BETWEEN */
    bool usual;         /* the number of processes is ours, not the user's */
    int64_t new_seed;   /* the seed that was drawn here, for the processes to be told; -1: they know it */
} fx_plan;

/* Settles the number of processes and the seed, and sets options->run.processes, by_need and seed where they were not
 * given. one: one process is meant (a list, an output of Google Benchmark, a process of a run). random: called where a
 * new seed is wanted. */
void fx_plan_settle(fx_plan *plan, fx_options *options, bool synthetic, bool one, uint64_t (*random)(void));

/* Narrows plan->cases by what the parent says: adds what the first process's searches added, keeps the chosen. */
fx_status fx_plan_narrow(fx_plan *plan, const fx_options *options, const fx_facts *facts, fx_error *err);

/* Adds the searched cases of an archive that is being written, in its order, each once; those of a probe or a sweep
 * that the selection does not have are left out. */
fx_status fx_plan_add_searched(fx_plan *plan, const fx_facts *facts, const char *path, fx_error *err);

/* How many cases every process behind the first one leaves out (fx_probe.once): none where the user gave the number of
 * processes, and where they are all there is. */
size_t fx_plan_once(const fx_plan *plan);

/* What process number `process` measures, by the archive of those before it (NULL: none is written). *chosen: '1' or
 * '0' per case, which the caller frees; NULL: everything. *cases: how many cases; 0 ends the run. *unexpected: how many
 * more case runs than those that fx_plan_once and plan->first promised. */
fx_status fx_plan_next(fx_plan *plan, const fx_facts *facts, const char *archive, size_t process, char **chosen,
                       size_t *cases, ptrdiff_t *unexpected, fx_error *err);

/* Keeps the chosen cases of a selection, which must be the one that the choice was made from. */
fx_status fx_plan_keep(fx_plan *plan, const char *chosen, fx_error *err);

/* The order in which a process runs the cases, as indexes; the caller frees it. Probes are shuffled, and cases within
 * each probe; unshuffled, it is the list's. In a fixed order, heat, throttling and what a case leaves in the caches
 * would always fall on the same case. */
uint32_t *fx_plan_order(const fx_case_list *cases, uint64_t seed, bool shuffled);

/* One case over the processes so far. Starts as {.group = ...}, the rest zero. */
typedef struct fx_plan_repeat {
    size_t group;         /* cases of one group, a probe, are judged together */
    bool unmet;           /* no process came as far as this case */
    size_t count;         /* processes with a median */
    double mean, squares; /* of the logarithms of their medians: the mean, and the sum of squares about it */
    double inside;        /* sum of the variances that the processes' own samples give their medians */
    size_t known;         /* summands of `inside` */
} fx_plan_repeat;

/* Adds what one process measured, a median above 0. ci_low, ci_high: its 95 % interval; NAN: unknown. */
void fx_plan_repeat_add(fx_plan_repeat *repeat, double median, double ci_low, double ci_high);

/* Sets more[i] where case i wants one more process: the 95 % interval of the mean of its medians is wider than
 * +- precision, or one process alone has measured it.
 *
 * Two processes say little about the spread of one case. So the variance is the mean, weighted by degrees of freedom,
 * of the measured one and an expected one, which counts as four: the case's own variance inside its processes times the
 * usual ratio of its group. The interval is Student's. A case that every process waived or failed wants none; one that
 * is unmet, since processes crashed before it, does. */
void fx_plan_repeat_more(const fx_plan_repeat *repeats, size_t count, double precision, bool *more);
