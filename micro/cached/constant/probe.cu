/* constant: what does a constant-memory read cost when lanes of a warp want different words? Method: `distinct`
 * addresses are dealt to the lanes and linked to one seeded cycle, along which all lanes step together, so that every
 * access has the same set of addresses. With a footprint all lanes walk one cycle over it. */
#include "core/probe.h"

enum { MODE, SPACE, DISTINCT, SPACING, FOOTPRINT };
enum { THROUGHPUT, LATENCY };
enum { CONSTANT, SHARED, GLOBAL };
enum { TABLE_BYTES = 64 << 10 };
enum { CHAINS = 4, GLOBAL_CHAINS = 2 /* its address sums make the loop long */ };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"space", "", "memory that holds the table", "constant shared global", 0, 0, CONSTANT},
    {"distinct", "addresses", "distinct addresses in the warp", NULL, 1, 32, 1},
    {"spacing", "bytes", "distance between neighbouring addresses, a multiple of 4", NULL, 4, 256, 4},
    {"footprint", "bytes", "bytes walked by all lanes together; 0: only the distinct addresses", NULL, 0, TABLE_BYTES,
     0},
};

static const fx_sweep sweeps[] = {
    {"divergence", "mode=throughput,latency space=constant distinct=1:32 spacing=4,64",
     "mode=throughput,latency space=constant distinct=1,2,4,8,16,32 spacing=4,64"},
    {"spacing", "mode=throughput,latency space=constant distinct=1,2,3,4,8,12,16,20,24,28,32 spacing=8,16,32,128,256",
     NULL},
    {"crossover", "mode=throughput space=shared,global distinct=1:32 spacing=4,64,256",
     "mode=throughput space=shared,global distinct=1,2,4,8,16,32 spacing=64"},
    {"footprint",
     "mode=latency space=constant distinct=1 spacing=64 "
     "footprint=256,512,1Ki,1536,2Ki,2304,2560,3Ki,4Ki,6Ki,8Ki,12Ki,16Ki,24Ki,32Ki,40Ki,48Ki,56Ki,64Ki",
     "mode=latency space=constant distinct=1 spacing=64 footprint=1Ki,2Ki,4Ki,16Ki,64Ki"},
};

static const fx_search searches[] = {
    {"mode=latency space=constant distinct=1 spacing=64", "footprint", FX_FIRST_ENDS, 64, 0, NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* A miss of the first level takes 72 cycles and an address 11, on sm_90. */
static const double MISS_ADDRESSES = 72.0 / 11;

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_multicast(out, (unsigned)params->value[SPACING], (unsigned)params->value[DISTINCT]);
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned distinct = fx_law_distinct(table);
    const unsigned wavefronts = fx_law_wavefronts(&facts->geometry, table, 4);
    const unsigned lines = fx_law_blocks(table, 4, facts->geometry.line_bytes);
    fx_prediction_count(out, "distinct", distinct);
    fx_prediction_count(out, "wavefronts", wavefronts);
    fx_prediction_count(out, "sectors", fx_law_blocks(table, 4, facts->geometry.sector_bytes));
    fx_prediction_count(out, "lines", lines);
    out->useful_bytes = fx_law_useful_bytes(table, 4);
    if (params->value[FOOTPRINT] > 0) {
        return; /* a staircase of cache levels, not a law of addresses */
    }
    out->law = params->value[SPACE] == CONSTANT ? "distinct" : params->value[SPACE] == SHARED ? "wavefronts" : "lines";
    out->count = params->value[SPACE] == CONSTANT ? distinct : params->value[SPACE] == SHARED ? wavefronts : lines;
    out->why_not = params->value[SPACE] == CONSTANT ? fx_law_constant_why_not(&facts->geometry, table, 4) : NULL;
    if (out->why_not && params->value[MODE] == LATENCY && facts->geometry.constant_sets > 0) {
        out->law = "distinct_and_misses";
        out->count +=
            MISS_ADDRESSES * fx_law_constant_walk_misses(&facts->geometry, distinct, (unsigned)params->value[SPACING]);
        out->why_not = NULL;
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[SPACE] != CONSTANT && params->value[MODE] == LATENCY
               ? "mode=latency needs space=constant; bank_conflict and readonly measure the latency of the others"
           : params->value[SPACING] % 4 != 0                              ? "spacing must be a multiple of 4"
           : params->value[FOOTPRINT] > 0 && params->value[DISTINCT] != 1 ? "footprint above 0 needs distinct=1"
           : params->value[FOOTPRINT] > 0 && params->value[FOOTPRINT] < params->value[SPACING]
               ? "footprint must be 0, or spacing at least"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

enum { THROUGHPUT_WARPS = 32, SHARED_BYTES = 8 << 10 };

__constant__ static uint32_t table[TABLE_BYTES / 4];

typedef struct walk {
    fx_lanes first, last;  /* offsets at the start and after all passes */
    const uint32_t *image; /* the table in global memory */
} walk;

template <int SPACE_>
__device__ __forceinline__ uint32_t step(uint32_t offset, const uint32_t *image, const uint32_t *copy) {
    if (SPACE_ == CONSTANT) {
        return *(const uint32_t *)((const char *)table + offset);
    }
    if (SPACE_ == SHARED) {
        return *(const volatile uint32_t *)((const char *)copy + offset);
    }
    uint32_t next;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(next) : "l"((const char *)image + offset) : "memory");
    return next;
}

template <int SPACE_, int CHAINS_> __global__ void walk_indexed(FX_TIMED_WITH(walk, w)) {
    __shared__ uint32_t copy[SHARED_BYTES / 4];
    const uint32_t first = w.first.offset[threadIdx.x % FX_WARP], last = w.last.offset[threadIdx.x % FX_WARP];
    uint32_t offset[CHAINS_];
    if (SPACE_ == SHARED) {
        for (uint32_t i = threadIdx.x; i < SHARED_BYTES / 4; i += blockDim.x) {
            copy[i] = w.image[i];
        }
        __syncthreads();
    }
    for (int c = 0; c < CHAINS_; c++) {
        offset[c] = first;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int c) { offset[c] = step<SPACE_>(offset[c], w.image, copy); };
    fx_timed_chains<CHAINS_>(timed, marks, link, [&] { return offset[0]; });
    fx_timed_end_all<CHAINS_>(timed, marks, [&](int c) { return offset[c] != last; });
}

typedef struct task {
    walk w;
    uint32_t *host, *image; /* pinned host memory, device memory: TABLE_BYTES each */
    uint32_t length;        /* of the cycle */
    size_t bytes;           /* of the table that the case touches */
} task;

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    const bool latency = v[MODE] == LATENCY;
    const uint32_t count = c->prediction.count > 1 ? (uint32_t)c->prediction.count : 1;
    const uint32_t chains = latency ? 1 : v[SPACE] == GLOBAL ? GLOBAL_CHAINS : CHAINS;
    const uint32_t steps = (uint32_t)fx_steps_of((int)chains);
    task *t = FX_ARGUMENT(rig, task);
    t->length = (uint32_t)(v[FOOTPRINT] > 0 ? v[FOOTPRINT] / v[SPACING] : v[DISTINCT]);
    t->bytes = v[SPACE] == SHARED ? (size_t)SHARED_BYTES : t->length * (size_t)v[SPACING];
    rig->warps = latency ? 1 : THROUGHPUT_WARPS;
    rig->carveout_pct = 25;
    rig->accesses = steps * chains;
    rig->trip_cycles = rig->accesses * (latency ? 30 + 2 * count : THROUGHPUT_WARPS * count);
    rig->warm_trips = t->length / steps + 1; /* once round */
    FX_TRY(fx_rig_memory(rig, &t->host, FX_PINNED_MEMORY, TABLE_BYTES, 0, err));
    return fx_rig_memory(rig, &t->image, FX_DEVICE_MEMORY, TABLE_BYTES, 0, err);
}

/* Links the first `length` addresses of the table to one random cycle, and finds where each lane ends after `steps`. */
static void link_cycle(task *t, const fx_case *c, uint64_t seed, uint64_t steps) {
    enum { MOST = TABLE_BYTES / 4 };
    static uint32_t order[MOST], place[MOST];
    const uint32_t spacing = (uint32_t)c->params.value[SPACING], n = t->length;
    for (uint32_t i = 0; i < t->bytes / 4; i++) {
        t->host[i] = fx_random_word(seed, i);
    }
    fx_random_order(seed, order, n);
    for (uint32_t i = 0; i < n; i++) {
        place[order[i]] = i;
        t->host[order[i] * spacing / 4] = order[(i + 1) % n] * spacing;
    }
    t->w.first = c->lanes;
    for (int l = 0; l < FX_WARP; l++) {
        const uint32_t at = place[(uint32_t)c->lanes.offset[l] / spacing];
        t->w.last.offset[l] = (int32_t)(order[(at + steps) % n] * spacing);
    }
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    cudaStream_t stream = rig->gpu->stream;
    const int64_t *v = c->params.value;
    const int chains = v[MODE] == LATENCY ? 1 : CHAINS;
    link_cycle(t, c, seed, fx_timed_steps(&rig->timed, (uint32_t)fx_steps_of(chains), t->length));
    t->w.image = t->image;
    FX_TRY_CUDA(cudaMemcpyToSymbolAsync(table, t->host, t->bytes, 0, cudaMemcpyHostToDevice, stream));
    return FX_CUDA_STATUS(cudaMemcpyAsync(t->image, t->host, t->bytes, cudaMemcpyHostToDevice, stream));
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("mode=latency", FX_K(walk_indexed, CONSTANT, 1), {"LDC", FX_CHAIN_STEPS}),
    FX_TIMED("mode=throughput space=constant", FX_K(walk_indexed, CONSTANT, CHAINS), {"LDC", CHAINS *FX_RATE_STEPS}),
    FX_TIMED("mode=throughput space=shared", FX_K(walk_indexed, SHARED, CHAINS), {"LDS", CHAINS *FX_RATE_STEPS}),
    FX_TIMED("mode=throughput space=global", FX_K(walk_indexed, GLOBAL, GLOBAL_CHAINS),
             {"LDG.E", GLOBAL_CHAINS *FX_RATE_STEPS}),
};

static const fx_counter counters[] = {
    {"space=constant", "distinct", 1, "idc__requests.sum", "smsp__inst_executed_op_ldc.sum", 0.01, 0.02},
    {"space=shared", "wavefronts", 1, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "smsp__inst_executed_op_shared_ld.sum", 0.01, 0.02},
    {"space=global", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "smsp__inst_executed_op_global_ld.sum", 0.01, 0.02},
};

FX_PROBE(constant, .question = "What does a constant-memory read cost when lanes of a warp read different words?",
         .method_version = 1, FX_PARTS, .fit_by = "mode space spacing", .lanes = lanes, .supported = supported,
         .draw = FX_GPU(draw), FX_TABLE(counters), FX_TABLE(searches))
