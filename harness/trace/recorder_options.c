#include "recorder_options.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "recorder_words.h"

enum { LEAST_WORDS = 1 << 15 };

/* Limits and usual values are the verb's (harness/call/option_table.c). */
static fx_status number(const char *variable, uint64_t most, uint64_t *out, fx_error *err) {
    const char *text = getenv(variable);
    char *end = NULL;
    errno = 0;
    const unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    FX_FAIL_IF(!value || *end || errno || *text == '-' || value > most, err, FX_BAD_INPUT,
               "%s=%s: give a whole number from 1 on", variable, text ? text : "");
    *out = value;
    return FX_OK;
}

/* A file of its own for each process, and for each program that a process becomes by exec. */
static char *made_unique(const char *pattern) {
    char *name = strdup(pattern);
    const int file = name ? mkostemp(name, O_CLOEXEC) : -1; /* leaves a name that does not end in XXXXXX alone */
    if (file >= 0) {
        (void)close(file);
    }
    return name;
}

typedef char *demangler(const char *name, char *out, size_t *size, int *status);

/* C++'s own, where the program has it as it initialises CUDA: later, the loader's lock may be another thread's that
 * waits for the recorder. */
static demangler *demangle;

static void find_demangler(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *found = dlsym(library ? library : RTLD_DEFAULT, "__cxa_demangle");
    memcpy(&demangle, &found, sizeof demangle);
}

fx_status fx_recorder_read_options(fx_recorder_options *out, fx_error *err) {
    const char *file = getenv("GPUFX_TRACE_FILE"), *kernel = getenv("GPUFX_TRACE_KERNEL");
    const char *blocks = getenv("GPUFX_TRACE_BLOCKS"), *time = getenv("GPUFX_TRACE_TIME");
    const char *range = getenv("GPUFX_TRACE_RANGE");
    uint64_t value = 0;
    *out = (fx_recorder_options){
        .library = getenv("GPUFX_TRACE_SANITIZER"),
        .cubins = getenv("GPUFX_TRACE_CUBINS"),
        .time = time && strcmp(time, "1") == 0,
        .in_range = range && strcmp(range, "profiler") == 0,
    };
    FX_FAIL_IF(!file || !*file, err, FX_BAD_INPUT, "GPUFX_TRACE_FILE is not set: name the file of the trace");
    out->file = made_unique(file);
    FX_FAIL_IF(!out->file, err, FX_NO_MEMORY, "out of memory");
    FX_TRY(number("GPUFX_TRACE_LAUNCHES", UINT32_MAX, &value, err));
    out->launches = (uint32_t)value;
    value = 0;
    if (!blocks || strcmp(blocks, "all") != 0) {
        FX_TRY(number("GPUFX_TRACE_BLOCKS", UINT32_MAX, &value, err));
    }
    out->blocks = value < FX_MOST_SAMPLED ? (uint32_t)value : 0;
    FX_TRY(number("GPUFX_TRACE_MEMORY", (uint64_t)1 << 34, &value, err));
    out->ring_words = LEAST_WORDS;
    while (2 * out->ring_words * sizeof(uint64_t) <= value) {
        out->ring_words *= 2;
    }
    if (kernel && *kernel) {
        const int code = regcomp(&out->kernel, kernel, REG_EXTENDED | REG_NOSUB);
        if (code) {
            char text[128];
            (void)regerror(code, &out->kernel, text, sizeof text);
            return fx_fail(err, FX_BAD_INPUT, "GPUFX_TRACE_KERNEL=%s: %s", kernel, text);
        }
        out->one_kernel = true;
        find_demangler();
    }
    return FX_OK;
}

bool fx_recorder_wants(const fx_recorder_options *options, const char *name) {
    if (!options->one_kernel) { /* a kernel of NCCL waits for those of other GPUs: recorded, it would never end */
        return !strstr(name, "ncclDevKernel") && !strstr(name, "ncclKernel");
    }
    if (regexec(&options->kernel, name, 0, NULL, 0) == 0) {
        return true;
    }
    int status = 0;
    char *shown = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    const bool wanted = shown && regexec(&options->kernel, shown, 0, NULL, 0) == 0;
    free(shown);
    return wanted;
}
