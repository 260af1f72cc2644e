/* A probe whose kernel gives a wrong result: it goes one link further than it should, as if the loop had lost a trip or
 * made one too many. Every lane ends elsewhere than the oracle demands, and every case must fail. */
#include "probe.h"

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)params;
    count_wavefronts(facts, table, out);
}

#ifdef FX_WITH_CUDA
#include "chase.cuh"

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state, uint64_t seed, fx_sample *out, fx_error *err) {
    (void)seed;
    return sample_with((const void *)chase<ONE_LINK_MORE>, gpu, c, state, out, err);
}
#endif

static const fx_probe wrong_result = {
    .contract = FX_PROBE_CONTRACT,
    .name = "wrong_result",
    .question = "Is a kernel found out that does not do its work?",
    .method_version = 1,
    .axes = axes,
    .axis_count = FX_COUNT(axes),
    .sweeps = sweeps,
    .sweep_count = FX_COUNT(sweeps),
    .metrics = metrics,
    .metric_count = FX_COUNT(metrics),
    .fit_by = "",
    .lanes = lanes,
    .law = law,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
};

FX_PROBE(wrong_result)
