/* What the sampler notices beside the median: drift, clocks that move, limits, rates that can't be. */
#include "unit.h"

#include <math.h>

#include "numbers.h"
#include "sampled.h"

static double rising(uint64_t index, uint64_t seed) {
    return 100 + noise(seed, 0.2) + 0.3 * (double)index;
}

TEST(flags_drift_and_autocorrelation) {
    fake device;
    fake_init(&device, rising);
    fx_sampling sampling = fx_sampling_default(false);
    fx_result result = run(&device, &plain, &sampling);
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
        const fx_sampling sampling = fx_sampling_default(false);
        fx_result result = run(&device, &plain, &sampling);
        assert_int_equal(result.clock_moved, moves ? 2 : 0);
        fx_result_free(&result);
    }
    fake_init(&device, quiet);
    device.clock_MHz = falling_clock;
    device.sample_flags = FX_SAMPLE_LATCH_TIMEOUT;
    fx_sampling sampling = fx_sampling_default(false);
    fx_result result = run(&device, &plain, &sampling);
    assert_int_equal(result.flags, FX_FLAG_CLOCK_MOVED | FX_SAMPLE_LATCH_TIMEOUT);
    assert_true(device.fresh);               /* a snapshot from before it moved would tell another story */
    assert_int_equal(result.clock_moved, 6); /* indexes 28 to 33 */
    assert_near(result.sm_clock_MHz, 1000, 0);
    assert_near(result.sm_clock_min_MHz, 900, 0);
    assert_near(result.sm_clock_max_MHz, 1000, 0);
    fx_result_free(&result);

    fake_init(&device, quiet);
    device.clock_MHz = steady_clock;
    result = run(&device, &plain, &sampling);
    assert_int_equal(result.flags, 0);
    assert_false(device.fresh);
    fx_result_free(&result);
}

TEST(flags_throttling_and_no_idle_clock) {
    fake device;
    fake_init(&device, quiet);
    device.reasons_after = 1u << 5;
    fx_sampling sampling = fx_sampling_default(false);
    fx_result result = run(&device, &plain, &sampling);
    assert_int_equal(result.flags, FX_FLAG_THROTTLED);
    assert_int_equal(result.before.throttle_reasons, FX_THROTTLE_HARMLESS);
    assert_int_equal(result.after.throttle_reasons, FX_THROTTLE_HARMLESS | 1u << 5);
    fx_result_free(&result);
}

/* A limit alone says nothing of the clock: the words say who knows it. */
TEST(a_limit_is_named_with_what_is_known_of_the_clock) {
    static const struct {
        unsigned long long before, after;
        double sm_clock_MHz, reported_MHz;
        const char *text;
    } cases[] = {
        {0x3, 0x1, 1000, 1000, ""},
        {0x4, 0x0, 1000, 1000, "sw_power_cap; clock recorded by the SM"},
        {0x0, 0x24, (double)NAN, 1000, "sw_power_cap, sw_thermal_slowdown; clock reported by the driver"},
        {0x83, 0x0, (double)NAN, (double)NAN, "hw_power_brake_slowdown; effect on the clock unknown"},
        {1ull << 40, 0x40, (double)NAN, 0, "hw_thermal_slowdown, bit_40; effect on the clock unknown"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const fx_result result = {.before = {.throttle_reasons = cases[i].before},
                                  .after = {.throttle_reasons = cases[i].after, .sm_MHz = cases[i].reported_MHz},
                                  .sm_clock_MHz = cases[i].sm_clock_MHz};
        fx_throttle_text(&result, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    const fx_result all = {.before = {.throttle_reasons = ~0ull}};
    for (size_t size = 1; size <= sizeof text; size++) { /* cut off, and never written beyond */
        fx_throttle_text(&all, text, size);
        assert_true(strlen(text) < size);
    }
}

TEST(flags_a_rate_above_the_peak) {
    fx_sampling sampling = fx_sampling_default(false);
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
                fx_result result = run(&device, &c, &sampling);
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
