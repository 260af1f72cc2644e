/* Order statistics of one case's samples.
 *
 * Everything rests on ranks, since timings have long right tails: the median, its interval by the sign test (free of
 * any assumption about the distribution), Tukey's fences, and the tests of order in time, whose false alarms are then
 * known whatever the noise is like. Samples are judged, never dropped. */
#include "stats.h"

enum {
    MIN_FOR_INTERVAL = 6,   /* 2 / 2^6 is the first n that reaches 95 % */
    MIN_FOR_THIRD = 5,      /* one in C(16, 5) = 4368 orders of 16 parts five from the rest */
    MIN_FOR_LAG1 = 31,      /* the limits below are those of large samples */
    MANY_RANKS = 24,        /* above, the normal distribution serves */
    MIN_OFF_MODE = 8,       /* samples that differ from the commonest value */
    MAX_EXACT_RANK = 16000, /* 2^-n leaves the exponent of a long double soon after */
};

static const double DRIFT_LIMIT = 0.005;

/* Of a standard normal: 0.1 % lie outside +-3.29, and drift is three such tests; 0.2 % lie above 2.88. The two flags
 * together then stay at 0.6 % of the cases that have nothing but noise (tests/unit/test_planted_chips.c measures). */
static const double ORDER_LIMIT = 3.29, LAG1_LIMIT = 2.88;

typedef struct entry {
    double value;
    size_t index; /* in order of time */
} entry;

int fx_ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int ascending_entries(const void *left, const void *right) {
    return fx_ascending(&((const entry *)left)->value, &((const entry *)right)->value);
}

/* Quantile of sorted values by linear interpolation, Hyndman and Fan's type 7: the default of R and NumPy. */
static double quantile(const double *sorted, size_t n, double q) {
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    if (below + 1 >= n) {
        return sorted[n - 1];
    }
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double fx_median_finite(double *values, size_t n) {
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i])) {
            values[finite++] = values[i];
        }
    }
    if (finite == 0) {
        return NAN;
    }
    qsort(values, finite, sizeof *values, fx_ascending);
    return quantile(values, finite, 0.5);
}

size_t fx_sign_test_rank(size_t n) {
    if (n > MAX_EXACT_RANK) {
        return (size_t)((double)n / 2 - FX_NORMAL_95 / 2 * sqrt((double)n));
    }
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
    for (size_t i = 0; i < n; i++) {
        outliers += sorted[i] < low || sorted[i] > high;
    }
    return outliers;
}

/* ranks[i]: the rank of sample i about the mean rank, equal samples sharing theirs. Returns how many samples differ
 * from the commonest value. */
static size_t centred_ranks(const entry *sorted, size_t n, double *ranks) {
    size_t commonest = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && !(sorted[to].value > sorted[from].value); to++)
            ;
        for (size_t i = from; i < to; i++) {
            ranks[sorted[i].index] = ((double)from + (double)to - (double)n) / 2;
        }
        commonest = to - from > commonest ? to - from : commonest;
    }
    return n - commonest;
}

/* Correlation of the ranks with a score for each moment, in standard deviations: 1 in samples from..to-1 and 0
 * elsewhere, or the time itself where from is to. If the order of the samples tells nothing, its mean is 0 and its
 * variance 1 / (n - 1), whatever the scores and however many samples are equal (Pitman 1937). */
static double tendency(const double *ranks, size_t n, size_t from, size_t to) {
    double count = (double)n, mean = from == to ? (count - 1) / 2 : (double)(to - from) / count;
    double ranks2 = 0, scores2 = 0, both = 0;
    for (size_t i = 0; i < n; i++) {
        double score = (from == to ? (double)i : i >= from && i < to ? 1 : 0) - mean;
        ranks2 += ranks[i] * ranks[i];
        scores2 += score * score;
        both += score * ranks[i];
    }
    return ranks2 > 0 ? both / sqrt(ranks2 * scores2) * sqrt(count - 1) : 0;
}

/* Serial correlation of the ranks, in standard deviations. If the order tells nothing, its mean is -1 / n and its
 * variance about (n - 2)^2 / (n^2 (n - 1)) (Moran 1948; Bartels 1982 for ranks). */
static double succession(const double *ranks, size_t n) {
    double ranks2 = 0, both = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        ranks2 += ranks[i] * ranks[i];
        both += i + 1 < n ? ranks[i] * ranks[i + 1] : 0;
    }
    return ranks2 > 0 ? (both / ranks2 + 1 / count) * count * sqrt(count - 1) / (count - 2) : 0;
}

/* The limit for a tendency of n ranks. A correlation r of n is as far out as r sqrt((n - 2) / (1 - r^2)) is for Student
 * with n - 2 degrees of freedom (Kendall and Gibbons 1990, 4.17), whose quantile is Cornish and Fisher's: 16 ranks go
 * with time as surely by r = 0.74 as the normal distribution has it for 0.85. Of many they are the same, and the
 * smaller limit is left to few, where the test is blind without it. */
static double order_limit(size_t n) {
    if (n > MANY_RANKS) {
        return ORDER_LIMIT;
    }
    const double z = ORDER_LIMIT, freedom = (double)n - 2;
    const double t =
        z + (pow(z, 3) + z) / (4 * freedom) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * freedom * freedom);
    return t * sqrt(((double)n - 1) / (freedom + t * t));
}

/* Two demands: the order is not chance, and its effect is large enough to matter. Spearman's correlation with time
 * finds a steady drift, the rank sums of the outer thirds a step near the beginning or the end. */
static bool has_drift(const double *samples, const double *ranks, size_t n, double *scratch) {
    size_t third = n / 3;
    if (third < MIN_FOR_THIRD) {
        return false;
    }
    const double limit = order_limit(n);
    if (fabs(tendency(ranks, n, 0, 0)) <= limit && fabs(tendency(ranks, n, 0, third)) <= limit &&
        fabs(tendency(ranks, n, n - third, n)) <= limit) {
        return false;
    }
    memcpy(scratch, samples, third * sizeof *scratch);
    double first = fx_median_finite(scratch, third);
    memcpy(scratch, samples + n - third, third * sizeof *scratch);
    double last = fx_median_finite(scratch, third);
    return fabs(last - first) > DRIFT_LIMIT * fabs(first);
}

static double lag1(const double *samples, size_t n) {
    double mean = 0, variance = 0, covariance = 0;
    for (size_t i = 0; i < n; i++) {
        mean += samples[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        variance += (samples[i] - mean) * (samples[i] - mean);
        if (i + 1 < n) {
            covariance += (samples[i] - mean) * (samples[i + 1] - mean);
        }
    }
    return covariance / variance;
}

fx_status fx_summarise(const double *samples, size_t n, fx_summary *out, fx_error *err) {
    *out = (fx_summary){0};
    if (n == 0) {
        return fx_fail(err, FX_BAD_INPUT, "there are no samples to summarise: take at least one");
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(samples[i])) {
            return fx_fail(err, FX_BAD_INPUT, "sample %zu is not a finite number: discard the case", i);
        }
    }
    FX_FREED entry *entries = fx_new(n, sizeof *entries + 2 * sizeof(double));
    double *sorted = (double *)(entries + n), *ranks = sorted + n;
    for (size_t i = 0; i < n; i++) {
        entries[i] = (entry){samples[i], i};
    }
    qsort(entries, n, sizeof *entries, ascending_entries);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = entries[i].value;
    }
    out->n = n;
    out->median = quantile(sorted, n, 0.5);
    interval(sorted, n, &out->ci_low, &out->ci_high);
    out->min = sorted[0];
    out->max = sorted[n - 1];
    out->outliers = count_outliers(sorted, n);
    size_t off_mode = centred_ranks(entries, n, ranks);
    /* Equal samples leave only rounding about their mean, and that correlates perfectly. */
    out->lag1 = out->min < out->max ? lag1(samples, n) : 0;
    out->autocorrelated = n >= MIN_FOR_LAG1 && off_mode >= MIN_OFF_MODE && succession(ranks, n) > LAG1_LIMIT;
    out->drift = has_drift(samples, ranks, n, sorted);
    return FX_OK;
}

double fx_summary_precision(const fx_summary *summary) {
    if (isnan(summary->ci_low) || summary->median == 0) {
        return INFINITY;
    }
    return (summary->ci_high - summary->ci_low) / 2 / fabs(summary->median);
}
