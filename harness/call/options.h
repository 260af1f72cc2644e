/* What the command line says, checked (parse.h) by the one table of options (option_table.h). */
#pragma once

#include "parent_record.h"

/* The synthetic device used where there is no GPU. */
#define FX_DEFAULT_SYNTHETIC "generic"

/* A growing list of borrowed texts. */
typedef struct fx_text_list {
    const char **text; /* owned array, borrowed texts */
    size_t count;
} fx_text_list;

/* Appends a borrowed text. _free: of a list whose texts are owned. */
void fx_text_list_add(fx_text_list *texts, const char *text);
void fx_text_list_free(fx_text_list *texts);

/* Of --processes auto; the precision is that of a mean between processes, half of its 95 % interval. */
enum { FX_FIRST_PROCESSES = 2, FX_MOST_PROCESSES = 5 };
#define FX_PRECISION_BETWEEN 0.005

/* Of a run that the user gave no number for: the most, chosen as with auto. */
enum { FX_USUAL_PROCESSES = 3 };
#define FX_USUAL_LONGEST_S 0.3 /* a case that has taken longer, in all processes together, gets no further one */

/* What a run measures, how often and how well: `run`, `characterize`. */
typedef struct fx_run_options {
    fx_text_list labels;              /* KEY=VALUE of every --label */
    fx_text_list benchmark;           /* --benchmark_*: Google Benchmark's own */
    const char *only;                 /* a file of case names (run/select.h) */
    int64_t processes;                /* 0: not given; a run then settles it (run/plan.h) */
    bool by_need;                     /* --processes auto: then `processes` are the most that there may be */
    int64_t samples;                  /* 0: as many as precision wants */
    double max_time_s, precision_pct; /* NAN: the sampler's own default */
    bool no_archive, profiled;
} fx_run_options;

/* The pattern to price: `pattern`, and trace-cost for what names the chip. */
typedef struct fx_pattern_options {
    const char *space, *op, *expression, *index, *swizzle, *file, *tile, *block, *code, *fail_on, *format;
    int64_t width;
    const char *arch, *archive; /* the chip */
    const char *kernel;         /* of trace-cost */
} fx_pattern_options;

/* What the command line said. Texts point into argv. */
typedef struct fx_options {
    /* Of every verb. */
    bool help, json, quiet, verbose;
    const char *output;         /* a file for the answer (cli/main.c); NULL: standard output */
    const char *output_of_json; /* the same, where the verb writes what is no JSON itself */
    fx_text_list words;         /* positional arguments: probes, archives, or the verb that help is wanted on */
    bool divided;               /* there is a "--", */
    size_t before;              /* and so many words stand before it */
    /* Of most. */
    const char *device, *out;
    int64_t seed; /* -1: not given; a run then settles it (run/plan.h) */
    /* Which cases; of a run and of `list`. */
    fx_text_list axes; /* NAME=VALUES of every --axis */
    const char *filter;
    bool quick;
    /* Of one family of verbs. */
    fx_run_options run;
    fx_pattern_options pattern;
    bool cases;              /* of `list` */
    const char *probe;       /* of `archive list` */
    fx_parent_record parent; /* what the process that started this one said; not from the command line */
    /* What was given for each row of the table, "" for a switch; NULL: nothing. Owned array. */
    const char **given;
    fx_text_list owned;    /* texts that others point to */
    fx_text_list archives; /* that words and options name, as paths */
    union {
        bool given;
        int64_t integer;
        double real;
        const char *text;
    } unread; /* where values go that Python alone reads */
} fx_options;
