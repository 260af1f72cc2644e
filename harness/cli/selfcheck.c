/* `selfcheck`: is the device the same as itself? Twice K processes of the probes into one ordinary archive, in turns
 * of two sides (A B B A A B B A ...), which gpufx_plot then compares by the rules of `compare`. */
#include "call/message.h"
#include "call/places.h"
#include "call/python.h"
#include "call/verb.h"
#include "run/run.h"

enum { FX_SIGNALLED = 128 };

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
    options->run.processes = 2 * options->run.side_processes;
    const int status = fx_run(options, call->arguments, call->argument_count, false, &outcome);
    if (options->parent.child || !outcome.archive[0] || (status != FX_EXIT_OK && status != FX_EXIT_NO)) {
        return status;
    }
    const int answered = answer(options, &outcome);
    /* A case or a process that failed is a no, whatever the others say. */
    return status && answered != FX_EXIT_USE && answered <= FX_SIGNALLED ? status : answered;
}
