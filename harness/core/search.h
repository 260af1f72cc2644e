/* Adaptive search: which case to measure next so that a change is known to one granule, or to 1 % of where it lies,
 * instead of to the grid that a sweep happens to have. What a probe wants refined is data (fx_search). */
#pragma once

#include "probe.h"

enum {
    FX_MOST_SEARCHED = 12, /* cases added to a walk: a gap is halved up to eight times, and noise may move it */
    FX_SEARCH_ADDS = 2,    /* by one step: what changes, and what it is compared with */
};

/* A case that was run. */
typedef struct fx_searched_case {
    const fx_case *c; /* borrowed */
    double median;    /* NAN: it was waived or failed */
    double low, high; /* 95 % interval of the median; NAN: unknown */
} fx_searched_case;

typedef struct fx_step {
    const fx_sweep *sweep;
    fx_params params[FX_SEARCH_ADDS];
    size_t count; /* 0: nothing is left to search */
} fx_step;

/* "the end of the first plateau" */
const char *fx_change_text(fx_change change);

/* The next step of the probe's searches, from all of its cases that have run, each once. Searches along an axis that
 * `fixed` (one bool per axis) marks are left out. Must be asked again with what came of the step, whatever it was. */
fx_status fx_search_next(const fx_probe *probe, const bool *fixed, const fx_searched_case *found, size_t count,
                         fx_step *out, fx_error *err);
