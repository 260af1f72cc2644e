/* How many processes a case needs: which cases of a run want to be measured in one more.
 *
 * What repeats within a tenth of a per cent, as nine cases in ten do, is known after two processes; the rest is not
 * known after five. So a run begins with two processes of everything and goes on with those cases alone whose mean is
 * not yet known to a stated precision between processes. */
#ifndef FX_PROCESSES_H
#define FX_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

/* One case over the processes that there were so far. Starts as {.group = ...}, the rest zero. */
typedef struct fx_repeated {
    size_t group;         /* cases of one group, a probe, are judged together */
    bool unmet;           /* no process came as far as this case */
    size_t count;         /* processes with a median */
    double mean, squares; /* of the logarithms of their medians: the mean, and the sum of squares about it */
    double inside;        /* sum of the variances that the processes' own samples give their medians */
    size_t known;         /* summands of `inside` */
} fx_repeated;

/* Adds what one process measured, a median above 0. ci_low, ci_high: its 95 % interval; NAN: unknown. */
void fx_repeated_add(fx_repeated *r, double median, double ci_low, double ci_high);

/* Sets more[i] where case i wants one more process: the 95 % interval of the mean of its medians is wider than
 * +- precision (0.005: half a per cent), or one process alone has measured it. Returns how many do, through `wanted`.
 *
 * Two processes say little about the spread of one case, so the variance is the mean, by degrees of freedom, of the
 * measured one and one to expect, which counts as four: the case's own variance inside its processes, times what is
 * usual in its group between them. The interval is Student's. A case that each process waived, or failed in, wants
 * none; one that is unmet, since processes crashed before it, does. */
fx_status fx_processes_wanted(const fx_repeated *cases, size_t count, double precision, bool *more, size_t *wanted,
                              fx_error *err);

#endif
