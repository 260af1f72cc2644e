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
 * The file is flushed after each launch; if the program dies, what is flushed stays, without an end frame. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "recorder_buffer.h"
#include "recorder_options.h"
#include "recorder_output.h"
#include "recorder_sample.h"
#include "recorder_timer.h"

enum { MORE_TRIES = 8 }; /* to record launches while others of their module run */

typedef struct context {
    struct context *next;
    CUcontext handle;
    uint64_t number;              /* no other's, which its handle may be once it is gone */
    bool patches, unusable, busy; /* busy: `launch` is between its beginning and its end */
    fx_buffer buffer;
    pthread_t owner; /* that began it */
    CUgraphExec graph;
    fx_output_launch launch;
} context;

typedef struct loaded {
    struct loaded *next;
    CUcontext context;
    fx_module *module;
} loaded;

static struct {
    pthread_mutex_t lock;
    bool on, graphs; /* graphs: there has been one */
    pid_t process;
    struct timespec started;
    fx_api api;
    fx_recorder_options options;
    fx_output out;
    fx_calls calls, asked; /* as launches begin, and as the driver is asked for them */
    context *contexts;
    loaded *modules;
    uint64_t launches, contexts_seen;
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* Of the call of the driver that this thread makes. */
static _Thread_local struct {
    unsigned dynamic_bytes;
    bool cooperative, loaded; /* loaded: code, since the call began, which is no part of the kernel's time */
    bool inside;              /* the recorder itself calls the API */
    const void *function;     /* of the call; NULL: this thread makes none */
    fx_shape shape;
    fx_timer timer;
    fx_output_launch *timed;
} here;

extern const char fx_patch[]; /* of recorder_image.c */

static context *context_of(CUcontext handle) {
    for (context *c = recorder.contexts; c; c = c->next) {
        if (c->handle == handle) {
            return c;
        }
    }
    context *c = calloc(1, sizeof *c);
    if (c) {
        *c = (context){.next = recorder.contexts, .handle = handle, .number = ++recorder.contexts_seen};
        recorder.contexts = c;
    }
    return c;
}

static void end_busy(context *c) {
    free((void *)c->launch.name);
    c->launch = (fx_output_launch){.name = NULL};
    c->busy = false;
    c->graph = NULL;
}

/* After a failure of the device, or of its memory. */
static void give_up(context *c) {
    fx_buffer_close(&recorder.api, c->handle, &c->buffer);
    c->unusable = true;
}

static void forget_context(CUcontext handle) {
    for (context **at = &recorder.contexts; *at; at = &(*at)->next) {
        context *gone = *at;
        if (gone->handle == handle) {
            *at = gone->next;
            end_busy(gone);
            free(gone);
            return;
        }
    }
}

static fx_module *module_of(CUmodule handle) {
    for (loaded *l = recorder.modules; l; l = l->next) {
        if (fx_module_handle(l->module) == handle) {
            return l->module;
        }
    }
    return NULL;
}

static uint64_t number_of(CUmodule handle) {
    const fx_module *module = module_of(handle);
    return module ? fx_module_number(module) : 0;
}

/* A module of this context, if one of its kernels is asked for. */
static fx_status patch_module(context *c, fx_module *module, fx_error *err) {
    if (recorder.options.time || !fx_module_has(module, &recorder.options)) {
        return FX_OK;
    }
    if (!c->patches) {
        FX_TRY(FX_API(&recorder.api, err, AddPatches, fx_patch, c->handle));
        c->patches = true;
    }
    return fx_module_patch(&recorder.api, module, true, err);
}

static void change_module(loaded *l, bool patched) {
    fx_error err = {0};
    context *c = context_of(l->context);
    for (const context *one = recorder.contexts; one && !patched; one = one->next) {
        if (one->busy && one->launch.module_number == fx_module_number(l->module)) {
            return;
        }
    }
    if (c && (patched ? patch_module(c, l->module, &err) : fx_module_patch(&recorder.api, l->module, false, &err))) {
        fx_output_note(&recorder.out, "patch", "a module could not be %s (%s)",
                       patched ? "patched, and its kernels are not recorded" : "unpatched, and its kernels are slow",
                       err.text);
    }
}

static void patch_all(void) {
    for (loaded *l = recorder.modules; l && !recorder.graphs; l = l->next) {
        change_module(l, true);
    }
    recorder.graphs = true;
}

static void load_module(const Sanitizer_ResourceModuleData *data) {
    fx_error err = {0};
    context *c = context_of(data->context);
    loaded *fresh = calloc(1, sizeof *fresh);
    if (!c || !fresh || fx_module_load(data, &fresh->module, &err) || patch_module(c, fresh->module, &err)) {
        fx_output_note(&recorder.out, "patch", "kernels of a module could not be patched, and are not recorded (%s)",
                       *err.text ? err.text : "out of memory");
        fx_module_free(fresh ? fresh->module : NULL);
        free(fresh);
        return;
    }
    fresh->next = recorder.modules;
    fresh->context = data->context;
    recorder.modules = fresh;
}

static void unload_module(CUmodule handle) {
    for (loaded **at = &recorder.modules; *at; at = &(*at)->next) {
        loaded *gone = *at;
        if (fx_module_handle(gone->module) == handle) {
            *at = gone->next;
            fx_module_free(gone->module);
            free(gone);
            return;
        }
    }
}

static void fill(fx_output_launch *out, const Sanitizer_LaunchData *l, const fx_call *call, bool graph) {
    *out = (fx_output_launch){
        .data = *l,
        .name = strdup(l->functionName),
        .shape = call->shape,
        .total_blocks = (uint64_t)l->gridDim_x * l->gridDim_y * l->gridDim_z,
        .dynamic_bytes = graph ? 0 : here.dynamic_bytes,
        .cooperative = !graph && here.cooperative,
        .graph = graph,
        .time_ns = -1,
        .module_number = number_of(l->module),
    };
}

/* A launch whose time is taken from the beginning of the driver's call to its end. */
static void begin_timed(const Sanitizer_LaunchData *l, fx_call *call, bool graph) {
    if (graph) {
        fx_output_note(&recorder.out, "graph", "kernels of graphs are not timed");
        return;
    }
    here.timed = here.timer.on && !here.timed && !here.loaded ? calloc(1, sizeof *here.timed) : NULL;
    if (here.timed) {
        fill(here.timed, l, call, false);
        call->recorded++;
    } else if (here.loaded) {
        fx_output_note(&recorder.out, "loading", "launches while code was loaded were not timed, but later ones were");
    }
}

/* Whether the context's buffer is another launch's. A kernel of the graph whose kernel is recorded is no further one.
 */
static bool is_taken(context *c, const Sanitizer_LaunchData *l, CUgraphExec graph, const fx_call *call) {
    if (!c->busy) {
        return false;
    }
    if (!graph || c->graph != graph) {
        fx_output_note(&recorder.out, "busy",
                       "launches that began while another one was recorded were only counted: "
                       "repeat them, or record one kernel");
    } else if (l->function != c->launch.data.function || memcmp(&call->shape, &c->launch.shape, sizeof call->shape)) {
        fx_output_note(&recorder.out, "graph",
                       "of each launch of a graph, one of its kernels is recorded, without the "
                       "functions that it calls: launch it again for the others");
    }
    return true;
}

/* Once more the kernel that is recorded, in the same graph. */
static bool is_again(const context *c, const Sanitizer_LaunchData *l, CUgraphExec graph, const fx_shape *shape) {
    return graph && c->busy && c->graph == graph && l->function == c->launch.data.function &&
           memcmp(shape, &c->launch.shape, sizeof *shape) == 0;
}

/* Counts a launch; records it if it is wanted. */
static void begin(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream, CUgraphExec graph) {
    const fx_shape shape = {{l->gridDim_x, l->gridDim_y, l->gridDim_z}, {l->blockDim_x, l->blockDim_y, l->blockDim_z}};
    const fx_recorder_options *o = &recorder.options;
    fx_track track = {.in_graph = graph != NULL};
    fx_error err = {0};
    recorder.launches++;
    context *c = context_of(l->context);
    fx_call *call = fx_calls_find(&recorder.calls, (const void *)l->function, number_of(l->module), &shape);
    if (!c || !call || !l->functionName) {
        return;
    }
    if (is_again(c, l, graph, &shape)) {
        c->launch.total_blocks += c->launch.total_blocks / c->launch.copies;
        c->launch.recorded_blocks += c->launch.recorded_blocks / c->launch.copies;
        c->launch.copies++;
        return;
    }
    if (call->launches++ == 0) {
        call->wanted = fx_recorder_wants(o, l->functionName);
    }
    if (!call->wanted || call->recorded >= o->launches || c->unusable || !module_of(l->module)) {
        return;
    }
    if (o->time) {
        begin_timed(l, call, graph != NULL);
        return;
    }
    if (is_taken(c, l, graph, call)) {
        return;
    }
    if ((uint64_t)l->gridDim_x * l->gridDim_y * l->gridDim_z > UINT32_MAX) {
        fx_output_note(&recorder.out, "grid", "a grid of more than 4 294 967 295 blocks is not recorded");
        return;
    }
    memcpy(track.grid, shape.grid, sizeof track.grid);
    memcpy(track.block, shape.block, sizeof track.block);
    const uint32_t recorded =
        fx_sample_blocks(l->gridDim_x * l->gridDim_y * l->gridDim_z, recorder.options.blocks, &track);
    if (!fx_module_patched(module_of(l->module))) {
        fx_output_note(&recorder.out, "streams",
                       "launches were only counted where others of their module ran on other streams, or where a graph "
                       "was made meanwhile");
        return;
    }
    if ((!c->buffer.track && fx_buffer_open(&recorder.api, l->context, o->memory_bytes, &c->buffer, &err)) ||
        fx_buffer_begin(&recorder.api, &c->buffer, track, stream, &err)) {
        fx_output_note(&recorder.out, "device", "launches could not be recorded (%s)", err.text);
        give_up(c);
        return;
    }
    fill(&c->launch, l, call, graph != NULL);
    c->launch.recorded_blocks = recorded;
    c->launch.copies = 1;
    call->recorded++;
    c->busy = true;
    c->graph = graph;
    c->owner = pthread_self();
}

static bool is_mine(const context *c, CUgraphExec graph) {
    return c && c->busy && c->graph == graph && pthread_equal(c->owner, pthread_self());
}

/* What the driver is asked for, as fx_calls of a function and a shape, and of a function alone, whose `kernel` is the
 * number of its module. */
static const fx_shape any_shape;

static void learn(uint64_t module, bool recorded) {
    fx_call *asked = fx_calls_find(&recorder.asked, here.function, 0, &here.shape);
    if (asked) {
        asked->recorded += recorded;
    }
    if ((asked = fx_calls_find(&recorder.asked, here.function, 0, &any_shape))) {
        asked->named = true;
        asked->kernel = (uint32_t)module;
    }
}

static void begin_launch(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream, CUgraphExec graph) {
    fx_error err = {0};
    fx_module *module = module_of(l->module);
    begin(l, stream, graph);
    context *c = context_of(l->context);
    const bool recorded = graph ? is_mine(c, graph) : is_mine(c, NULL) && c->launch.data.hLaunch == l->hLaunch;
    if (recorder.options.time || (!recorded && !c)) {
        return;
    }
    if (here.function && module) {
        learn(fx_module_number(module), recorded);
    }
    if (!recorded && module) {
        fx_module_runs(module, l->stream);
        if (!fx_module_patched(module)) {
            return;
        }
    }
    if (FX_API(&recorder.api, &err, SetLaunchCallbackData, l->hLaunch, l->function, stream,
               recorded ? c->buffer.track : NULL) &&
        recorded) {
        fx_output_note(&recorder.out, "device", "launches could not be recorded (%s)", err.text);
        end_busy(c);
    }
}

static fx_status write_launch(const fx_output_launch *launch, const uint64_t *words, uint64_t count, fx_error *err) {
    uint32_t kernel = 0;
    fx_module *module = module_of(launch->data.module);
    if (!launch->name) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory");
    }
    if (!module || fx_module_number(module) != launch->module_number) {
        return fx_fail(err, FX_BAD_INPUT, "its module was unloaded meanwhile");
    }
    FX_TRY(fx_output_add(&recorder.out, launch, module, words, count, &kernel, err));
    fx_call *call =
        fx_calls_find(&recorder.calls, (const void *)launch->data.function, launch->module_number, &launch->shape);
    if (call) {
        call->named = true;
        call->kernel = kernel;
    }
    return FX_OK;
}

/* The lock is not held while the stream is waited for: a kernel may wait for another thread. Meanwhile the program may
 * end, which closes the trace, and the context may go. */
static void end_launch(context *c, Sanitizer_StreamHandle stream) {
    fx_error err = {0};
    uint64_t *words = NULL, count = 0, dropped = 0;
    const fx_buffer buffer = c->buffer;
    const uint64_t number = c->number;
    (void)pthread_mutex_unlock(&recorder.lock);
    fx_status status = fx_buffer_read(&recorder.api, &buffer, stream, &words, &count, &dropped, &err);
    (void)pthread_mutex_lock(&recorder.lock);
    for (c = recorder.contexts; c && c->number != number; c = c->next) {
    }
    if (!recorder.on || !c) {
        free(words);
        return;
    }
    c->launch.dropped = dropped;
    if (status == FX_OK) {
        status = write_launch(&c->launch, words, count, &err);
    }
    if (status) {
        if (status == FX_DEVICE) {
            give_up(c);
        }
        fx_output_note(&recorder.out, "failed",
                       "a launch of %.200s failed or could not be read, and nothing of it is kept (%s)", c->launch.name,
                       err.text);
        (void)fx_trace_flush(recorder.out.to, &err);
    }
    free(words);
    end_busy(c);
}

static void on_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *l) {
    if (id == SANITIZER_CBID_LAUNCH_BEGIN) {
        begin_launch(l, l->hStream, NULL);
    } else if (id == SANITIZER_CBID_LAUNCH_END) {
        context *c = context_of(l->context);
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
        for (context *c = recorder.contexts; c;) { /* of several where the graph runs on several devices */
            const bool mine = is_mine(c, graph->graphExec);
            if (mine) {
                end_launch(c, graph->hStream);
            }
            c = mine ? recorder.contexts : c->next;
        }
    } else if (id == SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATING) {
        patch_all();
    } else if (id == SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATED) {
        const Sanitizer_GraphExecData *graph = data;
        if (graph->isDeviceLaunch || graph->containsDeviceGraphLaunches) {
            fx_output_note(&recorder.out, "device_graph", "graphs that the device launches are not recorded");
        }
    }
}

static void on_resource(Sanitizer_CallbackId id, const void *data) {
    here.loaded |= id == SANITIZER_CBID_RESOURCE_MODULE_LOADED || id == SANITIZER_CBID_RESOURCE_FUNCTIONS_LAZY_LOADED;
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
        load_module(data);
    } else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
        unload_module(((const Sanitizer_ResourceModuleData *)data)->module);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED) {
        fx_output_header(&recorder.out, &((const Sanitizer_ResourceContextData *)data)->device);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        forget_context(((const Sanitizer_ResourceContextData *)data)->context);
    }
}

/* The program has waited for a stream, or for a context. */
static void on_synchronized(Sanitizer_CallbackId id, const Sanitizer_SynchronizeData *data) {
    for (loaded *l = recorder.modules; l; l = l->next) {
        if (l->context == data->context) {
            fx_module_rests(l->module, id == SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED ? &data->stream : NULL);
        }
    }
}

static void end_timed(bool launched) {
    fx_error err = {0};
    if (!here.timed || !launched) {
        fx_timer_drop(&recorder.api, &here.timer);
    } else {
        (void)pthread_mutex_unlock(&recorder.lock);
        here.timed->time_ns = fx_timer_stop(&recorder.api, &here.timer);
        (void)pthread_mutex_lock(&recorder.lock);
        if (recorder.on && (here.timed->time_ns < 0 || write_launch(here.timed, NULL, 0, &err))) {
            fx_output_note(&recorder.out, "failed", "a launch failed, and has no time");
        }
    }
    if (here.timed) {
        free((void *)here.timed->name);
        free(here.timed);
        here.timed = NULL;
    }
}

/* Waits for the launches of a stream. The lock is not held meanwhile. */
static void wait_for(CUcontext handle, CUstream stream) {
    fx_timer timer;
    (void)pthread_mutex_unlock(&recorder.lock);
    fx_timer_start(&recorder.api, stream, &timer);
    const bool waited = timer.on && fx_timer_stop(&recorder.api, &timer) >= 0;
    (void)pthread_mutex_lock(&recorder.lock);
    for (loaded *l = recorder.modules; l && waited; l = l->next) {
        if (l->context == handle) {
            fx_module_rests(l->module, &stream);
        }
    }
}

/* Before a launch: its module is patched if it may be recorded, and else is not. An earlier launch has said which that
 * is; else it is any that has a function of this name. */
static void prepare(const Sanitizer_CallbackData *data, CUstream stream) {
    const fx_recorder_options *o = &recorder.options;
    fx_call *asked = fx_calls_find(&recorder.asked, here.function, 0, &here.shape);
    if (!asked || recorder.graphs || !data->symbolName || fx_timer_captured(&recorder.api, stream)) {
        return;
    }
    if (asked->launches++ == 0) {
        asked->wanted = fx_recorder_wants(o, data->symbolName);
    }
    const bool wanted = asked->wanted && asked->recorded < o->launches && asked->launches <= o->launches + MORE_TRIES;
    const fx_call *function = fx_calls_find(&recorder.asked, here.function, 0, &any_shape);
    const bool known = function && function->named;
    const uint32_t number = known ? function->kernel : 0;
    if (wanted) {
        wait_for(data->context, stream);
        if (stream) { /* the stream that is always there; others may have been destroyed */
            wait_for(data->context, NULL);
        }
    }
    for (loaded *l = recorder.modules; l; l = l->next) {
        if (l->context == data->context && fx_module_patched(l->module) != wanted &&
            (known ? fx_module_number(l->module) == number : fx_module_names(l->module, data->symbolName))) {
            change_module(l, wanted);
        }
    }
}

/* Launches as the driver is asked for them: what the launch's own data leaves out. */
static void on_driver(Sanitizer_CallbackId id, const Sanitizer_CallbackData *call) {
    const bool cooperative = id == SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel ||
                             id == SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz;
    const bool of_thread = id == SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz ||
                           id == SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz ||
                           id == SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz;
    if (call->callbackSite == SANITIZER_API_ENTER) {
        CUstream stream = NULL;
        here.cooperative = cooperative;
        if (id == SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx || id == SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz) {
            const launch_ex_arguments *arguments = call->functionParams;
            const CUlaunchConfig *config = arguments->config;
            here.function = (const void *)arguments->function;
            here.shape = (fx_shape){{config->gridDimX, config->gridDimY, config->gridDimZ},
                                    {config->blockDimX, config->blockDimY, config->blockDimZ}};
            here.dynamic_bytes = config->sharedMemBytes;
            stream = config->hStream;
            for (unsigned i = 0; i < config->numAttrs; i++) {
                here.cooperative |=
                    config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative != 0;
            }
        } else {
            const launch_arguments *arguments = call->functionParams;
            here.function = (const void *)arguments->function;
            memcpy(here.shape.grid, arguments->grid, sizeof here.shape.grid);
            memcpy(here.shape.block, arguments->block, sizeof here.shape.block);
            here.dynamic_bytes = arguments->dynamic_bytes;
            stream = arguments->stream;
        }
        here.loaded = false;
        stream = !stream && of_thread ? CU_STREAM_PER_THREAD : stream;
        if (recorder.options.time) {
            fx_timer_start(&recorder.api, stream, &here.timer);
        } else {
            prepare(call, stream);
        }
        return;
    }
    const CUresult result = *(const CUresult *)call->functionReturnValue;
    if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) {
        fx_output_note(&recorder.out, "resources",
                       "the driver refused a launch of %.200s: patched kernels need more registers, so fewer of its "
                       "blocks fit",
                       call->symbolName ? call->symbolName : "a kernel");
    }
    context *c = context_of(call->context);
    if (result != CUDA_SUCCESS && is_mine(c, NULL)) { /* it began and will not end */
        end_busy(c);
    }
    if (recorder.options.time) {
        end_timed(result == CUDA_SUCCESS);
    }
    here.dynamic_bytes = 0;
    here.cooperative = false;
    here.function = NULL;
}

static void on_callback(void *nothing, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data) {
    (void)nothing;
    if (here.inside || getpid() != recorder.process) {
        return;
    }
    here.inside = true;
    (void)pthread_mutex_lock(&recorder.lock);
    if (recorder.on) {
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
    (void)pthread_mutex_unlock(&recorder.lock);
    here.inside = false;
}

/* `status`: the program's, -1 where it is not known. */
static void finish(int status) {
    fx_error err = {0};
    struct timespec now;
    if (getpid() != recorder.process) {
        return;
    }
    (void)pthread_mutex_lock(&recorder.lock);
    if (recorder.on) {
        recorder.on = false;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        const double seconds =
            (double)(now.tv_sec - recorder.started.tv_sec) + 1e-9 * (double)(now.tv_nsec - recorder.started.tv_nsec);
        if (fx_output_close(&recorder.out, &recorder.calls, status, recorder.launches, seconds, &err)) {
            (void)fprintf(stderr, "gpufx: %s\n", err.text);
        }
    }
    (void)pthread_mutex_unlock(&recorder.lock);
}

static void at_exit(int status, void *nothing) {
    (void)nothing;
    finish(status & 0xff);
}

static fx_status subscribe(fx_error *err) {
    static const Sanitizer_CallbackId launches[] = {
        SANITIZER_CBID_DRIVER_API_cuLaunchKernel,
        SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz,
        SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx,
        SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz,
        SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel,
        SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz,
    };
    const fx_api *api = &recorder.api;
    Sanitizer_SubscriberHandle handle;
    FX_TRY(FX_API(api, err, Subscribe, &handle, on_callback, NULL));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_RESOURCE));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_LAUNCH));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_SYNCHRONIZE));
    FX_TRY(FX_API(api, err, EnableDomain, 1, handle, SANITIZER_CB_DOMAIN_GRAPHS));
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        FX_TRY(FX_API(api, err, EnableCallback, 1, handle, SANITIZER_CB_DOMAIN_DRIVER_API, launches[i]));
    }
    return FX_OK;
}

int InitializeInjection(void);

/* The driver calls it as the program initialises CUDA. What fails is written to the trace, so that the program's own
 * output stays as it is; only a trace that can't be written is said on stderr. */
__attribute__((visibility("default"))) int InitializeInjection(void) {
    fx_error err = {0}, wrong = {0};
    recorder.process = getpid();
    (void)clock_gettime(CLOCK_MONOTONIC, &recorder.started);
    fx_status status = fx_recorder_read_options(&recorder.options, &wrong);
    const fx_recorder_options *o = &recorder.options;
    if (!o->file || fx_output_open(&recorder.out, o->file, &recorder.api, o->cubins, &err)) {
        (void)fprintf(stderr, "gpufx: %s\n", o->file ? err.text : wrong.text);
        return 1;
    }
    recorder.on = true;
    if (on_exit(at_exit, NULL) != 0) {
        status = fx_fail(&wrong, FX_NO_MEMORY, "out of memory");
    }
    if (!status) {
        status = fx_api_open(o->library, &recorder.api, &wrong);
    }
    if (!status) {
        status = subscribe(&wrong);
    }
    if (status) {
        fx_output_note(&recorder.out, "recorder", "nothing is recorded: %s", wrong.text);
        (void)fx_trace_flush(recorder.out.to, &err);
    }
    return 1;
}
