/* The list of verbs, with their pages of help. */

#include "call/python.h"
#include "call/verb.h"
#include "core/probe.h"

#define MEASURING_EXIT                                                                                                 \
    "0 every case was measured or waived, 1 a case or a process failed, 2 usage error, bad input or a file that "      \
    "can't be written, 77 nothing could run, 130 interrupted by Ctrl-C (143: SIGTERM, 129: SIGHUP)\n"

#define ARCHIVE_IS                                                                                                     \
    "ARCHIVE is a file, a folder (its newest archive), 'latest' (a synthetic archive only if nothing was "             \
    "measured), part of a device name such as 'h200', 'sm_90', or the id of a run. A device's name means its "         \
    "reference archive, which README shows, or without one the newest. NAME~1 is the one before of the same card.\n"

const fx_verb fx_verbs[] = {
    {"Measure", "characterize", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "measure this machine, compare it with the nearest archive, plot it",
     "Prints the device, runs the probes, archives every sample, compares "
     "the result with the nearest archive under results/ (same device, else same architecture, else the latest) "
     "and plots both. Ends with the screen of `summary`. Without a GPU it runs on the synthetic device "
     "'" FX_DEFAULT_SYNTHETIC
     "', whose numbers are made up. With several devices each gets its own archive and screen; `sheet` "
     "puts archives side by side.\n",
     "  gpufx characterize --quick               a first look, in seconds\n"
     "  gpufx characterize --processes 1         one process: fast, too little for a comparison\n"
     "  gpufx characterize transfer --device 1   one probe, on the second GPU\n"
     "  gpufx characterize --device all --quick  every GPU of the host, one after the other\n",
     MEASURING_EXIT, .run = fx_verb_characterize},
    {"Measure", "run", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER, "run probes and archive the samples",
     "Runs the named probes, or all of them. Every case is a Google Benchmark benchmark with its own name; its "
     "samples are appended to one new archive as they are taken. Ctrl-C finishes the current sample and leaves "
     "a valid archive of what was measured; a second Ctrl-C stops at once.\n",
     "  gpufx run bank_conflict --axis stride=1,2,4:32:4    one probe, these strides\n"
     "  gpufx run --filter 'op:load/width:4' --processes 5  these cases, in five processes\n"
     "  gpufx run constant --device synthetic:generic       without a GPU, on made-up numbers\n",
     MEASURING_EXIT, .run = fx_verb_run},
    {"Measure", "list", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER, "list probes, their axes and cases",
     "Prints the question and the number of cases of every probe. For named probes, or with another option, "
     "also prints axes, sweeps and metrics.\n",
     "  gpufx list                                       every probe\n"
     "  gpufx list bank_conflict                         one of them, with its axes\n"
     "  gpufx list coalescing --cases --filter level:l2  the names of some cases\n"
     "  gpufx list --json --cases                        with lane offsets and the count of the law for every case\n",
     "0 success, 2 usage error or an empty selection, 77 no such device\n", .run = fx_verb_list},
    {"Measure", "info", "[OPTION...]", 0, 0,
     "describe the device (such as its shared memory per block), the driver and this build",
     "Prints the facts that an archive would record. Without a GPU it prints why there is none, and describes "
     "the synthetic device '" FX_DEFAULT_SYNTHETIC
     "' instead. A GPU that is present but unusable, because its driver is "
     "broken or not loaded, is an error.\n",
     "  gpufx info                             this machine\n"
     "  gpufx info --device 1 --json           the second GPU, as JSON\n"
     "  gpufx info --device synthetic:planted  a synthetic device\n",
     "0 success, 2 usage error, 77 no such device, or a GPU that is present but unusable\n", .run = fx_verb_info},
    {"Look", "ask", "WORD... [OPTION...]", 1, FX_ANY_NUMBER, "search quantities, claims, effects and pages for words",
     "Prints at most ten rows: the value with its 99 % CI, what it means, the chip, and the command that shows "
     "more. A word that names a chip or a run chooses the archive; without one it is the newest one. Words that "
     "match nothing are named.\n",
     "  gpufx ask __ldg\n"
     "  gpufx ask L2 latency h100 h200\n"
     "  gpufx ask padding --archive h100\n",
     "0 success, 1 nothing matches, 2 usage error or an unreadable archive\n", .module = FX_PLOT_MODULE},
    {"Look", "summary", "ARCHIVE [OPTION...]", 1, 1, "describe a chip on one screen",
     "Prints the latency, size and rate of each memory, the host link, the biggest slowdowns, and their 99 % "
     "CIs, on one screen. `compare` and `sheet` show two archives beside each other. " ARCHIVE_IS,
     "  gpufx summary latest                    the last run\n"
     "  gpufx summary latest --full             every probe: its fits, and how well they predict\n"
     "  gpufx summary latest --json             for other programs\n",
     "0 success, 2 usage error or an unreadable archive\n", .module = FX_PLOT_MODULE, .archives = 1},
    {"Look", "sheet", "ARCHIVE... [OPTION...]", 1, FX_ANY_NUMBER,
     "print the data sheet: every quantity with its interval",
     "Prints every quantity that the cases of the archive determine: value, interval or bracket, share of the "
     "peak, the value that the device itself reports, and why the others are not determined. Further archives "
     "are further columns. docs/quantities.md describes how each is estimated. " ARCHIVE_IS,
     "  gpufx sheet latest               the last run\n"
     "  gpufx sheet h200 h100            two chips side by side\n"
     "  gpufx sheet latest --format csv  one line per quantity, for other programs\n"
     "  gpufx sheet h200 h100 --filter '^l2.*lat' --format latex  a table for a paper\n"
     "  gpufx sheet h200 --filter '^(dram.read_rate|l2.latency)$'  these quantities\n",
     "0 success, 2 usage error or an unreadable archive\n", .module = FX_PLOT_MODULE, .archives = 1},
    {"Look", "claims", "ARCHIVE... [OPTION...]", 1, FX_ANY_NUMBER,
     "test the rules of tuning guides on the measured chip",
     "Tests what guides, papers and common advice claim. Every case that a claim covers counts, by its 95 % "
     "CI: HOLDS if all lie inside the bounds of the claim; DEPENDS if some lie inside and some outside, with "
     "the axes that separate them; with some outside and none inside, RIGHT DIRECTION if all have the claimed "
     "sign, else DOES NOT HOLD, as one case clearly outside refutes it; UNDECIDED if the intervals are too "
     "wide; NOT MEASURED, with the reason. Cases too uncertain to say are counted. Of several archives each claim "
     "is listed once; the claims are those that they carry. " ARCHIVE_IS,
     "  gpufx claims h100 h200                 two chips, first where the verdicts differ\n"
     "  gpufx claims h200 --probe atomics      one probe, from the archive that ships with gpufx\n"
     "  gpufx claims latest --full             with sources, numbers and the deciding cases\n",
     "0 success, whatever the verdicts, 2 usage error or an unreadable archive\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"Look", "plot", "ARCHIVE... [-o DIR] [OPTION...]", 1, FX_ANY_NUMBER,
     "draw one figure per probe, titled with its finding",
     "Draws one figure per probe, with all archives in the same panels. The title is the finding. Without "
     "--probe it also draws the memory hierarchy to scale and a roofline; --probe hierarchy,roofline draws "
     "these alone. " ARCHIVE_IS,
     "  gpufx plot latest                          into out/charts/ARCHIVE\n"
     "  gpufx plot h200 latest -o both             two archives in each figure, and their ratio\n"
     "  gpufx plot latest --supplement             the panels that the first figures leave out\n"
     "  gpufx plot latest --probe transfer --width 89mm --format pdf --data\n",
     "0 success, 2 usage error or an unreadable archive\n", .module = FX_PLOT_MODULE, .archives = 1},
    {"Look", "report", "ARCHIVE... [-o FILE] [OPTION...]", 1, FX_ANY_NUMBER,
     "write one page with everything, to send to a colleague",
     "Writes one HTML file that needs neither network nor scripts: the chip at a glance, a comparison of the "
     "first archive with each further one, the memory hierarchy to scale, the figure and finding of each effect, "
     "the data sheet, and the verdicts on claims. It is readable on a phone and in print. `gpufx export --by case` "
     "writes the cases. " ARCHIVE_IS,
     "  gpufx report latest                          into out/report.html\n"
     "  gpufx report h200 h100 -o both.html          two chips side by side\n"
     "  gpufx report latest latest~1 -o driver.html  the last run and the one before\n",
     "0 success, 2 usage error, an unreadable archive or a file that can't be written\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"Look", "export", "ARCHIVE... --format FORMAT [OPTION...]", 1, FX_ANY_NUMBER,
     "convert an archive to CSV, JSON or Parquet",
     "Writes the quantities of an archive, its cases or its fits, with units and provenance. csv and json: one row "
     "each. parquet: all of them, of any number of archives, and of folders with all below them, as four files in "
     "the folder of --output, for DuckDB, pandas and `fleet report`. docs/queries.md describes every column, "
     "docs/doors.md how to load another tool's figures beside them.\n",
     "  gpufx export latest --format csv                           the quantities of the last run\n"
     "  gpufx export latest --format csv --by fit                  its fits\n"
     "  gpufx export latest /shared/gpufx --format parquet -o tables\n",
     "0 success, 1 parquet: an archive was left out, 2 usage error, an unreadable archive or a file that can't be "
     "written\n",
     .module = FX_PLOT_MODULE, .archives = 1},
    {"Compare", "compare", "BASE ARCHIVE... [OPTION...]", 2, FX_ANY_NUMBER,
     "show what changed between archives, case by case",
     "Compares each further archive with the first, the base: each case is SAME, SLOWER, FASTER, or UNSURE for "
     "lack of evidence. One screen shows what changed, worst first: a factor that all times share, factors "
     "that many cases share, quantities, probes and cases. SLOWER and FASTER hold for the comparison as a "
     "whole: 99 of 100 comparisons of equal archives are meant to report none, and four such pairs were "
     "measured. Two runs of one card are judged by the variation between processes, two cards of one model by "
     "the variation between cards; for two models it shows plain differences. docs/gates.md has recipes for "
     "CI. " ARCHIVE_IS,
     "  gpufx compare latest~1 latest                              the last two runs\n"
     "  gpufx compare h200 latest --format csv > cases.csv\n"
     "  gpufx compare old.jsonl new.jsonl --fail-on 'slower>5%,dram.read_rate<-3%,missing'\n",
     "0 success, 1 --fail-on is met, 2 usage error or an unreadable archive, 3 --fail-on unsure is met, or "
     "there is too little evidence to pass\n",
     .module = FX_PLOT_MODULE, .archives = 1, .apart = true},
    {"Many cards", "fleet report", "FOLDER... [OPTION...]", 1, FX_ANY_NUMBER,
     "find sick cards, and groups of cards that differ",
     "Judges all cards of the archives against each other, model by model, each by its newest run: sick cards with "
     "the quantities that are off and by how much; hosts, labels and drivers whose cards differ from the others; the "
     "spread of each quantity over the cards. Fewer than 1 in 1,000 healthy cards is called sick, however many "
     "quantities there are. FOLDER holds archives, or what `export --format parquet` made of them, which is read "
     "faster. docs/fleet.md describes the method, docs/clusters.md how to measure many GPUs.\n",
     "  gpufx fleet report /shared/gpufx                      on one screen, the answer first\n"
     "  gpufx fleet report /shared/gpufx --fail-on sick       for CI and job scripts: by its exit status\n",
     "0 success, 1 --fail-on sick: a card is sick or a host slower than the others, 2 usage error, no archive, or a "
     "place that can't be read or written, 3 --fail-on sick: no card is, but some can't be judged (fewer than four of "
     "a kind, an unreadable archive)\n",
     .module = FX_PLOT_MODULE},
    {"Your program", "pattern",
     "(--code CODE | [--tile TYPE[N]...] --expr EXPRESSION | --index EXPRESSION | --file FILE) [NAME=VALUE...] "
     "[OPTION...]",
     0, FX_ANY_NUMBER, "predict, draw and measure one access pattern, and look for a cure",
     "Takes lines of CUDA, or the byte offset of each of the 32 lanes of a warp, and reports the cost of the access, "
     "the verdict first: wavefronts, sectors, lines, cycles of one SM alone per access or, from DRAM, ns of the "
     "whole chip; which lanes conflict; and what would cure it, by the same laws. --code runs the lines for the "
     "first warp of a block, as a compiler's front end (libclang) reads them, and of several accesses the one that "
     "loses most time is drawn; a plain array lies in the memory that --space names, a pointer points to the start "
     "of a line of global memory. Costs are predicted with the fits of the nearest archive under results/ (same "
     "device, else same architecture), and measured if the GPU is present and a probe takes arbitrary lane offsets. "
     "Keys of --json: id, access (its text) and line, of --code and --file; space, op, width; wavefronts, sectors, "
     "lines, distinct_words (counts); lanes (byte offsets, -1 inactive); costs, one per level: law, count, claimed "
     "(the law is claimed for this access), predicted (at_least, where the law is not claimed), best (an ideal "
     "access of the same lanes), times, measured (or not_measured, why), unit; law_missed_pct and law_holds (of the "
     "fit), fits (the archive they are of). null: does not apply. The last element, of a gate or of notes, has gate, "
     "fail_on, judged, not_judged and notes.\n",
     "  gpufx pattern --block 16,16 --code '__shared__ float tile[32][33]; x = tile[threadIdx.x][threadIdx.y];'\n"
     "  gpufx pattern --file app.cu:120 -D T=float N=1024 --fail-on 'ways>1,sectors>1x'  a gate without a GPU\n"
     "  gpufx pattern --tile 'float[32][33]' --expr 'tile[lane][t]' t=0:31  every column of a padded tile\n"
     "  gpufx pattern --tile 'half[64][64]' --swizzle 3,3,3 --op ldmatrix --expr 't[lane%16][lane/16*8]'\n"
     "  gpufx pattern --index 'lane*33'                         a stride of 33 floats\n"
     "  gpufx pattern --space global --expr 'threadIdx.x*12'    one field of an array of structures\n"
     "  gpufx pattern --op store --expr 0,4,8,-,16 --arch sm_80   for another chip; lane 3 is inactive\n",
     "0 success, 1 a condition of --fail-on is met, or a kernel computed a wrong result, 2 usage error or bad "
     "input, 3 --fail-on can't be decided\n",
     .run = fx_verb_pattern},
    {"Your program", "explain", "(TRACE | [OPTION...] -- PROGRAM [ARGUMENT...])", 1, FX_ANY_NUMBER,
     "show where the time of a CUDA program's kernels goes, line by line",
     "Needs no performance counters and no root. Runs an unmodified program, records the addresses of its "
     "memory accesses, replays its machine code on one SM, and prints what each kernel's time goes to, on which "
     "lines, what an ideal access of the same bytes would save, and the cures. A recorded trace can be explained "
     "again without a GPU. The output of the program passes through; with --json it goes to standard error. "
     "docs/explain.md describes the method and its limits.\n",
     "  gpufx explain -- ./app 4096                         the costliest lines\n"
     "  gpufx explain --list -- ./app                       its kernels and their times\n"
     "  gpufx explain --kernel softmax -- python3 train.py  only these kernels\n"
     "  gpufx explain --record a.fxtrace -- ./app           keep the trace\n"
     "  gpufx explain a.fxtrace --archive h100              on another chip\n"
     "  gpufx explain a.fxtrace --against before.fxtrace    the effect of a change\n"
     "  gpufx explain --fail-on 'saved>20%' -- ./tests      a gate in CI\n"
     "  gpufx explain a.fxtrace --format sarif -o a.sarif   for code scanning\n",
     "the status of the program if that is not 0; else 0 success, 1 --fail-on is met, 2 usage error or bad "
     "input, 3 --fail-on can't be decided, 77 nothing was recorded\n",
     .module = FX_PLOT_MODULE},
    {"Check", "accept", "[ARCHIVE] [OPTION...]", 0, 1, "check whether this card performs like others of its model",
     "Measures a fixed set of quantities in three processes, in less than two minutes, and compares them with "
     "the base: archives of cards of the same model and kind. The first line is the answer: PASS; FAIL with the "
     "quantity, how far it is off and a likely cause; or UNSURE with what is missing: the worse one of the card and "
     "its host link. Fewer than 1 in 1,000 healthy cards fails. With ARCHIVE nothing is measured. The base leaves out "
     "archives of the card itself. docs/fleet.md describes the method and how it was tested. " ARCHIVE_IS,
     "  gpufx accept                                     this card, against the archives of its model\n"
     "  gpufx accept --device 3 --against h200 --minutes 1\n"
     "  gpufx accept new.jsonl --against /shared/archives   an archive; measures nothing\n"
     "  gpufx accept --device 3 --format json > accept.json for other programs\n",
     "0 PASS, 1 FAIL, 3 UNSURE, 2 usage error or bad input, 77 nothing could be measured\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"Check", "validate", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "check the instrument: random patterns, machine code, hardware counters",
     "Checks that the numbers mean what they say: fresh random patterns cost what the laws and the fits of the "
     "archive predict, the timed loops contain the declared instructions, and the hardware counters show what "
     "the laws count. It runs all checks unless an option selects some. A check that this machine can't run is "
     "waived, with the reason. docs/trust.md has the results.\n",
     "  gpufx validate                                all that this machine can check, as one table\n"
     "  gpufx validate --patterns                     10,000 random patterns on the GPU, in minutes\n"
     "  gpufx validate --sass                         the machine code of this build; needs no GPU\n"
     "  gpufx validate --counters --quick             a few cases of each probe under Nsight Compute\n"
     "  gpufx validate --counters bank_conflict --filter op:store\n",
     "0 everything that was checked agrees, 1 something differs or failed, 2 usage error, 77 nothing could be "
     "checked here\n",
     .module = FX_VALIDATE_MODULE},
    {"Maintain", "archive list", "[NAME | PLACE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "list the archives of the project, or of folders",
     "Lists archives, newest first: those under results/ and out/ that have a name, every archive that NAME "
     "matches, or those of each PLACE, a folder of archives.\n",
     "  gpufx archive list                      names that `compare`, `plot` and others accept\n"
     "  gpufx archive list --probe transfer     those that have this probe\n"
     "  gpufx archive list /shared/gpufx        those of a folder\n",
     "0 success, 2 usage error, or a place that can't be read or isn't an archive\n", .run = fx_verb_archive_list},
    {"Maintain", "setup", "", 0, 0, "install and build what is missing",
     "The script ./gpufx at the root of the project installs what is missing and builds what is out of date. "
     "Every verb does so when needed, except help, list, info and every --help, which only report what is "
     "missing.\n",
     "  ./gpufx setup                 set up, and run nothing\n"
     "  GPUFX_CUDA=OFF ./gpufx setup  without CUDA, until another value is given\n",
     "0 success, 2 setup failed\n", .run = NULL},
    {"Maintain", "test", "", 0, 0, "run the project's tests",
     "The script ./gpufx at the root of the project runs the tests: it sets up what they need, builds, and calls "
     "ctest, which runs pytest and the linters, too; then the sanitizers.\n",
     "  ./gpufx test          everything; needs no GPU\n"
     "  ./gpufx test --quick  without the sanitizers, the compilation for all architectures, the check of its machine "
     "code, and tests that take seconds\n",
     "0 all passed, 1 a stage failed, 2 setup failed\n", .run = NULL},
    {"Maintain", "help", "[VERB...] [OPTION...]", 0, FX_ANY_NUMBER, "list the verbs, or describe one",
     "Lists all verbs, or describes each named one.\n",
     "  gpufx help      all verbs, exit statuses, environment\n"
     "  gpufx help run  same as gpufx run --help\n",
     "0 success, 2 no such verb\n", .run = fx_verb_help},
};

/* Internal: `explain` starts it; no help or page lists it. */
static const fx_verb trace_cost = {NULL, "trace-cost", "TRACE", 1, 1, "", "", "", "", .run = fx_verb_trace_cost};

const size_t fx_verb_count = FX_COUNT(fx_verbs);

/* How many of the first words are the verb's name, 1 or 2; 0: another verb is meant, or none. */
static size_t words_of(const fx_verb *verb, const char *const *words, size_t count) {
    const char *blank = strchr(verb->name, ' ');
    if (!blank) {
        return count > 0 && !strcmp(verb->name, words[0]);
    }
    const size_t length = (size_t)(blank - verb->name);
    const bool both = count > 1 && strlen(words[0]) == length && !strncmp(verb->name, words[0], length) &&
                      !strcmp(blank + 1, words[1]);
    return both ? 2 : 0;
}

const fx_verb *fx_verb_find(const char *const *words, size_t count, size_t *taken) {
    for (size_t i = 0; i <= fx_verb_count; i++) {
        const fx_verb *verb = i < fx_verb_count ? &fx_verbs[i] : &trace_cost;
        if ((*taken = words_of(verb, words, count))) {
            return verb;
        }
    }
    return NULL;
}
