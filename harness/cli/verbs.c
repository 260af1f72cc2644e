/* The list of verbs, with their pages of help. */
#include <string.h>

#include "call/python.h"
#include "call/verb.h"
#include "core/probe.h"

#define MEASURING_EXIT                                                                                                 \
    "0 every case was measured or waived, 1 a case or a process failed, 2 wrong use, bad\n"                            \
    "input or a file that can't be written, 77 nothing could be run, 130 ended by Ctrl-C (143: by SIGTERM,\n"          \
    "129: by SIGHUP)\n"

#define ARCHIVE_IS                                                                                                     \
    "An archive is named by its file, a folder (its newest archive), 'latest' (a synthetic one only where\n"           \
    "nothing was measured), part of a device's name such as 'h200', 'sm_90' or the id of a run; NAME~1 is the\n"       \
    "one before.\n"

static const fx_verb table[] = {
    {"characterize", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "measure this machine, compare it with the nearest archive, draw it",
     "Prints what the device is, runs the probes, keeps every sample in an archive, compares it with\n"
     "the nearest archive under results/ (the same device, else the same architecture, else the latest)\n"
     "and draws both. Ends with the screen of `summary`. Without a GPU the same job runs on\n"
     "the synthetic device '" FX_DEFAULT_SYNTHETIC "', whose numbers are invented. Of several devices each has its\n"
     "own archive and screen, and a table at the end sets them side by side.\n",
     "  gpufx characterize --quick               a first look, in seconds\n"
     "  gpufx characterize --processes 1         one process: a look without a comparison\n"
     "  gpufx characterize --processes 5         five: to find smaller changes than the usual two or three\n"
     "  gpufx characterize transfer --device 1   one probe, on the second GPU\n"
     "  gpufx characterize --device all --quick  every GPU of the host, one after the other\n",
     MEASURING_EXIT, .run = fx_verb_characterize},
    {"run", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER, "run probes and archive the samples",
     "Runs the named probes, or all of them. Every case is a benchmark of Google Benchmark under its own\n"
     "name; its samples go to one new archive, written line by line. Ctrl-C finishes the present sample\n"
     "and leaves a valid archive of what was measured; a second Ctrl-C ends at once.\n",
     "  gpufx run bank_conflict --axis stride=1,2,4:32:4    one probe, these strides\n"
     "  gpufx run --filter 'op:load/width:4' --processes 5  these cases, in five processes\n"
     "  gpufx run null --no-archive                         what the harness itself costs per case\n"
     "  gpufx run constant --device synthetic:generic       without a GPU, on invented numbers\n"
     "  gpufx run transfer --device all --together          all GPUs of the host at once, an archive each\n",
     MEASURING_EXIT, .run = fx_verb_run},
    {"fleet run", "[PROBE...] --out DIR [OPTION...]", 0, FX_ANY_NUMBER, "run probes on many GPUs, one rank each",
     "Is started once for each GPU, by mpirun, srun or another launcher. Each rank measures one GPU as `run` does, in\n"
     "a process of its own that has a time limit, and writes its own archive under DIR; what it prints goes to\n"
     "DIR/logs. DIR/ranks has a row for each GPU: done, or why not. Rank 0 ends last and says what came out. The same\n"
     "command again measures only what is missing. Host names stand in the archives, as label host.\n",
     "  srun --ntasks-per-node=8 --gpus-per-node=8 gpufx fleet run --out /shared/fleet\n"
     "  mpirun --enable-recovery -n 16 gpufx fleet run --quick --out /shared/fleet\n"
     "  mpirun -n 4 gpufx fleet run transfer --together --out /shared/links   all at once: who shares a link?\n"
     "  gpufx fleet status /shared/fleet                                      what came out\n",
     "of rank 0: 0 every rank is done, 1 one is not, 2 wrong use, bad input or a folder that can't be written,\n"
     "130 ended by Ctrl-C (143: by SIGTERM); other ranks end with 0 where their row says the rest\n",
     .run = fx_verb_fleet_run},
    {"fleet status", "DIR", 1, 1, "what came out of a fleet run, rank by rank",
     "Prints how many GPUs are done, and the reason for each that is not.\n", "  gpufx fleet status /shared/fleet\n",
     "0 every rank is done, 1 one is not, 2 wrong use or no fleet run\n", .run = fx_verb_fleet_status},
    {"list", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER, "what can be measured: probes, axes, cases",
     "Prints each probe's question and number of cases; of probes that are named, or with another option, axes,\n"
     "sweeps and metrics, too.\n",
     "  gpufx list                                       every probe\n"
     "  gpufx list bank_conflict                         one of them, with its axes\n"
     "  gpufx list coalescing --cases --filter level:l2  the names of some cases\n"
     "  gpufx list --json --cases                        with the lanes and the law's count of every case\n"
     "  gpufx list --claims                              what guides claim, and the cases that decide it\n",
     "0 fine, 2 wrong use or an empty selection, 77 no such device\n", .run = fx_verb_list},
    {"info", "[OPTION...]", 0, 0, "what the device, the driver and this build are",
     "Prints the facts that an archive would carry. Without a GPU it says why, and prints those of\n"
     "the synthetic device '" FX_DEFAULT_SYNTHETIC
     "', which stands in. A GPU that is in the machine and can't be used,\n"
     "since its driver is broken or not loaded, is an error.\n",
     "  gpufx info                             this machine\n"
     "  gpufx info --device 1 --json           the second GPU, for other programs\n"
     "  gpufx info --device synthetic:planted  what an invented device says of itself\n",
     "0 fine, 2 wrong use, 77 no such device, or a GPU that is there and can't be used\n", .run = fx_verb_info},
    {"pattern",
     "(--expr EXPRESSION | --tile TYPE[N]... --read ELEMENT | --lanes LIST | --file FILE) [t=FIRST:LAST]"
     " [OPTION...]",
     0, FX_ANY_NUMBER, "predict and measure what one access pattern costs",
     "Takes the byte offset of each of a warp's 32 lanes and says what the access costs: wavefronts, sectors,\n"
     "lines, cycles of one SM per access or, from DRAM, ns of the whole chip; which lanes collide; and what would\n"
     "cure it, by the same laws. Costs are predicted by the fits of the nearest archive under results/, of this\n"
     "device, else of its architecture, and measured on the GPU at hand where a probe takes any lane table.\n"
     "With --json: id, space, op, width; wavefronts, sectors, lines, distinct_words (counts); costs, one for each\n"
     "level: law, count, claimed (the law is meant for it), count_by_base (fewest and most, where the base of the\n"
     "memory decides), predicted, best (the same lanes side by side), times, measured, unit; law_missed_pct and\n"
     "law_holds (where it was fitted). null: it does not apply.\n",
     "  gpufx pattern --tile 'float[32][33]' --read 'tile[lane][t]' t=0:31\n"
     "                                                          every column of a padded tile\n"
     "  gpufx pattern --expr 'lane*128 + t*4' t=0:31            every column of an unpadded one\n"
     "  gpufx pattern --space global --expr 'threadIdx.x*12'    a field of an array of structures\n"
     "  gpufx pattern --block 16,16 --expr 'threadIdx.x*4 + threadIdx.y*128'\n"
     "  gpufx pattern --space global --expr 'lane*12' --archive h100   by the fits of another chip\n"
     "  gpufx pattern --op store --lanes 0,4,8,-,16 --predict   without a GPU; lane 3 inactive\n"
     "  generate | gpufx pattern --file - --json                one answer per line, for other programs\n",
     "0 fine, 1 a kernel's result was wrong, 2 wrong use or bad input, 77 --measure was asked for, and nothing\n"
     "could be measured\n",
     .run = fx_verb_pattern},
    {"explain", "(TRACE | [OPTION...] -- PROGRAM [ARGUMENT...])", 1, FX_ANY_NUMBER,
     "what the memory accesses of a CUDA program cost, line by line",
     "Runs a program as it is, records the addresses of its memory accesses, and says which lines cost most above the\n"
     "best pattern that moves the same bytes, what would cure each, how much that can save at most, and what bounds\n"
     "the kernel. The trace of a program answers again later, without a GPU. What the program prints passes through;\n"
     "with --json it goes to standard error. docs/explain.md says how it is counted, and what can't be seen.\n",
     "  gpufx explain -- ./app 4096                         the costliest lines\n"
     "  gpufx explain --kernel softmax -- python3 train.py  of these kernels alone\n"
     "  gpufx explain --record a.fxtrace -- ./app           keep the trace\n"
     "  gpufx explain a.fxtrace --archive h100              as another chip takes it\n"
     "  gpufx explain a.fxtrace --against before.fxtrace    what a change has brought\n"
     "  gpufx explain a.fxtrace --html -o a.html            a page for a colleague\n"
     "  gpufx explain --fail-on 'saved>20%' -- ./tests      a gate in CI\n",
     "the program's own where that is not 0; else 0 fine, 1 --fail-on is met, 2 wrong use or bad input, 3 --fail-on\n"
     "has no answer, 77 nothing was recorded\n",
     .module = FX_PLOT_MODULE},
    {"trace cost", "TRACE [OPTION...]", 1, 1, "what the accesses of a recorded program cost, for other programs",
     "Prints one object of JSON: for each instruction of each launch how often it was executed, what the laws count,\n"
     "what serves it by a model of the caches, its cycles by the fits of an archive beside those of the same lanes "
     "side\n"
     "by side, its costliest patterns and what would cure them. docs/trace.md has every key, and the format of "
     "traces.\n" ARCHIVE_IS,
     "  gpufx trace cost app.fxtrace                      by the nearest archive of the trace's device\n"
     "  gpufx trace cost app.fxtrace --archive h100       as another chip would take it\n"
     "  gpufx trace cost app.fxtrace --kernel 'softmax'   these kernels alone\n",
     "0 fine, 2 wrong use, no trace, or an archive that can't be read\n", .run = fx_verb_trace_cost},
    {"trace show", "TRACE", 1, 1, "what a trace holds",
     "Prints program, device, launches with their kernels, and kinds of instructions of a trace, on one screen.\n",
     "  gpufx trace show app.fxtrace\n", "0 fine, 2 wrong use or no trace\n", .run = fx_verb_trace_show},
    {"fits", "[ARCHIVE] [OPTION...]", 0, 1, "what the laws cost on the chip of an archive",
     "Prints the fits cost = a + b x count of an archive, pooled over its processes, with how far the farthest\n"
     "case lies from each and whether the law holds. With --on it says how well they predict the cases of\n"
     "another archive, for the probes that have set themselves an aim.\n" ARCHIVE_IS,
     "  gpufx fits h200                          all fits of the archive that came with the project\n"
     "  gpufx fits latest --probe coalescing     of one probe\n"
     "  gpufx fits latest --json                 with the intervals of a and b, for other programs\n"
     "  gpufx fits --on new.jsonl                does an earlier archive of the device predict this one?\n"
     "  gpufx fits h200 --held-out               the laws, by predictions of cases that had no part in their fits\n",
     "0 fine, whatever the fits are like, 2 wrong use or an archive that can't be read,\n"
     "77 no archive has fits that could predict the other\n",
     .run = fx_verb_fits, .archives = 1},
    {"compare", "BASE ARCHIVE... [OPTION...]", 2, FX_ANY_NUMBER, "compare archives case by case",
     "Compares each further archive with the first, the base: is each case SAME, SLOWER, FASTER, or UNSURE for lack "
     "of\n"
     "evidence? One screen says what changed, worst first: what all times share, factors that many cases share,\n"
     "quantities, probes and cases. SLOWER and FASTER hold for the comparison as a whole: in 99 of 100 comparisons of\n"
     "equal archives no case is called so. Two runs on one card are held against what processes differ by, two cards\n"
     "of one model against what its cards differ by, and of two models plain differences are shown. docs/gates.md has\n"
     "recipes for CI.\n" ARCHIVE_IS,
     "  gpufx compare latest~1 latest                              the last two runs\n"
     "  gpufx compare h200 latest --only-changed --format markdown\n"
     "  gpufx compare old.jsonl new.jsonl --fail-on 'slower>5%,dram.read_rate<-3%,missing'\n"
     "  gpufx compare h200 latest --level process                  two cards, held against what processes differ by\n",
     "0 fine, 1 --fail-on is met, 2 wrong use or an archive that can't be read,\n"
     "3 --fail-on unsure is met, or the evidence is too little to pass\n",
     .module = FX_PLOT_MODULE, .archives = 1},
    {"accept", "[ARCHIVE] [OPTION...]", 0, 1, "is this card as the other cards of its chip are?",
     "Measures for two minutes what tells most, and holds it against the base: what cards of the same chip and kind\n"
     "differ by, from their archives. The first line is the answer: PASS; FAIL with the quantity, how far it is off\n"
     "and what that hints at; UNSURE with what is missing. The host's link is judged apart from the card. A healthy\n"
     "card fails less than once in 1,000. With an ARCHIVE nothing is measured. The card's own archives have no part\n"
     "in the base; docs/fleet.md says how it is judged, and what was tested.\n" ARCHIVE_IS,
     "  gpufx accept                                     this card, against the archives of its device\n"
     "  gpufx accept --device 3 --against h200 --minutes 1\n"
     "  gpufx accept new.jsonl --against /shared/archives   an archive, nothing is measured\n"
     "  gpufx accept --tolerance site.json --format junit > accept.xml\n",
     "0 PASS, 1 FAIL, 3 UNSURE, 2 wrong use or bad input, 77 nothing could be measured\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"ask", "WORD... [OPTION...]", 1, FX_ANY_NUMBER, "which command answers a question, and what it says here",
     "Finds the question that the words mean, among those of docs/answers.md, the claims, the quantities and the "
     "pages,\n"
     "and prints what the newest archive of the GPU at hand (without one: the newest of all) says to it, the command\n"
     "that says more, how it is measured, and the page.\n",
     "  gpufx ask __ldg\n"
     "  gpufx ask misaligned float4\n"
     "  gpufx ask padding --archive h100\n",
     "0 fine, 1 nothing is known of these words, 2 wrong use or an archive that can't be read\n",
     .module = FX_PLOT_MODULE},
    {"claims", "ARCHIVE [OPTION...]", 1, 1, "which rules of the tuning guides hold on the measured chip",
     "Checks what guides, papers and common advice claim. All cases of the archive that a sentence covers decide,\n"
     "each by its 95 % interval: HOLDS if all lie inside the claim's bounds; DEPENDS if some are inside and some\n"
     "outside, with the axes that part them; RIGHT DIRECTION if all are outside, with an effect of the claimed\n"
     "direction that is smaller or larger; DOES NOT HOLD if they are outside otherwise; UNDECIDED if the intervals\n"
     "are too wide; NOT MEASURED, with the reason. Judged are the claims that the archive carries; those of this\n"
     "program, which judge older archives, are in `gpufx list --claims`.\n" ARCHIVE_IS,
     "  gpufx claims latest                    the last run\n"
     "  gpufx claims h200 --probe atomics      one probe, of the archive that came with the project\n"
     "  gpufx claims latest --explain          with sources, numbers and the cases that decide\n"
     "  gpufx claims latest --format markdown  for a page; csv, json: for other programs\n",
     "0 fine, whatever the verdicts, 2 wrong use or an archive that can't be read\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"summary", "ARCHIVE [OTHER] [OPTION...]", 1, 2, "one screen: what the chip is",
     "Prints latency, size and rate of each memory, the link, what costs most, and how sure that is, on one\n"
     "screen. A second archive is a second column, with the verdicts of `compare` over all cases.\n" ARCHIVE_IS,
     "  gpufx summary latest                    the last run\n"
     "  gpufx summary latest h200               beside the archive that came with the project\n"
     "  gpufx summary latest --full             every probe: laws, best rates, flat parts, ranges\n"
     "  gpufx summary latest --format markdown  for a page; json, csv: for other programs\n",
     "0 fine, 2 wrong use or an archive that can't be read\n", .module = FX_PLOT_MODULE, .archives = 1},
    {"sheet", "ARCHIVE... [OPTION...]", 1, FX_ANY_NUMBER, "the data sheet: every quantity with its interval",
     "Prints every quantity that the archive's cases allow to estimate: value, interval or bracket, share of the\n"
     "peak, what the device itself reports, and why others are not determined. Further archives are further\n"
     "columns. docs/quantities.md says how each is estimated.\n" ARCHIVE_IS,
     "  gpufx sheet latest               the last run\n"
     "  gpufx sheet h200 h100            two chips beside each other\n"
     "  gpufx sheet a b c d --brief      the figures of the first screen, and how far four cards lie apart\n"
     "  gpufx sheet latest --format csv  a line for each quantity, for other programs\n",
     "0 fine, 2 wrong use or an archive that can't be read\n", .module = FX_PLOT_MODULE, .archives = 1},
    {"predict", "[ALGORITHM [ARCHIVE]] [OPTION...]", 0, 2,
     "what an algorithm should take, part by part, and what it takes",
     "Computes the time of each case of an algorithm from what it asks of the chip (bytes, wavefronts, instructions,\n"
     "round trips, launches) and from the chip's own quantities, without a parameter that was fitted to algorithms;\n"
     "says which part of the chip holds it up, what was measured, and what the next rung of the ladder removes.\n"
     "How good that is: the median error, and the order of the rungs by Kendall's tau over all pairs and by Somers'\n"
     "d over those that the measurement tells apart (1: as measured; 0: no relation; -1: turned round).\n"
     "Without ARCHIVE the newest one with such cases; cases that none has are predicted only. Without ALGORITHM it\n"
     "lists what can be predicted. docs/predict.md has the model.\n" ARCHIVE_IS,
     "  gpufx predict                                  what can be predicted\n"
     "  gpufx predict reduction                        by the newest archive\n"
     "  gpufx predict reduction h200 --with h100       what was measured on one chip, by the figures of another\n"
     "  gpufx predict reduction h200 --counts today    an old archive by the laws of this program\n"
     "  gpufx predict matrix_multiply latest --filter 'n:4096' --format markdown\n",
     "0 fine, 2 wrong use, an algorithm that nothing is known of, or an archive that can't be read or has no\n"
     "quantities to predict from\n",
     .module = FX_PLOT_MODULE, .archives = 2},
    {"report", "ARCHIVE... [-o FILE] [OPTION...]", 1, FX_ANY_NUMBER, "one page with everything, to send to a colleague",
     "Writes one HTML file that needs no network: what the chip is, its memory hierarchy drawn to scale, the data\n"
     "sheet, the figure of each effect with its finding, the verdicts on claims, every case with its samples, and,\n"
     "where further archives are given, the first one compared with each of them. It can be read on a phone,\n"
     "printed, and read without scripts; with them its tables can be sorted and filtered.\n" ARCHIVE_IS,
     "  gpufx report latest                         into out/report.html\n"
     "  gpufx report h200 h100 -o both.html         two chips beside each other\n"
     "  gpufx report latest latest~1 -o driver.html the last run against the one before\n"
     "  gpufx report latest --format md -o note.md  Markdown, with the pictures in the folder note\n",
     "0 fine, 2 wrong use, an archive that can't be read or a file that can't be written\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"plot", "ARCHIVE... [-o DIR] [OPTION...]", 1, FX_ANY_NUMBER, "draw archives",
     "Draws one figure per probe, all archives in the same panels. Its title is what the archive says.\n"
     "Without --probe also hierarchy.svg, the memory hierarchy drawn to scale.\n" ARCHIVE_IS,
     "  gpufx plot latest                          into out/charts\n"
     "  gpufx plot h200 latest -o both             two archives in each figure, and their ratio\n"
     "  gpufx plot latest --supplement             what the first figures leave out\n"
     "  gpufx plot latest --probe transfer --panel b --width 89mm --format pdf --data\n"
     "  gpufx plot latest --probe coalescing --axis stride\n",
     "0 fine, 2 wrong use or an archive that can't be read\n", .module = FX_PLOT_MODULE, .archives = 1},
    {"export", "ARCHIVE --format FORMAT [OPTION...]", 1, 1, "an archive in the form of another tool",
     "Writes the quantities of an archive, or its cases, with units and provenance: csv and parquet, one row for "
     "each;\n"
     "prometheus, text for a scraper or for node_exporter's textfile collector; google-benchmark, JSON for its\n"
     "tools/compare.py, which knows times alone: a rate becomes the time of a megabyte, cycles become ns by the "
     "archive's\n"
     "clock, and what is no time is left out, which is said. docs/doors.md has every column.\n" ARCHIVE_IS,
     "  gpufx export latest --format csv                           the quantities of the last run\n"
     "  gpufx export h200 --by case --format parquet -o h200.parquet\n"
     "  gpufx export latest --format prometheus -o /var/lib/node_exporter/gpufx.prom\n"
     "  gpufx export latest --by case --format google-benchmark -o new.json\n",
     "0 fine, 2 wrong use, an archive that can't be read or a file that can't be written\n", .module = FX_PLOT_MODULE,
     .archives = 1},
    {"import", "FILE --from TOOL -o FOREIGN [OPTION...]", 1, 1, "what another tool measured, to set beside ours",
     "Reads the JSON of another benchmark, and writes those of its figures that are quantities of ours, in the same\n"
     "unit, as a foreign archive. `sheet`, `compare --by quantity` and `export` take it, and mark it as foreign; it "
     "has\n"
     "no cases, so the other verbs refuse it, and it can't be kept under results/. results/foreign/ has a list of "
     "names\n"
     "for each tool; --map takes one of yours.\n",
     "  nvbandwidth -j >nv.json; gpufx import nv.json --from nvbandwidth -o out/nv.jsonl\n"
     "  gpufx sheet latest out/nv.jsonl                  a column beside ours\n"
     "  gpufx compare latest out/nv.jsonl --by quantity  what differs, and by how much\n"
     "  gpufx import mt4g.json --from mt4g -o out/mt4g.jsonl\n"
     "  gpufx import mine.json --from google-benchmark --map mine-to-gpufx.json -o out/mine.jsonl\n",
     "0 fine, 2 wrong use, a file that is not the tool's, or one that can't be written\n", .module = FX_PLOT_MODULE},
    {"archive list", "[NAME | PLACE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "the archives of the project, of folders, of datasets",
     "Lists archives, newest first: those under results/ and out/ that have a name, of a NAME all that it means, or\n"
     "those of each place, a folder of archives or a dataset.\n",
     "  gpufx archive list                      what `compare`, `plot` and the others can be given\n"
     "  gpufx archive list --probe transfer     those that have this probe\n"
     "  gpufx archive list h200                 those of a device\n"
     "  gpufx archive list /shared/gpufx        those of a folder\n",
     "0 fine, 1 a file is no archive, 2 wrong use or a place that can't be read\n", .run = fx_verb_archive_list},
    {"archive show", "ARCHIVE...", 1, FX_ANY_NUMBER, "what an archive says of itself",
     "Prints device, driver, program, settings and labels of each archive, and how much was measured.\n" ARCHIVE_IS,
     "  gpufx archive show latest\n", "0 fine, 2 wrong use or an archive that can't be read\n",
     .module = FX_PLOT_MODULE, .archives = 1},
    {"archive verify", "PLACE...", 1, FX_ANY_NUMBER, "whether archives are whole",
     "Reads all of each archive of the places, which are folders or files, and names those that are damaged, cut off\n"
     "or none.\n",
     "  gpufx archive verify /shared/gpufx\n",
     "0 all are whole, 1 one is not, 2 wrong use or a place that can't be read\n", .module = FX_PLOT_MODULE},
    {"archive pack", "FOLDER... [-o DATASET]", 1, FX_ANY_NUMBER, "add archives to a dataset",
     "Adds the archives of folders to a dataset: a folder of Parquet files that `query`, `fleet report`, `history` "
     "and\n"
     "other tools read. What the dataset has already is not added again, nothing is rewritten, and what can't be "
     "taken\n"
     "is named. docs/fleet.md describes the dataset.\n",
     "  gpufx archive pack /shared/gpufx -o fleet   once a day: takes what is new\n",
     "0 fine, 1 an archive could not be taken, 2 wrong use, or a place that can't be read or written\n",
     .module = FX_PLOT_MODULE},
    {"archive merge", "DATASET... [-o DATASET]", 1, FX_ANY_NUMBER, "add what other datasets have",
     "Adds to a dataset, which may be new, all archives of others that it lacks, in few files.\n",
     "  gpufx archive merge berlin oslo -o all   the datasets of two sites as one\n",
     "0 fine, 1 an archive could not be taken, 2 wrong use, or a dataset that can't be read or written\n",
     .module = FX_PLOT_MODULE},
    {"fleet report", "[DATASET] [OPTION...]", 0, 1, "which cards are sick, which groups differ, what changed",
     "Judges all cards of a dataset against each other, chip by chip: sick cards with the quantities that are off, by\n"
     "how much; hosts, labels and drivers whose cards differ from the others; what changed on a card over time; how\n"
     "each quantity is spread over the cards. A healthy card is called sick in fewer than 1 of 1,000 cases, however\n"
     "many quantities there are. DATASET is one that `gpufx archive pack` made, or a folder of archives.\n"
     "docs/fleet.md says how it is judged.\n",
     "  gpufx fleet report fleet                              on one screen, the answer first\n"
     "  gpufx fleet report fleet --format html -o fleet.html  with a map of cards and quantities\n"
     "  gpufx fleet report /shared/gpufx                      a folder of archives\n",
     "0 fine, whatever the report says, 2 wrong use, or a place that can't be read or written\n",
     .module = FX_PLOT_MODULE},
    {"history", "QUANTITY [DATASET] [OPTION...]", 1, 2, "a quantity over time: when it changed, and what else did",
     "Follows a quantity of each card from archive to archive. Says where it changed by more than archives of one "
     "card\n"
     "differ anyway, what else changed there (driver, build, clocks, settings), whether it drifts, and what all cards\n"
     "did together when, say, the driver changed.\n",
     "  gpufx history dram.read_rate fleet                 all cards\n"
     "  gpufx history dram.read_rate fleet --card 1a2b3c   one card, archive by archive\n"
     "  gpufx history link.pinned.h2d_rate --format csv    for other programs\n",
     "0 fine, 2 wrong use, a quantity that no archive has, or a dataset that can't be read\n",
     .module = FX_PLOT_MODULE},
    {"query", "SQL [DATASET] [OPTION...]", 1, 2, "ask a dataset of many archives in SQL",
     "Puts one SELECT, in DuckDB's SQL, to a dataset: its tables are archives, quantities (one row for each of an\n"
     "archive) and cases (one row for each case and process). Nothing can be written, and no other file be read.\n"
     "DATASET is one that `gpufx archive pack` made, or a folder of archives; docs/fleet.md has the columns,\n"
     "docs/queries.md some questions.\n",
     "  gpufx query \"SELECT device, count(*) FROM archives GROUP BY ALL\"\n"
     "  gpufx query \"SELECT card, value FROM quantities WHERE quantity = 'dram.read_rate' ORDER BY value\" fleet\n"
     "  gpufx query 'DESCRIBE cases' --format json\n",
     "0 fine, 2 wrong use, a question that has no answer or a dataset that can't be read\n", .module = FX_PLOT_MODULE},
    {"validate", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "check the instrument itself: random patterns, machine code, counters",
     "Proves that the numbers mean what they say: random patterns, drawn anew, cost what the laws and the\n"
     "archive's fits predict, the timed loops hold what they should, and the hardware's own counters show what\n"
     "the laws count. Without an option that names a check, all of them are made. What can't be checked on this\n"
     "machine is waived, with the reason. docs/trust.md has the results.\n",
     "  gpufx validate                                all that this machine can check, as one table\n"
     "  gpufx validate --patterns                     10,000 random patterns on the GPU, in minutes\n"
     "  gpufx validate --sass                         the machine code of this build; needs no GPU\n"
     "  gpufx validate --counters --quick             a few cases of each probe under Nsight Compute\n"
     "  gpufx validate --counters bank_conflict --filter op:store\n",
     "0 all that was checked agrees, 1 something differs or failed, 2 wrong use,\n"
     "77 nothing could be checked here\n",
     .module = FX_VALIDATE_MODULE},
    {"selfcheck", "[PROBE...] [OPTION...]", 0, FX_ANY_NUMBER,
     "compare this machine with itself: are there false alarms?",
     "Runs the probes in fresh processes that belong to two sides in turns (A B B A A B B A ...), and\n"
     "compares the sides by the rules of `compare`. Nothing was changed between them, so each SLOWER or\n"
     "FASTER, and each case that one side lacks, is a false alarm. Prints how many there are, how many cases\n"
     "are undecided and how many intervals leave zero out, per probe and together. The archive is one like\n"
     "any other. No: there is a false alarm, which equal sides raise in at most 1 comparison of 100. Yes: there\n"
     "is none in 299 cases or more. Otherwise undecided.\n",
     "  gpufx selfcheck --quick               a first look\n"
     "  gpufx selfcheck                       all probes, five processes per side\n"
     "  gpufx selfcheck transfer --margin 3   is this machine steady enough to see 3 %?\n",
     "0 yes, 1 no, or a case or a process failed, 2 wrong use, bad input or a file that can't be written,\n"
     "3 undecided, 77 nothing could be run, 130 ended by Ctrl-C (143: by SIGTERM, 129: by SIGHUP)\n",
     .run = fx_verb_selfcheck},
    {"setup", "", 0, 0, "install and build what is missing",
     "The script ./gpufx at the root of the project installs what is missing and builds what is stale. Every\n"
     "verb does that when it needs to, but for help, list, info and every --help, which say what is missing.\n",
     "  ./gpufx setup                 set up, and run nothing\n"
     "  GPUFX_CUDA=OFF ./gpufx setup  without CUDA; the choice stays until another is made\n",
     "0 fine, 2 it could not be set up\n", .run = NULL},
    {"test", "", 0, 0, "run the project's own tests",
     "The script ./gpufx at the root of the project runs the tests: it sets up what they need, builds, and\n"
     "calls ctest and pytest. From a build folder of your own, `ctest` runs all but the Python tests.\n",
     "  ./gpufx test          everything; needs no GPU\n"
     "  ./gpufx test --quick  without the sanitizers, the compilation for all architectures, the check of its\n"
     "                        machine code, and tests that take seconds\n",
     "0 all passed, 1 a stage failed, 2 it could not be set up\n", .run = NULL},
    {"help", "[VERB...] [OPTION...]", 0, FX_ANY_NUMBER, "this page, or the page of a verb",
     "Prints all verbs, or the page of each verb that is named.\n",
     "  gpufx help                    all verbs, exit statuses, environment\n"
     "  gpufx help run                the same as gpufx run --help\n"
     "  gpufx help --completion bash  what `source <(...)` takes\n"
     "  gpufx help --man              to be kept as man1/gpufx.1\n",
     "0 fine, 2 no such verb\n", .run = fx_verb_help},
};

const fx_verb *fx_verbs(size_t *count) {
    *count = FX_COUNT(table);
    return table;
}

size_t fx_verb_is(const fx_verb *verb, const char *const *words, size_t count) {
    const char *blank = strchr(verb->name, ' ');
    if (!blank) {
        return count > 0 && !strcmp(verb->name, words[0]);
    }
    const size_t length = (size_t)(blank - verb->name);
    const bool both = count > 1 && strlen(words[0]) == length && !strncmp(verb->name, words[0], length) &&
                      !strcmp(blank + 1, words[1]);
    return both ? 2 : 0;
}
