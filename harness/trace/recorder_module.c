#include "recorder_module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder_elf.h"

typedef struct running {
    CUstream stream;
    pthread_t thread;
    uint64_t launch; /* the last one of this thread in this stream */
} running;

typedef struct function {
    const char *name; /* of the copied machine code */
    uint64_t start, bytes;
} function;

struct fx_module {
    CUmodule handle;
    uint64_t number;
    bool patched;
    running *streams; /* with launches that may still run */
    size_t stream_count;
    void *cubin;
    size_t cubin_bytes;
    char hash[FX_SHA256_TEXT];
    bool written, looked_up;
    function *functions;
    size_t function_count;
};

/* The callbacks of recorder_patch.cu. */
static const struct patch {
    Sanitizer_InstructionId at;
    const char *call;
} accesses[] = {
    {SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "fx_on_global"},
    {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "fx_on_shared"},
    {SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS, "fx_on_local"},
    {SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS, "fx_on_remote"},
    {SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "fx_on_matrix"},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "fx_on_copy"},
    {SANITIZER_INSTRUCTION_CACHE_CONTROL, "fx_on_cache"},
    {SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC, "fx_on_wgmma"},
    {SANITIZER_INSTRUCTION_ASYNC_STORE, "fx_on_async_store"},
    {SANITIZER_INSTRUCTION_ASYNC_REDUCTION, "fx_on_async_add"},
    {SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, "fx_on_bulk_load"},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, "fx_on_bulk_store"},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED, "fx_on_bulk_remote"},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, "fx_on_bulk_reduce"},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED, "fx_on_bulk_remote_reduce"},
    {SANITIZER_INSTRUCTION_INVALID, NULL},
};

fx_status fx_module_load(const Sanitizer_ResourceModuleData *data, fx_module **out, fx_error *err) {
    static uint64_t numbers; /* loads are serialised by the recorder's lock */
    fx_module *module = calloc(1, sizeof *module);
    void *copy = malloc(data->cubinSize + 1);
    if (!module || !copy) {
        free(module);
        free(copy);
        return fx_fail(err, FX_NO_MEMORY, "out of memory for a module's machine code");
    }
    if (data->cubinSize) {
        memcpy(copy, data->pCubin, data->cubinSize);
    }
    *module = (fx_module){.handle = data->module, .number = ++numbers, .cubin = copy, .cubin_bytes = data->cubinSize};
    *out = module;
    return FX_OK;
}

bool fx_module_patched(const fx_module *module) {
    return module->patched;
}

void fx_module_set_patched(fx_module *module, bool patched) {
    module->patched = patched;
}

fx_status fx_module_patch(const fx_api *api, CUmodule handle, bool patched, fx_error *err) {
    if (!patched) {
        return FX_API(api, err, UnpatchModule, handle);
    }
    for (const struct patch *patch = accesses; patch->call; patch++) {
        FX_TRY(FX_API(api, err, PatchInstructions, patch->at, handle, patch->call));
    }
    return FX_API(api, err, PatchModule, handle);
}

bool fx_module_runs_now(const fx_module *module) {
    return module->stream_count > 0;
}

void fx_module_runs(fx_module *module, CUstream stream, uint64_t launch) {
    const running now = {stream, pthread_self(), launch};
    size_t at = 0;
    while (at < module->stream_count &&
           (module->streams[at].stream != stream || !pthread_equal(module->streams[at].thread, now.thread))) {
        at++;
    }
    if (at == module->stream_count) {
        running *grown = realloc(module->streams, (at + 1) * sizeof *grown);
        if (!grown) {
            return;
        }
        module->streams = grown;
        module->stream_count++;
    }
    module->streams[at] = now;
}

void fx_module_rests(fx_module *module, const CUstream *stream, uint64_t last) {
    for (size_t i = module->stream_count; i-- > 0;) {
        const running *r = &module->streams[i];
        if ((!stream || r->stream == *stream) && (r->launch <= last || pthread_equal(r->thread, pthread_self()))) {
            module->streams[i] = module->streams[--module->stream_count];
        }
    }
}

typedef struct search {
    const fx_recorder_options *options; /* NULL: of this name */
    const char *name;
    bool found;
} search;

static void look(void *to, const char *name) {
    search *s = to;
    s->found = s->found || (s->options ? fx_recorder_wants(s->options, name) : strcmp(name, s->name) == 0);
}

bool fx_module_has(const fx_module *module, const fx_recorder_options *options) {
    search s = {.options = options, .found = !options->one_kernel};
    if (!s.found) {
        fx_elf_functions(module->cubin, module->cubin_bytes, look, &s);
    }
    return s.found;
}

bool fx_module_names(const fx_module *module, const char *name) {
    search s = {.name = name};
    fx_elf_functions(module->cubin, module->cubin_bytes, look, &s);
    return s.found;
}

void fx_module_free(fx_module *module) {
    if (module) {
        free(module->cubin);
        free(module->functions);
        free(module->streams);
        free(module);
    }
}

CUmodule fx_module_handle(const fx_module *module) {
    return module->handle;
}

uint64_t fx_module_number(const fx_module *module) {
    return module->number;
}

/* Under a name of its own first: several processes may write the same one. */
static void write_cubin(const fx_module *module, const char *folder) {
    char path[4096], temporary[4160];
    (void)snprintf(path, sizeof path, "%s/%s.cubin", folder, module->hash);
    (void)snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *file = access(path, F_OK) == 0 ? NULL : fopen(temporary, "wbe");
    if (file) {
        const bool whole = fwrite(module->cubin, 1, module->cubin_bytes, file) == module->cubin_bytes;
        if (fclose(file) != 0 || !whole || rename(temporary, path) != 0) {
            (void)unlink(temporary); /* without it, lines are not known: the reader says so */
        }
    }
}

const char *fx_module_hash(fx_module *module, const char *folder) {
    if (!*module->hash) {
        fx_sha256(module->cubin, module->cubin_bytes, module->hash);
    }
    if (folder && *folder && !module->written) {
        module->written = true;
        write_cubin(module, folder);
    }
    return module->hash;
}

static void add_function(void *to, const char *name) {
    fx_module_finder *finder = to;
    fx_module *module = finder->module;
    function found = {.name = name};
    if (finder->api->GetFunctionPcAndSize(module->handle, name, &found.start, &found.bytes) != SANITIZER_SUCCESS) {
        return;
    }
    function *grown = realloc(module->functions, (module->function_count + 1) * sizeof *grown);
    if (grown) {
        module->functions = grown;
        grown[module->function_count++] = found;
    }
}

fx_book_place fx_module_find(void *finder, uint64_t pc) {
    fx_module *module = ((fx_module_finder *)finder)->module;
    if (!module->looked_up) {
        module->looked_up = true;
        fx_elf_functions(module->cubin, module->cubin_bytes, add_function, finder);
    }
    for (size_t i = 0; i < module->function_count; i++) {
        const function *f = &module->functions[i];
        if (pc - f->start < f->bytes) {
            return (fx_book_place){f->name, f->start};
        }
    }
    return (fx_book_place){NULL, 0};
}
