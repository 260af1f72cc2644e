/* Statistics of one case's samples. Nothing here allocates except where it says so. */
#pragma once

#include "error.h"

/* Half of a 95 % interval of a normal distribution, in standard deviations. */
#define FX_NORMAL_95 1.959964

/* Of two doubles, for qsort. */
int fx_ascending(const void *left, const void *right);

typedef struct fx_summary {
    size_t n;
    double median, ci_low, ci_high; /* 95 % interval of the median by the sign test; NAN, NAN under 6 samples */
    double min, max;
    size_t
        outliers; /* beyond 1.5 interquartile ranges (Tukey); of normal noise that is about one sample in a hundred */
    /* The medians of the first and last third differ by over 0.5 %, and the order of the samples is no chance: their
     * ranks go with time, or are higher or lower in one of the outer thirds than elsewhere, each at a level of 0.1 %;
     * n >= 15. Of 16 samples a straight drift of 6.5 standard deviations of the noise from first to last is found in 99
     * of 100 cases, of 32 one of 4.5, and a clear step with 9 on either side; of 100 samples a drift of 2.5. */
    bool drift;
    double lag1; /* autocorrelation at lag 1; 0 where the samples do not vary */
    /* Neighbouring samples resemble each other: the serial correlation of their *ranks*, so that two outliers in a row
     * are no alarm, lies 2.88 standard deviations above that of a random order (a level of 0.2 %); n >= 31, and at
     * least 8 samples differ from the commonest value. 2 / sqrt(n), the usual limit, is one of 2.3 % for each case, and
     * the sampler's many cases would cry wolf. With 100 samples each of which keeps 60 % of the one before, found in 99
     * of 100 cases; with 50, 80 %. */
    bool autocorrelated;
} fx_summary;

/* Summarises n >= 1 finite samples in order of time. Allocates scratch. */
fx_status fx_summarise(const double *samples, size_t n, fx_summary *out, fx_error *err);

/* Half-width of the interval over the median: the sampler's stopping rule. INFINITY under 6 samples. */
double fx_summary_precision(const fx_summary *summary);

/* Rank k (1-based) of the sign-test interval [x(k), x(n-k+1)]: the largest k with sum_{j<k} C(n,j)/2^n <= 0.025; 0 if
 * there is none (n < 6). Source: Conover, Practical Nonparametric Statistics, 3.2. fx_sign_test_rank(31) == 10. */
size_t fx_sign_test_rank(size_t n);

/* Median of the finite ones among n values, which it reorders; NAN if there is none. */
double fx_median_finite(double *values, size_t n);
