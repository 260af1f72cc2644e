/* The sampler: one case from open to close.
 *
 * It stops as soon as the median is known well enough, or when count or time run out, and keeps every sample in order
 * of time. What could make the number a lie (drift, a clock that moved or was limited, a rate above the peak) is
 * flagged beside it; only a sample that cannot be a measurement at all fails the case. */
#include "sampler.h"

#include "clock.h"
#include "random.h"

enum { LEAST_SAMPLES = 3 };

static const double CLOCK_TOLERANCE = 0.01;
static const fx_launched NOTHING_RAN = {.registers = -1, .shared_bytes = -1};

/* What is gathered beside the values: one row per figure, max_samples long each. */
typedef struct tally {
    double *samples; /* these two become the result's */
    double *t_n;
    int *sms;
    double *block; /* the rows below, in one allocation */
    double *sm_clock, *intercept, *extra[FX_MAX_EXTRAS], *scratch;
} tally;

fx_sampling fx_sampling_default(bool quick) {
    return (fx_sampling){
        .min_samples = quick ? 11 : 32,
        .max_samples = quick ? 32 : 100,
        .warm_up = 2,
        .precision = 0.005,
        .time_limit_s = quick ? 0.1 : 0.5,
    };
}

fx_sampling fx_sampling_short(void) {
    return (fx_sampling){.min_samples = 16, .max_samples = 48, .warm_up = 2, .precision = 0.005, .time_limit_s = 0.05};
}

const char *fx_stop_name(fx_stop stop) {
    static const char *const names[] = {"precision", "max_samples", "time_limit"};
    return names[stop];
}

static const struct {
    uint32_t flag;
    const char *name;
} flags[] = {
    {FX_SAMPLE_LATCH_TIMEOUT, "latch_timeout"}, {FX_SAMPLE_TIMER_RESOLUTION, "timer_resolution"},
    {FX_SAMPLE_NOT_PLACED, "not_placed"},       {FX_SAMPLE_DISTURBED, "disturbed"},
    {FX_SAMPLE_UNSETTLED, "unsettled"},         {FX_FLAG_DRIFT, "drift"},
    {FX_FLAG_AUTOCORRELATED, "autocorrelated"}, {FX_FLAG_CLOCK_MOVED, "clock_moved"},
    {FX_FLAG_THROTTLED, "throttled"},           {FX_FLAG_GPU_SHARED, "gpu_shared"},
    {FX_FLAG_ABOVE_PEAK, "above_peak"},         {FX_FLAG_IMPRECISE, "imprecise"},
    {FX_FLAG_CUT_ROUND, "cut_round"},
};

const char *fx_flag_name(uint32_t flag) {
    size_t i = 0;
    while (i < FX_COUNT(flags) && flags[i].flag != flag) {
        i++;
    }
    return i < FX_COUNT(flags) ? flags[i].name : NULL;
}

double fx_nanoseconds(const fx_metric *metric, double value, double sm_clock_MHz) {
    if (metric->higher_is_better) {
        return NAN;
    }
    if (metric->timebase != FX_SM_CYCLES) {
        return value;
    }
    return sm_clock_MHz > 0 ? value * 1e3 / sm_clock_MHz : NAN;
}

double fx_peak_pct(const fx_case *c, const fx_result *result, const fx_facts *facts) {
    const fx_prediction *prediction = &c->prediction;
    bool dram = false;
    for (size_t i = 0; i < prediction->count_count; i++) {
        dram |= strcmp(prediction->counts[i].name, "dram") == 0;
    }
    double bytes = prediction->moved_bytes > 0 ? prediction->moved_bytes : prediction->useful_bytes;
    if (!dram || bytes <= 0 || facts->memory_peak_GBps <= 0) {
        return NAN;
    }
    const fx_metric *metric = &c->probe->metrics[prediction->metric];
    return 100 * bytes / fx_nanoseconds(metric, result->summary.median, result->sm_clock_MHz) / facts->memory_peak_GBps;
}

static void tally_close(tally *t) {
    free(t->samples);
    free(t->t_n);
    free(t->sms);
    free(t->block);
}

static fx_status tally_open(tally *t, size_t capacity, fx_error *err) {
    *t = (tally){0};
    const size_t rows = 3 + FX_MAX_EXTRAS;
    if (capacity <= SIZE_MAX / sizeof(double) / rows) {
        t->samples = malloc(capacity * sizeof(double));
        t->t_n = malloc(capacity * sizeof(double));
        t->sms = malloc(capacity * sizeof(int));
        t->block = malloc(capacity * rows * sizeof(double));
    }
    if (!t->samples || !t->t_n || !t->sms || !t->block) {
        tally_close(t);
        return fx_fail(err, FX_NO_MEMORY, "no memory for %zu samples: ask for fewer", capacity);
    }
    t->sm_clock = t->block;
    t->intercept = t->block + capacity;
    t->scratch = t->block + 2 * capacity;
    for (size_t i = 0; i < FX_MAX_EXTRAS; i++) {
        t->extra[i] = t->block + (3 + i) * capacity;
    }
    return FX_OK;
}

static fx_status take(fx_device *device, const fx_case *c, void *state, const fx_sampling *sampling, uint64_t seed,
                      fx_sample *out, fx_error *err) {
    if (sampling->stop && atomic_load(sampling->stop)) {
        return fx_fail(err, FX_INTERRUPTED, "%s: interrupted before it was finished; run it again", c->name);
    }
    *out = (fx_sample){.intercept = NAN, .t_n = NAN, .sm_clock_MHz = NAN, .sm = -1};
    for (size_t i = 0; i < FX_MAX_EXTRAS; i++) {
        out->extra[i] = NAN;
    }
    FX_TRY(device->sample(device, c, state, seed, out, err));
    if (!(isfinite(out->value) && out->value > 0)) {
        return fx_fail(err, FX_WRONG_RESULT,
                       "%s: a sample was %g %s instead of a finite number above 0, so the case is discarded; run it "
                       "again, and report it if it persists",
                       c->name, out->value, c->probe->metrics[c->prediction.metric].unit);
    }
    return FX_OK;
}

/* Whether to ask here if the median is known well enough. To ask after every sample, and to stop at the first narrow
 * interval, picks intervals that are narrow by chance: of normal noise of 2 % only 93 % held the truth. The sign test's
 * interval holds it in 96 to 98 % just before its rank grows, and in 95 % just after: asking at the former alone, one
 * sample in two or three, leaves 95 % for what was picked (tests/unit/test_planted_chips.c). Rounds end rarely. */
static bool is_look(size_t n, size_t round) {
    return round > 1 ? n % round == 0 : fx_sign_test_rank(n + 1) > fx_sign_test_rank(n);
}

static size_t capacity_of(const fx_sampling *sampling) {
    if (sampling->exactly) {
        return sampling->exactly;
    }
    return sampling->max_samples ? sampling->max_samples : 1;
}

/* Samples until one of the three stops; result->n, flags, summary and stop are filled in. The time counts from here:
 * however long the case took to open, its first sample is no measurement. */
static fx_status fill(fx_device *device, const fx_case *c, void *state, const fx_sampling *sampling, uint64_t seed,
                      size_t round, tally *t, fx_result *result, fx_error *err) {
    const double start_s = fx_now_s();
    fx_sample sample;
    uint64_t index = 0;
    size_t max_samples = capacity_of(sampling);
    if (!sampling->exactly && max_samples > round) {
        max_samples -= max_samples % round; /* each SM counts alike */
    }
    for (; !sampling->exactly && index < sampling->warm_up &&
           (index == 0 || fx_now_s() - start_s < sampling->time_limit_s);
         index++) {
        FX_TRY(take(device, c, state, sampling, fx_random_at(seed, index), &sample, err));
    }
    for (;; index++) {
        FX_TRY(take(device, c, state, sampling, fx_random_at(seed, index), &sample, err));
        size_t n = result->n++;
        t->samples[n] = sample.value;
        t->sm_clock[n] = sample.sm_clock_MHz;
        t->intercept[n] = sample.intercept;
        t->t_n[n] = sample.t_n;
        t->sms[n] = sample.sm;
        for (size_t i = 0; i < FX_MAX_EXTRAS; i++) {
            t->extra[i][n] = sample.extra[i];
        }
        result->flags |= sample.flags;

        bool full = result->n >= max_samples;
        if (sampling->exactly) {
            if (!full) {
                continue;
            }
            result->stop = FX_STOP_MAX_SAMPLES;
            return fx_summarise(t->samples, result->n, &result->summary, err);
        }
        bool late = result->n >= LEAST_SAMPLES && fx_now_s() - start_s >= sampling->time_limit_s;
        if (!full && !late && (result->n < sampling->min_samples || !is_look(result->n, round))) {
            continue;
        }
        FX_TRY(fx_summarise(t->samples, result->n, &result->summary, err));
        bool precise = fx_summary_precision(&result->summary) <= sampling->precision;
        if (precise && result->n >= sampling->min_samples) {
            result->stop = FX_STOP_PRECISION;
        } else if (full) {
            result->stop = FX_STOP_MAX_SAMPLES;
        } else if (late) {
            result->stop = FX_STOP_TIME_LIMIT;
        } else {
            continue;
        }
        result->flags |= precise ? 0 : FX_FLAG_IMPRECISE;
        return FX_OK;
    }
}

static double median_of(const double *values, size_t n, double *scratch) {
    memcpy(scratch, values, n * sizeof *values);
    return fx_median_finite(scratch, n);
}

static void judge_clocks(const tally *t, fx_result *result) {
    result->sm_clock_MHz = median_of(t->sm_clock, result->n, t->scratch);
    result->sm_clock_min_MHz = result->sm_clock_max_MHz = NAN;
    for (size_t i = 0; i < result->n; i++) {
        if (!isfinite(t->sm_clock[i])) {
            continue;
        }
        /* fmin and fmax ignore a NAN, so the first clock replaces it. */
        result->sm_clock_min_MHz = fmin(result->sm_clock_min_MHz, t->sm_clock[i]);
        result->sm_clock_max_MHz = fmax(result->sm_clock_max_MHz, t->sm_clock[i]);
        result->clock_moved += fabs(t->sm_clock[i] - result->sm_clock_MHz) > CLOCK_TOLERANCE * result->sm_clock_MHz;
    }
}

/* The limits that the driver named, before or after, as bits of NVML. */
static unsigned long long limits_of(const fx_result *result) {
    const unsigned long long harmless = FX_THROTTLE_HARMLESS;
    return (result->before.throttle_reasons | result->after.throttle_reasons) & ~harmless;
}

static double median_on(int sm, const double *samples, const int *sms, size_t n, double *scratch) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (sms[i] == sm) {
            scratch[count++] = samples[i];
        }
    }
    return fx_median_finite(scratch, count);
}

static bool seen_before(const int *sms, size_t i) {
    for (size_t j = 0; j < i; j++) {
        if (sms[j] == sms[i]) {
            return true;
        }
    }
    return false;
}

static void add_sm(fx_over_sms *out, int sm, double median) {
    if (out->count == 0 || median < out->low) {
        out->low = median;
        out->low_sm = sm;
    }
    if (out->count == 0 || median > out->high) {
        out->high = median;
        out->high_sm = sm;
    }
    out->count++;
}

/* sms[i] is the SM that gave sample i, -1 where that is unknown. level[i] receives sample i times the median of all
 * over that of its SM: what is left is what moved in time. Where out->count is 0, level is a copy. */
static void over_sms_of(const double *samples, const int *sms, size_t n, double *level, fx_over_sms *out) {
    bool several = false;
    *out = (fx_over_sms){0};
    memcpy(level, samples, n * sizeof *samples);
    for (size_t i = 0; i < n; i++) {
        if (sms[i] < 0) {
            return;
        }
        several = several || sms[i] != sms[0];
    }
    if (!several) {
        return;
    }
    FX_FREED double *scratch = fx_new(n, sizeof *scratch);
    memcpy(scratch, samples, n * sizeof *samples);
    const double middle = fx_median_finite(scratch, n);
    for (size_t i = 0; i < n; i++) {
        if (seen_before(sms, i)) {
            continue;
        }
        const double median = median_on(sms[i], samples, sms, n, scratch);
        add_sm(out, sms[i], median);
        for (size_t j = i; j < n && fabs(median) > 0; j++) {
            /* A sample that is its SM's median becomes `middle` to the last bit: rounding has an order, too. */
            level[j] = sms[j] == sms[i] ? middle + (samples[j] - median) * (middle / median) : level[j];
        }
    }
}

/* Differences between SMs are no drift, and neighbouring samples come from different ones: the order of the
 * samples is judged by what is left without those differences. */
static fx_status judge_sms(const tally *t, fx_result *result, fx_error *err) {
    fx_summary level;
    over_sms_of(t->samples, t->sms, result->n, t->scratch, &result->over_sms);
    if (result->over_sms.count > 0) {
        FX_TRY(fx_summarise(t->scratch, result->n, &level, err));
        result->summary.lag1 = level.lag1;
        result->summary.drift = level.drift;
        result->summary.autocorrelated = level.autocorrelated;
    }
    return FX_OK;
}

static void judge(const fx_device *device, const fx_case *c, const tally *t, fx_result *result) {
    result->intercept = median_of(t->intercept, result->n, t->scratch);
    for (size_t i = 0; i < FX_MAX_EXTRAS; i++) {
        result->extra[i] = median_of(t->extra[i], result->n, t->scratch);
    }

    const bool shared = result->before.other_programs > 0 || result->after.other_programs > 0;
    result->flags |= limits_of(result) ? FX_FLAG_THROTTLED : 0;
    result->flags |= result->clock_moved ? FX_FLAG_CLOCK_MOVED : 0;
    result->flags |= result->summary.drift ? FX_FLAG_DRIFT : 0;
    result->flags |= result->summary.autocorrelated ? FX_FLAG_AUTOCORRELATED : 0;
    result->flags |= shared ? FX_FLAG_GPU_SHARED : 0;
    result->flags |= fx_peak_pct(c, result, &device->facts) > 100 ? FX_FLAG_ABOVE_PEAK : 0;
}

fx_status fx_sampler_run(fx_device *device, const fx_case *c, const fx_sampling *sampling, uint64_t seed,
                         fx_result *out, fx_error *err) {
    double start_s = fx_now_s();
    *out = (fx_result){0};
    tally t;
    void *state = NULL;
    bool opened = false;
    fx_sampling own = *sampling;
    if (c->probe->samples) {
        own.exactly = c->probe->samples;
        sampling = &own;
    }
    FX_TRY(tally_open(&t, capacity_of(sampling), err));
    fx_status status;
    FX_GO(device->open(device, c, &state, err));
    opened = true;
    device->clocks(device, false, &out->before);
    const size_t round = device->round ? device->round(device, c, state) : 1;
    FX_GO(fill(device, c, state, sampling, seed, round, &t, out, err));
    FX_GO(judge_sms(&t, out, err));
    /* Where the clock moved, a snapshot from before it did would tell another story. */
    judge_clocks(&t, out);
    device->clocks(device, out->clock_moved > 0, &out->after);
    judge(device, c, &t, out);
    out->flags |= !sampling->exactly && out->n % round > 0 ? FX_FLAG_CUT_ROUND : 0;
    out->ran = NOTHING_RAN;
    if (device->ran) {
        device->ran(device, c, state, &out->ran);
    }
    out->samples = t.samples;
    t.samples = NULL;
    if (out->over_sms.count > 0) {
        out->sms = t.sms;
        t.sms = NULL;
    }
    for (size_t i = 0; i < out->n && !out->t_n; i++) {
        if (isfinite(t.t_n[i])) {
            out->t_n = t.t_n;
            t.t_n = NULL;
        }
    }

cleanup:
    if (opened) {
        device->close(device, c, state);
    }
    tally_close(&t);
    if (status != FX_OK) {
        *out = (fx_result){0};
    }
    out->elapsed_s = fx_now_s() - start_s;
    return status;
}

void fx_result_free(fx_result *result) {
    if (!result) {
        return;
    }
    free(result->samples);
    free(result->t_n);
    free(result->sms);
    result->samples = result->t_n = NULL;
    result->sms = NULL;
    result->n = 0;
}
