/* clock_and_power: how do SM clock, power and rate move in the first seconds of a load? Method: after a rest one kernel
 * runs again and again with no gap. Each launch leaves its time and its cycles behind; the driver's counter of energy
 * is watched meanwhile. All cases of a load are read from one series, which the first of them takes. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/probe.h"

#include "../loads.cuh"

enum { DURATION = TASK + 1, AT };
enum { POWER_W, SM_CLOCK_MHZ, LAUNCH_CYCLES, LAUNCH_MJ };
enum { WINDOW_MS = 100, PIECES = 10, MOST_SECONDS = 60 };

static const fx_axis axes[] = {
    LOAD_AXIS,
    {"duration", "s", "length of the load", NULL, 1, MOST_SECONDS, 8},
    {"at", "ms", "start of a window of 100 ms, after the first launch", NULL, 0, MOST_SECONDS * 1000 - WINDOW_MS, 0},
};

static const fx_sweep sweeps[] = {
    {"series", "task=mma duration=8 at=0:1900:100,2000:7500:500", "task=mma duration=1 at=0,800"},
    /* No limit of power comes near: what moves has moved within a second. */
    {"steady", "task=fma,copy duration=3 at=0:1900:100,2000:2500:500", NULL},
};

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[AT] + WINDOW_MS > 1000 * params->value[DURATION]
               ? "at must be 100 ms or more before the end of the load"
               : load_supported(facts, params->value[TASK]);
}

#ifdef FX_WITH_CUDA
enum { BATCH = 64, LAUNCHES_PER_S = 8000 };

static const double REST_NS = 1e9, WATCHED_NS = 4e8; /* of the rest, its end: the first step lies before the load */

static series taken[3]; /* by task, in this process */

typedef struct state {
    load load;
    meter *m; /* on the device, one for each launch */
    cudaEvent_t done[2];
    energy_watch energy;
    unsigned pieces; /* samples so far */
} state;

static void watch_energy(fx_gpu *gpu, state *s, series *all, double begin_ns) {
    if (energy_stepped(gpu, &s->energy) && all->step_count < MOST_STEPS) {
        all->steps[all->step_count++] = {s->energy.ns - begin_ns, (double)s->energy.mJ};
    }
}

static void nap(long ns) {
    const struct timespec pause = {0, ns};
    nanosleep(&pause, NULL);
}

static fx_status rest(fx_rig *rig, state *s, series *all, double *begin_ns, fx_error *err) {
    FX_TRY_CUDA(cudaStreamSynchronize(rig->gpu->stream));
    *begin_ns = fx_now_ns() + REST_NS;
    while (fx_now_ns() < *begin_ns - WATCHED_NS) {
        nap(10000000);
    }
    while (fx_now_ns() < *begin_ns) {
        watch_energy(rig->gpu, s, all, *begin_ns);
        nap(1000000);
    }
    return FX_OK;
}

/* Batches: one is always queued behind the one that runs. */
static fx_status run_load(fx_rig *rig, state *s, series *all, double seconds, size_t most, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    double begin_ns;
    bool over = false;
    FX_TRY(rest(rig, s, all, &begin_ns, err));
    for (size_t batch = 0; !over; batch++) {
        over = fx_now_ns() - begin_ns > 1e9 * seconds || all->launches + BATCH > most;
        for (int i = 0; i < BATCH && !over; i++) {
            FX_TRY(launch_load(rig, &s->load, s->m + all->launches++, err));
        }
        FX_TRY_CUDA(cudaEventRecord(s->done[batch % 2], gpu->stream));
        cudaError_t code = cudaSuccess;
        while (batch > 0 && (code = cudaEventQuery(s->done[(batch + 1) % 2])) == cudaErrorNotReady) {
            watch_energy(gpu, s, all, begin_ns);
            nap(500000);
        }
        FX_TRY_CUDA(code);
    }
    return FX_OK;
}

static fx_status check_series(fx_rig *rig, state *s, series *all, fx_error *err) {
    const size_t bytes = all->launches * sizeof *s->m;
    const bool copy = s->load.task == COPY;
    FX_TRY(copy ? count_load(rig, &s->load, s->m, err) : FX_OK);
    FX_TRY(fx_gpu_download(rig->gpu, all->launch, s->m, bytes, err));
    for (size_t i = 0; i < (copy ? 1 : all->launches); i++) {
        FX_TRY(check_load(rig, &s->load, 1, all->launch[i].right, err));
    }
    return FX_OK;
}

/* The series of this task, from a device at rest. */
static fx_status take_series(fx_rig *rig, const fx_case *c, series *all, fx_error *err) {
    state *s = FX_ARGUMENT(rig, state);
    const size_t most = (size_t)c->params.value[DURATION] * LAUNCHES_PER_S;
    FX_TRY(fx_rig_memory(rig, &s->m, FX_DEVICE_MEMORY, most * sizeof *s->m, 0, err));
    FX_TRY(fx_rig_events(rig, s->done, FX_COUNT(s->done), cudaEventDefault, err));
    FX_TRY(take_load(rig, &s->load, c->params.value[TASK], RANDOM, err));
    free(all->launch);
    all->seconds = 0;
    all->launches = all->step_count = 0;
    all->launch = (meter *)malloc(most * sizeof *all->launch);
    FX_FAIL_IF(!all->launch, err, FX_NO_MEMORY, "no memory for a series of %zu launches", most);
    FX_TRY_CUDA(cudaMemsetAsync(s->m, 0, most * sizeof *s->m, rig->gpu->stream));
    if (s->load.task == COPY) {
        FX_TRY_CUDA(cudaMemsetAsync(s->load.to, POISON, COPY_BYTES, rig->gpu->stream));
    }
    FX_TRY(run_load(rig, s, all, (double)c->params.value[DURATION], most, err));
    FX_TRY(check_series(rig, s, all, err));
    all->seconds = c->params.value[DURATION];
    return FX_OK;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    state *s = FX_ARGUMENT(rig, state);
    const series *all = &taken[c->params.value[TASK]];
    const double window_ns = 1e6 * WINDOW_MS, begin_ns = 1e6 * (double)c->params.value[AT];
    const double piece_ns = window_ns / PIECES, at_ns = begin_ns + piece_ns * (double)(s->pieces++ % PIECES);
    (void)seed; /* the data of a case stay the same, since refilling them would take energy too */
    FX_FAIL_IF(!series_piece(all, at_ns, at_ns + piece_ns, &out->value, &out->sm_clock_MHz), err, FX_UNSUPPORTED,
               "the load ended before %lld ms", (long long)c->params.value[AT]);
    out->extra[SM_CLOCK_MHZ] = out->sm_clock_MHz;
    out->extra[LAUNCH_CYCLES] = out->value * out->sm_clock_MHz / 1e3;
    out->extra[POWER_W] =
        1e6 * (series_energy_mJ(all, begin_ns + window_ns) - series_energy_mJ(all, begin_ns)) / window_ns;
    out->extra[LAUNCH_MJ] = out->extra[POWER_W] * out->value / 1e6;
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    series *all = &taken[c->params.value[TASK]];
    rig->sample = sample;
    shape_load(rig, c->params.value[TASK]);
    return all->seconds == c->params.value[DURATION] ? FX_OK : take_series(rig, c, all, err);
}
#endif

static const fx_kernel kernels[] = {FX_LOAD_KERNELS};

FX_PROBE(clock_and_power, .question = "How do SM clock, power and rate change in the first seconds of a load?",
         .method_version = 1, FX_PARTS, .extras = "power_W sm_clock_MHz launch_cycles launch_mJ",
         .supported = supported, .samples = PIECES, .once = true)
