#include "recorder_state.h"

#include <limits.h>

#include "recorder_elf.h"

enum {
    MOST_COUNTS = 1 << 16,
    IDLE_LAUNCHES = 16, /* after so many that are not recorded, a module gets its own code back */
    PAUSE_NS = 50000,
    MOMENT = 400, /* pauses */
};

fx_recorder_state fx_recorder = {
    .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
    .modules = {.size = sizeof(CUmodule) + sizeof(fx_module *), .key = sizeof(CUmodule)},
    .names = {.size = sizeof(CUcontext) + sizeof(fx_hash) + sizeof(fx_module *),
              .key = sizeof(CUcontext) + sizeof(fx_hash)},
    .kernels = {.size = sizeof(fx_kernel), .key = 2 * sizeof(fx_hash)},
    .calls = {.size = sizeof(fx_call), .key = sizeof(uint32_t) + sizeof(fx_shape)},
    .graphs = {.size = sizeof(CUgraphExec) + sizeof(uint64_t), .key = sizeof(CUgraphExec)}};
_Thread_local fx_thread fx_here;

extern const char fx_patch[]; /* of recorder_image.c */

typedef struct loaded {
    CUmodule handle;
    fx_module *module; /* NULL: unloaded */
} loaded;

typedef struct named {
    CUcontext context;
    fx_hash name;
    fx_module *module;
} named;

void fx_lock(void) {
    (void)pthread_mutex_lock(&fx_recorder.lock);
}

void fx_unlock(void) {
    (void)pthread_mutex_unlock(&fx_recorder.lock);
}

/* Takes the turn to patch, unless it is another thread's for all of this time. A callback may hold a lock of the
 * driver's that the other one waits for, so it waits for a moment only; what it leaves is done when the driver is asked
 * for a launch, without such locks. */
static bool take_turn(unsigned most_pauses) {
    for (unsigned i = 0; fx_recorder.patching && i < most_pauses; i++) {
        fx_unlock();
        fx_drain_pause_ns(PAUSE_NS);
        fx_lock();
    }
    if (fx_recorder.patching) {
        return false;
    }
    fx_recorder.patching = true;
    return true;
}

int fx_header_text(char *out, size_t size, const char *device) {
    const bool fresh = !fx_recorder.has_header;
    fx_recorder.has_header = true;
    return fresh ? snprintf(out, size,
                            "{\"gpufx_trace\":%d,\"recorder\":\"injected\",\"process\":%ld,\"started\":\"%s\"%s%s}",
                            FX_TRACE_VERSION, (long)fx_recorder.process, fx_recorder.started,
                            device ? ",\"device\":" : "", device ? device : "")
                 : 0;
}

static void header(const char *device) {
    char text[4096];
    if (fx_header_text(text, sizeof text, device)) {
        fx_drain_frame_take(strdup(text));
    }
}

void fx_note(const char *code, const char *format, ...) {
    enum { MOST = sizeof fx_recorder.told / sizeof *fx_recorder.told };
    char text[768], quoted[2048], *frame = NULL;
    size_t i = 0;
    fx_lock();
    while (i < MOST && fx_recorder.told[i] && strcmp(fx_recorder.told[i], code) != 0) {
        i++;
    }
    const bool fresh = i < MOST && !fx_recorder.told[i];
    if (fresh) {
        fx_recorder.told[i] = code;
        header(NULL); /* the first frame, also where no context was created */
    }
    fx_unlock();
    va_list arguments;
    va_start(arguments, format);
    if (fresh && vsnprintf(text, sizeof text, format, arguments) >= 0 &&
        asprintf(&frame, "{\"note\":{\"code\":\"%s\",\"text\":%s}}", code,
                 fx_trace_quoted(text, quoted, sizeof quoted)) >= 0) {
        fx_drain_frame_take(frame);
    }
    va_end(arguments);
}

fx_context *fx_context_of(CUcontext handle) {
    for (fx_context *c = fx_recorder.contexts; c; c = c->next) {
        if (c->handle == handle) {
            return c;
        }
    }
    fx_context *c = calloc(1, sizeof *c);
    if (c) {
        *c = (fx_context){.next = fx_recorder.contexts, .handle = handle};
        fx_recorder.contexts = c;
    }
    return c;
}

/* A ring whose address leaves room for what is told with it. NULL with an error. */
static fx_ring *make_ring(CUcontext context, fx_error *err) {
    const uint64_t words = fx_recorder.options.time ? 1 : fx_recorder.options.ring_words;
    const size_t bytes = sizeof(fx_ring) + (words + FX_RING_SLACK) * sizeof(uint64_t);
    void *memory = NULL;
    if (FX_API(&fx_recorder.api, err, AllocHost, context, &memory, bytes + FX_RING_ALIGNMENT)) {
        return NULL;
    }
    const uintptr_t at = ((uintptr_t)memory + FX_RING_ALIGNMENT - 1) & ~(uintptr_t)(FX_RING_ALIGNMENT - 1);
    if (!memory || (uint64_t)at >> 48) {
        (void)fx_fail(err, FX_UNSUPPORTED, "pinned host memory lies at an address that does not fit");
        return NULL;
    }
    memset((void *)at, 0, bytes);
    fx_ring *ring = (fx_ring *)at;
    ring->words = words;
    return ring;
}

fx_ring *fx_context_ring(fx_context *c) {
    fx_error err = {0};
    if (!c->ring) {
        fx_unlock();
        fx_ring *ring = make_ring(c->handle, &err);
        fx_lock();
        if (c->ring) {
            return c->ring; /* another thread's; this one is left to the context */
        }
        c->ring = ring;
        if (!ring) {
            fx_note("device", "launches could not be recorded (%s)", err.text);
        } else if (!fx_recorder.options.time) {
            fx_drain_add(ring);
        }
    }
    return c->ring;
}

/* With this thread's turn to patch; the lock is let go of. */
static bool add_patches(fx_context *c) {
    fx_error err = {0};
    if (!c->has_patches) {
        const CUcontext handle = c->handle;
        fx_unlock();
        const fx_status status = FX_API(&fx_recorder.api, &err, AddPatches, fx_patch, handle);
        fx_lock();
        if (status) {
            fx_note("patch", "kernels of a context are not recorded (%s)", err.text);
        }
        c->has_patches = !status;
    }
    return c->has_patches;
}

/* Nothing runs in it yet, so memory for the ring can be taken without any wait. */
void fx_context_create(const Sanitizer_ResourceContextData *data) {
    char device[FX_DEVICE_TEXT];
    fx_context *c = fx_context_of(data->context);
    fx_unlock();
    (void)fx_device_text(&fx_recorder.api, data->device, device);
    fx_lock();
    header(device);
    if (!c || !fx_context_ring(c) || fx_recorder.options.time) {
        return;
    }
    if (take_turn(MOMENT)) {
        (void)add_patches(c);
        fx_recorder.patching = false;
    }
}

void fx_context_destroy(CUcontext handle) {
    for (fx_context **at = &fx_recorder.contexts; *at; at = &(*at)->next) {
        fx_context *c = *at;
        if (c->handle == handle) {
            *at = c->next;
            for (size_t i = 0; i < fx_recorder.modules.count; i++) {
                loaded *l = fx_hash_item(&fx_recorder.modules, (uint32_t)i);
                if (l->module && l->module->context == handle) {
                    fx_module_unloaded(l->handle);
                }
            }
            fx_unlock();
            if (c->ring && !fx_recorder.options.time) {
                fx_drain_forget(c->ring);
            }
            fx_lock();
            free(c);
            return;
        }
    }
}

fx_module *fx_module_of(CUmodule handle) {
    const loaded *l = fx_hash_find(&fx_recorder.modules, &handle);
    return l ? l->module : NULL;
}

static void add_name(void *to, const char *name, bool is_kernel) {
    fx_module *module = to;
    bool fresh = false;
    if (is_kernel) {
        const named one = {module->context, fx_hash_of(name, strlen(name)), module};
        const uint32_t id = fx_hash_add(&fx_recorder.names, &one, &fresh);
        if (id != FX_HASH_FULL) {
            ((named *)fx_hash_item(&fx_recorder.names, id))->module = module;
        }
    }
}

static void add_names(fx_module *module) {
    if (!module->gone) {
        fx_elf_functions(module->cubin, module->cubin_bytes, add_name, module);
    }
}

/* With this thread's turn to patch, which ends; the lock is let go of. */
static void patch(fx_context *c, fx_module *module, bool patched) {
    fx_error err = {0};
    const CUmodule handle = module->handle;
    fx_status status = add_patches(c) ? FX_OK : FX_UNSUPPORTED;
    fx_unlock();
    if (!status) {
        status = fx_module_patch(&fx_recorder.api, handle, patched, &err);
    }
    fx_lock();
    fx_recorder.patching = false;
    if (status) {
        fx_note("patch", "a module could not be %s (%s)",
                patched ? "patched, and its kernels are not recorded" : "unpatched, and its kernels are slow",
                err.text);
    } else if (!module->gone && module->patched != patched) {
        module->patched = patched;
        module->idle = 0;
        fx_recorder.unpatched += patched ? UINT_MAX : 1;
        if (!patched) {
            add_names(module);
        }
    }
}

/* No kernel of it can be launched before this is done. */
void fx_module_loaded(const Sanitizer_ResourceModuleData *data) {
    fx_error err = {0};
    fx_module *module = NULL;
    bool fresh = false;
    const fx_status status = fx_module_load(data, &fx_recorder.options, &module, &err);
    const loaded one = {data->module, module};
    const uint32_t id = status ? FX_HASH_FULL : fx_hash_add(&fx_recorder.modules, &one, &fresh);
    fx_context *c = fx_context_of(data->context);
    if (id == FX_HASH_FULL || !c) {
        fx_note("patch", "kernels of a module are not recorded (out of memory)");
        return;
    }
    ((loaded *)fx_hash_item(&fx_recorder.modules, id))->module = module;
    if (!module->cubin) {
        return;
    }
    if (fx_recorder.options.time) {
        add_names(module);
        return;
    }
    fx_recorder.unpatched++;
    if (fx_recorder.open && !fx_recorder.capture_count && take_turn(MOMENT)) {
        patch(c, module, true);
    }
    if (!module->patched) {
        add_names(module);
    }
}

void fx_module_unloaded(CUmodule handle) {
    loaded *l = fx_hash_find(&fx_recorder.modules, &handle);
    if (l && l->module) {
        fx_recorder.unpatched -= l->module->cubin && !l->module->patched && !fx_recorder.options.time;
        fx_module_unload(l->module);
        l->module->unloaded = fx_recorder.unloaded;
        fx_recorder.unloaded = l->module;
        l->module = NULL;
    }
}

fx_module *fx_unpatched(CUcontext context, const char *kernel) {
    const named key = {context, fx_hash_of(kernel, strlen(kernel)), NULL};
    const named *found = fx_hash_find(&fx_recorder.names, &key);
    return found && !found->module->gone && !found->module->patched ? found->module : NULL;
}

void fx_change(fx_context *c, fx_module *module, bool patched, bool in_driver) {
    if (module->gone || module->patched == patched || fx_recorder.capture_count) {
        return;
    }
    if (!module->launched) { /* no launch of it can run */
        if (take_turn(in_driver ? MOMENT : UINT_MAX)) {
            patch(c, module, patched);
        }
        return;
    }
    if (c->last > c->rested || (!patched && fx_recorder.has_graphs) || !take_turn(0)) {
        return;
    }
    fx_recorder.changing = true;
    if (fx_recorder.launching == 0) {
        patch(c, module, patched);
    }
    fx_recorder.patching = false;
    fx_recorder.changing = false;
}

void fx_module_idles(fx_context *c, fx_module *module) {
    if (++module->idle >= IDLE_LAUNCHES && !module->listed) {
        module->listed = true;
        module->next_idle = c->idle;
        c->idle = module;
    }
}

void fx_rest(fx_context *c, Sanitizer_StreamHandle stream, uint64_t last) {
    if (last > c->rested && (!stream || (!c->mixed && c->stream == stream))) {
        c->rested = last;
    }
    if (c->last <= c->rested) {
        fx_drain_watch(NULL);
    }
}

fx_count *fx_count_of(const fx_module *module, const char *name, const fx_shape *shape, uint32_t *kernel) {
    fx_kernel fresh_kernel = {.module = module->hash, .hash = fx_hash_of(name, strlen(name))};
    bool fresh = false;
    *kernel = fx_hash_add(&fx_recorder.kernels, &fresh_kernel, &fresh);
    if (*kernel == FX_HASH_FULL) {
        return NULL;
    }
    fx_kernel *k = fx_hash_item(&fx_recorder.kernels, *kernel);
    if (fresh) {
        k->wanted = fx_recorder_wants(&fx_recorder.options, name) && (k->name = strdup(name));
        k->id = k->wanted ? fx_recorder.kernel_ids++ : UINT32_MAX;
        if (!k->wanted && !fx_recorder.options.one_kernel) {
            fx_note("nccl", "kernels of NCCL are not recorded, since they wait for other GPUs");
        }
    }
    if (!k->wanted) {
        return NULL;
    }
    const fx_call one = {*kernel, *shape, 0};
    const uint32_t id =
        fx_recorder.calls.count < MOST_COUNTS ? fx_hash_add(&fx_recorder.calls, &one, &fresh) : FX_HASH_FULL;
    if (id == FX_HASH_FULL || !fx_recorder.counts) {
        fx_note("full", "there are more shapes of launches than are counted");
        return NULL;
    }
    fx_count *count = &fx_recorder.counts[id];
    if (fresh) {
        *count = (fx_count){.kernel = k->id, .shape = *shape, .used = 1};
    }
    return count;
}
