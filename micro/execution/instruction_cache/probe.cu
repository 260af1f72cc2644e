/* instruction_cache: what do instructions cost, by how much code a loop runs through? Method: one long run of
 * independent multiply-adds. A warp loops over the part of it that its case says: data choose where it comes in and
 * where it leaves, so all cases share one machine code. */
#include "core/probe.h"

enum { PATHS, CODE, WARPS, BLOCKS };
enum { SAME, APART, TWO };
enum { MOST_WARPS = 32, SCHEDULERS = 4, KIB = 1024, MOST_CODE = 256 * KIB };

static const fx_axis axes[] = {
    {"paths", "",
     "paths of the warps: through the same loop in step, spread over it, or "
     "every other group of four in a second loop, like two kernels on one SM",
     "same apart two", 0, 0, SAME},
    {"code", "bytes", "code of a loop, a multiple of 1024", NULL, KIB, MOST_CODE, 16 * KIB},
    {"warps", "warps", "warps of the block", NULL, 1, MOST_WARPS, 1},
    {"blocks", "blocks", "blocks: 1, or 0 for one on each SM", NULL, 0, 1, 1},
};

static const fx_sweep sweeps[] = {
    {"one", "paths=same warps=1 code=4Ki,8Ki,16Ki,24Ki,32Ki,40Ki,48Ki,64Ki,96Ki,112Ki,128Ki,160Ki,192Ki,256Ki",
     "paths=same warps=1 code=8Ki,64Ki,256Ki"},
    {"full", "paths=same warps=4,32 code=16Ki,32Ki,64Ki,96Ki,128Ki,160Ki,256Ki", "paths=same warps=32 code=16Ki,256Ki"},
    {"apart", "paths=apart warps=32 code=16Ki,32Ki,64Ki,96Ki,128Ki,256Ki", "paths=apart warps=32 code=16Ki"},
    {"two", "paths=two warps=32 code=16Ki,32Ki,64Ki,96Ki,128Ki", "paths=two warps=32 code=16Ki"},
    {"chip", "paths=same warps=4,32 blocks=0 code=16Ki,64Ki,256Ki", NULL},
};

/* What the caches before the L2 hold, between the points of the grid. In the first level the cost grows slowly, as
 * fetching ahead hides less and less, so it has no flat part. */
static const fx_search searches[] = {{"paths=same warps=1 blocks=1", "code", FX_FIRST_ENDS, KIB, 0.3, NULL}};

static const fx_metric metrics[] = {{"instruction_cycles", "cycles", FX_SM_CYCLES, false, "warp-level instruction"}};

/* A staircase: each flat part is a level, and what it holds is what is asked. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value, paths = v[PATHS];
    return facts->compute_major < 7
               ? "code of known size needs compute capability 7.0 or newer, where an instruction takes 16 bytes"
           : v[CODE] % KIB != 0 ? "code must be a multiple of 1024"
           : paths == APART && (v[WARPS] < 2 || v[CODE] < 2 * KIB)
               ? "paths=apart needs warps=2 or more and code=2048 or more"
           : paths == TWO && (v[WARPS] % (2 * SCHEDULERS) != 0 || v[CODE] > MOST_CODE / 2)
               ? "paths=two needs warps=8, 16, 24 or 32 and code up to 131072"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* A long run of code as one piece of PTX: 256 granules of 64 machine instructions (from sm_70 on 1 KiB each). A warp
 * comes in at the granule `at`, by an indirect branch where that is not the first, and leaves behind the granule
 * `last`: a test and a branch in each. So one and the same code serves all lengths, and data decide. */

enum { GRANULES = 256, GRANULE_BYTES = 1024, GRANULE_FMAS = 62, CHAINS = 8, INSTRUCTION_BYTES = 16 };

/* How many of a granule's multiply-adds go to a chain. */
__host__ __device__ constexpr uint32_t fmas_of_chain(uint32_t chain) {
    return GRANULE_FMAS / CHAINS + (chain < GRANULE_FMAS % CHAINS);
}

// clang-format off
#define EACH_LOW(F, high)                                                                                              \
    F(high, 0) F(high, 1) F(high, 2) F(high, 3) F(high, 4) F(high, 5) F(high, 6) F(high, 7)                            \
    F(high, 8) F(high, 9) F(high, a) F(high, b) F(high, c) F(high, d) F(high, e) F(high, f)
#define EACH(F)                                                                                                        \
    EACH_LOW(F, 0) EACH_LOW(F, 1) EACH_LOW(F, 2) EACH_LOW(F, 3) EACH_LOW(F, 4) EACH_LOW(F, 5) EACH_LOW(F, 6)           \
    EACH_LOW(F, 7) EACH_LOW(F, 8) EACH_LOW(F, 9) EACH_LOW(F, a) EACH_LOW(F, b) EACH_LOW(F, c) EACH_LOW(F, d)           \
    EACH_LOW(F, e) EACH_LOW(F, f)
// clang-format on
#define FMA(chain)      "fma.rn.f32 %" #chain ", %" #chain ", %8, %9;\n"
#define SIX             FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5)
#define EIGHT           SIX FMA(6) FMA(7)
#define NAME(high, low) "G" #high #low ", "
#define GRANULE(high, low)                                                                                             \
    "G" #high #low ":\n" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT SIX "setp.eq.u32 p, %11, 0x" #high #low             \
    ";\n@p bra.uni OUT;\n"

/* Each multiply-add makes its chain x more, as `one` is 1. */
__device__ __forceinline__ void run_code(float (&chain)[CHAINS], float one, float x, uint32_t at, uint32_t last) {
    asm volatile(
        "{\n.reg .pred p;\nT: .branchtargets " EACH(NAME) "OUT;\nsetp.ne.u32 p, %10, 0;\n@p bra.uni FAR;\n" EACH(
            GRANULE) "bra.uni OUT;\nFAR: brx.idx.uni %10, T;\nOUT:\n}"
        : "+f"(chain[0]), "+f"(chain[1]), "+f"(chain[2]), "+f"(chain[3]), "+f"(chain[4]), "+f"(chain[5]),
          "+f"(chain[6]), "+f"(chain[7])
        : "f"(one), "f"(x), "r"(at), "r"(last));
}

typedef struct work {
    uint32_t granules; /* of a loop */
    uint32_t paths;
    float one, zero, times; /* times: granules that each warp goes through in all passes */
    uint32_t seed;
} work;

/* A trip is one way through the loop, or, of those that are apart, its second or its first part in turn. */
__global__ void __launch_bounds__(MOST_WARPS *FX_WARP) run(FX_TIMED_WITH(work, w)) {
    const uint32_t warp = threadIdx.x / FX_WARP, warps = blockDim.x / FX_WARP;
    const float x = (float)(1 + fx_random_word(w.seed, threadIdx.x % FX_WARP) % 3);
    const uint32_t from = w.paths == TWO ? warp / SCHEDULERS % 2 * w.granules : 0, end = from + w.granules - 1;
    const uint32_t middle = 1 + warp * (w.granules - 1) / warps;
    /* A shuffle makes them numbers that the compiler knows to be the same in all lanes, and nothing more. */
    const uint32_t at[2] = {__shfl_sync(FX_ALL_LANES, from, 0),
                            __shfl_sync(FX_ALL_LANES, w.paths == APART ? middle : from, 0)};
    const uint32_t last[2] = {__shfl_sync(FX_ALL_LANES, w.paths == APART ? middle - 1 : end, 0),
                              __shfl_sync(FX_ALL_LANES, end, 0)};
    const float one = w.one + (float)threadIdx.x * w.zero; /* in a register, too */
    float chain[CHAINS] = {0};
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t trip) { run_code(chain, one, x, trip % 2 ? at[1] : at[0], trip % 2 ? last[1] : last[0]); },
        [&] { blockDim.x == FX_WARP ? fx_consume(__float_as_uint(chain[0])) : void(); });
    fx_timed_end_all<CHAINS>(timed, marks, [&](int c) { return chain[c] != w.times * (float)fmas_of_chain(c) * x; });
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    work *w = FX_ARGUMENT(rig, work);
    w->granules = (uint32_t)(v[CODE] / GRANULE_BYTES);
    w->paths = (uint32_t)v[PATHS];
    w->one = 1;
    rig->warps = (unsigned)v[WARPS];
    if (v[BLOCKS] == 0) { /* so much shared memory that no SM takes two */
        rig->blocks = (unsigned)rig->gpu->facts.sm_count;
        rig->shared_bytes = rig->gpu->facts.shared_per_block_bytes;
        rig->carveout_pct = 100;
    }
    rig->accesses = (double)(v[CODE] / INSTRUCTION_BYTES) / (v[PATHS] == APART ? 2 : 1);
    rig->trip_cycles = rig->accesses * (rig->warps < SCHEDULERS ? 1.0 : rig->warps / (double)SCHEDULERS);
    rig->trips = (fx_rig_trips(rig, rig->trip_cycles) + 1) / 2 * 2;
    rig->together = rig->warps > 1; /* one warp can keep a scheduler busy until it is done */
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = (uint32_t)seed;
    w->times =
        (float)fx_timed_total_trips(&rig->timed) * (float)w->granules / (c->params.value[PATHS] == APART ? 2.0f : 1.0f);
    return FX_OK;
}
#endif

/* FFMA: 62 of each of 256 granules. LDC: the table of the indirect branch. */
static const fx_kernel kernels[] = {
    FX_TIMED_FROM(70, "", FX_K(run), {"FFMA", 62 * 256}, {"BRX", 1}, {"LDC", 1}, {"BRA", 0}),
};

FX_PROBE(instruction_cache, .question = "What do instructions cost, by how much code a loop runs through?",
         .method_version = 1, FX_PARTS, .supported = supported, .draw = FX_GPU(draw), FX_TABLE(searches), .once = true)
