/* coalescing: what does a global-memory access cost when the lanes of a warp are not neighbours? Method: every
 * warp-level request has a slot of its own, as wide whatever the stride, so that only its sectors and lines change
 * along a sweep. 32 warps of one SM at the L1 and the L2, the whole chip at DRAM. Loads are summed and the sum checked;
 * stores are read back. */
#include "core/probe.h"

enum { LEVEL, OP, LAYOUT, WIDTH, ORDER, STRIDE, OFFSET, SEED };
enum { L1, L2, DRAM };
enum { LOAD, STORE };
enum { ISOLATED, STREAM };
enum { LINEAR, SHUFFLED, REVERSED, RANDOM };
enum { ACCESS_CYCLES, ACCESS_NS };
enum { MOST_STRIDE = 64, MOST_OFFSET = 128, LEAST_L2_BYTES = 4 << 20 };

static const fx_axis axes[] = {
    {"level", "", "memory that serves the request", "l1 l2 dram", 0, 0, L1},
    {"op", "", "instruction", "load store", 0, 0, LOAD},
    {"layout", "", "slots of 64 elements per lane, or requests end to end", "isolated stream", 0, 0, ISOLATED},
    {"width", "bytes", "bytes per lane: 1, 2, 4, 8 or 16", NULL, 1, 16, 4},
    {"order", "", "order of the lanes", "linear shuffled reversed random", 0, 0, LINEAR},
    {"stride", "elements", "distance between neighbouring lanes", NULL, 1, MOST_STRIDE, 1},
    {"offset", "bytes", "shift of the request from a 128-byte line, a multiple of width", NULL, 0, MOST_OFFSET, 0},
    {"seed", "", "random seed, for order=shuffled and order=random", NULL, 0, 1000000, 0},
};

#define STRIDES "1,2,3,4,5,6,7,8,9,10,12,14,15,16,17,20,24,28,31,32,33,40,48,56,63,64"

static const fx_sweep sweeps[] = {
    {"stride", "level=l1,l2 op=load width=1,2,4,8,16 stride=" STRIDES,
     "level=l1,l2 op=load width=4 stride=1,2,4,8,16,32"},
    {"stride_store", "level=l2 op=store width=1,2,4,8,16 stride=" STRIDES, NULL},
    {"stride_dram", "level=dram op=load,store width=4,16 stride=1,2,3,4,6,8,12,16,24,32,48,64",
     "level=dram op=load width=4 stride=1,2,4,8,32"},
    {"stride_dram_narrow", "level=dram op=load,store width=1,2,8 stride=1,4,16,64", NULL},
    {"offset", "level=l1,l2 op=load width=4 stride=1 offset=0:128:4",
     "level=l1,l2 op=load width=4 stride=1 offset=0,4,32"},
    {"offset_wide", "level=l1,l2 op=load width=1,2,8,16 stride=1 offset=0:128:16", NULL},
    {"offset_store", "level=l2 op=store width=4 stride=1 offset=0:128:4", NULL},
    {"offset_dram", "level=dram op=load,store layout=isolated,stream width=4 stride=1 offset=0:128:16,4",
     "level=dram op=load layout=stream width=4 stride=1 offset=0,4"},
    {"order", "level=l1,l2 op=load width=4,8,16 order=linear,shuffled,reversed,random stride=1 seed=0:3", NULL},
    {"order_dram", "level=dram op=load width=4 order=linear,shuffled,reversed,random stride=1 seed=0:1", NULL},
    {"stream", "level=dram op=load,store layout=stream width=1,2,4,8,16 stride=1",
     "level=dram op=load,store layout=stream width=4,16 stride=1"},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"},
    {"access_ns", "ns", FX_GPU_NS, false, "warp-level access"},
};

static bool lanes(const fx_params *params, fx_lanes *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    const uint64_t seed = (uint64_t)params->value[SEED];
    fx_lanes_stride(out, width, params->value[STRIDE], 0);
    if (params->value[ORDER] == SHUFFLED) {
        fx_lanes_permute(out, seed);
    } else if (params->value[ORDER] == REVERSED) {
        fx_lanes_reverse(out);
    } else if (params->value[ORDER] == RANDOM) {
        fx_lanes_random(out, width, FX_WARP * MOST_STRIDE, seed);
    }
    for (int l = 0; l < FX_WARP; l++) {
        out->offset[l] += (int32_t)params->value[OFFSET];
    }
    return true;
}

/* Pairs of sectors of one request; the requests of a stream share those at their ends. */
static double pairs_of(const fx_geometry *geometry, const fx_params *params, const fx_lanes *table) {
    const unsigned width = (unsigned)params->value[WIDTH], pair_bytes = 2 * geometry->sector_bytes;
    return params->value[LAYOUT] == STREAM ? (double)FX_WARP * width / pair_bytes
                                           : fx_law_blocks(table, width, pair_bytes);
}

/* Below this many pairs a request the kernel has too few bytes in flight for the DRAM's rate. */
enum { LEAST_PAIRS = 3 };

static void set_dram_law(const fx_geometry *geometry, const fx_params *params, const fx_lanes *table,
                         fx_prediction *out) {
    const double pairs = pairs_of(geometry, params, table);
    const bool load = params->value[OP] == LOAD;
    out->law = load ? "dram_load" : "pairs";
    out->count = !load                             ? pairs
                 : params->value[LAYOUT] == STREAM ? fx_law_dram_steps(pairs, pairs / 4) /* four pairs a block */
                                                   : fx_law_dram_load(geometry, table, (unsigned)params->value[WIDTH]);
    out->why_not = !load                             ? "lines that were written are still in the L2 when a kernel ends"
                   : params->value[LAYOUT] == STREAM ? "neighbouring requests of a stream share sectors at their ends"
                   : pairs < LEAST_PAIRS             ? "limited by latency: too few bytes are in flight"
                                                     : NULL;
}

/* The law of each level, and where it is claimed. */
static void set_law(const fx_geometry *geometry, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    if (params->value[LEVEL] == L1) {
        out->law = "l1_load";
        out->count = fx_law_l1_load(geometry, table, width);
        out->why_not = fx_law_l1_load_why_not(geometry, table, width);
    } else if (params->value[LEVEL] == L2 && params->value[OP] == LOAD) {
        out->law = "l2_load";
        out->count = fx_law_l2_load(geometry, table, width);
        out->why_not = fx_law_l2_load_why_not(geometry, table, width);
    } else if (params->value[LEVEL] == L2) {
        out->law = "l2_store";
        out->count = fx_law_l2_store(geometry, table, width);
        out->why_not = fx_law_l2_store_why_not(geometry, table, width);
    } else {
        set_dram_law(geometry, params, table, out);
    }
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = (unsigned)params->value[WIDTH];
    const unsigned sectors = fx_law_blocks(table, width, geometry->sector_bytes);
    const bool dram = params->value[LEVEL] == DRAM;
    const double pairs = pairs_of(geometry, params, table);
    set_law(geometry, params, table, out);
    out->metric = dram ? ACCESS_NS : ACCESS_CYCLES;
    out->useful_bytes = fx_law_useful_bytes(table, width);
    out->moved_bytes = dram && params->value[OP] == LOAD ? pairs * 2 * geometry->sector_bytes
                       : params->value[LAYOUT] == STREAM ? out->useful_bytes
                                                         : (double)sectors * geometry->sector_bytes;
    fx_prediction_count(out, "sectors", sectors);
    fx_prediction_count(out, "lines", fx_law_blocks(table, width, geometry->line_bytes));
    fx_prediction_count(out, "pairs", pairs);
    fx_prediction_count(out, "wavefronts", fx_law_store_wavefronts(geometry, table, width));
    fx_prediction_count(out, "tags", fx_law_l1_tags(geometry, table, width));
    if (dram) {
        fx_prediction_count(out, "dram", 1);
    }
}

/* At DRAM only, and only as a count: what one SM gets is measured with any table elsewhere. */
static fx_access_support access(const fx_access *a, fx_params *params) {
    if (a->level != FX_LEVEL_DRAM || (a->kind != FX_LOADS && a->kind != FX_STORES)) {
        return FX_SUPPORTS_NOTHING;
    }
    params->value[LEVEL] = DRAM;
    params->value[OP] = a->kind == FX_LOADS ? LOAD : STORE;
    params->value[WIDTH] = a->width_bytes;
    return FX_SUPPORTS_COUNT;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH];
    return width & (width - 1)                  ? "width must be 1, 2, 4, 8 or 16"
           : params->value[OFFSET] % width != 0 ? "offset must be a multiple of width"
           : params->value[LEVEL] == L1 && params->value[OP] == STORE
               ? "op=store needs level=l2 or level=dram: stores go through the L1 to the L2"
           : params->value[LEVEL] == L2 && facts->l2_bytes > 0 && facts->l2_bytes < LEAST_L2_BYTES
               ? "level=l2: the L2 does not hold the slots of one SM's requests twice"
           : params->value[LAYOUT] == STREAM && (params->value[LEVEL] != DRAM || params->value[STRIDE] != 1)
               ? "layout=stream needs level=dram and stride=1"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"
#include "gpu/roam.h"

enum { CHAINS = 16, ACCESSES = 32, WARPS = FX_ROAM_WARPS };

/* Requests of a warp in flight, each in a slot of its own. At the L2 32 warps must cover its latency, but the widest
 * fill the registers; at the L1, where all warps share the slots, all of their lines must fit into the smallest L1. */
__host__ __device__ constexpr int chains_of(int width, bool l1) {
    return l1 || width == 16 ? CHAINS / 2 : CHAINS;
}

/* Bytes from slot to slot, known to the compiler, so that one address register serves all of a warp's slots. At the L1
 * a power of two: the bank of a tag is an exclusive or over address bits, and so each slot has the conflicts of the
 * first. */
__host__ __device__ constexpr int pitch_of(int width, bool l1) {
    return l1 ? 2 * FX_WARP * MOST_STRIDE * width : FX_WARP * MOST_STRIDE * width + MOST_OFFSET;
}

typedef struct slots {
    fx_lanes lanes;
    char *data;
    uint64_t seed;
    uint32_t trips; /* of all passes */
    fx_roam roam;   /* loads from the L2 */
} slots;

/* Where this lane's first access goes. Chain c is c pitches further. */
template <int WIDTH_, int L1_> __device__ __forceinline__ char *first_address(const slots &s) {
    const int warp = threadIdx.x / FX_WARP, first = L1_ ? 0 : warp * CHAINS;
    return s.data + (int64_t)first * pitch_of(WIDTH_, L1_) + s.lanes.offset[threadIdx.x % FX_WARP];
}

template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) load_l1(FX_TIMED_WITH(slots, s)) {
    constexpr int chains = chains_of(WIDTH_, true);
    const char *address = first_address<WIDTH_, true>(s);
    uint32_t sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t i) {
        /* the barrier: else the assembler merges loads of one address, and takes them out of the loop */
        fx_add_groups<ACCESSES, chains>(
            sum, [&](int c) { return fx_load<FX_L1, WIDTH_>(address + c * pitch_of(WIDTH_, true)); },
            [] { __syncwarp(); });
    });
    for (int c = 0; c < chains; c++) {
        const uint64_t byte = (uint64_t)(address + c * pitch_of(WIDTH_, true) - s.data);
        expected += s.trips * (ACCESSES / chains) * fx_filled<WIDTH_>(s.seed, byte);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, sum != expected);
}

/* A warp's slots move on together after each group (gpu/roam.h). */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) load_l2(FX_TIMED_WITH(slots, s)) {
    constexpr int chains = chains_of(WIDTH_, false);
    const char *const data = s.data + s.lanes.offset[threadIdx.x % FX_WARP];
    const uint32_t first = s.roam.at[threadIdx.x / FX_WARP], step = s.roam.step[threadIdx.x / FX_WARP];
    uint32_t at = first, sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t i) {
        fx_add_groups<ACCESSES, chains>(
            sum, [&](int c) { return fx_load<FX_L2, WIDTH_>(data + at + c * pitch_of(WIDTH_, false)); },
            [&] { at = fx_roam_on(&s.roam, at, step); });
    });
    at = first;
    for (uint32_t group = 0; group < s.trips * (ACCESSES / chains); group++) {
        for (int c = 0; c < chains; c++) {
            const uint64_t byte = (uint64_t)(data - s.data) + at + c * pitch_of(WIDTH_, false);
            expected += fx_filled<WIDTH_>(s.seed, byte);
        }
        at = fx_roam_on(&s.roam, at, step);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, sum != expected);
}

/* Lanes that share a word write the same value. */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) store_slots(FX_TIMED_WITH(slots, s)) {
    const uint32_t value = (uint32_t)s.seed;
    char *address = first_address<WIDTH_, false>(s);
    bool wrong = false;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<ACCESSES>(timed, marks, FX_ALL_LANES, [&](uint32_t i, int a) {
        fx_store<FX_L2, WIDTH_>(address + a % CHAINS * pitch_of(WIDTH_, false), value + i);
    });
    __threadfence();
    for (int c = 0; c < CHAINS; c++) {
        wrong |= fx_load<FX_L2, WIDTH_>(address + c * pitch_of(WIDTH_, false)) != fx_stored<WIDTH_>(value + 1);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* A run over many slots, each once. */
typedef struct run {
    fx_lanes lanes;
    char *data;
    uint64_t seed, pitch_bytes;
    uint64_t first;           /* slot of the launch's first request */
    unsigned long long *sums; /* together the sum of all loads */
} run;

enum { RUN_THREADS = 256, RUN_WARPS = RUN_THREADS / FX_WARP, RUN_CHAINS = 8 };
enum { RUN_SLOTS = RUN_WARPS * RUN_CHAINS }; /* slots of a block: neighbouring warps take neighbouring slots */

template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) load_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    const char *address = r.data + slot * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
    uint32_t sum = 0;
    fx_add_groups<RUN_CHAINS, RUN_CHAINS>(
        sum, [&](int c) { return fx_load<FX_L2, WIDTH_>(address + c * (RUN_WARPS * r.pitch_bytes)); }, [] {});
    fx_sums_add(r.sums, sum);
}

template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) store_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    char *address = r.data + slot * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
    FX_UNROLL for (int c = 0; c < RUN_CHAINS; c++) {
        fx_store<FX_L2, WIDTH_>(address + c * (RUN_WARPS * r.pitch_bytes), (uint32_t)r.seed);
    }
}

/* The oracle of load_run: the same sum, from the generator and not from memory. */
template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) expect_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    uint32_t sum = 0;
    for (int c = 0; c < RUN_CHAINS; c++) {
        const uint64_t byte = (slot + c * RUN_WARPS) * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
        sum += fx_filled<WIDTH_>(r.seed, byte);
    }
    fx_sums_add(r.sums, sum);
}

/* The oracle of store_run: counts the lanes whose place does not hold what was stored. */
template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) check_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    const uint32_t want = fx_stored<WIDTH_>((uint32_t)r.seed);
    uint32_t wrong = 0;
    for (int c = 0; c < RUN_CHAINS; c++) {
        const uint64_t byte = (slot + c * RUN_WARPS) * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
        wrong += fx_load<FX_L2, WIDTH_>(r.data + byte) != want;
    }
    fx_sums_add(r.sums, wrong);
}

static fx_status arrange_chip(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int width = (int)c->params.value[WIDTH];
    const bool l1 = c->params.value[LEVEL] == L1, load = c->params.value[OP] == LOAD;
    const size_t pitch = (size_t)pitch_of(width, l1); /* the first slot begins at a multiple of it */
    const size_t count = (size_t)(l1 ? chains_of(width, true) : load ? CHAINS : WARPS * CHAINS);
    const size_t window = !l1 && load ? fx_roam_bytes(rig->gpu->facts.l2_bytes) : 0;
    slots *s = FX_ARGUMENT(rig, slots);
    s->lanes = c->lanes;
    rig->warps = WARPS;
    rig->carveout_pct = 0;
    rig->accesses = ACCESSES;
    rig->trip_cycles = ACCESSES * WARPS * c->prediction.count;
    return fx_rig_memory(rig, &s->data, FX_DEVICE_MEMORY | (load ? FX_REFILLED : FX_FILLED), window + pitch * count,
                         pitch, err);
}

/* What the shorter launch is made of, behind what the kernel gets. */
typedef struct task {
    run r;
    unsigned blocks;
} task;

static void part(fx_rig *rig, const fx_case *c, int which) {
    task *t = FX_ARGUMENT(rig, task);
    t->r.first = which == 0 ? 0 : (uint64_t)t->blocks * RUN_SLOTS;
    rig->blocks = which == 0 ? t->blocks : 2 * t->blocks;
}

static fx_status arrange_dram(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int width = (int)c->params.value[WIDTH];
    const bool stream = c->params.value[LAYOUT] == STREAM;
    uint64_t room;
    task *t = FX_ARGUMENT(rig, task);
    FX_TRY(fx_rig_room(rig, (stream ? (uint64_t)3 : (uint64_t)12) << 30, &room, err));
    t->r.lanes = c->lanes;
    t->r.seed = FX_FILL_SEED;
    t->r.pitch_bytes = (uint64_t)(stream ? FX_WARP * width : pitch_of(width, false));
    t->blocks = (unsigned)(room / t->r.pitch_bytes / RUN_SLOTS / 3);
    rig->warps = RUN_WARPS;
    rig->carveout_pct = 0;
    rig->units = (double)t->blocks * RUN_SLOTS;
    rig->cold = true;
    rig->part = part;
    FX_TRY(fx_rig_dram(rig, &t->r.data, FX_FILLED, 3 * t->blocks * t->r.pitch_bytes * RUN_SLOTS, MOST_OFFSET, err));
    return fx_rig_sums(rig, &t->r.sums, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    return c->params.value[LEVEL] == DRAM ? arrange_dram(rig, c, err) : arrange_chip(rig, c, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    if (c->params.value[LEVEL] != DRAM) {
        slots *s = FX_ARGUMENT(rig, slots);
        s->seed = seed;
        s->trips = fx_timed_total_trips(&rig->timed);
        fx_roam_draw(&s->roam, fx_roam_bytes(rig->gpu->facts.l2_bytes), seed);
    } else if (c->params.value[OP] == STORE) { /* loads find what was filled in once */
        FX_ARGUMENT(rig, task)->r.seed = seed;
    }
    return FX_OK;
}
#endif

#define WIDTH_ROWS(width, load, store)                                                                                 \
    FX_TIMED("level=l1 width=" #width, FX_K(load_l1, width), {load, 32}),                                              \
        FX_TIMED("level=l2 op=load width=" #width, FX_K(load_l2, width), {load ".STRONG.GPU", 32}),                    \
        FX_TIMED("level=l2 op=store width=" #width, FX_K(store_slots, width), {store, 32}),                            \
        FX_TIMED("level=dram op=load width=" #width, FX_K(load_run, width), {load ".STRONG.GPU", 8}),                  \
        FX_EXPECTED("level=dram op=load width=" #width, FX_K(expect_run, width)),                                      \
        FX_TIMED("level=dram op=store width=" #width, FX_K(store_run, width), {store, 8}),                             \
        FX_CHECKED("level=dram op=store width=" #width, FX_K(check_run, width))

static const fx_kernel kernels[] = {
    WIDTH_ROWS(1, "LDG.E.U8", "STG.E.U8"), WIDTH_ROWS(2, "LDG.E.U16", "STG.E.U16"),  WIDTH_ROWS(4, "LDG.E", "STG.E"),
    WIDTH_ROWS(8, "LDG.E.64", "STG.E.64"), WIDTH_ROWS(16, "LDG.E.128", "STG.E.128"),
};

#define LOADS  "smsp__inst_executed_op_global_ld.sum"
#define STORES "smsp__inst_executed_op_global_st.sum"

/* DRAM: one metric per case besides the count of accesses, so that one pass reads both; a second pass would have to
 * save and restore gigabytes. The L2 may keep some of the lines that were written. */
static const fx_counter counters[] = {
    {"level=l1 op=load", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", LOADS, 0.01, 0.02},
    {"level=l1 op=load", "tags", 1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", LOADS, 0.01, 0.02},
    {"level=l1 op=load", "wavefronts", 1, "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum", LOADS, 0.01, 0.02},
    {"level=l2 op=load", "lines", 1, "lts__t_requests_srcunit_tex_op_read.sum", LOADS, 0.01, 0.02},
    {"level=l2 op=load", "sectors", 1, "lts__t_sectors_srcunit_tex_op_read.sum", LOADS, 0.01, 0.02},
    {"level=l2 op=store", "lines", 1, "lts__t_requests_srcunit_tex_op_write.sum", STORES, 0.01, 0.02},
    {"level=l2 op=store", "sectors", 1, "lts__t_sectors_srcunit_tex_op_write.sum", STORES, 0.01, 0.02},
    {"level=dram op=load", "pairs", 64, "dram__bytes_read.sum", LOADS, 0.02, 0.02},
    {"level=dram op=store layout=stream", "pairs", 64, "dram__bytes_write.sum", STORES, 0.05, 0.02},
};

/* What nobody chose is drawn at DRAM alone: random lanes at the other levels are those of the probe `pattern`. */
static const fx_aim aims[] = {
    {"level=dram op=load order=random", 10, 95},
};

FX_PROBE(coalescing,
         .question = "What does a global-memory access cost when lanes of a warp do not access neighbouring addresses?",
         .method_version = 2, FX_PARTS, .fit_by = "level op", .lanes = lanes, .access = access, .supported = supported,
         .draw = FX_GPU(draw), FX_TABLE(counters), FX_TABLE(aims),
         .drawn_by = "seed level=dram op=load order=random width=1,2,4,8,16")
