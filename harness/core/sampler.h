/* The sampler: takes samples of one case until the median is known well enough, and says when it stopped and why. */
#pragma once

#include <stdatomic.h>

#include "device.h"
#include "stats.h"

typedef struct fx_sampling {
    size_t min_samples;  /* 32; a stop for precision comes only where the interval's rank is about to grow, as there */
    size_t max_samples;  /* 100; where samples come in rounds (fx_device.round), the whole rounds that fit */
    size_t warm_up;      /* samples taken and thrown away first: 2; 1 where that takes the time limit */
    double precision;    /* half-width of the 95 % interval over the median: 0.005 */
    double time_limit_s; /* wall clock for one case once it is open; 3 samples are taken all the same */
    size_t exactly;      /* takes so many and throws none away: the five above do not count; 0: they do */
    const atomic_int *stop; /* non-zero: finish with FX_INTERRUPTED; may be NULL */
} fx_sampling;

fx_sampling fx_sampling_default(bool quick);

/* Of one process among several. What differs between processes is the uncertainty of most cases, not what differs
 * inside: three times 16 to 48 samples tell more than once 100, in the same time. */
fx_sampling fx_sampling_short(void);

typedef enum fx_stop { FX_STOP_PRECISION, FX_STOP_MAX_SAMPLES, FX_STOP_TIME_LIMIT } fx_stop;
const char *fx_stop_name(fx_stop stop); /* "precision", "max_samples", "time_limit" */

enum {
    FX_FLAG_DRIFT = 1u << 8,
    FX_FLAG_AUTOCORRELATED = 1u << 9,
    FX_FLAG_CLOCK_MOVED = 1u << 10, /* a sample's SM clock differs from the median by over 1 % */
    FX_FLAG_THROTTLED = 1u << 11,   /* the driver named a limit of the clock before or after */
    FX_FLAG_ABOVE_PEAK = 1u << 12,  /* fx_peak_pct is above 100 */
    FX_FLAG_IMPRECISE = 1u << 13,   /* stopped by time or count with the precision not reached */
    FX_FLAG_GPU_SHARED = 1u << 14,  /* another program had a compute context on the device before or after */
    FX_FLAG_CUT_ROUND = 1u << 15,   /* time ended within a round: some SMs gave a sample more than others */
};
/* The flag's name in the archive ("drift", "latch_timeout", ...), for FX_SAMPLE_* and FX_FLAG_*; or NULL. */
const char *fx_flag_name(uint32_t flag);

/* What each of several SMs measured. SMs of one chip differ: they are not as far from the caches that they share. */
typedef struct fx_over_sms {
    size_t count;        /* SMs; 0: which SM gave a sample is not known, or it was always the same */
    double low, high;    /* the lowest and the highest median of an SM's samples */
    int low_sm, high_sm; /* whose these are */
} fx_over_sms;

typedef struct fx_result {
    double *samples; /* owned, in order of time */
    size_t n;
    fx_summary summary;
    fx_stop stop;
    uint32_t flags;                                          /* FX_SAMPLE_* of any sample, FX_FLAG_* of the whole */
    size_t clock_moved;                                      /* how many samples had another clock */
    double intercept;                                        /* median; NAN: none */
    double sm_clock_MHz, sm_clock_min_MHz, sm_clock_max_MHz; /* NAN: not measured */
    double *t_n; /* owned, n long: fx_sample.t_n of each; NULL: no sample has one */
    int *sms;    /* owned, n long: fx_sample.sm of each; NULL: over_sms.count is 0 */
    fx_over_sms over_sms;
    double extra[FX_MAX_EXTRAS]; /* medians over the samples in which they are finite; NAN: none */
    fx_clocks before, after;     /* at the begin and the end; where the SM clock moved, `after` is fresh */
    fx_launched ran;
    double elapsed_s;
} fx_result;

/* Opens the case, samples it, closes it. Each sample's data seed is fx_random_at(seed, index), the warm-up counted. A
 * sample that is no finite number above 0 is FX_WRONG_RESULT. On any failure nothing is left to free. FX_WRONG_RESULT
 * and FX_DEVICE concern this case alone; after FX_DEVICE_LOST no case can run. */
fx_status fx_sampler_run(fx_device *device, const fx_case *c, const fx_sampling *sampling, uint64_t seed,
                         fx_result *out, fx_error *err);

void fx_result_free(fx_result *result);

/* `value` of this metric in ns, by way of the SM clock where it is in cycles. NAN where that is unknown or the metric
 * is no time. */
double fx_nanoseconds(const fx_metric *metric, double value, double sm_clock_MHz);

/* Bytes moved per ns by the median sample, in percent of the memory's theoretical peak. Only for a case whose
 * prediction holds a count named "dram", where its probe says that the bytes come from there; else NAN. */
double fx_peak_pct(const fx_case *c, const fx_result *result, const fx_facts *facts);
