#include "recorder_driver.h"

#include <stdlib.h>
#include <string.h>

#include "recorder_launch.h"
#include "recorder_record.h"

/* Arguments of cuLaunchKernel and cuLaunchCooperativeKernel, as many as matter, and of cuLaunchKernelEx. */
typedef struct launch_arguments {
    CUfunction function;
    unsigned grid[3], block[3], dynamic_bytes;
    CUstream stream;
} launch_arguments;

typedef struct launch_ex_arguments {
    const CUlaunchConfig *config;
    CUfunction function;
} launch_ex_arguments;

typedef enum driver_kind { LAUNCH, LAUNCH_EX, COOPERATIVE, GRAPH, UNLOAD, CAPTURE, CAPTURED, WAIT } driver_kind;

/* The calls of the driver's that the recorder is told of. */
static const struct driver_call {
    Sanitizer_CallbackId id;
    driver_kind kind;
    bool of_thread; /* stream NULL is the thread's own */
} driver_calls[] = {
    {SANITIZER_CBID_DRIVER_API_cuLaunchKernel, LAUNCH, false},
    {SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz, LAUNCH, true},
    {SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx, LAUNCH_EX, false},
    {SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz, LAUNCH_EX, true},
    {SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel, COOPERATIVE, false},
    {SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz, COOPERATIVE, true},
    {SANITIZER_CBID_DRIVER_API_cuGraphLaunch, GRAPH, false},
    {SANITIZER_CBID_DRIVER_API_cuGraphLaunch_ptsz, GRAPH, false},
    {SANITIZER_CBID_DRIVER_API_cuModuleUnload, UNLOAD, false},
    {SANITIZER_CBID_DRIVER_API_cuLibraryUnload, UNLOAD, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture, CAPTURE, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_ptsz, CAPTURE, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_v2, CAPTURE, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_v2_ptsz, CAPTURE, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamBeginCaptureToGraph, CAPTURE, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamBeginCaptureToGraph_ptsz, CAPTURE, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamEndCapture, CAPTURED, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamEndCapture_ptsz, CAPTURED, false},
    {SANITIZER_CBID_DRIVER_API_cuCtxSynchronize, WAIT, false},
#if CUDA_VERSION >= 13000
    {SANITIZER_CBID_DRIVER_API_cuCtxSynchronize_v2, WAIT, false},
#endif
    {SANITIZER_CBID_DRIVER_API_cuStreamSynchronize, WAIT, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamSynchronize_ptsz, WAIT, false},
};

enum { DRIVER_CALLS = sizeof driver_calls / sizeof *driver_calls };

static void end_timed(bool launched) {
    fx_error err = {0};
    if (!fx_here.timed || !launched) {
        fx_recorder_unlock();
        fx_timer_drop(&fx_recorder.api, &fx_here.timer);
        fx_recorder_lock();
    } else {
        fx_recorder_unlock();
        fx_here.timed->time_ns = fx_timer_stop(&fx_recorder.api, &fx_here.timer);
        const fx_status asked = fx_output_ask(&fx_recorder.api, fx_here.timed, &err);
        fx_recorder_lock();
        if (fx_recorder.on && (asked || fx_here.timed->time_ns < 0 || fx_record_write(fx_here.timed, NULL, 0, &err))) {
            fx_output_note(&fx_recorder.out, "failed", "a launch failed, and has no time");
        }
    }
    if (fx_here.timed) {
        free((void *)fx_here.timed->name);
        free(fx_here.timed);
        fx_here.timed = NULL;
    }
}

/* What the launch's own data leaves out. Returns its stream. */
static CUstream learn_launch(const struct driver_call *call, const void *parameters) {
    CUstream stream = NULL;
    fx_here.cooperative = call->kind == COOPERATIVE;
    fx_here.loaded = false;
    if (call->kind == LAUNCH_EX) {
        const launch_ex_arguments *arguments = parameters;
        const CUlaunchConfig *config = arguments->config;
        fx_here.function = (const void *)arguments->function;
        fx_here.shape = (fx_shape){{config->gridDimX, config->gridDimY, config->gridDimZ},
                                   {config->blockDimX, config->blockDimY, config->blockDimZ}};
        fx_here.dynamic_bytes = config->sharedMemBytes;
        stream = config->hStream;
        for (unsigned i = 0; i < config->numAttrs; i++) {
            fx_here.cooperative |=
                config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative != 0;
        }
    } else {
        const launch_arguments *arguments = parameters;
        fx_here.function = (const void *)arguments->function;
        memcpy(fx_here.shape.grid, arguments->grid, sizeof fx_here.shape.grid);
        memcpy(fx_here.shape.block, arguments->block, sizeof fx_here.shape.block);
        fx_here.dynamic_bytes = arguments->dynamic_bytes;
        stream = arguments->stream;
    }
    return !stream && call->of_thread ? CU_STREAM_PER_THREAD : stream;
}

static void before_launch(fx_context *c, const Sanitizer_CallbackData *data, CUstream stream) {
    if (fx_recorder.options.time) {
        fx_recorder_unlock();
        fx_timer_start(&fx_recorder.api, stream, &fx_here.timer);
        fx_recorder_lock();
        if (fx_here.timer.on && fx_recorder.timing++) {
            fx_output_note(&fx_recorder.out, "overlap",
                           "times of launches that other threads' launches ran beside are longer than theirs alone");
        }
        return;
    }
    c->users++;
    fx_recorder_unlock();
    const bool captured = fx_timer_captured(&fx_recorder.api, stream);
    fx_recorder_lock();
    if (!captured) {
        fx_launch_prepare(c, data, stream);
    }
    fx_launch_enter(c);
    c->users--;
}

static void after_launch(CUresult result, const char *name) {
    if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) {
        fx_output_note(&fx_recorder.out, "resources",
                       "the driver refused a launch of %.200s: patched kernels need more registers, so fewer of its "
                       "blocks fit",
                       name ? name : "a kernel");
    }
    if (fx_recorder.options.time) {
        fx_recorder.timing -= fx_here.timer.on;
        end_timed(result == CUDA_SUCCESS);
    }
    fx_here.dynamic_bytes = 0;
    fx_here.cooperative = false;
    fx_here.function = NULL;
}

void fx_driver_called(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data) {
    size_t i = 0;
    while (i < DRIVER_CALLS && driver_calls[i].id != id) {
        i++;
    }
    fx_context *c = fx_context_of(data->context);
    if (i == DRIVER_CALLS || !c) {
        return;
    }
    const driver_kind kind = driver_calls[i].kind;
    const bool enters = data->callbackSite == SANITIZER_API_ENTER;
    if (kind == WAIT) {
        fx_here.before = enters ? fx_launch_made() : 0;
    } else if (enters && kind <= COOPERATIVE) {
        before_launch(c, data, learn_launch(&driver_calls[i], data->functionParams));
    } else if (enters && kind == CAPTURE) {
        fx_launch_capture(c);
    } else if (enters && kind != CAPTURED) {
        fx_launch_enter(c);
    } else if (!enters) {
        const CUresult result = *(const CUresult *)data->functionReturnValue;
        const bool ended = result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                           result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
        if (fx_recorder.capturing && ((kind == CAPTURE && result != CUDA_SUCCESS) || (kind == CAPTURED && ended))) {
            fx_recorder.capturing--;
        }
        if (result != CUDA_SUCCESS && kind <= GRAPH) {
            fx_record_drop(kind == GRAPH ? *(const CUgraphExec *)data->functionParams : NULL);
        }
        if (kind <= COOPERATIVE) {
            after_launch(result, data->symbolName);
        }
        fx_launch_leave();
    }
}

fx_status fx_driver_subscribe(Sanitizer_SubscriberHandle handle, fx_error *err) {
    for (size_t i = 0; i < DRIVER_CALLS; i++) {
        const fx_status asked = FX_API(&fx_recorder.api, err, EnableCallback, 1, handle, SANITIZER_CB_DOMAIN_DRIVER_API,
                                       driver_calls[i].id);
        if (asked && driver_calls[i].kind != WAIT) { /* an older library does not know all waits */
            return asked;
        }
    }
    *err = (fx_error){0};
    return FX_OK;
}
