/* The recorder: a library that the CUDA driver loads into a program (CUDA_INJECTION64_PATH), which patches the
 * program's kernels and writes what their warps access to a trace. recorder_options.h has what it is asked for,
 * docs/trace.md the file, recorder_patch.cu the device half, recorder_state.h what changes in the program's modules,
 * and when.
 *
 * Way of a launch: at its beginning, if its kernel is asked for and enough launches of this shape were not yet
 * recorded, it is given an epoch, with which its warps write their accesses to the context's ring in pinned host
 * memory. A thread of the recorder's own (recorder_drain.h) reads the ring and writes the file; nothing waits for the
 * launch. So launches are recorded side by side, graphs as a whole, and a kernel that fails has its accesses up to
 * there. When the program itself has waited for the device, it waits a little longer, until all of that is in the file:
 * so it can end in any way. Launches are counted in a file that is mapped into memory, for the same reason. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder_state.h"

enum { COUNTS_BYTES = 1 << 22 };

/* Ranges stay in the order of their addresses; where there is no place left, one joins that before it. */
static void on_memory(Sanitizer_CallbackId id, const Sanitizer_ResourceMemoryData *m) {
    const bool freed = (id - SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC) % 2,
               host = id == SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC;
    struct fx_managed *all = fx_recorder.managed;
    size_t at = 0, *count = &fx_recorder.managed_count;
    while (at < *count && all[at].end <= m->address) {
        at++;
    }
    if (freed && at < *count && all[at].begin <= m->address && --all[at].count == 0) {
        memmove(&all[at], &all[at + 1], (--*count - at) * sizeof *all);
    } else if (!freed && (host || (m->flags & SANITIZER_MEMORY_FLAG_MANAGED))) {
        if (*count == sizeof fx_recorder.managed / sizeof *all) {
            at -= at > 0;
            all[at].count++;
        } else {
            memmove(&all[at + 1], &all[at], ((*count)++ - at) * sizeof *all);
            all[at] = (struct fx_managed){m->address, 0, 1};
        }
        all[at].begin = all[at].begin < m->address ? all[at].begin : m->address;
        all[at].end = all[at].end > m->address + m->size ? all[at].end : m->address + m->size;
    }
}

static void on_resource(Sanitizer_CallbackId id, const void *data) {
    fx_here.loaded |=
        id == SANITIZER_CBID_RESOURCE_MODULE_LOADED || id == SANITIZER_CBID_RESOURCE_FUNCTIONS_LAZY_LOADED;
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
        fx_module_loaded(data);
    } else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
        fx_module_unloaded(((const Sanitizer_ResourceModuleData *)data)->module);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED) {
        fx_context_create(data);
    } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        fx_context_destroy(((const Sanitizer_ResourceContextData *)data)->context);
    } else if (id == SANITIZER_CBID_RESOURCE_STREAM_DESTROY_STARTING) {
        fx_driver_capture_ends(((const Sanitizer_ResourceStreamData *)data)->stream);
    } else if (id >= SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC && id <= SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC) {
        on_memory(id, data);
    }
}

/* This thread has waited for a stream, or for a context: what others have launched since it began to may still run. */
static void on_synchronized(Sanitizer_CallbackId id, const Sanitizer_SynchronizeData *data) {
    fx_context *c = fx_context_of(data->context);
    if (c) {
        fx_rest(c, id == SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED ? data->hStream : NULL, fx_here.before);
    }
}

static void answer(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data) {
    if (domain == SANITIZER_CB_DOMAIN_DRIVER_API) {
        fx_driver_called(id, data);
        return;
    }
    if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_END) {
        fx_launch_end(true, -1); /* of a call that fx_driver_called is not told of */
        return;
    }
    fx_lock();
    if (domain == SANITIZER_CB_DOMAIN_RESOURCE) {
        on_resource(id, data);
    } else if (domain == SANITIZER_CB_DOMAIN_LAUNCH) {
        const Sanitizer_LaunchData *l = data;
        fx_launch_begin(l, l->hStream, false);
    } else if (domain == SANITIZER_CB_DOMAIN_SYNCHRONIZE) {
        on_synchronized(id, data);
    } else if (domain == SANITIZER_CB_DOMAIN_GRAPHS) {
        fx_launch_graph(id, data);
    } else if (domain == SANITIZER_CB_DOMAIN_EVENTS) {
        fx_driver_event(id, data);
    }
    fx_unlock();
}

/* Signals wait meanwhile: a handler may call exit(), which needs the lock, and memory. */
static void on_callback(void *nothing, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data) {
    sigset_t all, before;
    int cancel = 0;
    const bool nothing_to_do =
        domain == SANITIZER_CB_DOMAIN_LAUNCH &&
        !(id == SANITIZER_CBID_LAUNCH_BEGIN || (id == SANITIZER_CBID_LAUNCH_END && !fx_here.launching));
    (void)nothing;
    if (nothing_to_do || fx_here.inside || !fx_recorder.on || getpid() != fx_recorder.process) {
        return;
    }
    fx_here.inside = true;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    answer(domain, id, data);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_setcancelstate(cancel, NULL);
    fx_here.inside = false;
}

/* Where another thread holds the lock for long, the trace has no end. A signal's handler may have called exit() while
 * this thread was in malloc: nothing here allocates, or takes a lock of the C library's. */
static void at_exit(int status, void *nothing) {
    static char end[512];
    struct timespec until;
    (void)nothing;
    if (getpid() != fx_recorder.process || !atomic_exchange(&fx_recorder.on, false)) {
        return;
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    const bool locked = pthread_mutex_timedlock(&fx_recorder.lock, &until) == 0;
    bool quiet = !locked;
    if (locked) {
        const long long ms = (fx_drain_now_ns() - fx_recorder.started_ns) / 1000000;
        const int at = fx_header_text(end, sizeof end, NULL);
        for (const fx_context *c = fx_recorder.contexts; c; c = c->next) {
            quiet = quiet || c->last > c->rested;
        }
        (void)snprintf(end + at, sizeof end - (size_t)at,
                       "%s{\"end\":{\"status\":%d,\"signal\":null,\"launches\":%llu,\"seconds\":%lld.%03lld}}",
                       at ? "\n" : "", status & 0xff, (unsigned long long)fx_recorder.launches, ms / 1000, ms % 1000);
        (void)pthread_mutex_unlock(&fx_recorder.lock);
    }
    fx_drain_stop(locked ? end : NULL, quiet && !fx_recorder.options.time);
}

/* All its room is taken at once: the program would be killed if the disk were full later. */
static void open_counts(const char *trace) {
    char *name = NULL;
    const int file =
        asprintf(&name, "%s.counts", trace) < 0 ? -1 : open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool there = file >= 0 && posix_fallocate(file, 0, COUNTS_BYTES) == 0;
    void *at = mmap(NULL, COUNTS_BYTES, PROT_READ | PROT_WRITE, there ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                    there ? file : -1, 0);
    fx_recorder.counts = at == MAP_FAILED ? NULL : at;
    if (!there) {
        fx_note("counts", "launches are counted as one each: %.200s could not be written", name ? name : "the file");
    }
    if (file >= 0) {
        (void)close(file);
    }
    free(name);
}

static fx_status subscribe(fx_error *err) {
    static const Sanitizer_CallbackDomain domains[] = {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH,
                                                       SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CB_DOMAIN_GRAPHS,
                                                       SANITIZER_CB_DOMAIN_EVENTS};
    const fx_api *api = &fx_recorder.api;
    Sanitizer_SubscriberHandle handle;
    FX_TRY(FX_API(api, err, Subscribe, &handle, on_callback, NULL));
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        FX_TRY(FX_API(api, err, EnableDomain, 1, handle, domains[i]));
    }
    return fx_driver_subscribe(handle, err);
}

int InitializeInjection(void);

/* The driver calls it as the program initialises CUDA. What fails is written to the trace, so that the program's own
 * output stays as it is; only a trace that can't be written is said on stderr. */
__attribute__((visibility("default"))) int InitializeInjection(void) {
    fx_error err = {0}, wrong = {0};
    fx_trace_writer *to = NULL;
    fx_recorder.process = getpid();
    fx_recorder.started_ns = fx_drain_now_ns();
    const time_t now = time(NULL);
    struct tm utc;
    (void)strftime(fx_recorder.started, sizeof fx_recorder.started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fx_status status = fx_recorder_read_options(&fx_recorder.options, &wrong);
    const fx_recorder_options *o = &fx_recorder.options;
    if (!o->file || fx_trace_create(o->file, &to, &err) || fx_drain_start(to, &err)) {
        (void)fprintf(stderr, "gpufx: %s\n", o->file ? err.text : wrong.text);
        return 1;
    }
    open_counts(o->file);
    fx_recorder.open = !o->in_range;
    fx_recorder.on = true;
    if (on_exit(at_exit, NULL) != 0) {
        status = fx_fail(&wrong, FX_NO_MEMORY, "out of memory");
    }
    if (status || fx_api_open(o->library, &fx_recorder.api, &wrong) || subscribe(&wrong)) {
        fx_note("recorder", "nothing is recorded: %s", wrong.text);
    }
    return 1;
}
