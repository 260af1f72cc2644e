#include "recorder_launch.h"

enum {
    MORE_TRIES = 8,  /* to record launches while others of their module run */
    MOST_WAIT_S = 1, /* for other threads' launches; one may wait for a launch that waits for us */
    MOST_REST_S = 5, /* for a stream, which may wait for what this thread has yet to do */
    MOST_LATE = 3,   /* waits for a stream in vain, after which none is waited for */
};

static void wait_for_changes(const fx_context *c) {
    while (c->changing) {
        (void)pthread_cond_wait(&fx_recorder.moved, &fx_recorder.lock);
    }
}

/* Keeps other threads' launches out of the context; false: they were not done in time. */
static bool begin_change(fx_context *c) {
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MOST_WAIT_S;
    wait_for_changes(c);
    c->changing = true;
    while (c->launching && !c->stuck) {
        c->stuck = pthread_cond_clockwait(&fx_recorder.moved, &fx_recorder.lock, CLOCK_MONOTONIC, &until) != 0;
    }
    return !c->launching;
}

static void end_change(fx_context *c) {
    c->changing = false;
    (void)pthread_cond_broadcast(&fx_recorder.moved);
}

/* What the driver is asked for, as fx_calls of a function and a shape, and of a function alone, whose `kernel` is the
 * number of its module. In place of the module stands the context: a handle may be that of a kernel of a library, which
 * is the same in all contexts. */
static const fx_shape any_shape;

void fx_launch_learn(const fx_context *c, uint64_t module, bool recorded) {
    fx_call *asked = fx_calls_find(&fx_recorder.asked, fx_here.function, c->number, &fx_here.shape);
    if (asked) {
        asked->recorded += recorded;
    }
    if ((asked = fx_calls_find(&fx_recorder.asked, fx_here.function, c->number, &any_shape))) {
        asked->named = true;
        asked->kernel = (uint32_t)module;
    }
}

uint64_t fx_launch_made(void) {
    uint64_t last = fx_recorder.launches;
    for (const fx_context *c = fx_recorder.contexts; c; c = c->next) {
        last = c->launching && c->quiet < last ? c->quiet : last; /* the others may not be in their stream yet */
    }
    return last;
}

/* Waits for the launches of a stream. */
static void wait_for(fx_context *c, CUstream stream) {
    const uint64_t last = fx_launch_made();
    fx_recorder_unlock();
    const CUresult waited = fx_timer_rest(&fx_recorder.api, stream, MOST_REST_S);
    fx_recorder_lock();
    c->late += waited == CUDA_ERROR_NOT_READY;
    for (fx_loaded *l = fx_recorder.modules; l && waited == CUDA_SUCCESS; l = l->next) {
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

static bool is_wrong(const fx_loaded *l, const wrong_modules *w) {
    const fx_module *m = l->module;
    return !l->gone && l->context == w->context && fx_module_patched(m) != w->wanted &&
           (w->wanted || !fx_loaded_in_use(m)) && (w->patient || !fx_module_runs_now(m)) &&
           (w->known ? fx_module_number(l->module) == w->number : fx_module_names(l->module, w->name));
}

static void change_modules(fx_context *c, const wrong_modules *w, CUstream stream) {
    if (w->patient) {
        wait_for(c, stream);
        if (stream) { /* the stream that is always there; others may have been destroyed */
            wait_for(c, NULL);
        }
    }
    if (begin_change(c)) {
        for (fx_loaded *l = fx_recorder.modules; l; l = l->next) {
            if (is_wrong(l, w)) {
                fx_loaded_change(l, w->wanted);
            }
        }
    }
    end_change(c);
}

void fx_launch_prepare(fx_context *c, const Sanitizer_CallbackData *data, CUstream stream) {
    const fx_recorder_options *o = &fx_recorder.options;
    wait_for_changes(c);
    fx_call *asked = fx_calls_find(&fx_recorder.asked, fx_here.function, c->number, &fx_here.shape);
    if (!asked || fx_recorder.graphs || !data->symbolName) {
        return;
    }
    if (asked->launches++ == 0) {
        asked->wanted = fx_recorder_wants(o, data->symbolName);
    }
    const bool early = asked->launches <= o->launches + MORE_TRIES;
    const bool wanted = early && asked->wanted && asked->recorded < o->launches;
    const fx_call *function = fx_calls_find(&fx_recorder.asked, fx_here.function, c->number, &any_shape);
    const bool known = function && function->named;
    const wrong_modules w = {
        data->context, data->symbolName, known, wanted, early && c->late < MOST_LATE, known ? function->kernel : 0};
    for (const fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        if (is_wrong(l, &w)) {
            change_modules(c, &w, stream);
            return;
        }
    }
}

static bool is_unpatched(const fx_context *c) {
    for (const fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        if (l->context == c->handle && fx_loaded_may_change(l, true)) {
            return true;
        }
    }
    return false;
}

void fx_launch_patch_all(void) {
    fx_recorder.graphs = true;
    for (fx_context *c = fx_recorder.contexts; c; c = c->next) {
        c->users++;
        wait_for_changes(c);
        if (is_unpatched(c)) {
            const bool alone = begin_change(c);
            for (fx_loaded *l = fx_recorder.modules; l && alone; l = l->next) {
                if (l->context == c->handle) {
                    fx_loaded_change(l, true);
                }
            }
            end_change(c);
        }
        c->users--;
    }
}

void fx_launch_enter(fx_context *c) {
    fx_launch_leave();
    c->users++;
    wait_for_changes(c);
    c->launching++;
    fx_here.launching = c;
}

void fx_launch_capture(fx_context *c) {
    fx_launch_enter(c);
    while (fx_recorder.loading) {
        (void)pthread_cond_wait(&fx_recorder.moved, &fx_recorder.lock);
    }
    fx_recorder.capturing++;
}

void fx_launch_leave(void) {
    fx_context *c = fx_here.launching;
    if (c) {
        c->users--;
        if (--c->launching == 0) {
            c->quiet = fx_recorder.launches;
            c->stuck = false;
        }
        fx_here.launching = NULL;
        (void)pthread_cond_broadcast(&fx_recorder.moved);
    }
}
