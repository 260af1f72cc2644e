/* dsmem_atomics: what do atomics and asynchronous stores into another SM's shared memory cost, and does a histogram
 * over a cluster's memory beat one in the L2? Method: latency by a ring of addresses that atomics of 0 return, rates by
 * 32 warps, each on words of its own. What is asynchronous is waited for eight instructions at a time, at an mbarrier
 * that counts its bytes. The histogram is of the whole chip. */
#include "core/probe.h"

enum { MODE, OP, PLACE, SENDERS, CLUSTER, DISTINCT, BINS };
enum { THROUGHPUT, LATENCY, SIGNAL, HISTOGRAM };
enum { ADD, FETCH, STORE, STORE_ASYNC, ADD_ASYNC, ADD_BULK };
enum { OWN, OTHER, GLOBAL };
enum { RING, HOT };
enum { ACCESS_CYCLES, SIGNAL_CYCLES, ACCESS_NS };
enum { MOST_CLUSTER = 16, PORTABLE_CLUSTER = 8, MOST_BINS = 1 << 18, BULK_BYTES = 1 << 10 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain; a word with its signal; or a histogram",
     "throughput latency signal histogram", 0, 0, THROUGHPUT},
    {"op", "",
     "atomic addition, the same with its result used, plain store, st.async, red.async, or cp.reduce.async.bulk of 1 "
     "KiB",
     "add fetch store store_async add_async add_bulk", 0, 0, ADD},
    {"place", "", "memory that is written: the block's own, another block's of the cluster, or global (in the L2)",
     "own other global", 0, 0, OTHER},
    {"senders", "", "blocks that write: each to the next one, or all but block 0 to block 0", "ring hot", 0, 0, RING},
    {"cluster", "blocks", "blocks per cluster: 1, 2, 4, 8 or 16", NULL, 1, MOST_CLUSTER, 2},
    {"distinct", "words", "distinct words in the warp", NULL, 1, FX_WARP, FX_WARP},
    {"bins", "bins", "bins of the histogram, a power of two", NULL, 1 << 10, MOST_BINS, 1 << 13},
};

static const fx_sweep sweeps[] = {
    {"latency", "mode=latency op=fetch place=other cluster=2", "mode=latency op=fetch place=other cluster=2"},
    {"latency_own", "mode=latency op=fetch place=own,global cluster=1", NULL},
    {"own", "mode=throughput op=add,fetch place=own cluster=1 distinct=1,32", NULL},
    {"ring", "mode=throughput op=add,fetch,store place=other senders=ring cluster=2,8 distinct=1,32",
     "mode=throughput op=add place=other senders=ring cluster=2 distinct=32"},
    {"hot", "mode=throughput op=add,store place=other senders=hot cluster=2,4,8 distinct=32", NULL},
    {"async", "mode=throughput op=store_async,add_async,add_bulk place=other senders=ring cluster=2 distinct=32", NULL},
    {"signal", "mode=signal op=store,store_async,add_async place=other cluster=2",
     "mode=signal op=store_async place=other cluster=2"},
    {"histogram_own", "mode=histogram op=add place=own cluster=1 bins=8Ki,32Ki", NULL},
    {"histogram", "mode=histogram op=add place=other cluster=2 bins=8Ki,32Ki", NULL},
    {"histogram_large", "mode=histogram op=add place=other cluster=8 bins=8Ki,32Ki,256Ki", NULL},
    {"histogram_global", "mode=histogram op=add place=global cluster=1 bins=8Ki,32Ki,256Ki", NULL},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"},
    {"signal_cycles", "cycles", FX_SM_CYCLES, false, "signal from one warp to the other"},
    {"access_ns", "ns", FX_GPU_NS, false, "warp-level access of the whole chip"},
};

static bool is_async(int64_t op) {
    return op >= STORE_ASYNC;
}

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_multicast(out, 4, (unsigned)params->value[DISTINCT]);
    return params->value[MODE] == THROUGHPUT && !is_async(params->value[OP]);
}

/* Own words wait for their bank. For what goes to another SM a line through the sectors of its port, as `cluster` has
 * it of loads, failed on an H100. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t *v = params->value, op = v[OP];
    const double senders = v[SENDERS] == HOT ? (double)v[CLUSTER] - 1 : 1;
    out->metric = v[MODE] == SIGNAL ? SIGNAL_CYCLES : v[MODE] == HISTOGRAM ? ACCESS_NS : ACCESS_CYCLES;
    out->useful_bytes = v[MODE] != THROUGHPUT ? 0 : op == ADD_BULK ? BULK_BYTES : 4 * FX_WARP;
    fx_prediction_count(out, "senders", senders);
    if (table) {
        fx_prediction_count(out, "sectors", fx_law_blocks(table, 4, facts->geometry.sector_bytes));
    }
    if (table && v[PLACE] == OWN) {
        out->law = "shared_atomic";
        out->count = fx_law_shared_atomic(&facts->geometry, table, 4);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value, op = v[OP];
#if defined(CUDART_VERSION) && CUDART_VERSION < 12010
    if (is_async(op)) {
        return "op=store_async, add_async and add_bulk need a build by CUDA 12.1 or newer";
    }
#endif
    return facts->compute_major < 9 ? "thread-block clusters need compute capability 9.0"
           : (v[CLUSTER] & (v[CLUSTER] - 1)) != 0 || (v[PLACE] == OTHER) != (v[CLUSTER] > 1)
               ? "cluster must be 2, 4, 8 or 16 with place=other, and 1 otherwise"
           : facts->compute_major == 12 && v[CLUSTER] > PORTABLE_CLUSTER
               ? "cluster=16: compute capability 12 has clusters of up to 8 blocks"
           : v[CLUSTER] > facts->sm_count ? "cluster: the device has fewer SMs than the cluster has blocks"
           : v[SENDERS] == HOT && (v[MODE] != THROUGHPUT || v[PLACE] != OTHER)
               ? "senders=hot needs mode=throughput and place=other"
           : (is_async(op) || v[MODE] == SIGNAL) && (v[PLACE] != OTHER || v[CLUSTER] != 2 || v[SENDERS] != RING)
               ? "asynchronous ops and signals are between two blocks: place=other cluster=2 senders=ring"
           : v[DISTINCT] != FX_WARP && (v[MODE] != THROUGHPUT || is_async(op))
               ? "distinct below 32 needs mode=throughput and an op that is not asynchronous"
           : v[MODE] == LATENCY && op != FETCH ? "mode=latency needs op=fetch"
           : v[MODE] == SIGNAL && op != STORE && op != STORE_ASYNC && op != ADD_ASYNC
               ? "mode=signal needs op=store, store_async or add_async"
           : v[MODE] == THROUGHPUT && (v[PLACE] == GLOBAL || (v[PLACE] == OWN && op == STORE))
               ? "mode=throughput: for atomics in the L2 see atomics, for stores to the block's own memory "
                 "store_operands"
           : v[MODE] == HISTOGRAM && (op != ADD || (v[BINS] & (v[BINS] - 1)) != 0)
               ? "mode=histogram needs op=add, and bins a power of two"
           : v[MODE] == HISTOGRAM && v[PLACE] != GLOBAL &&
                   (uint64_t)(4 * v[BINS] / v[CLUSTER]) > facts->shared_per_block_bytes
               ? "bins: a block's part does not fit into its shared memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "../far_ring.cuh"
#include "gpu/cuda_half.cuh"

/* BATCH: asynchronous instructions, to one wait. SIGNALS: of a trip; after a multiple of 4 the barriers are
 * at their first turn and parity again. PICKS: bins of a thread. */
enum { WARPS = 32, ACCESSES = 32, BATCH = 8, SIGNALS = 16, POLLS = 1 << 16, PICKS = 8 };
enum { SLOT_BYTES = 4 * FX_WARP, HISTOGRAM_THREADS = WARPS * FX_WARP };
enum { BULK_SLOTS = 2 * WARPS * BULK_BYTES /* what is added, and to what */, BARRIERS_AT = BULK_SLOTS };
enum { ROOM_BYTES = BULK_SLOTS + WARPS * FX_BARRIER_BYTES };

typedef struct work {
    fx_lanes lanes;
    uint64_t seed;
    char *global;   /* latency in the L2 */
    uint32_t steps; /* of a chain, over all passes, modulo ROWS */
    uint32_t trips; /* of all passes */
    uint32_t addend, hot, zero;
} work;

/* A histogram over the whole chip. */
typedef struct tally {
    uint64_t seed;
    uint32_t *bins;           /* in global memory; private ones are added to them at the end */
    uint32_t *adds;           /* what a trip adds to each */
    unsigned long long *sums; /* bins that are wrong */
    uint32_t count, trips, before;
} tally;

#if __CUDA_ARCH__ >= 900
template <int OP_, int PLACE_> __device__ __forceinline__ uint32_t act(uint64_t at, uint32_t value) {
    uint32_t old = 0;
    if constexpr (PLACE_ == OWN && OP_ == ADD) {
        asm volatile("red.shared::cta.add.u32 [%0], %1;" ::"r"((uint32_t)at), "r"(value) : "memory");
    } else if constexpr (PLACE_ == OWN) {
        asm volatile("atom.shared::cta.add.u32 %0, [%1], %2;" : "=r"(old) : "r"((uint32_t)at), "r"(value) : "memory");
    } else if constexpr (OP_ == ADD) {
        asm volatile("red.relaxed.cluster.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    } else if constexpr (OP_ == FETCH) {
        asm volatile("atom.relaxed.cluster.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value) : "memory");
    } else {
        asm volatile("st.volatile.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    }
    return old;
}

/* Asynchronous operations. `at` and `barrier` lie in the window of the cluster; the barrier counts the bytes. */
template <int OP_> __device__ __forceinline__ void start(uint32_t at, uint32_t value, uint32_t barrier) {
#if CUDART_VERSION >= 12010
    if constexpr (OP_ == STORE_ASYNC) {
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(at),
                     "r"(value), "r"(barrier)
                     : "memory");
    } else if constexpr (OP_ == ADD_ASYNC) {
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
                     "[%2];" ::"r"(at),
                     "r"(value), "r"(barrier)
                     : "memory");
    } else { /* value: where the words to be added lie */
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], "
                     "[%1], %2, [%3];" ::"r"(at),
                     "r"(value), "r"((uint32_t)BULK_BYTES), "r"(barrier)
                     : "memory");
    }
#endif
}
#endif

/* One chain of each lane. The ring lies in the memory that the place says. */
template <int PLACE_> __global__ void chase(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    const uint32_t lane_bytes = threadIdx.x % FX_WARP * 4, first = (uint32_t)(w.seed % ROWS);
    const bool busy = fx_cluster_rank() == 0;
    const uint64_t ring = (PLACE_ == GLOBAL  ? (uint64_t)w.global
                           : PLACE_ == OTHER ? memory_of(fx_cluster_next())
                                             : (uint64_t)fx_shared_address(shared)) +
                          lane_bytes;
    const uint32_t high = (uint32_t)(ring >> 32), low = (uint32_t)ring, zero = threadIdx.x * w.zero;
    chase_ring(timed, busy, PLACE_ == OWN ? shared + lane_bytes : (char *)ring, low, first, w.steps,
               [&](uint32_t at) { return act<FETCH, PLACE_>((uint64_t)high << 32 | at, zero); });
#endif
}

/* Each warp on words of its own. With a hot block the other blocks' warps of one number share them. */
template <int OP_, int PLACE_> __global__ void __launch_bounds__(WARPS *FX_WARP) rate(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    const uint32_t lane = threadIdx.x % FX_WARP, slot = threadIdx.x / FX_WARP * SLOT_BYTES;
    const uint32_t mine = slot + (uint32_t)w.lanes.offset[lane];
    const bool busy = !w.hot || fx_cluster_rank() != 0;
    const uint64_t base =
        PLACE_ == OWN ? (uint64_t)fx_shared_address(shared) : memory_of(w.hot ? 0 : fx_cluster_next());
    const uint64_t at = base + mine;
    uint32_t value = w.addend + threadIdx.x * w.zero, seen = 0, users = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    ((uint32_t *)shared)[threadIdx.x] = (uint32_t)w.seed + threadIdx.x;
    fx_cluster_barrier();
    if (busy) {
        fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
            FX_UNROLL for (int a = 0; a < ACCESSES; a++) {
                seen += act<OP_, PLACE_>(at, value);
            }
            value += OP_ == STORE; /* so that the last trip leaves its mark */
        });
    }
    fx_cluster_barrier();
    for (uint32_t l = 0; l < FX_WARP; l++) {
        users += w.lanes.offset[l] == (int32_t)(4 * lane);
    }
    const uint32_t senders = !w.hot ? 1 : fx_cluster_rank() == 0 ? fx_cluster_size() - 1 : 0;
    const uint32_t start = (uint32_t)w.seed + threadIdx.x, found = ((volatile uint32_t *)shared)[threadIdx.x];
    const uint32_t adds = users * senders * w.trips * ACCESSES;
    const uint32_t last =
        OP_ == STORE ? (users * senders > 0 ? w.addend + w.trips - 1 : start) : start + adds * w.addend;
    fx_cluster_barrier();
    fx_timed_end(timed, marks, FX_ALL_LANES, found != last || seen == w.zero - 1);
#endif
}

/* Batches to the same warp of the other block, which sends as many here. What is expected is said before anything is
 * sent, so that the other, which waits for it, can be one batch ahead at most. */
template <int OP_> __global__ void __launch_bounds__(WARPS *FX_WARP) send(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    constexpr uint32_t SLOT = OP_ == ADD_BULK ? BULK_BYTES : SLOT_BYTES;
    const uint32_t warp = fx_warp_id(), lane = threadIdx.x % FX_WARP, base = fx_shared_address(shared);
    const uint32_t own_barrier = base + BARRIERS_AT + warp * FX_BARRIER_BYTES;
    const uint32_t barrier = fx_cluster_map(own_barrier, fx_cluster_next());
    const uint32_t to = fx_cluster_map(base + warp * SLOT, fx_cluster_next());
    const uint32_t at = OP_ == ADD_BULK ? to : to + lane * 4, addends = base + (WARPS + warp) * BULK_BYTES;
    uint32_t value = OP_ == ADD_BULK ? addends : w.addend, parity = 0, patience = POLLS;
    uint64_t marks[FX_MAX_PASSES] = {0};
    if (lane == 0) {
        fx_barriers_init(own_barrier, 1);
    }
    for (uint32_t i = threadIdx.x; i < BULK_SLOTS / 4; i += blockDim.x) {
        ((uint32_t *)shared)[i] = fx_random_word(w.seed, i);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    fx_cluster_barrier();
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
        const bool chosen = fx_elect();
        if (chosen) {
            fx_barrier_expect(own_barrier, BATCH * SLOT);
        }
        __syncwarp();
        if (OP_ != ADD_BULK || chosen) {
            FX_UNROLL for (int s = 0; s < BATCH; s++) {
                start<OP_>(at, value, barrier);
            }
        }
        fx_barrier_await(own_barrier, parity, patience);
        parity ^= 1;
        value += OP_ == STORE_ASYNC;
    });
    bool wrong = patience < POLLS;
    for (uint32_t i = lane; i < SLOT / 4; i += FX_WARP) {
        const uint32_t word = warp * (SLOT / 4) + i, found = ((volatile uint32_t *)shared)[word];
        const uint32_t first = fx_random_word(w.seed, word), adds = w.trips * BATCH;
        const uint32_t addend = fx_random_word(w.seed, WARPS * (BULK_BYTES / 4) + warp * (BULK_BYTES / 4) + i);
        wrong |= found != (OP_ == STORE_ASYNC ? w.addend + w.trips - 1
                           : OP_ == ADD_ASYNC ? first + adds * w.addend
                                              : first + adds * addend);
    }
    fx_cluster_barrier();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
#endif
}

/* A word and the signal that it is there, to and fro: one way. A plain store needs a release at the barrier. */
template <int OP_> __global__ void __launch_bounds__(FX_WARP) send_word(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    __shared__ uint64_t barrier_words[2];
    __shared__ volatile uint32_t signals[2];
    const uint32_t me = fx_cluster_rank(), own = fx_shared_address(barrier_words);
    const uint32_t other = fx_cluster_map(own, 1 - me),
                   place = fx_cluster_map(fx_shared_address((const void *)signals), 1 - me);
    uint32_t patience = POLLS, value = w.addend, wrong = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    if (threadIdx.x == 0) {
        fx_barriers_init(own, 2);
    }
    signals[0] = 0;
    signals[1] = 0;
    fx_cluster_barrier();
    fx_timed_accesses<SIGNALS>(timed, marks, FX_ALL_LANES, [&](uint32_t, uint32_t s) {
        const uint32_t turn = s % 2, there = other + turn * FX_BARRIER_BYTES, to = place + turn * 4;
        if (OP_ != STORE && fx_elect()) {
            fx_barrier_expect(own + turn * FX_BARRIER_BYTES, 4);
        }
        __syncwarp();
        if (fx_elect()) {
            if constexpr (OP_ == STORE) {
                asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
                asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
            } else {
                start<OP_>(to, value, there);
            }
        }
        __syncwarp();
        fx_barrier_await(own + turn * FX_BARRIER_BYTES, s / 2 % 2, patience);
        const uint32_t heard = signals[turn];
        wrong |= OP_ != ADD_ASYNC && heard != value;
        value++;
    });
    if (OP_ == ADD_ASYNC) { /* the sums of every second value */
        const uint32_t count = w.trips * SIGNALS / 2;
        wrong = signals[0] != count * w.addend + count * (count - 1) || signals[1] != count * w.addend + count * count;
    }
    fx_cluster_barrier();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong != 0 || patience < POLLS);
#endif
}

#if __CUDA_ARCH__ >= 900
template <int PLACE_> __device__ __forceinline__ void meet(void) {
    if constexpr (PLACE_ == OTHER) {
        fx_cluster_barrier();
    } else {
        __syncthreads();
    }
}
#endif

__device__ __forceinline__ uint32_t pick_of(const tally &t, uint32_t pick) {
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    return fx_random_word(t.seed, thread * PICKS + pick) % t.count;
}

/* Each thread counts its bins over and over. Private bins are a cluster's: block r has those whose number is r modulo
 * its blocks, and adds them to the common ones at the end. */
template <int PLACE_> __global__ void __launch_bounds__(HISTOGRAM_THREADS) count_bins(const __grid_constant__ tally t) {
#if __CUDA_ARCH__ >= 900
    const uint32_t rank = fx_cluster_rank(), blocks = fx_cluster_size(), part = t.count / blocks;
    uint64_t at[PICKS];
    if (PLACE_ != GLOBAL) {
        for (uint32_t i = threadIdx.x; i < part; i += blockDim.x) {
            ((uint32_t *)shared)[i] = 0;
        }
        meet<PLACE_>();
    }
    FX_UNROLL for (uint32_t p = 0; p < PICKS; p++) {
        const uint32_t bin = pick_of(t, p);
        at[p] = PLACE_ == GLOBAL  ? (uint64_t)(t.bins + bin)
                : PLACE_ == OTHER ? memory_of(bin % blocks) + bin / blocks * 4
                                  : (uint64_t)fx_shared_address(shared) + bin * 4;
    }
    FX_NO_UNROLL for (uint32_t i = 0; i < t.trips; i++) {
        FX_UNROLL for (uint32_t p = 0; p < PICKS; p++) {
            if constexpr (PLACE_ == GLOBAL) {
                asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(at[p]) : "memory");
            } else {
                act<ADD, PLACE_>(at[p], 1);
            }
        }
    }
    if (PLACE_ != GLOBAL) {
        meet<PLACE_>();
        for (uint32_t i = threadIdx.x; i < part; i += blockDim.x) {
            atomicAdd(&t.bins[i * blocks + rank], ((uint32_t *)shared)[i]);
        }
    }
#endif
}

__global__ static void count_adds(const __grid_constant__ tally t) {
    for (uint32_t p = 0; p < PICKS; p++) {
        atomicAdd(&t.adds[pick_of(t, p)], 1u);
    }
}

__global__ static void check_bins(const __grid_constant__ tally t) {
    unsigned long long wrong = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < t.count; i += gridDim.x * blockDim.x) {
        wrong += t.bins[i] != t.before * t.adds[i];
    }
    fx_sums_add(t.sums, wrong);
}

typedef struct task {
    tally t; /* what the kernels get */
    uint32_t trips, before;
} task;

static void part(fx_rig *rig, const fx_case *c, int which) {
    task *all = FX_ARGUMENT(rig, task);
    all->t.trips = (uint32_t)(which + 1) * all->trips;
    all->before += all->t.trips;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *all = FX_ARGUMENT(rig, task);
    all->t.before = all->before;
    FX_TRY(aid(rig, "check_bins", fx_arguments{&all->t}, err));
    return none_wrong(rig, "bins do not hold the sum of their additions", err);
}

static fx_status arrange_histogram(fx_rig *rig, const fx_case *c, fx_error *err) {
    const double wanted_ns = 200e3;
    const int64_t *v = c->params.value;
    task *all = FX_ARGUMENT(rig, task);
    tally *t = &all->t;
    unsigned clusters = (unsigned)rig->gpu->facts.sm_count;
    double ns = 0;
    t->seed = 17;
    t->count = (uint32_t)v[BINS];
    rig->units = 1; /* a pair, for the trial */
    rig->part = part;
    rig->check = check;
    FX_TRY(fx_rig_cluster(rig, (unsigned)v[CLUSTER], v[PLACE] == GLOBAL ? 0 : (size_t)(4 * v[BINS] / v[CLUSTER]), 0,
                          &clusters, err));
    rig->blocks = clusters * rig->cluster;
    FX_TRY(fx_rig_memory(rig, &t->bins, FX_DEVICE_MEMORY, t->count * sizeof *t->bins, 0, err));
    FX_TRY(fx_rig_memory(rig, &t->adds, FX_DEVICE_MEMORY, t->count * sizeof *t->adds, 0, err));
    FX_TRY(fx_rig_sums(rig, &t->sums, err));
    FX_TRY_CUDA(cudaMemsetAsync(t->bins, 0, t->count * sizeof *t->bins, rig->gpu->stream));
    FX_TRY_CUDA(cudaMemsetAsync(t->adds, 0, t->count * sizeof *t->adds, rig->gpu->stream));
    FX_TRY(fx_rig_aid(rig, "count_adds", rig->blocks, HISTOGRAM_THREADS, fx_arguments{t}, err));
    all->trips = 8;
    FX_TRY(fx_rig_trial(rig, &ns, err));
    all->trips = (uint32_t)(ns > wanted_ns ? 8 : 8 * (wanted_ns / ns));
    rig->units = (double)all->trips * (double)(PICKS * WARPS * rig->blocks);
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value, op = v[OP];
    const bool rate = v[MODE] == THROUGHPUT;
    rig->warps = rate || v[MODE] == HISTOGRAM ? WARPS : 1;
    if (v[MODE] == HISTOGRAM) {
        return arrange_histogram(rig, c, err);
    }
    work *w = FX_ARGUMENT(rig, work);
    w->lanes = c->lanes;
    w->hot = v[SENDERS] == HOT;
    rig->accesses = v[MODE] == SIGNAL ? (double)SIGNALS
                    : !rate           ? (double)FX_CHAIN_STEPS
                    : is_async(op)    ? (double)BATCH
                                      : (double)ACCESSES;
    rig->trip_cycles = rig->accesses * (!rate                        ? 300
                                        : op == ADD_BULK             ? BULK_BYTES / 16 * WARPS
                                        : v[PLACE] == OWN            ? 2 * WARPS
                                        : v[DISTINCT] == 1 || w->hot ? 32 * WARPS
                                                                     : 8 * WARPS);
    if (v[PLACE] == GLOBAL) {
        FX_TRY(fx_rig_memory(rig, &w->global, FX_DEVICE_MEMORY, ROWS * ROW_BYTES, 0, err));
    }
    return fx_rig_cluster(rig, (unsigned)v[CLUSTER], ROOM_BYTES, v[MODE] == SIGNAL ? 64 : 0, NULL, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    if (c->params.value[MODE] == HISTOGRAM) {
        return FX_OK;
    }
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    w->addend = (uint32_t)(seed >> 32) | 1;
    w->steps = (uint32_t)(fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, ROWS) % ROWS);
    w->trips = fx_timed_total_trips(&rig->timed);
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED_FROM(90, "mode=latency place=own", FX_K(chase, OWN), {"ATOMS.ADD", FX_CHAIN_STEPS}),
    FX_TIMED_FROM(90, "mode=latency place=other", FX_K(chase, OTHER), {"ATOM.E.ADD.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_TIMED_FROM(90, "mode=latency place=global", FX_K(chase, GLOBAL), {"ATOM.E.ADD.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_TIMED_FROM(90, "mode=throughput op=add place=own", FX_K(rate, ADD, OWN), {"ATOMS.ADD", 32}),
    FX_TIMED_FROM(90, "mode=throughput op=fetch place=own", FX_K(rate, FETCH, OWN), {"ATOMS.ADD", 32}),
    FX_TIMED_FROM(90, "mode=throughput op=add place=other", FX_K(rate, ADD, OTHER), {"ATOM.E.ADD.STRONG.GPU", 32}),
    FX_TIMED_FROM(90, "mode=throughput op=fetch place=other", FX_K(rate, FETCH, OTHER), {"ATOM.E.ADD.STRONG.GPU", 32}),
    FX_TIMED_FROM(90, "mode=throughput op=store place=other", FX_K(rate, STORE, OTHER), {"ST.E.STRONG.SYS", 32}),
    /* branches: their own, and that of the poll */
    FX_TIMED_FROM(90, "mode=throughput op=store_async", FX_K(send, STORE_ASYNC), {"STAS", 8}, {"BRA", 0}),
    FX_TIMED_FROM(90, "mode=throughput op=add_async", FX_K(send, ADD_ASYNC), {"REDAS.ADD", 8}, {"BRA", 0}),
    FX_TIMED_FROM(90, "mode=throughput op=add_bulk", FX_K(send, ADD_BULK), {"UBLKRED.S.S.ADD", 8}, {"BRA", 0}),
    FX_TIMED_FROM(90, "mode=signal op=store", FX_K(send_word, STORE), {"ST.E.STRONG.GPU", 16}, {"MEMBAR.ALL.GPU", 16},
                  {"LDS", 16}, {"BRA", 0}),
    FX_TIMED_FROM(90, "mode=signal op=store_async", FX_K(send_word, STORE_ASYNC), {"STAS", 16}, {"LDS", 16},
                  {"BRA", 0}),
    FX_TIMED_FROM(90, "mode=signal op=add_async", FX_K(send_word, ADD_ASYNC), {"REDAS.ADD", 16}, {"LDS", 16},
                  {"BRA", 0}),
    /* behind the count: bins that are cleared, and added to the common ones */
    FX_TIMED_FROM(90, "mode=histogram place=own", FX_K(count_bins, OWN), {"ATOMS.POPC.INC.32", 8}, {"STS", 0},
                  {"LDS", 0}, {"RED.E.ADD.STRONG.GPU", 0}),
    FX_TIMED_FROM(90, "mode=histogram place=other", FX_K(count_bins, OTHER), {"ATOM.E.ADD.STRONG.GPU", 8}, {"STS", 0},
                  {"LDS", 0}, {"RED.E.ADD.STRONG.GPU", 0}, {"CCTL.IVALL", 0}),
    FX_TIMED_FROM(90, "mode=histogram place=global", FX_K(count_bins, GLOBAL), {"RED.E.ADD.STRONG.GPU", 8}),
    FX_AIDED("mode=histogram", FX_K(count_adds)),
    FX_AIDED("mode=histogram", FX_K(check_bins)),
};

FX_PROBE(dsmem_atomics, .question = "What do atomics and asynchronous stores into another SM's shared memory cost?",
         .method_version = 1, FX_PARTS, .fit_by = "op", .lanes = lanes, .supported = supported, .draw = FX_GPU(draw),
         .once = true)
