/* A probe whose kernel gives a wrong result: it goes one link further than it should, as if the loop had lost a trip or
 * made one too many. Every lane ends elsewhere than the oracle demands, and every case must fail. */
#include "probe.h"

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)params;
    count_wavefronts(facts, table, out);
}

#ifdef FX_WITH_CUDA
#include "chase.cuh"
#endif

NEGATIVE_PROBE(wrong_result, "Is a kernel found out that does not do its work?", chase, ONE_LINK_MORE)
