/* The fits of one process, and those over all: measured = a + b * law over the cases that a probe groups together. */
#pragma once

#include "archive/archive.h"
#include "core/case_list.h"

typedef struct fx_case_median {
    const fx_case *c; /* borrowed */
    double median;
} fx_case_median;

/* What came of one probe's fits, for its result lines. */
typedef struct fx_fits {
    size_t count, broken; /* broken: the law does not hold (fx_fit_holds) */
    char worst[768];      /* of the broken ones the one with the largest residual, in words */
    double worst_residual_pct;
} fx_fits;

/* Groups the points of one probe by the axes in probe->fit_by, the metric and the law, and fits every group of at least
 * 3 points with 2 distinct counts. Sorts `points`. Each fit becomes a line of the archive, which may be NULL.
 * `process`: FX_POOLED for points of all. */
fx_status fx_fits_make(const fx_probe *probe, fx_case_median *points, size_t count, fx_archive *archive, int process,
                       fx_fits *out, fx_error *err);

/* Reads the archive's cases back and writes the fits over the medians of all processes' medians. */
fx_status fx_fits_pool(const fx_case_list *cases, fx_archive *archive, fx_error *err);
