/* atomic_table: what do atomics cost on words that each lane picks at random from a table?
 *
 * Method: pairs of launches of the whole device, each thread with eight atomics on words of its own random choice, in
 * one table in global memory, or in a private copy in the shared memory of each block, which is added to the common one
 * at the end. Afterwards every word must hold what that many operations make of it. What can fool it: see README.md. */
#include "../atomics.h"

enum { SPACE, OP, TYPE, RESULT, TABLE };
enum { MOST_WORDS = 4 << 20, MOST_PRIVATE_WORDS = 8 << 10 };

static const fx_axis axes[] = {
    {"space", "", "one table in global memory, or a private copy in each block's shared memory", "shared global", 0, 0,
     GLOBAL},
    {"op", "", "operation: add a value, add the constant 1, maximum, exchange, or compare and swap",
     "add inc max exch cas", 0, 0, ADD},
    {"type", "", "type of the word", "int32 int64 float32", 0, 0, INT32},
    {"result", "", "use of the old value by the program", "unused used", 0, 0, UNUSED},
    {"words", "words", "words of the table, a power of two", NULL, 1, MOST_WORDS, 1024},
};

static const fx_sweep sweeps[] = {
    {"table", "space=global op=add type=int32,float32 result=unused words=1,4,32,256,1Ki,16Ki,256Ki,4Mi",
     "space=global op=add type=int32 result=unused words=1,1Ki"},
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
    if (words & (words - 1)) {
        return "words must be a power of two";
    }
    if (p->value[SPACE] == SHARED) {
        return used || type != INT32 || (op != ADD && op != INC)
                   ? "space=shared needs op=add or op=inc, type=int32 and result=unused"
               : words > MOST_PRIVATE_WORDS            ? "space=shared needs words up to 8192"
               : op == INC && facts->compute_major < 8 ? "op=inc needs compute capability 8.0"
                                                       : NULL;
    }
    return op == INC                              ? "op=inc needs space=shared"
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
                  {"ATOMS.POPC.INC.32", 8}, {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("space=shared op=add type=int32 result=unused", FX_K(crowd, SHARED, ADD, INT32, UNUSED), {"ATOMS.ADD", 8},
             {"RED.E.ADD.STRONG.GPU", 1}),
    FX_TIMED("space=global op=add type=int32 result=unused", FX_K(crowd, GLOBAL, ADD, INT32, UNUSED),
             {"RED.E.ADD.STRONG.GPU", 8}),
    FX_TIMED("space=global op=add type=int32 result=used", FX_K(crowd, GLOBAL, ADD, INT32, USED),
             {"ATOMG.E.ADD.STRONG.GPU", 8}),
    FX_TIMED("space=global op=max type=int32 result=unused", FX_K(crowd, GLOBAL, MAX, INT32, UNUSED),
             {"RED.E.MAX.STRONG.GPU", 8}),
    FX_TIMED("space=global op=exch type=int32 result=used", FX_K(crowd, GLOBAL, EXCH, INT32, USED),
             {"ATOMG.E.EXCH.STRONG.GPU", 8}),
    FX_TIMED("space=global op=cas type=int32 result=used", FX_K(crowd, GLOBAL, CAS, INT32, USED),
             {"ATOMG.E.CAS.STRONG.GPU", 8}),
    FX_TIMED("space=global op=add type=int64 result=unused", FX_K(crowd, GLOBAL, ADD, INT64, UNUSED),
             {"RED.E.ADD.64.STRONG.GPU", 8}),
    FX_TIMED("space=global op=add type=float32 result=unused", FX_K(crowd, GLOBAL, ADD, FLOAT32, UNUSED),
             {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 8}),
    FX_AIDED("type=int32", FX_K(lay_words, INT32)),
    FX_AIDED("type=int64", FX_K(lay_words, INT64)),
    FX_AIDED("type=float32", FX_K(lay_words, FLOAT32)),
    FX_AIDED("type=int32,float32", FX_K(count_adds, INT32)),
    FX_AIDED("type=int64", FX_K(count_adds, INT64)),
    FX_AIDED("op=add type=int32", FX_K(check_words, ADD, INT32)),
    FX_AIDED("op=add type=int64", FX_K(check_words, ADD, INT64)),
    FX_AIDED("op=add type=float32", FX_K(check_words, ADD, FLOAT32)),
    FX_AIDED("op=inc", FX_K(check_words, INC, INT32)),
    FX_AIDED("op=cas", FX_K(check_words, CAS, INT32)),
    FX_AIDED("op=max,exch", FX_K(check_words, EXCH, INT32)), /* both as high as it went */
};

FX_PROBE(atomic_table, .question = "What do atomics on random words of a table cost?", .method_version = 1, FX_TABLES,
         .law = law, .supported = supported, .arrange = FX_GPU(arrange), FX_TABLE(kernels))
