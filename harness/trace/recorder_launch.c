#include "recorder_launch.h"

enum {
    MORE_TRIES = 8,  /* to record launches while others of their module run */
    MOST_WAIT_S = 1, /* for other threads' launches; one may wait for a launch that waits for us */
};

/* Keeps other threads' launches out of the context; false: they were not done in time. */
static bool begin_change(fx_context *c) {
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MOST_WAIT_S;
    while (c->changing) {
        (void)pthread_cond_wait(&fx_recorder.moved, &fx_recorder.lock);
    }
    c->changing = true;
    bool late = false;
    while (c->launching && !late) {
        late = pthread_cond_clockwait(&fx_recorder.moved, &fx_recorder.lock, CLOCK_MONOTONIC, &until) != 0;
    }
    return !late;
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

/* Waits for the launches of a stream. */
static void wait_for(const fx_context *c, CUstream stream) {
    fx_timer timer;
    const uint64_t last = c->launching ? c->quiet : fx_recorder.launches; /* others may not be in the stream yet */
    fx_recorder_unlock();
    fx_timer_start(&fx_recorder.api, stream, &timer);
    const bool waited = timer.on && fx_timer_stop(&fx_recorder.api, &timer) >= 0;
    fx_recorder_lock();
    for (fx_loaded *l = fx_recorder.modules; l && waited; l = l->next) {
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

/* Before a launch: its module is patched if it may be recorded, and else is not. */
static void prepare(fx_context *c, const Sanitizer_CallbackData *data, CUstream stream) {
    const fx_recorder_options *o = &fx_recorder.options;
    fx_call *asked = fx_calls_find(&fx_recorder.asked, fx_here.function, c->number, &fx_here.shape);
    if (!asked || fx_recorder.graphs || !data->symbolName) {
        return;
    }
    if (asked->launches++ == 0) {
        asked->wanted = fx_recorder_wants(o, data->symbolName);
    }
    const bool patient = asked->launches <= o->launches + MORE_TRIES;
    const bool wanted = asked->wanted && asked->recorded < o->launches && patient;
    const fx_call *function = fx_calls_find(&fx_recorder.asked, fx_here.function, c->number, &any_shape);
    const bool known = function && function->named;
    const wrong_modules w = {data->context, data->symbolName, known, wanted, patient, known ? function->kernel : 0};
    for (const fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        if (is_wrong(l, &w)) {
            change_modules(c, &w, stream);
            return;
        }
    }
}

void fx_launch_enter(fx_context *c, const Sanitizer_CallbackData *data, CUstream stream) {
    c->users++;
    fx_recorder_unlock();
    const bool captured = fx_timer_captured(&fx_recorder.api, stream);
    fx_recorder_lock();
    if (!captured) {
        prepare(c, data, stream);
    }
    while (c->changing) {
        (void)pthread_cond_wait(&fx_recorder.moved, &fx_recorder.lock);
    }
    c->launching++;
    fx_here.launching = c;
}

void fx_launch_leave(void) {
    fx_context *c = fx_here.launching;
    if (c) {
        c->users--;
        if (--c->launching == 0) {
            c->quiet = fx_recorder.launches;
        }
        fx_here.launching = NULL;
        (void)pthread_cond_broadcast(&fx_recorder.moved);
    }
}
