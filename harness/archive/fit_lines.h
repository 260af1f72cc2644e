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

/* The fits of an archive, in order of appearance; kept until the program ends. */
typedef struct fx_predictor {
    struct fx_predictor *next;
    char *path;
    bool incomplete; /* the run did not come to its end */
    json_t *run;     /* the archive's first line */
    json_t *lines;   /* of fits, with their group */
    fx_archived_fit *fits;
    size_t count;
} fx_predictor;

/* Reads them, unless read by this path already; of one thread. An archive may have none. */
fx_status fx_predictor_open(const char *path, const fx_predictor **out, fx_error *err);

/* The fit over `law` and `metric` of the probe, whose group the params are in, if it may predict; else NULL. */
const fx_archived_fit *fx_predictor_find(const fx_predictor *predictor, const fx_probe *probe, const fx_params *params,
                                         const char *law, const char *metric);

/* a + b * count; NAN where there is no fit (NULL), or nothing to count. */
double fx_predict(const fx_archived_fit *fit, double count);
