/* What the program has: contexts, modules, kernels, and how often each was launched with which shape. One lock guards
 * all of it and is never held where the API, the driver or the loader is called: a thread inside the driver holds a
 * lock of the driver's while its callback waits for ours.
 *
 * Modules are patched as they are loaded. Patched code is many times slower, recorded or not, so a module whose
 * launches are no longer recorded gets its own code back, and is patched again for a shape that is new. Both need that
 * nothing of the context runs: that is known from what the program itself waits for, and is never waited for. Calls
 * that patch are made one at a time, as NVIDIA's header demands; a launch that begins meanwhile waits for this one
 * call. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "recorder_drain.h"
#include "recorder_module.h"
#include "recorder_timer.h"

typedef struct fx_shape {
    uint32_t grid[3], block[3];
} fx_shape;

typedef struct fx_context {
    struct fx_context *next;
    CUcontext handle;
    fx_ring *ring;                 /* NULL: there is none */
    bool has_patches;              /* the callbacks of recorder_patch.cu are in it */
    uint64_t last, rested;         /* its last launch; the last one that is known to have ended */
    Sanitizer_StreamHandle stream; /* of the launches since then, */
    bool mixed, on_default;        /* not all of one; of the default one */
    fx_module *idle;               /* patched, and no longer recorded: the first of a list */
} fx_context;

/* By the hashes of its module and its name. */
typedef struct fx_kernel {
    fx_hash module, hash;
    const char *name; /* stays */
    uint32_t id;      /* in the trace */
    bool wanted;      /* asked for by its name */
    bool described;   /* its frame is queued */
} fx_kernel;

/* A kernel's launches with one shape: the file of counts is an array of them (docs/trace.md). */
typedef struct fx_count {
    uint32_t kernel; /* its id in the trace */
    fx_shape shape;
    uint32_t used; /* 1 */
    uint64_t launches, recorded;
} fx_count;

/* Its place in the table is that of its count in the file. */
typedef struct fx_call {
    uint32_t kernel; /* place in the table */
    fx_shape shape;
    uint64_t graph; /* the last launch of a graph that had it */
} fx_call;

/* A launch that was made, or a kernel of a graph's: what its thread has to write once the driver has returned. */
typedef struct fx_pending {
    Sanitizer_LaunchData data;
    fx_module *module;
    uint32_t place, kernel, launch; /* of the kernel in the table; ids in the trace */
    const char *name;
    fx_count *count;
    fx_node *unplaced; /* NULL: the addresses of its code are known */
    uint64_t code_bytes;
    uint32_t recorded_blocks, copies, dynamic_bytes;        /* copies: of the kernel in a graph */
    bool describes, recorded, timed, of_graph, cooperative; /* describes: the kernel is new */
} fx_pending;

typedef struct fx_recorder_state {
    pthread_mutex_t lock;
    atomic_bool on, open; /* open: launches of now are asked for */
    pid_t process;
    int64_t started_ns;
    char started[64]; /* the time of day, UTC */
    fx_api api;
    fx_recorder_options options;
    fx_context *contexts;
    fx_module *unloaded;
    fx_hash_table modules, names, kernels, calls, graphs;
    fx_count *counts; /* of calls, by their number */
    uint32_t kernel_ids, launch_ids;
    atomic_ullong launches;
    atomic_uint timing;               /* launches whose time is taken now */
    atomic_uint launching, unpatched; /* threads that launch, or unload code; modules that are not patched and may be */
    atomic_bool changing;             /* a module, while no thread may launch */
    bool patching, has_graphs, has_header;
    CUstream captures[64];
    size_t capture_count;
    struct fx_recorded_event {
        CUevent event;
        CUcontext context;
        Sanitizer_StreamHandle stream;
        uint64_t launch;
    } events[256];
    const char *told[32]; /* codes of notes */
    struct fx_managed {   /* managed and pinned host memory, by address */
        uint64_t begin, end;
        unsigned count; /* of allocations */
    } managed[1024];
    size_t managed_count;
} fx_recorder_state;

/* Of this thread. */
typedef struct fx_thread {
    bool inside;              /* the recorder itself calls the API */
    bool launching;           /* it is counted in fx_recorder.launching */
    bool cooperative, loaded; /* loaded: code, since the call began, which is no part of the kernel's time */
    unsigned dynamic_bytes;
    uint64_t before; /* launches that were made before it began to wait for the device */
    fx_pending *pending;
    size_t pending_count;
    fx_launch *launch; /* that it makes and that is recorded; of a graph, all its kernels are one */
    uint32_t epoch;
    uint64_t graph; /* a number of the launch of a graph */
    fx_timer timer;
} fx_thread;

extern fx_recorder_state fx_recorder;
extern _Thread_local fx_thread fx_here;

void fx_lock(void); /* who has it may take it again */
void fx_unlock(void);

/* What was not recorded, in one sentence, once for each code, a string that stays. */
void fx_note(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first frame, with the device if it is known. Its length; 0: it is queued already. */
int fx_header_text(char *out, size_t size, const char *device);

/* NULL: no memory. */
fx_context *fx_context_of(CUcontext handle);
/* These let go of the lock. */
void fx_context_create(const Sanitizer_ResourceContextData *data);
void fx_context_destroy(CUcontext handle);
void fx_module_loaded(const Sanitizer_ResourceModuleData *data);

void fx_module_unloaded(CUmodule handle);
fx_module *fx_module_of(CUmodule handle);

/* The context's ring, made where there is none yet; NULL with a note. Lets go of the lock. */
fx_ring *fx_context_ring(fx_context *c);

/* Patches a module or takes that back if nothing runs in the context. `in_driver`: a callback that may hold locks of
 * the driver's. Lets go of the lock. */
void fx_change(fx_context *c, fx_module *module, bool patched, bool in_driver);

/* A launch that is not recorded, of a patched module. */
void fx_module_idles(fx_context *c, fx_module *module);

/* All launches up to this one have ended, of the stream (NULL: of all streams). */
void fx_rest(fx_context *c, Sanitizer_StreamHandle stream, uint64_t last);

/* The module of this context with this kernel that is not patched and may be; NULL: there is none. */
fx_module *fx_unpatched(CUcontext context, const char *kernel);

/* The kernel and its count, made where they are new; NULL: no memory or no room. */
fx_count *fx_count_of(const fx_module *module, const char *name, const fx_shape *shape, uint32_t *kernel);

/* ---- Launches as the device begins and ends them (recorder_launch.c): whether one is recorded, and its frames. The
 * state's lock is held, and let go of where the API is called ---- */

/* A callback of the API's: a launch begins; of a graph, `data` is what belongs to the id. */
void fx_launch_begin(const Sanitizer_LaunchData *l, Sanitizer_StreamHandle stream, bool of_graph);
void fx_launch_graph(Sanitizer_CallbackId id, const void *data);
/* Writes the frames of what this thread has launched; the lock is not held. `made`: the driver has taken it; `time_ns`:
 * how long it took, negative where that is not known. */
void fx_launch_end(bool made, double time_ns);

/* ---- The driver's calls that the recorder sees (recorder_driver.c): launches as the program asks for them, captures,
 * unloads, waits ---- */

/* Asks the API to tell of those calls. */
fx_status fx_driver_subscribe(Sanitizer_SubscriberHandle handle, fx_error *err);
/* One begins or has returned. The state's lock is not held. */
void fx_driver_called(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data);

/* The lock is held: an event; a stream is no longer captured, as it is destroyed. */
void fx_driver_event(Sanitizer_CallbackId id, const Sanitizer_EventData *data);
void fx_driver_capture_ends(CUstream stream);
