/* Facts of the build come from build_info.h, which CMake rewrites at every build; facts of the host from /proc and
 * uname. What the machine does not tell is null. */
#include "provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "build_info.h"
#include "gbench/gbench_c.h"

static json_t *text_or_null(const char *text) {
    return *text ? json_string(text) : json_null();
}

json_t *fx_program_json(void) {
    return json_pack("{ss ss so sb ss ss so so ss}", "name", "gpufx", "version", FX_BUILD_VERSION, "commit",
                     text_or_null(FX_BUILD_COMMIT), "dirty", FX_BUILD_DIRTY, "build_type", FX_BUILD_TYPE, "c_compiler",
                     FX_BUILD_C_COMPILER, "cuda_compiler", text_or_null(FX_BUILD_CUDA_COMPILER), "cuda_architectures",
                     text_or_null(FX_BUILD_CUDA_ARCHITECTURES), "google_benchmark", gb_benchmark_version());
}

/* Copies the value behind "key   : " or KEY="..." of the first such line of a file; empty if there is none. */
static void value_of(const char *path, const char *key, char *value, size_t size) {
    char line[4096];
    value[0] = '\0';
    FILE *file = fopen(path, "re");
    while (file && !value[0] && fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) || !strchr(" \t:=", line[length])) {
            continue;
        }
        const char *from = line + length + strspn(line + length, " \t:=\"");
        (void)snprintf(value, size, "%.*s", (int)strcspn(from, "\"\n"), from);
    }
    if (file) {
        (void)fclose(file);
    }
}

json_t *fx_host_json(void) {
    char cpu[256], flags[4096], system[256];
    struct utsname kernel;
    struct sysinfo memory;
    value_of("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    value_of("/proc/cpuinfo", "flags", flags, sizeof flags);
    value_of("/etc/os-release", "PRETTY_NAME", system, sizeof system);
    bool named = uname(&kernel) == 0, sized = sysinfo(&memory) == 0;
    json_int_t bytes = sized ? (json_int_t)memory.totalram * (json_int_t)memory.mem_unit : 0;
    /* Only x86 lists flags; elsewhere nothing says whether this is a virtual machine. */
    json_t *virtualised = flags[0] ? json_boolean(strstr(flags, " hypervisor") != NULL) : json_null();
    return json_pack("{so sI so so so so so}", "cpu", text_or_null(cpu), "logical_cpus",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "memory_bytes",
                     sized ? json_integer(bytes) : json_null(), "os", text_or_null(system), "kernel",
                     named ? json_string(kernel.release) : json_null(), "machine",
                     named ? json_string(kernel.machine) : json_null(), "virtualised", virtualised);
}

/* Profilers and checkers that run inside the process, Nsight's among them, leave these in its environment. */
static bool is_observed(void) {
    static const char *const traces[] = {"NV_NSIGHT_INJECTION_PORT_BASE", "NSYS_PROFILING_SESSION_ID",
                                         "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        if (getenv(traces[i])) {
            return true;
        }
    }
    return false;
}

fx_status fx_run_json(fx_device *device, const fx_options *options, const char *const *arguments, size_t argument_count,
                      json_t **out, fx_error *err) {
    json_t *words = json_array();
    int wrong = !words;
    for (size_t i = 0; i < argument_count; i++) {
        /* An argument that is no UTF-8 can't stand in JSON; that it was there can. */
        char *shown = fx_options_shown(arguments[0], arguments, i);
        json_t *word = shown ? json_string(shown) : NULL;
        wrong |= !shown || json_array_append_new(words, word ? word : json_string("(not UTF-8)"));
        free(shown);
    }
    json_t *run = json_pack(
        "{ss so so so so so so sI sb sI}", "provenance", device->synthetic ? "synthetic" : "measured", "program",
        fx_program_json(), "device", device->describe_device(device), "driver", device->describe_driver(device), "host",
        fx_host_json(), "environment", device->describe_environment(device), "arguments", words, "launches",
        (json_int_t)options->processes, "quick", options->quick, "seed", (json_int_t)options->seed);
    if (run && (options->profiled || is_observed())) {
        wrong |= json_object_set_new(run, "profiled", json_true());
    }
    if (!run || wrong) {
        json_decref(run);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while describing the run");
    }
    *out = run;
    return FX_OK;
}
