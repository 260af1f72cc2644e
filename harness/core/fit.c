/* The weighted line through many cases, how well a and b are known, and whether the law behind it holds. */

#include "fit.h"

static const double MOST_RESIDUAL_PCT = 10, MOST_SPREAD_PCT = 4;

/* The probability of [-t, t] under Student's distribution, t = tan(angle) sqrt(freedom). Source: Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 26.7.3 and 26.7.4: a finite sum for a whole number of degrees of freedom. */
static double student_inside(double angle, size_t freedom) {
    const bool odd = freedom % 2 == 1;
    double c2 = cos(angle) * cos(angle), term = odd ? cos(angle) : 1, sum = freedom > 1 ? term : 0;
    for (size_t k = odd ? 3 : 2; k + 2 <= freedom; k += 2) {
        term *= c2 * (double)(k - 1) / (double)k;
        sum += term;
    }
    sum *= sin(angle);
    return odd ? (angle + sum) * M_2_PI : sum;
}

double fx_student_t95(size_t freedom) {
    double low = 0, high = M_PI_2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_inside(middle, freedom) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return tan(high) * sqrt((double)freedom);
}

fx_status fx_fit_line(const double *x, const double *y, size_t n, fx_fit *out, fx_error *err) {
    *out = (fx_fit){.n = n};
    double weights = 0, mean_x = 0, mean_y = 0, plain_mean_y = 0;
    bool distinct = false, varies = false;
    for (size_t i = 0; i < n; i++) {
        FX_FAIL_IF(!isfinite(x[i]) || !isfinite(y[i]) || y[i] <= 0, err, FX_BAD_INPUT,
                   "no line can be fitted: point %zu is (%g, %g), and y must be above 0", i, x[i], y[i]);
        double weight = 1 / (y[i] * y[i]);
        weights += weight;
        mean_x += weight * x[i];
        mean_y += weight * y[i];
        plain_mean_y += y[i] / (double)n;
        distinct |= x[i] > x[0] || x[i] < x[0];
        varies |= y[i] > y[0] || y[i] < y[0];
    }
    FX_FAIL_IF(!distinct, err, FX_BAD_INPUT, "no line can be fitted to %zu points with fewer than two distinct x", n);
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

    double ss_res = 0, ss_tot = 0, relative = 0;
    for (size_t i = 0; i < n; i++) {
        double residual = y[i] - fx_fit_cost(out, x[i]), residual_pct = 100 * fabs(residual) / y[i];
        ss_res += residual * residual;
        relative += residual * residual / (y[i] * y[i]);
        ss_tot += (y[i] - plain_mean_y) * (y[i] - plain_mean_y);
        if (residual_pct > out->largest_residual_pct) {
            out->largest_residual_pct = residual_pct;
            out->worst = i;
        }
    }
    out->r_squared = varies ? 1 - ss_res / ss_tot : NAN;

    const double sd = n > 2 ? sqrt(relative / (double)(n - 2)) : NAN;
    const double t = n > 2 ? fx_student_t95(n - 2) * sd : NAN;
    out->residual_sd_pct = 100 * sd;
    double a_half = t * sqrt(1 / weights + mean_x * mean_x / sxx), b_half = t * sqrt(1 / sxx);
    out->a_low = out->a - a_half;
    out->a_high = out->a + a_half;
    out->b_low = out->b - b_half;
    out->b_high = out->b + b_half;
    return FX_OK;
}

double fx_fit_cost(const fx_fit *fit, double count) {
    return fit->a + fit->b * count;
}

bool fx_fit_holds(const fx_fit *fit) {
    const bool narrow = !(fit->residual_sd_pct > MOST_SPREAD_PCT); /* a line through two points has no spread */
    return fit->largest_residual_pct <= MOST_RESIDUAL_PCT && narrow;
}
