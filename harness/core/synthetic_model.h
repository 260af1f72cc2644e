/* Models of a synthetic device: which cases one speaks for, and the sample it makes. Private to synthetic*.c. */
#pragma once

#include <jansson.h>

#include "probe.h"

/* A period in which the clock is lower: `factor` times longer for everything that is counted in ns. */
typedef struct fx_throttle {
    uint64_t after_samples, for_samples; /* counted from the case's first sample, warm-up included */
    double factor;
} fx_throttle;

/* In this share of the processes, drawn case by case, everything is `factor` times as long. */
typedef struct fx_population {
    double probability, factor;
} fx_population;

typedef struct fx_model {
    const char *probe;          /* NULL: any */
    const json_t *match;        /* NULL: any; borrowed from the document */
    double a, b;                /* value = a + b * count */
    const char *count;          /* which of the case's counts; NULL: the one that its law claims */
    double noise_pct;           /* standard deviation */
    double sm_spread_pct;       /* standard deviation between SMs, of what one SM does */
    double process_spread_pct;  /* standard deviation between processes, that is, between device seeds */
    double drift_pct;           /* growth over 100 samples */
    double outlier_probability; /* how often a sample is outlier_factor times as long */
    double outlier_factor;
    double intercept; /* NAN: none */
    fx_throttle throttle;
    fx_population second_population;
    const json_t *extras; /* name: value; NULL: none; borrowed */
} fx_model;

/* Reads one model. What it says about a probe that is registered is checked against its axes, choices, metrics, sweeps
 * and extras. `where` opens error sentences. The model borrows from `object`. */
fx_status fx_model_read(const json_t *object, const char *where, fx_model *out, fx_error *err);

bool fx_model_matches(const fx_model *model, const fx_case *c);

/* The count that the model's value follows in this case: 0 without a law or a name. False if the case lacks it. */
bool fx_model_count(const fx_model *model, const fx_case *c, double *count);

/* True if sample `index` of a case falls into the model's throttling. */
bool fx_model_throttled(const fx_model *model, uint64_t index);

/* Makes sample `index`, of this SM (-1: none in particular). Random by (device_seed, the case's name, sample_seed). */
void fx_model_sample(const fx_model *model, const fx_case *c, uint64_t device_seed, uint64_t sample_seed,
                     uint64_t index, int sm, double sm_clock_MHz, fx_sample *out);
