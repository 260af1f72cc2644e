/* The recorder as the driver would load it, over a stand-in for NVIDIA's library. Usage: PROGRAM RECORDER SANITIZER;
 * exit status 0 if the traces that it leaves hold what was played. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zlib.h>

#include "fake_sanitizer.h"
#include "trace/recorder_words.h"

enum { SHAPES = 50, REPEATS = 4, THREADS = 3 };

static fake_player *play;
static fake_data_getter *data_of_launch;
static fake_state *state;

static void *named(void *library, const char *name, void *out) {
    void *found = dlsym(library, name);
    memcpy(out, &found, sizeof found);
    return found;
}

static uintptr_t in_context = 1, on_stream = 11;

static Sanitizer_LaunchData a_launch(uintptr_t function, const char *name, unsigned grid) {
    return (Sanitizer_LaunchData){.context = (CUcontext)in_context,
                                  .module = (CUmodule)2,
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

/* What a kernel of one access would do. */
static void access_memory(uint64_t pc) {
    if (data_of_launch() && state->patched > state->unpatched) {
        fx_track *track = (fx_track *)data_of_launch();
        uint64_t *to = track->word + track->cursor;
        to[0] = pc | (uint64_t)FX_GLOBAL_LOAD << FX_KIND_SHIFT;
        to[1] = (uint64_t)4 << 32 | 1;
        to[2] = 0;
        to[3] = 0x4000;
        track->cursor += FX_HEAD_WORDS + 1;
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

static void launch(uintptr_t function, const char *name, unsigned grid, bool fails) {
    Sanitizer_LaunchData data = a_launch(function, name, grid);
    ask(SANITIZER_API_ENTER, function, name, grid);
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    access_memory(FAKE_PC + 0x20);
    state->failing = fails;
    data.gridDim_x = data.blockDim_x = 0; /* as it is at the end */
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
    ask(SANITIZER_API_EXIT, function, name, grid);
}

/* One graph: a kernel twice, another between; each accesses memory after all were announced. */
static void launch_graph(void) {
    static const struct {
        uintptr_t function;
        const char *name;
        uint64_t pc;
    } nodes[] = {{7, "node", FAKE_PC}, {8, "other", FAKE_PC + FAKE_BYTES}, {7, "node", FAKE_PC}};
    for (size_t i = 0; i < 3; i++) {
        Sanitizer_GraphNodeLaunchData node = {.graphExec = (CUgraphExec)5, .nodeType = CU_GRAPH_NODE_TYPE_KERNEL};
        node.launchData = a_launch(nodes[i].function, nodes[i].name, 4);
        play(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, &node);
    }
    for (size_t i = 0; i < 3; i++) {
        access_memory(nodes[i].pc);
    }
    const Sanitizer_GraphLaunchData end = {.context = (CUcontext)1, .graphExec = (CUgraphExec)5};
    play(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_LAUNCH_END, &end);
}

static void load(const char *code) {
    const Sanitizer_ResourceModuleData module = {
        .context = (CUcontext)in_context, .module = (CUmodule)2, .cubinSize = strlen(code), .pCubin = code};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &module);
}

static void unload(void) {
    const Sanitizer_ResourceModuleData module = {.context = (CUcontext)in_context, .module = (CUmodule)2};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &module);
}

static void *in_thread(void *of_what) {
    if (of_what) {
        const Sanitizer_ResourceContextData context = {.context = (CUcontext)in_context};
        play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &context);
    } else {
        unload();
    }
    return NULL;
}

static void meanwhile(void *of_what) {
    pthread_t thread;
    state->on_wait = NULL;
    if (pthread_create(&thread, NULL, in_thread, of_what) == 0) {
        (void)pthread_join(thread, NULL);
    }
}

static void unload_meanwhile(void) {
    meanwhile(NULL);
}

static void destroy_meanwhile(void) {
    meanwhile(&in_context);
}

/* The program waits for a stream, or for all. */
static void synchronize(uintptr_t stream) {
    const Sanitizer_SynchronizeData data = {.context = (CUcontext)in_context, .stream = (CUstream)stream};
    play(SANITIZER_CB_DOMAIN_SYNCHRONIZE,
         stream ? SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED : SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED,
         &data);
}

/* Another thread's module or context goes while a launch of it is read. */
static void launch_and_lose(const char *name, unsigned grid, void (*lose)(void)) {
    Sanitizer_LaunchData data = a_launch(3, name, grid);
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    access_memory(FAKE_PC + 0x20);
    state->on_wait = lose;
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
}

/* Modules are patched for launches that are recorded, until there is a graph. */
static bool patches(unsigned patched, unsigned unpatched) {
    if (state->patched != patched || state->unpatched != unpatched) {
        fprintf(stderr, "patched %u times, not %u, and back %u, not %u\n", state->patched, patched, state->unpatched,
                unpatched);
        return false;
    }
    return true;
}

static bool start(const char *recorder, const char *sanitizer) {
    int (*begin)(void) = NULL;
    fake_getter *get = NULL;
    void *fake = dlopen(sanitizer, RTLD_NOW), *library = dlopen(recorder, RTLD_NOW);
    if (!fake || !library || !named(library, "InitializeInjection", &begin) || !named(fake, "fake_play", &play) ||
        !named(fake, "fake_get", &get) || !named(fake, "fake_data", &data_of_launch)) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    state = get();
    state->most_bytes = 1 << 20; /* less than the recorder asks for first */
    begin();
    const Sanitizer_ResourceContextData context = {.context = (CUcontext)1};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED, &context);
    load("abc");
    return true;
}

/* Launches of many shapes, of which the first of each is recorded, while other threads do the same. A kernel runs until
 * the recorder has read it, or until its thread has waited for it. */
static void *launch_many(void *nothing) {
    for (unsigned i = 0; i < SHAPES * REPEATS; i++) {
        Sanitizer_LaunchData data = a_launch(3, "both", 1 + i / REPEATS);
        ask(SANITIZER_API_ENTER, 3, "both", data.gridDim_x);
        (void)pthread_rwlock_rdlock(&state->driver);
        state->running++;
        play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
        play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
        const bool recorded = data_of_launch();
        state->running -= recorded;
        (void)pthread_rwlock_unlock(&state->driver);
        ask(SANITIZER_API_EXIT, 3, "both", data.gridDim_x);
        state->running -= !recorded;
        synchronize(11);
    }
    return nothing;
}

static int threads(const char *recorder, const char *sanitizer) {
    pthread_t others[THREADS];
    if (!start(recorder, sanitizer)) {
        return 1;
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_create(&others[i], NULL, launch_many, NULL);
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(others[i], NULL);
    }
    return state->disturbed || state->patched < 2 ? 1 : 9;
}

/* Modules come and go, each while the driver is locked. */
static void *load_many(void *nothing) {
    for (size_t i = 0; i < SHAPES; i++) {
        const Sanitizer_ResourceModuleData module = {
            .context = (CUcontext)in_context, .module = (CUmodule)(8 + i), .cubinSize = 3, .pCubin = "abf"};
        (void)pthread_rwlock_wrlock(&state->driver);
        (void)usleep(100); /* long enough for a launch to end meanwhile */
        play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &module);
        (void)pthread_rwlock_unlock(&state->driver);
        (void)pthread_rwlock_wrlock(&state->driver);
        play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &module);
        (void)pthread_rwlock_unlock(&state->driver);
    }
    return nothing;
}

static pthread_barrier_t begun;

/* A launch that is not recorded, whose kernel runs as soon as the recorder lets the driver go on. */
static void *launch_once(void *wait) {
    Sanitizer_LaunchData data = a_launch(3, "one", 1000);
    ask(SANITIZER_API_ENTER, 3, "one", 1000);
    state->running++;
    if (wait) {
        (void)pthread_barrier_wait(&begun);
        (void)usleep(100000);
    }
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
    ask(SANITIZER_API_EXIT, 3, "one", 1000);
    return NULL;
}

static int times(const char *recorder, const char *sanitizer) {
    pthread_t others[THREADS];
    if (setenv("GPUFX_TRACE_TIME", "1", 1) || !start(recorder, sanitizer)) {
        return 1;
    }
    state->has_events = true;
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_create(&others[i], NULL, i ? launch_many : load_many, NULL);
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(others[i], NULL);
    }
    ask(SANITIZER_API_ENTER, 3, "one", 1000);
    (void)pthread_create(&others[0], NULL, launch_once, NULL);
    (void)pthread_join(others[0], NULL);
    ask(SANITIZER_API_EXIT, 3, "one", 1000);
    return state->patched ? 1 : 9;
}

static void wait_for_all(void) {
    const CUresult result = CUDA_SUCCESS;
    Sanitizer_CallbackData data = {
        .callbackSite = SANITIZER_API_ENTER, .functionReturnValue = &result, .context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuCtxSynchronize, &data);
    state->running = 0;
    synchronize(0);
    data.callbackSite = SANITIZER_API_EXIT;
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuCtxSynchronize, &data);
}

/* A call of the driver's on a stream, whose result is this one. */
static void capture(Sanitizer_CallbackId id, CUresult result) {
    Sanitizer_CallbackData data = {
        .callbackSite = SANITIZER_API_ENTER, .functionReturnValue = &result, .context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_DRIVER_API, id, &data);
    data.callbackSite = SANITIZER_API_EXIT;
    play(SANITIZER_CB_DOMAIN_DRIVER_API, id, &data);
}

static void create_graph(void) {
    play(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATING, &(Sanitizer_GraphExecData){0});
}

static int others(const char *recorder, const char *sanitizer) {
    pthread_t thread;
    if (!start(recorder, sanitizer) || pthread_barrier_init(&begun, NULL, 2) != 0) {
        return 1;
    }
    launch(3, "one", 1000, false);
    launch(3, "one", 1000, false);
    (void)pthread_create(&thread, NULL, launch_once, NULL);
    (void)pthread_join(thread, NULL);
    bool fine = patches(1, 1);
    wait_for_all(); /* for a launch of a thread that is no more, too */
    capture(SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_v2, CUDA_SUCCESS);
    launch(3, "one", 3, false); /* modules stay as they are while a stream is captured */
    fine = patches(1, 1) && fine;
    wait_for_all();
    capture(SANITIZER_CBID_DRIVER_API_cuStreamEndCapture, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    launch(3, "one", 2, false);
    fine = patches(2, 1) && fine;
    launch(3, "one", 2, false);
    wait_for_all();
    (void)pthread_create(&thread, NULL, launch_once, &begun);
    (void)pthread_barrier_wait(&begun);
    create_graph(); /* beside another thread's launch, whose module stays as it is */
    (void)pthread_join(thread, NULL);
    fine = patches(2, 2) && !state->disturbed && fine;
    wait_for_all();
    create_graph();
    launch_graph();
    return patches(3, 2) && !state->disturbed && fine ? 9 : 1;
}

static int program(const char *recorder, const char *sanitizer) {
    if (!start(recorder, sanitizer)) {
        return 1;
    }
    launch(3, "one", 1000, false);
    bool fine = patches(1, 0);
    launch(3, "one", 1000, false);
    fine = patches(1, 1) && fine;
    launch(3, "one", 3, false); /* while the one before may run, nothing is changed, and nothing recorded */
    synchronize(11);
    launch(3, "one", 2, false);
    fine = patches(2, 1) && fine;
    launch(3, "one", 2, false);
    on_stream = 12; /* nor where it may run on another stream */
    launch(3, "one", 7, false);
    synchronize(12);
    launch(3, "one", 7, false);
    fine = patches(2, 2) && fine;
    synchronize(11);
    synchronize(12);
    launch(3, "one", 7, false);
    fine = patches(3, 2) && fine;
    launch_and_lose("one", 5, unload_meanwhile);
    load("abd"); /* another module and another function, with the handles of those that are gone */
    launch(3, "uno", 1000, false);
    launch(3, "uno", 1000, false);
    fine = patches(4, 3) && fine;
    synchronize(0);
    create_graph();
    launch_graph();
    launch(3, "uno", 1000, false);
    fine = patches(5, 3) && state->freed == 0 && fine;
    launch(4, "broken", 1, true);
    state->failing = false;
    in_context = 6;
    load("abe");
    launch_and_lose("lost", 1, destroy_meanwhile);
    return fine && state->freed == 2 ? 9 : 1;
}

static const char *const wanted[] = {
    "\"recorder\":\"injected\"",
    "{\"kernel\":{\"id\":0,\"name\":\"one\",\"module\":"
    "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","
    "\"code_bytes\":4096}}\n",
    "\"grid\":[1000,1,1],\"block\":[32,1,1],\"cluster\":[1,1,1],\"blocks\":{\"total\":1000,\"recorded\":64},"
    "\"accesses\":{\"seen\":1,\"kept\":1}",
    "\"grid\":[2,1,1],\"block\":[32,1,1],\"cluster\":[1,1,1],\"blocks\":{\"total\":2,\"recorded\":2}",
    "{\"instruction\":{\"id\":0,\"kernel\":0,\"pc\":32,\"space\":\"global\",\"op\":\"load\",\"width\":4}}\n",
    "\"graph\":true,\"cooperative\":false,\"grid\":[4,1,1],\"block\":[32,1,1],\"cluster\":[1,1,1],"
    "\"blocks\":{\"total\":8,\"recorded\":8},\"accesses\":{\"seen\":2,\"kept\":2}",
    "{\"kernel\":{\"id\":1,\"name\":\"uno\",\"module\":"
    "\"a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9\"",
    "nothing of it is kept (its module was unloaded meanwhile)",
    "{\"calls\":[{\"kernel\":0,\"grid\":[7,1,1],\"block\":[32,1,1],\"launches\":3,\"recorded\":1}]}\n",
    "{\"note\":{\"code\":\"streams\"",
    "{\"note\":{\"code\":\"graph\"",
    "{\"calls\":[{\"kernel\":0,\"grid\":[1000,1,1],\"block\":[32,1,1],\"launches\":2,\"recorded\":1}]}\n",
    "{\"end\":{\"status\":9,\"signal\":null,\"launches\":17,",
    NULL,
};
static const char *const timed[] = {"\"time_ns\":250000}", "{\"note\":{\"code\":\"overlap\"", NULL};
static const char *const no_more[] = {NULL};

/* Whether the trace has all of these. */
static bool holds(const char *const *texts) {
    char text[1 << 16];
    gzFile in = gzopen("t", "rb");
    const int size = in ? gzread(in, text, sizeof text) : -1;
    bool all = true;
    for (; *texts; texts++) {
        if (size <= 0 || !memmem(text, (size_t)size, *texts, strlen(*texts))) {
            fprintf(stderr, "the trace has no %s\n", *texts);
            all = false;
        }
    }
    if (!all && size > 0) {
        (void)fwrite(text, 1, (size_t)size, stderr);
    }
    (void)gzclose(in);
    return all;
}

int main(int count, char **words) {
    char folder[] = "/tmp/gpufx-recorder-XXXXXX";
    if (count != 3 || !mkdtemp(folder) || chdir(folder) != 0) {
        return 2;
    }
    if (setenv("GPUFX_TRACE_FILE", "t", 1) || setenv("GPUFX_TRACE_SANITIZER", words[2], 1) ||
        setenv("GPUFX_TRACE_LAUNCHES", "1", 1) || setenv("GPUFX_TRACE_BLOCKS", "64", 1) ||
        setenv("GPUFX_TRACE_MEMORY", "536870912", 1)) {
        return 2;
    }
    static const struct {
        int (*run)(const char *recorder, const char *sanitizer);
        const char *const *wanted;
    } programs[] = {{threads, no_more}, {times, timed}, {others, no_more}, {program, wanted}};
    bool fine = true;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            exit(programs[i].run(words[1], words[2]));
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 9) {
            fprintf(stderr, "program %zu ended by %d\n", i, status);
            return 1;
        }
        fine = holds(programs[i].wanted) && fine;
    }
    (void)unlink("t");
    (void)rmdir(folder);
    return fine ? 0 : 1;
}
