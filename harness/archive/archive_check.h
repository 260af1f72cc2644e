/* An archive held against itself: what one line says is checked against the others and against what it holds, so that a
 * line that was changed, lost or doubled is found. plot/gpufx_plot/ has the same rules. */
#ifndef FX_ARCHIVE_CHECK_H
#define FX_ARCHIVE_CHECK_H

#include <jansson.h>

#include "archive_lines.h"
#include "core/rowset.h"

/* Start with {.schema = that of the file}. It grows with the number of cases alone: some 200 bytes for each. */
typedef struct fx_archive_check {
    int schema;
    size_t cases, waived, failed;
    bool repeated;       /* the run asked for repetitions that its lines do not tell apart (schema 1) */
    int64_t processes;   /* that the run line says there are at most; 0: it does not */
    bool ended;          /* the end line has been read */
    fx_rowset points;    /* of cases: process, repetition, name */
    fx_rowset methods;   /* name; name with method and metric */
    fx_rowset constants; /* probe with an axis that its names leave out; the same with the axis's value */
} fx_archive_check;

/* Takes all lines from the first on, migrated to the present schema. FX_BAD_INPUT with the reason alone, "n is 32, and
 * there are 31 samples": the caller says where. */
fx_status fx_archive_check_line(fx_archive_check *check, const json_t *object, const fx_line *line, fx_error *err);

/* The last of these checks alone: that the end line has the sum of all lines before it. Needs nothing but .schema. */
fx_status fx_archive_check_sum(const fx_archive_check *check, const json_t *object, const fx_line *line, fx_error *err);

/* Refuses a line behind the end line: FX_BAD_INPUT. */
fx_status fx_archive_behind_end(fx_error *err);

void fx_archive_check_free(fx_archive_check *check);

#endif
