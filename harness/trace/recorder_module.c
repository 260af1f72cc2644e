#include "recorder_module.h"

#include <unistd.h>

#include "recorder_elf.h"

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

typedef struct search {
    const fx_recorder_options *options;
    bool found;
} search;

static void look(void *to, const char *name, bool is_kernel) {
    search *s = to;
    s->found = s->found || (is_kernel && fx_recorder_wants(s->options, name));
}

fx_status fx_module_load(const Sanitizer_ResourceModuleData *data, const fx_recorder_options *options, fx_module **out,
                         fx_error *err) {
    search s = {.options = options, .found = !options->one_kernel};
    fx_module *module = calloc(1, sizeof *module);
    if (!s.found) {
        fx_elf_functions(data->pCubin, data->cubinSize, look, &s);
    }
    void *copy = module && s.found ? malloc(data->cubinSize + 1) : NULL;
    if (!module || (s.found && !copy)) {
        free(module);
        return fx_fail(err, FX_NO_MEMORY, "out of memory for a module's machine code");
    }
    *module = (fx_module){.handle = data->module, .context = data->context};
    if (copy && data->cubinSize) {
        memcpy(copy, data->pCubin, data->cubinSize);
        module->cubin = copy;
        module->cubin_bytes = data->cubinSize;
        module->hash = fx_hash_of(copy, data->cubinSize);
    } else {
        free(copy);
    }
    *out = module;
    return FX_OK;
}

void fx_module_unload(fx_module *module) {
    free(module->cubin);
    module->cubin = NULL;
    module->gone = true;
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

typedef struct learning {
    const fx_api *api;
    CUmodule handle;
    fx_functions found;
} learning;

static void add_function(void *to, const char *name, bool is_kernel) {
    learning *s = to;
    struct fx_function one = {.name = NULL};
    if (is_kernel || s->api->GetFunctionPcAndSize(s->handle, name, &one.start, &one.bytes) != SANITIZER_SUCCESS) {
        return;
    }
    struct fx_function *grown = realloc(s->found.items, (s->found.count + 1) * sizeof *grown);
    one.name = strdup(name);
    one.is_runtime = strstr(name, "cudaCDP") || strstr(name, "cnprt") || strstr(name, "cnpv2");
    if (grown) {
        s->found.items = grown;
    }
    if (grown && one.name) {
        grown[s->found.count++] = one;
    }
}

const fx_functions *fx_module_functions(const fx_api *api, fx_module *module) {
    fx_functions *known = atomic_load(&module->functions);
    if (known) {
        return known;
    }
    learning s = {.api = api, .handle = module->handle};
    fx_functions *fresh = malloc(sizeof *fresh);
    if (!fresh) {
        return NULL;
    }
    fx_elf_functions(module->cubin, module->cubin_bytes, add_function, &s);
    *fresh = s.found;
    /* where another thread was faster, what this one found is left */
    return atomic_compare_exchange_strong(&module->functions, &known, fresh) ? fresh : known;
}

const struct fx_function *fx_functions_at(const fx_functions *functions, uint64_t pc) {
    for (size_t i = 0; functions && i < functions->count; i++) {
        if (pc - functions->items[i].start < functions->items[i].bytes) {
            return &functions->items[i];
        }
    }
    return NULL;
}

char *fx_module_name(const fx_module *module, char out[FX_MODULE_HASH_TEXT]) {
    (void)snprintf(out, FX_MODULE_HASH_TEXT, "%016llx%016llx", (unsigned long long)module->hash.word[0],
                   (unsigned long long)module->hash.word[1]);
    return out;
}

/* Of several processes that have it, one writes the file. */
void fx_module_write(fx_module *module, const char *folder) {
    char path[4096], name[FX_MODULE_HASH_TEXT];
    if (!folder || !*folder || !module->cubin || atomic_exchange(&module->written, true)) {
        return;
    }
    (void)snprintf(path, sizeof path, "%s/%s.cubin", folder, fx_module_name(module, name));
    FILE *file = fopen(path, "wbxe");
    if (file) {
        const bool whole = fwrite(module->cubin, 1, module->cubin_bytes, file) == module->cubin_bytes;
        if (fclose(file) != 0 || !whole) {
            (void)unlink(path); /* without it, lines are not known: the reader says so */
        }
    }
}
