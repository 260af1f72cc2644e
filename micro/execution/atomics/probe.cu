/* atomics: what does an atomic operation cost one SM, by where the word lies, what is done, and how many lanes want it?
 * Method: the host hands over which word each lane wants, so the compiler can neither see that lanes meet nor add them
 * up. 32 warps of independent atomics, or one whose every atomic goes to the address that the one before returned. */
#include "../atomics.h"

enum { MODE, SPACE, OP, TYPE, RESULT, LANES, DISTINCT, SPACING, OWNER };
enum { THROUGHPUT, LATENCY };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"space", "", "memory that holds the words", "shared global", 0, 0, GLOBAL},
    {"op", "",
     "operation: add a value, add the constant 1, maximum, exchange, compare and swap, or a plain store for comparison",
     "add inc max exch cas store", 0, 0, ADD},
    {"type", "", "type of the word; integers are unsigned", "int32 int64 float32", 0, 0, INT32},
    {"result", "", "use of the old value by the program", "unused used", 0, 0, UNUSED},
    {"lanes", "lanes", "active lanes of the warp", NULL, 1, FX_WARP, FX_WARP},
    {"distinct", "words", "distinct words in the warp", NULL, 1, FX_WARP, 1},
    {"spacing", "bytes", "distance between neighbouring words, a multiple of the word", NULL, 4, LINE_BYTES, 4},
    {"owner", "", "owner of private words: each warp, or the whole block", "warp block", 0, 0, BY_WARP},
};

#define SPREAD "distinct=1,2,4,8,16,32"

static const fx_sweep sweeps[] = {
    {"shared", "mode=throughput space=shared op=add,inc,max,store type=int32 result=unused " SPREAD,
     "mode=throughput space=shared op=add,inc type=int32 result=unused distinct=1,32"},
    {"shared_used", "mode=throughput space=shared op=add,exch,cas type=int32 result=used " SPREAD, NULL},
    {"shared_wide", "mode=throughput space=shared op=add,max type=int64 result=unused spacing=8 " SPREAD, NULL},
    {"shared_wide_used", "mode=throughput space=shared op=exch,cas type=int64 result=used spacing=8 " SPREAD, NULL},
    {"shared_float", "mode=throughput space=shared op=add type=float32 result=unused " SPREAD,
     "mode=throughput space=shared op=add type=float32 result=unused distinct=1,32"},
    {"global",
     "mode=throughput space=global op=add type=int32 result=unused distinct=1,2,3,4,6,8,12,16,24,32 spacing=4,32,128",
     "mode=throughput space=global op=add type=int32 result=unused distinct=1,8,32 spacing=4"},
    {"global_used", "mode=throughput space=global op=add type=int32 result=used spacing=4,32 " SPREAD, NULL},
    {"global_op", "mode=throughput space=global op=max,store type=int32 result=unused spacing=4 " SPREAD, NULL},
    {"global_op_used", "mode=throughput space=global op=exch,cas type=int32 result=used spacing=4 " SPREAD,
     "mode=throughput space=global op=cas type=int32 result=used spacing=4 distinct=1,32"},
    {"global_wide", "mode=throughput space=global op=add,max type=int64 result=unused spacing=8 distinct=1,8,32", NULL},
    {"global_wide_used", "mode=throughput space=global op=exch,cas type=int64 result=used spacing=8 distinct=1,8,32",
     NULL},
    {"global_float", "mode=throughput space=global op=add type=float32 result=unused spacing=4 " SPREAD,
     "mode=throughput space=global op=add type=float32 result=unused spacing=4 distinct=1,32"},
    {"lanes", "mode=throughput space=shared,global op=add type=int32 result=unused distinct=1 lanes=1,2,3,4,8,16,24,32",
     NULL},
    {"latency", "mode=latency space=shared,global op=add,max,exch,cas type=int32 result=used distinct=1,8,32",
     "mode=latency space=shared,global op=add type=int32 result=used distinct=1,32"},
    {"latency_wide", "mode=latency space=shared,global op=add,cas type=int64 result=used spacing=8 distinct=1,8,32",
     NULL},
    {"latency_float", "mode=latency space=shared,global op=add type=float32 result=used distinct=1,8,32", NULL},
    {"together",
     "mode=throughput space=shared,global op=add type=int32,float32 result=unused owner=block distinct=1,8,32", NULL},
    {"together_cas", "mode=throughput space=shared,global op=cas type=int32 result=used owner=block distinct=1,8,32",
     NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_multicast(out, (unsigned)params->value[SPACING], (unsigned)params->value[DISTINCT]);
    for (int64_t l = params->value[LANES]; l < FX_WARP; l++) {
        out->offset[l] = -1;
    }
    return true;
}

static bool is_loop_of(const fx_params *p) {
    return is_loop(p->value[SPACE], p->value[OP], p->value[TYPE]);
}

/* Native atomics in shared memory do not care whether warps meet. Of a loop of compare-and-swaps one lane of a word
 * succeeds in each round; of a maximum one lane does, and the others see that they need not. */
static void set_law(const fx_geometry *geometry, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t op = params->value[OP];
    const unsigned width = word_bytes(params->value[TYPE]);
    const bool rate = params->value[MODE] == THROUGHPUT, apart = rate && params->value[OWNER] == BY_WARP;
    if (params->value[SPACE] == GLOBAL && op == STORE) {
        out->law = "l2_store";
        out->count = fx_law_l2_store(geometry, table, width);
        out->why_not = "the count is the same however many lanes meet";
    } else if (params->value[SPACE] == GLOBAL) {
        out->law = op == CAS ? "l2_cas" : params->value[RESULT] == USED ? "l2_atomic" : "l2_reduction";
        out->count = op == CAS                       ? fx_law_l2_cas(geometry, table, width)
                     : params->value[RESULT] == USED ? fx_law_l2_atomic(geometry, table, width)
                                                     : fx_law_l2_reduction(geometry, table, width);
        out->why_not = !apart                          ? rate ? "warps meet" : "a chain waits for latencies"
                       : params->value[RESULT] == USED ? fx_law_l2_atomic_why_not(geometry, table, width, op == CAS)
                                                       : fx_law_l2_reduction_why_not(geometry, table);
    } else if (is_loop_of(params) && rate) {
        out->law = "rounds";
        out->count = rounds(table, 1 << 30);
        out->why_not = !apart ? "warps meet" : op == ADD ? NULL : "most lanes need no retry";
    } else if (op == STORE) {
        out->law = "shared_store";
        out->count = fx_law_shared_store(geometry, table, width);
        out->why_not = "the count is the same however many lanes meet";
    } else {
        out->law = "shared_atomic";
        out->count = fx_law_shared_atomic(geometry, table, width);
        out->why_not = op == INC            ? "the count is the same however many lanes meet"
                       : is_loop_of(params) ? "a chain of loops waits for latencies"
                                            : NULL;
    }
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = word_bytes(params->value[TYPE]);
    out->useful_bytes = fx_law_useful_bytes(table, width);
    fx_prediction_count(out, "distinct", fx_law_distinct(table));
    fx_prediction_count(out, "sectors", fx_law_blocks(table, width, geometry->sector_bytes));
    fx_prediction_count(out, "lines", fx_law_blocks(table, width, geometry->line_bytes));
    fx_prediction_count(out, "lanes_per_word", rounds(table, 1 << 30));
    fx_prediction_count(out, "packets", rounds(table, (int32_t)geometry->line_bytes));
    fx_prediction_count(out, "bank_lanes", fx_law_bank_lanes(geometry, table, width));
    set_law(geometry, params, table, out);
}

/* In global memory, where no probe measures any table: an addition whose old value nobody wants. */
static fx_access_support access(const fx_access *a, fx_params *params) {
    if (a->level != FX_LEVEL_L2 || a->kind != FX_ADDS || (a->width_bytes != 4 && a->width_bytes != 8)) {
        return FX_SUPPORTS_NOTHING;
    }
    params->value[MODE] = THROUGHPUT;
    params->value[SPACE] = GLOBAL;
    params->value[OP] = ADD;
    params->value[TYPE] = a->width_bytes == 4 ? INT32 : INT64;
    params->value[RESULT] = UNUSED;
    params->value[OWNER] = BY_WARP;
    return FX_SUPPORTS_COUNT;
}

/* What no instruction does, or what another case says already. */
static const char *supported_op(const fx_facts *facts, const fx_params *p) {
    const int64_t op = p->value[OP], type = p->value[TYPE];
    const bool used = p->value[RESULT] == USED;
    return type == FLOAT32 && op != ADD ? "type=float32 needs op=add; the other operations move bits as with type=int32"
           : op == INC && (type != INT32 || p->value[SPACE] != SHARED || used)
               ? "op=inc needs space=shared, type=int32 and result=unused"
           : op == INC && facts->compute_major < 8  ? "op=inc needs compute capability 8.0"
           : op == STORE && (type != INT32 || used) ? "op=store needs type=int32 and result=unused"
           : (op == EXCH || op == CAS) && !used     ? "op=exch and op=cas need result=used"
           : used && p->value[MODE] != LATENCY && (op == MAX || (op == ADD && (type != INT32)))
               ? "result=used with mode=throughput needs op=add and type=int32, or op=exch or op=cas"
               : NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t op = p->value[OP], type = p->value[TYPE];
    const char *reason = supported_op(facts, p);
    return reason ? reason
           : p->value[MODE] == LATENCY && (p->value[RESULT] != USED || p->value[OWNER] != BY_WARP ||
                                           (type == INT64 && (op == MAX || op == EXCH)))
               ? "mode=latency needs result=used and owner=warp; for type=int64 also op=add or op=cas"
           : p->value[SPACING] % word_bytes(type) != 0 ? "spacing must be a multiple of the word of type"
           : p->value[DISTINCT] > p->value[LANES]      ? "distinct must not be above lanes"
           : p->value[SPACE] == SHARED && p->value[MODE] == THROUGHPUT && p->value[OWNER] == BY_WARP &&
                   facts->shared_per_block_bytes > 0 &&
                   WARPS * pitch_of(p->value[DISTINCT], p->value[SPACING]) > facts->shared_per_block_bytes
               ? "space=shared: the words of 32 warps do not fit into the shared memory of a block"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../atomics_arrange.cuh"

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    work *w = &FX_ARGUMENT(rig, task)->w;
    w->lanes = c->lanes;
    w->pitch = pitch_of(v[DISTINCT], v[SPACING]);
    w->owner = (uint32_t)v[OWNER];
    return arrange_one_sm(rig, v[MODE] == LATENCY, v[SPACE], is_loop_of(&c->params), false, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    draw_one_sm(rig, seed);
    return FX_OK;
}
#endif

/* A loop that takes the maximum is left by a branch where the word is as high already. */
#define CHAIN(where, space, op, type, ...) FX_TIMED("mode=latency " where, FX_K(chain, space, op, type), __VA_ARGS__)
/* Of instructions that return the old value, in both memories, the rate and the chain. */
#define RETURNED(where, op, type, opcode)                                                                              \
    RATE("space=shared result=used " where, SHARED, op, type, USED, "ATOMS." opcode),                                  \
        RATE("space=global result=used " where, GLOBAL, op, type, USED, "ATOMG.E." opcode ".STRONG.GPU"),              \
        CHAIN("space=shared " where, SHARED, op, type, {"ATOMS." opcode, FX_CHAIN_STEPS}),                             \
        CHAIN("space=global " where, GLOBAL, op, type, {"ATOMG.E." opcode ".STRONG.GPU", FX_CHAIN_STEPS})

static const fx_kernel kernels[] = {
    FX_TIMED_FROM(80, "mode=throughput space=shared op=inc type=int32 result=unused",
                  FX_K(rate, SHARED, INC, INT32, UNUSED), {"ATOMS.POPC.INC.32", ACCESSES}),
    RETURNED("op=add type=int32", ADD, INT32, "ADD"),
    RETURNED("op=exch type=int32", EXCH, INT32, "EXCH"),
    RETURNED("op=cas type=int32", CAS, INT32, "CAS"),
    RETURNED("op=cas type=int64", CAS, INT64, "CAS.64"),
    RATE("space=shared op=add type=int32 result=unused", SHARED, ADD, INT32, UNUSED, "ATOMS.ADD"),
    RATE("space=global op=add type=int32 result=unused", GLOBAL, ADD, INT32, UNUSED, "RED.E.ADD.STRONG.GPU"),
    RATE("space=shared op=max type=int32 result=unused", SHARED, MAX, INT32, UNUSED, "ATOMS.MAX"),
    RATE("space=global op=max type=int32 result=unused", GLOBAL, MAX, INT32, UNUSED, "RED.E.MAX.STRONG.GPU"),
    RATE("space=shared op=store type=int32 result=unused", SHARED, STORE, INT32, UNUSED, "STS"),
    RATE("space=global op=store type=int32 result=unused", GLOBAL, STORE, INT32, UNUSED, "STG.E"),
    RATE_OF_LOOP("space=shared op=add type=int64 result=unused", ADD, INT64, "LDS.64", "ATOMS.CAST.SPIN.64"),
    RATE("space=global op=add type=int64 result=unused", GLOBAL, ADD, INT64, UNUSED, "RED.E.ADD.64.STRONG.GPU"),
    RATE_OF_LOOP("space=shared op=max type=int64 result=unused", MAX, INT64, "LDS.64", "ATOMS.CAST.SPIN.64",
                 {"BRA", 2}),
    RATE("space=global op=max type=int64 result=unused", GLOBAL, MAX, INT64, UNUSED, "RED.E.MAX.64.STRONG.GPU"),
    RATE("space=shared op=exch type=int64 result=used", SHARED, EXCH, INT64, USED, "ATOMS.EXCH.64"),
    RATE("space=global op=exch type=int64 result=used", GLOBAL, EXCH, INT64, USED, "ATOMG.E.EXCH.64.STRONG.GPU"),
    RATE_OF_LOOP("space=shared op=add type=float32 result=unused", ADD, FLOAT32, "LDS", "ATOMS.CAST.SPIN"),
    RATE("space=global op=add type=float32 result=unused", GLOBAL, ADD, FLOAT32, UNUSED,
         "RED.E.ADD.F32.FTZ.RN.STRONG.GPU"),
    CHAIN("space=shared op=max type=int32", SHARED, MAX, INT32, {"ATOMS.MAX", FX_CHAIN_STEPS}),
    CHAIN("space=global op=max type=int32", GLOBAL, MAX, INT32, {"ATOMG.E.MAX.STRONG.GPU", FX_CHAIN_STEPS}),
    CHAIN("space=shared op=add type=int64", SHARED, ADD, INT64, {"LDS.64", 1}, {"ATOMS.CAST.SPIN.64", 1}),
    CHAIN("space=global op=add type=int64", GLOBAL, ADD, INT64, {"ATOMG.E.ADD.64.STRONG.GPU", FX_CHAIN_STEPS}),
    CHAIN("space=shared op=add type=float32", SHARED, ADD, FLOAT32, {"LDS", 1}, {"ATOMS.CAST.SPIN", 1}),
    CHAIN("space=global op=add type=float32", GLOBAL, ADD, FLOAT32,
          {"ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU", FX_CHAIN_STEPS}),
};

FX_PROBE(atomics, .question = "What does an atomic operation cost on one SM, by memory, operation and contention?",
         .method_version = 1, FX_PARTS, .fit_by = "mode space op type result", .lanes = lanes, .access = access,
         .supported = supported, .draw = FX_GPU(draw))
