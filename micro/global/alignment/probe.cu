/* alignment: what does data cost that does not lie where the memory's sectors begin? Method: warps of the whole chip
 * read items, each one or more warp-level requests. Each lane works out where one of the warp's next 32 requests
 * begins, and the lanes hand these places round: so one instruction stream serves all items, whatever their order. */
#include "core/probe.h"

enum { TASK, LEVEL, ORDER, WIDTH, BASE, ROW, PITCH, FIELDS, LAYOUT, READ };
enum { BASE_TASK, ROWS, STRUCTS };
enum { DRAM, L2 };
enum { LINEAR, RANDOM };
enum { TIGHT, PAD32, PAD64, PAD128, PAD512, CUDA };
enum { AOS, SOA };
enum { ONE, WHOLE };
enum { WORD = 4, REQUEST_WORDS = FX_WARP, PERIOD = 16, CUDA_PITCH = 512, LEAST_L2_BYTES = 16 << 20 };

static const fx_axis axes[] = {
    {"task", "", "unit of work: 32 elements of a stream, one row, or 32 structures", "base rows structs", 0, 0,
     BASE_TASK},
    {"level", "", "memory that serves the access", "dram l2", 0, 0, DRAM},
    {"order", "", "order in which the rows are read", "linear random", 0, 0, LINEAR},
    {"width", "bytes", "bytes per lane: 4, 8 or 16", NULL, 4, 16, 4},
    {"base", "bytes", "shift of the stream from a 128-byte line, a multiple of width", NULL, 0, 128, 0},
    {"row", "bytes", "bytes read from each row, a multiple of 4", NULL, 4, 16384, 128},
    {"pitch", "",
     "distance between rows: the row length, that length rounded up to N bytes, or the pitch of cudaMallocPitch",
     "tight p32 p64 p128 p512 cuda", 0, 0, TIGHT},
    {"fields", "words", "fields of a structure", NULL, 1, 16, 4},
    {"layout", "", "array of structures or structure of arrays", "aos soa", 0, 0, AOS},
    {"read", "", "part of each structure that is read: one field, or all of it", "one whole", 0, 0, ONE},
};

static const fx_sweep sweeps[] = {
    {"base", "task=base level=dram width=4 base=0,4,8,16,28,32,64,96,124,128",
     "task=base level=dram width=4 base=0,4,32"},
    {"base_wide", "task=base level=dram width=8,16 base=0,16,32,64,128", "task=base level=dram width=16 base=0"},
    {"rows",
     "task=rows level=dram order=random row=28,60,68,100,124,132,252,260,508,1020,1028,4092 pitch=tight,p64,cuda",
     "task=rows level=dram order=random row=60,124,1020 pitch=tight,cuda"},
    {"pitch", "task=rows level=dram order=random row=100,124 pitch=tight,p32,p64,p128,p512,cuda", NULL},
    {"rows_in_order", "task=rows level=dram order=linear row=60,124,132,252,1020 pitch=tight,cuda",
     "task=rows level=dram order=linear row=124 pitch=tight,cuda"},
    {"structs", "task=structs level=dram,l2 width=4 fields=2,3,4,5,7,8 layout=aos,soa read=one,whole",
     "task=structs level=dram width=4 fields=3,7 layout=aos,soa read=one,whole"},
    {"structs_vector", "task=structs level=dram,l2 width=16 fields=4 layout=aos read=whole", NULL},
};

static const fx_metric metrics[] = {{"item_ns", "ns", FX_GPU_NS, false, "item"}};

/* How the items lie in memory, in bytes. Request r of an item begins at min(r x step, last). */
typedef struct item_shape {
    int64_t useful;   /* bytes that the program wants */
    int64_t requests; /* of a warp for one item */
    int64_t step, last;
    int64_t pitch;  /* from item to item */
    int64_t extent; /* memory that an item takes, wherever its parts lie */
} item_shape;

/* The rows' pitch; what cudaMallocPitch will say is not known here, only that lines begin with its rows. */
static int64_t pitch_of(const fx_params *params) {
    static const int64_t unit[] = {WORD, 32, 64, 128, 512, CUDA_PITCH};
    const int64_t to = unit[params->value[PITCH]];
    return (params->value[ROW] + to - 1) / to * to;
}

/* The shape of a case. The fields of a structure of arrays lie `items` times as far apart as they do here. */
static item_shape shape_of(const fx_params *params) {
    const int64_t width = params->value[WIDTH], row = params->value[ROW], fields = params->value[FIELDS];
    const int64_t request = REQUEST_WORDS * WORD, wide = FX_WARP * width;
    item_shape s = {.useful = wide, .requests = 1, .step = wide, .last = 0, .pitch = wide, .extent = wide};
    if (params->value[TASK] == ROWS) {
        /* The last request ends where the row ends, and reads some words again. */
        s.useful = row;
        s.requests = (row + request - 1) / request;
        s.step = request;
        s.last = row > request ? row - request : 0;
        s.pitch = s.extent = pitch_of(params);
    } else if (params->value[TASK] == STRUCTS) {
        const bool aos = params->value[LAYOUT] == AOS, whole = params->value[READ] == WHOLE;
        s.useful = whole ? request * fields : request;
        s.requests = whole ? fields * WORD / width : 1;
        s.step = aos ? width : request;
        s.last = (int64_t)UINT32_MAX * WORD; /* never reached */
        s.pitch = aos ? request * fields : request;
        s.extent = aos || whole ? request * fields : request; /* arrays that nobody reads need not be there */
    }
    return s;
}

/* Of an item's first request. */
static bool lanes(const fx_params *params, fx_lanes *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    const bool aos = params->value[TASK] == STRUCTS && params->value[LAYOUT] == AOS;
    fx_lanes_stride(out, width, aos ? params->value[FIELDS] * WORD / width : 1, params->value[BASE]);
    for (int l = 0; params->value[TASK] == ROWS && l < FX_WARP; l++) {
        out->offset[l] = l * WORD < params->value[ROW] ? out->offset[l] : -1;
    }
    return true;
}

/* Distinct aligned blocks of `block` bytes per row. A pitch is a multiple of four bytes, so that the phases of the row
 * starts come round after 16 rows. Rows in order share the block in which one ends and the next begins. */
static double blocks_per_row(const fx_params *params, int64_t block) {
    const int64_t row = params->value[ROW], pitch = pitch_of(params);
    int64_t blocks = 0, done = -1;
    for (int64_t r = 0; r < PERIOD && block > 0; r++) {
        const int64_t first = r * pitch / block, last = (r * pitch + row - 1) / block;
        blocks += last - (params->value[ORDER] == LINEAR && first <= done ? done + 1 : first) + 1;
        done = last;
    }
    return (double)blocks / (int)PERIOD;
}

/* The same for any item. The requests of a stream share the blocks at their ends, and the requests for all fields of
 * 32 structures the blocks that they lie in. */
static double blocks_of(const fx_params *params, const fx_lanes *table, int64_t block) {
    return params->value[TASK] == ROWS ? blocks_per_row(params, block)
           : params->value[TASK] == STRUCTS && params->value[READ] == ONE
               ? fx_law_blocks(table, (unsigned)params->value[WIDTH], (unsigned)block)
           : block > 0 ? (double)(shape_of(params).useful / block)
                       : 0;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned width = (unsigned)params->value[WIDTH], sector = facts->geometry.sector_bytes;
    const bool dram = params->value[LEVEL] == DRAM;
    const item_shape shape = shape_of(params);
    const double sectors = blocks_of(params, table, sector), pairs = blocks_of(params, table, 2 * (int64_t)sector);
    out->law = dram ? "pairs" : "sectors"; /* the DRAM is read by pairs of sectors: see the probe coalescing */
    out->count = dram ? pairs : sectors;
    out->useful_bytes = (double)shape.useful;
    out->moved_bytes = out->count * (dram ? 2 : 1) * sector;
    const bool aos = params->value[LAYOUT] == AOS, one = params->value[READ] == ONE;
    out->why_not = params->value[TASK] == STRUCTS
                       ? (width != WORD ? "vectors are another instruction"
                          : aos && !one ? "requests after the first come from the L1, whose banks then decide"
                          : !aos && one ? "the count is the same for all sizes of a structure"
                                        : NULL)
                   : params->value[TASK] != ROWS ? "the count is the same for all bases"
                   : params->value[ROW] <= 2 * (int64_t)sector
                       ? "a row within one pair costs more than half of one in two"
                       : NULL;
    fx_prediction_count(out, "sectors", sectors);
    fx_prediction_count(out, "pairs", pairs);
    fx_prediction_count(out, "requests", (double)shape.requests);
    fx_prediction_count(out, "pairs_per_request", pairs / (double)shape.requests);
    fx_prediction_count(out, "first_sectors", fx_law_blocks(table, width, sector));
    fx_prediction_count(out, "first_lines", fx_law_blocks(table, width, facts->geometry.line_bytes));
    if (dram) {
        fx_prediction_count(out, "dram", 1);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], width = params->value[WIDTH];
    return width & (width - 1)                               ? "width must be 4, 8 or 16"
           : params->value[BASE] % width != 0                ? "base must be a multiple of width"
           : task != BASE_TASK && params->value[BASE] != 0   ? "base above 0 needs task=base"
           : task != STRUCTS && params->value[LEVEL] != DRAM ? "task=base and task=rows need level=dram"
           : params->value[LEVEL] == L2 && facts->l2_bytes < LEAST_L2_BYTES
               ? "level=l2: the L2 is too small to hold much more than one SM's L1, or of unknown size"
           : task != ROWS && params->value[ORDER] != LINEAR ? "order=random needs task=rows"
           : task == ROWS && (width != WORD || params->value[ROW] % WORD != 0)
               ? "task=rows needs width=4 and row a multiple of 4"
           : task == STRUCTS && width != WORD &&
                   (params->value[LAYOUT] != AOS || params->value[READ] != WHOLE ||
                    params->value[FIELDS] * WORD % width != 0)
               ? "width=8 and width=16 with task=structs need layout=aos, read=whole and structures of a multiple of "
                 "width"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* A batch is as many requests as there are lanes to find their places. */
enum { THREADS = 256, WARPS = THREADS / FX_WARP, BATCHES = 4, BLOCK_REQUESTS = WARPS * BATCHES * FX_WARP };

/* Loads of a warp in flight: more of the widest would not leave every thread its 32 registers. */
__host__ __device__ constexpr int loads_of(int width) {
    return width == 16 ? 4 : 8;
}

/* A bijection of the item numbers below 2^bits: at random, another one each time that they come round (turn), or each
 * onto itself (factor 1, shift 31, turn 0). */
typedef struct shuffle {
    uint32_t mask, bits, turn, shift, factor;
} shuffle;

__device__ __forceinline__ uint32_t shuffled(const shuffle &s, uint32_t i) {
    uint32_t x = (i ^ ((i >> s.bits) * s.turn)) & s.mask;
    x = ((x ^ (x >> s.shift)) * s.factor) & s.mask;
    x = ((x ^ (x >> s.shift)) * s.factor) & s.mask;
    return x ^ (x >> s.shift);
}

/* Places are counted in words, so that 32 bits reach 16 GiB. */
typedef struct run {
    fx_lanes lanes;
    const char *data;
    uint64_t seed;
    uint32_t first, requests; /* the launch's first item; requests per item */
    uint32_t step, last;      /* words from request to request, and where the last one begins at most */
    uint32_t pitch;           /* words from item to item */
    shuffle order;
    unsigned long long *sums;
} run;

/* Word at which request `request` of this launch begins. */
__device__ __forceinline__ uint32_t place_of(const run &r, uint32_t request) {
    const uint32_t item = request / r.requests, piece = request % r.requests, within = piece * r.step;
    return shuffled(r.order, r.first + item) * r.pitch + (within < r.last ? within : r.last);
}

/* The request that this lane finds the place of, in batch `batch` of its warp. */
__device__ __forceinline__ uint32_t request_of(uint32_t batch) {
    return (blockIdx.x * BATCHES + batch) * THREADS + threadIdx.x;
}

/* Loads and adds up the parts, so that none is dead and the load keeps its width. Lanes that want nothing there are
 * only among words, in rows that are shorter than a warp. */
template <int WIDTH_> __device__ __forceinline__ uint32_t load_if(bool wanted, const char *address) {
    if constexpr (WIDTH_ == 4) {
        uint32_t word[1] = {0};
        fx_load_if<4>(wanted, address, word);
        return word[0];
    } else {
        return fx_load<FX_L1, WIDTH_>(address);
    }
}

template <int WIDTH_> __global__ void __launch_bounds__(THREADS) read_items(const __grid_constant__ run r) {
    const int32_t offset = r.lanes.offset[threadIdx.x % FX_WARP];
    const bool wanted = offset >= 0;
    constexpr int loads = loads_of(WIDTH_);
    const char *base = r.data + offset;
    asm("mov.b64 %0, %0;" : "+l"(base)); /* kept as it is, and not recomputed for each load */
    uint32_t sum = 0;
    FX_NO_UNROLL for (uint32_t batch = 0; batch < BATCHES; batch++) {
        const uint32_t place = place_of(r, request_of(batch));
        FX_NO_UNROLL for (uint32_t from = 0; from < FX_WARP; from += loads) {
            uint32_t at[loads];
            FX_UNROLL for (int i = 0; i < loads; i++) {
                at[i] = __shfl_sync(0xffffffffu, place, from + i);
            }
            __syncwarp(); /* else some assemblers put copies of the loads beside a shuffle's way for lanes that stray */
            fx_add_groups<loads, loads>(
                sum, [&](int i) { return load_if<WIDTH_>(wanted, base + (uint64_t)at[i] * WORD); }, [] {});
        }
    }
    fx_sums_add(r.sums, sum);
}

/* The oracle: the same sum, from the generator and not from memory. */
template <int WIDTH_> __global__ void __launch_bounds__(THREADS) expect_items(const __grid_constant__ run r) {
    const int32_t offset = r.lanes.offset[threadIdx.x % FX_WARP];
    uint32_t sum = 0;
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        const uint32_t request = request_of(batch) / FX_WARP * FX_WARP;
        for (uint32_t i = 0; i < FX_WARP && offset >= 0; i++) {
            const uint64_t word = (uint64_t)place_of(r, request + i) + offset / WORD;
            for (int part = 0; part < WIDTH_ / WORD; part++) {
                sum += fx_random_word(r.seed, word + part);
            }
        }
    }
    fx_sums_add(r.sums, sum);
}

/* What the kernel gets, and N. */
typedef struct work {
    run r;
    uint32_t items;
} work;

static void part(fx_rig *rig, const fx_case *c, int which) {
    work *w = FX_ARGUMENT(rig, work);
    const uint64_t requests = (uint64_t)w->items * w->r.requests * (which == 0 ? 1 : 2);
    w->r.first = which == 0 ? 0 : w->items; /* read behind the shorter launch's items */
    rig->blocks = (unsigned)(requests / BLOCK_REQUESTS);
}

/* Takes the place of the assumed pitch. */
static fx_status ask_pitch(const fx_case *c, item_shape *shape, fx_error *err) {
    const int64_t pair = 64;
    void *rows = NULL;
    size_t pitch = 0;
    FX_TRY_CUDA(cudaMallocPitch(&rows, &pitch, (size_t)c->params.value[ROW], PERIOD));
    FX_TRY_CUDA(cudaFree(rows));
    shape->pitch = shape->extent = (int64_t)pitch;
    FX_FAIL_IF(shape->pitch % pair != 0, err, FX_WRONG_RESULT,
               "cudaMallocPitch gave a pitch of %zu bytes, but the law needs a multiple of 64", pitch);
    return FX_OK;
}

/* Lays out 2^bits items, and says how many a launch reads. From DRAM three times N, once each, are at most three
 * quarters of them; from the L2 they come round, each time in another order, so that no SM finds its own in the L1. */
static fx_status lay_out(fx_rig *rig, const fx_case *c, const item_shape *shape, fx_error *err) {
    const fx_params *p = &c->params;
    const bool dram = p->value[LEVEL] == DRAM, random = !dram || p->value[ORDER] == RANDOM;
    const bool apart = p->value[TASK] == STRUCTS && p->value[LAYOUT] == SOA;
    const uint64_t moved = (uint64_t)1 << 30; /* bytes in the shorter launch */
    const uint64_t slack = FX_WARP * 16;      /* the shifted base needs more */
    uint64_t room = rig->gpu->facts.l2_bytes / 3, items = 1, n;
    uint32_t bits = 0;
    work *w = FX_ARGUMENT(rig, work);
    FX_TRY(dram ? fx_rig_room(rig, (uint64_t)(p->value[TASK] == ROWS ? 8 : 4) << 30, &room, err) : FX_OK);
    while (bits < 31 && 2 * items * (uint64_t)shape->extent <= room) {
        items *= 2;
        bits++;
    }
    n = (uint64_t)((double)moved / c->prediction.moved_bytes);
    n = dram && n > items / 4 ? items / 4 : n;
    w->items = (uint32_t)(n / BLOCK_REQUESTS * BLOCK_REQUESTS);
    w->r.requests = (uint32_t)shape->requests;
    w->r.step = (uint32_t)((uint64_t)shape->step / WORD * (apart ? items : 1));
    w->r.last = (uint32_t)(shape->last / WORD);
    w->r.pitch = (uint32_t)(shape->pitch / WORD);
    w->r.order.mask = (uint32_t)(items - 1);
    w->r.order.bits = bits;
    w->r.order.turn = dram ? 0 : 0x9e3779b1u;
    w->r.order.shift = random ? bits / 2 + 1 : 31;
    w->r.order.factor = random ? 0x85ebca6bu : 1;
    w->r.seed = FX_FILL_SEED;
    const uint64_t bytes = w->items > 0 ? items * (uint64_t)shape->extent : 0;
    return dram || bytes == 0
               ? fx_rig_dram(rig, &w->r.data, FX_FILLED, bytes, slack, err)
               : fx_rig_memory(rig, &w->r.data, FX_POOL_MEMORY | FX_FILLED, (size_t)(bytes + slack), 0, err);
}

/* The pitch that was asked for is part of the result. */
static fx_status report(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err) {
    if (c->params.value[TASK] == ROWS) {
        out->extra[0] = (double)(FX_ARGUMENT(rig, work)->r.pitch * (uint64_t)WORD);
    }
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    item_shape shape = shape_of(p);
    work *w = FX_ARGUMENT(rig, work);
    FX_TRY(p->value[TASK] == ROWS && p->value[PITCH] == CUDA ? ask_pitch(c, &shape, err) : FX_OK);
    FX_TRY(lay_out(rig, c, &shape, err));
    w->r.lanes = c->lanes;
    rig->warps = WARPS;
    rig->carveout_pct = 0;
    rig->units = (double)w->items;
    rig->cold = p->value[LEVEL] == DRAM;
    rig->part = part;
    rig->report = report;
    return fx_rig_sums(rig, &w->r.sums, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("width=4", FX_K(read_items, 4), {"LDG.E", 8}),
    FX_TIMED("width=8", FX_K(read_items, 8), {"LDG.E.64", 8}),
    FX_TIMED("width=16", FX_K(read_items, 16), {"LDG.E.128", 4}),
    FX_EXPECTED("width=4", FX_K(expect_items, 4)),
    FX_EXPECTED("width=8", FX_K(expect_items, 8)),
    FX_EXPECTED("width=16", FX_K(expect_items, 16)),
};

#define LOADS_DONE "smsp__inst_executed_op_global_ld.sum"

/* One metric besides the count of accesses, so that one pass reads both. The L1 is asked for each request's sectors,
 * the DRAM for pairs. */
static const fx_counter counters[] = {
    {"task=base", "first_sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", LOADS_DONE, 0.01, 0.02},
    {"task=structs", "first_sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", LOADS_DONE, 0.01, 0.02},
    {"level=dram", "pairs_per_request", 64, "dram__bytes_read.sum", LOADS_DONE, 0.05, 0.05},
};

FX_PROBE(alignment, .question = "What does misaligned data cost?", .method_version = 1, FX_PARTS,
         .fit_by = "task level order layout read", .extras = "pitch_bytes", .lanes = lanes, .supported = supported,
         FX_TABLE(counters))
