/* pattern: does an access pattern that nobody chose cost what the laws say? Method: lane tables of many families, and
 * any table of the user's (`gpufx pattern`), through kernels that hold nothing but the access: 32 warps of one SM,
 * independent accesses. Loads are summed and the sum checked, stores read back. */
#include <math.h>

#include "core/families.h"
#include "core/probe.h"

enum { MEMORY, OP, WIDTH, FAMILY, MASK, SEED };
enum { SHARED, L1, L2, CONSTANT }; /* L1 and L2 as FX_L1 and FX_L2 of access.cuh */
enum { LOAD, STORE, ATOMIC_ADD, ATOMIC_EXCH, ATOMIC_CAS, RED_ADD };
enum { CUSTOM = FX_FAMILY_COUNT };

static const fx_axis axes[] = {
    {"memory", "", "memory that serves the access", "shared l1 l2 constant", 0, 0, SHARED},
    {"op", "", "instruction", "load store atomic_add atomic_exch atomic_cas red_add", 0, 0, LOAD},
    {"width", "bytes", "bytes per lane: 1, 2, 4, 8 or 16", NULL, 1, 16, 4},
    {"family", "", "family of lane tables; custom: the table given to `gpufx pattern`", FX_FAMILY_NAMES " custom", 0, 0,
     FX_FAMILY_UNIFORM},
    {"mask", "", "active lanes", "all some", 0, 0, 0},
    {"seed", "", "random seed of the lane table", NULL, 0, 1000000, 0},
};

#define FAMILIES          "family=" FX_FAMILIES_WORDS " mask=all,some"
#define FX_FAMILIES_WORDS "uniform,stride,permuted,tile,swizzle,duplicate,pairs,banks,runs"

static const fx_sweep sweeps[] = {
    {"shared", "memory=shared op=load,store width=1,2,4,8,16 " FAMILIES " seed=0",
     "memory=shared op=load width=4,16 family=uniform,pairs,banks mask=some seed=0"},
    {"shared_atomic", "memory=shared op=atomic_add,atomic_exch,atomic_cas width=4 " FAMILIES " seed=0", NULL},
    {"shared_atomic_wide", "memory=shared op=atomic_exch,atomic_cas width=8 " FAMILIES " seed=0", NULL},
    {"l1", "memory=l1 op=load width=1,2,4,8,16 " FAMILIES " seed=0",
     "memory=l1 op=load width=4 family=uniform,stride,runs mask=some seed=0"},
    {"l2", "memory=l2 op=load,store width=1,2,4,8,16 " FAMILIES " seed=0", NULL},
    {"l2_red", "memory=l2 op=red_add width=4,8 " FAMILIES " seed=0", NULL},
    {"l2_atomic", "memory=l2 op=atomic_add,atomic_cas width=4 family=line mask=all,some seed=0:23", NULL},
    {"l2_atomic_wide", "memory=l2 op=atomic_add,atomic_cas width=8 family=line mask=all,some seed=0:5", NULL},
    {"constant", "memory=constant op=load width=1,2,4,8,16 " FAMILIES " seed=0",
     "memory=constant op=load width=4 family=uniform,duplicate mask=some seed=0"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* Bytes that the tables of a family may span. Constant: what its first cache holds. */
static unsigned span_bytes(const fx_params *params) {
    static const unsigned bytes[] = {/* SHARED */ 32 << 10, /* L1 */ 32 << 10, /* L2 */ 32 << 10,
                                     /* CONSTANT */ 2 << 10};
    return bytes[params->value[MEMORY]];
}

static bool lanes(const fx_params *params, fx_lanes *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    if (params->value[FAMILY] == CUSTOM) {
        return false;
    }
    fx_lanes_family(out, (fx_family)params->value[FAMILY], width, span_bytes(params) / width, params->value[MASK] != 0,
                    (uint64_t)params->value[SEED]);
    return true;
}

/* None for an access that does not exist. */
static void set_law(const fx_geometry *g, int64_t memory, int64_t op, const fx_lanes *t, unsigned width,
                    fx_prediction *out) {
#define LAW(name)                out->law = #name, out->count = fx_law_##name(g, t, width)
#define LAW_UNLESS(name, reason) LAW(name), out->why_not = fx_law_##reason
    if (memory == SHARED && op == LOAD) {
        LAW(shared_load);
    } else if (memory == SHARED && op == STORE) {
        LAW(shared_store);
    } else if (memory == SHARED) {
        LAW(shared_atomic);
    } else if (memory == L1 && op == LOAD) {
        LAW_UNLESS(l1_load, l1_load_why_not(g, t, width));
    } else if (memory == L2 && op == LOAD) {
        LAW_UNLESS(l2_load, l2_load_why_not(g, t, width));
    } else if (memory == L2 && op == STORE) {
        LAW_UNLESS(l2_store, l2_store_why_not(g, t, width));
    } else if (memory == L2 && op == RED_ADD) {
        LAW_UNLESS(l2_reduction, l2_reduction_why_not(g, t));
    } else if (memory == L2 && op == ATOMIC_CAS) {
        LAW_UNLESS(l2_cas, l2_atomic_why_not(g, t, width, true));
    } else if (memory == L2) {
        LAW_UNLESS(l2_atomic, l2_atomic_why_not(g, t, width, false));
    } else if (memory == CONSTANT && op == LOAD) {
        out->law = "distinct";
        out->count = fx_law_distinct(t);
        out->why_not = fx_law_constant_why_not(g, t, width);
        if (out->why_not &&
            fx_law_constant_load(g, t, width) > 0) { /* in the steps of "distinct", whose fit prices it */
            LAW(constant_load);
            out->why_not = NULL;
        }
    }
#undef LAW
#undef LAW_UNLESS
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = (unsigned)params->value[WIDTH];
    const int64_t op = params->value[OP];
    if (!table) {
        return;
    }
    out->useful_bytes = fx_law_useful_bytes(table, width);
    set_law(geometry, params->value[MEMORY], op, table, width, out);
    fx_prediction_count(out, "wavefronts",
                        op == LOAD && params->value[MEMORY] == SHARED ? fx_law_wavefronts(geometry, table, width)
                        : op == LOAD || op == STORE                   ? fx_law_store_wavefronts(geometry, table, width)
                                                                      : fx_law_bank_lanes(geometry, table, width));
    fx_prediction_count(out, "tags", fx_law_l1_tags(geometry, table, width));
    fx_prediction_count(out, "sectors", fx_law_blocks(table, width, geometry->sector_bytes));
    fx_prediction_count(out, "lines", fx_law_blocks(table, width, geometry->line_bytes));
    fx_prediction_count(out, "distinct", fx_law_distinct(table));
    fx_prediction_count(out, "distinct_words", fx_law_blocks(table, width, geometry->bank_bytes));
}

/* DRAM is the whole chip's: a probe of one SM says nothing of it. Atomics are those of shared memory, where one of 8
 * bytes is an exchange, since an addition would be a loop; those of global memory return the old value here, as
 * FX_ADDS does not want it. */
static fx_access_support access(const fx_access *a, fx_params *params) {
    static const int64_t memory[] = {/* in the order of fx_access_level */ SHARED, CONSTANT, L1, L2};
    if (a->level == FX_LEVEL_DRAM || a->kind > FX_COMPARES) {
        return FX_SUPPORTS_NOTHING;
    }
    params->value[MEMORY] = memory[a->level];
    params->value[OP] = a->kind == FX_LOADS                                  ? LOAD
                        : a->kind == FX_STORES                               ? STORE
                        : a->kind == FX_COMPARES                             ? ATOMIC_CAS
                        : a->kind == FX_ADDS && a->level == FX_LEVEL_L2      ? RED_ADD
                        : a->width_bytes == 8 && a->level == FX_LEVEL_SHARED ? ATOMIC_EXCH
                                                                             : ATOMIC_ADD;
    params->value[WIDTH] = a->width_bytes;
    params->value[FAMILY] = CUSTOM;
    return FX_SUPPORTS_TIME;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH], op = params->value[OP], memory = params->value[MEMORY];
    return width & (width - 1)                ? "width must be 1, 2, 4, 8 or 16"
           : op == STORE && memory == L1      ? "stores go through the L1 to the L2"
           : op != LOAD && memory == CONSTANT ? "constant memory can only be read"
           : op >= ATOMIC_ADD && memory == L1 ? "atomics go through the L1 to the L2"
           : op == RED_ADD && memory != L2    ? "op=red_add needs memory=l2"
           : op == ATOMIC_EXCH && memory == L2
               ? "op=atomic_exch needs memory=shared; in the L2 it costs what op=atomic_add does"
           : op >= ATOMIC_ADD && (width < 4 || width > 8 || (op == ATOMIC_ADD && width != 4 && memory == SHARED))
               ? "atomics are 4 or 8 bytes wide; an addition of 8 bytes in shared memory is a loop, not an instruction"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/rig.h"
#include "kernels.cuh"

/* What the kernel gets, and the constant bank's image in pinned memory. */
typedef struct task {
    pattern p;
    uint32_t *host;
} task;

/* Global memory that the slots take. */
static size_t slots_bytes(const fx_gpu *gpu, const fx_params *params) {
    const int64_t memory = params->value[MEMORY];
    const size_t slots = (size_t)slots_of((int)memory, (int)params->value[WIDTH]);
    return memory == L1                ? slots * SLOT_BYTES
           : params->value[OP] > STORE ? WARPS * (size_t)L2_SLOT_BYTES
           : params->value[OP] == LOAD ? fx_roam_bytes(gpu->facts.l2_bytes) + slots * L2_SLOT_BYTES
                                       : WARPS * slots * L2_SLOT_BYTES;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int width = (int)c->params.value[WIDTH];
    const int64_t memory = c->params.value[MEMORY];
    const size_t span = (fx_lanes_span(&c->lanes, (unsigned)width) + 127) / 128 * 128;
    const size_t limit = memory == SHARED     ? (size_t)rig->gpu->facts.shared_per_block_bytes
                         : memory == CONSTANT ? (size_t)CONSTANT_BYTES
                                              : (size_t)SLOT_BYTES;
    task *t = FX_ARGUMENT(rig, task);
    FX_FAIL_IF(span > limit, err, FX_UNSUPPORTED, "the pattern spans %zu bytes; %zu can be measured", span, limit);
    t->p.lanes = c->lanes;
    t->p.words = memory == SHARED ? (uint32_t)(span / 4) : 0;
    rig->warps = WARPS;
    rig->shared_bytes = memory == SHARED ? span : 0;
    rig->carveout_pct = memory == SHARED ? 100 : 0;
    rig->accesses = ACCESSES;
    rig->pass_cycles = PASS_CYCLES;
    rig->trip_cycles = ACCESSES * WARPS * (c->prediction.count > 1 ? c->prediction.count : 1);
    if (memory == CONSTANT) {
        return fx_rig_memory(rig, &t->host, FX_PINNED_MEMORY, CONSTANT_BYTES, 0, err);
    }
    return memory == SHARED ? FX_OK
                            : fx_rig_memory(rig, &t->p.data, FX_DEVICE_MEMORY | FX_REFILLED,
                                            slots_bytes(rig->gpu, &c->params), SLOT_BYTES, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->p.seed = seed;
    t->p.trips = fx_timed_total_trips(&rig->timed);
    if (c->params.value[MEMORY] == L2) {
        fx_roam_draw(&t->p.roam, fx_roam_bytes(rig->gpu->facts.l2_bytes), seed);
    }
    for (uint32_t i = 0; t->host && i < CONSTANT_BYTES / 4; i++) {
        t->host[i] = fx_random_word(seed, i);
    }
    if (t->host) {
        FX_TRY_CUDA(
            cudaMemcpyToSymbolAsync(bank, t->host, CONSTANT_BYTES, 0, cudaMemcpyHostToDevice, rig->gpu->stream));
    }
    return FX_OK;
}
#endif

#define WIDTH_ROWS(width, bits, constant, times)                                                                       \
    FX_TIMED("memory=shared op=load width=" #width, FX_K(shared_load, width), {"LDS" bits, 32}),                       \
        FX_TIMED("memory=shared op=store width=" #width, FX_K(shared_store, width), {"STS" bits, 32}),                 \
        FX_TIMED("memory=l1 width=" #width, FX_K(l1_load, width), {"LDG.E" bits, 32}),                                 \
        FX_TIMED("memory=l2 op=load width=" #width, FX_K(l2_load, width), {"LDG.E" bits ".STRONG.GPU", 32}),           \
        FX_TIMED("memory=l2 op=store width=" #width, FX_K(global_store, width), {"STG.E" bits, 32}),                   \
        FX_TIMED("memory=constant width=" #width, FX_K(constant_chain, width), {"LDC" constant, times})

static const fx_kernel kernels[] = {
    WIDTH_ROWS(1, ".U8", ".U8", 32),
    WIDTH_ROWS(2, ".U16", ".U16", 32),
    WIDTH_ROWS(4, "", "", 32),
    WIDTH_ROWS(8, ".64", ".64", 32),
    WIDTH_ROWS(16, ".128", ".64", 64),
    FX_TIMED("memory=shared op=atomic_add", FX_K(shared_atomic, ATOMIC_ADD, 4), {"ATOMS.ADD", 32}),
    FX_TIMED("op=atomic_exch width=4", FX_K(shared_atomic, ATOMIC_EXCH, 4), {"ATOMS.EXCH", 32}),
    FX_TIMED("op=atomic_exch width=8", FX_K(shared_atomic, ATOMIC_EXCH, 8), {"ATOMS.EXCH.64", 32}),
    FX_TIMED("memory=shared op=atomic_cas width=4", FX_K(shared_atomic, ATOMIC_CAS, 4), {"ATOMS.CAS", 32}),
    FX_TIMED("memory=shared op=atomic_cas width=8", FX_K(shared_atomic, ATOMIC_CAS, 8), {"ATOMS.CAS.64", 32}),
    FX_TIMED("memory=l2 op=atomic_add width=4", FX_K(global_atomic, ATOMIC_ADD, 4), {"ATOMG.E.ADD.STRONG.GPU", 32}),
    FX_TIMED("memory=l2 op=atomic_add width=8", FX_K(global_atomic, ATOMIC_ADD, 8), {"ATOMG.E.ADD.64.STRONG.GPU", 32}),
    FX_TIMED("memory=l2 op=red_add width=4", FX_K(global_red, 4), {"REDG.E.ADD.STRONG.GPU", 32}),
    FX_TIMED("memory=l2 op=red_add width=8", FX_K(global_red, 8), {"REDG.E.ADD.64.STRONG.GPU", 32}),
    FX_TIMED("memory=l2 op=atomic_cas width=4", FX_K(global_atomic, ATOMIC_CAS, 4), {"ATOMG.E.CAS.STRONG.GPU", 32}),
    FX_TIMED("memory=l2 op=atomic_cas width=8", FX_K(global_atomic, ATOMIC_CAS, 8), {"ATOMG.E.CAS.64.STRONG.GPU", 32}),
};

#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define EXECUTED   "smsp__inst_executed_op_shared_"
#define LOADS      "smsp__inst_executed_op_global_ld.sum"
#define STORES     "smsp__inst_executed_op_global_st.sum"

static const fx_counter counters[] = {
    {"memory=shared op=load", "wavefronts", 1, WAVEFRONTS "ld.sum", EXECUTED "ld.sum", 0.01, 0.02},
    {"memory=shared op=store", "wavefronts", 1, WAVEFRONTS "st.sum", EXECUTED "st.sum", 0.01, 0.02},
    {"memory=shared op=atomic_add,atomic_exch", "wavefronts", 1, WAVEFRONTS "atom.sum", EXECUTED "atom.sum", 0.01,
     0.02},
    {"memory=shared op=atomic_cas", "wavefronts", 2, WAVEFRONTS "atom.sum", EXECUTED "atom.sum", 0.01, 0.02},
    {"memory=l1 op=load", "tags", 1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", LOADS, 0.01, 0.02},
    {"memory=l1 op=load", "wavefronts", 1, "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum", LOADS, 0.01, 0.02},
    {"memory=l2 op=load", "lines", 1, "lts__t_requests_srcunit_tex_op_read.sum", LOADS, 0.05, 0.02},
    {"memory=l2 op=store", "lines", 1, "lts__t_requests_srcunit_tex_op_write.sum", STORES, 0.01, 0.02},
    {"memory=constant", NULL, 1, "idc__requests.sum", "smsp__inst_executed_op_ldc.sum", 0.01, 0.02},
};

static const fx_aim aims[] = {
    {"memory=shared op=load", 2, 99.9},
    {"memory=shared op=store", 2, 99},
    {"memory=shared op=atomic_add,atomic_exch,atomic_cas", 2, 99},
    {"memory=constant op=load", 2, 99},
    {"memory=l1 op=load", 5, 95},
    {"memory=l2 op=load", 5, 95},
    {"memory=l2 op=store", 5, 95},
    {"memory=l2 op=red_add", 5, 95},
    {"memory=l2 op=atomic_add", 5, 95},
    {"memory=l2 op=atomic_cas", 5, 95},
};

FX_PROBE(pattern, .question = "Does a random access pattern cost what the laws say?", .method_version = 2, FX_PARTS,
         .fit_by = "memory op width", .lanes = lanes, .access = access, .supported = supported, .draw = FX_GPU(draw),
         FX_TABLE(counters), FX_TABLE(aims), .drawn_by = "seed", .once = true)
