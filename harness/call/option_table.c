/* A default is written here once, and printed from here; one that is decided elsewhere is asked for there. */
#include "option_table.h"

#include "core/probe.h"
#include "core/sampler.h"
#include "options.h"

static const char *time_default(char *text, size_t size) {
    (void)snprintf(text, size, "%g; %g with one process, %g with --quick", fx_sampling_short().time_limit_s,
                   fx_sampling_default(false).time_limit_s, fx_sampling_default(true).time_limit_s);
    return text;
}

static const char *precision_default(char *text, size_t size) {
    (void)snprintf(text, size, "%g", 100 * fx_sampling_default(false).precision);
    return text;
}

static const char *processes_default(char *text, size_t size) {
    (void)snprintf(text, size, "like auto, up to %d, on a GPU; 1 with --quick, --no-archive or a synthetic device",
                   FX_USUAL_PROCESSES);
    return text;
}

#define FIELD(member) offsetof(fx_options, member)
#define RUNNING       "run characterize"
#define SELECTING     RUNNING " list"
/* All verbs but these: a new verb has the option. */
#define ANSWERING "!characterize explain export help plot report run setup test"

const fx_option fx_option_table[] = {
    {"--space", "SPACE", CHOICE, "pattern", FIELD(pattern.space), .help = "memory to access",
     .choices = "shared global constant", .fallback = "shared"},
    {"--op", "OP", CHOICE, "pattern", FIELD(pattern.op),
     .help = "atomic: an add whose result is not used (shared memory: add of 4 bytes, exchange of 8 bytes); fetch: one "
             "whose result is used; cas: compare-and-swap; ldmatrix, stmatrix: a row of 16 bytes per lane",
     .choices = "load store atomic fetch cas ldmatrix stmatrix", .fallback = "load"},
    {"--width", "BYTES", INTEGER, "pattern", FIELD(pattern.width),
     .help = "1, 2, 4, 8 or 16; with --tile: of the access, where it is not that of an element",
     .unit = "bytes per lane", .min = 1, .max = 32, .fallback = "4"},
    {"--expr", "EXPRESSION", TEXT, "pattern", FIELD(pattern.expression),
     .help = "the byte offset as a C integer expression in lane (threadIdx.x, tid) and t, negative for an inactive "
             "lane, followed by t=FIRST:LAST: the worst step, and all together; or up to 32 offsets in "
             "lane order, such as 0,4,-,12 (- for an inactive lane)"},
    {"--index", "EXPRESSION", TEXT, "pattern", FIELD(pattern.index),
     .help = "the same in elements of --width, such as lane*33"},
    {"--tile", "TYPE[N]...", TEXT, "pattern", FIELD(pattern.tile),
     .help = "a C array, such as 'float[32][33]': then --expr is the element that each lane accesses, such as "
             "'tile[lane][t]', and the element type sets the width unless --width does"},
    {"--swizzle", "B,M,S", TEXT, "pattern", FIELD(pattern.swizzle),
     .help = "store elements where CuTe's Swizzle<B,M,S> puts them: bits M to M + B - 1 of an element's number, "
             "exclusive or with those S above"},
    {"--code", "CODE", TEXT, "pattern", FIELD(pattern.code),
     .help =
         "lines of CUDA as they are, declarations and statements or a kernel: every access of its first warp; "
         "followed by NAME=VALUE, also as -D NAME=VALUE, or t=FIRST:LAST for what they leave open (N=1024, T=float, "
         "blockIdx.x=3, 'index[i]=i*7 % 64')"},
    {"--block", "X,Y", TEXT, "pattern", FIELD(pattern.block),
     .help =
         "block shape, such as 16,16, for threadIdx.y and blockDim.x in --code and --expr; the pattern is that of its "
         "first warp; --fail-on judges all warps of the first four blocks along x, y and z and, with gridDim.x=N, of "
         "the last"},
    {"--fail-on", "CONDITIONS", TEXT, "pattern", FIELD(pattern.fail_on),
     .help =
         "exit 1 if one of these is met, quoted and separated by commas: ways>1 (a bank conflict of more than 1 way in "
         "shared memory), sectors>4 (more than 4 sectors in an access of global memory), sectors>1x (more than it "
         "needs), lines>1x (of 128 bytes), slowdown>1.5 (by the nearest archive); exit 3 if no access or law decides "
         "it, or an access or a call is not judged; slowdown>N passes neither with an array that may lie in local "
         "memory nor with an atomic on global words that others update; with -q the verdicts alone are printed"},
    {"--file", "FILE", PATH, "pattern", FIELD(pattern.file),
     .help = "a CUDA source and a line, such as app.cu:120: the accesses of that statement, with what it needs of its "
             "function; or a kernel, app.cu:transpose; without either, every kernel; CPATH=FOLDER in front names the "
             "folder of its headers"},
    {"--arch", "ARCH", TEXT, "pattern", FIELD(pattern.arch),
     .help = "predict for this architecture, such as sm_90; default: the device's, else sm_90"},

    {"--kernel", "REGEX", TEXT, "explain", FX_NO_FIELD,
     .help = "only kernels whose demangled name, such as void softmax<float>(float*, int), or mangled name has a part "
             "that matches this extended regular expression: softmax|^void gemm<"},
    {"--launches", "N", INTEGER, "explain", FX_NO_FIELD,
     .help = "record the first N launches of each kernel, grid and block; later ones are only counted",
     .unit = "launches", .min = 1, .max = 1000000, .fallback = "1"},
    {"--blocks", "N", INTEGER, "explain", FX_NO_FIELD,
     .help = "record N whole blocks of a launch, spread over its grid; all: no sampling error", .unit = "blocks",
     .min = 1, .max = 1 << 20, .word = "all", .fallback = "64"},
    {"--memory", "MIB", INTEGER, "explain", FX_NO_FIELD,
     .help = "pinned host memory through which the recorded accesses of each GPU context go", .unit = "MiB", .min = 1,
     .max = 1 << 14, .fallback = "64"},
    {"--once", NULL, SWITCH, "explain", FX_NO_FIELD,
     .help = "do not run the program a second time, without recording and without its output, to time its launches"},
    {"--time", NULL, SWITCH, "explain", FX_NO_FIELD, // the default: in scripts that were written before it was
     .help = "run the program a second time to time its launches: the default"},
    {"--range", "RANGE", CHOICE, "explain", FX_NO_FIELD,
     .help = "launches to record: all, or those between cudaProfilerStart and cudaProfilerStop; code is patched while "
             "the GPU is idle, so call cudaDeviceSynchronize before cudaProfilerStart",
     .choices = "all profiler", .fallback = "all"},
    {"--record", "TRACE", PATH, "explain", FX_NO_FIELD, .help = "keep the trace in this file, usually named *.fxtrace"},
    {"--against", "TRACE", PATH, "explain", FX_NO_FIELD,
     .help = "trace of the program before a change; shows the cost of each line before and after"},
    {"--fail-on", "CONDITIONS", TEXT, "explain", FX_NO_FIELD,
     .help =
         "exit 1 if one of these is met; quote them, since a shell takes > for a redirection; separated by commas: "
         "saved>20% (a line could save more than 20 % of its kernel's time, and nothing hides it), slower>5% (with "
         "--against: the predicted time of a kernel grew by more than 5 %); exit 3 if what was recorded can't decide"},
    {"--against-kernel", "OLD:NEW", TEXT, "explain", FX_NO_FIELD,
     .help = "compare two kernels of one run, each named by a part of its name"},
    {"--list", NULL, SWITCH, "explain", FX_NO_FIELD,
     .help = "list the kernels of a program with launches, shapes and times; nothing is patched"},
    {"--format", "FORMAT", CHOICE, "explain", FX_NO_FIELD,
     .help = "output format: for people, annotations of GitHub Actions, or SARIF", .choices = "text github sarif"},
    {"--all", NULL, SWITCH, "explain", FX_NO_FIELD, .help = "every line of every kernel, not just one screen"},
    {"--output", "FILE", PATH, "explain", FIELD(output_of_json), .help = "output file; default: standard output",
     .also = "-o"},
    {"--arch", "ARCH", TEXT, "explain", FX_NO_FIELD,
     .help = "predict for this architecture, such as sm_90, with its newest archive"},

    {"--patterns", NULL, SWITCH, "validate", FX_NO_FIELD,
     .help = "check that fresh random patterns cost what the laws predict (on the device)"},
    {"--sass", NULL, SWITCH, "validate", FX_NO_FIELD,
     .help = "check that the timed loops contain the declared instructions (machine code, with cuobjdump)"},
    {"--counters", NULL, SWITCH, "validate", FX_NO_FIELD,
     .help = "check that hardware counters show what the laws predict (with Nsight Compute)"},

    {"--axis", "NAME=VALUES", LIST, SELECTING, FIELD(axes),
     .help = "values of an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or 1:64:*2 or load,store or all; repeatable; applies to "
             "the selected probes that have the axis, PROBE.NAME=VALUES to one"},
    {"--quick", NULL, SWITCH, SELECTING " validate", FIELD(quick), .help = "a first look: fewer cases, fewer samples"},
    {"--filter", "REGEX", TEXT, SELECTING " validate", FIELD(filter),
     .help = "only cases whose name matches this extended regular expression; with a leading '-', only those that "
             "don't match"},
    {"--processes", "K", INTEGER, RUNNING, FIELD(run.processes),
     .help = "repeat the run in K fresh processes into one archive, each in its own order; auto: two for every case, "
             "up to five for cases whose mean is not yet known within 0.5 %",
     .unit = "processes", .min = 1, .max = 1000, .word = "auto", .fallback_text = processes_default},

    {"--against", "BASE", TEXT, "accept", FX_NO_FIELD,
     .help = "cards to compare with: archives, folders of archives, or a device name, separated by commas; "
             "default: those of the same model that `gpufx archive list` lists, and the cards in results/kept/"},
    {"--minutes", "MIN", REAL, "accept", FX_NO_FIELD, .help = "time limit, including reading the base",
     .unit = "minutes", .min = 0.1, .max = 600, .fallback = "2"},
    {"--device", "DEVICE", TEXT, "accept", FX_NO_FIELD,
     .help = "the one card to measure: a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device"},
    {"--out", "DIR", PATH, "accept", FX_NO_FIELD, .help = "folder of the archive; default: out/accept"},
    {"--label", "KEY=VALUE", TEXT, "accept", FX_NO_FIELD,
     .help = "your own labels in the archive, separated by commas, such as host=a7,rack=r7; fleet report tells them"},
    {"--format", "FORMAT", CHOICE, "accept fleet-report", FX_NO_FIELD, .help = "output format", .choices = "text json",
     .fallback = "text"},

    {"--full", NULL, SWITCH, "summary", FX_NO_FIELD, .help = "every fit of every probe, instead of one screen"},
    {"--full", NULL, SWITCH, "claims", FX_NO_FIELD,
     .help = "below each claim print its source, numbers and deciding case"},
    {"--margin", "PCT", REAL, "accept compare report", FX_NO_FIELD, .help = "ignore differences up to PCT", .unit = "%",
     .min = 0, .max = 50, .fallback = "1"},
    {"--fail-on", "CONDITIONS", TEXT, "compare", FX_NO_FIELD,
     .help = "exit 1 if one of these is met; quote them, since a shell takes > for a redirection; separated by commas: "
             "slower, faster, missing, new, incomparable, changed, incomplete; slower>5% (by more than 5 %), "
             "'dram.read_rate<-3%' (a quantity); exit 3 if the evidence can't decide, and for unsure or unsure>10%; "
             "of --quick runs, quantities of the host and its link are not judged"},
    {"--strict", NULL, SWITCH, "compare", FX_NO_FIELD,
     .help = "with --fail-on: slower and faster ask of every case, not of quantities and kinds of cases"},
    {"--output", "DIR", PATH, "plot", FX_NO_FIELD, .help = "folder of the figures; default: out/charts/ARCHIVE",
     .also = "-o"},
    {"--output", "FILE", PATH, "export", FIELD(output_of_json),
     .help = "output file; default: standard output; parquet: the folder, required", .also = "-o"},
    {"--by", "WHAT", CHOICE, "export", FX_NO_FIELD, .help = "one row per quantity, case or fit",
     .choices = "quantity case fit", .fallback = "quantity"},
    {"--output", "FILE", PATH, "report", FX_NO_FIELD, .help = "the file to write; default: out/report.html",
     .also = "-o"},
    {"--probe", "PROBE,...", TEXT, "claims compare plot sheet", FX_NO_FIELD, .help = "only these probes"},
    {"--probe", "PROBE", TEXT, "archive-list", FIELD(probe),
     .help = "only archives of the project that have this probe"},
    {"--archive", "ARCHIVE", ARCHIVE, "pattern", FIELD(pattern.archive),
     .help =
         "predict with the fits of this archive, for its chip; with --device also measure there; default: the nearest "
         "one"},
    {"--archive", "ARCHIVE", ARCHIVES, "explain", FX_NO_FIELD,
     .help = "predict for the chip of this archive; several, with commas between, make a table of the kernels on each; "
             "default: the newest archive of the traced GPU"},
    {"--archive", "ARCHIVE", ARCHIVE, "ask", FX_NO_FIELD,
     .help = "print values of this archive; default: the newest one"},
    {"--filter", "REGEX", TEXT, "compare", FX_NO_FIELD,
     .help = "only cases whose name matches this Python regular expression"},
    {"--filter", "REGEX", TEXT, "sheet", FX_NO_FIELD,
     .help = "only quantities whose name matches this Python regular expression, such as latency; without ^, $, ( and "
             "\\ in it, also those whose meaning or unit does"},
    {"--format", "FORMAT", CHOICE, "compare", FX_NO_FIELD,
     .help = "output format; json and csv: every case, with interval and reason; github: annotations of GitHub Actions",
     .choices = "text json csv github", .fallback = "text"},
    {"--format", "FORMAT", CHOICE, "sheet", FX_NO_FIELD, .help = "output format; latex: a booktabs table",
     .choices = "text latex bibtex json csv", .fallback = "text"},
    {"--fail-on", "WHAT", CHOICE, "fleet-report", FX_NO_FIELD,
     .help = "exit with 1 if a card is sick or a host slow, with 3 if that can't be decided", .choices = "sick"},
    {"--format", "FORMAT", CHOICE, "export", FX_NO_FIELD, .help = "output format", .choices = "csv json parquet"},
    {"--format", "FORMAT", CHOICE, "plot", FX_NO_FIELD, .help = "format of the figures; both: png and svg",
     .choices = "png svg pdf both", .fallback = "both"},
    {"--supplement", NULL, SWITCH, "plot", FX_NO_FIELD,
     .help = "draw the supplementary panels of each probe instead of those that show its finding"},
    {"--width", "WIDTH", TEXT, "plot", FX_NO_FIELD,
     .help = "width of the figures: page, on a screen, or in print 75mm to 250mm; from 140mm on, two columns",
     .fallback = "page"},
    {"--panel", "LETTER", CHOICE, "plot", FX_NO_FIELD, .help = "only this panel of each figure",
     .choices = "a b c d e f g h"},
    {"--no-title", NULL, SWITCH, "plot", FX_NO_FIELD,
     .help = "leave out the words around the panels, for a paper; they stand in FIGURE.txt, beside "
             "PDF in FIGURE.tex, for its caption"},
    {"--data", NULL, SWITCH, "plot", FX_NO_FIELD, .help = "also write the numbers of each figure as CSV"},

    {"--device", "DEVICE", TEXT, "run characterize", FIELD(device),
     .help = "a CUDA index, a UUID, or synthetic:NAME; several separated by commas, or all, each in its own process, "
             "one after the other; default: the first CUDA device, else synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--device", "DEVICE", TEXT, "info pattern", FIELD(device),
     .help = "a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else "
             "synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--device", "DEVICE", TEXT, "list", FIELD(device),
     .help = "waive what this device can't run: a CUDA index, a UUID, or synthetic:NAME; default: "
             "synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--device", "DEVICE", TEXT, "validate", FIELD(device),
     .help = "a CUDA index or a UUID; default: the first CUDA device"},
    {"--out", "DIR", PATH, RUNNING, FIELD(out),
     .help = "folder of the archive; default: results/ARCH/DEVICE, or out/ARCH/DEVICE for a synthetic device"},
    {"--seed", "N", INTEGER, RUNNING, FIELD(seed),
     .help = "seed for the order of the cases, test data and synthetic noise", .min = 0, .max = 9007199254740992.0,
     .said = "random, and recorded in the archive; 1 on a synthetic device"},
    {"--seed", "N", INTEGER, "pattern", FIELD(seed), .help = "seed for test data and synthetic noise", .min = 0,
     .max = 9007199254740992.0, .fallback = "1"},
    {"--max-time", "S", REAL, RUNNING, FIELD(run.max_time_s), .help = "time limit per case", .unit = "seconds per case",
     .min = 0.001, .max = 3600, .fallback_text = time_default},
    {"--precision", "PCT", REAL, RUNNING, FIELD(run.precision_pct),
     .help = "stop sampling once the 95 % CI half-width of the median is below PCT", .unit = "% of the median",
     .min = 0.001, .max = 100, .fallback_text = precision_default},
    {"--samples", "N", INTEGER, RUNNING, FIELD(run.samples),
     .help = "take exactly N samples per case, including the first, however long that takes", .min = 1, .max = 1000000,
     .said = "as many as --precision needs"},
    {"--label", "KEY=VALUE", LIST, RUNNING, FIELD(run.labels),
     .help = "your own label in the archive, such as node=a7; repeatable"},
    {"--no-archive", NULL, SWITCH, "run", FIELD(run.no_archive), .help = "measure and print only; write no archive"},
    {"--cases", NULL, SWITCH, "list", FIELD(cases), .help = "list every case by name"},
    {"--output", "FILE", PATH, ANSWERING, FIELD(output), .help = "output file; default: standard output", .also = "-o"},
    {"--json", NULL, SWITCH, "!help setup test", FIELD(json),
     .help = "print JSON, in the envelope of results/schema/envelope-1.schema.json"},
    {"--format", "FORMAT", CHOICE, "pattern", FIELD(pattern.format),
     .help = "output format; jsonl: an object per pattern as soon as it is known, without an envelope; github: an "
             "annotation for each access that meets --fail-on, or costs more than the ideal",
     .choices = "text json jsonl github", .fallback = "text"},
    {"--quiet", NULL, SWITCH, NULL, FIELD(quiet), .help = "errors and the shortest answer only: no notes, no progress",
     .also = "-q"},
    {"--verbose", NULL, SWITCH, NULL, FIELD(verbose),
     .help = "print which archives are read, which cases are measured, and the time taken", .also = "-v"},
    {"--help", NULL, SWITCH, NULL, FIELD(help), .help = "print this help", .also = "-h"},

    {"--brief", NULL, SWITCH, "plot", FX_NO_FIELD, .help = NULL},
    {"--only", "FILE", PATH, RUNNING, FIELD(run.only), .help = NULL},
    {"--profiled", NULL, SWITCH, "run", FIELD(run.profiled), .help = NULL}, /* under ncu: 16 times longer loops */
    {"--arch", "ARCH", TEXT, "trace-cost", FIELD(pattern.arch), .help = NULL},
    {"--archive", "ARCHIVE", ARCHIVE, "trace-cost", FIELD(pattern.archive), .help = NULL},
    {"--kernel", "REGEX", TEXT, "trace-cost", FIELD(pattern.kernel), .help = NULL},
};

const size_t fx_option_count = FX_COUNT(fx_option_table);

/* In a list, a verb of two words is one word with a hyphen. */
static bool listed(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; at; at = strchr(at, ' ')) {
        size_t same = 0;
        at += *at == ' ';
        while (same < length && (at[same] == word[same] || (at[same] == '-' && word[same] == ' '))) {
            same++;
        }
        if (same == length && (at[length] == ' ' || !at[length])) {
            return true;
        }
    }
    return false;
}

bool fx_option_of(const fx_option *option, const char *verb) {
    const bool all_but = option->verbs && *option->verbs == '!';
    return !option->verbs || listed(option->verbs + all_but, verb) != all_but;
}

bool fx_option_benchmark(const char *verb) {
    return listed(RUNNING, verb);
}
