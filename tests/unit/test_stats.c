/* Medians, the sign-test interval and its coverage, outliers, drift, autocorrelation: each against a truth that was
 * planted or worked out by hand. */
#include "unit.h"

#include <math.h>

#include "core/stats.h"

#include "numbers.h"

static fx_summary summarise(const double *samples, size_t n) {
    fx_error err = {0};
    fx_summary summary;
    assert_ok(fx_summarise(samples, n, &summary, &err));
    return summary;
}

TEST(rank_of_the_sign_test) {
    /* From the table of the binomial distribution (Conover, table A3). */
    static const size_t table[][2] = {{1, 0},  {5, 0},  {6, 1},   {8, 1},   {9, 2},   {12, 3},  {15, 4},
                                      {20, 6}, {25, 8}, {30, 10}, {31, 10}, {40, 14}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(fx_sign_test_rank(table[i][0]), table[i][1]);
    }
    /* Where the approximation takes over, it continues the exact ranks. */
    assert_in_range(fx_sign_test_rank(16001), fx_sign_test_rank(16000) - 1, fx_sign_test_rank(16000) + 2);
}

TEST(median_and_extremes) {
    fx_summary odd = summarise((double[]){5, 1, 3}, 3);
    assert_near(odd.median, 3, 0);
    assert_near(odd.min, 1, 0);
    assert_near(odd.max, 5, 0);
    assert_true(isnan(odd.ci_low) && isnan(odd.ci_high));
    assert_true(isinf(fx_summary_precision(&odd)));
    assert_near(summarise((double[]){4, 1, 3, 2}, 4).median, 2.5, 0);
    assert_near(summarise((double[]){7}, 1).median, 7, 0);

    fx_summary six = summarise((double[]){6, 5, 4, 3, 2, 1}, 6);
    assert_near(six.ci_low, 1, 0);
    assert_near(six.ci_high, 6, 0);
    assert_near(fx_summary_precision(&six), 2.5 / 3.5, 1e-12);
}

TEST(interval_has_the_ranks_10_and_22_of_31) {
    double samples[31];
    for (size_t i = 0; i < 31; i++) {
        samples[i] = (double)((i * 7) % 31 + 1); /* 1 to 31 in another order */
    }
    fx_summary summary = summarise(samples, 31);
    assert_near(summary.ci_low, 10, 0);
    assert_near(summary.ci_high, 22, 0);
}

TEST(bad_samples_are_refused) {
    fx_summary summary;
    assert_int_equal(fx_summarise(NULL, 0, &summary, &err), FX_BAD_INPUT);
    assert_int_equal(fx_summarise((double[]){1, NAN}, 2, &summary, &err), FX_BAD_INPUT);
    assert_says(err.text, "sample 1");
}

TEST(tukey_counts_what_lies_beyond_the_fences) {
    /* Quartiles 3.25 and 7.75 (type 7): fences at -3.5 and 14.5. */
    assert_int_equal(summarise((double[]){-3.4, 2, 3, 4, 5, 6, 7, 8, 9, 14.4}, 10).outliers, 0);
    assert_int_equal(summarise((double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 15}, 10).outliers, 1);
    assert_int_equal(summarise((double[]){-4, 2, 3, 4, 5, 6, 7, 8, 9, 15}, 10).outliers, 2);
    assert_int_equal(summarise((double[]){3, 3, 3, 3, 3, 3, 4}, 7).outliers, 1);
}

TEST(drift_is_seen_and_noise_is_not_drift) {
    enum { N = 60 };
    double samples[N];
    uint64_t seed = 3;
    for (size_t i = 0; i < N; i++) {
        samples[i] = 100 * (1 + 0.001 * normal(&seed) + 0.02 * (double)i / N);
    }
    assert_true(summarise(samples, N).drift);
    for (size_t i = 0; i < N; i++) {
        samples[i] = 100 * (1 + 0.001 * normal(&seed));
    }
    assert_false(summarise(samples, N).drift);
    /* A step outside the interval, and smaller than the half percent that matters. */
    for (size_t i = 0; i < N; i++) {
        samples[i] = i < N / 2 ? 100 : 100.4;
    }
    assert_false(summarise(samples, N).drift);
    for (size_t i = N / 2; i < N; i++) {
        samples[i] = 100.6;
    }
    assert_true(summarise(samples, N).drift);
    assert_false(summarise((double[]){1, 1, 1, 2, 2, 2}, 6).drift);
}

TEST(autocorrelation_at_lag_1) {
    assert_near(summarise((double[]){1, 2, 3, 4}, 4).lag1, 0.25, 1e-12);
    enum { N = 101 };
    double samples[N], walk = 0;
    uint64_t seed = 5;
    for (size_t i = 0; i < N; i++) {
        samples[i] = 33.1; /* a deterministic chip; the mean of these is not 33.1 */
    }
    assert_near(summarise(samples, N).lag1, 0, 0);
    assert_false(summarise(samples, N).autocorrelated);
    for (size_t i = 0; i < N; i++) {
        walk = 0.8 * walk + normal(&seed);
        samples[i] = 1000 + walk;
    }
    fx_summary correlated = summarise(samples, N);
    assert_true(correlated.autocorrelated);
    assert_in_range(100 * correlated.lag1, 60, 95);
    assert_false(summarise(samples, 30).autocorrelated); /* too few to tell */
    size_t false_alarms = 0;
    for (size_t run = 0; run < 1000; run++) {
        for (size_t i = 0; i < N; i++) {
            samples[i] = 1000 + normal(&seed);
        }
        false_alarms += summarise(samples, N).autocorrelated;
    }
    assert_in_range(false_alarms, 0, 8); /* a level of 0.2 %; 2 / sqrt(n) had about 20 */
}

TEST(median_of_the_finite) {
    double mixed[] = {NAN, 3, INFINITY, 1, NAN, 2};
    assert_near(fx_median_finite(mixed, 6), 2, 0);
    double none[] = {NAN, NAN};
    assert_true(isnan(fx_median_finite(none, 2)));
}

UNIT_MAIN(NULL, NULL)
