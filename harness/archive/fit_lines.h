/* What something costs, from the fits of an archive: cost = a + b * count (fx_fit_cost). A fit is a line of the archive
 * over the medians of all processes; one of another law or method version than today's may not predict. */
#pragma once

#include <jansson.h>

#include "core/fit.h"
#include "core/probe.h"

typedef struct fx_archived_fit {
    const char *probe, *law, *metric; /* borrowed from the predictor */
    const json_t *group;              /* axis: value; borrowed */
    fx_fit fit;                       /* a and b alone */
    double law_missed_pct;            /* the largest residual of all fits of the archive over the same law and metric,
                                       * and at least fx_law_name.drawn_pct */
    bool law_holds;                   /* in all of them */
    bool usable; /* by today's method and laws, and it costs more to do more; else it may not predict */
} fx_archived_fit;

typedef struct fx_predictor fx_predictor;

/* Reads the fits of an archive, in order of appearance; one that is open already is shared, so all of this is of one
 * thread. An archive without any is fine. *incomplete: whether the run
 * did not come to its end; NULL is fine. */
fx_status fx_predictor_open(const char *path, fx_predictor **out, bool *incomplete, fx_error *err);
void fx_predictor_close(fx_predictor *predictor); /* NULL is fine */

/* Borrowed from the predictor: the archive's first line, and its fits. */
const json_t *fx_predictor_run(const fx_predictor *predictor);
const fx_archived_fit *fx_predictor_fits(const fx_predictor *predictor, size_t *count);

/* The fit over `law` and `metric` of the probe, whose group the params are in, if it may predict; else NULL. */
const fx_archived_fit *fx_predictor_find(const fx_predictor *predictor, const fx_probe *probe, const fx_params *params,
                                         const char *law, const char *metric);

/* a + b * count; NAN where there is no fit (NULL), or nothing to count. */
double fx_predict(const fx_archived_fit *fit, double count);
