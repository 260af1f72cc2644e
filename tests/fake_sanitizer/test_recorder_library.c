/* The recorder as the driver would load it, over a stand-in for NVIDIA's library. Usage: PROGRAM RECORDER SANITIZER;
 * exit status 0 if the traces that it leaves hold what was played. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zlib.h>

#include "played_program.h"

enum { SHAPES = 50, REPEATS = 4, THREADS = 3, IDLE = 16, RIGHT = 9, RANGES = 400 };

static bool patches(unsigned patched, unsigned unpatched) {
    if (state->patched != patched || state->unpatched != unpatched) {
        fprintf(stderr, "patched %u times, not %u, and back %u, not %u\n", (unsigned)state->patched, patched,
                (unsigned)state->unpatched, unpatched);
        return false;
    }
    return true;
}

/* Launches of many shapes, of which the first of each is recorded, while other threads do the same and modules come and
 * go. A kernel runs until its thread has waited for it. */
static void *launch_many(void *nothing) {
    for (unsigned i = 0; i < SHAPES * REPEATS; i++) {
        Sanitizer_LaunchData data = a_launch(3, "both", 1 + i / REPEATS);
        ask(SANITIZER_API_ENTER, 3, "both", data.gridDim_x);
        (void)pthread_rwlock_rdlock(&state->driver);
        state->running++;
        play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
        access_memory(data_of_launch(), "both", data.gridDim_x, 0x4000, true);
        play(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
        (void)pthread_rwlock_unlock(&state->driver);
        ask(SANITIZER_API_EXIT, 3, "both", data.gridDim_x);
        state->running--;
        wait_for_stream();
    }
    return nothing;
}

/* Modules come and go, each while the driver is locked. */
static void *load_many(void *nothing) {
    static const char *const more[] = {"more", NULL};
    for (uintptr_t i = 0; i < SHAPES; i++) {
        driver_lock();
        (void)usleep(100); /* long enough for a launch to end meanwhile */
        load(8 + i, more);
        memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, (1 + i) << 32, SANITIZER_MEMORY_FLAG_MANAGED);
        driver_unlock();
        driver_lock();
        memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, (1 + i / 4) << 32, 0);
        unload(8 + i);
        driver_unlock();
    }
    return nothing;
}

static int threads(void) {
    pthread_t others[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_create(&others[i], NULL, i ? launch_many : load_many, NULL);
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(others[i], NULL);
    }
    return state->disturbed || state->overlaps ? 1 : RIGHT;
}

static atomic_uint lost;

/* A context of its own, whose modules are loaded, used and unloaded. */
static void *load_own(void *number) {
    static const char *const more[] = {"more", NULL};
    in_context = 1000 + (uintptr_t)number;
    create_context(in_context);
    for (unsigned i = 0; i < SHAPES; i++) {
        in_module = 10000 + 100 * (uintptr_t)number + i;
        load(in_module, more);
        lost += !launch(in_module, "more", 1 + i + SHAPES * (unsigned)(uintptr_t)number);
        synchronize();
        unload(in_module);
    }
    const Sanitizer_ResourceContextData context = {.context = (CUcontext)in_context};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &context);
    return NULL;
}

/* Threads with a context each load modules at once: all are patched, one after the other. */
static int loads(void) {
    pthread_t others[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        (void)pthread_create(&others[i], NULL, load_own, (void *)i);
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(others[i], NULL);
    }
    return state->overlaps || lost || !patches(1 + SHAPES * THREADS, 0) ? 1 : RIGHT;
}

static int times(void) {
    pthread_t other;
    state->has_events = true;
    (void)pthread_create(&other, NULL, load_many, NULL);
    (void)launch_many(NULL);
    (void)pthread_join(other, NULL);
    ask(SANITIZER_API_ENTER, 3, "one", 1000);
    (void)pthread_create(&other, NULL, launch_many, NULL);
    (void)pthread_join(other, NULL);
    ask(SANITIZER_API_EXIT, 3, "one", 1000);
    state->events = 0;
    for (int i = 0; i < REPEATS; i++) { /* as many of a shape as are wanted are timed */
        (void)launch(3, "one", 7);
    }
    return state->patched || state->closed || state->late || state->events != 3 ? 1 : RIGHT;
}

/* A module is unpatched once nothing of it is recorded any more and nothing of its context runs, and patched again for
 * a shape that is new. */
static int changes(void) {
    bool fine = launch(3, "one", 1000);
    for (unsigned i = 0; i < IDLE; i++) {
        fine = !launch(3, "one", 1000) && fine;
    }
    fine = patches(1, 0) && fine;
    wait_for_stream();
    fine = patches(1, 1) && fine;
    fine =
        !launch(3, "one", 1000) && launch(4, "two", 7) == false && patches(1, 1) && fine; /* the first may still run */
    wait_for_event();
    fine = launch(4, "two", 8) && patches(2, 1) && fine;
    for (unsigned i = 0; i < IDLE; i++) {
        (void)launch(3, "one", 1000);
    }
    on_stream = 12;
    (void)launch(3, "one", 1000);
    wait_for_stream(); /* another stream has launches, too */
    fine = patches(2, 1) && fine;
    synchronize();
    fine = patches(2, 2) && fine;
    call(SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_v2, 13, CUDA_SUCCESS, NULL);
    fine = !launch(3, "one", 3) && patches(2, 2) && fine; /* a change could end a capture */
    synchronize();
    const Sanitizer_ResourceStreamData stream = {.stream = (CUstream)13};
    play(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_STREAM_DESTROY_STARTING, &stream);
    fine = launch(3, "one", 3) && patches(3, 2) && fine;
    return fine && !state->disturbed ? RIGHT : 1;
}

/* Only what is launched between the profiler's calls is recorded and counted; its module is patched then. */
static int range(void) {
    bool fine = !launch(3, "one", 1000) && patches(0, 0);
    synchronize();
    call(SANITIZER_CBID_DRIVER_API_cuProfilerStart, 0, CUDA_SUCCESS, NULL);
    fine = launch(4, "two", 7) && !launch(4, "two", 7) && patches(1, 0) && fine;
    call(SANITIZER_CBID_DRIVER_API_cuProfilerStop, 0, CUDA_SUCCESS, NULL);
    fine = !launch(4, "two", 8) && fine;
    synchronize();
    return fine ? RIGHT : 1;
}

/* Handles of modules, functions and events come back; graphs; what has no configuration. */
static int program(void) {
    static const char *const first[] = {"prepare_0", "compute_0", NULL},
                             *const second[] = {"prepare_1", "compute_1", NULL},
                             *const of_graph[] = {"node", "other", NULL};
    memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, 0x4000, SANITIZER_MEMORY_FLAG_MANAGED);
    memory(SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC, 0x6000, SANITIZER_MEMORY_FLAG_NONE);
    memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, 0x900000, SANITIZER_MEMORY_FLAG_NONE);
    for (uint64_t i = RANGES; i > 0; i--) {
        memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, i << 32, SANITIZER_MEMORY_FLAG_MANAGED);
    }
    for (uint64_t i = 2; i <= RANGES; i++) {
        memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, i << 32, 0);
    }
    bool fine = launch(3, "one", 1000);
    memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, 0x4000, 0);
    memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, 0x6000, 0);
    memory(SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, (uint64_t)1 << 32, 0);
    unload(2);
    load(2, first);
    fine = launch(3, "prepare_0", 10) && !launch(3, "prepare_0", 10) && launch(4, "compute_0", 10) && fine;
    synchronize();
    unload(2);
    load(2, second);
    fine = launch(3, "prepare_1", 10) && launch(4, "compute_1", 10) && fine;
    in_module = 6;
    load(6, of_graph);
    play(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATING, &(Sanitizer_GraphExecData){0});
    launch_graph();
    launch_graph();
    const struct {
        const void *config;
        CUfunction function;
    } arguments = {NULL, (CUfunction)3};
    const CUresult refused = CUDA_ERROR_INVALID_VALUE;
    Sanitizer_CallbackData data = {.callbackSite = SANITIZER_API_ENTER,
                                   .functionParams = &arguments,
                                   .functionReturnValue = &refused,
                                   .symbolName = "one",
                                   .context = (CUcontext)1};
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx, &data);
    data.callbackSite = SANITIZER_API_EXIT;
    play(SANITIZER_CB_DOMAIN_DRIVER_API, SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx, &data);
    synchronize();
    return fine ? RIGHT : 1;
}

/* More than the ring holds, of which nothing is lost. */
static int much(void) {
    const void *user = begin(3, "one", 1);
    for (uint64_t i = 0; i < 100000; i++) {
        access_memory(user, "one", 1, 0x10000 + 4096 * (i * i % 1009), true);
    }
    synchronize();
    return RIGHT;
}

/* A kernel fails: what it did until then is kept, although it has left a place empty, and the program is not held up.
 */
static int fault(void) {
    const void *user = begin(3, "one", 1);
    access_memory(user, "one", 1, 0x4000, true);
    access_memory(user, "one", 1, 0x5000, false);
    for (unsigned i = 0; i < SHAPES; i++) {
        call(SANITIZER_CBID_DRIVER_API_cuCtxSynchronize, 0, CUDA_ERROR_ILLEGAL_ADDRESS, NULL);
    }
    return RIGHT;
}

static _Thread_local bool leaving;

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
void *__libc_malloc(size_t size);
void *malloc(size_t size);

/* The handler may have interrupted malloc: what exit() runs then must not call it. */
void *malloc(size_t size) {
    if (leaving) {
        _exit(1);
    }
    return __libc_malloc(size);
}
#endif

static void leave(int number) {
    (void)number;
    leaving = true;
    exit(RIGHT);
}

/* A handler that calls exit(), as many programs' of SIGINT do, while launches are made and recorded. */
static int handler(void) {
    const struct itimerval when = {.it_value = {.tv_usec = 200000}};
    if (signal(SIGALRM, leave) == SIG_ERR || setitimer(ITIMER_REAL, &when, NULL)) {
        return 1;
    }
    for (unsigned grid = 1;; grid++) {
        const void *user = begin(3, "one", grid);
        for (unsigned i = 0; i < 100; i++) {
            access_memory(user, "one", grid, 0x4000 + 64 * i, true);
        }
        wait_for_stream();
    }
}

/* What the program has waited for is in the files when it ends without any notice. */
static int no_end(void) {
    for (unsigned i = 0; i < 1001; i++) {
        (void)launch(3, "one", 10);
    }
    wait_for_stream();
    for (unsigned i = 0; i < 99; i++) {
        (void)launch(3, "one", 10);
    }
    _exit(RIGHT);
}

typedef struct counted {
    uint32_t kernel, grid[3], block[3], used;
    uint64_t launches, recorded;
} counted;

/* The file of counts has these launches of a kernel. */
static bool has_count(uint32_t kernel, uint32_t grid, uint64_t launches, uint64_t recorded) {
    counted one;
    bool found = false;
    FILE *in = fopen("t.counts", "rb");
    while (in && !found && fread(&one, sizeof one, 1, in) == 1) {
        found = one.used == 1 && one.kernel == kernel && one.grid[0] == grid && one.block[0] == 32 &&
                one.launches == launches && one.recorded == recorded;
    }
    if (in) {
        (void)fclose(in);
    }
    return found;
}

static bool counts_without_end(void) {
    return has_count(0, 10, 1100, 1);
}

static bool counts_of_program(void) {
    return has_count(1, 10, 2, 1) && has_count(5, 4, 2, 1);
}

static bool counts_of_range(void) {
    return has_count(0, 7, 2, 1);
}

#define LAUNCH(total, recorded, of_graph)                                                                              \
    "\"graph\":" of_graph ",\"cooperative\":false,\"grid\":[" total ",1,1],\"block\":[32,1,1],\"cluster\":[1,1,1],"    \
    "\"blocks\":{\"total\":" recorded "}"

static const char *const as_played[] = {
    "\"recorder\":\"injected\"",
    "{\"kernel\":{\"id\":0,\"name\":\"one\",\"module\":\"",
    "\"code_bytes\":4096}}\n",
    LAUNCH("1000", "1000,\"recorded\":64",
           "false") ",\"shared_bytes\":0,\"managed\":[[16384,4096],[24576,4096],[4294967296,4096]],",
    LAUNCH("10", "10,\"recorded\":10", "false") ",\"shared_bytes\":0,\"time_ns\":null}}",
    "{\"instruction\":{\"id\":0,\"kernel\":0,\"pc\":32,\"space\":\"global\",\"op\":\"load\",\"width\":4}}\n",
    "\"name\":\"prepare_0\"",
    "\"name\":\"compute_0\"",
    "\"name\":\"prepare_1\"",
    "\"name\":\"compute_1\"",
    "\"name\":\"node\"",
    "\"name\":\"other\"",
    LAUNCH("4", "8,\"recorded\":8", "true"),
    LAUNCH("4", "4,\"recorded\":4", "true"),
    "{\"columns\":{\"launch\":5,\"count\":2}",
    "{\"columns\":{\"launch\":6,\"count\":1}",
    "{\"note\":{\"code\":\"unannounced\",\"text\":\"2 accesses",
    "{\"end\":{\"status\":9,\"signal\":null,\"launches\":12,",
    NULL,
};
static const char *const ranged[] = {"{\"end\"", NULL};
static const char *const timed[] = {"\"time_ns\":250000}", "{\"note\":{\"code\":\"overlap\"", NULL};
static const char *const named_streams[] = {"{\"note\":{\"code\":\"streams\"", NULL};
static const char *const whole[] = {"{\"end\":{\"status\":9", NULL};
static const char *const failed[] = {"{\"columns\":{\"launch\":0,\"count\":1}", "{\"note\":{\"code\":\"failed\"", NULL};
static const char *const cut[] = {"{\"columns\":{\"launch\":0,\"count\":1}",
                                  "\"blocks\":{\"total\":10,\"recorded\":10}", NULL};

static char text[1 << 25];

/* Whether the trace has all of these. */
static bool holds(const char *const *texts) {
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

/* Of all frames of records together. */
static bool has_every_access(void) {
    unsigned long long sum = 0;
    gzFile in = gzopen("t", "rb");
    const int size = in ? gzread(in, text, sizeof text - 1) : 0;
    (void)gzclose(in);
    for (int at = 0; at < size; at++) {
        static const char begins[] = "{\"columns\":{\"launch\":0,\"count\":";
        if (memcmp(text + at, begins, sizeof begins - 1) == 0) {
            const char *line = text + at + sizeof begins - 1, *end = strchr(line, '\n');
            const size_t count = strtoul(line, NULL, 10);
            for (size_t i = 0; i < count; i++) {
                uint16_t times;
                memcpy(&times, end + 1 + 22 * count + 2 * i, sizeof times);
                sum += times;
            }
        }
    }
    return sum == 100000;
}

int main(int count, char **words) {
    char folder[] = "/tmp/gpufx-recorder-XXXXXX";
    if (count != 3 || !mkdtemp(folder) || chdir(folder) != 0) {
        return 2;
    }
    if (setenv("GPUFX_TRACE_FILE", "t", 1) || setenv("GPUFX_TRACE_SANITIZER", words[2], 1) ||
        setenv("GPUFX_TRACE_LAUNCHES", "1", 1) || setenv("GPUFX_TRACE_BLOCKS", "64", 1) ||
        setenv("GPUFX_TRACE_MEMORY", "1048576", 1)) {
        return 2;
    }
    static const struct {
        const char *name;
        int (*run)(void);
        const char *const *wanted;
        bool (*check)(void);
        const char *variable, *value; /* of its environment */
    } programs[] = {{.name = "threads", .run = threads, .wanted = whole},
                    {.name = "loads", .run = loads, .wanted = whole},
                    {"times", times, timed, NULL, "GPUFX_TRACE_TIME", "1"},
                    {.name = "changes", .run = changes, .wanted = named_streams},
                    {"range", range, ranged, counts_of_range, "GPUFX_TRACE_RANGE", "profiler"},
                    {.name = "program", .run = program, .wanted = as_played, .check = counts_of_program},
                    {.name = "much", .run = much, .wanted = whole, .check = has_every_access},
                    {.name = "fault", .run = fault, .wanted = failed},
                    {.name = "handler", .run = handler, .wanted = whole},
                    {.name = "no_end", .run = no_end, .wanted = cut, .check = counts_without_end}};
    bool fine = true;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            const bool set = !programs[i].variable || !setenv(programs[i].variable, programs[i].value, 1);
            exit(set && start(words[1], words[2]) ? programs[i].run() : 1);
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != RIGHT) {
            fprintf(stderr, "%s ended by %d\n", programs[i].name, status);
            fine = false;
        }
        if (!holds(programs[i].wanted) || (programs[i].check && !programs[i].check())) {
            fprintf(stderr, "%s: not as it should be\n", programs[i].name);
            fine = false;
        }
        (void)unlink("t.counts");
    }
    (void)unlink("t");
    (void)rmdir(folder);
    return fine ? 0 : 1;
}
