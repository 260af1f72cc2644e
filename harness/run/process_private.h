/* What the files of a process share: process.c, and what it measures and searches. */
#pragma once

#include "core/search.h"
#include "process.h"
#include "progress.h"
#include "run_fits.h"

/* A selected probe with what its result line will say. */
typedef struct group {
    const fx_probe *probe;
    fx_case_median *points; /* one per case: further repetitions are archived but not fitted */
    size_t point_count;
    bool searches;
    fx_searched_case *found; /* of a probe that searches */
    size_t found_count;
    size_t left; /* cases that the filter took and that have not ended */
    fx_counts tally;
    size_t flagged;
    double elapsed_s;
    bool reported;
} group;

typedef struct entry {
    fx_process *process;
    const fx_case *c;
    group *group;
    bool ended, warned, fitted; /* at least once */
    unsigned repetitions;       /* begun */
} entry;

/* A case that a search added. */
typedef struct added {
    fx_case c;
    entry e;
    struct added *next;
} added;

struct fx_process {
    const fx_options *options;
    const atomic_int *stop;
    fx_device *device;
    entry *entries;
    group *groups;
    size_t entry_count, group_count;
    added *added;
    size_t counted; /* cases that Google Benchmark's filter leaves */
    fx_archive *archive;
    unsigned index;
    double began_s;       /* the run */
    size_t begun;         /* cases, repetitions counted */
    fx_run_position turn; /* of the case that runs */
    fx_error ended;       /* why no further case can run; FX_OK: nothing stands against it */
};

/* process_case.c. One case; without a state of Google Benchmark's it is not one of its benchmarks. */
void fx_process_run_one(entry *e, gb_state *state);
/* Whether no further case may run. */
bool fx_process_stopped(fx_process *process);
/* What a search needs to know of a case; its first repetition tells. */
void fx_process_remember(const entry *e, double median, double low, double high);

/* process_search.c. Before the cases run: the first process of a run searches, and the others measure what it added
 * (plan.h). Nothing is searched for cases that the user picked one by one, nor where nothing is kept. */
void fx_process_prepare_searches(fx_process *process);
/* Adds the cases that the probe's searches ask for, one step after the other. */
void fx_process_search(fx_process *process, group *g);
