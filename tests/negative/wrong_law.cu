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

NEGATIVE_PROBE(wrong_law, "Is a law found out that does not hold?")
