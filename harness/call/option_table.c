/* A default is written here once, and printed from here; one that is decided elsewhere is asked for there. */
#include "option_table.h"

#include <stdio.h>
#include <string.h>

#include "core/probe.h"
#include "core/sampler.h"
#include "options.h"

static const char *either(double usual, double quick, char *text, size_t size) {
    if (usual == quick) {
        (void)snprintf(text, size, "%g", usual);
    } else {
        (void)snprintf(text, size, "%g, or %g with --quick", usual, quick);
    }
    return text;
}

static const char *time_default(char *text, size_t size) {
    (void)snprintf(text, size, "%g; %g with one process, %g with --quick", fx_sampling_short().time_limit_s,
                   fx_sampling_default(false).time_limit_s, fx_sampling_default(true).time_limit_s);
    return text;
}

static const char *precision_default(char *text, size_t size) {
    return either(100 * fx_sampling_default(false).precision, 100 * fx_sampling_default(true).precision, text, size);
}

static const char *samples_default(char *text, size_t size) {
    (void)snprintf(text, size, "as many as --precision wants");
    return text;
}

static const char *processes_default(char *text, size_t size) {
    (void)snprintf(text, size, "as auto, up to %d, on a GPU; 1 with --quick, --no-archive or a synthetic device",
                   FX_USUAL_PROCESSES);
    return text;
}

static const char *seed_default(char *text, size_t size) {
    (void)snprintf(text, size, "a new one for each archive, which keeps it; 1 on a synthetic device");
    return text;
}

#define FIELD(member) offsetof(fx_options, member)
#define RUNNING       "run characterize fleet-run"
#define MEASURING     RUNNING " selfcheck"
#define SELECTING     MEASURING " list"

static const fx_option table[] = {
    {"--space", "SPACE", TEXT, "pattern", FIELD(space), .help = "memory that is accessed: shared, global or constant",
     .fallback = "shared"},
    {"--op", "OP", TEXT, "pattern", FIELD(op),
     .help = "load, store or atomic (shared memory: an addition of 4 bytes, an exchange of 8)", .fallback = "load"},
    {"--width", "BYTES", INTEGER, "pattern", FIELD(width),
     .help = "1, 2, 4, 8 or 16; the lines of a file may name their own", .unit = "bytes per lane", .min = 1, .max = 16,
     .fallback = "4"},
    {"--level", "LEVEL", TEXT, "pattern", FIELD(level),
     .help = "what serves a global access: l1, l2 or dram; default: a row for each that can"},
    {"--lanes", "LIST", TEXT, "pattern", FIELD(lanes),
     .help = "up to 32 byte offsets, lane by lane, with commas; - for an inactive lane"},
    {"--expr", "EXPRESSION", TEXT, "pattern", FIELD(expression),
     .help = "the byte offset as a C integer expression in lane (threadIdx.x, tid) and t, negative for an inactive "
             "lane; t=FIRST:LAST behind it gives a row per step and the worst"},
    {"--tile", "TYPE[N]...", TEXT, "pattern", FIELD(tile),
     .help =
         "an array of C, such as 'float[32][33]', of which --read or --write takes an element; its type is the width"},
    {"--read", "ELEMENT", TEXT, "pattern", FIELD(read),
     .help = "what each lane reads of --tile, such as 'tile[lane][t]': indexes as in --expr"},
    {"--write", "ELEMENT", TEXT, "pattern", FIELD(write), .help = "what each lane writes of --tile"},
    {"--block", "X,Y", TEXT, "pattern", FIELD(block),
     .help = "the threads of a block, such as 16,16, whose first warp it is: threadIdx.y, blockDim.x in --expr"},
    {"--file", "FILE", PATH, "pattern", FIELD(file),
     .help = "JSON Lines, one {\"id\":..., \"width\":..., \"lanes\":[up to 32 integers, -1 inactive]} per line; "
             "- is standard input; or a trace (docs/trace.md), of which it takes the patterns of --space and --op"},
    {"--base", "BYTES", INTEGER, "pattern", FIELD(base),
     .help = "added to every offset: where the pattern begins in shared or constant memory, or modulo 256 KiB in "
             "global memory, whose L1 hangs on it",
     .unit = "bytes", .min = 0, .max = 1 << 30, .fallback = "0"},
    {"--predict", NULL, SWITCH, "pattern", FIELD(predict), .help = "by the laws alone; needs no GPU"},
    {"--measure", NULL, SWITCH, "pattern", FIELD(measure),
     .help = "on the device; default: both where there is a GPU, else --predict"},
    {"--arch", "ARCH", TEXT, "pattern", FIELD(arch),
     .help = "predict for this architecture, such as sm_90; default: the device's, else sm_90"},
    {"--arch", "ARCH", TEXT, "trace-cost", FIELD(arch),
     .help = "as this architecture would take it, such as sm_90; default: the device of the trace"},
    {"--kernel", "REGEX", TEXT, "trace-cost", FIELD(kernel),
     .help = "only kernels whose name matches this extended regular expression, as it is or demangled"},
    {"--svg", "FILE", PATH, "pattern", FIELD(svg),
     .help = "draw the pattern, or the worst of them, into FILE (shared memory)"},

    {"--kernel", "REGEX", TEXT, "explain", FX_NO_FIELD,
     .help =
         "only kernels whose name matches this extended regular expression, as it is written in the source or mangled"},
    {"--launches", "N", INTEGER, "explain", FX_NO_FIELD,
     .help = "record the first N launches of each kernel, grid and block; the others are counted", .unit = "launches",
     .min = 1, .max = 1000000, .fallback = "1"},
    {"--blocks", "N", INTEGER, "explain", FX_NO_FIELD,
     .help = "record N whole blocks of a launch, spread over its grid; all: no sample, and no error of one",
     .unit = "blocks", .min = 1, .max = 1 << 20, .word = "all", .fallback = "64"},
    {"--memory", "MIB", INTEGER, "explain", FX_NO_FIELD,
     .help = "of the GPU, for the records of a launch; what does not fit is counted, and the answer says so",
     .unit = "MiB", .min = 1, .max = 1 << 20, .fallback = "512"},
    {"--time", NULL, SWITCH, "explain", FX_NO_FIELD,
     .help = "run the program once more, to time its kernels without recording their accesses"},
    {"--record", "TRACE", PATH, "explain", FX_NO_FIELD,
     .help = "keep the trace in this file; by custom it ends in .fxtrace"},
    {"--against", "TRACE", PATH, "explain", FX_NO_FIELD,
     .help = "the program before a change: says what each line took then and takes now"},
    {"--fail-on", "CONDITIONS", TEXT, "explain", FX_NO_FIELD,
     .help = "exit 1 if one of these is met, with commas: saved>20% (some line could save more than 20 % of its "
             "kernel's memory time), slower>5% (with --against, a kernel's memory time grew by more than 5 %); exit 3 "
             "where the sample of blocks can't say"},
    {"--all", NULL, SWITCH, "explain", FX_NO_FIELD, .help = "every line of every kernel, instead of one screen"},
    {"--html", NULL, SWITCH, "explain", FX_NO_FIELD,
     .help = "write the answer as a page, with the source and pictures of the patterns"},
    {"--output", "FILE", PATH, "explain", FX_NO_FIELD,
     .help = "where the answer goes; default: standard output, with --html out/explain.html", .also = "-o"},
    {"--arch", "ARCH", TEXT, "explain", FX_NO_FIELD,
     .help = "as a chip of this architecture would take it, by its newest archive, such as sm_90"},

    {"--patterns", NULL, SWITCH, "validate", FX_NO_FIELD,
     .help = "random patterns, drawn anew, cost what the laws predict (on the device)"},
    {"--sass", NULL, SWITCH, "validate", FX_NO_FIELD,
     .help = "the timed loops hold what the probes declare (machine code, by cuobjdump)"},
    {"--counters", NULL, SWITCH, "validate", FX_NO_FIELD,
     .help = "the hardware's own counters show what the laws predict (by Nsight Compute)"},

    {"--axis", "NAME=VALUES", LIST, SELECTING, FIELD(axes),
     .help = "take these values on an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or 1:64:*2 or load,store or all; may be "
             "repeated, and "
             "holds for the selected probes that have the axis"},
    {"--quick", NULL, SWITCH, SELECTING " validate", FIELD(quick), .help = "a first look: fewer points, fewer samples"},
    {"--filter", "REGEX", TEXT, SELECTING " validate", FIELD(filter),
     .help =
         "only cases whose name matches this extended regular expression; with a leading '-', only those that don't"},
    {"--only", "FILE", PATH, RUNNING, FIELD(only),
     .help = "only the cases whose names stand in this file, one a line, as `gpufx list --cases` prints them"},
    {"--processes", "K", INTEGER, RUNNING, FIELD(processes),
     .help = "repeat the run in K fresh processes into one archive, each in an order of its own; auto: two of "
             "everything, and up to five of the cases that --between asks for",
     .unit = "processes", .min = 1, .max = 1000, .word = "auto", .fallback_text = processes_default},
    {"--between", "PCT", REAL, RUNNING, FIELD(between_pct),
     .help = "with --processes auto: go on until the 95 % interval of a case's mean over its processes is this narrow "
             "(half-width)",
     .unit = "%", .min = 0.001, .max = 100, .fallback = "0.5"},
    {"--processes", "K", INTEGER, "selfcheck", FIELD(side_processes), .help = "processes per side", .unit = "processes",
     .min = 2, .max = 500, .fallback = "5"},

    {"--against", "BASE", TEXT, "accept", FX_NO_FIELD,
     .help = "the cards that it is held against: archives, folders of them, or a device's name, with commas; default: "
             "the archives under results/ and out/ of the same device"},
    {"--minutes", "MIN", REAL, "accept", FX_NO_FIELD, .help = "measure no longer than this, reading the base included",
     .unit = "minutes", .min = 0.1, .max = 600, .fallback = "2"},
    {"--tolerance", "FILE", PATH, "accept", FX_NO_FIELD,
     .help = "JSON: what is tolerated of each quantity, such as {\"QUANTITY\": {\"within_pct\": 3}}, and at_least, "
             "at_most, skip"},
    {"--device", "DEVICE", TEXT, "accept", FX_NO_FIELD,
     .help = "the card to measure: a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else "
             "synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--out", "DIR", PATH, "accept", FX_NO_FIELD,
     .help = "folder of the archive; default: out/accept, which is no part of any base"},
    {"--host", NULL, SWITCH, "accept", FX_NO_FIELD,
     .help = "the exit status is that of the host and its link, too, if it is the worse one"},
    {"--margin", "PCT", REAL, "accept", FX_NO_FIELD, .help = "a card that is worse by less does not fail", .unit = "%",
     .min = 0, .max = 50, .fallback = "1"},
    {"--format", "FORMAT", CHOICE, "accept", FX_NO_FIELD,
     .help = "for people, for other programs, or JUnit's XML for a CI system", .choices = "text json junit",
     .fallback = "text"},

    {"--full", NULL, SWITCH, "summary", FX_NO_FIELD, .help = "every probe in a few lines each, instead of one screen"},
    {"--laws", NULL, SWITCH, "summary", FX_NO_FIELD, .help = "what each law costs, and which do not hold"},
    {"--margin", "PCT", REAL, "compare report summary selfcheck", FIELD(margin_pct),
     .help = "differences up to PCT count as none", .unit = "%", .min = 0, .max = 50, .fallback = "1"},
    {"--level", "LEVEL", CHOICE, "compare", FX_NO_FIELD,
     .help = "what differences are held against: what processes differ by, what occasions of a card do, or boards, "
             "cards of one model; default: processes of one card, boards where two cards of a model are compared",
     .choices = "process occasion board"},
    {"--fail-on", "CONDITIONS", TEXT, "compare", FX_NO_FIELD,
     .help = "exit 1 if one of these is met, with commas: slower, faster, missing, new, incomparable, changed, "
             "incomplete; slower>5% (by more than 5 %), share:slower>1% (more than 1 % of the cases), "
             "'dram.read_rate<-3%' (a quantity); exit 3 where the evidence can't say, and for unsure or unsure>10%"},
    {"--all", NULL, SWITCH, "compare", FX_NO_FIELD,
     .help = "every case, with interval and reason; json and csv have all"},
    {"--only-changed", NULL, SWITCH, "compare", FX_NO_FIELD, .help = "every case but those that are SAME or UNSURE"},
    {"--output", "DIR", PATH, "plot", FX_NO_FIELD, .help = "folder of the figures; default: out/charts", .also = "-o"},
    {"--output", "DATASET", PATH, "archive-pack archive-merge", FX_NO_FIELD,
     .help = "the dataset to add to, which may be new; default: out/dataset", .also = "-o"},
    {"--output", "FILE", PATH, "export", FX_NO_FIELD, .help = "default: standard output, but for parquet",
     .also = "-o"},
    {"--output", "FILE", PATH, "import", FX_NO_FIELD, .help = "the foreign archive to write", .also = "-o"},
    {"--by", "WHAT", CHOICE, "export", FX_NO_FIELD, .help = "a row for each quantity or for each case",
     .choices = "quantity case", .fallback = "quantity"},
    {"--by", "WHAT", CHOICE, "compare", FX_NO_FIELD,
     .help = "case by case, or the quantities; foreign archives have these alone", .choices = "case quantity",
     .fallback = "case"},
    {"--from", "TOOL", CHOICE, "import", FX_NO_FIELD, .help = "whose JSON it is",
     .choices = "nvbandwidth mt4g google-benchmark"},
    {"--map", "FILE", PATH, "import", FX_NO_FIELD,
     .help = "its names and ours, as in results/foreign/; default: TOOL.json there"},
    {"--gpu", "N", INTEGER, "import", FX_NO_FIELD, .help = "which GPU, where the file has several", .min = 0,
     .max = 1023, .fallback = "0"},
    {"--output", "FILE", PATH, "report", FX_NO_FIELD,
     .help = "the file to write; default: out/report.html, or out/report.md", .also = "-o"},
    {"--probe", "PROBE", TEXT, "claims compare fits plot sheet", FX_NO_FIELD, .help = "this probe only"},
    {"--probe", "PROBE", TEXT, "archive-list", FIELD(probe), .help = "list those of the project that have this probe"},
    {"--archive", "ARCHIVE", ARCHIVE, "pattern", FIELD(archive),
     .help = "predict for the chip of this archive, by its fits; default: those of the nearest one"},
    {"--archive", "ARCHIVE", ARCHIVE, "explain", FX_NO_FIELD,
     .help = "as the chip of this archive would take it; default: the newest of the GPU that the trace is from"},
    {"--archive", "ARCHIVE", ARCHIVE, "trace-cost", FIELD(archive),
     .help = "as the chip of this archive would take it, by its fits; default: the nearest one of the trace's device"},
    {"--archive", "ARCHIVE", ARCHIVE, "ask", FX_NO_FIELD,
     .help = "take the figures of this archive; default: the newest of the GPU at hand"},
    {"--on", "OTHER", ARCHIVE, "fits", FIELD(on),
     .help = "hold the cases of another archive against what the fits predict; without ARCHIVE the fits are those of "
             "the nearest one under results/"},
    {"--held-out", NULL, SWITCH, "fits", FIELD(held_out),
     .help = "judge the laws of today: refit them, and predict each case by a fit in which no case that counts the "
             "same had a part, or with --on the cases of the other archive"},
    {"--cases", NULL, SWITCH, "fits", FIELD(cases),
     .help = "what the fits say of each case of the archive, by the counts that stand in it"},
    {"--model", "MODEL", CHOICE, "predict", FX_NO_FIELD,
     .help = "what parts of the chip that work beside each other take together: bound, the longest of them, or blend, "
             "a root of the sum of their powers",
     .choices = "blend bound", .fallback = "blend"},
    {"--counts", "WHOSE", CHOICE, "predict", FX_NO_FIELD,
     .help = "whose laws count what a measured case asks of the chip: those of its archive, or those of this program, "
             "today",
     .choices = "archive today", .fallback = "archive"},
    {"--with", "ARCHIVE", ARCHIVE, "predict", FX_NO_FIELD,
     .help = "by the quantities of this archive; default: those of the archive itself"},
    {"--filter", "REGEX", TEXT, "compare predict", FX_NO_FIELD,
     .help = "only cases whose name matches this regular expression (Python's)"},
    {"--explain", NULL, SWITCH, "claims", FX_NO_FIELD,
     .help = "source, numbers and the case that decides below each claim"},
    {"--source", "TEXT", TEXT, "claims", FX_NO_FIELD,
     .help = "only claims whose source has this text, such as 'Best Practices'; capitals do not matter"},
    {"--verdict", "VERDICT", CHOICE, "claims", FX_NO_FIELD, .help = "only claims with this verdict",
     .choices = "holds right-direction depends does-not-hold undecided not-measured"},
    {"--format", "FORMAT", CHOICE, "claims compare predict summary", FX_NO_FIELD,
     .help = "for people, for a page or for other programs", .choices = "text markdown json csv", .fallback = "text"},
    {"--format", "FORMAT", CHOICE, "sheet", FX_NO_FIELD,
     .help = "for people, for a page, for a paper (a table of LaTeX's booktabs) or for other programs",
     .choices = "text markdown latex json csv", .fallback = "text"},
    {"--card", "UUID", TEXT, "history", FX_NO_FIELD, .help = "this card alone; a part of its UUID will do"},
    {"--output", "FILE", PATH, "fleet-report", FX_NO_FIELD,
     .help = "the page to write, with --format html; default: out/fleet.html", .also = "-o"},
    {"--format", "FORMAT", CHOICE, "fleet-report", FX_NO_FIELD, .help = "for a screen, as a page or for other programs",
     .choices = "text html json", .fallback = "text"},
    {"--format", "FORMAT", CHOICE, "query history", FX_NO_FIELD, .help = "for people or for other programs",
     .choices = "text csv json", .fallback = "text"},
    {"--format", "FORMAT", CHOICE, "export", FX_NO_FIELD, .help = "whose form",
     .choices = "csv parquet prometheus google-benchmark"},
    {"--format", "FORMAT", CHOICE, "plot", FX_NO_FIELD, .help = "of the figures; both: png and svg",
     .choices = "png svg pdf both", .fallback = "both"},
    {"--supplement", NULL, SWITCH, "plot", FX_NO_FIELD,
     .help = "draw the further panels of each probe in place of those that show its finding"},
    {"--panel", "LETTER", TEXT, "plot", FX_NO_FIELD, .help = "this panel of --probe alone, also one of its supplement"},
    {"--axis", "AXIS", TEXT, "plot", FX_NO_FIELD,
     .help = "the cost over this axis of --probe, sweep by sweep, in place of the probe's own figure"},
    {"--width", "WIDTH", CHOICE, "plot", FX_NO_FIELD,
     .help = "of the figures: a page on a screen, one or two columns in print, or a slide",
     .choices = "page 89mm 183mm slide", .fallback = "page"},
    {"--data", NULL, SWITCH, "plot", FX_NO_FIELD, .help = "write the numbers of each figure beside it, as CSV"},
    {"--format", "FORMAT", CHOICE, "report", FX_NO_FIELD,
     .help = "one page of HTML, or Markdown with pictures beside it", .choices = "html md", .fallback = "html"},

    {"--brief", NULL, SWITCH, "sheet", FX_NO_FIELD,
     .help = "only what the first screen shows, and how far several archives lie apart"},
    {"--brief", NULL, SWITCH, "plot", FX_NO_FIELD, .help = "print the folder of the figures, not each file"},

    {"--device", "DEVICE", TEXT, "run characterize", FIELD(device),
     .help = "a CUDA index, a UUID, or synthetic:NAME; several with commas between, or all, each in a process of its "
             "own, one after the other; default: the first CUDA device, else synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--device", "DEVICE", TEXT, "selfcheck info pattern", FIELD(device),
     .help = "a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else "
             "synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--together", NULL, SWITCH, "run characterize", FIELD(together),
     .help = "several devices at once, as where they share the host's memory, links and power; each sees itself alone"},
    {"--device", "DEVICE", TEXT, "list", FIELD(device),
     .help = "waive what this device can't run: a CUDA index, a UUID, or synthetic:NAME; default: "
             "synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--device", "DEVICE", TEXT, "validate", FIELD(device),
     .help = "a CUDA index or a UUID; default: the first CUDA device"},
    {"--out", "DIR", PATH, "run characterize selfcheck validate", FIELD(out),
     .help = "folder of the archive; default: results/ARCH/DEVICE, or out/ARCH/DEVICE for a synthetic device"},
    {"--out", "DIR", PATH, "fleet-run", FIELD(out), .help = "folder that all ranks can write to; needed"},
    {"--device", "DEVICE", TEXT, "fleet-run", FIELD(device),
     .help = "default: the GPU with the rank's number on its node, or the one that the launcher lets it see"},
    {"--limit", "S", REAL, "fleet-run", FIELD(limit_s),
     .help = "end what a rank measures after this long; what it has is kept, and the next call measures the rest",
     .unit = "seconds", .min = 1, .max = 604800, .fallback = "1800"},
    {"--together", NULL, SWITCH, "fleet-run", FIELD(together),
     .help = "all GPUs begin each case at one time (through MPI), as where hosts and links are shared"},
    {"--wait", "S", REAL, "fleet-run", FIELD(wait_s),
     .help = "how long ranks wait for each other: for a rank that does not come the others go on alone after it",
     .unit = "seconds", .min = 0.1, .max = 3600, .fallback = "30"},
    {"--seed", "N", INTEGER, MEASURING, FIELD(seed),
     .help = "seed of the order of the cases, of test data and of synthetic noise", .min = 0, .max = 9007199254740992.0,
     .fallback_text = seed_default},
    {"--seed", "N", INTEGER, "pattern", FIELD(seed), .help = "seed of test data and of synthetic noise", .min = 0,
     .max = 9007199254740992.0, .fallback = "1"},
    {"--max-time", "S", REAL, MEASURING, FIELD(max_time_s), .help = "stop sampling a case after this long",
     .unit = "seconds per case", .min = 0.001, .max = 3600, .fallback_text = time_default},
    {"--precision", "PCT", REAL, MEASURING, FIELD(precision_pct),
     .help = "stop sampling once the 95 % interval of the median is this narrow (half-width)",
     .unit = "% of the median", .min = 0.001, .max = 100, .fallback_text = precision_default},
    {"--samples", "N", INTEGER, RUNNING, FIELD(samples),
     .help = "take exactly N samples of each case, the first one included, however long that takes", .min = 1,
     .max = 1000000, .fallback_text = samples_default},
    {"--profiled", NULL, SWITCH, "run", FIELD(profiled),
     .help = "for Nsight Compute: 16 times longer loops; the archive is marked as profiled, and refused by compare and "
             "plot"},
    {"--one-sm", NULL, SWITCH, RUNNING, FIELD(one_sm),
     .help = "time what one SM does where the driver puts it; default: on SMs of up to 16 groups in turn, since they "
             "differ in what they reach beyond their own caches"},
    {"--label", "KEY=VALUE", LIST, RUNNING, FIELD(labels),
     .help = "a word of your own for the archive, such as node=a7; may be repeated"},
    {"--host-name", NULL, SWITCH, RUNNING, FIELD(host_name),
     .help = "keep the host's name in the archive; default: nothing that names it"},
    {"--no-archive", NULL, SWITCH, "run validate", FIELD(no_archive), .help = "keep nothing: measure and print only"},
    {"--cases", NULL, SWITCH, "list", FIELD(cases), .help = "list every case by name"},
    {"--claims", NULL, SWITCH, "list", FIELD(claims),
     .help = "list what guides claim, and the cases that decide it, instead of axes and sweeps"},
    {"--json", NULL, SWITCH, "archive-list explain list info pattern fits selfcheck validate", FIELD(json),
     .help = "print JSON for other programs"},
    {"--completion", "SHELL", CHOICE, "help", FIELD(completion),
     .help = "print what completes command lines in this shell", .choices = "bash zsh fish"},
    {"--man", NULL, SWITCH, "help", FIELD(man), .help = "print the page for man, gpufx(1)"},
    {"--help", NULL, SWITCH, NULL, FIELD(help), .help = "print this", .also = "-h"},

    {"--process", "I", INTEGER, "run", FIELD(process), .help = NULL, .min = 0, .max = 1000, .fallback = "0"},
    {"--began", "S", REAL, "run", FIELD(began_s), .help = NULL, .min = 0, .max = 1e12, .fallback = "0"},
    {"--append", "FILE", PATH, "run", FIELD(append), .help = NULL},
    {"--only-fd", "FD", INTEGER, "run", FIELD(only_fd), .help = NULL, .min = -1, .max = 1 << 20, .fallback = "-1"},
    {"--gate-out", "FD", INTEGER, "run", FIELD(gate_out), .help = NULL, .min = -1, .max = 1 << 20, .fallback = "-1"},
    {"--gate-in", "FD", INTEGER, "run", FIELD(gate_in), .help = NULL, .min = -1, .max = 1 << 20, .fallback = "-1"},
    {"--missing-from", "DIR", PATH, "run", FIELD(missing_from), .help = NULL},
    {"--told-fd", "FD", INTEGER, RUNNING, FIELD(told_fd), .help = NULL, .min = -1, .max = 1 << 20, .fallback = "-1"},
    {"--usual", NULL, SWITCH, "run", FIELD(usual), .help = NULL},
    {"--events-fd", "FD", INTEGER, "run", FIELD(events_fd), .help = NULL, .min = -1, .max = 1 << 20, .fallback = "-1"},
};

const fx_option *fx_option_table(size_t *count) {
    *count = FX_COUNT(table);
    return table;
}

/* A verb of two words stands in a list as one, with a hyphen. */
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
    return !option->verbs || listed(option->verbs, verb);
}

bool fx_option_benchmark(const char *verb) {
    return listed(RUNNING, verb);
}
