/* Quadratic in the number of SMs, which is small. */
#include "over_sms.h"

#include <math.h>
#include <stdbool.h>

#include "grow.h"
#include "stats.h"

static double median_on(int sm, const double *samples, const int *sms, size_t n, double *scratch) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (sms[i] == sm) {
            scratch[count++] = samples[i];
        }
    }
    return fx_median_finite(scratch, count);
}

static bool seen_before(const int *sms, size_t i) {
    for (size_t j = 0; j < i; j++) {
        if (sms[j] == sms[i]) {
            return true;
        }
    }
    return false;
}

static void add(fx_over_sms *out, int sm, double median) {
    if (out->count == 0 || median < out->low) {
        out->low = median;
        out->low_sm = sm;
    }
    if (out->count == 0 || median > out->high) {
        out->high = median;
        out->high_sm = sm;
    }
    out->count++;
}

void fx_over_sms_of(const double *samples, const int *sms, size_t n, double *level, fx_over_sms *out) {
    bool several = false;
    *out = (fx_over_sms){0};
    memcpy(level, samples, n * sizeof *samples);
    for (size_t i = 0; i < n; i++) {
        if (sms[i] < 0) {
            return;
        }
        several = several || sms[i] != sms[0];
    }
    if (!several) {
        return;
    }
    double *scratch = fx_new(n, sizeof *scratch);
    memcpy(scratch, samples, n * sizeof *samples);
    const double middle = fx_median_finite(scratch, n);
    for (size_t i = 0; i < n; i++) {
        if (seen_before(sms, i)) {
            continue;
        }
        const double median = median_on(sms[i], samples, sms, n, scratch);
        add(out, sms[i], median);
        for (size_t j = i; j < n && fabs(median) > 0; j++) {
            /* A sample that is its SM's median becomes `middle` to the last bit: rounding has an order, too. */
            level[j] = sms[j] == sms[i] ? middle + (samples[j] - median) * (middle / median) : level[j];
        }
    }
    free(scratch);
}
