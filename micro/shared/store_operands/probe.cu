/* store_operands: does a store cost more when the registers that it stores have just been computed? Method: each store
 * comes with as many additions as it has words; `fresh` of them are to words that it stores, the others to words that
 * nobody stores, so that variants differ in nothing but the registers that additions write. */
#include "core/probe.h"

enum { MEMORY, WIDTH, FRESH, SETS, WAYS };
enum { SHARED, GLOBAL };
enum { MOST_SETS = 4 };

static const fx_axis axes[] = {
    {"memory", "", "memory that takes the stores: shared memory, or global memory in the L2", "shared global", 0, 0,
     SHARED},
    {"width", "bytes", "bytes per lane: 4, 8 or 16", NULL, 4, 16, 16},
    {"fresh", "registers", "registers of a store that an addition rewrites between two stores of them", NULL, 0, 4, 4},
    {"sets", "", "sets of values that stores take in turn: 1 or 4", NULL, 1, MOST_SETS, MOST_SETS},
    {"ways", "elements", "distance between neighbouring lanes: the ways of the bank conflict, 1, 2, 4 or 8", NULL, 1, 8,
     1},
};

static const fx_sweep sweeps[] = {
    {"shared_4", "memory=shared width=4 fresh=0,1 sets=1,4 ways=1,2,4,8", NULL},
    {"shared_8", "memory=shared width=8 fresh=0,2 sets=1,4 ways=1,2,4,8", NULL},
    {"shared_16", "memory=shared width=16 fresh=0,4 sets=1,4 ways=1,2,4,8",
     "memory=shared width=16 fresh=0,4 sets=4 ways=1,2,4"},
    {"shared_part", "memory=shared width=16 fresh=2,3 sets=4 ways=1,2,4,8", NULL},
    {"global_4", "memory=global width=4 fresh=0,1 sets=4 ways=1,2,4,8", NULL},
    {"global_16", "memory=global width=16 fresh=0,4 sets=4 ways=1,2,4,8", NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_stride(out, (unsigned)params->value[WIDTH], params->value[WAYS], 0);
    return true;
}

/* The steps of the store itself; what fresh registers add to them is what the fits' a and b tell, group by group. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = (unsigned)params->value[WIDTH];
    const bool shared = params->value[MEMORY] == SHARED;
    out->law = shared ? "shared_store" : "l2_store";
    out->count = shared ? fx_law_shared_store(geometry, table, width) : fx_law_l2_store(geometry, table, width);
    out->useful_bytes = fx_law_useful_bytes(table, width);
    fx_prediction_count(out, "wavefronts", fx_law_store_wavefronts(geometry, table, width));
    fx_prediction_count(out, "sectors", fx_law_blocks(table, width, geometry->sector_bytes));
    fx_prediction_count(out, "fresh", (double)params->value[FRESH]);
    fx_prediction_count(out, "words", width / 4.0);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH], sets = params->value[SETS], ways = params->value[WAYS];
    return width != 4 && width != 8 && width != 16 ? "width must be 4, 8 or 16"
           : params->value[FRESH] != 0 && params->value[FRESH] != width / 4 &&
                   (params->value[MEMORY] != SHARED || width != 16 || sets != MOST_SETS || params->value[FRESH] < 2)
               ? "fresh must be 0 or all registers of a store, width / 4; 2 and 3 need memory=shared width=16 sets=4"
           : sets != 1 && sets != MOST_SETS ? "sets must be 1 or 4"
           : params->value[MEMORY] == GLOBAL && (width == 8 || sets != MOST_SETS)
               ? "memory=global needs width=4 or width=16, and sets=4"
           : ways & (ways - 1) ? "ways must be 1, 2, 4 or 8"
                               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* Each set has a place of its own; in shared memory all warps write the same words. */
enum { WARPS = 32, ACCESSES = 32, PASS_CYCLES = 96000, PLACE_BYTES = 4096, PLACES_BYTES = 4 * PLACE_BYTES };

typedef struct work {
    fx_lanes lanes;
    char *data; /* global memory: each warp's places */
    float zero; /* 0, but the compiler does not know */
    uint32_t trips;
} work;

template <int MEMORY_, int WIDTH_, typename ADDRESS_>
__device__ __forceinline__ void put(ADDRESS_ address, const float *v) {
    if constexpr (MEMORY_ == SHARED) {
        FX_STORE_WORDS("st.volatile.shared.", "f32", "r", "f", v[0], v[1], v[2], v[3])
    } else {
        FX_STORE_WORDS("st.global.", "f32", "l", "f", v[0], v[1], v[2], v[3])
    }
}

template <int MEMORY_> __device__ __forceinline__ auto place_of(char *shared, const work &w) {
    if constexpr (MEMORY_ == SHARED) {
        return (uint32_t)__cvta_generic_to_shared(shared) + w.lanes.offset[threadIdx.x % FX_WARP];
    } else {
        return w.data + threadIdx.x / FX_WARP * PLACES_BYTES + w.lanes.offset[threadIdx.x % FX_WARP];
    }
}

/* The last ones: of the first ones the assembler would make copies. */
__host__ __device__ constexpr bool is_fresh(int word, int words, int fresh) {
    return word >= words - fresh;
}

/* Additions of floats are never joined by the compiler; sums of ones are exact. */
template <int MEMORY_, int WIDTH_, int FRESH_, int SETS_>
__global__ void __launch_bounds__(WARPS *FX_WARP) store(FX_TIMED_WITH(work, w)) {
    constexpr int words = WIDTH_ / 4;
    extern __shared__ __align__(16) char shared[];
    const auto place = place_of<MEMORY_>(shared, w);
    const float one = 1 + (float)threadIdx.x * w.zero; /* in a register of each lane's own */
    float stored[SETS_][words], other[SETS_][words];
    for (int s = 0; s < SETS_; s++) {
        for (int i = 0; i < words; i++) {
            stored[s][i] = (float)(words * s + i) + one;
            other[s][i] = stored[s][i] - one;
        }
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<ACCESSES>(timed, marks, FX_ALL_LANES, [&](uint32_t, int a) {
        float *const mine = stored[a % SETS_], *const idle = other[a % SETS_];
        FX_UNROLL for (int i = 0; i < words; i++) {
            float &sum = is_fresh(i, words, FRESH_) ? mine[i] : idle[i];
            sum += one;
        }
        put<MEMORY_, WIDTH_>(place + a % SETS_ * PLACE_BYTES, mine);
    });
    const float added = (float)(w.trips * (ACCESSES / SETS_));
    bool wrong = false;
    __threadfence();
    __syncthreads();
    for (int s = 0; s < SETS_; s++) {
        for (int i = 0; i < words; i++) {
            const float first = (float)(words * s + i) + 1.0f;
            const float want = first + (is_fresh(i, words, FRESH_) ? added : 0);
            float got;
            if constexpr (MEMORY_ == SHARED) {
                asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(got) : "r"(place + s * PLACE_BYTES + 4 * i));
            } else {
                got = __ldcg((const float *)(place + s * PLACE_BYTES) + i);
            }
            wrong |= got != want || (!is_fresh(i, words, FRESH_) && other[s][i] != first - 1.0f + added);
        }
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->lanes = c->lanes;
    rig->warps = WARPS;
    rig->accesses = ACCESSES;
    rig->pass_cycles = PASS_CYCLES;
    rig->together = true; /* a warp whose stores wait for nothing leaves no window to the others */
    rig->trip_cycles = ACCESSES * WARPS * c->prediction.count;
    rig->carveout_pct = 100;
    if (c->params.value[MEMORY] == SHARED) {
        rig->shared_bytes = PLACES_BYTES;
        return FX_OK;
    }
    return fx_rig_memory(rig, &w->data, FX_DEVICE_MEMORY, WARPS * PLACES_BYTES, 0, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    FX_ARGUMENT(rig, work)->trips = fx_timed_total_trips(&rig->timed);
    return FX_OK;
}
#endif

/* Each store with as many additions as it has words, whoever gets them. */
#define ROW(memory, where, width, fresh, sets, opcode)                                                                 \
    FX_TIMED(where " width=" #width " fresh=" #fresh " sets=" #sets, FX_K(store, memory, width, fresh, sets),          \
             {opcode, 32}, {"FADD", 32 * width / 4})
#define ON_SHARED(width, fresh, sets, opcode) ROW(SHARED, "memory=shared", width, fresh, sets, opcode)
#define ON_GLOBAL(width, fresh, opcode)       ROW(GLOBAL, "memory=global", width, fresh, 4, opcode)

static const fx_kernel kernels[] = {
    ON_SHARED(4, 0, 1, "STS"),      ON_SHARED(4, 0, 4, "STS"),      ON_SHARED(4, 1, 1, "STS"),
    ON_SHARED(4, 1, 4, "STS"),      ON_SHARED(8, 0, 1, "STS.64"),   ON_SHARED(8, 0, 4, "STS.64"),
    ON_SHARED(8, 2, 1, "STS.64"),   ON_SHARED(8, 2, 4, "STS.64"),   ON_SHARED(16, 0, 1, "STS.128"),
    ON_SHARED(16, 0, 4, "STS.128"), ON_SHARED(16, 4, 1, "STS.128"), ON_SHARED(16, 4, 4, "STS.128"),
    ON_SHARED(16, 2, 4, "STS.128"), ON_SHARED(16, 3, 4, "STS.128"), ON_GLOBAL(4, 0, "STG.E"),
    ON_GLOBAL(4, 1, "STG.E"),       ON_GLOBAL(16, 0, "STG.E.128"),  ON_GLOBAL(16, 4, "STG.E.128"),
};

FX_PROBE(store_operands,
         .question = "Does a store cost more when the registers that it stores have just been computed?",
         .method_version = 1, FX_PARTS, .fit_by = "memory width fresh sets", .lanes = lanes, .supported = supported,
         .draw = FX_GPU(draw), .once = true)
