/* What the parts of the recorder share, under one lock: the program's contexts, and the modules that are loaded into
 * them. No function here but fx_recorder_lock is called without it. "Lets go of the lock": where the API or the driver
 * is called. What is gone stays until no thread uses it. */
#ifndef FX_RECORDER_STATE_H
#define FX_RECORDER_STATE_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "recorder_buffer.h"
#include "recorder_options.h"
#include "recorder_output.h"
#include "recorder_timer.h"

typedef struct fx_context {
    struct fx_context *next;
    CUcontext handle;
    uint64_t number;                     /* no other's, which its handle may be once it is gone */
    bool gone, unusable, busy, changing; /* busy: `launch` is between its beginning and its end; changing: modules */
    bool stuck;                          /* a change has waited in vain for those that launch in it now */
    size_t users, launching;             /* threads that keep a pointer; of those, that launch in it now */
    size_t late;                         /* waits for a stream that were given up */
    uint64_t quiet;                      /* the last launch when none launched */
    fx_buffer buffer;
    pthread_t owner; /* that began it */
    CUgraphExec graph;
    fx_output_launch launch;
} fx_context;

typedef struct fx_loaded {
    struct fx_loaded *next;
    CUcontext context;
    fx_module *module;
    bool gone, changing;
    size_t users; /* threads that keep a pointer */
} fx_loaded;

typedef struct fx_recorder_state {
    pthread_mutex_t lock;
    pthread_cond_t moved; /* a context's `launching` or `changing` */
    bool on, graphs;      /* graphs: there has been one */
    bool leaving;         /* contexts or modules are gone, and not yet freed */
    pid_t process;
    struct timespec started;
    fx_api api;
    fx_recorder_options options;
    fx_output out;
    fx_calls calls, asked; /* as launches begin, and as the driver is asked for them */
    fx_context *contexts;
    fx_loaded *modules;
    uint64_t launches, contexts_seen;
    size_t timing;    /* launches whose time is taken now */
    size_t loading;   /* modules that are patched as they are loaded, now */
    size_t capturing; /* captures of streams that have not ended */
} fx_recorder_state;

/* Of the call of the driver that this thread makes. */
typedef struct fx_launching {
    unsigned dynamic_bytes;
    bool cooperative, loaded; /* loaded: code, since the call began, which is no part of the kernel's time */
    bool inside;              /* the recorder itself calls the API */
    const void *function;     /* of the call; NULL: this thread makes none */
    fx_context *launching;    /* in which it launches; NULL: none */
    uint64_t before;          /* launches that were made before this thread began to wait for the device */
    fx_shape shape;
    fx_timer timer;
    fx_output_launch *timed;
} fx_launching;

extern fx_recorder_state fx_recorder;
extern _Thread_local fx_launching fx_here;

void fx_recorder_lock(void);
void fx_recorder_unlock(void);
/* Frees what is gone and no thread uses. */
void fx_recorder_sweep(void);

/* NULL: no memory. */
fx_context *fx_context_of(CUcontext handle);
/* Gives it the callbacks of recorder_patch.cu. Lets go of the lock. */
void fx_context_create(const Sanitizer_ResourceContextData *data);
/* And its modules. */
void fx_context_forget(CUcontext handle);
void fx_context_end_launch(fx_context *c);
/* After a failure of the device, or of its memory. Lets go of the lock. */
void fx_context_give_up(fx_context *c);

/* Patches it if one of its kernels is asked for and no stream is captured. Lets go of the lock. */
void fx_loaded_add(const Sanitizer_ResourceModuleData *data);
void fx_loaded_remove(CUmodule handle);
/* NULL: there is none. */
fx_loaded *fx_loaded_of(CUmodule handle);
fx_module *fx_loaded_module(CUmodule handle);
/* 0: there is none. */
uint64_t fx_loaded_number(CUmodule handle);
/* Whether launches of the module are recorded. */
bool fx_loaded_in_use(const fx_module *module);
/* Whether fx_loaded_change would do anything: not where launches of the module may still run. */
bool fx_loaded_may_change(const fx_loaded *l, bool patched);
/* Other threads' launches are kept out (recorder_launch.h). Lets go of the lock; *l stays in its list. */
void fx_loaded_change(fx_loaded *l, bool patched);

#endif
