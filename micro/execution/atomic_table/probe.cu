/* atomic_table: what do atomics cost on words that each lane picks at random from a table? Method: pairs of launches of
 * the whole device, each thread with eight atomics on words of its own random choice, in one table in global memory, or
 * in a private copy in the shared memory of each block, which is added to the common one at the end. Afterwards every
 * word must hold what that many operations make of it. */
#include "../atomics.h"

enum { SPACE, OP, TYPE, RESULT, TABLE };
enum { MOST_WORDS = 256 << 20, MOST_PRIVATE_WORDS = 8 << 10 };

static const fx_axis axes[] = {
    {"space", "", "one table in global memory, or a private copy in each block's shared memory", "shared global", 0, 0,
     GLOBAL},
    CROWD_AXES,
    {"words", "words", "words of the table, a power of two", NULL, 1, MOST_WORDS, 1024},
};

static const fx_sweep sweeps[] = {
    {"table", "space=global op=add type=int32,float32 result=unused words=1,4,32,256,1Ki,16Ki,256Ki,4Mi",
     "space=global op=add type=int32 result=unused words=1,1Ki"},
    {"table_far", "space=global op=add type=int32 result=unused,used words=64Mi,256Mi", NULL},
    {"table_op", "space=global op=max type=int32 result=unused words=1Ki,256Ki", NULL},
    {"table_op_used", "space=global op=add,exch,cas type=int32 result=used words=1Ki,256Ki", NULL},
    {"table_wide", "space=global op=add type=int64 result=unused words=1Ki,256Ki", NULL},
    {"private", "space=shared op=add,inc type=int32 result=unused words=1,32,1Ki,8Ki",
     "space=shared op=inc type=int32 result=unused words=1,1Ki"},
};

static const fx_metric metrics[] = {{"access_ns", "ns", FX_GPU_NS, false, "warp-level access"}};

/* No law of the whole device is known. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->useful_bytes = (double)(FX_WARP * word_bytes(params->value[TYPE]));
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t op = p->value[OP], type = p->value[TYPE], words = p->value[TABLE];
    const bool used = p->value[RESULT] == USED;
    const bool shared = p->value[SPACE] == SHARED;
    return words & (words - 1) ? "words must be a power of two"
           : facts->memory_bytes > 0 && (uint64_t)words * (word_bytes(type) + 4) > facts->memory_bytes / 2
               ? "the table, and a count for each word, fill more than half of the device's memory"
           : shared && (used || type != INT32 || (op != ADD && op != INC))
               ? "space=shared needs op=add or op=inc, type=int32 and result=unused"
           : shared && words > MOST_PRIVATE_WORDS            ? "space=shared needs words up to 8192"
           : shared && op == INC && facts->compute_major < 8 ? "op=inc needs compute capability 8.0"
           : shared                                          ? NULL
           : op == INC                                       ? "op=inc needs space=shared"
           : type != INT32 && (op != ADD || used) ? "type=int64 and type=float32 need op=add and result=unused"
           : (op == EXCH || op == CAS) && !used   ? "op=exch and op=cas need result=used"
           : op == MAX && used                    ? "op=max needs result=unused"
                                                  : NULL;
}

#ifdef FX_WITH_CUDA
#include "../atomics_arrange.cuh"

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    work *w = &FX_ARGUMENT(rig, task)->w;
    w->pitch = pitch_of(1, word_bytes(v[TYPE]));
    w->words = (uint32_t)v[TABLE];
    w->seed = 13;
    return arrange_device(rig, 0, v[SPACE], v[TYPE], false, err);
}
#endif

/* A private copy goes to the common table at the end, by additions. */
static const fx_kernel kernels[] = {
    FX_TIMED_FROM(80, "space=shared op=inc type=int32 result=unused", FX_K(crowd, SHARED, INC, INT32, UNUSED),
                  {"ATOMS.POPC.INC.32", SHARES}, {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("space=shared op=add type=int32 result=unused", FX_K(crowd, SHARED, ADD, INT32, UNUSED),
             {"ATOMS.ADD", SHARES}, {"RED.E.ADD.STRONG.GPU", 1}),
    CROWD("space=global op=max type=int32 result=unused", GLOBAL, MAX, INT32, UNUSED, "RED.E.MAX.STRONG.GPU"),
    CROWD("space=global op=add type=int64 result=unused", GLOBAL, ADD, INT64, UNUSED, "RED.E.ADD.64.STRONG.GPU"),
    CROWD_ROWS("space=global "),
    FX_AIDED("type=int64", FX_K(lay_words, INT64)),
    FX_AIDED("type=int64", FX_K(count_adds, INT64)),
    FX_AIDED("op=add type=int64", FX_K(check_words, ADD, INT64)),
    FX_AIDED("op=inc", FX_K(check_words, INC, INT32)),
};

FX_PROBE(atomic_table, .question = "What do atomics on random words of a table cost?", .method_version = 1, FX_PARTS,
         .supported = supported)
