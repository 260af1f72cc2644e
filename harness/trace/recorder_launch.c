#include "recorder_state.h"

#include <unistd.h>

static fx_kernel *kernel_of(uint32_t place) {
    return fx_hash_item(&fx_recorder.kernels, place);
}

static fx_pending *pend(const Sanitizer_LaunchData *l, fx_module *module, uint32_t place, fx_count *count) {
    if (!(fx_here.pending_count & (fx_here.pending_count - 1))) { /* there is room up to the next power of two */
        fx_pending *grown = reallocarray(fx_here.pending, 2 * fx_here.pending_count + 1, sizeof *grown);
        if (!grown) {
            return NULL;
        }
        fx_here.pending = grown;
    }
    fx_kernel *k = kernel_of(place);
    fx_pending *p = &fx_here.pending[fx_here.pending_count++];
    *p = (fx_pending){.data = *l,
                      .module = module,
                      .place = place,
                      .kernel = k->id,
                      .name = k->name,
                      .count = count,
                      .copies = 1,
                      .dynamic_bytes = fx_here.dynamic_bytes,
                      .cooperative = fx_here.cooperative,
                      .describes = !k->described};
    k->described = true;
    return p;
}

/* Adds the kernel to this thread's launch if its code's addresses are known: so its accesses are. */
static bool place_node(fx_node *node, const fx_pending *p) {
    fx_error err = {0};
    if (FX_API(&fx_recorder.api, &err, GetFunctionPcAndSize, p->data.module, p->name, &node->start, &node->bytes)) {
        return false;
    }
    node->functions = fx_module_functions(&fx_recorder.api, p->module);
    fx_launch_add(fx_here.launch, node);
    return true;
}

/* A kernel of this thread's launch, which is recorded. Lets go of the lock. */
static void add_node(fx_pending *p) {
    const Sanitizer_LaunchData *l = &p->data;
    fx_node *node = calloc(1, sizeof *node);
    if (!node) {
        return;
    }
    node->kernel = p->kernel;
    node->launch = p->launch;
    node->shape_hash =
        fx_shape_hash(l->gridDim_x, l->gridDim_y, l->gridDim_z, l->blockDim_x, l->blockDim_y, l->blockDim_z);
    fx_unlock();
    if (place_node(node, p)) {
        p->code_bytes = node->bytes;
    } else {
        p->unplaced = node; /* the API may know it when the launch has been made */
    }
    fx_lock();
}

/* The launch's place in time and its stream, by which it is known what has ended. */
static fx_context *order(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream) {
    fx_context *c = fx_context_of(l->context);
    const uint64_t number = ++fx_recorder.launches;
    if (c) {
        const bool first = c->last <= c->rested;
        c->mixed = !first && (c->mixed || c->stream != stream);
        c->stream = stream;
        c->on_default = !l->stream;
        c->last = number;
    }
    return c;
}

/* Whether the graph that is launched has had this kernel with this shape. */
static bool is_again(const fx_count *count) {
    fx_call *call = fx_hash_item(&fx_recorder.calls, (uint32_t)(count - fx_recorder.counts));
    if (call->graph != fx_here.graph) {
        call->graph = fx_here.graph;
        return false;
    }
    for (size_t i = 0; i < fx_here.pending_count; i++) {
        if (fx_here.pending[i].recorded && fx_here.pending[i].count == count) {
            fx_here.pending[i].copies++;
        }
    }
    return true;
}

static bool may_record(const fx_module *module, const fx_count *count, uint64_t blocks) {
    const fx_recorder_options *o = &fx_recorder.options;
    const bool wanted = count->recorded < o->launches && fx_recorder.launch_ids < FX_TRACE_MOST_IDS,
               fits = blocks <= UINT32_MAX, changed = o->time || module->patched;
    if (wanted && !fits) {
        fx_note("grid", "a grid of more than 4 294 967 295 blocks is not recorded");
    } else if (wanted && !changed) {
        fx_note("streams", "launches were only counted while the code of their module could not be changed, because "
                           "others ran or a graph was made: wait for them first (cudaDeviceSynchronize)");
    }
    return wanted && fits && changed;
}

/* Counts the launch, and adds it to what this thread has to write. */
static void count(const Sanitizer_LaunchData *l, fx_context *c, fx_module *module, bool of_graph) {
    const fx_shape shape = {{l->gridDim_x, l->gridDim_y, l->gridDim_z}, {l->blockDim_x, l->blockDim_y, l->blockDim_z}};
    const fx_recorder_options *o = &fx_recorder.options;
    uint32_t place = 0;
    fx_count *counted = fx_recorder.open ? fx_count_of(module, l->functionName, &shape, &place) : NULL;
    if (!counted || (of_graph && is_again(counted))) {
        return;
    }
    counted->launches++;
    const uint64_t blocks = (uint64_t)l->gridDim_x * l->gridDim_y * l->gridDim_z;
    const bool may = may_record(module, counted, blocks);
    const bool timed = o->time && may && !of_graph && fx_here.timer.on && !fx_here.loaded && !fx_here.pending_count;
    bool recorded = !o->time && may && (!of_graph || fx_here.launch) && fx_context_ring(c);
    if (recorded && !of_graph) {
        fx_here.epoch = fx_drain_epoch(&fx_here.launch);
    }
    recorded = recorded && fx_here.launch;
    fx_pending *p = recorded || timed || !kernel_of(place)->described ? pend(l, module, place, counted) : NULL;
    if (p) {
        p->launch = recorded || timed ? fx_recorder.launch_ids++ : 0;
        p->recorded = recorded;
        p->timed = timed;
        p->of_graph = of_graph;
        p->recorded_blocks = recorded ? fx_sample_count(o->blocks, (uint32_t)blocks) : 0;
        counted->recorded += recorded || timed;
    }
    if (p && recorded) {
        fx_drain_watch(p->name);
        add_node(p);
    }
}

void fx_launch_begin(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream, bool of_graph) {
    fx_error err = {0};
    fx_context *c = order(l, stream);
    fx_module *module = fx_module_of(l->module);
    if (!of_graph) {
        fx_here.launch = NULL;
    }
    if (!c || !module || !module->cubin || !l->functionName) {
        return;
    }
    count(l, c, module, of_graph);
    module->launched = true;
    if (!module->patched) {
        return;
    }
    uint64_t user = 0;
    if (fx_here.launch && fx_context_ring(c)) {
        module->idle = 0;
        user = (uint64_t)(uintptr_t)c->ring | fx_here.epoch | (uint64_t)fx_recorder.options.blocks << 48;
    } else {
        fx_module_idles(c, module);
    }
    fx_unlock();
    const fx_status given = FX_API(&fx_recorder.api, &err, SetLaunchCallbackData, l->hLaunch, l->function, stream,
                                   (const void *)(uintptr_t)user);
    fx_lock();
    if (given && user) {
        fx_note("device", "launches could not be recorded (%s)", err.text);
    }
}

typedef struct graph {
    CUgraphExec handle;
    uint64_t recorded;
} graph;

static graph *graph_of(CUgraphExec handle) {
    const graph one = {handle, 0};
    bool fresh = false;
    const uint32_t id = fx_hash_add(&fx_recorder.graphs, &one, &fresh);
    return id == FX_HASH_FULL ? NULL : fx_hash_item(&fx_recorder.graphs, id);
}

/* All modules of a context are patched before a graph is made of their kernels: it keeps their code. */
static void patch_all(void) {
    fx_recorder.has_graphs = true;
    for (uint32_t i = 0; i < fx_recorder.modules.count && fx_recorder.unpatched; i++) {
        fx_module *module = *(fx_module **)((char *)fx_hash_item(&fx_recorder.modules, i) + sizeof(CUmodule));
        fx_context *c = module && module->cubin ? fx_context_of(module->context) : NULL;
        if (c) {
            fx_change(c, module, true, true);
        }
    }
}

/* A graph's kernels are given one set of user data by the API, whatever is set for each: all of a launch of the graph
 * are recorded, or none. */
void fx_launch_graph(Sanitizer_CallbackId id, const void *data) {
    if (id == SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN) {
        graph *g = graph_of(((const Sanitizer_GraphLaunchData *)data)->graphExec);
        fx_here.launch = NULL;
        fx_here.graph = fx_recorder.launches + 1;
        if (fx_recorder.options.time) {
            fx_note("graph", "kernels of graphs are not timed");
        } else if (g && g->recorded < fx_recorder.options.launches &&
                   !((const Sanitizer_GraphLaunchData *)data)->isGraphUpload) {
            g->recorded++;
            fx_here.epoch = fx_drain_epoch(&fx_here.launch);
        }
    } else if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN) {
        const Sanitizer_GraphNodeLaunchData *node = data;
        if (node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL && !node->isGraphUpload) {
            fx_launch_begin(&node->launchData, node->launchData.hApiStream, true);
        }
    } else if (id == SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATING) {
        patch_all();
    } else if (id == SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATED) {
        const Sanitizer_GraphExecData *made = data;
        graph *g = graph_of(made->graphExec);
        if (g) {
            g->recorded = 0;
        }
        if (made->isDeviceLaunch || made->containsDeviceGraphLaunches) {
            fx_note("device_graph", "graphs that the device launches are not recorded");
        }
    }
}

static void queue_kernel(const fx_pending *p) {
    const Sanitizer_LaunchData *l = &p->data;
    char quoted[8192], module[FX_MODULE_HASH_TEXT], more[FX_KERNEL_TEXT], *text = NULL;
    uint64_t start, bytes = p->code_bytes;
    if (!bytes && fx_recorder.api.GetFunctionPcAndSize(l->module, p->name, &start, &bytes) != SANITIZER_SUCCESS) {
        bytes = 0;
    }
    if (asprintf(&text, "{\"kernel\":{\"id\":%u,\"name\":%s,\"module\":\"%s\",\"code_bytes\":%llu%s}}", p->kernel,
                 fx_trace_quoted(p->name, quoted, sizeof quoted), fx_module_name(p->module, module),
                 (unsigned long long)bytes, fx_kernel_text(&fx_recorder.api, l->function, more)) >= 0) {
        fx_drain_frame_take(text);
    }
}

/* Where managed and host memory lies; "" where there is none. NULL: out of memory. */
static char *managed_text(void) {
    fx_lock();
    char *text = calloc(fx_recorder.managed_count + 1, 64), *to = text; /* a range has 56 characters at most */
    for (size_t i = 0; text && i < fx_recorder.managed_count; i++) {
        const struct fx_managed *one = &fx_recorder.managed[i];
        to += sprintf(to, "%s[%llu,%llu]", i ? "," : ",\"managed\":[", (unsigned long long)one->begin,
                      (unsigned long long)(one->end - one->begin));
    }
    fx_unlock();
    if (to != text) {
        *to = ']';
    }
    return text;
}

static void queue_launch(const fx_pending *p, double time) {
    const Sanitizer_LaunchData *l = &p->data;
    const uint64_t blocks = (uint64_t)l->gridDim_x * l->gridDim_y * l->gridDim_z;
    char time_ns[32] = "null", *managed = managed_text(), *text = NULL;
    if (time >= 0) {
        (void)snprintf(time_ns, sizeof time_ns, "%.0f", time);
    }
    if (managed &&
        asprintf(&text,
                 "{\"launch\":{\"id\":%u,\"kernel\":%u,\"process\":%ld,\"device\":%d,\"stream\":%llu,\"graph\":%s,"
                 "\"cooperative\":%s,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"cluster\":[%u,%u,%u],"
                 "\"blocks\":{\"total\":%llu,\"recorded\":%llu},\"shared_bytes\":%u%s,\"time_ns\":%s}}",
                 p->launch, p->kernel, (long)getpid(), l->device, (unsigned long long)(uintptr_t)l->stream,
                 p->of_graph ? "true" : "false", p->cooperative ? "true" : "false", l->gridDim_x, l->gridDim_y,
                 l->gridDim_z, l->blockDim_x, l->blockDim_y, l->blockDim_z, l->clusterDim_x ? l->clusterDim_x : 1,
                 l->clusterDim_y ? l->clusterDim_y : 1, l->clusterDim_z ? l->clusterDim_z : 1,
                 (unsigned long long)blocks * p->copies, (unsigned long long)p->recorded_blocks * p->copies,
                 p->dynamic_bytes, managed, time_ns) >= 0) {
        fx_drain_frame_take(text);
    }
    free(managed);
}

static void take_back(const fx_pending *p) {
    fx_lock();
    p->count->recorded -= p->recorded || p->timed;
    kernel_of(p->place)->described &= !p->describes;
    fx_unlock();
}

void fx_launch_end(bool made, double time_ns) {
    for (size_t i = 0; i < fx_here.pending_count; i++) {
        const fx_pending *p = &fx_here.pending[i];
        if (made && p->unplaced && !place_node(p->unplaced, p)) {
            fx_note("failed", "the accesses of %.200s could not be recorded: the API does not know its code", p->name);
        }
        if (!made || (p->timed && time_ns < 0)) {
            take_back(p);
            continue;
        }
        if (p->describes) {
            queue_kernel(p);
        }
        if (p->recorded || p->timed) {
            fx_module_write(p->module, fx_recorder.options.cubins);
            queue_launch(p, time_ns);
        }
    }
    if (fx_here.launch) {
        atomic_store(&fx_here.launch->ready, true);
    }
    fx_here.launch = NULL;
    fx_here.pending_count = 0;
}
