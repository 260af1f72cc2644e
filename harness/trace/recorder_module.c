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

typedef struct fx_function {
    const char *name; /* of the copied machine code */
    uint64_t start, bytes;
} fx_function;

struct fx_module {
    CUmodule handle;
    uint64_t number;
    bool patched;
    running *streams; /* with launches that may still run */
    size_t stream_count;
    void *cubin;
    size_t cubin_bytes;
    char hash[FX_SHA256_TEXT];
    bool written;
    fx_functions functions;
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
    const bool shared = !stream || *stream != CU_STREAM_PER_THREAD;
    for (size_t i = module->stream_count; i-- > 0;) {
        const running *r = &module->streams[i];
        if ((!stream || r->stream == *stream) &&
            ((shared && r->launch <= last) || pthread_equal(r->thread, pthread_self()))) {
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
        free(module->functions.items);
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

typedef struct functions_sought {
    const fx_api *api;
    CUmodule handle;
    fx_functions found;
} functions_sought;

static void add_function(void *to, const char *name) {
    functions_sought *s = to;
    fx_function one = {.name = name};
    if (s->api->GetFunctionPcAndSize(s->handle, name, &one.start, &one.bytes) != SANITIZER_SUCCESS) {
        return;
    }
    fx_function *grown = realloc(s->found.items, (s->found.count + 1) * sizeof *grown);
    if (grown) {
        s->found.items = grown;
        grown[s->found.count++] = one;
    }
}

fx_functions fx_module_functions(const fx_api *api, const fx_module *module) {
    functions_sought s = {.api = api, .handle = module->handle};
    fx_elf_functions(module->cubin, module->cubin_bytes, add_function, &s);
    return s.found;
}

bool fx_module_has_functions(const fx_module *module) {
    return module->functions.items != NULL;
}

void fx_module_take_functions(fx_module *module, fx_functions functions) {
    free(module->functions.items);
    module->functions = functions;
}

fx_book_place fx_module_find(void *module, uint64_t pc) {
    const fx_functions *all = &((const fx_module *)module)->functions;
    for (size_t i = 0; i < all->count; i++) {
        const fx_function *f = &all->items[i];
        if (pc - f->start < f->bytes) {
            return (fx_book_place){f->name, f->start};
        }
    }
    return (fx_book_place){NULL, 0};
}
