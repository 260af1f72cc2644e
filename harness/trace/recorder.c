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
#include <sys/types.h>
#include <unistd.h>

#include "recorder_driver.h"
#include "recorder_record.h"

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
            fx_record_launch(id, data);
            break;
        case SANITIZER_CB_DOMAIN_SYNCHRONIZE:
            on_synchronized(id, data);
            break;
        case SANITIZER_CB_DOMAIN_GRAPHS:
            fx_record_graph(id, data);
            break;
        case SANITIZER_CB_DOMAIN_DRIVER_API:
            fx_driver_called(id, data);
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
    return fx_driver_subscribe(handle, err);
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
