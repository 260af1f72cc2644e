/* Fits over many cases: measured = a + b * law. */
#pragma once

#include "error.h"

typedef struct fx_fit {
    size_t n;
    double a, b; /* y = a + b x */
    /* 95 % intervals of a and b, each for itself, where the law holds; NAN under 3 points. */
    double a_low, a_high, b_low, b_high;
    double r_squared;            /* 1 - SS_res / SS_tot, unweighted; NAN where y does not vary. Decides nothing */
    double residual_sd_pct;      /* standard deviation of (y - a - b x) / y, n - 2 degrees of freedom; NAN under 3 */
    double largest_residual_pct; /* largest |y - a - b x| / y */
    size_t worst;                /* index of that point */
} fx_fit;

/* Least squares over relative errors (weights 1/y^2), since a timing's error grows with the timing. Needs two distinct
 * x and y > 0: else FX_BAD_INPUT with the reason. The intervals are Student's, from the residuals and n - 2 degrees of
 * freedom: right where the points lie on a line but for independent relative errors of one size, which medians of cases
 * have. What the law gets wrong widens them, but no interval can cover a wrong law: see fx_fit_holds. */
fx_status fx_fit_line(const double *x, const double *y, size_t n, fx_fit *out, fx_error *err);

/* What the fit makes of a count, a + b * count: the only place that computes it. */
double fx_fit_cost(const fx_fit *fit, double count);

/* Whether the law holds on this chip, the one place that decides it: no point further than 10 % from the line, and the
 * residuals of all points spread by no more than 4 % (one standard deviation, so that of new points about 99 in 100 lie
 * within the 10 %). Both are relative to what was measured, as the fit is. R^2 would not do: it is a matter of the
 * largest points, so over counts that span decades it is 0.999 whatever the small ones do, and where the law's count
 * matters little (400 cycles, and one more for each count) it blames the law for the noise. */
bool fx_fit_holds(const fx_fit *fit);

/* The t that a variable of Student's distribution exceeds in magnitude once in 20; freedom >= 1. */
double fx_student_t95(size_t freedom);
