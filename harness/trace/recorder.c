/* The recorder: a library that the CUDA driver loads into a program (CUDA_INJECTION64_PATH), which patches the
 * program's kernels and writes what their warps access to a trace. recorder_options.h has what it is asked for,
 * docs/trace.md the file, recorder_patch.cu the device half.
 *
 * Way of a launch: at its beginning, if its kernel is asked for and enough launches of this shape were not yet
 * recorded, its sample of blocks is chosen and the context's buffer is its own; at its end the stream is waited for,
 * and the words are read and written. So launches that are recorded run one after the other, and a program whose
 * kernels wait for each other over streams can stop for ever: record one of its kernels. A launch that begins while
 * another thread's is recorded is counted only.
 *
 * Patched code is many times slower, recorded or not. So a module is patched while launches of it are recorded, and as
 * soon as one is not, it is as it was. Either change is made where the driver is asked for a launch, before it begins
 * (then the API would wait for ever), and needs that no launch of the module runs: the launch's stream is waited for,
 * but where launches on other streams may run, the module stays as it is until the program has waited for them. A graph
 * keeps the code that its kernels had when it was made, so from the first graph on all modules stay patched.
 *
 * A graph's kernels are given one set of data by the API, whatever is set for each: so of each launch of a graph one
 * kernel is recorded, known by its grid, its block and its code. Where the graph has it several times, the launch's
 * blocks are those of all of them.
 *
 * The lock is not held where the API, the driver or the loader is called: a thread inside the driver holds a lock of
 * the driver's while its callback waits for ours. A change of a module also keeps other threads' launches in its
 * context out, and calls that unload one.
 *
 * The file is flushed after each launch; if the program dies, what is flushed stays, without an end frame. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "recorder_launch.h"
#include "recorder_sample.h"

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
    {SANITIZER_CBID_DRIVER_API_cuStreamSynchronize, WAIT, false},
    {SANITIZER_CBID_DRIVER_API_cuStreamSynchronize_ptsz, WAIT, false},
};

enum { DRIVER_CALLS = sizeof driver_calls / sizeof *driver_calls };

static void fill(fx_output_launch *out, const Sanitizer_LaunchData *l, const fx_call *call, bool graph) {
    *out = (fx_output_launch){
        .data = *l,
        .name = strdup(l->functionName),
        .shape = call->shape,
        .total_blocks = (uint64_t)l->gridDim_x * l->gridDim_y * l->gridDim_z,
        .dynamic_bytes = graph ? 0 : fx_here.dynamic_bytes,
        .cooperative = !graph && fx_here.cooperative,
        .graph = graph,
        .time_ns = -1,
        .module_number = fx_loaded_number(l->module),
        .registers = -1,
        .static_bytes = -1,
        .max_blocks_per_sm = -1,
    };
}

/* A launch whose time is taken from the beginning of the driver's call to its end. */
static void begin_timed(const Sanitizer_LaunchData *l, fx_call *call, bool graph) {
    if (graph) {
        fx_output_note(&fx_recorder.out, "graph", "kernels of graphs are not timed");
        return;
    }
    if (fx_here.timed) {
        return;
    }
    fx_here.timed = fx_here.timer.on && !fx_here.loaded ? calloc(1, sizeof *fx_here.timed) : NULL;
    if (fx_here.timed) {
        fill(fx_here.timed, l, call, false);
        call->recorded++;
    } else if (fx_here.loaded) {
        fx_output_note(&fx_recorder.out, "loading",
                       "launches while code was loaded were not timed, but later ones were");
    }
}

/* Whether the context's buffer is another launch's. A kernel of the graph whose kernel is recorded is no further one.
 */
static bool is_taken(fx_context *c, const Sanitizer_LaunchData *l, CUgraphExec graph, const fx_call *call) {
    if (!c->busy) {
        return false;
    }
    if (!graph || c->graph != graph) {
        fx_output_note(&fx_recorder.out, "busy",
                       "launches that began while another one was recorded were only counted: "
                       "repeat them, or record one kernel");
    } else if (l->function != c->launch.data.function || memcmp(&call->shape, &c->launch.shape, sizeof call->shape)) {
        fx_output_note(&fx_recorder.out, "graph",
                       "of each launch of a graph, one of its kernels is recorded, without the "
                       "functions that it calls: launch it again for the others");
    }
    return true;
}

static bool is_mine(const fx_context *c, CUgraphExec graph) {
    return c && c->busy && c->graph == graph && pthread_equal(c->owner, pthread_self());
}

/* Once more the kernel that is recorded, in the same graph. */
static bool is_again(const fx_context *c, const Sanitizer_LaunchData *l, CUgraphExec graph, const fx_shape *shape) {
    return graph && is_mine(c, graph) && l->function == c->launch.data.function &&
           memcmp(shape, &c->launch.shape, sizeof *shape) == 0;
}

/* Counts a launch. True: the context is now this launch's, and *track, which is 0 before, has its sample. */
static bool begin(const Sanitizer_LaunchData *l, CUgraphExec graph, fx_track *track) {
    const fx_shape shape = {{l->gridDim_x, l->gridDim_y, l->gridDim_z}, {l->blockDim_x, l->blockDim_y, l->blockDim_z}};
    const fx_recorder_options *o = &fx_recorder.options;
    fx_recorder.launches++;
    fx_context *c = fx_context_of(l->context);
    fx_call *call = fx_calls_find(&fx_recorder.calls, (const void *)l->function, fx_loaded_number(l->module), &shape);
    if (!c || !call || !l->functionName) {
        return false;
    }
    if (is_again(c, l, graph, &shape)) {
        c->launch.total_blocks += c->launch.total_blocks / c->launch.copies;
        c->launch.recorded_blocks += c->launch.recorded_blocks / c->launch.copies;
        c->launch.copies++;
        return false;
    }
    if (call->launches++ == 0) {
        call->wanted = fx_recorder_wants(o, l->functionName);
        if (!call->wanted && !o->one_kernel) {
            fx_output_note(&fx_recorder.out, "nccl",
                           "kernels of NCCL are not recorded, since they wait for other GPUs");
        }
    }
    if (!call->wanted || call->recorded >= o->launches || c->unusable || !fx_loaded_module(l->module)) {
        return false;
    }
    if (o->time) {
        begin_timed(l, call, graph != NULL);
        return false;
    }
    if (is_taken(c, l, graph, call)) {
        return false;
    }
    if ((uint64_t)l->gridDim_x * l->gridDim_y * l->gridDim_z > UINT32_MAX) {
        fx_output_note(&fx_recorder.out, "grid", "a grid of more than 4 294 967 295 blocks is not recorded");
        return false;
    }
    track->in_graph = graph != NULL;
    memcpy(track->grid, shape.grid, sizeof track->grid);
    memcpy(track->block, shape.block, sizeof track->block);
    const uint32_t recorded =
        fx_sample_blocks(l->gridDim_x * l->gridDim_y * l->gridDim_z, fx_recorder.options.blocks, track);
    if (!fx_module_patched(fx_loaded_module(l->module))) {
        fx_output_note(&fx_recorder.out, "streams",
                       "launches were only counted where others of their module ran on other streams, or where a graph "
                       "was made meanwhile");
        return false;
    }
    fill(&c->launch, l, call, graph != NULL);
    c->launch.recorded_blocks = recorded;
    c->launch.copies = 1;
    call->recorded++;
    c->busy = true;
    c->graph = graph;
    c->owner = pthread_self();
    return true;
}

/* The lock is not held. */
static fx_status open_buffer(fx_context *c, fx_track track, Sanitizer_StreamHandle stream, fx_error *err) {
    if (!c->buffer.track) {
        FX_TRY(fx_buffer_open(&fx_recorder.api, c->handle, fx_recorder.options.memory_bytes, &c->buffer, err));
    }
    return fx_buffer_begin(&fx_recorder.api, &c->buffer, track, stream, err);
}

static void begin_launch(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream, CUgraphExec graph) {
    fx_error err = {0};
    fx_track track = {0};
    const bool fresh = begin(l, graph, &track);
    fx_module *module = fx_loaded_module(l->module);
    fx_context *c = fx_context_of(l->context);
    const bool recorded = graph ? is_mine(c, graph) : is_mine(c, NULL) && c->launch.data.hLaunch == l->hLaunch;
    if (fx_recorder.options.time || !c) {
        return;
    }
    if (fx_here.function && module) {
        fx_launch_learn(c, fx_module_number(module), recorded);
    }
    if (!recorded && module) {
        fx_module_runs(module, l->stream, fx_recorder.launches);
        if (!fx_module_patched(module)) {
            return;
        }
    }
    c->users++;
    fx_recorder_unlock();
    const fx_status opened = fresh ? open_buffer(c, track, stream, &err) : FX_OK;
    const fx_status given = FX_API(&fx_recorder.api, opened ? &(fx_error){0} : &err, SetLaunchCallbackData, l->hLaunch,
                                   l->function, stream, recorded && !opened ? c->buffer.track : NULL);
    fx_recorder_lock();
    if (recorded && (opened || given)) {
        fx_output_note(&fx_recorder.out, "device", "launches could not be recorded (%s)", err.text);
        fx_context_end_launch(c);
    }
    if (opened) {
        fx_context_give_up(c);
    }
    c->users--;
}

static fx_status write_launch(const fx_output_launch *launch, const uint64_t *words, uint64_t count, fx_error *err) {
    uint32_t kernel = 0;
    fx_module *module = fx_loaded_module(launch->data.module);
    if (!launch->name) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory");
    }
    if (!module || fx_module_number(module) != launch->module_number) {
        return fx_fail(err, FX_BAD_INPUT, "its module was unloaded meanwhile");
    }
    FX_TRY(fx_output_add(&fx_recorder.out, launch, module, words, count, &kernel, err));
    fx_call *call =
        fx_calls_find(&fx_recorder.calls, (const void *)launch->data.function, launch->module_number, &launch->shape);
    if (call) {
        call->named = true;
        call->kernel = kernel;
    }
    return FX_OK;
}

/* While the stream is waited for and the API is asked, the program may end, which closes the trace, and the context and
 * the module may go. */
static void end_launch(fx_context *c, Sanitizer_StreamHandle stream) {
    fx_error err = {0};
    uint64_t *words = NULL, count = 0, dropped = 0;
    fx_functions functions = {0};
    fx_loaded *loaded = fx_loaded_of(c->launch.data.module);
    const bool known = !loaded || fx_module_has_functions(loaded->module);
    c->users++;
    if (loaded) {
        loaded->users++;
    }
    fx_recorder_unlock();
    fx_status status = fx_buffer_read(&fx_recorder.api, &c->buffer, stream, &words, &count, &dropped, &err);
    status = status ? status : fx_output_ask(&fx_recorder.api, &c->launch, &err);
    if (!status && !known && fx_output_leaves(&c->launch, words, count)) {
        functions = fx_module_functions(&fx_recorder.api, loaded->module);
    }
    fx_recorder_lock();
    if (functions.items) {
        fx_module_take_functions(loaded->module, functions);
    }
    if (loaded) {
        loaded->users--;
    }
    if (fx_recorder.on && !c->gone) {
        c->launch.dropped = dropped;
        if (status == FX_OK) {
            status = write_launch(&c->launch, words, count, &err);
        }
        if (status) {
            fx_output_note(&fx_recorder.out, "failed",
                           "a launch of %.200s failed or could not be read, and nothing of it is kept (%s)",
                           c->launch.name, err.text);
            (void)fx_trace_flush(fx_recorder.out.to, &err);
        }
        fx_context_end_launch(c);
        if (status == FX_DEVICE) {
            fx_context_give_up(c);
        }
    }
    free(words);
    c->users--;
}

static void on_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *l) {
    if (id == SANITIZER_CBID_LAUNCH_BEGIN) {
        begin_launch(l, l->hStream, NULL);
    } else if (id == SANITIZER_CBID_LAUNCH_END) {
        fx_context *c = fx_context_of(l->context);
        if (is_mine(c, NULL) && c->launch.data.hLaunch == l->hLaunch) {
            end_launch(c, l->hStream);
        }
    }
}

static void on_graph(Sanitizer_CallbackId id, const void *data) {
    if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN) {
        const Sanitizer_GraphNodeLaunchData *node = data;
        if (node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL && !node->isGraphUpload) {
            begin_launch(&node->launchData, node->launchData.hApiStream, node->graphExec);
        }
    } else if (id == SANITIZER_CBID_GRAPHS_LAUNCH_END) {
        const Sanitizer_GraphLaunchData *graph = data;
        for (fx_context *c = fx_recorder.contexts; c; c = c->next) { /* of several where it runs on several devices */
            if (!c->gone && is_mine(c, graph->graphExec)) {
                end_launch(c, graph->hStream);
            }
        }
    } else if (id == SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATING) {
        fx_launch_patch_all();
    } else if (id == SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATED) {
        const Sanitizer_GraphExecData *graph = data;
        if (graph->isDeviceLaunch || graph->containsDeviceGraphLaunches) {
            fx_output_note(&fx_recorder.out, "device_graph", "graphs that the device launches are not recorded");
        }
    }
}

static void on_resource(Sanitizer_CallbackId id, const void *data) {
    fx_here.loaded |=
        id == SANITIZER_CBID_RESOURCE_MODULE_LOADED || id == SANITIZER_CBID_RESOURCE_FUNCTIONS_LAZY_LOADED;
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
        fx_loaded_add(data);
    } else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
        fx_loaded_remove(((const Sanitizer_ResourceModuleData *)data)->module);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED) {
        fx_context_create(data);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        fx_context_forget(((const Sanitizer_ResourceContextData *)data)->context);
    }
}

/* This thread has waited for a stream, or for a context: what others have launched since it began to may still run. */
static void on_synchronized(Sanitizer_CallbackId id, const Sanitizer_SynchronizeData *data) {
    for (fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        if (l->context == data->context) {
            fx_module_rests(l->module, id == SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED ? &data->stream : NULL,
                            fx_here.before);
        }
    }
}

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
        if (fx_recorder.on && (asked || fx_here.timed->time_ns < 0 || write_launch(fx_here.timed, NULL, 0, &err))) {
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

/* One that began and will not end. */
static void drop_launch(CUgraphExec graph) {
    for (fx_context *c = fx_recorder.contexts; c; c = c->next) {
        if (is_mine(c, graph)) {
            fx_context_end_launch(c);
        }
    }
}

static void on_driver(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data) {
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
            drop_launch(kind == GRAPH ? *(const CUgraphExec *)data->functionParams : NULL);
        }
        if (kind <= COOPERATIVE) {
            after_launch(result, data->symbolName);
        }
        fx_launch_leave();
    }
}

static void on_callback(void *nothing, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data) {
    (void)nothing;
    if (fx_here.inside || getpid() != fx_recorder.process) {
        return;
    }
    int cancel = 0;
    fx_here.inside = true;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* not while the lock is held */
    fx_recorder_lock();
    if (fx_recorder.on) {
        switch (domain) {
        case SANITIZER_CB_DOMAIN_RESOURCE:
            on_resource(id, data);
            break;
        case SANITIZER_CB_DOMAIN_LAUNCH:
            on_launch(id, data);
            break;
        case SANITIZER_CB_DOMAIN_SYNCHRONIZE:
            on_synchronized(id, data);
            break;
        case SANITIZER_CB_DOMAIN_GRAPHS:
            on_graph(id, data);
            break;
        case SANITIZER_CB_DOMAIN_DRIVER_API:
            on_driver(id, data);
            break;
        default:
            break;
        }
    }
    fx_recorder_sweep();
    fx_recorder_unlock();
    (void)pthread_setcancelstate(cancel, NULL);
    fx_here.inside = false;
}

/* `status`: the program's, -1 where it is not known. */
static void finish(int status) {
    fx_error err = {0};
    struct timespec now;
    if (getpid() != fx_recorder.process) {
        return;
    }
    fx_recorder_lock();
    if (fx_recorder.on) {
        fx_recorder.on = false;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        const double seconds = (double)(now.tv_sec - fx_recorder.started.tv_sec) +
                               1e-9 * (double)(now.tv_nsec - fx_recorder.started.tv_nsec);
        if (fx_output_close(&fx_recorder.out, &fx_recorder.calls, status, fx_recorder.launches, seconds, &err)) {
            (void)fprintf(stderr, "gpufx: %s\n", err.text);
        }
    }
    fx_recorder_unlock();
}

static void at_exit(int status, void *nothing) {
    (void)nothing;
    finish(status & 0xff);
}

static fx_status subscribe(fx_error *err) {
    const fx_api *api = &fx_recorder.api;
    Sanitizer_SubscriberHandle handle;
    FX_TRY(FX_API(api, err, Subscribe, &handle, on_callback, NULL));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_RESOURCE));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_LAUNCH));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_SYNCHRONIZE));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_GRAPHS));
    for (size_t i = 0; i < DRIVER_CALLS; i++) {
        FX_TRY(FX_API(api, err, EnableCallback, 1, handle, SANITIZER_CB_DOMAIN_DRIVER_API, driver_calls[i].id));
    }
    return FX_OK;
}

int InitializeInjection(void);

/* The driver calls it as the program initialises CUDA. What fails is written to the trace, so that the program's own
 * output stays as it is; only a trace that can't be written is said on stderr. */
__attribute__((visibility("default"))) int InitializeInjection(void) {
    fx_error err = {0}, wrong = {0};
    fx_recorder.process = getpid();
    (void)clock_gettime(CLOCK_MONOTONIC, &fx_recorder.started);
    fx_status status = fx_recorder_read_options(&fx_recorder.options, &wrong);
    const fx_recorder_options *o = &fx_recorder.options;
    if (!o->file || fx_output_open(&fx_recorder.out, o->file, o->cubins, &err)) {
        (void)fprintf(stderr, "gpufx: %s\n", o->file ? err.text : wrong.text);
        return 1;
    }
    fx_recorder.on = true;
    if (on_exit(at_exit, NULL) != 0) {
        status = fx_fail(&wrong, FX_NO_MEMORY, "out of memory");
    }
    if (!status) {
        status = fx_api_open(o->library, &fx_recorder.api, &wrong);
    }
    if (!status) {
        status = subscribe(&wrong);
    }
    if (status) {
        fx_output_note(&fx_recorder.out, "recorder", "nothing is recorded: %s", wrong.text);
        (void)fx_trace_flush(fx_recorder.out.to, &err);
    }
    return 1;
}
