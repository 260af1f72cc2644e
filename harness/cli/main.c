/* The program: finds the verb and hands over. Everything that must hold for every verb stands here: the three standard
 * descriptors are open, a closed pipe is not an error, the command line is one that the verb takes, and
 * an answer that could not be written is an error. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "build_info.h"
#include "call/message.h"
#include "call/parse.h"
#include "call/python.h"
#include "core/clock.h"
#include "core/fresh_process.h"
#include "core/grow.h"
#include "core/probe.h"
#include "envelope.h"
#include "help.h"

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
    const char *blank = *verb->arguments ? " " : "";
    if (words->count < verb->least) {
        fx_warn("an argument is missing; write gpufx %s%s%s", verb->name, blank, verb->arguments);
    } else {
        fx_warn("unexpected argument '%s'; write gpufx %s%s%s", words->text[verb->most], verb->name, blank,
                verb->arguments);
    }
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
static int start(const fx_verb *verb, const fx_verb *verbs, size_t verb_count, int argc, char **argv) {
    fx_error err = {0};
    fx_call call = {.verb = verb, .verbs = verbs, .verb_count = verb_count};
    fx_envelope answer = {-1, -1};
    const double began_s = fx_now_s();
    int status = FX_EXIT_OK;
    call.arguments = (const char *const *)argv;
    call.argument_count = (size_t)argc;
    if (fx_options_parse(verb->name, argc - 1, argv + 1, &call.options, &err) ||
        fx_parent_record_take(&call.options.parent, &err)) {
        status = fx_exit_for(&err);
    } else if (call.options.help) {
        fx_help_page(stdout, verb);
    } else if (call.options.words.count < verb->least || call.options.words.count > verb->most) {
        status = wrong_words(verb, &call.options.words);
    } else if (talk(&call.options),
               fx_options_name_archives(verb->name, verb->archives, verb->apart, &call.options, &err) ||
                   fx_envelope_catch(&call.options, &answer, &err)) {
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
    status = fx_envelope_give(&answer, &call, status);
    fx_detail("%s ended with status %d after %.2f s", verb->name, status, fx_now_s() - began_s);
    fx_options_free(&call.options);
    return status;
}

int main(int argc, char **argv) {
    const bool open_output = open_standard_descriptors();
    size_t count;
    const fx_verb *verbs = fx_verbs(&count);
    json_set_alloc_funcs(json_memory, free);
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
        return flushed(start(verb, verbs, count, argc - (int)words, argv + words));
    }
    return flushed(fx_help_family(name, argc > 2 ? argv[2] : NULL, verbs, count));
}
