/* `selfcheck`: is the device the same as itself? Twice K processes of the probes into one ordinary archive, in turns
 * of two sides (A B B A A B B A ...), which gpufx_plot then compares by the rules of `compare`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "call/parse.h"
#include "call/places.h"
#include "call/python.h"
#include "call/verb.h"
#include "run/run.h"

enum { FX_SIGNALLED = 128, MOST_NUMBERS = 8, NUMBER_BYTES = 64 };

/* The words of the `run` that makes the archive: what its processes are started with, and what the archive says. */
typedef struct command {
    fx_text_list words;
    char number[MOST_NUMBERS][NUMBER_BYTES]; /* room for options that are numbers */
    size_t numbers;
} command;

static fx_status add(command *c, const char *name, const char *value, fx_error *err) {
    if (!value) {
        return FX_OK;
    }
    fx_status status = fx_text_list_add(&c->words, name, err);
    return status ? status : fx_text_list_add(&c->words, value, err);
}

static fx_status add_integer(command *c, const char *name, int64_t value, fx_error *err) {
    char *text = c->number[c->numbers++];
    (void)snprintf(text, NUMBER_BYTES, "%lld", (long long)value);
    return add(c, name, text, err);
}

static fx_status add_real(command *c, const char *name, double value, fx_error *err) {
    if (!isfinite(value)) {
        return FX_OK;
    }
    char *text = c->number[c->numbers++];
    (void)snprintf(text, NUMBER_BYTES, "%.17g", value);
    return add(c, name, text, err);
}

static fx_status compose(const fx_options *options, command *c, fx_error *err) {
    FX_TRY(fx_text_list_add(&c->words, "run", err));
    for (size_t i = 0; i < options->axes.count; i++) {
        FX_TRY(add(c, "--axis", options->axes.text[i], err));
    }
    if ((options->quick && fx_text_list_add(&c->words, "--quick", err)) || add(c, "--filter", options->filter, err) ||
        add(c, "--device", options->device, err) || add(c, "--out", options->out, err) ||
        (options->seed >= 0 && add_integer(c, "--seed", options->seed, err)) ||
        add_integer(c, "--processes", options->run.processes, err) ||
        add_real(c, "--max-time", options->run.max_time_s, err) ||
        add_real(c, "--precision", options->run.precision_pct, err) || fx_text_list_add(&c->words, "--", err)) {
        return err->status;
    }
    for (size_t i = 0; i < options->words.count; i++) {
        FX_TRY(fx_text_list_add(&c->words, options->words.text[i], err));
    }
    return FX_OK;
}

/* The table of verdicts and the answer, which is the exit status. */
static int answer(const fx_options *options, const fx_run_outcome *outcome) {
    fx_error err = {0};
    char root[PATH_MAX];
    const char *archive = outcome->archive;
    fx_options of_python = *options;
    int status = FX_EXIT_USE;
    of_python.words = (fx_text_list){.text = &archive, .count = 1};
    if (fx_root(root, &err) || fx_python_call(root, FX_PLOT_MODULE, "selfcheck", &of_python, &status, &err)) {
        return fx_exit_for(&err);
    }
    return status == FX_PYTHON_NOT_STARTED ? FX_EXIT_USE : status;
}

int fx_verb_selfcheck(fx_call *call) {
    fx_options *options = &call->options;
    fx_run_outcome outcome;
    fx_error err = {0};
    command c = {0};
    int status;
    options->run.processes = 2 * options->run.side_processes;
    if (compose(options, &c, &err)) {
        status = fx_exit_for(&err);
        goto cleanup;
    }
    status = fx_run(options, c.words.text, c.words.count, false, &outcome);
    if (outcome.archive[0] && (status == FX_EXIT_OK || status == FX_EXIT_NO)) {
        int answered = answer(options, &outcome);
        /* A case or a process that failed is a no, whatever the others say. */
        status = status && answered != FX_EXIT_USE && answered <= FX_SIGNALLED ? status : answered;
    }
cleanup:
    free(c.words.text);
    return status;
}
