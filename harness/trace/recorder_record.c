#include "recorder_record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "recorder_launch.h"
#include "recorder_sample.h"

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

fx_status fx_record_write(const fx_output_launch *launch, const uint64_t *words, uint64_t count, fx_error *err) {
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
            status = fx_record_write(&c->launch, words, count, &err);
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

void fx_record_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *l) {
    if (id == SANITIZER_CBID_LAUNCH_BEGIN) {
        begin_launch(l, l->hStream, NULL);
    } else if (id == SANITIZER_CBID_LAUNCH_END) {
        fx_context *c = fx_context_of(l->context);
        if (is_mine(c, NULL) && c->launch.data.hLaunch == l->hLaunch) {
            end_launch(c, l->hStream);
        }
    }
}

void fx_record_graph(Sanitizer_CallbackId id, const void *data) {
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

void fx_record_drop(CUgraphExec graph) {
    for (fx_context *c = fx_recorder.contexts; c; c = c->next) {
        if (is_mine(c, graph)) {
            fx_context_end_launch(c);
        }
    }
}
