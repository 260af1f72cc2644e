/* Statistics of one case's samples, and fits over many cases. Nothing here allocates except where it says so. */
#ifndef FX_STATS_H
#define FX_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fx_summary {
    size_t n;
    double median, ci_low, ci_high; /* 95 % interval of the median by the sign test; NAN, NAN under 6 samples */
    double min, max;
    size_t outliers;     /* beyond 1.5 interquartile ranges (Tukey) */
    bool drift;          /* the last third's median lies outside the first third's interval and differs by over 0.5 % */
    double lag1;         /* autocorrelation at lag 1; 0 where the samples do not vary */
    bool autocorrelated; /* lag1 > 2 / sqrt(n), n >= 31 */
} fx_summary;

/* Summarises n >= 1 finite samples in order of time. Allocates scratch of n doubles: FX_NO_MEMORY if that fails. */
fx_status fx_summarise(const double *samples, size_t n, fx_summary *out, fx_error *err);

/* Half-width of the interval over the median: the sampler's stopping rule. INFINITY under 6 samples. */
double fx_summary_precision(const fx_summary *summary);

/* Rank k (1-based) of the sign-test interval [x(k), x(n-k+1)]: the largest k with sum_{j<k} C(n,j)/2^n <= 0.025; 0 if
 * there is none (n < 6). Source: Conover, Practical Nonparametric Statistics, 3.2. fx_sign_test_rank(31) == 10. */
size_t fx_sign_test_rank(size_t n);

/* Median of the finite ones among n values, which it reorders; NAN if there is none. */
double fx_median_finite(double *values, size_t n);

typedef struct fx_fit {
    size_t n;
    double a, b;                 /* y = a + b x */
    double r_squared;            /* 1 - SS_res / SS_tot, unweighted; NAN where y does not vary */
    double largest_residual_pct; /* largest |y - a - b x| / y */
    size_t worst;                /* index of that point */
} fx_fit;

/* Least squares over relative errors (weights 1/y^2), since a timing's error grows with the timing. Needs two distinct
 * x and y > 0: else FX_BAD_INPUT with the reason. */
fx_status fx_fit_line(const double *x, const double *y, size_t n, fx_fit *out, fx_error *err);

#ifdef __cplusplus
}
#endif
#endif
