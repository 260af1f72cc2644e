/* The reader of synthetic devices: a device that was accepted has a name, sound facts, laws that can be computed with
 * them, and samples that are numbers and come out the same a second time; a device that was refused says why. */
#include <math.h>

#include "core/synthetic.h"
#include "fuzz.h"

enum { MODE, WIDTH };

static const fx_axis axes[] = {
    {.name = "mode", .unit = "", .choices = "latency throughput"},
    {.name = "width", .unit = "bytes", .min = 4, .max = 16, .fallback = 4},
};
static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "access"},
    {"copy_ns", "ns", FX_GPU_NS, false, "access"},
    {"call_ns", "ns", FX_HOST_NS, false, "access"},
};
static const fx_sweep sweeps[] = {{"narrow", "width=4", NULL}, {"wide", "width=16", NULL}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    out->law = facts ? "wavefronts" : NULL;
    out->count = (double)params->value[WIDTH];
}

/* Registered, so that the reader checks the words of its models. */
static const fx_probe planted = {
    .name = "planted",
    .question = "Is what was planted found?",
    .method_version = 1,
    FX_TABLES,
    .extras = "link_GBps wait_ns",
    .law = law,
};
FX_REGISTER(planted)

static void check_head(const fx_device *device) {
    const size_t name = strlen(device->name), slug = strlen(device->slug);
    fuzz_require(device->synthetic && name > 0 && slug > 0 && slug <= name + strlen("unknown"));
    fuzz_require(strspn(device->slug, "abcdefghijklmnopqrstuvwxyz0123456789-") == slug);
    fuzz_require(!strncmp(device->arch, "sm_", 3) && strlen(device->arch) <= strlen("sm_999"));
    fuzz_require(device->facts.sm_count > 0 && device->facts.warps_per_sm > 0);
}

/* Any geometry that the reader takes, for a load of any width. */
static void check_laws(const fx_geometry *geometry) {
    for (unsigned width = 1; width <= 16; width *= 2) {
        fx_lanes lanes;
        fx_lanes_random(&lanes, width, 4096, width);
        const double counts[] = {
            fx_law_wavefronts(geometry, &lanes, width),
            fx_law_store_wavefronts(geometry, &lanes, width),
            fx_law_bank_lanes(geometry, &lanes, width),
            fx_law_l1_load(geometry, &lanes, width),
            fx_law_l2_load(geometry, &lanes, width),
            fx_law_l2_store(geometry, &lanes, width),
            fx_law_blocks(&lanes, width, geometry->line_bytes),
        };
        for (size_t i = 0; i < FX_COUNT(counts); i++) {
            fuzz_require(counts[i] >= 1 && counts[i] <= FX_WARP * 16u * 16u);
        }
    }
}

/* A value that is the same or NAN in both. */
static bool same(double a, double b) {
    return isnan(a) ? isnan(b) : !(a < b) && !(a > b);
}

static void check_samples(fx_device *one, fx_device *two, const fx_case *c) {
    fx_error err = {0};
    void *states[2] = {NULL, NULL};
    const fx_status status = one->open(one, c, &states[0], &err);
    if (status != FX_OK) {
        fuzz_require(status == FX_UNSUPPORTED);
        fuzz_require_reason(status, &err);
        return;
    }
    fuzz_require(two->open(two, c, &states[1], &err) == FX_OK);
    for (uint64_t i = 0; i < 4; i++) {
        fx_sample a, b;
        fx_clocks clocks;
        fuzz_require(one->sample(one, c, states[0], i, &a, &err) == FX_OK);
        fuzz_require(two->sample(two, c, states[1], i, &b, &err) == FX_OK);
        fuzz_require(isfinite(a.value) && !isinf(a.intercept) && !isinf(a.sm_clock_MHz));
        fuzz_require(same(a.value, b.value) && same(a.intercept, b.intercept) && same(a.sm_clock_MHz, b.sm_clock_MHz));
        for (size_t e = 0; e < FX_MAX_EXTRAS; e++) {
            fuzz_require(same(a.extra[e], b.extra[e]));
        }
        one->clocks(one, false, &clocks);
        fuzz_require(clocks.known && clocks.sm_MHz > 0 && isfinite(clocks.sm_MHz));
    }
    one->close(one, c, states[0]);
    two->close(two, c, states[1]);
}

static void check_descriptions(fx_device *one, fx_device *two) {
    json_t *(*const describe[])(fx_device *) = {one->describe_device, one->describe_driver, one->describe_environment};
    for (size_t i = 0; i < FX_COUNT(describe); i++) {
        json_t *a = describe[i](one), *b = describe[i](two);
        char *text = json_dumps(a, JSON_COMPACT);
        fuzz_require(a && b && text && json_equal(a, b));
        free(text);
        json_decref(a);
        json_decref(b);
    }
}

/* The second device is read from what the first one's text means, written again. */
static fx_device *again(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_device *device = NULL;
    json_t *document = json_loadb((const char *)data, size, 0, NULL);
    char *text = json_dumps(document, JSON_INDENT(1));
    fuzz_require(text);
    if (fx_synthetic_parse(text, strlen(text), "fuzz.json", 7, &device, &err) != FX_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    fuzz_require(device);
    free(text);
    json_decref(document);
    return device;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_device *one = NULL;
    const fx_status status = fx_synthetic_parse((const char *)data, size, "fuzz.json", 7, &one, &err);
    if (status != FX_OK) {
        fuzz_require(!one);
        fuzz_require_reason(status, &err);
        return 0;
    }
    fx_device *two = again(data, size);
    check_head(one);
    check_laws(&one->facts.geometry);
    check_descriptions(one, two);
    for (size_t i = 0; i < 6; i++) {
        fx_case c = {.probe = &planted, .sweep = &sweeps[i % 2]};
        c.params.value[MODE] = i % 2;
        c.params.value[WIDTH] = i % 2 ? 16 : 4;
        law(&one->facts, &c.params, NULL, &c.prediction);
        c.prediction.metric = i % 3;
        (void)snprintf(c.name, sizeof c.name, "planted/case:%zu", i);
        check_samples(one, two, &c);
    }
    fx_device_destroy(one);
    fx_device_destroy(two);
    return 0;
}
