/* What the command line says, checked (parse.h) by the one table of options (option_table.h). */
#ifndef FX_OPTIONS_H
#define FX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parent_record.h"

/* The synthetic device used where there is no GPU. */
#define FX_DEFAULT_SYNTHETIC "generic"

/* A growing list of borrowed texts. */
typedef struct fx_text_list {
    const char **text; /* owned array, borrowed texts */
    size_t count;
} fx_text_list;

/* Of --processes auto; the precision is that of a mean between processes, half of its 95 % interval. */
enum { FX_FIRST_PROCESSES = 2, FX_MOST_PROCESSES = 5 };
#define FX_PRECISION_BETWEEN 0.005

/* Of a run that the user gave no number for: the most, chosen as with auto. */
enum { FX_USUAL_PROCESSES = 3 };
#define FX_USUAL_LONGEST_S 0.3 /* a case that has taken longer, in all processes together, gets no further one */

/* What the command line said. Texts point into argv. */
typedef struct fx_options {
    bool help, json, cases, claims, quick, no_archive, profiled, one_sm;
    const char *device, *out, *filter, *only;
    bool quiet, verbose;
    const char *output;               /* a file for the answer (cli/envelope.h); NULL: standard output */
    const char *output_of_json;       /* the same, where the verb writes what is no JSON itself */
    bool jsonl;                       /* of pattern */
    const char *completion;           /* of help: a shell; NULL: not asked for */
    int64_t seed;                     /* -1: not given; a run then settles it (run/plan.h) */
    int64_t processes;                /* 0: not given, likewise */
    int64_t samples;                  /* 0: as many as precision wants */
    int64_t side_processes;           /* of selfcheck: of each of its two sides */
    double max_time_s, precision_pct; /* NAN: the sampler's own default */
    double margin_pct;
    bool by_need;           /* --processes auto: then `processes` are the most that there may be */
    fx_text_list axes;      /* NAME=VALUES of every --axis */
    fx_text_list labels;    /* KEY=VALUE of every --label */
    fx_text_list words;     /* positional arguments: probes, archives, or the verb that help is wanted on */
    bool divided;           /* there is a "--", */
    size_t before;          /* and so many words stand before it */
    fx_text_list benchmark; /* --benchmark_*: Google Benchmark's own */
    const char *probe;      /* of archive list */
    /* Of `pattern`. */
    const char *space, *op, *level, *lanes, *expression, *file, *arch, *tile, *block, *archive;
    int64_t width, base;
    bool predict, measure;
    const char *kernel;      /* of trace-cost */
    fx_parent_record parent; /* what the process that started this one said; not from the command line */
    /* Of `fleet run`. */
    double limit_s, wait_s;
    bool together;
    /* What was given for each row of the table, "" for a switch; NULL: nothing. Owned array. */
    const char **given;
    fx_text_list owned; /* texts that others point to */
} fx_options;

#endif
