/* l2_stores: what does a store cost the L2 of the whole chip, by the lines and sectors that its lanes write? Method:
 * all SMs store words at random places of a table in the L2, of so many lines an access. A word follows from its place
 * and the sample, so it does not matter which store comes last; all are read back. */
#include "core/probe.h"

enum { LINES, PLACE, FOOTPRINT };
enum { SPREAD, TOGETHER };
enum { LINE_BYTES = 128, SECTOR_BYTES = 32, WORD_BYTES = 4, STORES = 8 };

static const fx_axis axes[] = {
    {"lines", "lines", "lines that the lanes of an access write, an equal number of words to each: a power of two",
     NULL, 1, FX_WARP, FX_WARP},
    {"place", "", "place of the words in a line", "spread together", 0, 0, SPREAD},
    {"footprint", "bytes", "size of the table, a power of two", NULL, 1 << 20, 1 << 30, 8 << 20},
};

static const fx_sweep sweeps[] = {
    {"spread", "lines=8,16,32 place=spread footprint=8Mi", "lines=32 place=spread footprint=8Mi"},
    {"together", "lines=1,2,4,8,16 place=together footprint=8Mi", "lines=1 place=together footprint=8Mi"},
    {"footprint", "lines=32 place=spread footprint=2Mi,16Mi", NULL},
};

static const fx_metric metrics[] = {{"access_ns", "ns", FX_GPU_NS, false, "warp-level access, of the chip's time"}};

/* Words that an access writes to a line, and bytes from one to the next. */
static unsigned words_of(const fx_params *params) {
    return (unsigned)(FX_WARP / params->value[LINES]);
}

static unsigned step_of(const fx_params *params) {
    return params->value[PLACE] == TOGETHER ? WORD_BYTES : SECTOR_BYTES;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned sectors = (words_of(params) * step_of(params) + SECTOR_BYTES - 1) / SECTOR_BYTES;
    out->law = "lines_and_sectors";
    out->count = (double)params->value[LINES] * (1 + sectors);
    out->why_not = params->value[PLACE] == SPREAD && params->value[FOOTPRINT] == 8 << 20
                       ? NULL
                       : "whole sectors cost less than partly written ones, and small tables collide";
    out->useful_bytes = FX_WARP * WORD_BYTES;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[LINES] & (params->value[LINES] - 1)           ? "lines must be a power of two"
           : params->value[FOOTPRINT] & (params->value[FOOTPRINT] - 1) ? "footprint must be a power of two"
           : words_of(params) * step_of(params) > LINE_BYTES ? "a line has four sectors: spread takes 8 lines or more"
           : facts->l2_bytes > 0 && (uint64_t)params->value[FOOTPRINT] > facts->l2_bytes
               ? "footprint must fit into the L2"
               : NULL;
}

#ifdef FX_WITH_CUDA
typedef struct work {
    uint32_t *table;
    uint32_t lines; /* of the table */
    uint32_t lanes; /* that share a line */
    uint32_t step;  /* words from one of them to the next */
    uint32_t rounds;
    uint64_t seed;
    unsigned long long *sums;
} work;

#include "../l2_words.cuh"

__device__ __forceinline__ uint32_t next_word(uint32_t *state, const work &w) {
    return next_line(state, w) + threadIdx.x % w.lanes * w.step;
}

/* Of a place: the same whoever stores it. */
__device__ __forceinline__ uint32_t word_of(uint32_t at, const work &w) {
    return at * 2654435761u + (uint32_t)w.seed;
}

__global__ static void __launch_bounds__(THREADS) store(const __grid_constant__ work w) {
    uint32_t state = first_state(w);
    FX_NO_UNROLL for (uint32_t i = w.rounds; i > 0; i--) {
        FX_UNROLL for (int l = 0; l < STORES; l++) {
            const uint32_t at = next_word(&state, w);
            asm volatile("st.global.u32 [%0], %1;" ::"l"(w.table + at), "r"(word_of(at, w)) : "memory");
        }
    }
}

/* The oracle: words that are not what was stored there. */
__global__ static void __launch_bounds__(THREADS) check(const __grid_constant__ work w) {
    uint32_t state = first_state(w), wrong = 0;
    for (uint32_t i = w.rounds * STORES; i > 0; i--) {
        const uint32_t at = next_word(&state, w);
        wrong += w.table[at] != word_of(at, w);
    }
    fx_sums_add(w.sums, wrong);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    FX_ARGUMENT(rig, task)->w.step = step_of(&c->params) / WORD_BYTES;
    return arrange_words(rig, c->params.value[FOOTPRINT], words_of(&c->params), STORES, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->w.seed = seed;
    return fx_gpu_read(rig->gpu, t->w.table, t->bytes, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("", FX_K(store), {"STG.E", 8}),
    FX_CHECKED("", FX_K(check)),
};

FX_PROBE(l2_stores,
         .question = "What does a store cost the L2 of the whole chip, by the lines and sectors that it writes?",
         .method_version = 1, FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
