/* Modules of the program. Those with a kernel that is asked for have a copy of their machine code, because the driver's
 * is only borrowed. A module's struct stays when it is unloaded; a new module is another one, whatever its handle. */
#pragma once

#include <stdatomic.h>

#include "core/hash_table.h"
#include "recorder_api.h"
#include "recorder_options.h"

enum { FX_MODULE_HASH_TEXT = 33 };

/* Functions that kernels of a module call, where they lie outside the kernels. */
typedef struct fx_functions {
    struct fx_function {
        char *name;
        uint64_t start, bytes;
        bool is_runtime; /* of CUDA's device runtime, which launches kernels from the device */
    } *items;
    size_t count;
} fx_functions;

typedef struct fx_module {
    CUmodule handle;
    CUcontext context;
    void *cubin; /* NULL: no kernel of it is asked for, or it is unloaded */
    size_t cubin_bytes;
    fx_hash hash;                      /* of the cubin */
    bool launched;                     /* a kernel of it was */
    bool patched, gone;                /* patched: its kernels call recorder_patch.cu */
    atomic_bool written;               /* the cubin's file is there */
    unsigned idle;                     /* launches since the last one that was recorded */
    _Atomic(fx_functions *) functions; /* NULL: they were not asked for; else they stay as they are */
    struct fx_module *next_idle;
    bool listed;                /* in its context's list of idle ones */
    struct fx_module *unloaded; /* the one that was unloaded before it: launches may still name them */
} fx_module;

/* FX_NO_MEMORY. */
fx_status fx_module_load(const Sanitizer_ResourceModuleData *data, const fx_recorder_options *options, fx_module **out,
                         fx_error *err);
void fx_module_unload(fx_module *module);

/* Patches it or takes that back: one call at a time in the process, and no launch of the module may run or begin. */
fx_status fx_module_patch(const fx_api *api, CUmodule handle, bool patched, fx_error *err);

/* Asks the API where its functions lie, once. NULL: no memory. */
const fx_functions *fx_module_functions(const fx_api *api, fx_module *module);

/* NULL: none lies there. `functions` may be NULL. */
const struct fx_function *fx_functions_at(const fx_functions *functions, uint64_t pc);

/* The hash of its machine code as 32 digits. Returns `out`. */
char *fx_module_name(const fx_module *module, char out[FX_MODULE_HASH_TEXT]);

/* Its machine code as a file with this name and .cubin, once; nothing where `folder` is NULL or empty. */
void fx_module_write(fx_module *module, const char *folder);
