/* data_toggle: does it matter what the data are? Method: the same copy and the same products on data of four kinds, so
 * time can differ only by way of the clock. A sample is a burst of launches without a gap; the power is that since the
 * case was warm. */
#include <math.h>
#include <time.h>

#include "core/probe.h"

#include "../loads.cuh"

enum { DATA = TASK + 1 };
enum { POWER_W, SM_CLOCK_MHZ, PJ_PER_BYTE, PJ_PER_FLOP };
enum { SAMPLES = 12 }; /* bursts: long enough together for LEAST_WINDOW_NS between two steps of the counter */

static const fx_axis axes[] = {
    LOAD_AXIS,
    {"data", "", "zeros, ones (1.0), random values with half of them zero, or random values",
     "zeros ones sparse random", 0, 0, RANDOM},
};

/* What draws most comes first: after it the chip is hot, and the driver may still hold it back. */
static const fx_sweep sweeps[] = {
    {"data", "task=mma,fma,copy data=random,sparse,ones,zeros", "task=mma data=random,zeros"},
};

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return load_supported(facts, params->value[TASK]);
}

#ifdef FX_WITH_CUDA
static const double WARM_UP_NS = 1e8, BURST_NS = 3e7;
static const double LEAST_WINDOW_NS = 1.8e8; /* the counter moves every 100 ms */

/* What the driver's counter of energy said while a case ran. It moves in steps, so that only the moments at which it
 * was seen to move are of use: the power is the energy between two of them over the time. */
typedef struct energy_log {
    energy_watch last;
    energy_watch first, latest; /* the steps; none: all 0 */
} energy_log;

typedef struct task {
    cudaEvent_t start, stop;
    load load;
    meter *m;          /* on the device */
    unsigned launches; /* of a burst */
    energy_log energy;
} task;

static void watch_energy(fx_gpu *gpu, energy_log *log) {
    if (energy_stepped(gpu, &log->last)) {
        log->latest = log->last;
        log->first = log->first.ns > 0 ? log->first : log->latest;
    }
}

/* NAN until the steps lie far enough apart. */
static double power_W(const energy_log *log) {
    const double ns = log->latest.ns - log->first.ns;
    return ns >= LEAST_WINDOW_NS ? 1e6 * (double)(log->latest.mJ - log->first.mJ) / ns : (double)NAN;
}

/* `launches` launches in a row: the time of one. Looks at the energy meanwhile. */
static fx_status burst(fx_rig *rig, unsigned launches, double *launch_ns, uint32_t *flags, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    fx_gpu *gpu = rig->gpu;
    const struct timespec pause = {0, 100000};
    cudaError_t code;
    double ns = 0;
    FX_TRY_CUDA(cudaMemsetAsync(s->m, 0, sizeof *s->m, gpu->stream));
    FX_TRY_CUDA(cudaEventRecord(s->start, gpu->stream));
    for (unsigned i = 0; i < launches; i++) {
        FX_TRY(launch_load(rig, &s->load, s->m, err));
    }
    FX_TRY_CUDA(cudaEventRecord(s->stop, gpu->stream));
    while ((code = cudaEventQuery(s->stop)) == cudaErrorNotReady) {
        watch_energy(gpu, &s->energy);
        nanosleep(&pause, NULL);
    }
    FX_TRY_CUDA(code);
    FX_TRY(fx_event_ns(gpu, s->start, s->stop, &ns, flags, err));
    *launch_ns = ns / launches;
    return FX_OK;
}

/* Works for WARM_UP_NS, since a chip that was idle draws less and clocks higher at first, and finds out how many
 * launches make a burst. */
static fx_status warm_up(fx_rig *rig, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    uint32_t flags = 0;
    double launch_ns = 0;
    FX_TRY(burst(rig, 2, &launch_ns, &flags, err));
    FX_TRY(burst(rig, (unsigned)(WARM_UP_NS / launch_ns) + 1, &launch_ns, &flags, err));
    s->launches = (unsigned)(BURST_NS / launch_ns) + 1;
    s->energy.first = s->energy.latest = energy_watch{};
    return FX_OK;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    const int64_t which = c->params.value[TASK];
    const double instructions = (double)((uint64_t)rig->blocks * PASSES * TRIPS * THREADS);
    meter left;
    (void)seed; /* the data of a case stay the same, since refilling them would take energy too */
    if (which == COPY) {
        FX_TRY_CUDA(cudaMemsetAsync(s->load.to, POISON, COPY_BYTES, rig->gpu->stream));
    }
    FX_TRY(burst(rig, s->launches, &out->value, &out->flags, err));
    FX_TRY(which == COPY ? count_load(rig, &s->load, s->m, err) : FX_OK);
    FX_TRY(fx_gpu_download(rig->gpu, &left, s->m, sizeof left, err));
    FX_TRY(check_load(rig, &s->load, s->launches, left.right, err));
    out->sm_clock_MHz = 1e3 * (double)left.cycles / (double)left.ns;
    out->extra[POWER_W] = power_W(&s->energy);
    out->extra[SM_CLOCK_MHZ] = out->sm_clock_MHz;
    const double pJ = 1e3 * out->extra[POWER_W] * out->value; /* of a launch */
    if (which == COPY) {
        out->extra[PJ_PER_BYTE] = pJ / c->prediction.useful_bytes;
    } else {
        out->extra[PJ_PER_FLOP] =
            pJ / (instructions * (which == FMA ? SUMS * FMA_FLOPS : FRAGMENTS * FRAGMENTS * MMA_FLOPS / FX_WARP));
    }
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    rig->sample = sample;
    FX_TRY(fx_rig_memory(rig, &s->m, FX_DEVICE_MEMORY, sizeof *s->m, 0, err));
    FX_TRY(fx_rig_event(rig, &s->start, err));
    FX_TRY(fx_rig_event(rig, &s->stop, err));
    FX_TRY(take_load(rig, &s->load, c->params.value[TASK], c->params.value[DATA], err));
    return warm_up(rig, err);
}
#endif

static const fx_kernel kernels[] = {FX_LOAD_KERNELS};

FX_PROBE(data_toggle, .question = "Do data values affect time, clock and power?", .method_version = 1, FX_PARTS,
         .extras = "power_W sm_clock_MHz pJ_per_byte pJ_per_flop", .supported = supported, .samples = SAMPLES,
         .once = true)
