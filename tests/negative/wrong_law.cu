/* A probe with a wrong law: "the cost of a shared-memory load grows with its stride". The kernel is sound. The fit must
 * find it out by its largest residual. */
#include "probe.h"

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    count_wavefronts(facts, table, out);
    out->law = "stride";
    out->count = (double)params->value[STRIDE];
}

#ifdef FX_WITH_CUDA
#include "chase.cuh"
#endif

NEGATIVE_PROBE(wrong_law, "Is a law found out that does not hold?", chase, SOUND)
