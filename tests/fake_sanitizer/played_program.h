/* What a program and its driver do to the recorder: launches, accesses of their kernels, waits, graphs and modules. */
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_sanitizer.h"
#include "trace/recorder_words.h"

static fake_player *play;
static fake_data_getter *data_of_launch;
static fake_locker *driver_lock, *driver_unlock;
static fake_state *state;

static void *named(void *library, const char *name, void *out) {
    void *found = dlsym(library, name);
    memcpy(out, &found, sizeof found);
    return found;
}

static _Thread_local uintptr_t in_context = 1, in_module = 2, on_stream = 11;

static Sanitizer_LaunchData a_launch(uintptr_t function, const char *name, unsigned grid) {
    return (Sanitizer_LaunchData){.context = (CUcontext)in_context,
                                  .module = (CUmodule)in_module,
                                  .stream = (CUstream)on_stream,
                                  .hStream = (Sanitizer_StreamHandle)on_stream,
                                  .function = (CUfunction)function,
                                  .functionName = name,
                                  .gridDim_x = grid,
                                  .gridDim_y = 1,
                                  .gridDim_z = 1,
                                  .blockDim_x = 32,
                                  .blockDim_y = 1,
                                  .blockDim_z = 1,
                                  .hLaunch = (Sanitizer_LaunchHandle)function};
}

/* What recorder_patch.cu does for an access of one lane in block 0; `whole`: all its words are written. */
static void access_memory(const void *user, const char *name, unsigned grid, uint64_t address, bool whole) {
    if (!user) {
        return;
    }
    fx_ring *ring = (fx_ring *)((uintptr_t)user & 0xffffffff0000);
    const uint64_t words = FX_HEAD_WORDS + 1, at = __atomic_fetch_add(&ring->head, words, __ATOMIC_RELAXED);
    uint64_t tail;
    while ((tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) != FX_RING_CLOSED &&
           at + words - tail > ring->words) {
        (void)usleep(10);
    }
    if (tail == FX_RING_CLOSED) {
        return;
    }
    volatile uint64_t *to = ring->word + (at & (ring->words - 1));
    const uint32_t low = fx_shape_hash(grid, 1, 1, 32, 1, 1) << FX_SHAPE_SHIFT |
                         (uint32_t)((uintptr_t)user & (FX_EPOCHS - 1)) << FX_EPOCH_SHIFT;
    const uint64_t written[] = {(FAKE_PC + FAKE_BYTES * (uint64_t)name[0] + 0x20) |
                                    (uint64_t)FX_GLOBAL_LOAD << FX_KIND_SHIFT | FX_WRITTEN,
                                (uint64_t)4 << 32 | 1, low, address | FX_WRITTEN};
    for (size_t i = whole ? 0 : 1; i < words; i++) {
        __atomic_store_n(&to[i], written[i], __ATOMIC_RELEASE);
    }
}

/* The driver's call of a launch, at its beginning and its end. */
static void ask(Sanitizer_ApiCallbackSite site, uintptr_t function, const char *name, unsigned grid) {
    const struct {
        CUfunction function;
        unsigned grid[3], block[3], dynamic_bytes;
        CUstream stream;
    } arguments = {(CUfunction)function, {grid, 1, 1}, {32, 1, 1}, 0, (CUstream)on_stream};
    const CUresult result = CUDA_SUCCESS;
    const Sanitizer_CallbackData data = {.callbackSite = site,
                                         .functionParams = &arguments,
                                         .functionReturnValue = &result,
                                         .symbolName = name,
                                         .context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuLaunchKernel, &data);
}

/* Returns its user data. */
static const void *begin(uintptr_t function, const char *name, unsigned grid) {
    Sanitizer_LaunchData data = a_launch(function, name, grid);
    ask(SANITIZER_API_ENTER, function, name, grid);
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    const void *user = data_of_launch();
    data.gridDim_x = data.blockDim_x = 0; /* as it is at the end */
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
    ask(SANITIZER_API_EXIT, function, name, grid);
    return user;
}

static bool launch(uintptr_t function, const char *name, unsigned grid) {
    const void *user = begin(function, name, grid);
    access_memory(user, name, grid, 0x4000, true);
    return user != NULL;
}

/* A call of the driver's, whose first argument and result these are. */
static void call(Sanitizer_CallbackId id, uintptr_t argument, CUresult result, void (*within)(void)) {
    Sanitizer_CallbackData data = {.callbackSite = SANITIZER_API_ENTER,
                                   .functionParams = &argument,
                                   .functionReturnValue = &result,
                                   .context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_DRIVER_API, id, &data);
    if (within) {
        within();
    }
    data.callbackSite = SANITIZER_API_EXIT;
    play(SANITIZER_CB_DOMAIN_DRIVER_API, id, &data);
}

static void all_synchronized(void) {
    const Sanitizer_SynchronizeData data = {.context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, &data);
}

static void stream_synchronized(void) {
    const Sanitizer_SynchronizeData data = {.context = (CUcontext)in_context,
                                            .hStream = (Sanitizer_StreamHandle)on_stream};
    play(SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, &data);
}

static void synchronize(void) {
    call(SANITIZER_CBID_DRIVER_API_cuCtxSynchronize, 0, CUDA_SUCCESS, all_synchronized);
}

static void wait_for_stream(void) {
    call(SANITIZER_CBID_DRIVER_API_cuStreamSynchronize, on_stream, CUDA_SUCCESS, stream_synchronized);
}

static void wait_for_event(void) {
    const Sanitizer_EventData data = {
        .event = (CUevent)0x70, .context = (CUcontext)in_context, .hStream = (Sanitizer_StreamHandle)on_stream};
    play(SANITIZER_CB_DOMAIN_EVENTS, SANITIZER_CBID_EVENTS_RECORD, &data);
    call(SANITIZER_CBID_DRIVER_API_cuEventSynchronize, 0x70, CUDA_SUCCESS, NULL);
}

static void graph(Sanitizer_CallbackId id) {
    const Sanitizer_GraphLaunchData data = {.context = (CUcontext)1, .graphExec = (CUgraphExec)5};
    play(SANITIZER_CB_DOMAIN_GRAPHS, id, &data);
}

/* One graph: a kernel twice, another between; each accesses memory after all were announced, and once more a kernel
 * that nobody announced. */
static void launch_graph(void) {
    static const struct {
        uintptr_t function;
        const char *name;
    } nodes[] = {{7, "node"}, {8, "other"}, {7, "node"}};
    const void *user = NULL;
    const uintptr_t exec = 5;
    const CUresult result = CUDA_SUCCESS;
    Sanitizer_CallbackData data = {.callbackSite = SANITIZER_API_ENTER,
                                   .functionParams = &exec,
                                   .functionReturnValue = &result,
                                   .context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuGraphLaunch, &data);
    graph(SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN);
    for (size_t i = 0; i < 3; i++) {
        Sanitizer_GraphNodeLaunchData node = {.graphExec = (CUgraphExec)5, .nodeType = CU_GRAPH_NODE_TYPE_KERNEL};
        node.launchData = a_launch(nodes[i].function, nodes[i].name, 4);
        play(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, &node);
        user = data_of_launch();
    }
    for (size_t i = 0; i < 3; i++) {
        access_memory(user, nodes[i].name, 4, 0x4000 + 0x1000 * i, true);
    }
    access_memory(user, "child", 4, 0x4000, true);
    access_memory(user, "node", 5, 0x4000, true); /* that launches itself, with another shape */
    graph(SANITIZER_CBID_GRAPHS_LAUNCH_END);
    data.callbackSite = SANITIZER_API_EXIT;
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuGraphLaunch, &data);
}

typedef struct cubin {
    Elf64_Ehdr head;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[4];
    char strings[64];
} cubin;

/* A module as far as the recorder reads it: with these kernels. */
static size_t a_cubin(char *out, const char *const *kernels) {
    cubin c = {.head = {.e_shoff = offsetof(cubin, sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3}};
    size_t at = 1, count = 0;
    for (; kernels[count]; count++) {
        c.symbols[count] =
            (Elf64_Sym){.st_name = (Elf64_Word)at, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_other = 0x10};
        at += strlen(strcpy(c.strings + at, kernels[count])) + 1;
    }
    c.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                 .sh_link = 2,
                                 .sh_offset = offsetof(cubin, symbols),
                                 .sh_size = count * sizeof(Elf64_Sym)};
    c.sections[2] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = offsetof(cubin, strings), .sh_size = sizeof c.strings};
    memcpy(c.head.e_ident, ELFMAG, SELFMAG);
    c.head.e_ident[EI_CLASS] = ELFCLASS64;
    c.head.e_ident[EI_DATA] = ELFDATA2LSB;
    memcpy(out, &c, sizeof c);
    return sizeof c;
}

static void load(uintptr_t number, const char *const *kernels) {
    char code[sizeof(cubin)];
    const Sanitizer_ResourceModuleData module = {.context = (CUcontext)in_context,
                                                 .module = (CUmodule)number,
                                                 .cubinSize = a_cubin(code, kernels),
                                                 .pCubin = code};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &module);
}

static void unload(uintptr_t number) {
    const Sanitizer_ResourceModuleData module = {.context = (CUcontext)in_context, .module = (CUmodule)number};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &module);
}

static void memory(Sanitizer_CallbackId id, uint64_t address, uint32_t flags) {
    const Sanitizer_ResourceMemoryData data = {.address = address, .size = 0x1000, .flags = flags};
    play(SANITIZER_CB_DOMAIN_RESOURCE, id, &data);
}

static void create_context(uintptr_t number) {
    const Sanitizer_ResourceContextData context = {.context = (CUcontext)number};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED, &context);
}

/* Loads both libraries, and makes a context with a module of two kernels. */
static bool start(const char *recorder, const char *sanitizer) {
    int (*begin_injection)(void) = NULL;
    fake_getter *get = NULL;
    void *fake = dlopen(sanitizer, RTLD_NOW), *library = dlopen(recorder, RTLD_NOW);
    if (!fake || !library || !named(library, "InitializeInjection", &begin_injection) ||
        !named(fake, "fake_play", &play) || !named(fake, "fake_get", &get) ||
        !named(fake, "fake_data", &data_of_launch) || !named(fake, "fake_lock", &driver_lock) ||
        !named(fake, "fake_unlock", &driver_unlock)) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    state = get();
    begin_injection();
    create_context(1);
    load(2, (const char *const[]){"one", "two", NULL});
    return true;
}
