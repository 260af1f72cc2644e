/* The synthetic device: what is planted comes out, the same seed gives the same samples, and a file with a typo is
 * refused with the place and the word. (Those that ship with gpufx load in test_probes.c.) */
#include "unit.h"

#include <math.h>
#include <sys/stat.h>

#include "core/fit.h"

#include "numbers.h"
#include "planted_probe.h"
#include "synthetic_text.h"

#define KNOWN                                                                                                          \
    "\"compute_major\": 7, \"compute_minor\": 5, \"sm_count\": 3, \"warps_per_sm\": 32, "                              \
    "\"shared_per_block_bytes\": 1, \"shared_per_sm_bytes\": 2, \"constant_bytes\": 3, \"l2_bytes\": 4, "              \
    "\"memory_bytes\": 5, \"memory_peak_GBps\": 100"
#define FACTS          "\"facts\": {" KNOWN ", \"geometry\": {\"banks\": 16, \"sector_bytes\": 64, \"tag_bank\": [3, 0, 1]}}"
#define HEAD           "{\"schema\": 1, \"name\": \"Odd (test) chip\", \"sm_clock_MHz\": 1000, "
#define DEVICE(models) HEAD FACTS ", \"models\": [" models "]}"

static fx_device *parse(const char *text, uint64_t seed) {
    fx_error err = {0};
    fx_device *device;
    assert_ok(synthetic_of_text(text, strlen(text), seed, &device, &err));
    return device;
}

/* The first n samples of a case; the seeds are those that the sampler would use. */
static void take(fx_device *device, const fx_case *c, uint64_t seed, fx_sample *samples, size_t n) {
    fx_error err = {0};
    void *state = NULL;
    assert_ok(device->open(device, c, &state, &err));
    for (size_t i = 0; i < n; i++) {
        assert_ok(device->sample(device, c, state, fx_random_at(seed, i), &samples[i], &err));
    }
    device->close(device, c, state);
}

static double first_value(fx_device *device, fx_case c) {
    fx_sample sample;
    take(device, &c, 1, &sample, 1);
    return sample.value;
}

/* SMs take turns in what is counted in their cycles, and differ as planted, in all processes alike. */
TEST(sms_take_turns) {
    const char *text = HEAD "\"sm_groups\": 4, " FACTS ", \"models\": [{\"a\": 100, \"sm_spread_pct\": 5}]}";
    const fx_case cycles = case_of(0, 4, 0), ns = case_of(0, 4, 1);
    fx_sample samples[2][8];
    for (uint64_t seed = 0; seed < 2; seed++) {
        fx_device *device = parse(text, seed);
        assert_int_equal(device->round(device, &cycles, NULL), 4);
        assert_int_equal(device->round(device, &ns, NULL), 1);
        take(device, &cycles, seed, samples[seed], 8);
        fx_device_destroy(device);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(samples[0][i].sm, i % 4);
        assert_near(samples[0][i].value, samples[1][i].value, 0);
        assert_near(samples[0][i].value, samples[0][i % 4].value, 0);
    }
    assert_true(fabs(samples[0][0].value - samples[0][1].value) > 0.1);
    fx_device *device = parse(text, 0);
    device->one_sm = true;
    assert_int_equal(device->round(device, &cycles, NULL), 1);
    take(device, &cycles, 0, samples[0], 1);
    assert_int_equal(samples[0][0].sm, -1);
    fx_device_destroy(device);
}

TEST(facts_of_the_file) {
    fx_device *device = parse(DEVICE("{\"a\": 1}"), 0);
    assert_true(device->synthetic);
    assert_string_equal(device->name, "Odd (test) chip");
    assert_string_equal(device->slug, "odd-test-chip");
    assert_string_equal(device->arch, "sm_75");
    assert_int_equal(device->facts.geometry.banks, 16);
    assert_int_equal(device->facts.geometry.bank_bytes, 4); /* the default */
    assert_int_equal(device->facts.geometry.sector_bytes, 64);
    static const unsigned char tag_bank[FX_TAG_BITS] = {3, 0, 1};
    assert_memory_equal(device->facts.geometry.tag_bank, tag_bank, sizeof tag_bank);
    assert_int_equal(device->facts.memory_bytes, 5);
    json_t *described = device->describe_device(device), *driver = device->describe_driver(device),
           *environment = device->describe_environment(device);
    assert_string_equal(json_string_value(json_object_get(described, "slug")), "odd-test-chip");
    assert_int_equal(json_integer_value(json_object_get(described, "sm_count")), 3);
    assert_near(json_number_value(json_object_get(described, "memory_peak_GBps")), 100, 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(described, "geometry"), "banks")), 16);
    assert_true(atoi(json_string_value(json_object_get(driver, "parameters"))) > STDERR_FILENO); /* the file's name */
    assert_true(json_is_object(environment));
    json_decref(described);
    json_decref(driver);
    json_decref(environment);
    fx_clocks clocks;
    device->clocks(device, false, &clocks);
    assert_near(clocks.sm_MHz, 1000, 0);
    assert_int_equal(clocks.throttle_reasons, 0);
    fx_device_destroy(device);
    fx_device_destroy(NULL);
}

TEST(the_first_model_that_matches_speaks) {
    fx_device *device =
        parse(DEVICE("{\"probe\": \"another\", \"match\": {\"any\": \"thing\"}, \"a\": 1},"
                     "{\"probe\": \"planted\", \"match\": {\"mode\": \"latency\", "
                     "\"width\": {\"min\": 8, \"max\": 15}}, \"a\": 2},"
                     "{\"match\": {\"mode\": [\"latency\", \"other\"], \"width\": [4, 5]}, \"a\": 3},"
                     "{\"match\": {\"metric\": \"copy_ns\"}, \"a\": 4},"
                     "{\"match\": {\"sweep\": \"wide\", \"width\": 16}, \"a\": 5},"
                     "{\"probe\": \"planted\", \"match\": {\"width\": {\"max\": 7}}, \"a\": 6, \"b\": 0.5}"),
              0);
    assert_near(first_value(device, case_of(0, 8, 0)), 2, 0);
    assert_near(first_value(device, case_of(0, 4, 0)), 3, 0);
    assert_near(first_value(device, case_of(1, 4, 1)), 4, 0);
    assert_near(first_value(device, case_of(1, 16, 0)), 5, 0);
    assert_near(first_value(device, case_of(1, 4, 0)), 6 + 0.5 * 4, 0);
    fx_case lawless = case_of(1, 4, 0);
    lawless.prediction.law = NULL;
    assert_near(first_value(device, lawless), 6, 0);

    void *opened = NULL;
    fx_case none = case_of(1, 8, 0);
    assert_int_equal(device->open(device, &none, &opened, &err), FX_UNSUPPORTED);
    assert_says(err.text, "no model for planted/mode:1/width:8");
    fx_device_destroy(device);
}

TEST(same_seed_same_samples) {
    enum { N = 50 };
    static const char *const text = DEVICE("{\"a\": 10, \"b\": 1, \"noise_pct\": 1, \"process_spread_pct\": 0.5,"
                                           "\"outlier_probability\": 0.1, \"extras\": {\"wait_ns\": 7}}");
    fx_device *device = parse(text, 5), *twin = parse(text, 5), *other = parse(text, 6);
    fx_sample a[N], b[N];
    fx_case c = case_of(0, 8, 0), neighbour = case_of(1, 8, 0);
    take(device, &c, 1, a, N);
    take(twin, &neighbour, 1, b, N); /* another case before must not matter */
    assert_true(a[0].value < b[0].value || a[0].value > b[0].value);
    take(twin, &c, 1, b, N);
    for (size_t i = 0; i < N; i++) {
        assert_near(a[i].value, b[i].value, 0);
        assert_near(a[i].sm_clock_MHz, b[i].sm_clock_MHz, 0);
        assert_true(isnan(a[i].extra[0]) && isnan(a[i].extra[2]));
        assert_near(a[i].extra[1], 7, 0);
    }
    size_t equal = 0;
    take(other, &c, 1, b, N);
    for (size_t i = 0; i < N; i++) {
        equal += fabs(a[i].value - b[i].value) < 1e-9;
    }
    take(device, &c, 2, b, N);
    for (size_t i = 0; i < N; i++) {
        equal += fabs(a[i].value - b[i].value) < 1e-9;
    }
    assert_int_equal(equal, 0);
    fx_device_destroy(device);
    fx_device_destroy(twin);
    fx_device_destroy(other);
}

TEST(noise_and_outliers_have_their_size) {
    enum { N = 4000 };
    fx_device *device = parse(DEVICE("{\"match\": {\"mode\": \"latency\"}, \"a\": 100, \"noise_pct\": 2},"
                                     "{\"a\": 100, \"outlier_probability\": 0.25, \"outlier_factor\": 3}"),
                              9);
    static fx_sample samples[N];
    fx_case c = case_of(0, 8, 0);
    take(device, &c, 1, samples, N);
    double mean = 0, variance = 0;
    for (size_t i = 0; i < N; i++) {
        mean += samples[i].value / N;
    }
    for (size_t i = 0; i < N; i++) {
        variance += (samples[i].value - mean) * (samples[i].value - mean) / N;
    }
    assert_near(mean, 100, 0.15); /* five standard errors */
    assert_near(sqrt(variance), 2, 0.12);

    c = case_of(1, 8, 0);
    take(device, &c, 1, samples, N);
    size_t outliers = 0;
    for (size_t i = 0; i < N; i++) {
        outliers += samples[i].value > 299;
    }
    assert_in_range(outliers, N / 4 - 140, N / 4 + 140);
    fx_device_destroy(device);
}

TEST(processes_differ_by_their_spread) {
    enum { PROCESSES = 400 };
    double variance = 0;
    for (uint64_t process = 0; process < PROCESSES; process++) {
        fx_device *device = parse(DEVICE("{\"a\": 100, \"process_spread_pct\": 1}"), process);
        fx_sample samples[2];
        fx_case c = case_of(0, 8, 0);
        take(device, &c, 1, samples, 2);
        assert_near(samples[0].value, samples[1].value, 0);
        variance += (samples[0].value - 100) * (samples[0].value - 100) / PROCESSES;
        fx_device_destroy(device);
    }
    assert_near(sqrt(variance), 1, 0.18);
}

TEST(drift_and_throttling_are_where_they_were_planted) {
    fx_device *device = parse(DEVICE("{\"match\": {\"mode\": \"latency\"}, \"a\": 100, \"drift_pct\": 10},"
                                     "{\"a\": 100, \"throttle\": {\"after_samples\": 5, \"for_samples\": 3, "
                                     "\"factor\": 2}}"),
                              1);
    fx_sample samples[101];
    fx_case c = case_of(0, 8, 0);
    take(device, &c, 1, samples, 101);
    assert_near(samples[0].value, 100, 0);
    assert_near(samples[50].value, 105, 1e-9);
    assert_near(samples[100].value, 110, 1e-9);

    for (size_t metric = 0; metric < 3; metric++) {
        c = case_of(1, 8, metric);
        take(device, &c, 1, samples, 12);
        for (size_t i = 0; i < 12; i++) {
            bool slow = i >= 5 && i < 8;
            assert_near(samples[i].value, slow && metric > 0 ? 200 : 100, 1e-9);
            if (metric < 2) {
                assert_near(samples[i].sm_clock_MHz, slow ? 500 : 1000, 1);
            } else {
                assert_true(isnan(samples[i].sm_clock_MHz));
            }
        }
    }
    fx_device_destroy(device);
}

static void refuses(const char *text, const char *says) {
    fx_error err = {0};
    fx_device *device;
    fx_status status = synthetic_of_text(text, strlen(text), 0, &device, &err);
    assert_null(device);
    if (status != FX_BAD_INPUT || !strstr(err.text, says) || !strstr(err.text, "/proc/self/fd/")) {
        fail_msg("status %s: '%s' does not say '%s'", fx_status_name(status), err.text, says);
    }
}

TEST(typos_are_named) {
    refuses("", "line 1");
    refuses("{\n\"schema\": 1,\n oops\n}", "line 3");
    refuses("[1]", " must be an object");
    refuses("{\"schema\": 1}", "\"name\" is missing");
    refuses("{\"schema\": 2, \"name\": \"x\", \"sm_clock_MHz\": 1, \"facts\": {}, \"models\": []}", "\"schema\" is 2");
    refuses(HEAD "\"colour\": 1, " FACTS ", \"models\": []}", "unknown key \"colour\"");
    refuses(HEAD "\"sm_clock_MHz\": 2, " FACTS ", \"models\": []}", "duplicate");
    refuses(HEAD FACTS ", \"models\": []}", "\"models\" is empty");
    refuses(HEAD FACTS ", \"models\": {}}", "\"models\" must be an array");
    refuses(HEAD "\"facts\": {\"l2\": 1}, \"models\": [{\"a\": 1}]}", "facts: \"compute_major\" is missing");
    refuses(DEVICE("{\"a\": 1}, 7"), "models[1] must be an object");
#define GEOMETRY(text) HEAD "\"facts\": {\"geometry\": {" text "}, " KNOWN "}, \"models\": [{\"a\": 1}]}"
    refuses(GEOMETRY("\"banks\": 257"), "\"banks\" is 257");
    refuses(GEOMETRY("\"tag_bank\": [4]"), "geometry: \"tag_bank\" must hold whole numbers from 0 to 3");
    refuses(GEOMETRY("\"tag_bank\": [\"1\"]"), "geometry: \"tag_bank\" must hold whole numbers from 0 to 3");
    refuses(GEOMETRY("\"constant_sets\": 8, \"constant_ways\": 4"), "give constant_sets, constant_ways and "
                                                                    "constant_line_bytes together");
    refuses(GEOMETRY("\"tag_bank\": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"), "may have up to 11 numbers");
    refuses(DEVICE("{\"b\": 1}"), "models[0]: \"a\" is missing");
    refuses(DEVICE("{\"a\": 1}, {\"a\": 1, \"nois_pct\": 1}"),
            "models[1]: unknown key \"nois_pct\"; known are noise_pct");
    refuses(DEVICE("{\"a\": \"1\"}"), "\"a\" must be a number");
    refuses(DEVICE("{\"a\": 1, \"noise_pct\": 11}"), "\"noise_pct\" is 11 and must lie between 0 and 10");
    refuses(DEVICE("{\"a\": 1, \"throttle\": {\"factor\": 2}}"), "throttle: \"after_samples\" is missing");
    refuses(DEVICE("{\"a\": 1, \"throttle\": {\"after_samples\": 1.5, \"for_samples\": 1, \"factor\": 2}}"),
            "\"after_samples\" must be a whole number");
    refuses(DEVICE("{\"a\": 1, \"match\": {\"width\": {}}}"), "a range needs \"min\" or \"max\"");
    refuses(DEVICE("{\"a\": 1, \"match\": {\"width\": {\"min\": 2, \"max\": 1}}}"), "min must not exceed max");
    refuses(DEVICE("{\"a\": 1, \"match\": {\"width\": {\"mni\": 2}}}"), "match.width: unknown key \"mni\"");
    refuses(DEVICE("{\"a\": 1, \"match\": {\"width\": []}}"), "match.width must be");
    refuses(DEVICE("{\"a\": 1, \"match\": {\"width\": [[1]]}}"), "match.width must be");
    refuses(DEVICE("{\"a\": 1, \"match\": {\"width\": true}}"), "match.width must be");
    refuses(DEVICE("{\"a\": 1, \"extras\": {\"x\": \"y\"}}"), "extras.x must be a number");
}

/* Against a probe that is registered, names are checked too. */
TEST(words_that_the_probe_does_not_know_are_named) {
#define PLANTED(rest) DEVICE("{\"probe\": \"planted\", \"a\": 1, " rest "}")
    refuses(PLANTED("\"match\": {\"widht\": 4}"), "\"widht\" is neither an axis of the probe planted");
    refuses(PLANTED("\"match\": {\"mode\": \"latncy\"}"), "its choices are latency throughput");
    refuses(PLANTED("\"match\": {\"mode\": \"lat\"}"), "match.mode: the probe planted has no such value");
    refuses(PLANTED("\"match\": {\"mode\": 0}"), "match.mode: the probe planted has no such value");
    refuses(PLANTED("\"match\": {\"mode\": {\"min\": 0}}"), "match.mode: the probe planted has no such value");
    refuses(PLANTED("\"match\": {\"width\": [4, \"x\"]}"), "match.width: the probe planted has no such value");
    refuses(PLANTED("\"match\": {\"metric\": \"copy\"}"), "match.metric: the probe planted has no such value");
    refuses(PLANTED("\"match\": {\"sweep\": \"nrow\"}"), "match.sweep: the probe planted has no such value");
    refuses(PLANTED("\"extras\": {\"wait\": 1}"), "it has: link_GBps wait_ns");
}

TEST(files) {
    fx_device *device;
    assert_int_equal(fx_synthetic_load("/tmp/gpufx-none", "generic", 0, &device, &err), FX_BAD_INPUT);
    assert_says(err.text, "'/tmp/gpufx-none/generic.json'");
    assert_int_equal(fx_synthetic_load("/tmp", "missing.json", 0, &device, &err), FX_BAD_INPUT);
    assert_says(err.text, "'missing.json'");
    assert_int_equal(fx_synthetic_load("/tmp", "/tmp", 0, &device, &err), FX_IO);
    assert_null(device);
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

TEST(models_of_other_files_are_included) {
    char folder[] = "/tmp/gpufx-include-XXXXXX", path[256];
    fx_device *device;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/planted", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/planted/synthetic.json", folder);
    put_file(path, "[{\"a\": 7}]");
    const char *text = DEVICE("{\"include\": \"*/synthetic.json\"}, {\"a\": 40}");
    snprintf(path, sizeof path, "%s/device.json", folder);
    put_file(path, text);
    assert_ok(fx_synthetic_load(folder, "device", 1, &device, &err));
    assert_near(first_value(device, case_of(0, 8, 0)), 7, 1e-9);
    fx_device_destroy(device);
    /* What can't be included is named: a file that is no list, a pattern that nothing matches. */
    snprintf(path, sizeof path, "%s/planted/synthetic.json", folder);
    put_file(path, "{}");
    assert_int_equal(fx_synthetic_load(folder, "device", 1, &device, &err), FX_BAD_INPUT);
    assert_says(err.text, "planted/synthetic.json must hold a list of models");
    assert_int_equal(remove(path), 0);
    assert_int_equal(fx_synthetic_load(folder, "device", 1, &device, &err), FX_BAD_INPUT);
    assert_says(err.text, "no file matches the include '*/synthetic.json'");
}

UNIT_MAIN(NULL, NULL)
