/* l2_requests: how many requests does the L2 of the whole chip serve, where each asks for little? Method: all SMs load
 * words past the L1 at random places of a table in the L2; the lanes of an access ask for so many lines. Places are
 * computed, and nothing else is read or written. */
#include "core/probe.h"

enum { REQUESTS, FOOTPRINT };
enum { LINE_BYTES = 128, WORD_BYTES = 4, LOADS = 8 };

static const fx_axis axes[] = {
    {"requests", "requests", "lines that an access requests, with equally many lanes per line: a power of two", NULL, 1,
     FX_WARP, FX_WARP},
    {"footprint", "bytes", "size of the table, a power of two", NULL, 1 << 20, 1 << 30, 8 << 20},
};

static const fx_sweep sweeps[] = {
    {"requests", "requests=1,2,4,8,16,32 footprint=8Mi", "requests=1,32 footprint=8Mi"},
    {"footprint", "requests=4,32 footprint=2Mi,16Mi,32Mi", NULL},
};

static const fx_metric metrics[] = {{"access_ns", "ns", FX_GPU_NS, false, "warp-level access, of the chip's time"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "requests";
    out->count = (double)params->value[REQUESTS];
    out->why_not = "full lines take as long as their bytes do";
    out->useful_bytes = FX_WARP * WORD_BYTES;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[REQUESTS] & (params->value[REQUESTS] - 1)     ? "requests must be a power of two"
           : params->value[FOOTPRINT] & (params->value[FOOTPRINT] - 1) ? "footprint must be a power of two"
           : facts->l2_bytes > 0 && (uint64_t)params->value[FOOTPRINT] > facts->l2_bytes
               ? "footprint must fit into the L2"
               : NULL;
}

#ifdef FX_WITH_CUDA
typedef struct work {
    const uint32_t *table;
    uint32_t lines; /* of the table */
    uint32_t lanes; /* that share a line */
    uint32_t rounds;
    uint64_t seed;
    unsigned long long *sums;
} work;

#include "../l2_words.cuh"
#include "gpu/cuda_half.cuh"

__device__ __forceinline__ uint32_t next_word(uint32_t *state, const work &w) {
    return next_line(state, w) + threadIdx.x % w.lanes;
}

__global__ static void __launch_bounds__(THREADS) request(const __grid_constant__ work w) {
    uint32_t state = first_state(w), sum = 0;
    FX_NO_UNROLL for (uint32_t i = w.rounds; i > 0; i--) {
        /* the barrier: else the assembler puts sums, which wait for the first loads, before the last ones */
        fx_add_groups<LOADS, LOADS>(
            sum, [&](int) { return fx_load<FX_L2, 4>((const char *)(w.table + next_word(&state, w))); },
            [] { __syncwarp(); });
    }
    fx_sums_add(w.sums, sum);
}

/* The oracle: the same sum from the generator. */
__global__ static void __launch_bounds__(THREADS) expect(const __grid_constant__ work w) {
    uint32_t state = first_state(w), sum = 0;
    for (uint32_t i = w.rounds * LOADS; i > 0; i--) {
        sum += fx_random_word(FX_FILL_SEED, next_word(&state, w));
    }
    fx_sums_add(w.sums, sum);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    FX_ARGUMENT(rig, task)->w.seed = 17;
    return arrange_words(rig, v[FOOTPRINT], (unsigned)(FX_WARP / v[REQUESTS]), LOADS, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    const task *t = FX_ARGUMENT(rig, task);
    return fx_gpu_read(rig->gpu, t->w.table, t->bytes, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("", FX_K(request), {"LDG.E.STRONG.GPU", 8}),
    FX_EXPECTED("", FX_K(expect)),
};

FX_PROBE(l2_requests, .question = "How many small requests does the L2 of the whole chip serve?", .method_version = 1,
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
