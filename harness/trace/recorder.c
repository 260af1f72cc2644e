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
 * The lock is not held where the API or the driver is called that may wait for a lock of the driver's: a thread inside
 * the driver holds such a one while its callback waits for ours. A change of a module also keeps other threads'
 * launches in its context out.
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

enum {
    MORE_TRIES = 8,  /* to record launches while others of their module run */
    MOST_WAIT_S = 1, /* for other threads' launches; one may wait for a launch that waits for us */
};

typedef struct context {
    struct context *next;
    CUcontext handle;
    uint64_t number;                     /* no other's, which its handle may be once it is gone */
    bool gone, unusable, busy, changing; /* busy: `launch` is between its beginning and its end; changing: modules */
    size_t users, launching;             /* threads that keep a pointer; of those, that launch in it now */
    uint64_t quiet;                      /* the last launch when none did */
    fx_buffer buffer;
    pthread_t owner; /* that began it */
    CUgraphExec graph;
    fx_output_launch launch;
} context;

typedef struct loaded {
    struct loaded *next;
    CUcontext context;
    fx_module *module;
    bool gone, changing;
} loaded;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved; /* a context's `launching` or `changing` */
    bool on, graphs;      /* graphs: there has been one */
    pid_t process;
    struct timespec started;
    fx_api api;
    fx_recorder_options options;
    fx_output out;
    fx_calls calls, asked; /* as launches begin, and as the driver is asked for them */
    context *contexts;
    loaded *modules;
    uint64_t launches, contexts_seen;
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

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
    context *launching;       /* in which it launches; NULL: none */
    fx_shape shape;
    fx_timer timer;
    fx_output_launch *timed;
} here;

extern const char fx_patch[]; /* of recorder_image.c */

static void lock(void) {
    (void)pthread_mutex_lock(&recorder.lock);
}

static void unlock(void) {
    (void)pthread_mutex_unlock(&recorder.lock);
}

static context *context_of(CUcontext handle) {
    for (context *c = recorder.contexts; c; c = c->next) {
        if (c->handle == handle && !c->gone) {
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
    fx_buffer buffer = c->buffer;
    c->unusable = true;
    c->buffer = (fx_buffer){0};
    unlock();
    fx_buffer_close(&recorder.api, c->handle, &buffer);
    lock();
}

static void forget_context(CUcontext handle) {
    context *c = context_of(handle);
    if (c) {
        c->gone = true;
    }
}

static fx_module *module_of(CUmodule handle) {
    for (loaded *l = recorder.modules; l; l = l->next) {
        if (fx_module_handle(l->module) == handle && !l->gone) {
            return l->module;
        }
    }
    return NULL;
}

/* Frees what is gone and that no thread uses. */
static void sweep(void) {
    for (context **at = &recorder.contexts; *at;) {
        context *c = *at;
        if (c->gone && !c->users) {
            *at = c->next;
            end_busy(c);
            free(c);
        } else {
            at = &c->next;
        }
    }
    for (loaded **at = &recorder.modules; *at;) {
        loaded *l = *at;
        if (l->gone && !l->changing) {
            *at = l->next;
            fx_module_free(l->module);
            free(l);
        } else {
            at = &l->next;
        }
    }
}

static uint64_t number_of(CUmodule handle) {
    const fx_module *module = module_of(handle);
    return module ? fx_module_number(module) : 0;
}

static bool may_patch(const fx_module *module) {
    return !recorder.options.time && fx_module_has(module, &recorder.options);
}

/* Whether launches of the module are recorded. */
static bool in_use(const fx_module *module) {
    for (const context *c = recorder.contexts; c; c = c->next) {
        if (c->busy && c->launch.module_number == fx_module_number(module)) {
            return true;
        }
    }
    return false;
}

/* Nothing changes where launches of the module may still run. */
static void change_module(loaded *l, bool patched) {
    fx_error err = {0};
    if (fx_module_patched(l->module) == patched || l->changing || l->gone || fx_module_runs_now(l->module) ||
        (patched ? !may_patch(l->module) : in_use(l->module))) {
        return;
    }
    const CUmodule handle = fx_module_handle(l->module);
    l->changing = true;
    unlock();
    const fx_status status = fx_module_patch(&recorder.api, handle, patched, &err);
    lock();
    l->changing = false;
    if (status == FX_OK) {
        fx_module_set_patched(l->module, patched);
    } else if (!l->gone) {
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

/* Keeps other threads' launches out of the context; false: they were not done in time. */
static bool begin_change(context *c) {
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MOST_WAIT_S;
    while (c->changing) {
        (void)pthread_cond_wait(&recorder.moved, &recorder.lock);
    }
    c->changing = true;
    bool late = false;
    while (c->launching && !late) {
        late = pthread_cond_clockwait(&recorder.moved, &recorder.lock, CLOCK_MONOTONIC, &until) != 0;
    }
    return !late;
}

static void end_change(context *c) {
    c->changing = false;
    (void)pthread_cond_broadcast(&recorder.moved);
}

/* No kernel of it can be launched before this is done. */
static void load_module(const Sanitizer_ResourceModuleData *data) {
    fx_error err = {0};
    loaded *fresh = calloc(1, sizeof *fresh);
    fx_status status =
        fresh ? fx_module_load(data, &fresh->module, &err) : fx_fail(&err, FX_NO_MEMORY, "out of memory");
    const bool patched = !status && may_patch(fresh->module);
    if (patched) {
        unlock();
        status = fx_module_patch(&recorder.api, data->module, true, &err);
        lock();
    }
    if (status) {
        fx_output_note(&recorder.out, "patch", "kernels of a module could not be patched, and are not recorded (%s)",
                       err.text);
        fx_module_free(fresh ? fresh->module : NULL);
        free(fresh);
        return;
    }
    fx_module_set_patched(fresh->module, patched);
    fresh->next = recorder.modules;
    fresh->context = data->context;
    recorder.modules = fresh;
}

static void unload_module(CUmodule handle) {
    for (loaded *l = recorder.modules; l; l = l->next) {
        l->gone |= fx_module_handle(l->module) == handle;
    }
}

static void create_context(const Sanitizer_ResourceContextData *data) {
    fx_error err = {0};
    fx_output_header(&recorder.out, &data->device);
    if (recorder.options.time) {
        return;
    }
    unlock();
    const fx_status status = FX_API(&recorder.api, &err, AddPatches, fx_patch, data->context);
    lock();
    if (status) {
        fx_output_note(&recorder.out, "patch", "kernels of a context are not recorded (%s)", err.text);
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

/* Counts a launch. True: the context is now this launch's, and *track, which is 0 before, has its sample. */
static bool begin(const Sanitizer_LaunchData *l, CUgraphExec graph, fx_track *track) {
    const fx_shape shape = {{l->gridDim_x, l->gridDim_y, l->gridDim_z}, {l->blockDim_x, l->blockDim_y, l->blockDim_z}};
    const fx_recorder_options *o = &recorder.options;
    recorder.launches++;
    context *c = context_of(l->context);
    fx_call *call = fx_calls_find(&recorder.calls, (const void *)l->function, number_of(l->module), &shape);
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
            fx_output_note(&recorder.out, "nccl", "kernels of NCCL are not recorded, since they wait for other GPUs");
        }
    }
    if (!call->wanted || call->recorded >= o->launches || c->unusable || !module_of(l->module)) {
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
        fx_output_note(&recorder.out, "grid", "a grid of more than 4 294 967 295 blocks is not recorded");
        return false;
    }
    track->in_graph = graph != NULL;
    memcpy(track->grid, shape.grid, sizeof track->grid);
    memcpy(track->block, shape.block, sizeof track->block);
    const uint32_t recorded =
        fx_sample_blocks(l->gridDim_x * l->gridDim_y * l->gridDim_z, recorder.options.blocks, track);
    if (!fx_module_patched(module_of(l->module))) {
        fx_output_note(&recorder.out, "streams",
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

static bool is_mine(const context *c, CUgraphExec graph) {
    return c && c->busy && c->graph == graph && pthread_equal(c->owner, pthread_self());
}

/* What the driver is asked for, as fx_calls of a function and a shape, and of a function alone, whose `kernel` is the
 * number of its module. In place of the module stands the context: a handle may be that of a kernel of a library, which
 * is the same in all contexts. */
static const fx_shape any_shape;

static void learn(const context *c, uint64_t module, bool recorded) {
    fx_call *asked = fx_calls_find(&recorder.asked, here.function, c->number, &here.shape);
    if (asked) {
        asked->recorded += recorded;
    }
    if ((asked = fx_calls_find(&recorder.asked, here.function, c->number, &any_shape))) {
        asked->named = true;
        asked->kernel = (uint32_t)module;
    }
}

/* The lock is not held. */
static fx_status open_buffer(context *c, fx_track track, Sanitizer_StreamHandle stream, fx_error *err) {
    if (!c->buffer.track) {
        FX_TRY(fx_buffer_open(&recorder.api, c->handle, recorder.options.memory_bytes, &c->buffer, err));
    }
    return fx_buffer_begin(&recorder.api, &c->buffer, track, stream, err);
}

static void begin_launch(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream, CUgraphExec graph) {
    fx_error err = {0};
    fx_track track = {0};
    const bool fresh = begin(l, graph, &track);
    fx_module *module = module_of(l->module);
    context *c = context_of(l->context);
    const bool recorded = graph ? is_mine(c, graph) : is_mine(c, NULL) && c->launch.data.hLaunch == l->hLaunch;
    if (recorder.options.time || !c) {
        return;
    }
    if (here.function && module) {
        learn(c, fx_module_number(module), recorded);
    }
    if (!recorded && module) {
        fx_module_runs(module, l->stream, recorder.launches);
        if (!fx_module_patched(module)) {
            return;
        }
    }
    c->users++;
    unlock();
    const fx_status opened = fresh ? open_buffer(c, track, stream, &err) : FX_OK;
    const fx_status given = FX_API(&recorder.api, opened ? &(fx_error){0} : &err, SetLaunchCallbackData, l->hLaunch,
                                   l->function, stream, recorded && !opened ? c->buffer.track : NULL);
    lock();
    if (recorded && (opened || given)) {
        fx_output_note(&recorder.out, "device", "launches could not be recorded (%s)", err.text);
        end_busy(c);
    }
    if (opened) {
        give_up(c);
    }
    c->users--;
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

/* While the stream is waited for, the program may end, which closes the trace, and the context may go. */
static void end_launch(context *c, Sanitizer_StreamHandle stream) {
    fx_error err = {0};
    uint64_t *words = NULL, count = 0, dropped = 0;
    c->users++;
    unlock();
    fx_status status = fx_buffer_read(&recorder.api, &c->buffer, stream, &words, &count, &dropped, &err);
    lock();
    if (recorder.on && !c->gone) {
        c->launch.dropped = dropped;
        if (status == FX_OK) {
            status = write_launch(&c->launch, words, count, &err);
        }
        if (status) {
            fx_output_note(&recorder.out, "failed",
                           "a launch of %.200s failed or could not be read, and nothing of it is kept (%s)",
                           c->launch.name, err.text);
            (void)fx_trace_flush(recorder.out.to, &err);
        }
        end_busy(c);
        if (status == FX_DEVICE) {
            give_up(c);
        }
    }
    free(words);
    c->users--;
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
        for (context *c = recorder.contexts; c; c = c->next) { /* of several where it runs on several devices */
            if (!c->gone && is_mine(c, graph->graphExec)) {
                end_launch(c, graph->hStream);
            }
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
        create_context(data);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        forget_context(((const Sanitizer_ResourceContextData *)data)->context);
    }
}

/* This thread has waited for a stream, or for a context: what others have launched since may still run. */
static void on_synchronized(Sanitizer_CallbackId id, const Sanitizer_SynchronizeData *data) {
    for (loaded *l = recorder.modules; l; l = l->next) {
        if (l->context == data->context) {
            fx_module_rests(l->module, id == SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED ? &data->stream : NULL, 0);
        }
    }
}

static void end_timed(bool launched) {
    fx_error err = {0};
    if (!here.timed || !launched) {
        unlock();
        fx_timer_drop(&recorder.api, &here.timer);
        lock();
    } else {
        unlock();
        here.timed->time_ns = fx_timer_stop(&recorder.api, &here.timer);
        lock();
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

/* Waits for the launches of a stream. */
static void wait_for(const context *c, CUstream stream) {
    fx_timer timer;
    const uint64_t last = c->launching ? c->quiet : recorder.launches; /* others may not be in the stream yet */
    unlock();
    fx_timer_start(&recorder.api, stream, &timer);
    const bool waited = timer.on && fx_timer_stop(&recorder.api, &timer) >= 0;
    lock();
    for (loaded *l = recorder.modules; l && waited; l = l->next) {
        if (l->context == c->handle) {
            fx_module_rests(l->module, &stream, last);
        }
    }
}

/* Modules that may have the function that the driver is asked for, and are not as they should be. An earlier launch has
 * said which that is; else it is any that has a function of this name. */
typedef struct wrong_modules {
    CUcontext context;
    const char *name;
    bool known, wanted, patient; /* patient: it is worth while to wait for launches of theirs */
    uint32_t number;
} wrong_modules;

static bool is_wrong(const loaded *l, const wrong_modules *w) {
    const fx_module *m = l->module;
    return !l->gone && l->context == w->context && fx_module_patched(m) != w->wanted && (w->wanted || !in_use(m)) &&
           (w->patient || !fx_module_runs_now(m)) &&
           (w->known ? fx_module_number(l->module) == w->number : fx_module_names(l->module, w->name));
}

static void change_modules(context *c, const wrong_modules *w, CUstream stream) {
    if (w->patient) {
        wait_for(c, stream);
        if (stream) { /* the stream that is always there; others may have been destroyed */
            wait_for(c, NULL);
        }
    }
    if (begin_change(c)) {
        for (loaded *l = recorder.modules; l; l = l->next) {
            if (is_wrong(l, w)) {
                change_module(l, w->wanted);
            }
        }
    }
    end_change(c);
}

/* Before a launch: its module is patched if it may be recorded, and else is not. */
static void prepare(context *c, const Sanitizer_CallbackData *data, CUstream stream) {
    const fx_recorder_options *o = &recorder.options;
    fx_call *asked = fx_calls_find(&recorder.asked, here.function, c->number, &here.shape);
    if (!asked || recorder.graphs || !data->symbolName) {
        return;
    }
    if (asked->launches++ == 0) {
        asked->wanted = fx_recorder_wants(o, data->symbolName);
    }
    const bool patient = asked->launches <= o->launches + MORE_TRIES;
    const bool wanted = asked->wanted && asked->recorded < o->launches && patient;
    const fx_call *function = fx_calls_find(&recorder.asked, here.function, c->number, &any_shape);
    const bool known = function && function->named;
    const wrong_modules w = {data->context, data->symbolName, known, wanted, patient, known ? function->kernel : 0};
    for (const loaded *l = recorder.modules; l; l = l->next) {
        if (is_wrong(l, &w)) {
            change_modules(c, &w, stream);
            return;
        }
    }
}

/* This thread's launch begins in the context, once no other changes its modules. */
static void enter(context *c, const Sanitizer_CallbackData *data, CUstream stream) {
    unlock();
    const bool captured = fx_timer_captured(&recorder.api, stream);
    lock();
    c->users++;
    if (!captured) {
        prepare(c, data, stream);
    }
    while (c->changing) {
        (void)pthread_cond_wait(&recorder.moved, &recorder.lock);
    }
    c->launching++;
    here.launching = c;
}

static void leave(void) {
    context *c = here.launching;
    if (c) {
        c->users--;
        if (--c->launching == 0) {
            c->quiet = recorder.launches;
        }
        here.launching = NULL;
        (void)pthread_cond_broadcast(&recorder.moved);
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
        context *c = context_of(call->context);
        if (recorder.options.time) {
            unlock();
            fx_timer_start(&recorder.api, stream, &here.timer);
            lock();
        } else if (c) {
            enter(c, call, stream);
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
    leave();
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
    lock();
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
    sweep();
    unlock();
    here.inside = false;
}

/* `status`: the program's, -1 where it is not known. */
static void finish(int status) {
    fx_error err = {0};
    struct timespec now;
    if (getpid() != recorder.process) {
        return;
    }
    lock();
    if (recorder.on) {
        recorder.on = false;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        const double seconds =
            (double)(now.tv_sec - recorder.started.tv_sec) + 1e-9 * (double)(now.tv_nsec - recorder.started.tv_nsec);
        if (fx_output_close(&recorder.out, &recorder.calls, status, recorder.launches, seconds, &err)) {
            (void)fprintf(stderr, "gpufx: %s\n", err.text);
        }
    }
    unlock();
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
