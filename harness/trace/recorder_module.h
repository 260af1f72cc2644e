/* Modules of the program that are loaded: their machine code is copied, because the driver's copy is only borrowed.
 * What costs time (a hash, addresses of functions) waits until a launch of theirs is recorded. */
#ifndef FX_RECORDER_MODULE_H
#define FX_RECORDER_MODULE_H

#include "recorder_api.h"
#include "recorder_book.h"
#include "recorder_options.h"
#include "recorder_sha256.h"

typedef struct fx_module fx_module;

/* Copies it. */
fx_status fx_module_load(const Sanitizer_ResourceModuleData *data, fx_module **out, fx_error *err);
void fx_module_free(fx_module *module);

/* Whether one of its functions has a name that is asked for. */
bool fx_module_has(const fx_module *module, const fx_recorder_options *options);

/* Whether one of its functions has this name. */
bool fx_module_names(const fx_module *module, const char *name);

/* Whether its kernels call recorder_patch.cu: what the last fx_module_set_patched said. */
bool fx_module_patched(const fx_module *module);
void fx_module_set_patched(fx_module *module, bool patched);

/* No launch of the module may run, nor begin meanwhile. Waits for locks of the driver's. */
fx_status fx_module_patch(const fx_api *api, CUmodule handle, bool patched, fx_error *err);

/* A launch that is not recorded begins in this thread. `launch`: a number that grows. */
void fx_module_runs(fx_module *module, CUstream stream, uint64_t launch);

/* Launches of a stream (NULL: of all streams) have ended: this thread's, and others' up to number `last`, unless it is
 * CU_STREAM_PER_THREAD, which is another one in each thread. */
void fx_module_rests(fx_module *module, const CUstream *stream, uint64_t last);

/* Whether one may still run. */
bool fx_module_runs_now(const fx_module *module);

CUmodule fx_module_handle(const fx_module *module);

/* No other module's, which its handle may be once it is unloaded. Not 0. */
uint64_t fx_module_number(const fx_module *module);

/* The SHA-256 of its machine code; where `folder` is set, its file is there from then on. */
const char *fx_module_hash(fx_module *module, const char *folder);

/* Its functions' addresses. Asks the API, and changes nothing: *out is for fx_module_take_functions, or for free. */
typedef struct fx_functions {
    struct fx_function *items; /* NULL: none is known */
    size_t count;
} fx_functions;

fx_functions fx_module_functions(const fx_api *api, const fx_module *module);

/* For fx_module_find. */
void fx_module_take_functions(fx_module *module, fx_functions functions);
bool fx_module_has_functions(const fx_module *module);

/* The function of a module at an address: for fx_book_launch.find. */
fx_book_place fx_module_find(void *module, uint64_t pc);

#endif
