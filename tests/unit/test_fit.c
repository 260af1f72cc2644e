/* Fits: the planted line is found, its worst point named, and whether the law holds is decided by residuals. */
#include "unit.h"

#include <math.h>

#include "core/fit.h"

#include "numbers.h"
#include "vectors.h"

TEST(fit_names_its_worst_point) {
    fx_fit fit;
    double x[] = {1, 2, 3, 4, 5, 6}, y[] = {12, 14, 16, 22, 20, 22};
    assert_ok(fx_fit_line(x, y, 6, &fit, &err));
    assert_int_equal(fit.worst, 3);
    assert_near(fit.largest_residual_pct, 100 * (22 - fit.a - 4 * fit.b) / 22, 1e-9);
    assert_true(fit.r_squared > 0.5 && fit.r_squared < 0.95);
    double flat[] = {33.1, 33.1, 33.1, 33.1, 33.1, 33.1};
    assert_ok(fx_fit_line(x, flat, 6, &fit, &err));
    assert_near(fit.b, 0, 1e-12);
    assert_true(isnan(fit.r_squared));
    assert_near(fit.residual_sd_pct, 0, 1e-9);
    assert_ok(fx_fit_line(x, y, 2, &fit, &err));
    assert_true(isnan(fit.residual_sd_pct) && fx_fit_holds(&fit)); /* two points are on their line */
}

/* Relative residuals of +s and -s in turns about a known line: the spread is s sqrt(n / (n - 2)), but for what the fit
 * gains by turning. */
static fx_fit zigzag(double s_pct, double farthest_pct) {
    enum { N = 40 };
    double x[N], y[N];
    fx_fit fit;
    fx_error err;
    for (size_t i = 0; i < N; i++) {
        x[i] = ldexp(1, (int)i / 2); /* 1 to 2^19, each twice */
        const double error = i == 2 * 10 ? farthest_pct : s_pct;
        y[i] = (3 + 5 * x[i]) / (1 + (i % 2 ? -error : error) / 100);
    }
    assert_ok(fx_fit_line(x, y, N, &fit, &err));
    return fit;
}

/* All are relative: R^2 sees only the largest points, and is 0.999 throughout. */
TEST(a_law_holds_by_its_residuals_alone) {
    const fx_fit fine = zigzag(1, 1), spread = zigzag(6, 6), one_off = zigzag(1, -14);
    assert_near(fine.residual_sd_pct, 1, 0.1);
    assert_near(fine.largest_residual_pct, 1, 0.1);
    assert_true(fx_fit_holds(&fine));
    assert_near(spread.residual_sd_pct, 6, 0.4);
    assert_true(spread.largest_residual_pct < 10);
    assert_false(fx_fit_holds(&spread)); /* no point beyond 10 %, but a law that is wrong everywhere */
    assert_true(one_off.residual_sd_pct < 4 && one_off.largest_residual_pct > 10);
    assert_false(fx_fit_holds(&one_off));
    /* 400 cycles and one more for each count, 2 % of noise: R^2 is low, and it is no fault of the law's. */
    double x[40], y[40];
    fx_fit flat;
    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)(i % 8 + 1);
        y[i] = (400 + x[i]) * (i % 3 ? 1.02 : 0.98);
    }
    assert_ok(fx_fit_line(x, y, 40, &flat, &err));
    assert_true(flat.r_squared < 0.5 && fx_fit_holds(&flat));
}

static void assert_known(const json_t *line, const char *key, double found) {
    const json_t *wanted = json_object_get(line, key);
    if (json_is_null(wanted)) {
        assert_true(isnan(found));
    } else {
        const double number = json_number_value(wanted);
        assert_near(found, number, 1e-8 * fmax(1, fabs(number)));
    }
}

static void assert_interval(const json_t *line, const char *key, double low, double high) {
    const json_t *wanted = json_object_get(line, key);
    if (json_is_null(wanted)) {
        assert_true(isnan(low) && isnan(high));
        return;
    }
    const double ends[] = {json_number_value(json_array_get(wanted, 0)), json_number_value(json_array_get(wanted, 1))};
    assert_near(low, ends[0], 1e-7 * fmax(1, fabs(ends[0])));
    assert_near(high, ends[1], 1e-7 * fmax(1, fabs(ends[1])));
}

TEST(the_cases_of_the_file) {
    json_t *file = vectors("fit.json");
    const json_t *cases = json_object_get(file, "cases"), *one;
    size_t index, i;
    assert_true(json_array_size(cases) > 10);
    json_array_foreach(cases, index, one) {
        const json_t *points = json_object_get(one, "points"), *point, *line = json_object_get(one, "line");
        double x[16], y[16];
        const size_t n = json_array_size(points);
        fx_fit fit;
        if (json_object_get(one, "without")) { /* which gpufx_plot alone does */
            continue;
        }
        assert_in_range(n, 0, 16);
        json_array_foreach(points, i, point) {
            x[i] = json_number_value(json_array_get(point, 0));
            y[i] = json_number_value(json_array_get(point, 1));
        }
        const bool fitted = fx_fit_line(x, y, n, &fit, &err) == FX_OK;
        if (fitted == json_is_null(line)) {
            fail_msg("%s: a line was %sfitted", json_string_value(json_object_get(one, "what")), fitted ? "" : "not ");
        }
        if (!fitted) {
            continue;
        }
        assert_int_equal(fit.n, (size_t)number_at(line, "n"));
        assert_known(line, "a", fit.a);
        assert_known(line, "b", fit.b);
        assert_known(line, "residual_sd_pct", fit.residual_sd_pct);
        assert_known(line, "largest_residual_pct", fit.largest_residual_pct);
        assert_interval(line, "a_ci95", fit.a_low, fit.a_high);
        assert_interval(line, "b_ci95", fit.b_low, fit.b_high);
        if (fit.largest_residual_pct > 1e-6) {
            assert_int_equal(fit.worst, (size_t)number_at(line, "worst"));
        }
    }
    json_decref(file);
}

TEST(student_as_the_file_says) {
    json_t *file = vectors("student.json");
    const json_t *cases = json_object_get(file, "cases"), *one;
    size_t index;
    assert_true(json_array_size(cases) > 10);
    json_array_foreach(cases, index, one) {
        const double t = number_at(one, "t");
        assert_near(fx_student_t95((size_t)number_at(one, "freedom")), t, 1e-9 * t);
    }
    json_decref(file);
}

TEST(fit_refuses_what_is_no_line) {
    fx_fit fit;
    assert_int_equal(fx_fit_line((double[]){3, 3}, (double[]){1, 2}, 2, &fit, &err), FX_BAD_INPUT);
    assert_says(err.text, "two distinct x");
    assert_int_equal(fx_fit_line((double[]){1, 2}, (double[]){1, 0}, 2, &fit, &err), FX_BAD_INPUT);
    assert_says(err.text, "point 1");
    assert_int_equal(fx_fit_line((double[]){1, NAN}, (double[]){1, 1}, 2, &fit, &err), FX_BAD_INPUT);
}

UNIT_MAIN(NULL, NULL)
