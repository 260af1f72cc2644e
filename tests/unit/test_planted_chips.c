/* Planted truth: over 1,000 seeds and chips that do not exist, everything that is inferred from samples must come back
 * inside the interval that is stated for it, as often as is stated, and a device that behaves must raise no flag.
 *
 * A chip is invented with 8 to 64 banks, banks of 8 bytes, sectors of 64. Its samples follow a count that this file
 * takes by brute force, so that a wrong law would show. What is measured is printed: these are simulations. */
#include "unit.h"

#include <math.h>

#include "core/fit.h"
#include "core/sampler.h"
#include "numbers.h"
#include "synthetic_text.h"

enum { SEEDS = 1000, STRIDES = 10 };

/* ---- An invented chip and the probe that is run on it ---- */

enum { SPACE, STRIDE };
enum { SHARED, GLOBAL };
static const fx_axis axes[] = {
    {.name = "space", .unit = "", .choices = "shared global"},
    {.name = "stride", .unit = "elements", .min = 1, .max = STRIDES},
};
static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "access"},
                                    {"access_ns", "ns", FX_GPU_NS, false, "access"}};
static const fx_sweep sweeps[] = {{"all", "space=all stride=1:10", NULL}};

static unsigned distinct(const unsigned *values, unsigned count) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        bool seen = false;
        for (unsigned j = 0; j < i; j++) {
            seen = seen || values[j] == values[i];
        }
        found += !seen;
    }
    return found;
}

/* Lanes of 4 bytes at a stride of 1 or more: no two share an address, so no phases merge. */
static unsigned true_wavefronts(const fx_geometry *g, unsigned stride) {
    unsigned row = g->banks * g->bank_bytes / 4, phase = row < FX_WARP ? row : FX_WARP, total = 0;
    for (unsigned first = 0; first < FX_WARP; first += phase) {
        unsigned worst = 0;
        for (unsigned bank = 0; bank < g->banks; bank++) {
            unsigned words[FX_WARP], count = 0;
            for (unsigned lane = first; lane < first + phase; lane++) {
                if (lane * stride * 4 / g->bank_bytes % g->banks == bank) {
                    words[count++] = lane * stride * 4 / g->bank_bytes;
                }
            }
            unsigned here = distinct(words, count);
            worst = here > worst ? here : worst;
        }
        total += worst;
    }
    return total;
}

static unsigned true_sectors(const fx_geometry *g, unsigned stride) {
    unsigned sectors[FX_WARP];
    for (unsigned lane = 0; lane < FX_WARP; lane++) {
        sectors[lane] = lane * stride * 4 / g->sector_bytes;
    }
    return distinct(sectors, FX_WARP);
}

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_stride(out, 4, params->value[STRIDE], 0);
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *g = &facts->geometry;
    const bool shared = params->value[SPACE] == SHARED;
    const unsigned stride = (unsigned)params->value[STRIDE];
    out->law = shared ? "wavefronts" : "sectors";
    out->count = shared ? fx_law_wavefronts(g, table, 4) : fx_law_blocks(table, 4, g->sector_bytes);
    fx_prediction_count(out, "truth", shared ? true_wavefronts(g, stride) : true_sectors(g, stride));
}

static const fx_probe planted = {
    .name = "planted",
    .question = "Is what was planted found?",
    .method_version = 1,
    FX_TABLES,
    .lanes = lanes,
    .law = law,
};
FX_REGISTER(planted)

typedef struct chip {
    const char *name, *geometry;
    double a, b, noise_pct, spread_pct;
} chip;

static const chip chips[] = {
    {"8 banks", "\"banks\": 8, \"sector_bytes\": 64", 17, 3.5, 0.05, 0},
    {"16 banks, wide sectors", "\"banks\": 16, \"sector_bytes\": 64, \"line_bytes\": 256", 400, 0.75, 0.3, 0},
    {"64 banks", "\"banks\": 64", 0.5, 2.25, 1, 0},
    {"banks of 8 bytes", "\"bank_bytes\": 8, \"sector_bytes\": 16", 3, 1, 2, 0},
    {"banks of 8 bytes, processes that differ", "\"bank_bytes\": 8, \"sector_bytes\": 64", 21, 2, 0.1, 0.5},
};

static fx_device *build(const char *geometry, const char *model, uint64_t seed) {
    char text[1024];
    fx_error err = {0};
    fx_device *device = NULL;
    int length = snprintf(text, sizeof text,
                          "{\"schema\": 1, \"name\": \"invented\", \"sm_clock_MHz\": 1500, \"facts\": {\"geometry\": "
                          "{%s}, \"compute_major\": 9, \"compute_minor\": 0, \"sm_count\": 7, \"warps_per_sm\": 48, "
                          "\"shared_per_block_bytes\": 1, \"shared_per_sm_bytes\": 2, \"constant_bytes\": 3, "
                          "\"l2_bytes\": 4, \"memory_bytes\": 5}, \"models\": [{%s}]}",
                          geometry, model);
    assert_ok(synthetic_of_text(text, (size_t)length, seed, &device, &err));
    return device;
}

static fx_case case_of(const fx_device *device, int64_t space, int64_t stride, size_t metric) {
    fx_case c = {.probe = &planted, .sweep = &sweeps[0], .has_lanes = true};
    c.params.value[SPACE] = space;
    c.params.value[STRIDE] = stride;
    (void)lanes(&c.params, &c.lanes);
    law(&device->facts, &c.params, &c.lanes, &c.prediction);
    c.prediction.metric = metric;
    (void)snprintf(c.name, sizeof c.name, "planted/space:%d/stride:%d", (int)space, (int)stride);
    return c;
}

/* Of a single process, of one among several (the default of a run), and of --quick. */
typedef enum length { LONG, SHORT, QUICK, LENGTHS } length;
static const char *const length_name[LENGTHS] = {"", ", one of several processes", ", quick"};

static fx_result measure(fx_device *device, const fx_case *c, length of, uint64_t seed) {
    fx_sampling sampling = of == SHORT ? fx_sampling_short() : fx_sampling_default(of == QUICK);
    fx_result result;
    fx_error err = {0};
    sampling.time_limit_s = 1e9;
    assert_ok(fx_sampler_run(device, c, &sampling, seed, &result, &err));
    return result;
}

/* ---- How often ---- */

typedef struct rate {
    size_t hits, of;
} rate;

static void count(rate *r, bool hit) {
    r->hits += hit;
    r->of++;
}

static double share(rate r) {
    return (double)r.hits / (double)r.of;
}

/* Three standard errors below what is stated is where chance ends. */
static void assert_covers(const char *what, rate r, double stated, double most) {
    print_message("%-60s %5.1f %% of %zu\n", what, 100 * share(r), r.of);
    double least = stated - 3 * sqrt(stated * (1 - stated) / (double)r.of);
    if (share(r) < least || share(r) > most) {
        fail_msg("%s: %.4f of %zu, but stated are %g, and %g at most", what, share(r), r.of, stated, most);
    }
}

static void assert_at_least(const char *what, rate r, double least) {
    print_message("%-60s %5.1f %% of %zu\n", what, 100 * share(r), r.of);
    if (share(r) < least) {
        fail_msg("%s: %.4f of %zu, under %g", what, share(r), r.of, least);
    }
}

static void assert_under(const char *what, rate r, double most) {
    print_message("%-60s %5.2f %% of %zu\n", what, 100 * share(r), r.of);
    if (share(r) >= most) {
        fail_msg("%s: %.4f of %zu, not under %g", what, share(r), r.of, most);
    }
}

/* ---- The tests ---- */

/* The interval of every median, and those of a and b of every line, on every chip. A device with nothing wrong planted
 * raises no flag; imprecise is none where the noise is so large that it is the truth. */
TEST(medians_and_lines_lie_in_their_intervals) {
    for (size_t run = 0; run < 2 * FX_COUNT(chips); run++) {
        const size_t k = run / 2;
        const chip *here = &chips[k];
        const length of = run % 2 ? SHORT : LONG;
        rate median = {0}, a = {0}, b = {0}, alarms = {0}, broken = {0};
        char model[256], what[128];
        (void)snprintf(model, sizeof model,
                       "\"a\": %g, \"b\": %g, \"count\": \"truth\", \"noise_pct\": %g, \"process_spread_pct\": %g",
                       here->a, here->b, here->noise_pct, here->spread_pct);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            fx_device *device = build(here->geometry, model, seed + k * 1000000);
            double x[STRIDES], y[STRIDES];
            const int64_t space = seed % 2 ? SHARED : GLOBAL;
            for (int64_t i = 0; i < STRIDES; i++) {
                fx_case c = case_of(device, space, i + 1, 0);
                fx_result result = measure(device, &c, of, seed);
                const double truth = here->a + here->b * c.prediction.counts[0].value;
                count(&median, result.summary.ci_low <= truth && truth <= result.summary.ci_high);
                count(&alarms, (result.flags &
                                ~(here->noise_pct > (of == SHORT ? 0.9 : 1) ? (uint32_t)FX_FLAG_IMPRECISE : 0u)) != 0);
                x[i] = c.prediction.count;
                y[i] = result.summary.median;
                fx_result_free(&result);
            }
            fx_fit fit;
            assert_ok(fx_fit_line(x, y, STRIDES, &fit, &err));
            count(&a, fit.a_low <= here->a && here->a <= fit.a_high);
            count(&b, fit.b_low <= here->b && here->b <= fit.b_high);
            count(&broken, !fx_fit_holds(&fit));
            fx_device_destroy(device);
        }
        if (here->spread_pct <= 0) { /* with a spread, the median that a process finds is its own */
            (void)snprintf(what, sizeof what, "%s%s: median in its interval", here->name, length_name[of]);
            assert_covers(what, median, 0.95, 0.985);
        }
        (void)snprintf(what, sizeof what, "%s%s: a in its interval", here->name, length_name[of]);
        assert_covers(what, a, 0.95, 0.975);
        (void)snprintf(what, sizeof what, "%s%s: b in its interval", here->name, length_name[of]);
        assert_covers(what, b, 0.95, 0.975);
        (void)snprintf(what, sizeof what, "%s%s: flagged", here->name, length_name[of]);
        assert_under(what, alarms, 0.01);
        assert_int_equal(broken.hits, 0);
    }
}

/* The worst that stopping early can do lies at a noise of 2 % (1.3 % of few samples, 1 % under --quick): there the
 * interval is just narrow enough by chance. The tail of outliers moves the median of all samples to where 1/2 of 0.95
 * lies. */
TEST(stopping_early_does_not_spoil_the_interval) {
    static const struct {
        length length;
        double noise_pct, outliers, middle;
    } setups[] = {
        {LONG, 1.6, 0, 0},  {LONG, 2, 0, 0},    {LONG, 2.5, 0, 0},        {QUICK, 0.8, 0, 0},
        {QUICK, 1, 0, 0},   {QUICK, 1.3, 0, 0}, {SHORT, 1, 0, 0},         {SHORT, 1.3, 0, 0},
        {SHORT, 1.6, 0, 0}, {SHORT, 2, 0, 0},   {LONG, 2, 0.05, 0.06601}, {SHORT, 1.3, 0.05, 0.06601},
    };
    for (size_t k = 0; k < FX_COUNT(setups); k++) {
        rate covered = {0};
        char model[256], what[128];
        (void)snprintf(model, sizeof model,
                       "\"a\": 100, \"noise_pct\": %g, \"outlier_probability\": %g, \"outlier_factor\": 2",
                       setups[k].noise_pct, setups[k].outliers);
        const double truth = 100 * (1 + setups[k].noise_pct / 100 * setups[k].middle);
        fx_device *device = build("", model, 1);
        fx_case c = case_of(device, SHARED, 1, 0);
        for (uint64_t seed = 1; seed <= 4 * SEEDS; seed++) {
            fx_result result = measure(device, &c, setups[k].length, seed);
            count(&covered, result.summary.ci_low <= truth && truth <= result.summary.ci_high);
            fx_result_free(&result);
        }
        fx_device_destroy(device);
        (void)snprintf(what, sizeof what, "noise of %g %%%s%s: median in its interval", setups[k].noise_pct,
                       length_name[setups[k].length], setups[k].outliers > 0 ? ", outliers" : "");
        assert_covers(what, covered, 0.95, 0.985);
    }
}

/* Noise without order, of any form: long tails, few values, one value and now and then another. */
TEST(noise_is_no_alarm) {
    static const char *const forms[] = {"normal", "long tails", "whole ticks", "two values", "a rare value"};
    static const size_t sizes[] = {16, 18, 32, 48, 50, 100};
    uint64_t random = 17;
    for (size_t form = 0; form < FX_COUNT(forms); form++) {
        for (size_t k = 0; k < FX_COUNT(sizes); k++) {
            rate alarms = {0};
            char what[128];
            for (size_t run = 0; run < 3 * SEEDS; run++) {
                double samples[100];
                fx_summary summary;
                for (size_t i = 0; i < sizes[k]; i++) {
                    double z = normal(&random);
                    const double of[] = {z, exp(z), round(z), z > 0, z > 1.4};
                    samples[i] = 100 + 3 * of[form]; /* large enough that only the tests of order can keep quiet */
                }
                assert_ok(fx_summarise(samples, sizes[k], &summary, &err));
                count(&alarms, summary.drift || summary.autocorrelated);
            }
            (void)snprintf(what, sizeof what, "%s, %zu samples: drift or autocorrelated", forms[form], sizes[k]);
            assert_under(what, alarms, 0.01);
        }
    }
}

/* A straight drift of 4.5 standard deviations over 32 samples, of 2.5 over 100; samples that keep 60 % of the one
 * before.
 */
TEST(a_planted_order_is_found) {
    static const struct {
        size_t n;
        double drift, keep;
    } setups[] = {{16, 6.5, 0}, {32, 4.5, 0}, {48, 3.6, 0}, {100, 2.5, 0}, {48, 0, 0.85}, {100, 0, 0.6}};
    uint64_t random = 29;
    for (size_t k = 0; k < FX_COUNT(setups); k++) {
        rate found = {0};
        char what[128];
        for (size_t run = 0; run < SEEDS; run++) {
            double samples[100], before = normal(&random) / sqrt(1 - setups[k].keep * setups[k].keep);
            fx_summary summary;
            for (size_t i = 0; i < setups[k].n; i++) {
                double z = setups[k].keep * before + normal(&random);
                samples[i] = 100 + z + setups[k].drift * (double)i / (double)(setups[k].n - 1);
                before = z;
            }
            assert_ok(fx_summarise(samples, setups[k].n, &summary, &err));
            count(&found, setups[k].drift > 0 ? summary.drift : summary.autocorrelated);
        }
        (void)snprintf(what, sizeof what, "%zu samples, %s of %g found", setups[k].n,
                       setups[k].drift > 0 ? "drift" : "autocorrelation",
                       setups[k].drift > 0 ? setups[k].drift : setups[k].keep);
        assert_at_least(what, found, 0.99);
    }
}

typedef struct seen {
    rate drift, throttled, clock_moved, right_count;
} seen;

/* 1,000 seeds of one model, in ns: how often each flag, and how often `moved` samples of another clock were counted. */
static seen look(const char *model, size_t moved, length of) {
    seen s = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fx_device *device = build("", model, seed);
        fx_case c = case_of(device, SHARED, 1, 1);
        fx_result result = measure(device, &c, of, seed);
        count(&s.drift, result.flags & FX_FLAG_DRIFT);
        count(&s.throttled, result.flags & FX_FLAG_THROTTLED);
        count(&s.clock_moved, result.flags & FX_FLAG_CLOCK_MOVED);
        count(&s.right_count, result.clock_moved == moved);
        fx_result_free(&result);
        fx_device_destroy(device);
    }
    return s;
}

TEST(a_machine_that_misbehaves_is_seen) {
    /* Of such quiet samples 32 are taken, or 16, and two for warm-up. The drift planted is that of 100 samples. */
    static const struct {
        length length;
        const char *drifting, *hardly, *slow; /* slow: from the last 9, or 5, to the end and beyond */
        size_t moved; /* of those 9 the clock is another one; with 5 of 16 it goes on to 48, of which 11 were before */
    } setups[] = {
        {LONG, "\"a\": 50, \"noise_pct\": 0.2, \"drift_pct\": 4.7", "\"a\": 50, \"noise_pct\": 0.02, \"drift_pct\": 1",
         "\"a\": 50, \"noise_pct\": 0.1, "
         "\"throttle\": {\"after_samples\": 25, \"for_samples\": 1000, \"factor\": 1.02}",
         9},
        {SHORT, "\"a\": 50, \"noise_pct\": 0.1, \"drift_pct\": 9.4", "\"a\": 50, \"noise_pct\": 0.02, \"drift_pct\": 2",
         "\"a\": 50, \"noise_pct\": 0.1, "
         "\"throttle\": {\"after_samples\": 13, \"for_samples\": 1000, \"factor\": 1.02}",
         11},
    };
    for (size_t k = 0; k < FX_COUNT(setups); k++) {
        const length of = setups[k].length;
        print_message("samples%s\n", length_name[of]);
        seen s = look(setups[k].drifting, 0, of);
        assert_at_least("drift of 1.5 % flagged", s.drift, 0.99);
        assert_int_equal(s.throttled.hits + s.clock_moved.hits, 0);
        /* As sure a drift, but of 0.3 %, which does not matter. */
        s = look(setups[k].hardly, 0, of);
        assert_under("drift of 0.3 % flagged", s.drift, 0.001);

        s = look(setups[k].slow, setups[k].moved, of);
        assert_at_least("throttled to the end: flagged", s.throttled, 1);
        assert_at_least("throttled to the end: clock flagged", s.clock_moved, 1);
        assert_at_least("throttled to the end: drift flagged", s.drift, 0.99);
        assert_at_least("throttled to the end: samples counted right", s.right_count, 1);
        /* Over before the driver is asked again: the clock alone tells. */
        s = look("\"a\": 50, \"noise_pct\": 0.1, "
                 "\"throttle\": {\"after_samples\": 12, \"for_samples\": 5, \"factor\": 1.3}",
                 5, of);
        assert_int_equal(s.throttled.hits, 0);
        assert_at_least("throttled for a moment: clock flagged", s.clock_moved, 1);
        assert_at_least("throttled for a moment: samples counted right", s.right_count, 1);
        /* Half a percent is not a clock that moved. */
        s = look("\"a\": 50, \"noise_pct\": 0.1, "
                 "\"throttle\": {\"after_samples\": 12, \"for_samples\": 5, \"factor\": 1.005}",
                 0, of);
        assert_int_equal(s.clock_moved.hits, 0);
    }
}

/* One sample in 20 twice as long: all of them are counted, and of the others no more than normal noise has. */
TEST(outliers_are_counted) {
    rate all = {0}, flagged = {0}, others = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fx_device *device =
            build("", "\"a\": 50, \"noise_pct\": 0.5, \"outlier_probability\": 0.05, \"outlier_factor\": 2", seed);
        fx_case c = case_of(device, SHARED, 1, 0);
        fx_result result = measure(device, &c, LONG, seed);
        size_t here = 0;
        for (size_t i = 0; i < result.n; i++) {
            here += result.samples[i] > 75;
        }
        if (4 * here < result.n) { /* a quarter or more is no outlier but a second population */
            count(&all, result.summary.outliers >= here);
            others.hits += result.summary.outliers - here;
            others.of += result.n - here;
        }
        count(&flagged, result.flags != 0);
        fx_result_free(&result);
        fx_device_destroy(device);
    }
    assert_at_least("all planted outliers counted", all, 1);
    /* Tukey's fences: 0.7 % of normal noise where there are many samples, more where there are few. */
    assert_covers("other samples counted as outliers", others, 0.01, 0.02);
    assert_under("outliers: flagged", flagged, 0.01);
}

/* A law that claims something else than what the chip does is found out, whatever the seed. */
TEST(a_wrong_law_does_not_hold) {
    rate broken = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fx_device *device =
            build("\"banks\": 16", "\"a\": 20, \"b\": 2, \"count\": \"truth\", \"noise_pct\": 0.5", seed);
        double x[STRIDES], y[STRIDES];
        fx_fit fit;
        for (int64_t i = 0; i < STRIDES; i++) {
            fx_case c = case_of(device, SHARED, i + 1, 0);
            fx_result result = measure(device, &c, QUICK, seed);
            x[i] = (double)(i + 1); /* "the cost grows with the stride" */
            y[i] = result.summary.median;
            fx_result_free(&result);
        }
        assert_ok(fx_fit_line(x, y, STRIDES, &fit, &err));
        count(&broken, !fx_fit_holds(&fit));
        fx_device_destroy(device);
    }
    assert_at_least("wrong law found out", broken, 1);
}

UNIT_MAIN(NULL, NULL)
