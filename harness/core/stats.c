/* Order statistics of one case's samples, and the weighted line through many cases.
 *
 * Everything rests on ranks, since timings have long right tails: the median, its interval by the sign test (free of
 * any assumption about the distribution), Tukey's fences. Samples are judged, never dropped. */
#include "stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_FOR_INTERVAL = 6,   /* 2 / 2^6 is the first n that reaches 95 % */
    MIN_FOR_LAG1 = 31,      /* 2 / sqrt(n) is the large-sample limit of white noise */
    MAX_EXACT_RANK = 16000, /* 2^-n leaves the exponent of a long double soon after */
};

static const double DRIFT_LIMIT = 0.005;

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Quantile of sorted values by linear interpolation, Hyndman and Fan's type 7: the default of R and NumPy. */
static double quantile(const double *sorted, size_t n, double q) {
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double fx_median_finite(double *values, size_t n) {
    size_t finite = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            values[finite++] = values[i];
    if (finite == 0)
        return NAN;
    qsort(values, finite, sizeof *values, ascending);
    return quantile(values, finite, 0.5);
}

size_t fx_sign_test_rank(size_t n) {
    if (n > MAX_EXACT_RANK)
        return (size_t)((double)n / 2 - 0.979982 * sqrt((double)n));
    long double term = ldexpl(1, -(int)n), sum = term;
    size_t k = 0;
    while (k < n / 2 && sum <= 0.025L) {
        k++;
        term *= (long double)(n - k + 1) / (long double)k;
        sum += term;
    }
    return k;
}

static void interval(const double *sorted, size_t n, double *low, double *high) {
    size_t k = fx_sign_test_rank(n);
    *low = k ? sorted[k - 1] : NAN;
    *high = k ? sorted[n - k] : NAN;
}

static size_t count_outliers(const double *sorted, size_t n) {
    double q1 = quantile(sorted, n, 0.25), q3 = quantile(sorted, n, 0.75);
    double low = q1 - 1.5 * (q3 - q1), high = q3 + 1.5 * (q3 - q1);
    size_t outliers = 0;
    for (size_t i = 0; i < n; i++)
        outliers += sorted[i] < low || sorted[i] > high;
    return outliers;
}

static bool has_drift(const double *samples, size_t n, double *scratch) {
    size_t third = n / 3;
    if (third < MIN_FOR_INTERVAL)
        return false;
    memcpy(scratch, samples, third * sizeof *scratch);
    double low, high, first = fx_median_finite(scratch, third);
    interval(scratch, third, &low, &high);
    memcpy(scratch, samples + n - third, third * sizeof *scratch);
    double last = fx_median_finite(scratch, third);
    return (last < low || last > high) && fabs(last - first) > DRIFT_LIMIT * fabs(first);
}

static double lag1(const double *samples, size_t n) {
    double mean = 0, variance = 0, covariance = 0;
    for (size_t i = 0; i < n; i++)
        mean += samples[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        variance += (samples[i] - mean) * (samples[i] - mean);
        if (i + 1 < n)
            covariance += (samples[i] - mean) * (samples[i + 1] - mean);
    }
    return covariance / variance;
}

fx_status fx_summarise(const double *samples, size_t n, fx_summary *out, fx_error *err) {
    *out = (fx_summary){0};
    if (n == 0)
        return fx_fail(err, FX_BAD_INPUT, "there are no samples to summarise: take at least one");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(samples[i]))
            return fx_fail(err, FX_BAD_INPUT, "sample %zu is not a finite number: discard the case", i);
    double *sorted = n <= SIZE_MAX / sizeof *sorted ? malloc(n * sizeof *sorted) : NULL;
    if (!sorted)
        return fx_fail(err, FX_NO_MEMORY, "no memory to sort %zu samples: take fewer", n);
    memcpy(sorted, samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    out->n = n;
    out->median = quantile(sorted, n, 0.5);
    interval(sorted, n, &out->ci_low, &out->ci_high);
    out->min = sorted[0];
    out->max = sorted[n - 1];
    out->outliers = count_outliers(sorted, n);
    /* Equal samples leave only rounding about their mean, and that correlates perfectly. */
    out->lag1 = out->min < out->max ? lag1(samples, n) : 0;
    out->autocorrelated = n >= MIN_FOR_LAG1 && out->lag1 > 2 / sqrt((double)n);
    out->drift = has_drift(samples, n, sorted);
    free(sorted);
    return FX_OK;
}

double fx_summary_precision(const fx_summary *summary) {
    if (isnan(summary->ci_low) || summary->median == 0)
        return INFINITY;
    return (summary->ci_high - summary->ci_low) / 2 / fabs(summary->median);
}

fx_status fx_fit_line(const double *x, const double *y, size_t n, fx_fit *out, fx_error *err) {
    *out = (fx_fit){.n = n};
    double weights = 0, mean_x = 0, mean_y = 0, plain_mean_y = 0;
    bool distinct = false, varies = false;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]) || y[i] <= 0)
            return fx_fail(err, FX_BAD_INPUT, "no line can be fitted: point %zu is (%g, %g), and y must be above 0", i,
                           x[i], y[i]);
        double weight = 1 / (y[i] * y[i]);
        weights += weight;
        mean_x += weight * x[i];
        mean_y += weight * y[i];
        plain_mean_y += y[i] / (double)n;
        distinct |= x[i] > x[0] || x[i] < x[0];
        varies |= y[i] > y[0] || y[i] < y[0];
    }
    if (!distinct)
        return fx_fail(err, FX_BAD_INPUT, "no line can be fitted through %zu points with fewer than two distinct x", n);
    mean_x /= weights;
    mean_y /= weights;

    /* Sums about the means: the textbook form cancels badly when x runs from 4 to 2^30. */
    double sxx = 0, sxy = 0;
    for (size_t i = 0; i < n; i++) {
        double weight = 1 / (y[i] * y[i]);
        sxx += weight * (x[i] - mean_x) * (x[i] - mean_x);
        sxy += weight * (x[i] - mean_x) * (y[i] - mean_y);
    }
    out->b = sxy / sxx;
    out->a = mean_y - out->b * mean_x;

    double ss_res = 0, ss_tot = 0;
    for (size_t i = 0; i < n; i++) {
        double residual = y[i] - out->a - out->b * x[i], residual_pct = 100 * fabs(residual) / y[i];
        ss_res += residual * residual;
        ss_tot += (y[i] - plain_mean_y) * (y[i] - plain_mean_y);
        if (residual_pct > out->largest_residual_pct) {
            out->largest_residual_pct = residual_pct;
            out->worst = i;
        }
    }
    out->r_squared = varies ? 1 - ss_res / ss_tot : NAN;
    return FX_OK;
}
