/* What Google Benchmark shows of a case. */
#include <math.h>
#include <stdio.h>

#include "process_private.h"

static void set_counters(gb_state *state, const fx_case *c, const fx_result *result) {
    const fx_prediction *law = &c->prediction;
    const fx_metric *metric = &c->probe->metrics[law->metric];
    double median = result->summary.median, half = (result->summary.ci_high - result->summary.ci_low) / 2;
    double ns = fx_nanoseconds(metric, median, result->sm_clock_MHz);
    gb_set_counter(state, metric->name, median);
    gb_set_counter(state, "samples", (double)result->n);
    if (isfinite(half)) {
        gb_set_counter(state, "ci_half", half);
    }
    if (law->law) {
        gb_set_counter(state, law->law, law->count);
    }
    if (law->useful_bytes > 0 && isfinite(ns)) {
        gb_set_counter(state, "useful_GBps", law->useful_bytes / ns);
    }
    if (law->moved_bytes > 0 && isfinite(ns)) {
        gb_set_counter(state, "moved_GBps", law->moved_bytes / ns);
    }
}

/* "precision", or "max_samples: drift, throttled (sw_power_cap; clock recorded by the SM)". */
static void set_label(gb_state *state, const fx_result *result) {
    char label[512], limits[256];
    int at = snprintf(label, sizeof label, "%s", fx_stop_name(result->stop));
    fx_throttle_text(result, limits, sizeof limits);
    for (uint32_t flag = 1, first = 1; flag && at > 0 && (size_t)at < sizeof label; flag <<= 1) {
        if ((result->flags & flag) && fx_flag_name(flag)) {
            const bool limited = flag == FX_FLAG_THROTTLED;
            at += snprintf(label + at, sizeof label - (size_t)at, "%s%s%s%s%s", first ? ": " : ", ", fx_flag_name(flag),
                           limited ? " (" : "", limited ? limits : "", limited ? ")" : "");
            first = 0;
        }
    }
    gb_set_label(state, label);
}

double fx_process_shown_s(const fx_case *c, const fx_result *result) {
    const fx_metric *metric = &c->probe->metrics[c->prediction.metric];
    double clock_MHz = isfinite(result->sm_clock_MHz) ? result->sm_clock_MHz : result->after.sm_MHz;
    double ns = fx_nanoseconds(metric, result->summary.median, clock_MHz);
    if (!isfinite(ns)) {
        ns = result->summary.median;
    }
    return isfinite(ns) && ns >= 0 ? ns * 1e-9 : 0;
}

void fx_process_show(gb_state *state, const fx_case *c, const fx_result *result) {
    set_counters(state, c, result);
    set_label(state, result);
}
