/* --processes: fresh processes of this program, one after the other, that append to one archive. A fresh process has
 * its own addresses, context and clocks, which is the repetition that a comparison needs. */
#pragma once

#include <stdatomic.h>

#include "archive/archive.h"
#include "call/parent_record.h"

typedef struct fx_children {
    const char *const *arguments; /* from the verb on */
    size_t argument_count;
    fx_archive *archive;     /* to append to; NULL: none */
    fx_parent_record record; /* for each of them; its texts are borrowed, `process` and `events_fd` are set here */
    const atomic_int *stop;  /* set by a signal */
    size_t processes;
    size_t cases; /* that each of them has to report at least */
    /* Before each process: sets `cases` and `record.chosen` for it, or `cases` to 0, which ends the run. NULL: each
     * process runs all cases. */
    fx_status (*choose)(void *context, size_t process, struct fx_children *children, fx_error *err);
    void *context;
    /* Out: */
    size_t crashed;   /* ended by a signal, in a way that no process ends, or with cases missing */
    bool device_lost; /* at least one said so */
} fx_children;

/* Runs them all and shows their events as progress. A child that crashes is reported and the next one starts.
 * FX_INTERRUPTED after a signal; FX_IO if a child could not go on with the archive, which it has said itself. */
fx_status fx_children_run(fx_children *children, fx_error *err);
