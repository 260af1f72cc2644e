/* Redirects standard output into a memfd while a verb runs, then writes it as it is or inside the JSON envelope. A
 * descriptor, not a FILE, since Python and child processes write to it, too. */
#include "envelope.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/archive_folder.h"
#include "archive/fit_lines.h"
#include "build_info.h"
#include "call/message.h"
#include "call/option_table.h"
#include "call/output.h"
#include "core/text.h"

enum { SIGNALLED = 128 };

static const char *file_of(const fx_options *options) {
    return options->output ? options->output : options->json ? options->output_of_json : NULL;
}

/* What can't be written is refused before anything is measured. A FIFO waits for its reader, so it is not tried. */
static fx_status try_place(const char *file, fx_error *err) {
    struct stat info;
    fx_output *output = NULL;
    if (!file || (!stat(file, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) {
        return FX_OK;
    }
    FX_TRY(fx_output_open(file, &output, err));
    fx_output_abort(output);
    return FX_OK;
}

fx_status fx_envelope_catch(const fx_options *options, fx_envelope *out, fx_error *err) {
    *out = (fx_envelope){-1, -1};
    if (!options->json && !options->output) {
        return FX_OK;
    }
    FX_TRY(try_place(file_of(options), err));
    (void)fflush(stdout);
    out->caught = memfd_create("gpufx-answer", MFD_CLOEXEC);
    out->before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FX_FAIL_IF(out->caught < 0 || out->before < 0 || dup2(out->caught, STDOUT_FILENO) < 0, err, FX_NO_MEMORY,
               "the answer can't be kept in memory: %s", strerror(errno));
    return FX_OK;
}

/* Add an archive by its first line, and whether it is complete; null if it is not an archive that can be read twice. */
static void add_archive(json_t *all, const char *path, bool *incomplete) {
    fx_error ignored = {0};
    struct stat info;
    json_t *run = NULL;
    fx_archive_entry past = {.path = (char *)(uintptr_t)path, .complete = -1};
    const bool known =
        !stat(path, &info) && S_ISREG(info.st_mode) && !fx_archive_head(path, &run, &ignored) && json_is_object(run);
    const json_t *device = json_object_get(run, "device");
    const bool whole = known && fx_archive_entry_complete(&past);
    *incomplete = *incomplete || (known && !whole);
    (void)json_array_append_new(
        all, json_pack("{ss sO? sO? sO? sO? so}", "path", path, "id", json_object_get(run, "id"), "started_utc",
                       json_object_get(run, "started_utc"), "device", json_object_get(device, "name"), "arch",
                       json_object_get(device, "arch"), "complete", known ? json_boolean(whole) : json_null()));
    fx_predictor_close(past.fits);
    json_decref(run);
}

/* List the archives that the command line names. */
static json_t *archives_of(const fx_call *call, bool *incomplete) {
    const fx_options *options = &call->options;
    json_t *all = json_array();
    for (size_t i = call->verb->archives; i && i <= options->words.count; i++) {
        add_archive(all, options->words.text[i - 1], incomplete);
    }
    for (size_t i = 0; i < fx_option_count; i++) {
        if (fx_option_table[i].kind == ARCHIVE && options->given[i] &&
            fx_option_of(&fx_option_table[i], call->verb->name)) {
            add_archive(all, options->given[i], incomplete);
        }
    }
    return all;
}

/* What a verb that no archive is named to, such as `run` and `fleet report`, says of those that it has seen. */
static bool is_said_incomplete(const char *text, size_t size) {
    json_t *answer = json_loadb(text, size, 0, NULL);
    const json_t *said = json_object_get(answer, "incomplete");
    const bool found = json_is_true(said) || json_is_string(said);
    json_decref(answer);
    return found;
}

static void print_envelope(FILE *to, const fx_call *call, int status, const char *text, size_t size) {
    bool incomplete = !call->verb->archives && is_said_incomplete(text, size);
    json_t *archives = archives_of(call, &incomplete);
    fprintf(to, "{\n\"gpufx\": \"%s\",\n\"schema\": %d,\n\"verb\": \"%s\",\n\"status\": %d,\n\"archives\": ",
            FX_BUILD_VERSION, FX_ENVELOPE_SCHEMA, call->verb->name, status);
    (void)fx_text_print_json(to, archives, 0);
    fprintf(to, ",\n\"incomplete\": %s,\n\"answer\": ", incomplete ? "true" : "false");
    while (size && text[size - 1] == '\n') {
        size--;
    }
    (void)fwrite(text, 1, size, to);
    fputs("\n}\n", to);
    json_decref(archives);
}

static void print(FILE *to, const fx_call *call, int status, const char *text, size_t size) {
    if (call->options.json) {
        print_envelope(to, call, status, text, size);
    } else {
        (void)fwrite(text, 1, size, to);
    }
}

static fx_status give(const fx_call *call, int status, const char *text, size_t size, fx_error *err) {
    const char *file = file_of(&call->options);
    fx_output *output = NULL;
    if (!file) {
        print(stdout, call, status, text, size);
        return FX_OK;
    }
    FX_TRY(fx_output_open(file, &output, err));
    print(fx_output_stream(output), call, status, text, size);
    return fx_output_commit(output, err);
}

/* JSON is whole if it ends, whatever the status: that of `explain` is the program's. */
static bool is_whole(const char *text, size_t size, bool json, int status) {
    while (size && text[size - 1] == '\n') {
        size--;
    }
    return json ? size && strchr("{[", text[0]) && strchr("}]", text[size - 1])
                : status != FX_EXIT_USE && status <= SIGNALLED;
}

int fx_envelope_give(fx_envelope *answer, const fx_call *call, int status) {
    fx_error err = {0};
    if (answer->before < 0) {
        return status;
    }
    const bool failed = fflush(stdout) || ferror(stdout) || dup2(answer->before, STDOUT_FILENO) < 0;
    const off_t size = lseek(answer->caught, 0, SEEK_END);
    if (!failed && size > 0) {
        char *text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, answer->caught, 0);
        if (text == MAP_FAILED) {
            (void)fx_fail(&err, FX_NO_MEMORY, "the answer can't be kept in memory: %s", strerror(errno));
        } else if (is_whole(text, (size_t)size, call->options.json, status)) {
            (void)give(call, status, text, (size_t)size, &err);
        }
        if (text != MAP_FAILED) {
            (void)munmap(text, (size_t)size);
        }
    }
    (void)close(answer->caught);
    (void)close(answer->before);
    return failed ? FX_EXIT_USE : err.status ? fx_exit_for(&err) : status;
}
