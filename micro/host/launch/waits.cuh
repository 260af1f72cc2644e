/* The ways of waiting for kernels, and the host's time until it knows. */
#pragma once

#include "ways.cuh"

static const double MOST_SPIN_NS = 2e9;

static fx_status spin_until_flagged(const work *w, fx_error *err) {
    const double begin = fx_now_ns();
    while (*(volatile uint32_t *)w->flag == 0) {
        FX_FAIL_IF(fx_now_ns() - begin > MOST_SPIN_NS, err, FX_DEVICE,
                   "the kernel's flag did not reach the host within 2 s");
    }
    return FX_OK;
}

static fx_status wait_for_all(fx_rig *rig, const fx_case *c, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    const cudaStream_t stream = rig->gpu->stream;
    const int64_t waits = c->params.value[WAITS];
    if (waits == BY_EVENT || waits == BY_BLOCKING_EVENT) {
        FX_TRY_CUDA(cudaEventRecord(w->done, stream));
        FX_TRY_CUDA(cudaEventSynchronize(w->done));
    } else if (waits == BY_DEVICE) {
        FX_TRY_CUDA(cudaDeviceSynchronize());
    } else if (waits == BY_QUERY) {
        cudaError_t code;
        do {
            code = cudaStreamQuery(stream);
        } while (code == cudaErrorNotReady);
        FX_TRY_CUDA(code);
    } else if (waits == BY_MAPPED) {
        return spin_until_flagged(w, err);
    } else {
        FX_TRY_CUDA(cudaStreamSynchronize(stream));
    }
    return FX_OK;
}

/* Latency and issue. */
static fx_status sample_host(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    double times[3];
    if (w->flag) {
        *(volatile uint32_t *)w->flag = 0;
        __sync_synchronize();
    }
    times[0] = fx_now_ns();
    fx_status status = queue(rig, c, err);
    times[1] = fx_now_ns();
    status = status == FX_OK ? wait_for_all(rig, c, err) : status;
    times[2] = fx_now_ns();
    out->value =
        c->params.value[TASK] == ISSUE ? (times[1] - times[0]) / (double)c->params.value[KERNELS] : times[2] - times[0];
    out->extra[EXTRA_CALLS] = times[1] - times[0];
    /* What is not waited for must be done before the next sample, and before anything is given back. */
    const cudaError_t code = cudaStreamSynchronize(rig->gpu->stream);
    FX_TRY(status);
    return FX_CUDA_STATUS(code);
}

static void give_mapped(fx_rig *rig, void *memory, size_t bytes) {
    cudaFreeHost(memory);
}

static void give_flags(fx_rig *rig, void *flags, size_t bytes) {
    cudaSetDeviceFlags(FX_ARGUMENT(rig, work)->flags_before);
}

static fx_status set_schedule(fx_rig *rig, const fx_case *c, fx_error *err) {
    static const unsigned schedules[] = {0, cudaDeviceScheduleSpin, cudaDeviceScheduleYield,
                                         cudaDeviceScheduleBlockingSync};
    const unsigned schedule = schedules[c->params.value[SCHEDULE]], mask = cudaDeviceScheduleMask;
    work *w = FX_ARGUMENT(rig, work);
    if (schedule == 0) {
        return FX_OK;
    }
    FX_TRY_CUDA(cudaGetDeviceFlags(&w->flags_before));
    if (cudaSetDeviceFlags((w->flags_before & ~mask) | schedule) != cudaSuccess) {
        cudaGetLastError();
        return fx_fail(err, FX_UNSUPPORTED, "the driver accepts these flags only before the device is in use");
    }
    return fx_rig_keep(rig, w, give_flags, err);
}

static fx_status take_mapped(fx_rig *rig, work *w, fx_error *err) {
    FX_TRY_CUDA(cudaHostAlloc((void **)&w->flag, sizeof *w->flag, cudaHostAllocMapped));
    FX_TRY(fx_rig_keep(rig, w->flag, give_mapped, err));
    *w->flag = 0;
    return FX_CUDA_STATUS(cudaHostGetDevicePointer((void **)&w->device_flag, w->flag, 0));
}

static fx_status arrange_host(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const int64_t waits = c->params.value[WAITS];
    const unsigned blocking = cudaEventDisableTiming | cudaEventBlockingSync, usual = cudaEventDisableTiming;
    FX_TRY(set_schedule(rig, c, err));
    if ((waits == BY_EVENT || waits == BY_BLOCKING_EVENT)) {
        FX_TRY(fx_rig_events(rig, &w->done, 1, waits == BY_EVENT ? usual : blocking, err));
    }
    if (waits == BY_MAPPED) {
        FX_TRY(take_mapped(rig, w, err));
    }
    rig->sample = sample_host;
    return FX_OK;
}
