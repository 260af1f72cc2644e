/* What something costs, from the fits of an archive: cost = a + b * count (fx_fit_cost).
 *
 * A fit of an archive is its pooled line where it has one (schema 2, the fit over the medians of all processes). Else
 * it is pooled here over the lines of the processes: a and b are medians, their intervals the hull of all, R^2 the
 * least, n and the largest residual those of the process that is farthest off, and the law holds if it does in half of
 * the processes or more. Where the archive's law counted otherwise than today's, its cases are counted anew and fitted
 * over their medians over all processes; by another method there is nothing to count. */
#ifndef FX_PREDICT_H
#define FX_PREDICT_H

#include <jansson.h>

#include "core/fit.h"
#include "core/probe.h"

/* Where fits are from. Texts are borrowed from the predictor; "" where the archive does not say. */
typedef struct fx_fit_origin {
    const char *path;
    const char *id, *started_utc, *device, *slug, *arch;
    bool synthetic;
    int law_version;    /* 0: the archive does not say */
    unsigned processes; /* that were meant */
    bool incomplete;    /* the run did not come to its end */
} fx_fit_origin;

typedef struct fx_known_fit {
    const char *probe, *law, *metric, *unit, *worst_case; /* borrowed from the predictor */
    const json_t *group;                                  /* axis: value; borrowed */
    fx_fit fit;                                           /* fit.worst is unused */
    bool holds;
    double law_missed_pct;        /* the largest residual of all fits of the archive over the same law and metric */
    bool law_holds;               /* in all of them */
    unsigned processes, holds_in; /* lines of single processes, and how many of them say that the law holds */
    bool pooled;                  /* the archive has the pooled line itself */
    bool recounted;               /* the law has changed since: fitted anew, over the same cases counted as today */
    char why_not[128];            /* why it may not predict: another law version, say; "": it may */
} fx_known_fit;

typedef struct fx_predictor fx_predictor;

/* Reads the fits of an archive, in order of appearance. An archive without any is fine. */
fx_status fx_predictor_open(const char *path, fx_predictor **out, fx_error *err);
void fx_predictor_close(fx_predictor *predictor); /* NULL is fine */

/* The same with the fits as they stand in the archive, whatever the laws and methods of today: none is counted anew,
 * and all may predict. For cases of the same archive alone, see predictions.h. */
fx_status fx_predictor_open_archived(const char *path, fx_predictor **out, fx_error *err);

const fx_fit_origin *fx_predictor_origin(const fx_predictor *predictor);
const fx_known_fit *fx_predictor_fits(const fx_predictor *predictor, size_t *count);

/* The fit over `law` and `metric` of the probe, whose group the params are in, if it may predict; else NULL. */
const fx_known_fit *fx_predictor_find(const fx_predictor *predictor, const fx_probe *probe, const fx_params *params,
                                      const char *law, const char *metric);

/* The fit that speaks of a case line, by what stands in it; NULL: none does. */
const fx_known_fit *fx_predictor_find_line(const fx_predictor *predictor, const json_t *line);

/* a + b * count; NAN where there is no fit (NULL), or nothing to count. */
double fx_predict(const fx_known_fit *fit, double count);

#endif
