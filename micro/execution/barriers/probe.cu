/* barriers: what does it cost to wait for each other, by who waits and by what?
 *
 * Method: warps meet at a barrier, over and over, and do nothing in between; two warps exchange signals; arrivals at
 * mbarriers that nobody waits for are timed by their rate. The grid by pairs of launches. What can fool it: see
 * README.md. */
#include "core/probe.h"

enum { OP, WARPS, GROUPS, BLOCKS, LANES };
enum {
    BLOCK,
    NAMED,
    MBARRIER,
    CLUSTER,
    CLUSTER_RELAXED,
    GRID,
    NAMED_SIGNAL,
    MBARRIER_SIGNAL,
    REMOTE_SIGNAL,
    REMOTE_RELEASE,
    ARRIVE
};
enum { BARRIER_CYCLES, INSTRUCTION_CYCLES, BARRIER_NS };
enum { MOST_WARPS = 32, MOST_GROUPS = 15, PORTABLE_CLUSTER = 8, MOST_CLUSTER = 16, MOST_BLOCKS = 1024 };

static const fx_axis axes[] = {
    {"op", "",
     "barrier: block, named, mbarrier, cluster (arrival with release, or relaxed) "
     "or grid; exchange of signals between two warps; or one arrival at an mbarrier",
     "block named mbarrier cluster cluster_relaxed grid named_signal mbarrier_signal remote_signal remote_release "
     "arrive",
     0, 0, BLOCK},
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
        out->in_fit = true;
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
#include "kernels.cuh"

/* What the grid's kernel gets. */
static fx_status launch_grid(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    meeting *m = FX_ARGUMENT(rig, meeting);
    void *arguments[] = {m};
    m->count = (uint32_t)rig->units * (uint32_t)(which + 1);
    m->token++;
    FX_TRY_CUDA(cudaLaunchCooperativeKernel(rig->work->entry.address, dim3(rig->blocks, 1, 1),
                                            dim3(rig->warps * FX_WARP, 1, 1), arguments, 0, rig->gpu->stream));
    return FX_OK;
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

static const fx_kernel kernels[] = {
    FX_TIMED_FROM(80, "op=block", FX_K(meet, BLOCK), {"BAR.SYNC.DEFER_BLOCKING", 16}),
    FX_TIMED_FROM(80, "op=named", FX_K(meet, NAMED), {"BAR.SYNC.DEFER_BLOCKING", 16}),
    FX_TIMED_FROM(90, "op=mbarrier", FX_K(meet, MBARRIER), {"SYNCS.ARRIVE.TRANS64.A1T0", 16}, {"BRA", 0}),
    FX_TIMED_FROM(90, "op=cluster", FX_K(meet_cluster, CLUSTER), {"UCGABAR_ARV", 16}, {"CCTL.IVALL", 16}, {"BRA", 0}),
    FX_TIMED_FROM(90, "op=cluster_relaxed", FX_K(meet_cluster, CLUSTER_RELAXED), {"UCGABAR_ARV", 16},
                  {"CCTL.IVALL", 16}, {"BRA", 0}),
    FX_TIMED("op=grid", FX_K(meet_grid)),
    FX_TIMED_FROM(80, "op=named_signal", FX_K(signal_warp, NAMED_SIGNAL), {"BAR.ARV", 16}),
    FX_TIMED_FROM(90, "op=mbarrier_signal", FX_K(signal_warp, MBARRIER_SIGNAL), {"SYNCS.ARRIVE.TRANS64.A1T0", 16},
                  {"BRA", 0}),
    FX_TIMED_FROM(90, "op=remote_signal", FX_K(signal_warp, REMOTE_SIGNAL), {"SYNCS.ARRIVE.TRANS64.RED.A1T0", 16},
                  {"BRA", 0}),
    FX_TIMED_FROM(90, "op=remote_release", FX_K(signal_warp, REMOTE_RELEASE), {"SYNCS.ARRIVE.TRANS64.RED.A1T0", 16},
                  {"MEMBAR.ALL.GPU", 16}, {"BRA", 0}),
    FX_TIMED_FROM(90, "op=arrive", FX_K(arrive_often), {"SYNCS.ARRIVE.TRANS64.A1T0", 16}),
};

FX_PROBE(barriers, .question = "What does a barrier cost, by scope and by mechanism?", .method_version = 1, FX_PARTS,
         .fit_by = "op", .supported = supported, .draw = FX_GPU(draw))
