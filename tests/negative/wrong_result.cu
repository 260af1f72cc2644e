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

NEGATIVE_PROBE(wrong_result, "Is a kernel found out that does not do its work?")
