/* A probe with a wrong law: "the cost of a shared-memory load grows with its stride". The kernel is sound. The fit must
 * find it out: R2 and the largest residual. */
#include "probe.h"

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    count_wavefronts(facts, table, out);
    out->law = "stride";
    out->count = (double)params->value[STRIDE];
}

#ifdef FX_WITH_CUDA
#include "chase.cuh"

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state, uint64_t seed, fx_sample *out, fx_error *err) {
    (void)seed;
    return sample_with((const void *)chase<SOUND>, gpu, c, state, out, err);
}
#endif

static const fx_probe wrong_law = {
    .contract = FX_PROBE_CONTRACT,
    .name = "wrong_law",
    .question = "Is a law found out that does not hold?",
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

FX_PROBE(wrong_law)
