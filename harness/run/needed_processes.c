/* This decides what to measure once more, and plot/gpufx_plot/statistics/spread.py what a finished archive says. Both
 * lean the spread of a case on those of its probe, but they are two rules, and nothing need hold them together. Here
 * the variance to expect is a case's own inside its processes times one ratio for the probe, the median over its cases,
 * and always worth four degrees of freedom: that needs no line and no iteration, and an error costs a process or saves
 * one. There the variance to expect is a line through all cases, worth as many degrees of freedom as their scatter
 * says, and cases with two states are told apart: an error would be a false verdict. */
#include "needed_processes.h"

#include <math.h>
#include <stdlib.h>

#include "core/fit.h"
#include "core/stats.h"

enum { EXPECTED_FREEDOM = 4 };
static const double LEAST_SPREAD = 5e-5;  /* what clocks and rounding resolve */
static const double NORMAL_95 = 1.959964; /* half-widths of 95 % intervals in standard errors */
static const double UNKNOWN_FACTOR = 9.0; /* variance between processes over that inside, where no case tells */

void fx_repeated_add(fx_repeated *r, double median, double ci_low, double ci_high) {
    double value = log(median), away = value - r->mean;
    r->count++;
    r->mean += away / (double)r->count;
    r->squares += away * (value - r->mean);
    if (ci_low > 0 && ci_high >= ci_low) {
        double error = log(ci_high / ci_low) / 2 / NORMAL_95;
        r->inside += error * error;
        r->known++;
    }
}

/* Never below what clocks resolve: it is a divisor. */
static double inside(const fx_repeated *r) {
    return (r->known ? r->inside / (double)r->known : 0) + LEAST_SPREAD * LEAST_SPREAD;
}

/* The variance of n + 1 values over the true one has this median (Wilson and Hilferty 1931). */
static double median_of_variance(size_t freedom) {
    double x = 1 - 2 / (9 * (double)freedom);
    return x * x * x;
}

/* Variance between processes over that inside, as it is usual in a group: the median over its cases. */
static double usual_ratio(const fx_repeated *cases, size_t count, size_t group, double *scratch) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const fx_repeated *r = &cases[i];
        if (r->group == group && r->count > 1) {
            size_t freedom = r->count - 1;
            scratch[n++] = r->squares / (double)freedom / inside(r) / median_of_variance(freedom);
        }
    }
    return n ? fx_median_finite(scratch, n) : UNKNOWN_FACTOR;
}

/* Of the 95 % interval of the mean. */
static double half_width(const fx_repeated *r, double ratio) {
    size_t freedom = r->count - 1 + EXPECTED_FREEDOM;
    double variance = (r->squares + EXPECTED_FREEDOM * ratio * inside(r)) / (double)freedom;
    return fx_student_t95(freedom) * sqrt(variance / (double)r->count);
}

fx_status fx_processes_wanted(const fx_repeated *cases, size_t count, double precision, bool *more, size_t *wanted,
                              fx_error *err) {
    size_t groups = 0;
    *wanted = 0;
    for (size_t i = 0; i < count; i++) {
        groups = cases[i].group >= groups ? cases[i].group + 1 : groups;
    }
    double *scratch = malloc((count + 1) * sizeof *scratch);
    double *ratio = malloc((groups + 1) * sizeof *ratio);
    if (!scratch || !ratio) {
        free(scratch);
        free(ratio);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while choosing the cases of the next process");
    }
    for (size_t g = 0; g < groups; g++) {
        ratio[g] = usual_ratio(cases, count, g, scratch);
    }
    for (size_t i = 0; i < count; i++) {
        const fx_repeated *r = &cases[i];
        more[i] = r->unmet || r->count == 1 || (r->count > 1 && half_width(r, ratio[r->group]) > precision);
        *wanted += more[i];
    }
    free(scratch);
    free(ratio);
    return FX_OK;
}
