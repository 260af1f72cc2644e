/* The program: finds the verb and hands over. Everything that must hold for every verb stands here: the three standard
 * descriptors are open, a closed pipe is not an error, the command line is one that the verb takes, and
 * an answer that could not be written is an error. */
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/archive_folder.h"
#include "archive/archive_name.h"
#include "build_info.h"
#include "call/message.h"
#include "call/output.h"
#include "call/parse.h"
#include "call/python.h"
#include "call/verb.h"
#include "core/clock.h"
#include "core/fresh_process.h"
#include "core/probe.h"
#include "core/text.h"

/* ---- Where an answer goes ---- */

/* What a verb prints on standard output is caught in a memfd where it shall lie in a file (--output) or in the one
 * envelope of all verbs (--json, results/schema/envelope-1.schema.json): no verb knows of either. A descriptor, not a
 * FILE, since Python and child processes write to it, too. */
typedef struct envelope {
    int caught, before; /* file descriptors, -1: nothing is caught */
} envelope;

enum { SIGNALLED = 128, ENVELOPE_SCHEMA = 1 };

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

/* From here on standard output is caught, where the options ask for that. */
static fx_status catch_answer(const fx_options *options, envelope *out, fx_error *err) {
    *out = (envelope){-1, -1};
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
    json_auto_t *run = NULL;
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
}

/* What a verb that no archive is named to, such as `run` and `fleet report`, says of those that it has seen. */
static bool is_said_incomplete(const char *text, size_t size) {
    json_auto_t *answer = json_loadb(text, size, 0, NULL);
    const json_t *said = json_object_get(answer, "incomplete");
    return json_is_true(said) || json_is_string(said);
}

static void print_envelope(FILE *to, const fx_call *call, int status, const char *text, size_t size) {
    bool incomplete = !call->verb->archives && is_said_incomplete(text, size);
    json_auto_t *archives = json_array();
    for (size_t i = 0; i < call->options.archives.count; i++) {
        add_archive(archives, call->options.archives.text[i], &incomplete);
    }
    fprintf(to, "{\n\"gpufx\": \"%s\",\n\"schema\": %d,\n\"verb\": \"%s\",\n\"status\": %d,\n\"archives\": ",
            FX_BUILD_VERSION, ENVELOPE_SCHEMA, call->verb->name, status);
    (void)fx_text_print_json(to, archives, 0);
    fprintf(to, ",\n\"incomplete\": %s,\n\"answer\": ", incomplete ? "true" : "false");
    (void)fwrite(text, 1, size, to);
    fputs("\n}\n", to);
}

static fx_status give(const fx_call *call, int status, const char *text, size_t size, fx_error *err) {
    const char *file = file_of(&call->options);
    fx_output *output = NULL;
    FX_TRY(file ? fx_output_open(file, &output, err) : FX_OK);
    FILE *to = file ? fx_output_stream(output) : stdout;
    if (call->options.json) {
        print_envelope(to, call, status, text, size);
    } else {
        (void)fwrite(text, 1, size, to);
    }
    return file ? fx_output_commit(output, err) : FX_OK;
}

/* JSON is whole if it ends, whatever the status: that of `explain` is the program's. */
static bool is_whole(const char *text, size_t size, bool json, int status) {
    return json ? size && strchr("{[", text[0]) && strchr("}]", text[size - 1])
                : status != FX_EXIT_USE && status <= SIGNALLED;
}

/* Gives standard output back, and what was caught to where it belongs: nothing where the verb printed nothing, was
 * used wrongly or was interrupted. `status` is the verb's exit status; returns it, or that of a failed write. */
static int give_answer(envelope *answer, const fx_call *call, int status) {
    fx_error err = {0};
    if (answer->before < 0) {
        return status;
    }
    const bool failed = fflush(stdout) || ferror(stdout) || dup2(answer->before, STDOUT_FILENO) < 0;
    const off_t caught = failed ? 0 : lseek(answer->caught, 0, SEEK_END);
    size_t size = caught > 0 ? (size_t)caught : 0;
    FX_FREED char *text = fx_new(size, 1);
    const bool read = size && pread(answer->caught, text, size, 0) == caught;
    while (call->options.json && size && text[size - 1] == '\n') {
        size--;
    }
    if (read && is_whole(text, size, call->options.json, status)) {
        (void)give(call, status, text, size, &err);
    }
    (void)close(answer->caught);
    (void)close(answer->before);
    return failed ? FX_EXIT_USE : err.status ? fx_exit_for(&err) : status;
}

/* A descriptor closed by the caller (`gpufx run >&-`) would be given to the next file opened: the archive. Returns true
 * if standard output was open. */
static bool open_standard_descriptors(void) {
    bool open_output = true;
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", fd ? O_WRONLY : O_RDONLY);
            open_output = open_output && fd != STDOUT_FILENO;
        }
    }
    return open_output;
}

/* The verb's status, unless its answer did not arrive. A closed pipe is the reader's choice: `gpufx list | head`. */
static int flushed(int status) {
    bool failed = fflush(stdout) != 0;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (!failed && !ferror(stdout)) {
        return status;
    }
    if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR)) {
        return status;
    }
    fx_warn("standard output could not be written completely; check the disk");
    return FX_EXIT_USE;
}

static int wrong_words(const fx_verb *verb, const fx_text_list *words) {
    const bool few = words->count < verb->least;
    const bool second = !few && strcmp(verb->name, "summary") == 0;
    fx_warn("%s%s%s; write gpufx %s%s%s%s", few ? "an argument is missing" : "unexpected argument '",
            few ? "" : words->text[verb->most], few ? "" : "'", verb->name, *verb->arguments ? " " : "",
            verb->arguments, second ? ", or, of two archives, gpufx compare BASE NEW" : "");
    return FX_EXIT_USE;
}

static void *json_memory(size_t size) {
    return fx_given(malloc(size));
}

static void talk(const fx_options *options) {
    if (options->quiet || options->verbose) {
        (void)setenv(FX_TALK, options->quiet ? "quiet" : "verbose", 1);
    }
}

/* argv: from the verb's name on. */
static int start(const fx_verb *verb, int argc, char **argv) {
    fx_error err = {0};
    fx_call call = {.verb = verb, .arguments = (const char *const *)argv, .argument_count = (size_t)argc};
    envelope answer = {-1, -1};
    const double began_s = fx_now_s();
    int status = FX_EXIT_OK;
    if (fx_options_parse(verb->name, argc - 1, argv + 1, &call.options, &err) ||
        fx_parent_record_take(&call.options.parent, &err)) {
        status = fx_exit_for(&err);
    } else if (call.options.help) {
        fx_help_page(stdout, verb);
    } else if (call.options.words.count < verb->least || call.options.words.count > verb->most) {
        status = wrong_words(verb, &call.options.words);
    } else if (talk(&call.options),
               fx_options_name_archives(verb->name, verb->archives, verb->apart, &call.options, &err) ||
                   catch_answer(&call.options, &answer, &err)) {
        status = fx_exit_for(&err);
    } else if (verb->run) {
        status = verb->run(&call);
    } else if (verb->module) {
        status = fx_python_verb(verb->module, verb->name, &call.options);
    } else {
        fx_warn("'%s' is a verb of the script ./gpufx at the root of the project: run ./gpufx %s", verb->name,
                verb->name);
        status = FX_EXIT_USE;
    }
    status = give_answer(&answer, &call, status);
    fx_detail("%s ended with status %d after %.2f s", verb->name, status, fx_now_s() - began_s);
    fx_options_free(&call.options);
    return status;
}

int main(int argc, char **argv) {
    const bool open_output = open_standard_descriptors();
    json_set_alloc_funcs(json_memory, free);
    (void)setvbuf(stdout, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, 1 << 20); /* no line is cut by one of stderr */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is a failed write, with a sentence */
    if (!open_output) {
        fx_warn("standard output is closed; open it, or send it to /dev/null");
        return FX_EXIT_USE;
    }
    if (fx_probe_problem()) {
        fx_warn("%s", fx_probe_problem());
    }
    if (argc < 2) {
        fx_warn("a verb is missing; `gpufx help` lists them, `gpufx characterize` measures this machine");
        return FX_EXIT_USE;
    }
    int exit_status;
    if (fx_fresh_process_serves(argc, argv, &exit_status)) {
        return exit_status;
    }
    static char help[] = "help";
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        argv[1] = help;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version")) {
        printf("gpufx %s\n", FX_BUILD_VERSION);
        return flushed(FX_EXIT_OK);
    }
    size_t words;
    const fx_verb *verb = fx_verb_find((const char *const *)argv + 1, (size_t)argc - 1, &words);
    if (verb) {
        return flushed(start(verb, argc - (int)words, argv + words));
    }
    return flushed(fx_help_family(name, argc > 2 ? argv[2] : NULL));
}
