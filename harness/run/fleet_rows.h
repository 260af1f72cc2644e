/* The rows of a fleet run: one small JSON file for each GPU, FOLDER/ranks/HOST.LOCAL.json, written by the rank that
 * measures it and by no other process, completely or not at all; where a disk is full, in place. A rank that dies
 * leaves the row that says it is measuring; its file is touched every FX_ROW_BEAT_S seconds, so a row that nobody
 * touches any more is that of a lost rank. Ages are taken by the file system's own clock, since those of hosts differ.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/error.h"

enum { FX_ROW_BEAT_S = 2, FX_ROW_LOST_S = 15 };

typedef enum fx_fleet_row_state {
    FX_ROW_MEASURING,
    FX_ROW_DONE,        /* every case was measured or waived */
    FX_ROW_FAILED,      /* a case, a process, or the run */
    FX_ROW_TIMED_OUT,   /* the limit ended it */
    FX_ROW_NO_GPU,      /* no such device, or nothing could be run on it */
    FX_ROW_INTERRUPTED, /* by a signal */
    FX_ROW_LOST,        /* never written: measuring, and nobody touches it */
    FX_ROW_ABSENT,      /* never written: no row of this rank */
} fx_fleet_row_state;

typedef struct fx_fleet_row {
    char name[160]; /* HOST.LOCAL */
    char host[128];
    char device[64]; /* what --device was given */
    char job[128], reason[512];
    char archive[PATH_MAX]; /* in the folder, "" for none */
    char asked[512];        /* what was asked for: a row of another wish is not done */
    int rank, size;
    fx_fleet_row_state state;
    double elapsed_s, limit_s;
    int met, cases; /* cases that all ranks began at one time, and all cases */
    double age_s;   /* since it was touched; read alone */
} fx_fleet_row;

/* Writes the row into FOLDER/ranks/, making folders. */
fx_status fx_fleet_row_write(const char *folder, const fx_fleet_row *row, fx_error *err);

/* So that nobody takes the rank for lost. Failures are none: the next beat may succeed. */
void fx_fleet_row_touch(const char *folder, const fx_fleet_row *row);

/* The row of that name; *found false where there is none. A file that is no row is FX_BAD_INPUT. */
fx_status fx_fleet_row_read(const char *folder, const char *name, fx_fleet_row *out, bool *found, fx_error *err);

/* All rows, by rank, those of one start alone where `job` is not NULL: its ranks without a row are ABSENT. *rows is
 * owned by the caller. Files that are no rows are left out with a warning. */
fx_status fx_rows_read(const char *folder, const char *job, int size, fx_fleet_row **rows, size_t *count,
                       fx_error *err);

/* The answer first, then a line for each rank that is not done; or all rows as JSON. Returns how many are not done. */
size_t fx_rows_print(FILE *to, const fx_fleet_row *rows, size_t count, bool as_json);
