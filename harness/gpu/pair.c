/* Host side of the timing by pairs of launches. */
#include "gpu/pair.h"

#include "core/stats.h"
#include "gpu/pool.h"

fx_status fx_pair_open(fx_gpu *gpu, fx_pair *pair, fx_error *err) {
    memset(pair, 0, sizeof *pair);
    for (size_t i = 0; i < FX_COUNT(pair->event); i++) {
        FX_TRY_CUDA(cudaEventCreate(&pair->event[i]));
    }
    return fx_stamps_open(gpu, &pair->stamps, err);
}

void fx_pair_close(fx_pair *pair) {
    for (size_t i = 0; i < FX_COUNT(pair->event); i++) {
        fx_event_drop(pair->event[i]);
    }
    fx_stamps_close(&pair->stamps);
    memset(pair, 0, sizeof *pair);
}

static fx_status time_launch(fx_gpu *gpu, fx_pair *pair, const fx_pair_work *work, int which, double *ns,
                             fx_error *err) {
    uint32_t ignored = 0; /* what counts is the difference of two of these */
    FX_TRY(which == 1 ? fx_stamps_take(gpu, &pair->stamps, FX_STAMPS_BEFORE, err) : FX_OK);
    FX_TRY(work->cold ? fx_gpu_flush_l2(gpu, err) : work->launch(gpu, work->context, 0, err));
    FX_TRY_CUDA(cudaEventRecord(pair->event[2 * which], gpu->stream));
    FX_TRY(work->launch(gpu, work->context, which, err));
    FX_TRY_CUDA(cudaEventRecord(pair->event[2 * which + 1], gpu->stream));
    FX_TRY(which == 1 ? fx_stamps_take(gpu, &pair->stamps, FX_STAMPS_AFTER, err) : FX_OK);
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    FX_TRY(fx_event_ns(gpu, pair->event[2 * which], pair->event[2 * which + 1], ns, &ignored, err));
    return work->check ? work->check(gpu, work->context, which, err) : FX_OK;
}

fx_status fx_pair_trial(fx_gpu *gpu, fx_pair *pair, void *context,
                        fx_status (*launch)(fx_gpu *gpu, void *context, int which, fx_error *err), double *ns,
                        fx_error *err) {
    const fx_pair_work work = {.context = context, .launch = launch, .units = 1};
    return time_launch(gpu, pair, &work, 0, ns, err);
}

fx_status fx_event_ns(fx_gpu *gpu, cudaEvent_t from, cudaEvent_t to, double *ns, uint32_t *flags, fx_error *err) {
    float ms;
    FX_TRY_CUDA(cudaEventElapsedTime(&ms, from, to));
    *ns = 1e6 * (double)ms;
    *flags |= *ns < FX_LEAST_TICKS * gpu->event_tick_ns ? FX_SAMPLE_TIMER_RESOLUTION : 0;
    return FX_OK;
}

/* The steps between events in a row differ by whole ticks. Without any difference it is the half microsecond that
 * CUDA's manual speaks of. */
fx_status fx_event_tick(fx_gpu *gpu, double *tick_ns, fx_error *err) {
    enum { EVENTS = 65 };
    cudaEvent_t event[EVENTS] = {0};
    double step[EVENTS - 1];
    fx_status status = FX_OK;
    *tick_ns = 500;
    for (int i = 0; i < EVENTS; i++) {
        FX_CUDA(cudaEventCreate(&event[i]));
    }
    for (int i = 0; i < EVENTS; i++) {
        FX_CUDA(cudaEventRecord(event[i], gpu->stream));
    }
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    for (int i = 0; i < EVENTS - 1; i++) {
        float ms;
        FX_CUDA(cudaEventElapsedTime(&ms, event[i], event[i + 1]));
        step[i] = 1e6 * (double)ms;
    }
    qsort(step, EVENTS - 1, sizeof step[0], fx_ascending);
    for (int i = 0; i < EVENTS - 2; i++) {
        const double gap = step[i + 1] - step[i];
        *tick_ns = gap >= 1 ? fmin(*tick_ns, gap) : *tick_ns; /* less is the rounding of a float */
    }
cleanup:
    for (int i = 0; i < EVENTS; i++) {
        fx_event_drop(event[i]);
    }
    return status;
}

fx_status fx_pair_sample(fx_gpu *gpu, fx_pair *pair, const fx_pair_work *work, fx_sample *out, fx_error *err) {
    double ns[2];
    FX_TRY(fx_memory_settle(gpu, &out->flags, err));
    pair->longer_first = pair->taken++ > 0 ? !pair->longer_first : work->seed >> 63;
    for (int i = 0; i < 2; i++) {
        const int which = pair->longer_first ? 1 - i : i;
        FX_TRY(time_launch(gpu, pair, work, which, &ns[which], err));
    }
    if (ns[1] > ns[0]) {
        out->value = (ns[1] - ns[0]) / work->units;
    } else { /* something hit the shorter launch, and a time can't be negative: its own start and end are in this one */
        out->value = ns[1] / (2 * work->units);
        out->flags |= FX_SAMPLE_DISTURBED;
    }
    if (fabs(ns[1] - ns[0]) < FX_LEAST_TICKS * gpu->event_tick_ns) {
        out->flags |= FX_SAMPLE_TIMER_RESOLUTION;
    }
    out->t_n = ns[0];
    out->intercept = 2 * ns[0] - ns[1];
    return fx_stamps_read(gpu, &pair->stamps, &out->sm_clock_MHz, err);
}
