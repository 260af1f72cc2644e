/* A process for each device, since a context, its memory and its clocks are a process's own. Ctrl-C on the terminal
 * reaches only this process (call/child.h), and the child hears of it once. */
#include "devices.h"

#include <signal.h>
#include <strings.h>
#include <sys/wait.h>

#include "call/child.h"
#include "call/message.h"
#include "call/parse.h"
#include "core/clock.h"
#include "core/probe.h"
#include "gpu/gpu.h"

enum { MOST_DEVICES = 64 };

static const char synthetic[] = "synthetic:";

bool fx_devices_several(const char *device) {
    return device && (!strcmp(device, "all") || strchr(device, ','));
}

static fx_status add(fx_text_list *names, const char *name, const char *all, fx_error *err) {
    for (size_t i = 0; i < names->count; i++) {
        FX_FAIL_IF(!strcmp(names->text[i], name), err, FX_BAD_INPUT,
                   "--device %.100s: device %.60s is named twice; name each once", all, name);
    }
    FX_FAIL_IF(names->count == MOST_DEVICES, err, FX_BAD_INPUT,
               "--device %.60s...: more than %d devices; run them in two calls", all, MOST_DEVICES);
    fx_text_list_add(names, fx_given(strdup(name)));
    return FX_OK;
}

static fx_status add_cuda(fx_text_list *names, const json_t *one, const char *all, fx_error *err) {
    char index[32];
    (void)snprintf(index, sizeof index, "%d", (int)json_integer_value(json_object_get(one, "ordinal")));
    return add(names, index, all, err);
}

fx_status fx_devices_find(const char *word, const json_t *known, const char *why, const json_t **out, fx_error *err) {
    const size_t count = json_array_size(known), length = strlen(word);
    size_t matches = 0;
    char *end;
    const long index = strtol(word, &end, 10);
    FX_FAIL_IF(!count, err, FX_UNSUPPORTED,
               "--device %.60s: there is no CUDA device (%s); `gpufx info` says more, --device synthetic:%s needs none",
               word, why, FX_DEFAULT_SYNTHETIC);
    if (end != word && !*end) {
        FX_FAIL_IF(index < 0 || (size_t)index >= count, err, FX_BAD_INPUT,
                   "--device %.60s: there are %zu CUDA devices, numbered from 0 to %zu", word, count, count - 1);
        *out = json_array_get(known, (size_t)index);
        return FX_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const char *uuid = json_string_value(json_object_get(json_array_get(known, i), "uuid"));
        if (uuid && !strncasecmp(uuid, word, length)) {
            *out = json_array_get(known, i);
            matches++;
        }
    }
    FX_FAIL_IF(matches > 1, err, FX_BAD_INPUT, "--device %.60s: %zu devices match; give more of the UUID", word,
               matches);
    return matches ? FX_OK
                   : fx_fail(err, FX_BAD_INPUT,
                             "--device %.60s: no CUDA device has this number or UUID; see `gpufx info`", word);
}

static fx_status add_word(fx_text_list *names, const char *word, const char *all, const json_t *known, const char *why,
                          fx_error *err) {
    const json_t *one = NULL;
    FX_FAIL_IF(!*word, err, FX_BAD_INPUT, "--device %.100s: a name is empty; separate names by one comma", all);
    FX_FAIL_IF(!strcmp(word, "all"), err, FX_BAD_INPUT, "--device %.100s: 'all' can't be combined", all);
    if (!strncmp(word, synthetic, sizeof synthetic - 1)) {
        return add(names, word, all, err);
    }
    return fx_devices_find(word, known, why, &one, err) ? err->status : add_cuda(names, one, all, err);
}

fx_status fx_devices_resolve(const char *text, const json_t *known, const char *why, fx_text_list *out, fx_error *err) {
    *out = (fx_text_list){0};
    if (!strcmp(text, "all")) {
        if (!json_array_size(known)) {
            return fx_devices_find(text, known, why, NULL, err);
        }
        for (size_t i = 0; i < json_array_size(known); i++) {
            FX_TRY(add_cuda(out, json_array_get(known, i), text, err));
        }
        return FX_OK;
    }
    FX_FREED char *copy = fx_given(strdup(text));
    for (char *rest = copy, *word; (word = strsep(&rest, ","));) {
        FX_TRY(add_word(out, word, text, known, why, err));
    }
    return FX_OK;
}

static volatile sig_atomic_t asked; /* the signal that asked to stop; 0: none */

/* Who sends a signal to a process and to its group sends it twice: the second within a moment is the same. */
static void forward(int number) {
    static double last_s;
    const double now_s = fx_now_s();
    if (asked && now_s - last_s < 0.3) {
        return;
    }
    last_s = now_s;
    asked = number;
    fx_child_signal(number);
}

/* *exit_status: that of the device's process. */
static fx_status measure(const fx_call *call, const char *device, int *exit_status, fx_error *err) {
    fx_parent_record record = fx_parent_record_none();
    char name[96];
    (void)snprintf(name, sizeof name, "the process of device %.60s", device);
    record.device = (char *)(uintptr_t)device;
    FX_TRY(fx_child_start(call->arguments, call->argument_count, NULL, name, &record, NULL, err));
    const int status = fx_child_wait();
    if (WIFSIGNALED(status) && !asked) {
        fx_warn("%s was killed by signal %d (%s)", name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    *exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return FX_OK;
}

/* Files that the user names are of one process. */
static fx_status check(const fx_call *call, fx_error *err) {
    FX_FAIL_IF(call->options.json, err, FX_BAD_INPUT, "--json covers one device; name one, or read the archives");
    for (size_t i = 0; i < call->options.run.benchmark.count; i++) {
        const char *flag = call->options.run.benchmark.text[i];
        FX_FAIL_IF(!strncmp(flag, "--benchmark_out", strlen("--benchmark_out")), err, FX_BAD_INPUT,
                   "%.60s covers one process; name one device, or read the archives", flag);
    }
    return FX_OK;
}

int fx_devices_run(const fx_call *call) {
    fx_error err = {0};
    FX_OWNED(fx_text_list_free) fx_text_list names = {0};
    json_auto_t *known = NULL;
    char why[256] = "";
    int exit_status = FX_EXIT_OK;
    (void)fx_cuda_device_count(why, sizeof why);
    if (!check(call, &err) && !fx_cuda_device_list(&known, &err) &&
        !fx_devices_resolve(call->options.device, known, why, &names, &err)) {
        fx_stop_signals_catch(forward);
        for (size_t i = 0; i < names.count && !asked && !err.status; i++) {
            int status = FX_EXIT_OK;
            (void)fputs(i ? "\n" : "", stdout);
            fx_print_line(stdout, "device %s (%zu of %zu)", names.text[i], i + 1, names.count);
            (void)fflush(stdout);
            (void)measure(call, names.text[i], &status, &err);
            exit_status = exit_status ? exit_status : status;
        }
    }
    return err.status ? fx_exit_for(&err) : asked ? 128 + asked : exit_status;
}
