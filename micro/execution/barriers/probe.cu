/* barriers: what does it cost to wait for each other, by who waits and by what? Method: warps meet at a barrier, over
 * and over, and do nothing in between; two warps exchange signals; arrivals at mbarriers that nobody waits for are
 * timed by their rate. The grid by pairs of launches. */
#include "core/probe.h"

enum { OP, WARPS, GROUPS, BLOCKS, LANES };
enum { STEPS = 16 /* of a trip; a multiple of 4, after which signals are at their first barrier and parity again */ };

/* Its name on the axis, the first architecture with this machine code, its kernel, and what the timed loop holds. */
#define OPERATIONS(X)                                                                                                  \
    X(BLOCK, block, 80, (meet, BLOCK), {"BAR.SYNC.DEFER_BLOCKING", STEPS})                                             \
    X(NAMED, named, 80, (meet, NAMED), {"BAR.SYNC.DEFER_BLOCKING", STEPS})                                             \
    X(MBARRIER, mbarrier, 90, (meet, MBARRIER), {"SYNCS.ARRIVE.TRANS64.A1T0", STEPS}, {"BRA", 0})                      \
    X(CLUSTER, cluster, 90, (meet_cluster, CLUSTER), {"UCGABAR_ARV", STEPS}, {"CCTL.IVALL", STEPS}, {"BRA", 0})        \
    X(CLUSTER_RELAXED, cluster_relaxed, 90, (meet_cluster, CLUSTER_RELAXED), {"UCGABAR_ARV", STEPS},                   \
      {"CCTL.IVALL", STEPS}, {"BRA", 0})                                                                               \
    X(GRID, grid, 0, (meet_grid))                                                                                      \
    X(NAMED_SIGNAL, named_signal, 80, (signal_warp, NAMED_SIGNAL), {"BAR.ARV", STEPS})                                 \
    X(MBARRIER_SIGNAL, mbarrier_signal, 90, (signal_warp, MBARRIER_SIGNAL), {"SYNCS.ARRIVE.TRANS64.A1T0", STEPS},      \
      {"BRA", 0})                                                                                                      \
    X(REMOTE_SIGNAL, remote_signal, 90, (signal_warp, REMOTE_SIGNAL), {"SYNCS.ARRIVE.TRANS64.RED.A1T0", STEPS},        \
      {"BRA", 0})                                                                                                      \
    X(REMOTE_RELEASE, remote_release, 90, (signal_warp, REMOTE_RELEASE), {"SYNCS.ARRIVE.TRANS64.RED.A1T0", STEPS},     \
      {"MEMBAR.ALL.GPU", STEPS}, {"BRA", 0})                                                                           \
    X(ARRIVE, arrive, 90, (arrive_often), {"SYNCS.ARRIVE.TRANS64.A1T0", STEPS})
#define OP_OF(op, ...)                       op,
#define WORD_OF(op, word, ...)               " " #word
#define ROW_OF(op, word, first, kernel, ...) FX_TIMED_FROM(first, "op=" #word, FX_K kernel, __VA_ARGS__),

enum { OPERATIONS(OP_OF) };
enum { BARRIER_CYCLES, INSTRUCTION_CYCLES, BARRIER_NS };
enum { MOST_WARPS = 32, MOST_GROUPS = 15, PORTABLE_CLUSTER = 8, MOST_CLUSTER = 16, MOST_BLOCKS = 1024 };

static const fx_axis axes[] = {
    {"op", "",
     "barrier: block, named, mbarrier, cluster (arrival with release, or relaxed) "
     "or grid; exchange of signals between two warps; or one arrival at an mbarrier",
     OPERATIONS(WORD_OF), 0, 0, BLOCK},
    {"warps", "warps", "warps of a block, or of a group of op=named", NULL, 1, MOST_WARPS, 1},
    {"groups", "", "groups of warps, each at a named barrier of its own", NULL, 1, MOST_GROUPS, 1},
    {"blocks", "blocks", "blocks of the cluster or grid; 0: one on each SM", NULL, 0, MOST_BLOCKS, 1},
    {"lanes", "lanes", "lanes of a warp that arrive at an mbarrier: 1 or 32", NULL, 1, FX_WARP, 1},
};

static const fx_sweep sweeps[] = {
    {"block", "op=block,mbarrier warps=1,2,4,8,16,32", "op=block,mbarrier warps=8"},
    {"groups", "op=named warps=4 groups=1,2,4,8", NULL},
    {"signal", "op=named_signal,mbarrier_signal warps=2", "op=named_signal,mbarrier_signal warps=2"},
    {"remote_signal", "op=remote_signal,remote_release blocks=2", NULL},
    {"instruction", "op=arrive warps=1,32 lanes=1,32", "op=arrive warps=1"},
    {"cluster", "op=cluster blocks=2,4,8,16 warps=1,8,32", "op=cluster blocks=2 warps=8"},
    {"cluster_relaxed", "op=cluster_relaxed blocks=2,8 warps=8", NULL},
    {"grid", "op=grid blocks=2,8,32,0 warps=8", "op=grid blocks=0 warps=8"},
};

static const fx_metric metrics[] = {
    {"barrier_cycles", "cycles", FX_SM_CYCLES, false, "barrier"},
    {"instruction_cycles", "cycles", FX_SM_CYCLES, false, "warp-level instruction"},
    {"barrier_ns", "ns", FX_GPU_NS, false, "barrier of the grid"},
};

static bool is_cluster(int64_t op) {
    return op == CLUSTER || op == CLUSTER_RELAXED || op == REMOTE_SIGNAL || op == REMOTE_RELEASE;
}

static bool is_signal(int64_t op) {
    return op == NAMED_SIGNAL || op == MBARRIER_SIGNAL || op == REMOTE_SIGNAL || op == REMOTE_RELEASE;
}

/* __syncthreads takes the arrivals of its warps one after another. Named barriers overlap, and waiters at an mbarrier
 * poll it, so few of them cost the same: a line through them failed on an H200. Beyond an SM the order is not known. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t op = params->value[OP];
    out->metric = op == GRID ? BARRIER_NS : op == ARRIVE ? INSTRUCTION_CYCLES : BARRIER_CYCLES;
    if (op == BLOCK) {
        out->law = "warps";
        out->count = (double)params->value[WARPS];
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value, op = v[OP];
    return op != BLOCK && op != NAMED && op != GRID && op != NAMED_SIGNAL && facts->compute_major < 9
               ? "clusters, and mbarriers as measured here, need compute capability 9.0"
           : v[GROUPS] > 1 && op != NAMED      ? "groups needs op=named"
           : v[WARPS] * v[GROUPS] > MOST_WARPS ? "warps x groups must be 32 or less"
           : (is_cluster(op) ? v[BLOCKS] < 2 || v[BLOCKS] > MOST_CLUSTER || (v[BLOCKS] & (v[BLOCKS] - 1)) != 0
                             : op != GRID && v[BLOCKS] != 1)
               ? "blocks must be 2, 4, 8 or 16 in a cluster, and 1 without a cluster or grid"
           : is_cluster(op) && facts->compute_major == 12 && v[BLOCKS] > PORTABLE_CLUSTER
               ? "blocks=16: compute capability 12 has clusters of up to 8 blocks"
           : v[BLOCKS] > facts->sm_count ? "blocks: the device has fewer SMs"
           : is_signal(op) && (v[WARPS] != (is_cluster(op) ? 1 : 2) || v[BLOCKS] > 2)
               ? "signals need warps=2, or between blocks warps=1 and blocks=2"
           : v[LANES] != 1 && (v[LANES] != FX_WARP || op != ARRIVE) ? "lanes must be 1, or 32 with op=arrive"
                                                                    : NULL;
}

#ifdef FX_WITH_CUDA
#include <cooperative_groups.h>

#include "gpu/cuda_half.cuh"

/* The kernels: barriers and signals in a row, with nothing in between. Every wait at an mbarrier gives up after a
 * while, so that no fault can hang the GPU; what gave up is wrong. */

/* PHASE: arrivals of a phase where nobody waits, the most that an mbarrier takes. */
enum { POLLS = 1 << 16, PHASE = (1 << 20) - 1, GRID_BARRIERS = 64, STATIC_BYTES = 1024 };

typedef struct work {
    uint64_t arrivals; /* at the mbarrier of op=arrive, over all passes */
    uint32_t seed, group_warps, lanes;
} work;

typedef struct meeting {
    unsigned long long *sums;
    uint32_t *flags; /* one for each block */
    uint32_t count, token;
} meeting;

__device__ __forceinline__ void named_sync(uint32_t id, uint32_t threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_arrive(uint32_t id, uint32_t threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void show_init(void) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(uint32_t barrier, uint32_t count) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* One arrival of each lane below `lanes`; at another block's barrier without a release as CUTLASS has it. */
#define ARRIVE(kind)                                                                                                   \
    asm volatile("{\n.reg .pred mine;\nsetp.lt.u32 mine, %1, %2;\n"                                                    \
                 "@mine mbarrier.arrive." kind ".b64 _, [%0];\n}\n" ::"r"(barrier),                                    \
                 "r"(lane), "r"(lanes)                                                                                 \
                 : "memory")
template <int OP_> __device__ __forceinline__ void arrive_by(uint32_t barrier, uint32_t lane, uint32_t lanes) {
    if constexpr (OP_ == REMOTE_SIGNAL) {
        ARRIVE("shared::cluster");
    } else if constexpr (OP_ == REMOTE_RELEASE) {
        ARRIVE("release.cluster.shared::cluster");
    } else {
        ARRIVE("shared::cta");
    }
}
#undef ARRIVE

/* One look at a phase. */
__device__ __forceinline__ uint32_t phase_is_over(uint32_t barrier, uint32_t parity) {
    uint32_t done;
    asm volatile("{\n.reg .pred there;\nmbarrier.test_wait.parity.shared::cta.b64 there, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, there;\n}\n"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return done;
}

template <int OP_> __device__ __forceinline__ void cluster_barrier(void) {
    if constexpr (OP_ == CLUSTER_RELAXED) {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    } else {
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
}
#endif

/* The oldest architecture that each runs on. */
__host__ __device__ constexpr int least_arch(int op) {
    return op == BLOCK || op == NAMED || op == NAMED_SIGNAL ? 0 : 900;
}

/* All warps of a block, or of each group, at one barrier. The oracle: what a warp's neighbour has written before a
 * barrier is there behind it. */
template <int OP_> __global__ void __launch_bounds__(MOST_WARPS *FX_WARP) meet(FX_TIMED_WITH(work, w)) {
    if constexpr (FX_RUNS_FROM(least_arch(OP_))) {
        __shared__ uint64_t barrier_word;
        __shared__ volatile uint32_t told[MOST_WARPS];
        const uint32_t warp = fx_warp_id(), group = warp / w.group_warps;
        const uint32_t id = 1 + group, threads = w.group_warps * FX_WARP, barrier = fx_shared_address(&barrier_word);
        const uint32_t next = group * w.group_warps + (warp + 1 - group * w.group_warps) % w.group_warps;
        uint32_t patience = POLLS;
#if __CUDA_ARCH__ >= 900
        if (OP_ == MBARRIER && threadIdx.x == 0) {
            fx_barrier_init(barrier, w.group_warps);
        }
#endif
        told[warp] = ~w.seed;
        __syncthreads();
        uint64_t marks[FX_MAX_PASSES] = {0};
        const auto barrier_step = [&](uint32_t s) {
            if constexpr (OP_ == BLOCK) {
                __syncthreads();
            } else if constexpr (OP_ == NAMED) {
                named_sync(id, threads);
            } else {
#if __CUDA_ARCH__ >= 900
                arrive_by<OP_>(barrier, threadIdx.x % FX_WARP, 1);
                fx_barrier_await(barrier, s % 2, patience);
#endif
            }
        };
        fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, [&](uint32_t, uint32_t s) { barrier_step(s); });
        told[warp] = w.seed + warp;
        barrier_step(0);
        const bool wrong = told[next] != w.seed + next || patience < POLLS;
        fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
    }
}

/* Two warps: each signals the other, and waits for its signal. Barriers and signals are taken in turn, so that nobody
 * signals twice before the other has heard. */
template <int OP_> __global__ void __launch_bounds__(2 * FX_WARP) signal_warp(FX_TIMED_WITH(work, w)) {
    if constexpr (FX_RUNS_FROM(least_arch(OP_))) {
        constexpr bool IS_REMOTE = OP_ == REMOTE_SIGNAL || OP_ == REMOTE_RELEASE;
        __shared__ uint64_t barrier_word[2][2]; /* by turn, and by who waits */
        __shared__ volatile uint32_t told[2];
        const uint32_t warp = fx_warp_id();
        uint32_t patience = POLLS, me = warp, own = fx_shared_address(&barrier_word[0][me]);
        uint32_t other = fx_shared_address(&barrier_word[0][1 - me]),
                 heard = fx_shared_address((const void *)&told[1 - me]);
#if __CUDA_ARCH__ >= 900
        if (IS_REMOTE) { /* the same place in the other block */
            me = fx_cluster_rank();
            other = fx_cluster_map(own, 1 - me);
            heard = fx_cluster_map(fx_shared_address((const void *)&told[0]), 1 - me);
        }
        if (OP_ != NAMED_SIGNAL && threadIdx.x % FX_WARP == 0) {
            fx_barrier_init(own, 1);
            fx_barrier_init(own + sizeof barrier_word[0], 1);
            show_init();
        }
        told[warp] = ~w.seed;
        if (IS_REMOTE) {
            cluster_barrier<CLUSTER>();
        }
#endif
        __syncthreads();
        uint64_t marks[FX_MAX_PASSES] = {0};
        const auto exchange = [&](uint32_t s) {
            if constexpr (OP_ == NAMED_SIGNAL) {
                named_arrive(1 + s % 2 * 2 + me, 2 * FX_WARP);
                named_sync(1 + s % 2 * 2 + (1 - me), 2 * FX_WARP);
            } else {
#if __CUDA_ARCH__ >= 900
                const uint32_t turn = s % 2 * (uint32_t)sizeof barrier_word[0];
                arrive_by<OP_>(other + turn, threadIdx.x % FX_WARP, 1);
                fx_barrier_await(own + turn, s / 2 % 2, patience);
#endif
            }
        };
        fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, [&](uint32_t, uint32_t s) { exchange(s); });
        bool wrong = false;
        if constexpr (IS_REMOTE) {
#if __CUDA_ARCH__ >= 900
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(heard), "r"(w.seed + me) : "memory");
            __syncwarp();
            exchange(0);
            cluster_barrier<CLUSTER>(); /* a wait without .acquire.cluster orders nothing between blocks */
            wrong = told[0] != w.seed + (1 - me);
            cluster_barrier<CLUSTER>(); /* nobody leaves while the other still writes to it */
#endif
        } else {
            asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(heard), "r"(w.seed + me) : "memory");
            __syncwarp();
            exchange(0);
            wrong = told[me] != w.seed + (1 - me);
        }
        fx_timed_end(timed, marks, FX_ALL_LANES, wrong || patience < POLLS);
    }
}

/* Arrivals that nobody waits for. The oracle counts them: with as many more as a phase then lacks, but one, it is not
 * over, and with that one it is. */
__global__ static void __launch_bounds__(MOST_WARPS *FX_WARP) arrive_often(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    __shared__ uint64_t barrier_word;
    const uint32_t barrier = fx_shared_address(&barrier_word), lane = threadIdx.x % FX_WARP;
    bool wrong = false;
    if (threadIdx.x == 0) {
        fx_barrier_init(barrier, PHASE);
        show_init();
    }
    __syncthreads();
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto access = [&](uint32_t, int) { arrive_by<ARRIVE>(barrier, lane, w.lanes); };
    fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, access);
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t lacking = PHASE - (uint32_t)(w.arrivals % PHASE), parity = (uint32_t)(w.arrivals / PHASE) & 1;
        if (lacking > 1) {
            arrive(barrier, lacking - 1);
        }
        wrong = phase_is_over(barrier, parity) != 0;
        arrive(barrier, 1);
        wrong |= fx_barrier_wait(barrier, parity, POLLS) == 0;
    }
    __syncwarp();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
#endif
}

/* Blocks of a cluster. The oracle: what the block before has written here is there behind a barrier. */
template <int OP_> __global__ void __launch_bounds__(MOST_WARPS *FX_WARP) meet_cluster(FX_TIMED_WITH(work, w)) {
#if __CUDA_ARCH__ >= 900
    __shared__ volatile uint32_t told[MOST_WARPS];
    const uint32_t warp = fx_warp_id(), place = fx_shared_address((const void *)&told[warp]);
    const uint32_t there = fx_cluster_map(place, fx_cluster_next());
    told[warp] = ~w.seed;
    cluster_barrier<CLUSTER>();
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<STEPS>(timed, marks, FX_ALL_LANES, [](uint32_t, int) { cluster_barrier<OP_>(); });
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(w.seed + warp) : "memory");
    cluster_barrier<CLUSTER>();
    const bool wrong = told[warp] != w.seed + warp;
    cluster_barrier<CLUSTER>();
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
#endif
}

/* The blocks of a cooperative grid. Each finds the flag that its neighbour has raised before the last barrier. */
__global__ static void __launch_bounds__(MOST_WARPS *FX_WARP) meet_grid(const __grid_constant__ meeting m) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    FX_NO_UNROLL for (uint32_t i = 0; i < m.count; i++) {
        grid.sync();
    }
    if (threadIdx.x == 0) {
        *(volatile uint32_t *)&m.flags[blockIdx.x] = m.token + blockIdx.x;
    }
    grid.sync();
    const uint32_t next = (blockIdx.x + 1) % gridDim.x;
    fx_sums_add(m.sums, *(volatile uint32_t *)&m.flags[next] == m.token + next);
}

/* What the grid's kernel gets. */
static fx_status launch_grid(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    meeting *m = FX_ARGUMENT(rig, meeting);
    void *arguments[] = {m};
    m->count = (uint32_t)rig->units * (uint32_t)(which + 1);
    m->token++;
    return FX_CUDA_STATUS(cudaLaunchCooperativeKernel(rig->work->entry.address, dim3(rig->blocks, 1, 1),
                                                      dim3(rig->warps * FX_WARP, 1, 1), arguments, 0,
                                                      rig->gpu->stream));
}

static fx_status arrange_grid(fx_rig *rig, const fx_case *c, fx_error *err) {
    meeting *m = FX_ARGUMENT(rig, meeting);
    rig->blocks = c->params.value[BLOCKS] > 0 ? (unsigned)c->params.value[BLOCKS] : (unsigned)rig->gpu->facts.sm_count;
    rig->units = GRID_BARRIERS;
    rig->launch = launch_grid;
    rig->expected[0] = rig->expected[1] = (unsigned long long)rig->blocks * rig->warps * FX_WARP;
    FX_TRY(fx_rig_memory(rig, &m->flags, FX_DEVICE_MEMORY | FX_FILLED, rig->blocks * sizeof *m->flags, 0, err));
    return fx_rig_sums(rig, &m->sums, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value, op = v[OP];
    work *w = FX_ARGUMENT(rig, work);
    rig->warps = (unsigned)(v[WARPS] * v[GROUPS]);
    if (op == GRID) {
        return arrange_grid(rig, c, err);
    }
    w->group_warps = (uint32_t)v[WARPS];
    w->lanes = (uint32_t)v[LANES];
    rig->accesses = op == ARRIVE ? (double)STEPS : (double)STEPS / rig->warps;
    rig->trip_cycles = (double)STEPS * (is_cluster(op) ? 300.0
                                        : op == ARRIVE ? 2.0 * rig->warps * (double)v[LANES]
                                                       : 40.0);
    return is_cluster(op) ? fx_rig_cluster(rig, (unsigned)v[BLOCKS], 0, STATIC_BYTES, NULL, err) : FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    if (c->params.value[OP] == GRID) {
        FX_ARGUMENT(rig, meeting)->token = (uint32_t)seed;
        return FX_OK;
    }
    work *w = FX_ARGUMENT(rig, work);
    w->seed = (uint32_t)seed;
    w->arrivals = (uint64_t)fx_timed_total_trips(&rig->timed) * STEPS * rig->warps * w->lanes;
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {OPERATIONS(ROW_OF)};

FX_PROBE(barriers, .question = "What does a barrier cost, by scope and by mechanism?", .method_version = 1, FX_PARTS,
         .fit_by = "op", .supported = supported, .draw = FX_GPU(draw))
