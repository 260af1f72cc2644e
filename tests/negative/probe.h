/* The host half that the negative probes share: one axis, the stride of a shared-memory load. */
#pragma once

#include "core/probe.h"

enum { STRIDE };

/* Faults that can be put into the kernel of chase.cuh. */
enum { SOUND, ONE_LINK_MORE };

static const fx_axis axes[] = {{"stride", "elements", "distance between neighbouring lanes", NULL, 1, 32, 1}};
static const fx_sweep sweeps[] = {{"stride", "stride=1:32", "stride=1:32"}};
static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "access"}};

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_stride(out, 4, params->value[STRIDE], 0);
    return true;
}

static void count_wavefronts(const fx_facts *facts, const fx_lanes *table, fx_prediction *out) {
    out->law = "wavefronts";
    out->count = fx_law_wavefronts(&facts->geometry, table, 4);
    fx_prediction_count(out, "wavefronts", out->count);
}

/* Defines and registers the probe; `law` stands in its file, and what follows names its kernel, as for FX_K. */
#define NEGATIVE_PROBE(probe, asked, ...)                                                                              \
    static const fx_kernel kernels[] = {{"", FX_K(__VA_ARGS__), FX_WORK, 0, {{"LDS", FX_CHAIN_STEPS}}}};               \
    static const fx_probe probe = {                                                                                    \
        .name = #probe,                                                                                                \
        .question = (asked),                                                                                           \
        .method_version = 1,                                                                                           \
        FX_PARTS,                                                                                                      \
        .fit_by = "",                                                                                                  \
        .lanes = lanes,                                                                                                \
        .draw = FX_GPU(draw),                                                                                          \
    };                                                                                                                 \
    FX_REGISTER(probe)
