/* The table, and everything that reads it. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/nearest.h"
#include "core/sampler.h"

typedef enum kind { SWITCH, TEXT, INTEGER, REAL, LIST } kind;

typedef struct option {
    const char *name, *value; /* value: what stands for it in --help; NULL for a switch */
    kind kind;
    const char *unit;
    double min, max;                                       /* of a number, inclusive */
    const char *fallback;                                  /* the default as the user would type it; NULL: none */
    const char *(*fallback_text)(char *text, size_t size); /* instead, where it is decided elsewhere */
    unsigned verbs;
    size_t field;
    const char *help; /* NULL: not for users */
} option;

static const char *either(double usual, double quick, char *text, size_t size) {
    if (usual == quick) {
        (void)snprintf(text, size, "%g", usual);
    } else {
        (void)snprintf(text, size, "%g, or %g with --quick", usual, quick);
    }
    return text;
}

static const char *time_default(char *text, size_t size) {
    return either(fx_sampling_default(false).time_limit_s, fx_sampling_default(true).time_limit_s, text, size);
}

static const char *precision_default(char *text, size_t size) {
    return either(100 * fx_sampling_default(false).precision, 100 * fx_sampling_default(true).precision, text, size);
}

static const char *samples_default(char *text, size_t size) {
    (void)snprintf(text, size, "as many as --precision wants");
    return text;
}

#define FIELD(member) offsetof(fx_options, member)
enum {
    RUNNING = FX_VERB_RUN | FX_VERB_CHARACTERIZE,
    MEASURING = RUNNING | FX_VERB_SELFCHECK,
    SELECTING = MEASURING | FX_VERB_LIST,
    OWN = FX_VERB_HELP | FX_VERB_LIST | FX_VERB_INFO | MEASURING | FX_VERB_SETUP | FX_VERB_TEST | FX_VERB_PATTERN,
};

/* In the order in which --help prints them. claims, compare, plot and validate have no row: their options are Python's.
 */
static const option table[] = {
    {"--space", "SPACE", TEXT, "", 0, 0, "shared", NULL, FX_VERB_PATTERN, FIELD(space),
     "memory that is accessed: shared, global or constant"},
    {"--op", "OP", TEXT, "", 0, 0, "load", NULL, FX_VERB_PATTERN, FIELD(op),
     "load, store or atomic (shared memory: an addition of 4 bytes, an exchange of 8)"},
    {"--width", "BYTES", INTEGER, "bytes a lane", 1, 16, "4", NULL, FX_VERB_PATTERN, FIELD(width),
     "1, 2, 4, 8 or 16; the lines of a file may name their own"},
    {"--level", "LEVEL", TEXT, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(level),
     "what serves a global access: l1, l2 or dram; default: a row for each that can"},
    {"--lanes", "LIST", TEXT, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(lanes),
     "up to 32 byte offsets, lane by lane, with commas; - for an inactive lane"},
    {"--expr", "EXPRESSION", TEXT, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(expression),
     "the byte offset as a C integer expression in lane (threadIdx.x, tid) and t, negative for an inactive lane; "
     "t=FIRST:LAST behind it "
     "gives a row per step and the worst"},
    {"--file", "FILE", TEXT, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(file),
     "JSON Lines, one {\"id\":..., \"width\":..., \"lanes\":[32 integers, -1 inactive]} a line; - is standard input"},
    {"--predict", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(predict),
     "by the laws alone; needs no GPU"},
    {"--measure", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(measure),
     "on the device; default: both where there is a GPU, else --predict"},
    {"--arch", "ARCH", TEXT, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(arch),
     "predict for this architecture, such as sm_90; default: the device's, else sm_90"},
    {"--svg", "FILE", TEXT, "", 0, 0, NULL, NULL, FX_VERB_PATTERN, FIELD(svg),
     "draw the pattern, or the worst of them, into FILE (shared memory)"},
    {"--axis", "NAME=VALUES", LIST, "", 0, 0, NULL, NULL, SELECTING, FIELD(axes),
     "take these values on an axis: 4 or 1,2,4 or 0:64 or 0:64:8 or 1:64:*2 or load,store or all; may be repeated, and "
     "holds for the selected probes that have the axis"},
    {"--quick", NULL, SWITCH, "", 0, 0, NULL, NULL, SELECTING, FIELD(quick),
     "a first look: fewer points, fewer samples"},
    {"--filter", "REGEX", TEXT, "", 0, 0, NULL, NULL, SELECTING, FIELD(filter),
     "only cases whose name matches this extended regular expression; with a leading '-', only those that don't"},
    {"--processes", "K", INTEGER, "processes", 1, 1000, "1", NULL, RUNNING, FIELD(processes),
     "repeat the run in K fresh processes into one archive; comparisons want 5"},
    {"--processes", "K", INTEGER, "processes", 2, 500, "5", NULL, FX_VERB_SELFCHECK, FIELD(side_processes),
     "processes per side"},
    {"--margin", "PCT", REAL, "%", 0, 50, "1", NULL, FX_VERB_SELFCHECK, FIELD(margin_pct), "what is no difference"},
    {"--device", "DEVICE", TEXT, "", 0, 0, NULL, NULL, MEASURING | FX_VERB_INFO | FX_VERB_PATTERN, FIELD(device),
     "a CUDA index, a UUID, or synthetic:NAME; default: the first CUDA device, else synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--device", "DEVICE", TEXT, "", 0, 0, NULL, NULL, FX_VERB_LIST, FIELD(device),
     "waive what this device can't run: a CUDA index, a UUID, or synthetic:NAME; default: "
     "synthetic:" FX_DEFAULT_SYNTHETIC},
    {"--out", "DIR", TEXT, "", 0, 0, NULL, NULL, MEASURING, FIELD(out),
     "folder of the archive; default: results/ARCH/DEVICE, or out/ARCH/DEVICE for a synthetic device"},
    {"--seed", "N", INTEGER, "", 0, 9007199254740992.0, "1", NULL, MEASURING | FX_VERB_PATTERN, FIELD(seed),
     "seed of test data and of synthetic noise"},
    {"--max-time", "S", REAL, "seconds per case", 0.001, 3600, NULL, time_default, MEASURING, FIELD(max_time_s),
     "stop sampling a case after this long"},
    {"--precision", "PCT", REAL, "% of the median", 0.001, 100, NULL, precision_default, MEASURING,
     FIELD(precision_pct), "stop sampling once the 95 % interval of the median is this narrow (half-width)"},
    {"--samples", "N", INTEGER, "", 1, 1000000, NULL, samples_default, RUNNING, FIELD(samples),
     "take exactly N samples of each case, the first one included, however long that takes"},
    {"--profiled", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_RUN, FIELD(profiled),
     "for a run under a profiler: loops 16 times as long, so that a kernel's set-up hardly counts, and an archive that "
     "nothing takes for a measurement"},
    {"--no-archive", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_RUN, FIELD(no_archive),
     "keep nothing: measure and print only"},
    {"--cases", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_LIST, FIELD(cases), "list every case by name"},
    {"--claims", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_LIST, FIELD(claims),
     "list what guides claim, and the cases that decide it, instead of axes and sweeps"},
    {"--json", NULL, SWITCH, "", 0, 0, NULL, NULL, FX_VERB_LIST | FX_VERB_INFO | FX_VERB_PATTERN | FX_VERB_SELFCHECK,
     FIELD(json), "print JSON for other programs"},
    {"--help", NULL, SWITCH, "", 0, 0, NULL, NULL, OWN, FIELD(help), "print this"},
    {"--process", "I", INTEGER, "", 0, 1000, "0", NULL, FX_VERB_RUN, FIELD(process), NULL},
    {"--append", "FILE", TEXT, "", 0, 0, NULL, NULL, FX_VERB_RUN, FIELD(append), NULL},
    {"--events-fd", "FD", INTEGER, "", -1, 1 << 20, "-1", NULL, FX_VERB_RUN, FIELD(events_fd), NULL},
};

static void *field(fx_options *options, const option *o) {
    return (char *)options + o->field;
}

static fx_status set(fx_options *options, const option *o, const char *text, fx_error *err) {
    char *end;
    double number;
    const char *blank = *o->unit ? " " : "";
    errno = 0;
    if (o->kind != SWITCH && !*text) {
        return fx_fail(err, FX_BAD_INPUT, "%s needs a value: %s %s.", o->name, o->name, o->value);
    }
    switch (o->kind) {
    case SWITCH:
        *(bool *)field(options, o) = true;
        return FX_OK;
    case TEXT:
        *(const char **)field(options, o) = text;
        return FX_OK;
    case LIST:
        return fx_texts_add(field(options, o), text, err);
    case INTEGER: {
        long long integer = strtoll(text, &end, 10);
        if (*end) {
            return fx_fail(err, FX_BAD_INPUT, "%s %.60s: not a whole number.", o->name, text);
        }
        /* Not as doubles: these would round what is a little too large. */
        if (errno || integer < (long long)o->min || integer > (long long)o->max) {
            return fx_fail(err, FX_BAD_INPUT, "%s %.60s: out of range, %.0f to %.0f%s%s.", o->name, text, o->min,
                           o->max, blank, o->unit);
        }
        *(int64_t *)field(options, o) = integer;
        return FX_OK;
    }
    case REAL:
        number = strtod(text, &end);
        if (*end || isnan(number)) {
            return fx_fail(err, FX_BAD_INPUT, "%s %.60s: not a number.", o->name, text);
        }
        if (number < o->min || number > o->max) {
            return fx_fail(err, FX_BAD_INPUT, "%s %.60s: out of range, %g to %g %s.", o->name, text, o->min, o->max,
                           o->unit);
        }
        *(double *)field(options, o) = number;
        return FX_OK;
    }
    return FX_OK;
}

static const option *find(fx_verb_id verb, const char *name, size_t length) {
    for (size_t i = 0; i < FX_COUNT(table); i++) {
        if ((table[i].verbs & verb) && strlen(table[i].name) == length && !memcmp(table[i].name, name, length)) {
            return &table[i];
        }
    }
    return NULL;
}

static fx_status unknown(fx_verb_id verb, const char *name, size_t length, fx_error *err) {
    const char *known[FX_COUNT(table)];
    char text[64];
    size_t count = 0;
    for (size_t i = 0; i < FX_COUNT(table); i++) {
        if ((table[i].verbs & verb) && table[i].help) {
            known[count++] = table[i].name;
        }
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)length, name);
    if (!strcmp(text, "--launches") && find(verb, "--processes", strlen("--processes"))) {
        return fx_fail(err, FX_BAD_INPUT, "--launches is called --processes");
    }
    const char *near = fx_nearest(text, known, count);
    const char *verb_name = fx_verb_of(verb)->name;
    if (near) {
        return fx_fail(err, FX_BAD_INPUT, "%s is no option of '%s'. Did you mean %s?", text, verb_name, near);
    }
    return fx_fail(err, FX_BAD_INPUT, "%s is no option of '%s'. `gpufx %s --help` lists them.", text, verb_name,
                   verb_name);
}

fx_status fx_options_parse(fx_verb_id verb, int argc, char **argv, fx_options *out, fx_error *err) {
    *out = (fx_options){.max_time_s = NAN, .precision_pct = NAN};
    for (size_t i = 0; i < FX_COUNT(table); i++) {
        if (table[i].fallback && set(out, &table[i], table[i].fallback, err)) {
            return err->status;
        }
    }
    bool words_only = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        fx_status status;
        if (words_only || arg[0] != '-' || !arg[1]) {
            status = fx_texts_add(&out->words, arg, err);
        } else if (!strcmp(arg, "--")) {
            words_only = true;
            continue;
        } else if (!strncmp(arg, "--benchmark_", 12) && (verb & RUNNING)) {
            status = fx_texts_add(&out->benchmark, arg, err);
        } else {
            size_t length = strcspn(arg, "=");
            const char *value = arg[length] ? arg + length + 1 : NULL;
            const option *o = !strcmp(arg, "-h") ? find(verb, "--help", 6) : find(verb, arg, length);
            if (!o) {
                return unknown(verb, arg, length, err);
            }
            if (o->kind == SWITCH && value) {
                return fx_fail(err, FX_BAD_INPUT, "%s takes no value.", o->name);
            }
            if (o->kind != SWITCH && !value) {
                if (i + 1 == argc) {
                    return fx_fail(err, FX_BAD_INPUT, "%s needs a value: %s %s.", o->name, o->name, o->value);
                }
                value = argv[++i];
            }
            status = set(out, o, value, err);
        }
        if (status) {
            return status;
        }
    }
    const char *needless = isfinite(out->max_time_s)      ? "--max-time"
                           : isfinite(out->precision_pct) ? "--precision"
                                                          : NULL;
    if (out->samples && needless) {
        return fx_fail(err, FX_BAD_INPUT, "--samples takes exactly so many: leave out %s, or --samples.", needless);
    }
    /* A parent gives its processes all of these, but for an archive that is not kept. */
    bool child = out->events_fd >= 0;
    if (child ? !out->append && !out->no_archive : out->append || out->process) {
        return fx_fail(err, FX_BAD_INPUT, "--process, --append and --events-fd are internal options; leave them out");
    }
    return FX_OK;
}

void fx_options_free(fx_options *options) {
    if (!options) {
        return;
    }
    free(options->axes.text);
    free(options->words.text);
    free(options->benchmark.text);
}

/* Prints `text` from column `indent` on, broken at blanks before column 100. */
static void wrapped(FILE *to, const char *text, int indent) {
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > 100) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', to);
            column++;
        }
        fprintf(to, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

void fx_options_print(FILE *to, fx_verb_id verb) {
    bool first = true;
    for (size_t i = 0; i < FX_COUNT(table); i++) {
        const option *o = &table[i];
        char left[64], text[512], computed[128];
        if (!(o->verbs & verb) || !o->help) {
            continue;
        }
        if (first) {
            fputs("\nOptions:\n", to);
        }
        first = false;
        (void)snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        int at = snprintf(text, sizeof text, "%s", o->help);
        if (o->kind == INTEGER || o->kind == REAL) {
            const char *fallback = o->fallback_text ? o->fallback_text(computed, sizeof computed) : o->fallback;
            (void)snprintf(text + at, sizeof text - (size_t)at, " [%.10g to %.16g%s%s; default %s]", o->min, o->max,
                           *o->unit ? " " : "", o->unit, fallback);
        } else if (o->fallback) {
            (void)snprintf(text + at, sizeof text - (size_t)at, " [default %s]", o->fallback);
        }
        fprintf(to, "  %-20s ", left);
        wrapped(to, text, 23);
    }
    if (verb & RUNNING) {
        fputs("  --benchmark_*        ", to),
            wrapped(to, "any flag of Google Benchmark, such as --benchmark_format=json or --benchmark_list_tests", 23);
    }
}

fx_status fx_texts_add(fx_texts *texts, const char *text, fx_error *err) {
    const char **more = realloc(texts->text, (texts->count + 1) * sizeof *more);
    if (!more) {
        return fx_fail(err, FX_NO_MEMORY, "Out of memory while reading the command line.");
    }
    texts->text = more;
    texts->text[texts->count++] = text;
    return FX_OK;
}
