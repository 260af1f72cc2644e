/* The table of verbs with their help, and `help` itself. */
#include <string.h>

#include "cli.h"
#include "core/nearest.h"
#include "core/probe.h"

#define MEASURING_EXIT                                                                                                 \
    "0 every case was measured or waived, 1 a case or a process failed, 2 wrong use, bad\n"                            \
    "input or a file that can't be written, 77 nothing could be run, 130 ended by Ctrl-C (143: by SIGTERM)\n"

static const fx_verb table[] = {
    {FX_VERB_CHARACTERIZE, "characterize", "[PROBE...] [OPTION...]",
     "measure this machine, compare it with the nearest archive, draw it",
     "Prints what the device is, runs the probes, keeps every sample in an archive, compares it with\n"
     "the nearest archive under results/ (the same device, else the same architecture, else the latest)\n"
     "and draws both. Ends with a summary and where the files are. Without a GPU the same job runs on\n"
     "the synthetic device '" FX_DEFAULT_SYNTHETIC "', whose numbers are invented.\n",
     "  gpufx characterize --quick               a first look, in seconds\n"
     "  gpufx characterize --processes 5         five processes: what a comparison wants\n"
     "  gpufx characterize transfer --device 1   one probe, on the second GPU\n",
     MEASURING_EXIT, fx_verb_characterize_run},
    {FX_VERB_RUN, "run", "[PROBE...] [OPTION...]", "run probes and archive the samples",
     "Runs the named probes, or all of them. Every case is a benchmark of Google Benchmark under its own\n"
     "name; its samples go to one new archive, written line by line. Ctrl-C finishes the present sample\n"
     "and leaves a valid archive of what was measured; a second Ctrl-C ends at once.\n",
     "  gpufx run bank_conflict --axis stride=1,2,4:32:4    one probe, these strides\n"
     "  gpufx run --filter 'op:load/width:4' --processes 5  these cases, in five processes\n"
     "  gpufx run null --no-archive                         what the harness itself costs per case\n"
     "  gpufx run constant --device synthetic:generic       without a GPU, on invented numbers\n",
     MEASURING_EXIT, fx_verb_run_run},
    {FX_VERB_LIST, "list", "[PROBE...] [OPTION...]", "what can be measured: probes, axes, cases",
     "Prints each probe's question, axes, sweeps, metrics and number of cases.\n",
     "  gpufx list                                       every probe\n"
     "  gpufx list coalescing --cases --filter level:l2  the names of some cases\n"
     "  gpufx list --json --cases                        with the lanes and the law's count of every case\n"
     "  gpufx list --claims                              what guides claim, and the cases that decide it\n",
     "0 fine, 2 wrong use or an empty selection, 77 no such device\n", fx_verb_list_run},
    {FX_VERB_INFO, "info", "[OPTION...]", "what the device, the driver and this build are",
     "Prints the facts that an archive would carry. Without a GPU it says why, and prints those of\n"
     "the synthetic device '" FX_DEFAULT_SYNTHETIC "', which stands in.\n",
     "  gpufx info                             this machine\n"
     "  gpufx info --device 1 --json           the second GPU, for other programs\n"
     "  gpufx info --device synthetic:planted  what an invented device says of itself\n",
     "0 fine, 2 wrong use, 77 no such device\n", fx_verb_info_run},
    {FX_VERB_PATTERN, "pattern", "(--lanes LIST | --expr EXPRESSION [t=FIRST:LAST] | --file FILE) [OPTION...]",
     "predict and measure what one access pattern costs",
     "Takes the byte offset of each of a warp's 32 lanes and says what the access costs: wavefronts, sectors,\n"
     "lines, cycles of one SM per access or, from DRAM, ns of the whole chip; which lanes collide; and what would\n"
     "cure it, by the same laws. Costs are predicted by the fits of the nearest archive under results/, of this\n"
     "device, else of its architecture, and measured on the GPU at hand where a probe takes any lane table.\n"
     "With --json: id, space, op, width; wavefronts, sectors, lines, distinct_words (counts); costs, one for each\n"
     "level: law, count, claimed (the law is meant for it), predicted, best (the same lanes side by side), times,\n"
     "measured, unit; largest_residual_pct and holds (of the law where it was fitted). null: it does not apply.\n",
     "  gpufx pattern --expr 'lane*33*4'                        a padded column of a shared tile\n"
     "  gpufx pattern --expr 'lane*128 + t*4' t=0:31            every column of an unpadded one\n"
     "  gpufx pattern --space global --expr 'threadIdx.x*12'    a field of an array of structures\n"
     "  gpufx pattern --expr '(lane%16)*4 + (lane/16)*128'      threads of a block of 16 by 2\n"
     "  gpufx pattern --op store --lanes 0,4,8,-,16 --predict   without a GPU; lane 3 inactive\n"
     "  generate | gpufx pattern --file - --json                one answer a line, for other programs\n",
     "0 fine, 1 a kernel's result was wrong, 2 wrong use or bad input, 77 --measure was asked for, and nothing\n"
     "could be measured\n",
     fx_verb_pattern_run},
    {FX_VERB_COMPARE, "compare", "BASE ARCHIVE... [OPTION...]", "compare archives, with honest statistics",
     "Compares each further archive with the first, case by case. An archive is a file, a folder, 'latest',\n"
     "part of a device's name such as 'h200', or NAME~1 for the one before. `gpufx compare --help` prints\n"
     "the options as well.\n",
     "  gpufx compare latest~1 latest                              the last two runs\n"
     "  gpufx compare h200 latest --only-changed --format markdown\n"
     "  gpufx compare old.jsonl new.jsonl --margin 2 --fail-on slower,missing\n",
     "0 fine, 1 --fail-on is met, 2 wrong use or an archive that can't be read,\n"
     "3 --fail-on undecided is met\n",
     fx_verb_compare_run},
    {FX_VERB_CLAIMS, "claims", "ARCHIVE [OPTION...]", "which rules of the tuning guides hold on the measured chip",
     "Holds what guides, lectures and blogs claim against an archive: holds, holds in part, does not hold, with the\n"
     "numbers and the case that decides. `gpufx list --claims` names the claims, their bounds and the cases that they\n"
     "speak of. A claim of a size (\"twice as fast\") holds in part where some case shows half to twice the\n"
     "claimed effect, in logarithms, and any claim where it holds for some of its cases only.\n",
     "  gpufx claims latest                    the last run\n"
     "  gpufx claims h200 --probe atomics      one probe, of the archive that came with the project\n"
     "  gpufx claims latest --format markdown  for a page; json: for other programs\n",
     "0 fine, whatever the verdicts, 2 wrong use or an archive that can't be read\n", fx_verb_claims_run},
    {FX_VERB_PLOT, "plot", "ARCHIVE... [-o DIR] [OPTION...]", "draw archives",
     "Draws every probe of the archives, PNG and SVG, archives overlaid. `gpufx plot --help` prints the\n"
     "options as well.\n",
     "  gpufx plot latest                          into out/charts\n"
     "  gpufx plot h200 latest -o both             two archives in each figure\n"
     "  gpufx plot latest --probe transfer --format svg\n",
     "0 fine, 2 wrong use or an archive that can't be read\n", fx_verb_plot_run},
    {FX_VERB_VALIDATE, "validate", "[PROBE...] [OPTION...]",
     "check the instrument itself: random patterns, machine code, counters",
     "Proves that the numbers mean what they say: random patterns, drawn afresh, cost what the laws and the\n"
     "archive's fits predict, the timed loops hold what they should, and the hardware's own counters show what\n"
     "the laws count. docs/trust.md has what came of it. What this machine can't check is waived, with the reason.\n"
     "`gpufx validate --help` prints the options as well.\n",
     "  gpufx validate                                all that this machine can check, as one table\n"
     "  gpufx validate --patterns                     10,000 random patterns on the GPU, in minutes\n"
     "  gpufx validate --sass                         the machine code of this build; needs no GPU\n"
     "  gpufx validate --counters --quick             a few cases of each probe under Nsight Compute\n"
     "  gpufx validate --counters bank_conflict --filter op:store\n",
     "0 all that was checked agrees, 1 something differs or failed, 2 wrong use,\n"
     "77 nothing could be checked here\n",
     fx_verb_validate_run},
    {FX_VERB_SELFCHECK, "selfcheck", "[PROBE...] [OPTION...]",
     "compare this machine with itself: are there false alarms?",
     "Runs the probes in fresh processes that belong to two sides in turns (A B B A A B B A ...), and\n"
     "compares the sides by the rules of `compare`. Nothing was changed between them, so each SLOWER or\n"
     "FASTER, and each case that one side lacks, is a false alarm. Prints their rate and that of undecided\n"
     "cases, per probe and together. The archive is one like any other. The answer is yes if one is 95 %\n"
     "sure that the rate is under 1 % (which takes 299 cases even without any alarm), no if one is that\n"
     "sure that it is not, and else undecided.\n",
     "  gpufx selfcheck --quick               a first look\n"
     "  gpufx selfcheck                       all probes, five processes a side\n"
     "  gpufx selfcheck transfer --margin 3   is this machine steady enough to see 3 %?\n",
     "0 yes, 1 no, or a case or a process failed, 2 wrong use, bad input or a file that can't be written,\n"
     "3 undecided, 77 nothing could be run, 130 ended by Ctrl-C (143: by SIGTERM)\n",
     fx_verb_selfcheck_run},
    {FX_VERB_SETUP, "setup", "", "install and build what is missing",
     "The script ./gpufx at the root of the project installs what is missing and builds what is stale. Every\n"
     "verb does that when it needs to, but for help, list, info and every --help, which say what is missing.\n",
     "  ./gpufx setup                 set up, and run nothing\n"
     "  GPUFX_CUDA=OFF ./gpufx setup  without CUDA; the choice stays until another is made\n",
     "0 fine, 2 it could not be set up\n", fx_verb_setup_run},
    {FX_VERB_TEST, "test", "", "run the project's own tests",
     "The script ./gpufx at the root of the project runs the tests: it sets up what they need, builds, and\n"
     "calls ctest and pytest. From a build folder of your own, `ctest` runs all but the Python tests.\n",
     "  ./gpufx test          everything; needs no GPU\n"
     "  ./gpufx test --quick  without the sanitizers, the compilation for all architectures and the check\n"
     "                        of its machine code\n",
     "0 all passed, 1 a stage failed, 2 it could not be set up\n", fx_verb_test_run},
    {FX_VERB_HELP, "help", "[VERB...]", "this page, or the page of a verb",
     "Prints all verbs, or the page of each verb that is named.\n",
     "  gpufx help       all verbs, exit statuses, environment\n"
     "  gpufx help run   the same as gpufx run --help\n",
     "0 fine, 2 no such verb\n", fx_verb_help_run},
};

const fx_verb *fx_verbs(size_t *count) {
    *count = FX_COUNT(table);
    return table;
}

const fx_verb *fx_verb_of(fx_verb_id id) {
    size_t i = 0;
    while (table[i].id != id) {
        i++;
    }
    return &table[i];
}

void fx_verb_help(FILE *to, const fx_verb *verb) {
    fprintf(to, "Usage: gpufx %s%s%s\n\n%s", verb->name, *verb->arguments ? " " : "", verb->arguments, verb->text);
    fx_options_print(to, verb->id);
    fx_verb_examples(to, verb);
}

void fx_verb_examples(FILE *to, const fx_verb *verb) {
    fprintf(to, "\nExamples:\n%s\nExit status: %s", verb->examples, verb->exit_status);
}

static void overview(void) {
    puts("gpufx measures what a GPU's hardware effects cost: bank conflicts, uncoalesced accesses, divergent\n"
         "branches, atomics, latencies, transfers and more (`gpufx list`). It puts the cost that the hardware's rules\n"
         "predict beside the measured one, keeps every sample, compares archives and draws them.\n\n"
         "Usage: gpufx VERB [ARGUMENT...]\n\nVerbs:");
    for (size_t i = 0; i < FX_COUNT(table); i++) {
        printf("  %-14s %s\n", table[i].name, table[i].summary);
    }
    puts("\n`gpufx VERB --help` prints a verb's options, examples and exit statuses.\n\n"
         "Exit status:\n"
         "  0    fine\n"
         "  1    the answer is no: a case failed, a check failed, a comparison met --fail-on\n"
         "  2    wrong use, bad input, or a file that can't be written\n"
         "  3    undecided, where a decision was asked for\n"
         "  77   nothing could be run: no such device, every case waived, or not built yet\n"
         "  130  ended by Ctrl-C (143: by SIGTERM)\n\n"
         "Environment, for the script ./gpufx, which sets up, builds and then runs this program; the build keeps\n"
         "what was chosen until another value is given, and an empty one is the default again:\n"
         "  GPUFX_CUDA=OFF       build without CUDA: synthetic devices, archives, compare and plot still work\n"
         "  GPUFX_ARCHITECTURES  GPU architectures to compile for, such as \"90\" or \"80;90\"; default: those of the\n"
         "                       GPUs that nvidia-smi reports, else 90\n"
         "  CUDACXX              the nvcc to use, 12.8 or newer; default: the one on PATH, else\n"
         "                       /usr/local/cuda/bin/nvcc, else CUDA from NVIDIA's Python wheels in .venv\n"
         "  CC, CXX              the C and C++ compilers; default: the system's\n"
         "Environment, for this program when it is started without the script:\n"
         "  GPUFX_ROOT           the project's folder; default: found from the program's place\n"
         "  GPUFX_PYTHON         the Python with the packages of plot/; default: .venv/bin/python, else python3");
}

int fx_verb_help_run(int argc, char **argv) {
    fx_options options;
    int status;
    if (!fx_options_ready(FX_VERB_HELP, argc, argv, &options, &status)) {
        goto cleanup;
    }
    status = FX_EXIT_OK;
    if (!options.words.count) {
        overview();
    }
    for (size_t w = 0; w < options.words.count && !status; w++) {
        const char *known[FX_COUNT(table)];
        const fx_verb *verb = NULL;
        for (size_t i = 0; i < FX_COUNT(table); i++) {
            known[i] = table[i].name;
            if (!strcmp(table[i].name, options.words.text[w])) {
                verb = &table[i];
            }
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

/* A verb of the script ./gpufx, which this program can only point at. */
static int of_the_script(fx_verb_id id, int argc, char **argv) {
    fx_options options;
    int status;
    if (fx_options_ready(id, argc, argv, &options, &status)) {
        fx_warn("'%s' is done by the script ./gpufx at the root of the project: ./gpufx %s.", fx_verb_of(id)->name,
                fx_verb_of(id)->name);
        status = FX_EXIT_USE;
    }
    fx_options_free(&options);
    return status;
}

int fx_verb_setup_run(int argc, char **argv) {
    return of_the_script(FX_VERB_SETUP, argc, argv);
}

int fx_verb_test_run(int argc, char **argv) {
    return of_the_script(FX_VERB_TEST, argc, argv);
}

bool fx_options_ready(fx_verb_id verb, int argc, char **argv, fx_options *options, int *exit_status) {
    fx_error err = {0};
    if (fx_options_parse(verb, argc, argv, options, &err)) {
        *exit_status = fx_exit_for(&err);
        return false;
    }
    if (!options->help) {
        return true;
    }
    fx_verb_help(stdout, fx_verb_of(verb));
    *exit_status = FX_EXIT_OK;
    return false;
}
