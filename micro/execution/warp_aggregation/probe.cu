/* warp_aggregation: what does it gain to add up a warp's values first, and add one sum? Method: every lane adds to one
 * word: an atomic for each lane; the warp's sum by shuffles or by one instruction, and one atomic of it; or what the
 * compiler makes of an address that is one for the block. One SM, or all of them on one word. Each lane adds another
 * value, or the sum would be made once. */
#include "../atomics.h"

enum { MODE, SPACE, TYPE, METHOD, OWNER, BLOCKS };
enum { THROUGHPUT, DEVICE };
enum { ACCESS_CYCLES, ACCESS_NS };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or ns per access of all SMs", "throughput device", 0, 0, THROUGHPUT},
    {"space", "", "memory that holds the word", "shared global", 0, 0, GLOBAL},
    {"type", "", "type of the word", "int32 int64 float32", 0, 0, INT32},
    {"method", "", "one atomic per lane; one per warp, after a sum by shuffles or by redux; or the compiler's choice",
     "plain shuffle redux compiler", 0, 0, PLAIN},
    {"owner", "", "owner of a private word: each warp, each block, or only the whole grid", "warp block grid", 0, 0,
     BY_WARP},
    {"blocks", "blocks", "blocks on the whole device; 0: one per SM", NULL, 0, 1024, 0},
};

static const fx_sweep sweeps[] = {
    {"gathered", "mode=throughput space=shared,global type=int32 owner=warp,block method=plain,shuffle,redux",
     "mode=throughput space=shared,global type=int32 owner=warp method=plain,redux"},
    {"gathered_compiler", "mode=throughput space=shared,global type=int32 owner=block method=compiler", NULL},
    {"gathered_float", "mode=throughput space=shared,global type=float32 owner=warp,block method=plain,shuffle", NULL},
    {"one_word_gathered",
     "mode=device space=global type=int32 owner=grid method=plain,redux,compiler blocks=1,4,16,64,0",
     "mode=device space=global type=int32 owner=grid method=redux blocks=1,0"},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"},
    {"access_ns", "ns", FX_GPU_NS, false, "warp-level access"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)facts, (void)table; /* what is compared is ways to do the same */
    out->metric = params->value[MODE] == DEVICE ? ACCESS_NS : ACCESS_CYCLES;
    out->useful_bytes = FX_WARP * 4;
    fx_prediction_count(out, "lanes_per_word", FX_WARP);
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t method = p->value[METHOD], owner = p->value[OWNER];
    return p->value[TYPE] == INT64 ? "type must be int32 or float32 here"
           : (method == REDUX || method == COMPILER) && p->value[TYPE] == FLOAT32
               ? "method=redux and method=compiler need type=int32"
           : method == REDUX && facts->compute_major < 8 ? "method=redux needs compute capability 8.0"
           : p->value[MODE] == DEVICE ? owner != BY_GRID || p->value[TYPE] != INT32 || p->value[SPACE] != GLOBAL
                                            ? "mode=device needs owner=grid, type=int32 and space=global"
                                            : NULL
           : owner == BY_GRID || p->value[BLOCKS] != 0 ? "owner=grid and blocks above 0 need mode=device"
           : method == COMPILER && owner == BY_WARP
               ? "method=compiler needs owner=block, where the compiler sees one address"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../atomics_arrange.cuh"

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    const bool gathered = v[METHOD] != PLAIN;
    work *w = &FX_ARGUMENT(rig, task)->w;
    fx_lanes_multicast(&w->lanes, word_bytes(v[TYPE]), 1);
    w->pitch = pitch_of(1, word_bytes(v[TYPE]));
    w->owner = (uint32_t)v[OWNER];
    w->seed = 13;
    return v[MODE] == DEVICE ? arrange_device(rig, v[BLOCKS], v[SPACE], v[TYPE], gathered, err)
                             : arrange_one_sm(rig, false, v[SPACE], is_loop(v[SPACE], ADD, v[TYPE]), gathered, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    if (c->params.value[MODE] == THROUGHPUT) {
        draw_one_sm(rig, seed);
    }
    return FX_OK;
}
#endif

/* A warp's leader is chosen by a branch. */
#define BRANCH   {"BSSY", 0}
#define SHUFFLES {"SHFL.BFLY", 5 * GATHERED}
#define SUMS     {"REDUX.SUM", GATHERED}
#define GATHER(first, method, space, type, by, sums, add, ...)                                                         \
    FX_TIMED_FROM(first, "mode=throughput method=" method, FX_K(gather, space, type, by), sums, {add, GATHERED},       \
                  ##__VA_ARGS__)
#define GATHER_CROWD(first, method, by, ...)                                                                           \
    FX_TIMED_FROM(first, "mode=device owner=grid method=" method, FX_K(gather_crowd, by), __VA_ARGS__,                 \
                  {"RED.E.ADD.STRONG.GPU", SHARES})

static const fx_kernel kernels[] = {
    RATE("method=plain space=shared type=int32", SHARED, ADD, INT32, UNUSED, "ATOMS.ADD"),
    RATE_OF_LOOP("method=plain space=shared type=float32", ADD, FLOAT32, "LDS", "ATOMS.CAST.SPIN"),
    RATE("method=plain space=global type=int32", GLOBAL, ADD, INT32, UNUSED, "RED.E.ADD.STRONG.GPU"),
    RATE("method=plain space=global type=float32", GLOBAL, ADD, FLOAT32, UNUSED, "RED.E.ADD.F32.FTZ.RN.STRONG.GPU"),
    GATHER(0, "shuffle space=shared type=int32", SHARED, INT32, SHUFFLE, SHUFFLES, "ATOMS.ADD", BRANCH),
    GATHER(0, "shuffle space=global type=int32", GLOBAL, INT32, SHUFFLE, SHUFFLES, "RED.E.ADD.STRONG.GPU", BRANCH),
    GATHER(80, "redux space=shared type=int32", SHARED, INT32, REDUX, SUMS, "ATOMS.ADD", BRANCH),
    GATHER(80, "redux space=global type=int32", GLOBAL, INT32, REDUX, SUMS, "RED.E.ADD.STRONG.GPU", BRANCH),
    GATHER(80, "compiler space=shared type=int32", SHARED, INT32, COMPILER, SUMS, "ATOMS.ADD"),
    GATHER(80, "compiler space=global type=int32", GLOBAL, INT32, COMPILER, SUMS, "RED.E.ADD.STRONG.GPU"),
    FX_TIMED("mode=throughput method=shuffle space=shared type=float32", FX_K(gather, SHARED, FLOAT32, SHUFFLE),
             {"LDS", 1}, {"ATOMS.CAST.SPIN", 1}),
    GATHER(0, "shuffle space=global type=float32", GLOBAL, FLOAT32, SHUFFLE, SHUFFLES,
           "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", BRANCH),
    CROWD("mode=device owner=grid method=plain", GLOBAL, ADD, INT32, UNUSED, "RED.E.ADD.STRONG.GPU"),
    GATHER_CROWD(0, "shuffle", SHUFFLE, {"SHFL.BFLY", 0}),
    GATHER_CROWD(80, "redux", REDUX, SUMS),
    GATHER_CROWD(80, "compiler", COMPILER, SUMS),
    FX_AIDED("mode=device", FX_K(lay_words, INT32)),
    FX_AIDED("mode=device", FX_K(count_adds, INT32)),
    FX_AIDED("mode=device", FX_K(check_words, ADD, INT32)),
};

FX_PROBE(warp_aggregation, .question = "How much does a warp reduction before one atomic gain?", .method_version = 1,
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
