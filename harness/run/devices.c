/* A process for each device, since a context, its memory and its clocks are a process's own. Ctrl-C on the terminal
 * reaches only this process (call/child.h), and each of them hears of it once. */
#include "devices.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/child.h"
#include "call/message.h"
#include "call/parse.h"
#include "core/clock.h"
#include "core/grow.h"
#include "core/probe.h"
#include "gpu/gpu.h"

enum { MOST_DEVICES = 64 };

static const char synthetic[] = "synthetic:";

bool fx_devices_several(const char *device) {
    return device && (!strcmp(device, "all") || strchr(device, ','));
}

void fx_devices_free(fx_device_names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->device[i].name);
    }
    free(names->device);
    *names = (fx_device_names){0};
}

static fx_status add(fx_device_names *names, const char *name, const char *uuid, const char *all, fx_error *err) {
    for (size_t i = 0; i < names->count; i++) {
        FX_FAIL_IF(!strcmp(names->device[i].name, name), err, FX_BAD_INPUT,
                   "--device %.100s: device %.60s is named twice; name each once", all, name);
    }
    FX_FAIL_IF(names->count == MOST_DEVICES, err, FX_BAD_INPUT,
               "--device %.60s...: more than %d devices; run them in two calls", all, MOST_DEVICES);
    fx_grow(&names->device, names->count, sizeof *names->device);
    fx_device_name *device = &names->device[names->count++];
    device->name = fx_given(strdup(name));
    (void)snprintf(device->uuid, sizeof device->uuid, "%s", uuid);
    return FX_OK;
}

static fx_status add_cuda(fx_device_names *names, const json_t *one, const char *all, fx_error *err) {
    char index[32];
    const char *uuid = json_string_value(json_object_get(one, "uuid"));
    (void)snprintf(index, sizeof index, "%d", (int)json_integer_value(json_object_get(one, "ordinal")));
    return add(names, index, uuid ? uuid : "", all, err);
}

fx_status fx_devices_find(const char *word, const json_t *known, const char *why, const json_t **out, fx_error *err) {
    const size_t count = json_array_size(known), length = strlen(word);
    size_t matches = 0;
    char *end;
    const long index = strtol(word, &end, 10);
    FX_FAIL_IF(!count, err, FX_UNSUPPORTED,
               "--device %.60s: there is no CUDA device (%s); `gpufx info` says more, --device synthetic:%s "
               "needs none",
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

static fx_status add_word(fx_device_names *names, const char *word, const char *all, const json_t *known,
                          const char *why, fx_error *err) {
    const json_t *one = NULL;
    FX_FAIL_IF(!*word, err, FX_BAD_INPUT, "--device %.100s: a name is empty; separate names by one comma", all);
    FX_FAIL_IF(!strcmp(word, "all"), err, FX_BAD_INPUT, "--device %.100s: 'all' can't be combined", all);
    if (!strncmp(word, synthetic, sizeof synthetic - 1)) {
        return add(names, word, "", all, err);
    }
    return fx_devices_find(word, known, why, &one, err) ? err->status : add_cuda(names, one, all, err);
}

fx_status fx_devices_resolve(const char *text, const json_t *known, const char *why, fx_device_names *out,
                             fx_error *err) {
    fx_status status = FX_OK;
    *out = (fx_device_names){0};
    if (!strcmp(text, "all")) {
        if (!json_array_size(known)) {
            return fx_devices_find(text, known, why, NULL, err);
        }
        for (size_t i = 0; i < json_array_size(known) && !status; i++) {
            status = add_cuda(out, json_array_get(known, i), text, err);
        }
        return status;
    }
    char *copy = fx_given(strdup(text)), *rest = copy;
    for (const char *word; !status && (word = strsep(&rest, ","));) {
        status = add_word(out, word, text, known, why, err);
    }
    free(copy);
    return status;
}

/* One device's process. */
typedef struct job {
    const fx_device_name *device;
    volatile sig_atomic_t pid; /* 0: none runs */
    FILE *out, *err;           /* --together: what it prints; else NULL */
    int status;
} job;

static job *jobs;
static size_t job_count;
static volatile sig_atomic_t asked; /* the signal that asked to stop; 0: none */

/* A signal is passed on to all of them. Who sends one to a process and to its group sends it twice: the second within a
 * moment is the same. */
static void forward(int number) {
    static double last_s;
    const double now_s = fx_now_s();
    if (asked && now_s - last_s < 0.3) {
        return;
    }
    last_s = now_s;
    asked = number;
    for (size_t i = 0; i < job_count; i++) {
        if (jobs[i].pid) {
            (void)kill((pid_t)jobs[i].pid, number);
        }
    }
}

/* Whether it is to see no other GPU, so that it can't disturb one. */
static bool is_alone(const job *j) {
    return j->out && j->device->uuid[0];
}

/* In the child. */
static void prepare(const void *context) {
    const job *j = context;
    char tag[128];
    (void)snprintf(tag, sizeof tag, "device %.100s: ", j->device->name);
    if ((j->out && (dup2(fileno(j->out), STDOUT_FILENO) < 0 || dup2(fileno(j->err), STDERR_FILENO) < 0)) ||
        (is_alone(j) && setenv("CUDA_VISIBLE_DEVICES", j->device->uuid, 1)) || setenv(FX_DEVICE_TAG, tag, 1)) {
        _exit(FX_EXIT_USE);
    }
}

static fx_status start(const fx_call *call, job *j, bool together, fx_error *err) {
    const fx_child child = {
        .arguments = call->arguments, .argument_count = call->argument_count, .prepare = prepare, .context = j};
    fx_parent_record record = fx_parent_record_none();
    char name[96];
    (void)snprintf(name, sizeof name, "the process of device %.60s", j->device->name);
    FX_FAIL_IF(together && (!(j->out = tmpfile()) || !(j->err = tmpfile())), err, FX_IO,
               "no file for the output of device %.60s: %s", j->device->name, strerror(errno));
    record.device = is_alone(j) ? (char[]){"0"} : j->device->name;
    return fx_child_start(&child, name, &record, &j->pid, NULL, err);
}

static void end(job *j) {
    int status = 0;
    while (j->pid && waitpid((pid_t)j->pid, &status, 0) < 0 && errno == EINTR)
        ;
    j->pid = 0;
    j->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (WIFSIGNALED(status) && !asked) {
        fx_warn("the process of device %s was killed by signal %d (%s)", j->device->name, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    }
}

static void copy_to(FILE *to, FILE *from) {
    char part[4096];
    if (!from) {
        return;
    }
    rewind(from);
    for (size_t length; (length = fread(part, 1, sizeof part, from)) > 0;) {
        (void)fwrite(part, 1, length, to);
    }
    (void)fclose(from);
}

static void head(const job *j, size_t which, size_t count) {
    (void)fputs(which ? "\n" : "", stdout);
    fx_print_line(stdout, "device %s (%zu of %zu)", j->device->name, which + 1, count);
    (void)fflush(stdout);
}

static fx_status in_turn(const fx_call *call, fx_error *err) {
    for (size_t i = 0; i < job_count && !asked; i++) {
        head(&jobs[i], i, job_count);
        const fx_status status = start(call, &jobs[i], false, err);
        end(&jobs[i]);
        if (status) {
            return status;
        }
    }
    return FX_OK;
}

static fx_status at_once(const fx_call *call, fx_error *err) {
    fx_status status = FX_OK;
    fx_note("measuring %zu devices at once; their output follows when all are done", job_count);
    for (size_t i = 0; i < job_count && !status && !asked; i++) {
        status = start(call, &jobs[i], true, err);
    }
    for (size_t i = 0; i < job_count; i++) {
        end(&jobs[i]);
    }
    for (size_t i = 0; i < job_count; i++) {
        head(&jobs[i], i, job_count);
        copy_to(stdout, jobs[i].out);
        (void)fflush(stdout);
        copy_to(stderr, jobs[i].err);
    }
    return status;
}

/* Files that the user names are of one process. */
static fx_status check(const fx_call *call, fx_error *err) {
    FX_FAIL_IF(call->options.json, err, FX_BAD_INPUT, "--json covers one device; name one, or read the archives");
    for (size_t i = 0; i < call->options.run.benchmark.count; i++) {
        const char *flag = call->options.run.benchmark.text[i];
        FX_FAIL_IF(!strncmp(flag, "--benchmark_out", strlen("--benchmark_out")) ||
                       !strncmp(flag, "--benchmark_format", strlen("--benchmark_format")),
                   err, FX_BAD_INPUT, "%.60s covers one process; name one device, or read the archives", flag);
    }
    return FX_OK;
}

int fx_devices_run(const fx_call *call) {
    fx_error err = {0};
    fx_device_names names = {0};
    json_t *known = NULL;
    char why[256] = "";
    int exit_status = FX_EXIT_OK;
    (void)fx_cuda_device_count(why, sizeof why);
    if (check(call, &err) || fx_cuda_device_list(&known, &err) ||
        fx_devices_resolve(call->options.device, known, why, &names, &err)) {
        exit_status = fx_exit_for(&err);
        goto cleanup;
    }
    jobs = fx_new(names.count, sizeof *jobs);
    job_count = names.count;
    for (size_t i = 0; i < job_count; i++) {
        jobs[i].device = &names.device[i];
    }
    fx_stop_signals_catch(forward);
    if (call->options.run.together ? at_once(call, &err) : in_turn(call, &err)) {
        exit_status = fx_exit_for(&err);
    }
    for (size_t i = 0; i < job_count && !exit_status; i++) {
        exit_status = jobs[i].status;
    }
    if (asked) {
        exit_status = 128 + asked;
    }
cleanup:
    job_count = 0;
    free(jobs);
    jobs = NULL;
    json_decref(known);
    fx_devices_free(&names);
    return exit_status;
}
