#include "archived.h"

#include "unit.h"

#include <ftw.h>
#include <math.h>
#include <unistd.h>

char folder[64];

int make_folder(void **state) {
    strcpy(folder, access("/dev/shm", W_OK) ? "/tmp/gpufx-test-XXXXXX" : "/dev/shm/gpufx-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    return remove(path);
}

int remove_folder(void **state) {
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const fx_axis axes[] = {
    {.name = "op", .unit = "", .choices = "load store"},
    {.name = "size", .unit = "bytes", .min = 0, .max = INT64_MAX},
};

static const fx_metric metrics[] = {{"copy_ns", "ns", FX_GPU_NS, false, "access"},
                                    {"access_cycles", "cycles", FX_SM_CYCLES, false, "access"}};

static const fx_sweep sweep = {"all", "size=1", NULL};

const fx_probe probe = {
    .name = "copy",
    .method_version = 3,
    .axes = axes,
    .axes_count = 2,
    .metrics = metrics,
    .metrics_count = 2,
    .extras = "  link_GBps   wait_ns",
};

fx_case full_case(void) {
    fx_case c = {.probe = &probe, .sweep = &sweep, .has_lanes = true, .name = "copy/op:store/size:1073741824"};
    c.params.value[0] = 1;
    c.params.value[1] = 1073741824;
    for (int32_t l = 0; l < FX_WARP; l++) {
        c.lanes.offset[l] = l == 31 ? -1 : 4 * l;
    }
    c.prediction = (fx_prediction){.law = "bytes", .count = 1073741824, .useful_bytes = 500};
    c.prediction.moved_bytes = 2000;
    fx_prediction_count(&c.prediction, "dram", 3);
    return c;
}

static double samples[] = {10, 10.123456789012, 1073741824123456, 9.5, 9, 10};

static double t_n[] = {100, 101.5, NAN, 103, 104, 105};

fx_result full_result(void) {
    fx_result result = {
        .samples = samples,
        .t_n = t_n,
        .n = 6,
        .summary = {.n = 6, .median = 10, .ci_low = 9, .ci_high = 12.5, .outliers = 1, .lag1 = -0.25},
        .stop = FX_STOP_TIME_LIMIT,
        .flags = FX_FLAG_DRIFT | FX_SAMPLE_LATCH_TIMEOUT,
        .clock_moved = 2,
        .intercept = NAN,
        .sm_clock_MHz = 1000,
        .sm_clock_min_MHz = 990,
        .sm_clock_max_MHz = 1001.5,
        .extra = {NAN, 7, NAN, NAN},
        .after = {.known = true,
                  .sm_MHz = 1980,
                  .temperature_C = NAN,
                  .throttle_known = true,
                  .throttle_reasons = 1u << 2 | 1ull << 40,
                  .age_ms = 12.5,
                  .other_programs = 2,
                  .number = 7},
        .ran = {.kernel = "copy<4>",
                .code_hash = "0123456789abcdef",
                .registers = 32,
                .blocks = 132,
                .threads = 1024,
                .buffers = {{1u << 30, 0x1fff00}, {512, 0}},
                .buffer_count = 2,
                .dram_bytes = 1u << 30,
                .sms = {3, 131},
                .sm_count = 2,
                .units_n = 64},
        .elapsed_s = 0.125,
    };
    return result;
}

json_t *run_line(void) {
    return json_pack("{ss s[s]}", "provenance", "synthetic", "arguments", "run");
}

fx_status collect(void *context, const json_t *object, size_t number, fx_error *err) {
    json_t *lines = context;
    assert_int_equal(json_array_size(lines) + 1, number);
    json_array_append_new(lines, json_deep_copy(object));
    return FX_OK;
}

json_t *read_all(const char *path, bool *incomplete) {
    fx_error err = {0};
    json_t *lines = json_array();
    assert_ok(fx_archive_read(path, "", collect, lines, incomplete, &err));
    return lines;
}

fx_archive *create(const char *where) {
    fx_error err = {0};
    fx_archive *archive;
    json_t *run = run_line();
    assert_ok(fx_archive_create(where, run, &archive, &err));
    json_decref(run);
    return archive;
}

void in_folder(char path[200], const char *name) {
    snprintf(path, 200, "%s/%s", folder, name);
}

void write_text(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

void expect_json(const json_t *object, const char *key, const char *expected) {
    json_t *value = json_object_get(object, key);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) : NULL;
    if (!text || strcmp(text, expected) != 0) {
        fail_msg("%s is %s, not %s", key, text ? text : "absent", expected);
    }
    free(text);
}
