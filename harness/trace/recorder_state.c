#include "recorder_state.h"

#include <stdlib.h>
#include <string.h>

#include "recorder_device.h"

fx_recorder_state fx_recorder = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
_Thread_local fx_launching fx_here;

extern const char fx_patch[]; /* of recorder_image.c */

void fx_recorder_lock(void) {
    (void)pthread_mutex_lock(&fx_recorder.lock);
}

void fx_recorder_unlock(void) {
    (void)pthread_mutex_unlock(&fx_recorder.lock);
}

fx_context *fx_context_of(CUcontext handle) {
    for (fx_context *c = fx_recorder.contexts; c; c = c->next) {
        if (c->handle == handle && !c->gone) {
            return c;
        }
    }
    fx_context *c = calloc(1, sizeof *c);
    if (c) {
        *c = (fx_context){.next = fx_recorder.contexts, .handle = handle, .number = ++fx_recorder.contexts_seen};
        fx_recorder.contexts = c;
    }
    return c;
}

void fx_context_end_launch(fx_context *c) {
    free((void *)c->launch.name);
    c->launch = (fx_output_launch){.name = NULL};
    c->busy = false;
    c->graph = NULL;
}

void fx_context_give_up(fx_context *c) {
    fx_buffer buffer = c->buffer;
    c->unusable = true;
    c->buffer = (fx_buffer){0};
    fx_recorder_unlock();
    fx_buffer_close(&fx_recorder.api, c->handle, &buffer);
    fx_recorder_lock();
}

void fx_context_forget(CUcontext handle) {
    fx_context *c = fx_context_of(handle);
    if (c) {
        c->gone = true;
    }
    for (fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        l->gone |= l->context == handle;
    }
    fx_recorder.leaving = true;
}

fx_loaded *fx_loaded_of(CUmodule handle) {
    for (fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        if (fx_module_handle(l->module) == handle && !l->gone) {
            return l;
        }
    }
    return NULL;
}

fx_module *fx_loaded_module(CUmodule handle) {
    fx_loaded *l = fx_loaded_of(handle);
    return l ? l->module : NULL;
}

void fx_recorder_sweep(void) {
    if (!fx_recorder.leaving) {
        return;
    }
    fx_recorder.leaving = false;
    for (fx_context **at = &fx_recorder.contexts; *at;) {
        fx_context *c = *at;
        if (c->gone && !c->users) {
            *at = c->next;
            fx_context_end_launch(c);
            free(c);
        } else {
            fx_recorder.leaving |= c->gone;
            at = &c->next;
        }
    }
    for (fx_loaded **at = &fx_recorder.modules; *at;) {
        fx_loaded *l = *at;
        if (l->gone && !l->users) {
            *at = l->next;
            fx_module_free(l->module);
            free(l);
        } else {
            fx_recorder.leaving |= l->gone;
            at = &l->next;
        }
    }
}

uint64_t fx_loaded_number(CUmodule handle) {
    const fx_module *module = fx_loaded_module(handle);
    return module ? fx_module_number(module) : 0;
}

static bool may_patch(const fx_module *module) {
    return !fx_recorder.options.time && fx_module_has(module, &fx_recorder.options);
}

bool fx_loaded_in_use(const fx_module *module) {
    for (const fx_context *c = fx_recorder.contexts; c; c = c->next) {
        if (c->busy && c->launch.module_number == fx_module_number(module)) {
            return true;
        }
    }
    return false;
}

bool fx_loaded_may_change(const fx_loaded *l, bool patched) {
    return fx_module_patched(l->module) != patched && !fx_recorder.capturing && !l->changing && !l->gone &&
           !fx_module_runs_now(l->module) &&
           (patched ? may_patch(l->module) : !fx_recorder.graphs && !fx_loaded_in_use(l->module));
}

void fx_loaded_change(fx_loaded *l, bool patched) {
    fx_error err = {0};
    if (!fx_loaded_may_change(l, patched)) {
        return;
    }
    const CUmodule handle = fx_module_handle(l->module);
    l->changing = true;
    l->users++;
    fx_recorder_unlock();
    const fx_status status = fx_module_patch(&fx_recorder.api, handle, patched, &err);
    fx_recorder_lock();
    l->changing = false;
    l->users--;
    if (status == FX_OK) {
        fx_module_set_patched(l->module, patched);
    } else if (!l->gone) {
        fx_output_note(&fx_recorder.out, "patch", "a module could not be %s (%s)",
                       patched ? "patched, and its kernels are not recorded" : "unpatched, and its kernels are slow",
                       err.text);
    }
}

/* No kernel of it can be launched before this is done. To patch may end another thread's capture. */
void fx_loaded_add(const Sanitizer_ResourceModuleData *data) {
    fx_error err = {0};
    fx_loaded *fresh = calloc(1, sizeof *fresh);
    fx_status status =
        fresh ? fx_module_load(data, &fresh->module, &err) : fx_fail(&err, FX_NO_MEMORY, "out of memory");
    const bool patched = !status && !fx_recorder.capturing && may_patch(fresh->module);
    if (patched) {
        fx_recorder.loading++;
        fx_recorder_unlock();
        status = fx_module_patch(&fx_recorder.api, data->module, true, &err);
        fx_recorder_lock();
        fx_recorder.loading--;
        (void)pthread_cond_broadcast(&fx_recorder.moved);
    }
    if (status) {
        fx_output_note(&fx_recorder.out, "patch", "kernels of a module could not be patched, and are not recorded (%s)",
                       err.text);
        fx_module_free(fresh ? fresh->module : NULL);
        free(fresh);
        return;
    }
    fx_module_set_patched(fresh->module, patched);
    fresh->next = fx_recorder.modules;
    fresh->context = data->context;
    fx_recorder.modules = fresh;
}

void fx_loaded_remove(CUmodule handle) {
    for (fx_loaded *l = fx_recorder.modules; l; l = l->next) {
        l->gone |= fx_module_handle(l->module) == handle;
    }
    fx_recorder.leaving = true;
}

void fx_context_create(const Sanitizer_ResourceContextData *data) {
    fx_error err = {0};
    char device[FX_DEVICE_TEXT];
    const bool patched = !fx_recorder.options.time;
    fx_recorder_unlock();
    (void)fx_device_text(&fx_recorder.api, data->device, device);
    const fx_status status = patched ? FX_API(&fx_recorder.api, &err, AddPatches, fx_patch, data->context) : FX_OK;
    fx_recorder_lock();
    fx_output_header(&fx_recorder.out, device);
    if (status) {
        fx_output_note(&fx_recorder.out, "patch", "kernels of a context are not recorded (%s)", err.text);
    }
}
