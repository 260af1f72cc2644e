/* Fits of an archive: those over all processes, found by law, metric and group, and refused where they speak of another
 * law or method. The archives are written here, line by line. */
#include "unit.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/fit_lines.h"

#define assert_near(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-12 * fabs((double)(b)))

enum { MODE, WIDTH, STEPS };

static const fx_axis axes[] = {{"mode", "", "", "latency throughput", 0, 0, 0},
                               {"width", "", "", NULL, 1, 16, 4},
                               {"steps", "", "", NULL, 0, 99, 0}};
static const fx_metric metrics[] = {{"step_cycles", "cycles", FX_SM_CYCLES, false, "step"}};
static const fx_sweep sweeps[] = {{"all", "mode=latency", NULL}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    out->law = "l2_store";
    out->count = (double)params->value[STEPS];
    out->why_not = params->value[STEPS] < 50 ? NULL : "too many steps";
}

static const fx_probe stepper = {
    .name = "stepper",
    .question = "What does a step cost?",
    .method_version = 3,
    FX_TABLES,
    .fit_by = "mode width",
    .law = law,
};
FX_REGISTER(stepper)

#define RUN(laws, method)                                                                                              \
    "{\"type\":\"run\",\"schema\":2,\"id\":\"0123abcd\",\"provenance\":\"measured\",\"law_version\":" laws             \
    ",\"probes\":{\"stepper\":{\"method_version\":" method "}}}\n"
#define TODAY RUN("7", "3")
#define FIT(process, more, a, b, residual, holds)                                                                      \
    "{\"type\":\"fit\",\"process\":" process ",\"probe\":\"stepper\"," more ",\"metric\":\"step_cycles\",\"n\":7,"     \
    "\"a\":" a ",\"b\":" b ",\"largest_residual_pct\":" residual ",\"holds\":" holds "}\n"
#define GROUP_OF(mode, width) "\"group\":{\"mode\":\"" mode "\",\"width\":" width "},\"law\":\"l2_store\""

/* The end line makes its sum the only check of lines that say no more than a test needs. */
static const fx_predictor *read_fits(const char *text) {
    const fx_predictor *out = NULL;
    fx_error err = {0};
    char path[] = "/tmp/gpufx-test-predict-XXXXXX"; /* what has been read by one path is not read again */
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    const unsigned long sum = crc32_z(0, (const unsigned char *)text, strlen(text));
    assert_true(fprintf(file, "%s{\"type\":\"end\",\"complete\":true,\"crc32\":\"%08lx\"}\n", text, sum) > 0);
    assert_int_equal(fclose(file), 0);
    assert_ok(fx_predictor_open(path, &out, &err));
    assert_int_equal(unlink(path), 0);
    return out;
}

static const fx_archived_fit *find(const fx_predictor *p, int64_t mode, int64_t width, const char *name) {
    const fx_params params = {.value = {mode, width}};
    return fx_predictor_find(p, &stepper, &params, name, "step_cycles");
}

/* Those of single processes are looked past. */
TEST(fits_over_all_processes_are_found) {
    const fx_predictor *p = read_fits(TODAY FIT("0", GROUP_OF("latency", "4"), "1.0", "9.0", "22.5", "false")
                                          FIT("null", GROUP_OF("latency", "4"), "2.5", "8.0", "3.5", "true")
                                              FIT("null", GROUP_OF("latency", "8"), "5.0", "1.0", "12.5", "false")
                                                  FIT("1", GROUP_OF("throughput", "4"), "3.0", "7.0", "0.5", "true"));
    const fx_archived_fit *fits = p->fits;
    assert_int_equal(p->count, 2);
    const fx_archived_fit *fit = find(p, 0, 4, "l2_store");
    assert_ptr_equal(fit, &fits[0]);
    assert_near(fx_predict(fit, 2), 18.5);
    assert_near(fit->law_missed_pct, 12.5); /* the law has been off, though not in this group */
    assert_false(fit->law_holds);
    assert_ptr_equal(find(p, 0, 8, "l2_store"), &fits[1]);
    assert_null(find(p, 1, 4, "l2_store"));
    assert_null(find(p, 0, 16, "l2_store"));
    assert_null(find(p, 0, 4, "l1_load"));
    assert_true(isnan(fx_predict(NULL, 3)) && isnan(fx_predict(fit, 0)));
}

static double version(const json_t *row, const char *key, int today) {
    const json_t *value = json_object_get(row, key);
    const char *word = json_string_value(value);
    const int priced = fx_law_named("l2_store")->priced;
    return !word                     ? json_number_value(value)
           : !strcmp(word, "priced") ? priced
           : !strcmp(word, "before") ? priced - 1
                                     : today;
}

/* Rows of usable_fits.json, whose "today" is the version of this program; "priced": the first whose fits predict;
 * "before": the one before. */
TEST(usable_as_the_vectors_say) {
    json_t *vectors = json_load_file(FX_VECTORS "/usable_fits.json", 0, NULL);
    assert_true(json_array_size(vectors) > 5);
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *row = json_array_get(vectors, i);
        char *text = NULL;
        assert_true(asprintf(&text,
                             "{\"type\":\"run\",\"schema\":2,\"law_version\":%g,\"probes\":{\"stepper\":"
                             "{\"method_version\":%g}}}\n{\"type\":\"fit\",\"process\":null,\"probe\":\"%s\","
                             "\"group\":{},\"law\":\"l2_store\",\"metric\":\"step_cycles\",\"a\":1,\"b\":%g,"
                             "\"largest_residual_pct\":1,\"holds\":true}\n",
                             version(row, "law_version", FX_LAW_VERSION),
                             version(row, "method_version", (int)stepper.method_version),
                             json_is_true(json_object_get(row, "known_probe")) ? "stepper" : "other",
                             json_number_value(json_object_get(row, "b"))) > 0);
        const fx_predictor *p = read_fits(text);
        const fx_archived_fit *fit = p->fits;
        assert_int_equal(p->count, 1);
        if (fit->usable != json_is_true(json_object_get(row, "usable"))) {
            fail_msg("row %zu: usable %d", i, fit->usable);
        }
        assert_true((find(p, 0, 4, "l2_store") != NULL) == fit->usable);
        free(text);
    }
    json_decref(vectors);
}

/* Lines without what a fit must have. */
TEST(lines_that_are_no_fits_are_left_out) {
    const fx_predictor *p = read_fits(TODAY "{\"type\":\"fit\"}\n{\"type\":\"fit\",\"a\":1,\"b\":2,\"probe\":3}\n"
                                            "{\"type\":\"case\",\"a\":1,\"b\":2}\n" FIT(
                                                "null", GROUP_OF("latency", "4"), "1.0", "null", "2.5", "true"));
    assert_int_equal(p->count, 0);
    assert_int_equal(fx_predictor_open("/nowhere/at.jsonl", &p, &err), FX_IO);
}

UNIT_MAIN(NULL, NULL)
