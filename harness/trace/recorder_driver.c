#include "recorder_state.h"

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

/* Kinds of calls, in an order that is asked for. */
enum { LAUNCH, LAUNCH_EX, COOPERATIVE, GRAPH, UNLOAD, CAPTURE, CAPTURED, WAIT, WAIT_EVENT, COPY, RANGE };

#define CALL(name, kind) {SANITIZER_CBID_DRIVER_API_##name, kind, false}
#define BOTH(name, kind) CALL(name, kind), CALL(name##_ptsz, kind)
#define START(name, kind)                                                                                              \
    CALL(name, kind), {                                                                                                \
        SANITIZER_CBID_DRIVER_API_##name##_ptsz, kind, true                                                            \
    }
/* The calls of the driver's that the recorder sees. */
static const struct driver_call {
    Sanitizer_CallbackId id;
    unsigned kind;
    bool of_thread; /* stream NULL is the thread's own */
} driver_calls[] = {
    START(cuLaunchKernel, LAUNCH),
    START(cuLaunchKernelEx, LAUNCH_EX),
    START(cuLaunchCooperativeKernel, COOPERATIVE),
    BOTH(cuGraphLaunch, GRAPH),
    CALL(cuModuleUnload, UNLOAD),
    CALL(cuLibraryUnload, UNLOAD),
    BOTH(cuStreamBeginCapture, CAPTURE),
    BOTH(cuStreamBeginCapture_v2, CAPTURE),
    BOTH(cuStreamBeginCaptureToGraph, CAPTURE),
    BOTH(cuStreamEndCapture, CAPTURED),
    CALL(cuCtxSynchronize, WAIT),
#if CUDA_VERSION >= 13000
    CALL(cuCtxSynchronize_v2, WAIT),
#endif
    BOTH(cuStreamSynchronize, WAIT),
    CALL(cuMemcpyDtoH_v2, COPY),
    CALL(cuEventSynchronize, WAIT_EVENT),
    CALL(cuEventQuery, WAIT_EVENT),
    CALL(cuProfilerStart, RANGE),
    CALL(cuProfilerStop, RANGE),
};

enum { DRIVER_CALLS = sizeof driver_calls / sizeof *driver_calls };

typedef struct asked {
    CUstream stream;
    fx_shape shape;
} asked;

/* What the launch's own data leaves out. False: the driver will refuse the call. */
static bool learn(const struct driver_call *call, const void *parameters, asked *out) {
    fx_here.cooperative = call->kind == COOPERATIVE;
    fx_here.loaded = false;
    if (call->kind == LAUNCH_EX) {
        const launch_ex_arguments *arguments = parameters;
        const CUlaunchConfig *config = arguments->config;
        if (!config || (config->numAttrs && !config->attrs)) {
            return false;
        }
        *out = (asked){config->hStream,
                       {{config->gridDimX, config->gridDimY, config->gridDimZ},
                        {config->blockDimX, config->blockDimY, config->blockDimZ}}};
        fx_here.dynamic_bytes = config->sharedMemBytes;
        for (unsigned i = 0; i < config->numAttrs; i++) {
            fx_here.cooperative |=
                config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative != 0;
        }
    } else {
        const launch_arguments *arguments = parameters;
        out->stream = arguments->stream;
        memcpy(out->shape.grid, arguments->grid, sizeof out->shape.grid);
        memcpy(out->shape.block, arguments->block, sizeof out->shape.block);
        fx_here.dynamic_bytes = arguments->dynamic_bytes;
    }
    out->stream = !out->stream && call->of_thread ? CU_STREAM_PER_THREAD : out->stream;
    return true;
}

/* Whether more launches like it are to be recorded; its module, if that is not patched. */
static bool is_wanted(const Sanitizer_CallbackData *data, const asked *a, fx_module **module) {
    uint32_t place = 0;
    *module = data->symbolName ? fx_unpatched(data->context, data->symbolName) : NULL;
    const fx_count *count = *module ? fx_count_of(*module, data->symbolName, &a->shape, &place) : NULL;
    return count && count->recorded < fx_recorder.options.launches;
}

/* Its module is patched for this launch if that can be done. */
static void prepare(const Sanitizer_CallbackData *data, const asked *a) {
    if (!fx_recorder.unpatched || !fx_recorder.open || fx_timer_captured(&fx_recorder.api, a->stream)) {
        return;
    }
    fx_lock();
    fx_module *module;
    fx_context *c = fx_context_of(data->context);
    if (c && is_wanted(data, a, &module)) {
        fx_change(c, module, true, false);
    }
    fx_unlock();
}

/* From here until `leave` no module is changed. */
static void enter(void) {
    while (!fx_here.launching) {
        fx_recorder.launching++;
        fx_here.launching = true;
        if (fx_recorder.changing) {
            fx_recorder.launching--;
            fx_here.launching = false;
            fx_drain_pause_ns(50000);
        }
    }
}

static void leave(void) {
    if (fx_here.launching) {
        fx_here.launching = false;
        fx_recorder.launching--;
    }
}

static void begin_launch(const struct driver_call *call, const Sanitizer_CallbackData *data) {
    asked a;
    if (!learn(call, data->functionParams, &a)) {
        return;
    }
    if (!fx_recorder.options.time) {
        prepare(data, &a);
        return;
    }
    if (!fx_recorder.open) {
        return;
    }
    fx_lock();
    fx_module *module;
    fx_context *c = fx_context_of(data->context);
    volatile uint64_t *gate = c && c->ring ? &c->ring->head : NULL;
    const bool wanted = is_wanted(data, &a, &module) ||
                        (!module && (!data->symbolName || fx_recorder_wants(&fx_recorder.options, data->symbolName)));
    fx_unlock();
    if (!wanted) {
        return;
    }
    fx_timer_start(&fx_recorder.api, a.stream, gate, &fx_here.timer);
    if (fx_here.timer.on && fx_recorder.timing++) {
        fx_note("overlap", "times of launches that other threads' launches ran beside are longer than theirs alone");
    }
}

static void end_launch(const Sanitizer_CallbackData *data, CUresult result) {
    double time_ns = -1;
    if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) {
        fx_note("resources",
                "the driver refused a launch of %.200s: patched kernels need more registers, so fewer of its "
                "blocks fit",
                data->symbolName ? data->symbolName : "a kernel");
    }
    if (fx_recorder.options.time && fx_here.timer.on) {
        fx_recorder.timing--;
        time_ns = fx_timer_stop(&fx_recorder.api, &fx_here.timer, result == CUDA_SUCCESS);
    }
    fx_launch_end(result == CUDA_SUCCESS, time_ns);
    fx_here.dynamic_bytes = 0;
    fx_here.cooperative = false;
}

void fx_driver_capture_ends(CUstream stream) {
    for (size_t i = fx_recorder.capture_count; i-- > 0;) {
        if (fx_recorder.captures[i] == stream) {
            fx_recorder.captures[i] = fx_recorder.captures[--fx_recorder.capture_count];
        }
    }
}

static struct fx_recorded_event *event_of(CUevent event) {
    enum { EVENTS = sizeof fx_recorder.events / sizeof *fx_recorder.events };
    return &fx_recorder.events[((uintptr_t)event >> 4) % EVENTS];
}

/* How far the launches had come that this thread waits for from now on: those of others may not be made yet. */
static uint64_t launches_made(void) {
    const uint64_t last = fx_recorder.launches;
    return fx_recorder.launching ? 0 : last;
}

void fx_driver_event(Sanitizer_CallbackId id, const Sanitizer_EventData *data) {
    struct fx_recorded_event *known = event_of(data->event);
    if (id == SANITIZER_CBID_EVENTS_RECORD) {
        *known = (struct fx_recorded_event){data->event, data->context, data->hStream, launches_made()};
    } else if (known->event == data->event && id <= SANITIZER_CBID_EVENTS_DESTROYED) {
        known->event = NULL;
    }
}

/* Nothing runs in these contexts now: modules that are no longer recorded get their own code back. */
static void unpatch_idle(void) {
    for (fx_context *c = fx_recorder.contexts; c; c = c->next) {
        while (c->idle && c->last <= c->rested) {
            fx_module *module = c->idle;
            c->idle = module->next_idle;
            module->listed = false;
            if (module->idle) {
                module->idle = 0; /* counted anew where it can't be changed */
                fx_change(c, module, false, false);
                return; /* the list of contexts may be another now */
            }
        }
    }
}

static void end_wait(const struct driver_call *call, const Sanitizer_CallbackData *data, CUresult result) {
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY && result != CUDA_ERROR_INVALID_HANDLE) {
        fx_note("failed", "a kernel failed (error %d of the driver): its accesses are those until then", (int)result);
    }
    if (result == CUDA_SUCCESS) {
        fx_lock();
        if (call->kind == WAIT_EVENT) {
            const CUevent event = *(const CUevent *)data->functionParams;
            const struct fx_recorded_event *known = event_of(event);
            fx_context *c = known->event == event ? fx_context_of(known->context) : NULL;
            if (c) {
                fx_rest(c, known->stream, known->launch);
            }
        }
        fx_context *c = call->kind == COPY ? fx_context_of(data->context) : NULL;
        if (c && c->on_default) { /* such a copy is made behind what the default stream has */
            fx_rest(c, c->stream, fx_here.before);
        }
        unpatch_idle();
        fx_unlock();
    }
    fx_here.before = 0;
    if (fx_drain_pending() && result != CUDA_ERROR_NOT_READY) {
        fx_drain_wait();
    }
}

static const struct driver_call *call_of(Sanitizer_CallbackId id) {
    for (size_t i = 0; i < DRIVER_CALLS; i++) {
        if (driver_calls[i].id == id) {
            return &driver_calls[i];
        }
    }
    return NULL;
}

void fx_driver_called(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data) {
    const struct driver_call *call = call_of(id);
    if (!call) {
        return;
    }
    if (call->kind == RANGE) {
        fx_recorder.open = !fx_recorder.options.in_range || id == SANITIZER_CBID_DRIVER_API_cuProfilerStart;
        return;
    }
    if (data->callbackSite == SANITIZER_API_ENTER) {
        if (call->kind >= WAIT) {
            fx_here.before = launches_made();
            return;
        }
        if (call->kind <= COOPERATIVE) {
            begin_launch(call, data);
        }
        enter();
        if (call->kind == CAPTURE) {
            fx_lock();
            if (fx_recorder.capture_count < sizeof fx_recorder.captures / sizeof *fx_recorder.captures) {
                fx_recorder.captures[fx_recorder.capture_count++] = *(const CUstream *)data->functionParams;
            }
            fx_unlock();
        }
        return;
    }
    const CUresult result = *(const CUresult *)data->functionReturnValue;
    if (call->kind >= WAIT) {
        end_wait(call, data, result);
        return;
    }
    if (call->kind <= GRAPH) {
        end_launch(data, result);
    } else if ((call->kind == CAPTURE && result != CUDA_SUCCESS) || call->kind == CAPTURED) {
        fx_lock();
        fx_driver_capture_ends(*(const CUstream *)data->functionParams);
        fx_unlock();
    }
    leave();
}

fx_status fx_driver_subscribe(Sanitizer_SubscriberHandle handle, fx_error *err) {
    for (size_t i = 0; i < DRIVER_CALLS; i++) {
        const fx_status enabled = FX_API(&fx_recorder.api, err, EnableCallback, 1, handle,
                                         SANITIZER_CB_DOMAIN_DRIVER_API, driver_calls[i].id);
        if (enabled && driver_calls[i].kind < WAIT) { /* an older library does not know all waits */
            return enabled;
        }
    }
    *err = (fx_error){0};
    return FX_OK;
}
