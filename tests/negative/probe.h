/* The host half that the negative probes share: one axis, the stride of a shared-memory load. */
#ifndef NEGATIVE_PROBE_H
#define NEGATIVE_PROBE_H

#include "core/probe.h"

enum { STRIDE };

static const fx_axis axes[] = {{"stride", "elements", "distance of neighbouring lanes", NULL, 1, 32, 1}};
static const fx_sweep sweeps[] = {{"stride", "stride=1:32", "stride=1:32"}};
static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "access"}};

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_stride(out, 4, params->value[STRIDE], 0);
    return true;
}

static void count_wavefronts(const fx_facts *facts, const fx_lanes *table, fx_prediction *out) {
    out->law = "wavefronts";
    out->count = fx_law_wavefronts(&facts->geometry, table, 4);
    out->in_fit = true;
    fx_prediction_count(out, "wavefronts", out->count);
}

/* Defines and registers the probe; `law`, and with CUDA `open_case`, `sample_case` and `close_case`, stand in its file.
 */
#define NEGATIVE_PROBE(probe, asked)                                                                                   \
    static const fx_probe probe = {                                                                                    \
        .contract = FX_PROBE_CONTRACT,                                                                                 \
        .name = #probe,                                                                                                \
        .question = (asked),                                                                                           \
        .method_version = 1,                                                                                           \
        .axes = axes,                                                                                                  \
        .axes_count = FX_COUNT(axes),                                                                                  \
        .sweeps = sweeps,                                                                                              \
        .sweeps_count = FX_COUNT(sweeps),                                                                               \
        .metrics = metrics,                                                                                            \
        .metrics_count = FX_COUNT(metrics),                                                                             \
        .fit_by = "",                                                                                                  \
        .lanes = lanes,                                                                                                \
        .law = law,                                                                                                    \
        .open = FX_GPU(open_case),                                                                                     \
        .sample = FX_GPU(sample_case),                                                                                 \
        .close = FX_GPU(close_case),                                                                                   \
    };                                                                                                                 \
    FX_PROBE(probe)

#endif
