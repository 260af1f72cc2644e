/* The table of verbs with their help, and `help` itself. */
#include <stdarg.h>
#include <string.h>

#include "cli.h"
#include "core/nearest.h"
#include "core/probe.h"
#include "progress.h"

static const fx_verb table[] = {
    {FX_VERB_CHARACTERIZE, "characterize", "[PROBE...] [OPTION...]",
     "measure this machine, compare it with the nearest archive, draw it",
     "Prints what the device is, runs the probes, keeps every sample in an archive, compares it with\n"
     "the nearest archive under results/ (the same device, else the same architecture, else the latest)\n"
     "and draws both. Ends with a summary and where the files are. Without a GPU the same job runs on\n"
     "the synthetic device '" FX_DEFAULT_SYNTHETIC "', whose numbers are invented.\n",
     fx_verb_characterize_run},
    {FX_VERB_RUN, "run", "[PROBE...] [OPTION...]", "run probes and archive the samples",
     "Runs the named probes, or all of them. Every case is a benchmark of Google Benchmark under its own\n"
     "name; its samples go to one new archive, written line by line. Ctrl-C finishes the present sample\n"
     "and leaves a valid archive of what was measured; a second Ctrl-C ends at once.\n",
     fx_verb_run_run},
    {FX_VERB_LIST, "list", "[PROBE...] [OPTION...]", "what can be measured: probes, axes, cases",
     "Prints each probe's question, axes, sweeps, metrics and number of cases.\n", fx_verb_list_run},
    {FX_VERB_INFO, "info", "[OPTION...]", "what the device, the driver and this build are",
     "Prints the facts that an archive would carry. Without a GPU it says why and goes on.\n", fx_verb_info_run},
    {FX_VERB_COMPARE, "compare", "A B [C ...] [OPTION...]", "compare archives, with honest statistics",
     "A and B are archive files or names such as 'latest' or 'h200'. `gpufx compare --help` prints the\n"
     "options. Ends with 1 if --fail-on is met and with 3 if a comparison that must decide could not.\n",
     fx_verb_compare_run},
    {FX_VERB_PLOT, "plot", "ARCHIVE... -o DIR [OPTION...]", "draw archives",
     "Draws every probe of the archives, PNG and SVG. `gpufx plot --help` prints the options.\n", fx_verb_plot_run},
    {FX_VERB_TEST, "test", "", "run the project's own tests",
     "The script ./gpufx at the root of the project runs the tests: it sets up what they need, builds, and\n"
     "calls ctest and pytest. From a build folder of your own, `ctest` runs all but the Python tests.\n",
     fx_verb_test_run},
    {FX_VERB_HELP, "help", "[VERB]", "this page, or the page of one verb", "Prints all verbs, or the options of one.\n",
     fx_verb_help_run},
};

const fx_verb *fx_verbs(size_t *count) {
    *count = FX_COUNT(table);
    return table;
}

const char *fx_verb_name(fx_verb_id id) {
    for (size_t i = 0; i < FX_COUNT(table); i++)
        if (table[i].id == id)
            return table[i].name;
    return "gpufx";
}

void fx_verb_help(FILE *to, const fx_verb *verb) {
    fprintf(to, "Usage: gpufx %s%s%s\n\n%s", verb->name, *verb->arguments ? " " : "", verb->arguments, verb->text);
    fx_options_print(to, verb->id);
}

static void overview(void) {
    puts("gpufx measures what a GPU's hardware effects cost: bank conflicts, uncoalesced accesses, divergent\n"
         "constant reads, transfers. It puts the cost that the hardware's rules predict beside the measured one,\n"
         "keeps every sample, compares archives and draws them.\n\n"
         "Usage: gpufx VERB [ARGUMENT...]\n\nVerbs:");
    for (size_t i = 0; i < FX_COUNT(table); i++)
        printf("  %-14s %s\n", table[i].name, table[i].summary);
    puts("\n`gpufx VERB --help` prints a verb's options.\n\n"
         "Exit status:\n"
         "  0    fine\n"
         "  1    the answer is no: a case failed, a check failed, a comparison met --fail-on\n"
         "  2    wrong use, bad input, or a file that can't be written\n"
         "  3    undecided, where a decision was asked for\n"
         "  77   nothing could be run: no such device, or every case waived\n"
         "  130  ended by Ctrl-C (143: by SIGTERM)\n\n"
         "Environment:\n"
         "  GPUFX_ROOT    the project's folder; found from the program's place if unset\n"
         "  GPUFX_PYTHON  the Python that has the packages of plot/; default .venv/bin/python, else python3");
}

int fx_verb_help_run(int argc, char **argv) {
    fx_options options;
    int status;
    if (!fx_options_ready(FX_VERB_HELP, argc, argv, &options, &status))
        goto cleanup;
    status = FX_EXIT_OK;
    if (!options.words.count)
        overview();
    for (size_t w = 0; w < options.words.count && !status; w++) {
        const char *known[FX_COUNT(table)];
        const fx_verb *verb = NULL;
        for (size_t i = 0; i < FX_COUNT(table); i++) {
            known[i] = table[i].name;
            if (!strcmp(table[i].name, options.words.text[w]))
                verb = &table[i];
        }
        if (verb) {
            fx_verb_help(stdout, verb);
        } else {
            const char *near = fx_nearest(options.words.text[w], known, FX_COUNT(known));
            fx_warn("There is no verb '%s'.%s%s%s", options.words.text[w], near ? " Did you mean '" : "",
                    near ? near : "", near ? "'?" : " `gpufx help` lists them.");
            status = FX_EXIT_USE;
        }
    }
cleanup:
    fx_options_free(&options);
    return status;
}

int fx_verb_test_run(int argc, char **argv) {
    fx_options options;
    int status;
    if (fx_options_ready(FX_VERB_TEST, argc, argv, &options, &status)) {
        fx_warn("The tests are run by the script ./gpufx at the root of the project: ./gpufx test.");
        status = FX_EXIT_USE;
    }
    fx_options_free(&options);
    return status;
}

void fx_warn(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (fx_progress_forward_warning(text))
        return;
    fx_progress_clear();
    fprintf(stderr, "gpufx: %s\n", text);
}

int fx_exit_for(const fx_error *err) {
    fx_warn("%s", err->text);
    switch (err->status) {
    case FX_OK:
        return FX_EXIT_OK;
    case FX_BAD_INPUT:
    case FX_IO:
    case FX_INTERRUPTED:
        return FX_EXIT_USE;
    case FX_WRONG_RESULT:
        return FX_EXIT_NO;
    case FX_NO_MEMORY:
    case FX_UNSUPPORTED:
    case FX_DEVICE:
    case FX_DEVICE_LOST:
        return FX_EXIT_NOTHING;
    }
    return FX_EXIT_USE;
}

bool fx_options_ready(fx_verb_id verb, int argc, char **argv, fx_options *options, int *exit_status) {
    fx_error err = {0};
    if (fx_options_parse(verb, argc, argv, options, &err)) {
        *exit_status = fx_exit_for(&err);
        return false;
    }
    if (!options->help)
        return true;
    for (size_t i = 0; i < FX_COUNT(table); i++)
        if (table[i].id == verb)
            fx_verb_help(stdout, &table[i]);
    *exit_status = FX_EXIT_OK;
    return false;
}
