/* `run` from the options on; `characterize` runs the same and goes on from the outcome. */
#pragma once

#include <jansson.h>
#include <limits.h>

#include "archive/archive.h"
#include "call/options.h"

typedef struct fx_run_outcome {
    char archive[PATH_MAX]; /* "" if none was begun */
    char slug[128];
    fx_counts counts;
    double elapsed_s;
    const char *incomplete; /* why; NULL: it is not */
    int signal;             /* that interrupted the run; 0: none */
    char notice[512];       /* the sentence about a stand-in device; "" without */
} fx_run_outcome;

/* Runs and prints. `arguments` are the program's, from the verb on, for the archive and for the processes of
 * --processes. characterize: print the device first, and leave the
 * closing notice about a stand-in device to the caller. Returns the exit status. */
int fx_run(const fx_options *options, const char *const *arguments, size_t argument_count, bool characterize,
           fx_run_outcome *out);

/* The answer of --json; the caller frees it. */
json_t *fx_run_outcome_json(const fx_run_outcome *outcome);
