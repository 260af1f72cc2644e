/* A probe whose kernel never runs: an empty one is launched in its place, as when a launch goes to the wrong function
 * or a kernel returns at once. Nobody writes the records, which were poisoned before, and every case must fail. */
#include "probe.h"

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)params;
    count_wavefronts(facts, table, out);
}

#ifdef FX_WITH_CUDA
#include "chase.cuh"

__global__ void nothing(const __grid_constant__ fx_timed timed, const __grid_constant__ ring r) {
    (void)timed, (void)r;
}
#endif

NEGATIVE_PROBE(never_runs, "Is a kernel found out that was never launched?", nothing)
