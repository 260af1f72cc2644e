/* cluster: what does another SM's shared memory cost? Method: the blocks of one cluster, each on an SM of its own, read
 * each other's shared memory: one warp along a ring of addresses that it has laid there, or 32 warps that check the sum
 * of words. No block leaves before all have read. */
#include "core/probe.h"

enum { MODE, PATH, READERS, CLUSTER, HOP, WIDTH };
enum { THROUGHPUT, LATENCY };
enum { PLAIN, MAPPED };
enum { ONE, RING, HOT };
enum { PORTABLE_CLUSTER = 8, MOST_CLUSTER = 16, ACCESSES = 32 /* of a trip, rates */ };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"path", "", "ld.shared, or a load through a cluster address (mapa)", "plain mapped", 0, 0, MAPPED},
    {"readers", "", "reading blocks: block 0 alone, each block, or all but block 0, which serves them", "one ring hot",
     0, 0, RING},
    {"cluster", "blocks", "blocks per cluster: 1, 2, 4, 8 or 16", NULL, 1, MOST_CLUSTER, 1},
    {"hop", "blocks", "distance to the block whose memory is read; 0: the reader's own", NULL, 0, MOST_CLUSTER - 1, 0},
    {"width", "bytes", "bytes per lane: 4, 8 or 16", NULL, 4, 16, 4},
};

static const fx_sweep sweeps[] = {
    {"own", "mode=latency path=plain,mapped readers=one cluster=1 hop=0",
     "mode=latency path=plain,mapped readers=one cluster=1 hop=0"},
    {"own_cluster", "mode=latency path=mapped readers=one cluster=2,4,8,16 hop=0", NULL},
    {"neighbour", "mode=latency path=mapped readers=one,ring cluster=2,4,8,16 hop=1",
     "mode=latency path=mapped readers=one cluster=2,8 hop=1"},
    {"hop", "mode=latency path=mapped readers=one cluster=16 hop=1:15", NULL},
    {"hop_portable", "mode=latency path=mapped readers=one cluster=8 hop=1:7", NULL},
    {"own_rate", "mode=throughput path=plain,mapped readers=ring cluster=1 hop=0 width=4,8,16",
     "mode=throughput path=plain,mapped readers=ring cluster=1 hop=0 width=4,16"},
    {"one_rate", "mode=throughput path=mapped readers=one cluster=2,4,8,16 hop=1 width=4,8,16", NULL},
    {"ring_rate", "mode=throughput path=mapped readers=ring cluster=2,4,8,16 hop=1 width=4,8,16",
     "mode=throughput path=mapped readers=ring cluster=2,8 hop=1 width=4,16"},
    {"hot_rate", "mode=throughput path=mapped readers=hot cluster=2,4,8,16 hop=0 width=4,8,16",
     "mode=throughput path=mapped readers=hot cluster=8 hop=0 width=4"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* The port of the SM that is read gives one sector after another, to whichever reader: an access waits for its own
 * sectors and for those of the other readers. In a ring each port also receives, so that is a fit of its own. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double readers = params->value[READERS] == HOT ? (double)params->value[CLUSTER] - 1 : 1;
    const double sectors = (double)(FX_WARP * params->value[WIDTH]) / facts->geometry.sector_bytes;
    const bool far = params->value[MODE] == THROUGHPUT && params->value[CLUSTER] > 1 &&
                     (params->value[READERS] == HOT || params->value[HOP] != 0);
    out->useful_bytes = (double)(FX_WARP * params->value[WIDTH]);
    fx_prediction_count(out, "readers", readers);
    fx_prediction_count(out, "wavefronts", (double)params->value[WIDTH] / 4);
    out->law = far ? "port_sectors" : NULL;
    out->count = far ? sectors * readers : 0;
    out->why_not = !far ? NULL
                   : params->value[READERS] == RING && params->value[CLUSTER] > PORTABLE_CLUSTER
                       ? "a ring of more than eight blocks leaves the SMs that lie together"
                   : params->value[READERS] == HOT && params->value[CLUSTER] == 4
                       ? "cluster=4 readers=hot: one of the three readers is served before the other two"
                       : NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value;
    return facts->compute_major < 9 ? "thread-block clusters need compute capability 9.0"
           : facts->compute_major == 12 && v[CLUSTER] > PORTABLE_CLUSTER
               ? "cluster=16: compute capability 12 has clusters of up to 8 blocks"
           : (v[CLUSTER] & (v[CLUSTER] - 1)) != 0 || (v[WIDTH] & (v[WIDTH] - 1)) != 0
               ? "cluster must be 1, 2, 4, 8 or 16, and width 4, 8 or 16"
           : v[CLUSTER] > facts->sm_count ? "cluster: the device has fewer SMs than the cluster has blocks"
           : v[HOP] >= v[CLUSTER]         ? "hop must be below cluster"
           : v[PATH] == PLAIN && (v[HOP] != 0 || v[READERS] == HOT)
               ? "path=plain needs hop=0 and readers other than hot"
           : v[READERS] == HOT && (v[CLUSTER] < 2 || v[HOP] != 0 || v[MODE] == LATENCY)
               ? "readers=hot needs mode=throughput, hop=0 and cluster=2 or more"
           : v[MODE] == LATENCY && v[WIDTH] != 4 ? "mode=latency needs width=4"
                                                 : NULL;
}

#ifdef FX_WITH_CUDA
#include "../far_ring.cuh"
#include "gpu/cuda_half.cuh"

enum { RATE_WARPS = 32, CHAINS = 4, PASS_CYCLES = 16000 };

/* What the throughput test reads: a slot for each warp and chain, as wide as the widest access. */
enum { SLOT_BYTES = 16 * FX_WARP, DATA_BYTES = RATE_WARPS * CHAINS * SLOT_BYTES };

typedef struct work {
    uint64_t seed;
    uint32_t readers, hop;
    uint32_t steps; /* of a chain, over all passes, modulo ROWS */
    uint32_t trips; /* of all passes */
} work;

#if __CUDA_ARCH__ >= 900
/* Whose memory this block reads. */
__device__ __forceinline__ uint32_t source_of(const work &w) {
    return w.readers == HOT ? 0 : (fx_cluster_rank() + w.hop) % fx_cluster_size();
}

__device__ __forceinline__ bool reads(const work &w) {
    return w.readers == RING || (w.readers == ONE) == (fx_cluster_rank() == 0);
}

/* ptxas makes a generic load of ld.shared::cluster as well, but then rebuilds its address for each. */
template <int PATH_> __device__ __forceinline__ uint32_t step(uint32_t low, uint32_t high) {
    uint32_t next;
    if constexpr (PATH_ == PLAIN) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(next) : "r"(low) : "memory");
    } else {
        asm volatile("{\n.reg .b64 address;\nmov.b64 address, {%1, %2};\nld.u32 %0, [address];\n}\n"
                     : "=r"(next)
                     : "r"(low), "r"(high)
                     : "memory");
    }
    return next;
}

template <int WIDTH_> __device__ __forceinline__ uint32_t load_mapped(const char *address) {
    uint32_t x = 0, y = 0, z = 0, w = 0;
    FX_LOAD("ld.", "l")
    return x + y + z + w;
}
#endif

template <int PATH_> __global__ void chase(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    const uint32_t lane_bytes = threadIdx.x % FX_WARP * 4, first = (uint32_t)(w.seed % ROWS);
    char *ring = (char *)memory_of(source_of(w)) + lane_bytes;
    const uint32_t high = (uint32_t)((uint64_t)ring >> 32);
    const uint32_t low =
        PATH_ == PLAIN ? (uint32_t)__cvta_generic_to_shared(shared) + lane_bytes : (uint32_t)(uint64_t)ring;
    chase_ring(timed, reads(w), ring, low, first, w.steps, [&](uint32_t at) { return step<PATH_>(at, high); });
#endif
}

/* Word i of block r's memory is word r * DATA_BYTES / 4 + i of the random array. */
template <int PATH_, int WIDTH_>
__global__ void __launch_bounds__(RATE_WARPS *FX_WARP) read_slots(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    const uint32_t place = threadIdx.x / FX_WARP * CHAINS * SLOT_BYTES + threadIdx.x % FX_WARP * WIDTH_;
    const uint32_t plain = (uint32_t)__cvta_generic_to_shared(shared) + place, source = source_of(w);
    const char *mapped = (const char *)memory_of(source_of(w)) + place;
    const bool busy = reads(w);
    uint32_t sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    for (uint32_t i = threadIdx.x; i < DATA_BYTES / 4; i += blockDim.x) {
        ((uint32_t *)shared)[i] = fx_random_word(w.seed, (uint64_t)fx_cluster_rank() * (DATA_BYTES / 4) + i);
    }
    fx_cluster_barrier();
    if (busy) {
        fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
            const auto load = [&](int c) {
                return PATH_ == PLAIN ? fx_load<FX_SHARED, WIDTH_>(plain + c * SLOT_BYTES)
                                      : load_mapped<WIDTH_>(mapped + c * SLOT_BYTES);
            };
            /* the barrier: else the assembler merges loads of one address, and takes them out of the loop */
            fx_add_groups<ACCESSES, CHAINS>(sum, load, [] { __syncwarp(); });
        });
        for (int c = 0; c < CHAINS; c++) {
            const uint64_t byte = (uint64_t)source * DATA_BYTES + place + c * SLOT_BYTES;
            expected += w.trips * (ACCESSES / CHAINS) * fx_filled<WIDTH_>(w.seed, byte);
        }
    }
    fx_cluster_barrier();
    fx_timed_end(timed, marks, FX_ALL_LANES, sum != expected);
#endif
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    const bool latency = v[MODE] == LATENCY;
    const unsigned blocks = (unsigned)v[CLUSTER];
    /* cycles an access, about: the words of a lane, and in turns with the other readers */
    const bool remote = v[HOP] > 0 || v[READERS] == HOT;
    const double cycles = (double)v[WIDTH] / 4 * (remote ? 3 : 1) * (v[READERS] == HOT ? blocks - 1 : 1);
    work *w = FX_ARGUMENT(rig, work);
    w->readers = (uint32_t)v[READERS];
    w->hop = (uint32_t)v[HOP];
    rig->warps = latency ? 1 : RATE_WARPS;
    rig->pass_cycles = PASS_CYCLES;
    rig->accesses = latency ? (double)FX_CHAIN_STEPS : (double)ACCESSES;
    rig->trip_cycles = latency ? FX_CHAIN_STEPS * (remote ? 200.0 : 30.0) : ACCESSES * RATE_WARPS * cycles;
    return fx_rig_cluster(rig, blocks, DATA_BYTES, 0, NULL, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    w->steps = (uint32_t)(fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, ROWS) % ROWS);
    w->trips = fx_timed_total_trips(&rig->timed);
    return FX_OK;
}
#endif

#define WIDTH_ROWS(width, modifier)                                                                                    \
    FX_TIMED_FROM(90, "mode=throughput path=plain width=" #width, FX_K(read_slots, PLAIN, width),                      \
                  {"LDS" modifier, ACCESSES}),                                                                         \
        FX_TIMED_FROM(90, "mode=throughput path=mapped width=" #width, FX_K(read_slots, MAPPED, width),                \
                      {"LD.E" modifier, ACCESSES})

static const fx_kernel kernels[] = {
    FX_TIMED_FROM(90, "mode=latency path=plain", FX_K(chase, PLAIN), {"LDS", FX_CHAIN_STEPS}),
    FX_TIMED_FROM(90, "mode=latency path=mapped", FX_K(chase, MAPPED), {"LD.E", FX_CHAIN_STEPS}),
    WIDTH_ROWS(4, ""),
    WIDTH_ROWS(8, ".64"),
    WIDTH_ROWS(16, ".128"),
};

FX_PROBE(cluster, .question = "What does an access to the shared memory of another SM cost?", .method_version = 1,
         FX_PARTS, .fit_by = "readers", .supported = supported, .draw = FX_GPU(draw))
