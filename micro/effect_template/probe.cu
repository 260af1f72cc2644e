/* effect_template: what does a warp shuffle cost, by the width of the value? Copy this folder to begin an effect of
 * your own: CONTRIBUTING.md says how. Method: each lane takes the value of the lane `distance` further on, over and
 * over. The hardware shuffles 32 bits at a time, so the law is the number of words. */
#include "core/probe.h"

enum { MODE, TYPE, DISTANCE };
enum { THROUGHPUT, LATENCY };

static const fx_axis axes[] = {
    {"mode", "", "cycles per shuffle of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"type", "", "type of the value", "int32 int64 int128", 0, 0, 0},
    {"distance", "lanes", "distance to the lane that the value comes from", NULL, 1, 31, 1},
};

static const fx_sweep sweeps[] = {
    {"type", "mode=throughput,latency type=int32,int64,int128", "mode=throughput type=int32,int64,int128"},
    {"distance", "mode=throughput,latency type=int32 distance=1:31", NULL},
};

static const fx_metric metrics[] = {{"shuffle_cycles", "cycles", FX_SM_CYCLES, false, "warp-level shuffle"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "words";
    out->count = (double)(1 << params->value[TYPE]);
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

typedef struct work {
    uint64_t seed;
    uint32_t distance, steps; /* steps: shuffles of all passes together */
} work;

template <int WORDS_> __global__ void exchange(FX_TIMED_WITH(work, w)) {
    const uint32_t lane = threadIdx.x % FX_WARP, from = (lane + w.distance) % FX_WARP;
    const uint32_t origin = (lane + w.steps * w.distance) % FX_WARP;
    uint32_t value[WORDS_];
    for (int i = 0; i < WORDS_; i++) {
        value[i] = fx_random_word(w.seed, lane * WORDS_ + i);
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
        FX_UNROLL for (int s = 0; s < FX_CHAIN_STEPS * WORDS_; s++) {
            value[s % WORDS_] = __shfl_sync(FX_ALL_LANES, value[s % WORDS_], from);
        }
    };
    const auto drain = [&] { blockDim.x == FX_WARP ? fx_consume(value[0]) : void(); };
    fx_timed_passes(timed, marks, FX_ALL_LANES, trip, drain);
    const auto is_wrong = [&](int i) { return value[i] != fx_random_word(w.seed, origin * WORDS_ + i); };
    fx_timed_end_all<WORDS_>(timed, marks, is_wrong);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    FX_ARGUMENT(rig, work)->distance = (uint32_t)c->params.value[DISTANCE];
    rig->warps = c->params.value[MODE] == LATENCY ? 1 : 32;
    rig->accesses = FX_CHAIN_STEPS;
    rig->trip_cycles = rig->accesses * c->prediction.count * (rig->warps == 1 ? 24 : 64);
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    FX_ARGUMENT(rig, work)->seed = seed;
    FX_ARGUMENT(rig, work)->steps = (uint32_t)fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, FX_WARP);
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("type=int32", FX_K(exchange, 1), {"SHFL.IDX", FX_CHAIN_STEPS}),
    FX_TIMED("type=int64", FX_K(exchange, 2), {"SHFL.IDX", 2 * FX_CHAIN_STEPS}),
    FX_TIMED("type=int128", FX_K(exchange, 4), {"SHFL.IDX", 4 * FX_CHAIN_STEPS}),
};

FX_PROBE(effect_template, .question = "What does a warp shuffle cost, by the width of the value?", .method_version = 1,
         FX_PARTS, .fit_by = "mode", .draw = FX_GPU(draw))
