/* async_copy: how does data get best from global into shared memory? Method: every warp keeps `stages` tiles in flight
 * into slots of its own. A step waits for the oldest tile, reads one line of it, another one each time, and orders the
 * next tile into the same slot. The lines read are summed and the sum checked, so a step that does not wait is found
 * out. */
#include "core/probe.h"

enum { LEVEL, WAY, WIDTH, TILE, STAGES, WARPS };
enum { L2, DRAM };
enum { LOAD_STORE, CP_ASYNC, BULK };
enum { TILE_CYCLES, TILE_NS };
enum { CHUNK_BYTES = 2 << 10 /* what a warp orders between two branches: 4, 8 or 16 instructions */ };
enum { FOOTPRINT_BYTES = 512 << 10, BARRIER_BYTES = 8, MOST_STAGES = 8, MOST_WARPS = 32 };

static const fx_axis axes[] = {
    {"level", "", "source of the copy: the L2 for one SM, or DRAM for the whole chip", "l2 dram", 0, 0, L2},
    {"way", "", "path of a tile into shared memory", "load_store cp_async bulk", 0, 0, LOAD_STORE},
    {"width", "bytes", "bytes per lane and instruction: 4, 8 or 16; unused by bulk copies", NULL, 4, 16, 16},
    {"tile", "bytes", "bytes that a warp requests at once, a power of two", NULL, 256, 64 << 10, 2 << 10},
    {"stages", "tiles", "tiles in flight per warp: 1, 2, 4 or 8", NULL, 1, MOST_STAGES, 1},
    {"warps", "warps", "copying warps per SM", NULL, 1, MOST_WARPS, 1},
};

static const fx_sweep sweeps[] = {
    {"latency", "level=l2 way=load_store,cp_async width=4,8,16 tile=2Ki:32Ki:*2",
     "level=l2 way=load_store,cp_async width=16 tile=2Ki,8Ki"},
    {"latency_bulk", "level=l2 way=bulk tile=256:32Ki:*2", "level=l2 way=bulk tile=2Ki,8Ki"},
    {"stages", "level=l2 way=cp_async width=16 tile=2Ki,8Ki stages=2,4,8 warps=1", NULL},
    {"stages_bulk", "level=l2 way=bulk tile=256,2Ki,8Ki stages=2,4,8 warps=1", NULL},
    {"warps", "level=l2 way=load_store width=4,8,16 tile=2Ki stages=1 warps=4,8,32",
     "level=l2 way=load_store width=16 tile=2Ki stages=1 warps=8,32"},
    {"warps_async", "level=l2 way=cp_async width=4,8,16 tile=2Ki stages=1,2 warps=4,8,32",
     "level=l2 way=cp_async width=16 tile=2Ki stages=2 warps=8,32"},
    {"warps_bulk", "level=l2 way=bulk tile=2Ki stages=1,2 warps=4,8,32",
     "level=l2 way=bulk tile=2Ki stages=2 warps=8,32"},
    {"in_flight_bulk", "level=l2 way=bulk tile=512,2Ki stages=1,2,4 warps=8,16", NULL},
    {"in_flight_bulk_full", "level=l2 way=bulk tile=512 stages=1,2,4 warps=32", NULL},
    {"dram", "level=dram way=load_store width=4,16 tile=2Ki stages=1 warps=1,4,8,32",
     "level=dram way=load_store width=16 tile=2Ki stages=1 warps=8,32"},
    {"dram_async", "level=dram way=cp_async width=16 tile=2Ki stages=1,2,4,8 warps=1,4,8",
     "level=dram way=cp_async width=16 tile=2Ki stages=4 warps=1,8"},
    {"dram_async_full", "level=dram way=cp_async width=4,16 tile=2Ki stages=1,2 warps=32", NULL},
    {"dram_bulk", "level=dram way=bulk tile=2Ki stages=1,2,4,8 warps=1,4,8",
     "level=dram way=bulk tile=2Ki stages=4 warps=1,8"},
    {"dram_bulk_full", "level=dram way=bulk tile=2Ki stages=1,2 warps=32", NULL},
    {"dram_bulk_tile", "level=dram way=bulk tile=8Ki,16Ki,32Ki stages=1,2,4 warps=1",
     "level=dram way=bulk tile=32Ki stages=4 warps=1"},
};

static const fx_metric metrics[] = {
    {"tile_cycles", "cycles", FX_SM_CYCLES, false, "tile"},
    {"tile_ns", "ns", FX_GPU_NS, false, "tile"},
};

/* One warp, one tile at a time: a time to start, and one more for each line. With more in flight the question is
 * which limit comes first, not a law. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double lines = (double)(params->value[TILE] / FX_LINE_BYTES);
    out->metric = params->value[LEVEL] == DRAM ? TILE_NS : TILE_CYCLES;
    out->useful_bytes = (double)params->value[TILE];
    fx_prediction_count(out, "lines", lines);
    if (params->value[LEVEL] == L2 && params->value[STAGES] == 1 && params->value[WARPS] == 1) {
        out->law = "lines";
        out->count = lines;
        out->why_not = params->value[TILE] >= CHUNK_BYTES ? NULL : "not all ways can copy tiles this small";
    }
    if (params->value[LEVEL] == DRAM) {
        fx_prediction_count(out, "dram", 1);
    }
}

/* Shared memory of a block: a slot for each tile in flight, and a bulk copy's barrier. */
static uint64_t shared_of(const fx_params *params) {
    const int64_t *v = params->value;
    return (uint64_t)(v[WARPS] * v[STAGES] * (v[TILE] + (v[WAY] == BULK ? BARRIER_BYTES : 0)));
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value, width = v[WIDTH], tile = v[TILE], stages = v[STAGES];
    return v[WAY] == CP_ASYNC && facts->compute_major < 8 ? "way=cp_async needs compute capability 8.0"
           : v[WAY] == BULK && facts->compute_major < 9   ? "way=bulk needs compute capability 9.0"
           : width != 4 && width != 8 && width != 16      ? "width must be 4, 8 or 16"
           : v[WAY] == BULK && width != 16                ? "way=bulk needs width=16"
           : (tile & (tile - 1)) != 0 || (v[WAY] != BULK && tile < CHUNK_BYTES)
               ? "tile must be a power of two, and 2048 or more unless way=bulk"
           : (stages & (stages - 1)) != 0 || (v[WAY] == LOAD_STORE && stages > 1)
               ? "stages must be 1, 2, 4 or 8, and 1 for way=load_store, which has no second tile in flight"
           : (v[WARPS] & (v[WARPS] - 1)) != 0
               ? "warps must be a power of two, so that their tiles fill the footprint evenly"
           : v[LEVEL] == L2 && facts->l2_bytes > 0 && facts->l2_bytes < 2 * FOOTPRINT_BYTES
               ? "level=l2: the L2 does not hold the footprint of 512 KiB twice"
           : shared_of(params) > facts->shared_per_block_bytes
               ? "tile x stages x warps: the tiles in flight do not fit into the shared memory of a block"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* LINE_STEP: odd in lines, so that each has its turn. POLLS: of one wait, before it gives up. */
enum { LINE_STEP = 5 * FX_LINE_BYTES, POLLS = 1 << 16, PASS_CYCLES = 16000 };

/* The oldest architecture that each way runs on. */
__host__ __device__ constexpr int least_arch(int way) {
    return way == BULK ? 900 : way == CP_ASYNC ? 800 : 0;
}

typedef struct copy {
    const char *data;
    uint64_t seed;
    uint64_t step_bytes;  /* from one tile of a warp to its next */
    uint64_t first_bytes; /* DRAM: where the launch's part begins */
    uint32_t tile_bytes, stages;
    uint32_t tiles; /* that each warp reads: over all passes, or of the launch */
    uint32_t zero;  /* so that an order waits for the read of what it overwrites */
    unsigned long long *sums;
} copy;

/* A warp's slots, as addresses in the shared window. */
typedef struct ring {
    uint32_t slot, first, end;       /* slot: of the oldest tile, and then of the newest */
    uint32_t barrier, first_barrier; /* BULK: one for each slot */
    uint32_t parity;                 /* of the barrier's phase that the oldest tile ends */
    uint32_t line_bytes;             /* place of the line that is read next, within its tile */
} ring;

__device__ __forceinline__ uint32_t lane_id(void) {
    return threadIdx.x % FX_WARP;
}

template <int WAY_> __device__ __forceinline__ ring make_ring(const copy &k) {
    extern __shared__ __align__(128) char shared[];
    const uint32_t warp = fx_warp_id(), warps = blockDim.x / FX_WARP;
    const uint32_t base = fx_shared_address(shared);
    ring r = {};
    r.first = base + warp * k.stages * k.tile_bytes;
    r.end = r.first + k.stages * k.tile_bytes;
    r.first_barrier = base + (warps * k.tile_bytes + warp * BARRIER_BYTES) * k.stages;
    asm volatile("" : "+r"(r.first), "+r"(r.end), "+r"(r.first_barrier)); /* not recomputed in each step */
    r.parity = 1; /* the first time round orders alone; then phase 0 is waited for */
    r.slot = r.first;
    r.barrier = r.first_barrier;
    if (WAY_ == BULK) {
        if (fx_elect()) {
            fx_barriers_init(r.barrier, k.stages);
        }
        __syncwarp();
    }
    return r;
}

__device__ __forceinline__ void advance(ring &r, uint32_t tile_bytes) {
    r.slot += tile_bytes;
    r.barrier += BARRIER_BYTES;
    if (r.slot == r.end) {
        r.slot = r.first;
        r.barrier = r.first_barrier;
        r.parity ^= 1;
    }
}

/* A chunk by way of registers: all loads, then all stores. */
template <int WIDTH_> __device__ __forceinline__ void load_and_store(uint32_t to, const char *from) {
    constexpr int words = WIDTH_ / 4, count = CHUNK_BYTES / FX_WARP / WIDTH_, pitch = FX_WARP * WIDTH_;
    uint32_t x[count][words];
    FX_UNROLL for (int i = 0; i < count; i++, from += pitch) {
        fx_load_words<FX_L2, WIDTH_>(from, x[i]);
    }
    FX_UNROLL for (int i = 0; i < count; i++, to += pitch) {
        const uint32_t *w = x[i], address = to;
        FX_STORE_WORDS("st.volatile.shared.", "u32", "r", "r", w[0], w[1], w[2], w[3])
    }
}

/* Orders the tile at `from` into the ring's slot. `after` is 0, but not known to be: what was last read from the slot
 * and masked. The bulk engine would not wait for a read under way, as the other two ways do. */
template <int WAY_, int WIDTH_>
__device__ __forceinline__ void order(const ring &r, const char *from, uint32_t tile_bytes, uint32_t after) {
    if constexpr (WAY_ == BULK) {
        if (fx_elect()) {
            fx_bulk_copy(r.slot + after, from, tile_bytes, r.barrier);
        }
    } else {
        uint32_t to = r.slot + lane_id() * WIDTH_;
        from += lane_id() * WIDTH_;
        FX_NO_UNROLL for (uint32_t left = tile_bytes; left > 0;
                          left -= CHUNK_BYTES) { /* counted, so that it is one for all lanes */
            if constexpr (WAY_ == CP_ASYNC) {
                FX_UNROLL for (int at = 0; at < CHUNK_BYTES; at += FX_WARP * WIDTH_) {
                    fx_copy_async<WIDTH_>(to + at, from + at);
                }
            } else {
                load_and_store<WIDTH_>(to, from);
            }
            to += CHUNK_BYTES;
            from += CHUNK_BYTES;
        }
        if (WAY_ == CP_ASYNC) {
            fx_close_group();
        }
    }
}

/* Waits until at most PENDING_ groups are under way (CP_ASYNC), or for the ring's slot (BULK). `patience` falls from
 * POLLS to 1 where a tile does not come, so that a fault costs one long wait and not one for each tile. */
template <int WAY_, int PENDING_> __device__ __forceinline__ void wait(const ring &r, uint32_t &patience) {
    if constexpr (WAY_ == CP_ASYNC) {
        fx_wait_groups<PENDING_>();
    } else if constexpr (WAY_ == BULK) {
        fx_barrier_await(r.barrier, r.parity, patience);
    }
    __syncwarp(); /* the other lanes' parts as well */
}

/* Reads the line whose turn it is, one word per lane. */
__device__ __forceinline__ uint32_t read_line(ring &r, uint32_t tile_bytes) {
    const uint32_t x = fx_load<FX_SHARED, 4>(r.slot + r.line_bytes + lane_id() * 4);
    r.line_bytes = (r.line_bytes + LINE_STEP) & (tile_bytes - FX_LINE_BYTES);
    return x;
}

/* What read_line returns for the k.tiles tiles of this warp together, the first of which lies at `offset`. */
__device__ uint32_t expected_sum(const copy &k, uint64_t offset, uint64_t mask) {
    uint32_t sum = 0, line_bytes = 0;
    FX_NO_UNROLL for (uint32_t t = 0; t < k.tiles; t++) {
        sum += fx_random_word(k.seed, (offset + line_bytes) / 4 + lane_id());
        offset = (offset + k.step_bytes) & mask;
        line_bytes = (line_bytes + LINE_STEP) & (k.tile_bytes - FX_LINE_BYTES);
    }
    return sum;
}

__device__ bool tile_is_wrong(const copy &k, uint32_t slot, uint64_t offset) {
    bool wrong = false;
    FX_NO_UNROLL for (uint32_t i = lane_id(); i < k.tile_bytes / 4; i += FX_WARP) {
        wrong |= fx_load<FX_SHARED, 4>(slot + 4 * i) != fx_random_word(k.seed, offset / 4 + i);
    }
    return wrong;
}

/* One SM. STAGES_ is k.stages, for cp.async's wait, which has the number in its code; else 1. */
template <int WAY_, int WIDTH_, int STAGES_>
__global__ void __launch_bounds__(MOST_WARPS *FX_WARP) copy_tiles(FX_TIMED_WITH(copy, k)) {
    if constexpr (FX_RUNS_FROM(least_arch(WAY_))) {
        enum : uint32_t { MASK = FOOTPRINT_BYTES - 1 };
        const uint32_t start = fx_warp_id() * k.tile_bytes, step = (uint32_t)k.step_bytes;
        ring r = make_ring<WAY_>(k);
        uint32_t offset = start, sum = 0, patience = POLLS;
        bool wrong = false;
        FX_NO_UNROLL for (uint32_t s = 0; s < k.stages; s++) {
            order<WAY_, WIDTH_>(r, k.data + offset, k.tile_bytes, 0);
            advance(r, k.tile_bytes);
            offset = (offset + step) & MASK;
        }
        uint64_t marks[FX_MAX_PASSES] = {0};
        fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
            wait<WAY_, STAGES_ - 1>(r, patience);
            const uint32_t x = read_line(r, k.tile_bytes);
            sum += x;
            __syncwarp(); /* all lanes have read before the slot is written again */
            order<WAY_, WIDTH_>(r, k.data + offset, k.tile_bytes, x & k.zero);
            advance(r, k.tile_bytes);
            offset = (offset + step) & MASK;
        });
        wrong = sum != expected_sum(k, start, MASK);
        offset = (uint32_t)(start + (uint64_t)k.tiles * step) & MASK;
        FX_NO_UNROLL for (uint32_t s = 0; s < k.stages; s++) {
            wait<WAY_, 0>(r, patience);
            wrong |= tile_is_wrong(k, r.slot, offset);
            advance(r, k.tile_bytes);
            offset = (offset + step) & MASK;
        }
        fx_timed_end(timed, marks, FX_ALL_LANES, wrong || patience < POLLS);
    }
}

/* The whole chip: warp w of W takes tiles w, w + W, w + 2 W and so on. A tile that never came leaves a wrong sum. */
template <int WAY_, int WIDTH_, int STAGES_>
__global__ void __launch_bounds__(MOST_WARPS *FX_WARP) copy_run(const __grid_constant__ copy k) {
    if constexpr (FX_RUNS_FROM(least_arch(WAY_))) {
        const uint64_t warp = (uint64_t)blockIdx.x * (blockDim.x / FX_WARP) + fx_warp_id();
        const char *from = k.data + k.first_bytes + warp * k.tile_bytes;
        ring r = make_ring<WAY_>(k);
        uint32_t sum = 0, x = 0, patience = POLLS;
        FX_NO_UNROLL for (uint32_t t = 0; t < k.tiles + k.stages; t++) {
            if (t >= k.stages) {
                wait<WAY_, STAGES_ - 1>(r, patience);
                x = read_line(r, k.tile_bytes);
                sum += x;
                __syncwarp();
            }
            if (t < k.tiles) {
                order<WAY_, WIDTH_>(r, from, k.tile_bytes, x & k.zero);
                from += k.step_bytes;
            } else if (WAY_ == CP_ASYNC) {
                fx_close_group(); /* of nothing, so that the count of groups goes on */
            }
            advance(r, k.tile_bytes);
        }
        fx_sums_add(k.sums, patience < POLLS ? ~sum : sum);
    }
}

__global__ static void expect_run(const __grid_constant__ copy k) {
    const uint64_t warp = (blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) / FX_WARP;
    fx_sums_add(k.sums, expected_sum(k, k.first_bytes + warp * k.tile_bytes, UINT64_MAX));
}

/* Every pass goes round the footprint a whole number of times, so that all have the same lines of the L2 to fetch. */
static fx_status arrange_l2(fx_rig *rig, copy *k, fx_error *err) {
    const uint32_t round = FOOTPRINT_BYTES / (rig->warps * k->tile_bytes);
    const double rate_limit = rig->warps * k->tile_bytes / 50.0, latency_limit = 800.0 / k->stages;
    rig->accesses = 1;
    rig->pass_cycles = PASS_CYCLES;
    rig->trips = fx_rig_trips(rig, rate_limit > latency_limit ? rate_limit : latency_limit);
    rig->trips = (rig->trips + round - 1) / round * round;
    k->step_bytes = (uint64_t)rig->warps * k->tile_bytes;
    return fx_rig_memory(rig, &k->data, FX_DEVICE_MEMORY | FX_REFILLED, FOOTPRINT_BYTES, 0, err);
}

/* What the shorter launch is made of, behind what the kernel gets. */
typedef struct task {
    copy k;
    uint32_t tiles;
} task;

static void part(fx_rig *rig, const fx_case *c, int which) {
    task *t = FX_ARGUMENT(rig, task);
    t->k.first_bytes = which == 0 ? 0 : t->tiles * t->k.step_bytes;
    t->k.tiles = (uint32_t)(which + 1) * t->tiles;
}

static fx_status arrange_dram(fx_rig *rig, task *t, fx_error *err) {
    copy *k = &t->k;
    uint64_t room;
    FX_TRY(fx_rig_room(rig, (uint64_t)3 << 30, &room, err));
    rig->blocks = (unsigned)rig->gpu->facts.sm_count;
    k->step_bytes = (uint64_t)rig->blocks * rig->warps * k->tile_bytes;
    t->tiles = (uint32_t)(room / 3 / k->step_bytes);
    rig->units = (double)(t->tiles * k->step_bytes / k->tile_bytes);
    rig->cold = true;
    rig->part = part;
    FX_TRY(fx_rig_dram(rig, &k->data, FX_FILLED, 3 * t->tiles * k->step_bytes, 0, err));
    return fx_rig_sums(rig, &k->sums, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    task *t = FX_ARGUMENT(rig, task);
    t->k.seed = FX_FILL_SEED;
    t->k.tile_bytes = (uint32_t)v[TILE];
    t->k.stages = (uint32_t)v[STAGES];
    rig->warps = (unsigned)v[WARPS];
    rig->shared_bytes = (size_t)shared_of(&c->params);
    rig->carveout_pct = 100;
    return v[LEVEL] == DRAM ? arrange_dram(rig, t, err) : arrange_l2(rig, &t->k, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    copy *k = FX_ARGUMENT(rig, copy);
    if (c->params.value[LEVEL] == L2) { /* the DRAM keeps what was filled in once */
        k->seed = seed;
        k->tiles = fx_timed_total_trips(&rig->timed);
    }
    return FX_OK;
}
#endif

/* Of 64 bytes of a lane, a chunk. */
#define LOAD_STORE_ROW(level, kernel, width, modifier)                                                                 \
    FX_TIMED("level=" level " way=load_store width=" #width, FX_K(kernel, LOAD_STORE, width, 1),                       \
             {"LDG.E" modifier ".STRONG.GPU", 64 / width}, {"STS" modifier, 64 / width})
#define CP_ASYNC_ROW(level, kernel, width, stages, opcode)                                                             \
    FX_TIMED_FROM(80, "level=" level " way=cp_async width=" #width " stages=" #stages,                                 \
                  FX_K(kernel, CP_ASYNC, width, stages), {opcode, 64 / width})
#define CP_ASYNC_ROWS(level, kernel, width, opcode)                                                                    \
    CP_ASYNC_ROW(level, kernel, width, 1, opcode), CP_ASYNC_ROW(level, kernel, width, 2, opcode),                      \
        CP_ASYNC_ROW(level, kernel, width, 4, opcode), CP_ASYNC_ROW(level, kernel, width, 8, opcode)
#define ROWS(level, kernel)                                                                                            \
    LOAD_STORE_ROW(level, kernel, 4, ""), LOAD_STORE_ROW(level, kernel, 8, ".64"),                                     \
        LOAD_STORE_ROW(level, kernel, 16, ".128"), CP_ASYNC_ROWS(level, kernel, 4, "LDGSTS.E"),                        \
        CP_ASYNC_ROWS(level, kernel, 8, "LDGSTS.E.64"), CP_ASYNC_ROWS(level, kernel, 16, "LDGSTS.E.BYPASS.128")

static const fx_kernel kernels[] = {
    ROWS("l2", copy_tiles),
    /* branches: its own, and that of the poll */
    FX_TIMED_FROM(90, "level=l2 way=bulk", FX_K(copy_tiles, BULK, 16, 1), {"UBLKCP.S.G", 1}, {"LDS", 1}, {"BRA", 0}),
    ROWS("dram", copy_run),
    FX_TIMED_FROM(90, "level=dram way=bulk", FX_K(copy_run, BULK, 16, 1), {"UBLKCP.S.G", 1}),
    FX_EXPECTED("level=dram", FX_K(expect_run)),
};

FX_PROBE(async_copy, .question = "What is the fastest way to copy from global to shared memory?", .method_version = 1,
         FX_PARTS, .fit_by = "level way width", .supported = supported, .draw = FX_GPU(draw))
