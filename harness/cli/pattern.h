/* `gpufx pattern`: what one access pattern costs, by the laws and on the device. The parts: where patterns come from
 * (pattern_source), what they cost (pattern_cost), how that is shown (pattern_show, pattern_svg), what would cure it
 * (pattern_cure). */
#ifndef FX_PATTERN_H
#define FX_PATTERN_H

#include <limits.h>
#include <stdio.h>

#include "core/cases.h"
#include "core/device.h"
#include "core/sampler.h"
#include "options.h"

/* What is asked of every pattern of one call: values of the probe's axes. */
typedef struct fx_pattern_kind {
    const fx_probe *probe; /* `pattern` */
    size_t memory_axis, op_axis, width_axis;
    const char *space, *op, *level; /* as the user says them; level: NULL where it does not apply */
    fx_params params;               /* memory and op set */
} fx_pattern_kind;

typedef struct fx_pattern {
    json_t *id; /* owned; a string or what the file says */
    unsigned width_bytes;
    fx_lanes lanes;
} fx_pattern;

typedef struct fx_pattern_answer {
    fx_prediction prediction;
    double predicted_cycles; /* NAN: no fit for it */
    double measured_cycles;  /* NAN: not measured */
    char why_not[256];       /* why it was to be measured and was not; else empty */
} fx_pattern_answer;

/* Reads --space, --op and --level. */
fx_status fx_pattern_kind_of(const fx_options *options, fx_pattern_kind *out, fx_error *err);

/* pattern_source.c: one pattern after the other. */
typedef struct fx_pattern_source fx_pattern_source;
fx_status fx_pattern_source_open(const fx_options *options, fx_pattern_source **out, fx_error *err);
/* *more is false after the last one. The caller frees out->id. */
fx_status fx_pattern_next(fx_pattern_source *source, fx_pattern *out, bool *more, fx_error *err);
/* True if there is one pattern alone. */
bool fx_pattern_source_single(const fx_pattern_source *source);
/* True if patterns come from a pipe or a terminal, one now and one later. */
bool fx_pattern_source_waits(const fx_pattern_source *source);
void fx_pattern_source_close(fx_pattern_source *source); /* NULL is fine */

/* pattern_cost.c: laws, fits of an archive, the device. */
typedef struct fx_pattern_cost fx_pattern_cost;
fx_status fx_pattern_cost_new(const fx_options *options, const fx_pattern_kind *kind, fx_pattern_cost **out,
                              fx_error *err);
fx_status fx_pattern_cost_of(fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_answer *out, fx_error *err);
/* The law's count alone, 0 where there is none. */
double fx_pattern_count(const fx_pattern_cost *cost, const fx_lanes *lanes, unsigned width_bytes);
/* The cycles that the fits give for a count; NAN: no fit. */
double fx_pattern_cycles(const fx_pattern_cost *cost, double count, unsigned width_bytes);
const fx_facts *fx_pattern_facts(const fx_pattern_cost *cost);
const char *fx_pattern_arch(const fx_pattern_cost *cost);        /* "sm_90" */
const char *fx_pattern_fits(const fx_pattern_cost *cost);        /* the archive; "" where none has fits */
const char *fx_pattern_measured_on(const fx_pattern_cost *cost); /* the device's name; NULL: nothing is measured */
bool fx_pattern_invented(const fx_pattern_cost *cost);           /* it is measured on a synthetic device */
bool fx_pattern_only_measured(const fx_pattern_cost *cost);      /* nothing is predicted: --measure */
void fx_pattern_cost_free(fx_pattern_cost *cost);                /* NULL is fine */

/* pattern_cure.c: other layouts of the same elements, each held against the same law. */
typedef struct fx_pattern_cure {
    char text[128]; /* what to do */
    fx_lanes lanes;
    double count;
} fx_pattern_cure;
enum { FX_MAX_CURES = 2 };
/* Fills those that cost less than the pattern itself, the best first; returns how many. */
size_t fx_pattern_cures(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                        fx_pattern_cure out[FX_MAX_CURES]);

/* pattern_show.c */
enum { FX_PATTERN_ID_BYTES = 41 };
/* The id as text that a terminal can be given: JSON without its quotes, escapes kept, cut where it is long. */
void fx_pattern_id(const fx_pattern *pattern, char *text, size_t size);
void fx_pattern_print(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                      const fx_pattern_answer *answer);
void fx_pattern_print_row(FILE *to, bool first, const fx_pattern *pattern, const fx_pattern_answer *answer);
fx_status fx_pattern_print_json(FILE *to, const fx_pattern_kind *kind, const fx_pattern *pattern,
                                const fx_pattern_answer *answer, fx_error *err);

/* pattern_svg.c: the banks and their words as a picture. FX_IO if the file can't be written. */
fx_status fx_pattern_svg(const char *path, const fx_pattern_cost *cost, const fx_pattern_kind *kind,
                         const fx_pattern *pattern, const fx_pattern_answer *answer, fx_error *err);

#endif
