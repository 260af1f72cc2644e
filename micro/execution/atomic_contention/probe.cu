/* atomic_contention: what does an atomic cost when warps, blocks or all of the device want the same word? Method: pairs
 * of launches of the whole device, each thread with eight atomics on words of global memory that its warp, its block or
 * the whole grid has. Afterwards every word must hold what that many operations make of it. */
#include "../atomics.h"

enum { OP, TYPE, RESULT, DISTINCT, OWNER, BLOCKS };

static const fx_axis axes[] = {
    CROWD_AXES,
    {"distinct", "words", "distinct words in the warp", NULL, 1, FX_WARP, 1},
    {"owner", "", "owner of private words: each warp, each block, or only the whole grid", "warp block grid", 0, 0,
     BY_GRID},
    {"blocks", "blocks", "blocks on the whole device; 0: one per SM", NULL, 0, 1024, 0},
};

static const fx_sweep sweeps[] = {
    {"one_word", "op=add type=int32 result=unused owner=block,grid blocks=1,4,16,64,0",
     "op=add type=int32 result=unused owner=grid blocks=1,0"},
    {"one_word_op", "op=add,exch,cas type=int32 result=used owner=grid blocks=0", NULL},
    {"one_word_float", "op=add type=float32 result=unused owner=grid blocks=0", NULL},
    {"own_words", "op=add type=int32,float32 result=unused owner=warp,grid distinct=32 blocks=0", NULL},
};

static const fx_metric metrics[] = {{"access_ns", "ns", FX_GPU_NS, false, "warp-level access"}};

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_multicast(out, word_bytes(params->value[TYPE]), (unsigned)params->value[DISTINCT]);
    return true;
}

/* No law of the whole device is known. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned width = word_bytes(params->value[TYPE]);
    out->useful_bytes = fx_law_useful_bytes(table, width);
    fx_prediction_count(out, "distinct", fx_law_distinct(table));
    fx_prediction_count(out, "sectors", fx_law_blocks(table, width, facts->geometry.sector_bytes));
    fx_prediction_count(out, "lanes_per_word", rounds(table, 1 << 30));
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t op = p->value[OP], type = p->value[TYPE];
    const bool used = p->value[RESULT] == USED;
    return type == INT64 || op == INC || op == MAX  ? "op must be add, exch or cas, and type int32 or float32 here"
           : type == FLOAT32 && (op != ADD || used) ? "type=float32 needs op=add and result=unused"
           : op != ADD && !used                     ? "op=exch and op=cas need result=used"
                                                    : NULL;
}

#ifdef FX_WITH_CUDA
#include "../atomics_arrange.cuh"

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    work *w = &FX_ARGUMENT(rig, task)->w;
    w->lanes = c->lanes;
    w->pitch = pitch_of(v[DISTINCT], word_bytes(v[TYPE]));
    w->owner = (uint32_t)v[OWNER];
    w->seed = 13;
    return arrange_device(rig, v[BLOCKS], GLOBAL, v[TYPE], false, err);
}
#endif

static const fx_kernel kernels[] = {CROWD_ROWS("")};

FX_PROBE(atomic_contention,
         .question = "What does an atomic cost when a warp, a block or the whole device updates the same word?",
         .method_version = 1, FX_PARTS, .lanes = lanes, .supported = supported)
