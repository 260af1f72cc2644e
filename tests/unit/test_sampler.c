/* The sampler against devices with a planted behaviour: when it ends, what of it is kept, what fails or interrupts it,
 * and what it notices beside the median: drift, clocks that move, limits, rates that can't be. */
#include "unit.h"

#include <math.h>

#include "core/sampler.h"

#include "numbers.h"

/* A device whose sample is a function of the index, and that counts what is done to it. */
typedef struct fake {
    fx_device device;
    double (*value)(uint64_t index, uint64_t seed);
    double (*clock_MHz)(uint64_t index);
    uint64_t fail_at; /* index of the sample that fails; UINT64_MAX: none */
    fx_status failure;
    uint64_t interrupt_at;
    atomic_int stop;
    unsigned long long reasons_after;
    uint32_t sample_flags;
    uint64_t index, first_seed;
    int opened, closed, clock_reads;
    bool cannot_open, fresh, has_t_n;
    size_t round; /* SMs that take turns; 0: one */
} fake;

static fx_status fake_open(fx_device *device, const fx_case *c, void **state, fx_error *err) {
    fake *self = device->self;
    if (self->cannot_open) {
        return fx_fail(err, FX_UNSUPPORTED, "%s cannot be opened", c->name);
    }
    self->opened++;
    *state = self;
    return FX_OK;
}

static fx_status fake_sample(fx_device *device, const fx_case *c, void *state, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    fake *self = device->self;
    assert_ptr_equal(state, self);
    uint64_t index = self->index++;
    if (index == 0) {
        self->first_seed = seed;
    }
    if (index == self->interrupt_at) {
        atomic_store(&self->stop, 1);
    }
    if (index == self->fail_at) {
        return fx_fail(err, self->failure, "%s broke", c->name);
    }
    out->value = self->value(index, seed);
    out->intercept = 30;
    if (self->has_t_n && index % 2 == 0) {
        out->t_n = (double)index;
    }
    out->sm = self->round ? 40 + (int)(index % self->round) : -1;
    out->sm_clock_MHz = self->clock_MHz ? self->clock_MHz(index) : NAN;
    out->extra[1] = index % 2 ? (double)index : NAN;
    out->flags = index == 7 ? self->sample_flags : 0;
    return FX_OK;
}

static void fake_close(fx_device *device, const fx_case *c, void *state) {
    ((fake *)device->self)->closed++;
}

static void fake_clocks(fx_device *device, bool fresh, fx_clocks *out) {
    fake *self = device->self;
    *out = (fx_clocks){.sm_MHz = 1000, .known = true, .throttle_reasons = FX_THROTTLE_HARMLESS};
    self->fresh = fresh;
    if (self->clock_reads++ > 0) {
        out->throttle_reasons |= self->reasons_after;
    }
}

static void fake_ran(fx_device *device, const fx_case *c, void *state, fx_launched *out) {
    assert_ptr_equal(state, device->self);
    assert_int_equal(out->registers, -1); /* nothing is known before */
    out->units_n = 64;
    out->sm_count = 1;
}

static void fake_init(fake *self, double (*value)(uint64_t, uint64_t)) {
    *self = (fake){.value = value, .fail_at = UINT64_MAX, .interrupt_at = UINT64_MAX};
    self->device = (fx_device){
        .self = self,
        .open = fake_open,
        .sample = fake_sample,
        .close = fake_close,
        .clocks = fake_clocks,
        .ran = fake_ran,
    };
}

/* What its samples may be made of: noise of that width, and about 100 with little of it; and clocks. */
static double noise(uint64_t seed, double width) {
    return width * ((double)(seed >> 11) * 0x1p-53 - 0.5);
}

static double quiet(uint64_t index, uint64_t seed) {
    return 100 + noise(seed, 0.2) + 0 * (double)index;
}

static double steady_clock(uint64_t index) {
    return 1000 + (double)(index % 3);
}

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "access"},
                                    {"copy_ns", "ns", FX_GPU_NS, false, "access"},
                                    {"rate", "GB/s", FX_GPU_NS, true, "access"}};

static const fx_probe probe = {.name = "fake", .metrics = metrics, .metrics_count = 3, .extras = "first second"};

static const fx_case plain = {.probe = &probe, .name = "fake/case"};

/* The device must open and close the case once. sampling: NULL: the default. */
static fx_result run(fake *self, const fx_case *c, const fx_sampling *sampling) {
    const fx_sampling usual = fx_sampling_default(false);
    fx_result result;
    fx_error err = {0};
    assert_ok(fx_sampler_run(&self->device, c, sampling ? sampling : &usual, 11, &result, &err));
    assert_int_equal(self->opened, 1);
    assert_int_equal(self->closed, 1);
    return result;
}

static double noisy(uint64_t index, uint64_t seed) {
    return 100 + noise(seed, 60) + 0 * (double)index;
}

static double not_a_number(uint64_t index, uint64_t seed) {
    return index < 9 ? quiet(index, seed) : NAN;
}

static double zero(uint64_t index, uint64_t seed) {
    return index < 9 ? quiet(index, seed) : 0;
}

TEST(stops_at_the_precision) {
    fake device;
    fake_init(&device, quiet);
    fx_result result = run(&device, &plain, NULL);
    assert_int_equal(result.n, 32);
    assert_int_equal(result.stop, FX_STOP_PRECISION);
    assert_string_equal(fx_stop_name(result.stop), "precision");
    assert_int_equal(result.flags, 0);
    assert_int_equal(device.index, 34); /* two to warm up */
    assert_int_equal(device.first_seed, fx_random_at(11, 0));
    assert_near(result.samples[0], quiet(2, fx_random_at(11, 2)), 0);
    assert_near(result.summary.median, 100, 0.1);
    assert_near(result.intercept, 30, 0);
    assert_true(isnan(result.sm_clock_MHz) && isnan(result.extra[0]));
    assert_null(result.t_n);
    assert_near(result.ran.units_n, 64, 0);
    assert_false(device.fresh);
    assert_near(result.extra[1], 17, 1); /* of the odd indexes 3 to 33 */
    fx_result_free(&result);

    fake_init(&device, quiet);
    device.has_t_n = true;
    device.device.ran = NULL;
    const fx_sampling sampling = fx_sampling_default(true);
    result = run(&device, &plain, &sampling);
    assert_int_equal(result.n, 11);
    assert_near(result.t_n[0], 2, 0); /* two to warm up */
    assert_true(isnan(result.t_n[1]));
    assert_near(result.t_n[10], 12, 0);
    assert_int_equal(result.ran.registers, -1);
    fx_result_free(&result);
}

static size_t fake_round(fx_device *device, const fx_case *c, void *state) {
    assert_ptr_equal(state, device->self);
    return ((fake *)device->self)->round;
}

/* A fresh device, sampled, on which so many SMs take turns; 0: there are no turns. */
static fx_result in_rounds(size_t round, double (*value)(uint64_t, uint64_t), const fx_sampling *sampling) {
    fake device;
    fake_init(&device, value);
    device.device.round = round ? fake_round : NULL;
    device.round = round;
    return run(&device, &plain, sampling);
}

static fx_sampling without_limit(void) {
    fx_sampling sampling = fx_sampling_default(false);
    sampling.time_limit_s = 1e9;
    return sampling;
}

/* Eight SMs of which each is by 1 % slower than the one before. */
static double by_sm(uint64_t index, uint64_t seed) {
    return (100 + (double)(index % 8)) * (1 + noise(seed, 0.002));
}

/* Every SM counts alike, and what SMs differ by is no drift. */
TEST(rounds_end_with_the_last_sm) {
    fx_sampling sampling = without_limit();
    fx_result result = in_rounds(8, by_sm, &sampling);
    assert_int_equal(result.n, 96);
    assert_int_equal(result.flags, FX_FLAG_IMPRECISE); /* as a statement about SMs */
    assert_near(result.summary.median, 103.5, 0.2);
    assert_int_equal(result.over_sms.count, 8);
    assert_int_equal(result.over_sms.low_sm, 40);
    assert_int_equal(result.over_sms.high_sm, 47);
    assert_near(result.over_sms.low, 100, 0.1);
    assert_near(result.over_sms.high, 107, 0.1);
    assert_int_equal(result.sms[0], 42); /* two to warm up */
    assert_int_equal(result.sms[95], 41);
    fx_result_free(&result);
    assert_null(result.sms);

    result = in_rounds(5, quiet, &sampling); /* alike: whole rounds all the same */
    assert_int_equal(result.n, 35);
    assert_int_equal(result.stop, FX_STOP_PRECISION);
    assert_int_equal(result.flags, 0);
    fx_result_free(&result);

    sampling.exactly = 7; /* was asked for */
    result = in_rounds(5, quiet, &sampling);
    assert_int_equal(result.n, 7);
    assert_int_equal(result.over_sms.count, 5);
    fx_result_free(&result);
}

/* Where SMs differ in the last digits and nothing else moves, nothing is left that could have an order. */
static double by_sm_alone(uint64_t index, uint64_t seed) {
    return 1 + 1.3e-5 * (double)(index % 8);
}

/* A drift that all SMs share is one. */
static double by_sm_and_time(uint64_t index, uint64_t seed) {
    return by_sm(index, seed) * (1 + 0.0005 * (double)index);
}

TEST(drift_is_seen_beside_sms_and_not_in_what_they_differ_by) {
    const fx_sampling sampling = without_limit();
    fx_result result = in_rounds(8, by_sm_and_time, &sampling);
    assert_true(result.flags & FX_FLAG_DRIFT);
    fx_result_free(&result);
    result = in_rounds(8, by_sm_alone, &sampling);
    assert_int_equal(result.flags, 0);
    assert_near(result.summary.lag1, 0, 0);
    fx_result_free(&result);
}

TEST(stops_at_the_count) {
    fx_sampling sampling = without_limit();
    fx_result result = in_rounds(0, noisy, &sampling);
    assert_int_equal(result.n, 100);
    assert_int_equal(result.stop, FX_STOP_MAX_SAMPLES);
    assert_int_equal(result.flags, FX_FLAG_IMPRECISE);
    assert_true(result.summary.ci_low < 100 && result.summary.ci_high > 100);
    fx_result_free(&result);

    sampling.max_samples = 10; /* below the minimum is no lack of precision */
    result = in_rounds(0, quiet, &sampling);
    assert_int_equal(result.n, 10);
    assert_int_equal(result.stop, FX_STOP_MAX_SAMPLES);
    assert_int_equal(result.flags, 0);
    fx_result_free(&result);
}

/* Neither time nor precision has a say, the first one is kept, and nobody complains of a lack of precision. */
TEST(takes_exactly_as_many_as_asked) {
    static const size_t wanted[] = {1, 5, 150};
    for (size_t i = 0; i < FX_COUNT(wanted); i++) {
        for (int limited = 0; limited < 2; limited++) {
            fake device;
            fake_init(&device, limited ? quiet : noisy);
            fx_sampling sampling = fx_sampling_default(false);
            sampling.exactly = wanted[i];
            sampling.time_limit_s = limited ? 0 : 1e9;
            fx_result result = run(&device, &plain, &sampling);
            assert_int_equal(result.n, wanted[i]);
            assert_int_equal(device.index, wanted[i]);
            assert_near(result.samples[0], device.value(0, fx_random_at(11, 0)), 0);
            assert_int_equal(result.stop, FX_STOP_MAX_SAMPLES);
            assert_int_equal(result.flags & FX_FLAG_IMPRECISE, 0);
            assert_true(isnan(result.summary.ci_low) == (wanted[i] < 6));
            fx_result_free(&result);
        }
    }
}

/* Pieces of one series: as many as the probe has, whatever was asked for, the first one among them. */
TEST(takes_as_many_as_the_probe_has) {
    for (int asked = 0; asked < 2; asked++) {
        fake device;
        fx_probe series = *plain.probe;
        fx_case c = plain;
        series.samples = 10;
        c.probe = &series;
        fake_init(&device, noisy);
        fx_sampling sampling = fx_sampling_default(false);
        sampling.exactly = asked ? 3 : 0;
        fx_result result = run(&device, &c, &sampling);
        assert_int_equal(result.n, 10);
        assert_int_equal(device.index, 10);
        assert_near(result.samples[0], device.value(0, fx_random_at(11, 0)), 0);
        fx_result_free(&result);
    }
}

TEST(stops_at_the_time_and_still_takes_three) {
    fake device;
    fake_init(&device, quiet);
    fx_sampling sampling = fx_sampling_default(false);
    sampling.time_limit_s = 0;
    fx_result result = run(&device, &plain, &sampling);
    assert_int_equal(result.n, 3);
    assert_int_equal(device.index, 4); /* the first one warms up whatever time is left */
    assert_int_equal(result.stop, FX_STOP_TIME_LIMIT);
    assert_int_equal(result.flags, FX_FLAG_IMPRECISE);
    fx_result_free(&result);

    result = in_rounds(2, quiet, &sampling);
    assert_int_equal(result.n, 3);
    assert_int_equal(result.flags, FX_FLAG_IMPRECISE | FX_FLAG_CUT_ROUND);
    fx_result_free(&result);
}

static double width;

static double of_width(uint64_t index, uint64_t seed) {
    return 100 + noise(seed, width) + 0 * (double)index;
}

/* The interval holds the truth most surely just before its rank grows: to stop elsewhere picks narrow ones. */
TEST(stops_for_precision_only_where_the_rank_grows) {
    const fx_sampling sampling = without_limit();
    size_t stopped = 0;
    for (width = 3; width < 6; width += 0.02) {
        fx_result result = in_rounds(0, of_width, &sampling);
        if (result.n < sampling.max_samples) {
            assert_int_equal(result.stop, FX_STOP_PRECISION);
            assert_true(fx_sign_test_rank(result.n + 1) > fx_sign_test_rank(result.n));
            stopped += result.n > sampling.min_samples;
        }
        fx_result_free(&result);
    }
    assert_in_range(stopped, 20, 150);
}

static void expect_failure(fake *self, fx_status status, const char *text) {
    fx_result result;
    fx_error err = {0};
    fx_sampling sampling = fx_sampling_default(false);
    sampling.stop = &self->stop;
    assert_int_equal(fx_sampler_run(&self->device, &plain, &sampling, 1, &result, &err), status);
    assert_int_equal(err.status, status);
    assert_says(err.text, text);
    assert_null(result.samples);
    assert_int_equal(self->closed, self->opened);
}

TEST(failures_close_the_case_and_leave_nothing) {
    fake device;
    static const fx_status failures[] = {FX_DEVICE, FX_DEVICE_LOST, FX_WRONG_RESULT};
    static const uint64_t indexes[] = {0, 1, 2, 20};
    for (size_t i = 0; i < 3; i++) {
        for (size_t at = 0; at < 4; at++) {
            fake_init(&device, quiet);
            device.failure = failures[i];
            device.fail_at = indexes[at];
            expect_failure(&device, failures[i], "fake/case broke");
            assert_int_equal(device.opened, 1);
            assert_int_equal(device.index, indexes[at] + 1);
        }
    }
    fake_init(&device, quiet);
    device.cannot_open = true;
    expect_failure(&device, FX_UNSUPPORTED, "cannot be opened");
}

TEST(a_sample_that_is_no_time_is_a_wrong_result) {
    fake device;
    fake_init(&device, not_a_number);
    expect_failure(&device, FX_WRONG_RESULT, "fake/case: a sample was nan cycles");
    fake_init(&device, zero);
    expect_failure(&device, FX_WRONG_RESULT, "was 0 cycles");
}

TEST(an_interrupt_ends_the_case) {
    fake device;
    fake_init(&device, quiet);
    device.interrupt_at = 12;
    expect_failure(&device, FX_INTERRUPTED, "interrupted");
    assert_int_equal(device.index, 13);
    fake_init(&device, quiet);
    atomic_store(&device.stop, 1);
    expect_failure(&device, FX_INTERRUPTED, "interrupted");
    assert_int_equal(device.index, 0);
}

TEST(slugs) {
    char slug[32], tiny[5];
    fx_slug("NVIDIA H200", slug, sizeof slug);
    assert_string_equal(slug, "nvidia-h200");
    fx_slug("  Tesla (V100) / PCIe--16GB! ", slug, sizeof slug);
    assert_string_equal(slug, "tesla-v100-pcie-16gb");
    fx_slug("\xc3\xa9", slug, sizeof slug);
    assert_string_equal(slug, "unknown");
    fx_slug("A B CDE", tiny, sizeof tiny);
    assert_string_equal(tiny, "a-b");
}

static double rising(uint64_t index, uint64_t seed) {
    return 100 + noise(seed, 0.2) + 0.3 * (double)index;
}

TEST(flags_drift_and_autocorrelation) {
    fx_result result = in_rounds(0, rising, NULL);
    assert_true(result.flags & FX_FLAG_DRIFT);
    assert_true(result.flags & FX_FLAG_AUTOCORRELATED);
    fx_result_free(&result);
}

static double falling_clock(uint64_t index) {
    return index < 28 ? 1000 : 900;
}

/* What counts is 1 % of the median. */
static double nearly_steady_clock(uint64_t index) {
    return index == 20 ? 1009 : index == 25 ? 990.5 : 1000;
}

static double moving_clock(uint64_t index) {
    return index == 20 ? 1010.5 : index == 25 ? 989 : 1000;
}

TEST(flags_a_clock_that_moved) {
    fake device;
    for (int moves = 0; moves < 2; moves++) {
        fake_init(&device, quiet);
        device.clock_MHz = moves ? moving_clock : nearly_steady_clock;
        fx_result result = run(&device, &plain, NULL);
        assert_int_equal(result.clock_moved, moves ? 2 : 0);
        fx_result_free(&result);
    }
    fake_init(&device, quiet);
    device.clock_MHz = falling_clock;
    device.sample_flags = FX_SAMPLE_LATCH_TIMEOUT;
    fx_result result = run(&device, &plain, NULL);
    assert_int_equal(result.flags, FX_FLAG_CLOCK_MOVED | FX_SAMPLE_LATCH_TIMEOUT);
    assert_true(device.fresh);               /* a snapshot from before it moved would tell another story */
    assert_int_equal(result.clock_moved, 6); /* indexes 28 to 33 */
    assert_near(result.sm_clock_MHz, 1000, 0);
    assert_near(result.sm_clock_min_MHz, 900, 0);
    assert_near(result.sm_clock_max_MHz, 1000, 0);
    fx_result_free(&result);

    fake_init(&device, quiet);
    device.clock_MHz = steady_clock;
    result = run(&device, &plain, NULL);
    assert_int_equal(result.flags, 0);
    assert_false(device.fresh);
    fx_result_free(&result);
}

TEST(flags_throttling_and_no_idle_clock) {
    fake device;
    fake_init(&device, quiet);
    device.reasons_after = 1u << 5;
    fx_result result = run(&device, &plain, NULL);
    assert_int_equal(result.flags, FX_FLAG_THROTTLED);
    assert_int_equal(result.before.throttle_reasons, FX_THROTTLE_HARMLESS);
    assert_int_equal(result.after.throttle_reasons, FX_THROTTLE_HARMLESS | 1u << 5);
    fx_result_free(&result);
}

TEST(flags_a_rate_above_the_peak) {
    /* 100 ns for 3000 bytes: 30 GB/s. In cycles at about 1000 MHz: the same. */
    for (size_t metric = 0; metric < 3; metric++) {
        for (int dram = 0; dram < 2; dram++) {
            for (int peak = 25; peak <= 35; peak += 10) {
                fake device;
                fake_init(&device, quiet);
                device.clock_MHz = steady_clock;
                device.device.facts.memory_peak_GBps = peak;
                fx_case c = plain;
                c.prediction.metric = metric;
                c.prediction.useful_bytes = 1000;
                c.prediction.moved_bytes = 3000;
                fx_prediction_count(&c.prediction, dram ? "dram" : "sectors", 1);
                fx_result result = run(&device, &c, NULL);
                bool above = metric < 2 && dram && peak == 25;
                assert_int_equal(result.flags, above ? FX_FLAG_ABOVE_PEAK : 0);
                if (metric < 2 && dram) {
                    assert_near(fx_peak_pct(&c, &result, &device.device.facts), 3000.0 / peak, 1);
                }
                fx_result_free(&result);
            }
        }
    }
    assert_true(isnan(fx_nanoseconds(&probe.metrics[0], 5, NAN)));
    assert_near(fx_nanoseconds(&probe.metrics[0], 5, 500), 10, 1e-9);
}

TEST(every_flag_has_a_name) {
    static const uint32_t flags[] = {FX_SAMPLE_LATCH_TIMEOUT, FX_SAMPLE_TIMER_RESOLUTION, FX_SAMPLE_NOT_PLACED,
                                     FX_FLAG_DRIFT,           FX_FLAG_AUTOCORRELATED,     FX_FLAG_CLOCK_MOVED,
                                     FX_FLAG_THROTTLED,       FX_FLAG_ABOVE_PEAK,         FX_FLAG_IMPRECISE,
                                     FX_FLAG_CUT_ROUND,       FX_SAMPLE_UNSETTLED};
    const size_t count = sizeof flags / sizeof *flags;
    for (size_t i = 0; i < count; i++) {
        assert_non_null(fx_flag_name(flags[i]));
        for (size_t other = 0; other < i; other++) {
            assert_string_not_equal(fx_flag_name(flags[i]), fx_flag_name(flags[other]));
        }
    }
    assert_null(fx_flag_name(1u << 31));
    assert_null(fx_flag_name(0));
}

UNIT_MAIN(NULL, NULL)
