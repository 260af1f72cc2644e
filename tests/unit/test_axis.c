/* The selection language, its limits and its sentences; the "did you mean" helper; error text. */
#include "unit.h"

#include "core/axis.h"
#include "core/nearest.h"

#include "vectors.h"

static const fx_axis axes[] = {
    {.name = "op", .unit = "", .choices = "load store  atomic", .fallback = 0},
    {.name = "stride", .unit = "elements", .min = 0, .max = 64, .fallback = 1},
    {.name = "size", .unit = "bytes", .min = INT64_MIN, .max = INT64_MAX, .fallback = 4},
};
enum { op, stride, size, axis_count };

/* The axes of vectors/axis.json; choices, and what borrows from the file, last as long as it. */
static void declare(const json_t *declared, fx_axis made[], char choices[][64]) {
    for (size_t i = 0; i < json_array_size(declared); i++) {
        const json_t *axis = json_array_get(declared, i), *words = json_object_get(axis, "choices");
        const char *unit = json_string_value(json_object_get(axis, "unit"));
        choices[i][0] = '\0';
        for (size_t k = 0; k < json_array_size(words); k++) {
            strcat(strcat(choices[i], " "), json_string_value(json_array_get(words, k)));
        }
        made[i] = (fx_axis){.name = json_string_value(json_object_get(axis, "name")),
                            .unit = unit ? unit : "",
                            .choices = words ? choices[i] : NULL,
                            .min = json_integer_value(json_object_get(axis, "min")),
                            .max = json_integer_value(json_object_get(axis, "max"))};
    }
}

static void holds(const char *text, const fx_axis *axis, const fx_selection *got, const json_t *wanted) {
    assert_true(got->named == (wanted != NULL));
    assert_int_equal(got->count, json_array_size(wanted));
    for (size_t i = 0; i < got->count; i++) {
        const json_t *value = json_array_get(wanted, i);
        char word[64];
        if (axis->choices) {
            assert_string_equal(fx_axis_format(axis, got->values[i], word, sizeof word), json_string_value(value));
        } else if (got->values[i] != json_integer_value(value)) {
            fail_msg("%s: value %zu is %lld", text, i, (long long)got->values[i]);
        }
    }
}

TEST(test_vectors) {
    json_t *file = vectors("axis.json"), *test;
    fx_axis made[axis_count];
    char choices[axis_count][64];
    size_t i;
    assert_int_equal(json_array_size(json_object_get(file, "axes")), axis_count);
    declare(json_object_get(file, "axes"), made, choices);
    json_array_foreach(json_object_get(file, "cases"), i, test) {
        const char *text = json_string_value(json_object_get(test, "text"));
        const char *whole = json_string_value(json_object_get(test, "error"));
        const char *begins = whole ? whole : json_string_value(json_object_get(test, "begins"));
        fx_selection got[axis_count];
        (void)fx_axes_parse(made, axis_count, text, got, &err);
        if (strncmp(err.text, begins ? begins : "", begins ? strlen(begins) : sizeof err.text) != 0 ||
            (whole && strlen(err.text) != strlen(whole))) {
            fail_msg("%s: \"%s\"", text, err.text);
        }
        assert_int_equal(err.status, begins ? FX_BAD_INPUT : FX_OK);
        for (size_t k = 0; k < axis_count; k++) {
            holds(text, &made[k], &got[k], json_object_get(json_object_get(test, "values"), made[k].name));
        }
        fx_selections_free(got, axis_count);
    }
    assert_true(i > 60);
    json_decref(file);
}

/* Beyond the vectors: what only the program says or limits. The error must hold every one of the words. */
static void expect_error(const fx_axis *axis, const char *text, const char *const *words) {
    fx_error err = {0};
    fx_selection got;
    assert_int_equal(fx_axis_parse(axis, text, &got, &err), FX_BAD_INPUT);
    assert_null(got.values);
    assert_false(got.named);
    for (; *words; words++) {
        if (!strstr(err.text, *words)) {
            fail_msg("%s: \"%s\" does not say \"%s\"", text, err.text, *words);
        }
    }
}

#define REFUSE(axis, text, ...) expect_error(&axes[axis], text, (const char *const[]){__VA_ARGS__, NULL})

TEST(test_choices) {
    char text[16];
    assert_true(fx_axis_choice(&axes[op], 2, text, sizeof text));
    assert_string_equal(text, "atomic");
    assert_false(fx_axis_choice(&axes[op], 3, text, sizeof text));
    assert_false(fx_axis_choice(&axes[op], -1, text, sizeof text));
    assert_false(fx_axis_choice(&axes[stride], 0, text, sizeof text));
    assert_string_equal(fx_axis_format(&axes[op], 1, text, sizeof text), "store");
    assert_string_equal(fx_axis_format(&axes[op], 7, text, sizeof text), "7");
    assert_string_equal(fx_axis_format(&axes[size], -4096, text, sizeof text), "-4096");
}

TEST(test_refusals) {
    REFUSE(stride, " 4", "not a number or");
    REFUSE(size, "0:100000", "100000", "step");
    REFUSE(size, "0:99999,200000", "100000");
    REFUSE(size, "-9223372036854775808:9223372036854775807", "100000");
    REFUSE(op, "lod", "op", "lod", "did you mean \"load\"", "store", "atomic");
    REFUSE(op, "swap", "swap", "load", "store", "atomic");
}

TEST(test_largest_selection) {
    fx_selection got;
    assert_int_equal(fx_axis_parse(&axes[size], "0:99999,5,7", &got, NULL), FX_OK);
    assert_int_equal(got.count, 100000);
    assert_int_equal(got.values[99999], 99999);
    fx_selections_free(&got, 1);
}

TEST(test_selections) {
    fx_selection got[axis_count];
    assert_ok(fx_axes_parse(axes, axis_count, "stride=1,2", got, &err));
    fx_selections_free(got, axis_count);
    fx_selections_free(got, axis_count);
    fx_selections_free(NULL, axis_count);
    assert_int_equal(fx_axes_parse(axes, axis_count, "op=load strid=1", got, &err), FX_BAD_INPUT);
    assert_says(err.text, "stride, size, op");
    assert_null(got[op].values);
    assert_int_equal(fx_axes_parse(NULL, 0, "stride=1", got, NULL), FX_BAD_INPUT);
    assert_int_equal(fx_axes_parse(NULL, 0, "stride=1", got, &err), FX_BAD_INPUT);
    assert_says(err.text, "no axes");
}

TEST(test_edit_distance) {
    assert_int_equal(fx_edit_distance("", ""), 0);
    assert_int_equal(fx_edit_distance("", "abc"), 3);
    assert_int_equal(fx_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(fx_edit_distance("plot", "plto"), 1);
    assert_int_equal(fx_edit_distance("ca", "abc"), 3);
    assert_int_equal(fx_edit_distance("Load", "lOAD"), 0);
    char wide[80];
    memset(wide, 'a', sizeof wide);
    wide[64] = '\0';
    assert_true(fx_edit_distance(wide, "a") == SIZE_MAX);
    wide[63] = '\0';
    assert_int_equal(fx_edit_distance(wide, "a"), 62);
}

TEST(test_nearest) {
    static const char *const verbs[] = {"characterize", "list", "info", "run", "compare", "plot", "test", "help"};
    const size_t count = sizeof verbs / sizeof *verbs;
    assert_string_equal(fx_nearest("characterise", verbs, count), "characterize");
    assert_string_equal(fx_nearest("chracterzie", verbs, count), "characterize");
    assert_string_equal(fx_nearest("ruin", verbs, count), "run");
    assert_string_equal(fx_nearest("lits", verbs, count), "list");
    assert_null(fx_nearest("banana", verbs, count));
    assert_null(fx_nearest("", verbs, count));
    assert_null(fx_nearest("run", verbs, 0));
    char text[32];
    assert_string_equal(fx_nearest_list("tost", verbs + 5, 3, text, sizeof text), "test, plot, help");
    assert_string_equal(fx_nearest_list("tost", verbs + 5, 3, text, 16), "test, plot, ...");
    assert_string_equal(fx_nearest_list("tost", verbs + 5, 3, text, 15), "test, ...");
}

TEST(test_error_text) {
    assert_int_equal(fx_fail(&err, FX_IO, "%s: line %d", "a.json", 3), FX_IO);
    assert_int_equal(err.status, FX_IO);
    assert_int_equal(fx_fail(&err, FX_BAD_INPUT, "while reading: %s", err.text), FX_BAD_INPUT);
    assert_string_equal(err.text, "while reading: a.json: line 3");
    assert_int_equal(fx_fail(NULL, FX_DEVICE, "nobody reads this"), FX_DEVICE);
    char wide[2 * sizeof err.text];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    fx_fail(&err, FX_IO, "%s", wide);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(fx_status_name(FX_OK), "ok");
    assert_string_equal(fx_status_name(FX_DEVICE_LOST), "device_lost");
    assert_string_equal(fx_status_name(FX_INTERRUPTED), "interrupted");
}

UNIT_MAIN(NULL, NULL)
