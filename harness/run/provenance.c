/* Facts of the build come from build_info.h, which CMake rewrites at every build; facts of the host from /proc and
 * uname. What the machine does not tell is null. */
#include "provenance.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "archive/archive.h"
#include "build_info.h"
#include "call/parse.h"
#include "core/text.h"
#include "probe_data.h"
#include "process.h"
#include "source_hash.h"

static json_t *text_or_null(const char *text) {
    return *text ? json_string(text) : json_null();
}

json_t *fx_program_json(void) {
    return json_pack("{ss ss so sb ss ss so so ss so}", "name", "gpufx", "version", FX_BUILD_VERSION, "commit",
                     text_or_null(FX_BUILD_COMMIT), "dirty", FX_BUILD_DIRTY, "build_type", FX_BUILD_TYPE, "c_compiler",
                     FX_BUILD_C_COMPILER, "cuda_compiler", text_or_null(FX_BUILD_CUDA_COMPILER), "cuda_architectures",
                     text_or_null(FX_BUILD_CUDA_ARCHITECTURES), "google_benchmark", gb_benchmark_version(),
                     "harness_hash", text_or_null(FX_HARNESS_HASH));
}

/* Copies the value behind "key   : " or KEY="..." of the first such line of a file; empty if there is none. */
static void value_of(const char *path, const char *key, char *value, size_t size) {
    char line[4096];
    value[0] = '\0';
    FX_OWNED(fx_close_at) FILE *file = fopen(path, "re");
    while (file && !value[0] && fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) || !strchr(" \t:=", line[length])) {
            continue;
        }
        const char *from = line + length + strspn(line + length, " \t:=\"");
        (void)snprintf(value, size, "%.*s", (int)strcspn(from, "\"\n"), from);
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

/* JSON can't hold an argument that is not UTF-8, only that it was there. */
static json_t *argument_of(const char *const *arguments, size_t i) {
    FX_FREED char *shown = fx_options_shown(arguments[0], arguments, i);
    json_t *word = json_string(shown);
    return word ? word : json_string("(not UTF-8)");
}

static fx_status labels_of(const fx_options *options, json_t **out, fx_error *err) {
    json_auto_t *labels = json_object();
    for (size_t i = 0; i < options->run.labels.count; i++) {
        const char *label = options->run.labels.text[i];
        const size_t length = strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
        char key[64];
        const char *problem = !length || label[length] != '='
                                  ? "it must be KEY=VALUE, the key of letters, digits and _.-"
                              : length >= sizeof key ? "its key is too long"
                                                     : NULL;
        if (!problem) {
            (void)snprintf(key, sizeof key, "%.*s", (int)length, label);
            problem = json_object_get(labels, key) ? "its key is given twice" : NULL;
        }
        if (!problem && json_object_set_new(labels, key, json_string(label + length + 1))) {
            problem = "its value is not UTF-8";
        }
        FX_FAIL_IF(problem, err, FX_BAD_INPUT, "--label %.100s: %s", label, problem);
    }
    *out = json_incref(labels);
    return FX_OK;
}

/* Of the sources of a probe, whose folder has its name; "" for one that is not of this tree, such as a test's. */
static const char *source_hash(const char *probe) {
    for (size_t i = 0; i < FX_COUNT(fx_source_hashes); i++) {
        if (!strcmp(fx_source_hashes[i].folder, probe)) {
            return fx_source_hashes[i].hash;
        }
    }
    return "";
}

json_t *fx_words_json(const char *words) {
    json_t *array = json_array();
    char word[64];
    for (size_t i = 0; fx_word(words, i, word, sizeof word); i++) {
        (void)json_array_append_new(array, json_string(word));
    }
    return array;
}

static json_t *axis_of(const fx_axis *axis) {
    return json_pack("{ss ss so*}", "name", axis->name, "unit", axis->unit ? axis->unit : "", "choices",
                     axis->choices ? fx_words_json(axis->choices) : NULL);
}

static json_t *metric_of(const fx_metric *metric) {
    json_t *object = fx_metric_json(metric);
    (void)json_object_set_new(object, "per", json_string(metric->per ? metric->per : ""));
    return object;
}

/* The probes that have cases, by name. */
static json_t *probes_of(const fx_case_list *cases) {
    json_t *probes = json_object();
    for (size_t i = 0; i < cases->count; i++) {
        const fx_probe *probe = cases->cases[i].probe;
        if (i && probe == cases->cases[i - 1].probe) {
            continue;
        }
        json_t *fit_by = probe->fit_by ? fx_words_json(probe->fit_by) : json_null();
        json_t *axes = FX_JSON_LIST(a, probe->axes_count, axis_of(&probe->axes[a]));
        json_t *metrics = FX_JSON_LIST(m, probe->metrics_count, metric_of(&probe->metrics[m]));
        (void)json_object_set_new(probes, probe->name,
                                  json_pack("{si so ss so so so so so*}", "method_version", (int)probe->method_version,
                                            "source_hash", text_or_null(source_hash(probe->name)), "question",
                                            probe->question ? probe->question : "", "fit_by", fit_by, "axes", axes,
                                            "metrics", metrics, "claims", fx_claims_of(probe), "quantities",
                                            fx_quantities_of(probe)));
    }
    return probes;
}

static json_t *sampler_of(const fx_sampling *sampling) {
    json_t *exactly = sampling->exactly ? json_integer((json_int_t)sampling->exactly) : json_null();
    return json_pack("{sf sf sI sI sI so}", "precision_pct", 100 * sampling->precision, "time_limit_s",
                     sampling->time_limit_s, "min_samples", (json_int_t)sampling->min_samples, "max_samples",
                     (json_int_t)sampling->max_samples, "warm_up", (json_int_t)sampling->warm_up, "exactly", exactly);
}

fx_status fx_run_json(fx_device *device, const fx_options *options, const char *const *arguments, size_t argument_count,
                      const fx_case_list *cases, json_t **out, fx_error *err) {
    const fx_sampling sampling = fx_process_sampling(options);
    json_t *labels = NULL;
    FX_TRY(labels_of(options, &labels, err));
    json_t *host = fx_host_json(), *gpus = device->describe_gpus ? device->describe_gpus(device) : NULL;
    if (gpus) {
        (void)json_object_set_new(host, "gpus", gpus);
    }
    *out = json_pack(
        "{ss so so so so so so sI sb sI sb si so so so}", "provenance", device->synthetic ? "synthetic" : "measured",
        "program", fx_program_json(), "device", device->describe_device(device), "driver",
        device->describe_driver(device), "host", host, "environment", device->describe_environment(device), "arguments",
        FX_JSON_LIST(i, argument_count, argument_of(arguments, i)), "processes", (json_int_t)options->run.processes,
        "quick", options->quick, "seed", (json_int_t)options->seed, "profiled", options->run.profiled || is_observed(),
        "law_version", FX_LAW_VERSION, "sampler", sampler_of(&sampling), "labels", labels, "probes", probes_of(cases));
    return *out ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while describing the run");
}
