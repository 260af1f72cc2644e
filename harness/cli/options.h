/* The one table of options. The parser, `--help` of each verb, the range errors and the check of the documentation all
 * read it; a default is written here once and printed from here. */
#ifndef FX_OPTIONS_H
#define FX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"

/* The verbs that an option belongs to, as a bit mask. */
typedef enum fx_verb_id {
    FX_VERB_HELP = 1u << 0,
    FX_VERB_LIST = 1u << 1,
    FX_VERB_INFO = 1u << 2,
    FX_VERB_RUN = 1u << 3,
    FX_VERB_CHARACTERIZE = 1u << 4,
    FX_VERB_COMPARE = 1u << 5,
    FX_VERB_PLOT = 1u << 6,
    FX_VERB_TEST = 1u << 7,
    FX_VERB_PATTERN = 1u << 8,
    FX_VERB_VALIDATE = 1u << 9,
    FX_VERB_SELFCHECK = 1u << 10,
    FX_VERB_CLAIMS = 1u << 11,
    FX_VERB_SETUP = 1u << 12,
} fx_verb_id;

/* A growing list of borrowed texts. */
typedef struct fx_texts {
    const char **text; /* owned array, borrowed texts */
    size_t count;
} fx_texts;

/* What the command line said. Texts point into argv. */
typedef struct fx_options {
    bool help, json, cases, claims, quick, no_archive, profiled;
    const char *device, *out, *filter;
    int64_t seed, processes, samples; /* samples: 0: as many as precision wants */
    int64_t side_processes;           /* of selfcheck: of each of its two sides */
    double max_time_s, precision_pct; /* NAN: the sampler's own default */
    double margin_pct;
    fx_texts axes;      /* NAME=VALUES of every --axis */
    fx_texts words;     /* positional arguments: probes, or the verb that help is wanted on */
    fx_texts benchmark; /* --benchmark_*: Google Benchmark's own */
    /* Of `pattern`. */
    const char *space, *op, *level, *lanes, *expression, *file, *svg, *arch;
    int64_t width;
    bool predict, measure;
    /* Between a parent and its child processes; not for users. */
    const char *append;
    int64_t process, events_fd;
} fx_options;

/* Parses what follows the verb. Options may stand anywhere, as `--name value` or `--name=value`; `--` ends them. Errors
 * (FX_BAD_INPUT) name the option, its range, and the nearest known option. Free with fx_options_free, also on error. */
fx_status fx_options_parse(fx_verb_id verb, int argc, char **argv, fx_options *out, fx_error *err);
void fx_options_free(fx_options *options);

/* Writes the options of one verb, with ranges and defaults. Writes nothing if it has none. */
void fx_options_print(FILE *to, fx_verb_id verb);

/* Appends a borrowed text. */
fx_status fx_texts_add(fx_texts *texts, const char *text, fx_error *err);

#endif
