/* Sweeps to cases: order, names, duplicates, overrides and what is filled in. */
#include "unit.h"

#include "core/case_list.h"

enum { op, width, stride };

static const fx_axis axes[] = {
    {.name = "op", .unit = "", .choices = "load store atomic"},
    {.name = "width", .unit = "bytes", .min = 1, .max = 16, .fallback = 4},
    {.name = "stride", .unit = "elements", .min = 0, .max = 1 << 30, .fallback = 1},
};

static const fx_sweep sweeps[] = {
    {.name = "stride", .axes = "stride=0:2 op=store,load", .quick = "op=load stride=1"},
    {.name = "width", .axes = "width=4,8"}, /* width 4 is the first sweep's point op 0, stride 1 */
};

static bool make_lanes(const fx_params *params, fx_lanes *out) {
    if (params->value[op] == 2) {
        return false;
    }
    fx_lanes_stride(out, (unsigned)params->value[width], params->value[stride], 0);
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    out->law = "wavefronts";
    out->count = lanes ? (double)fx_law_wavefronts(&facts->geometry, lanes, (unsigned)params->value[width]) : -1.0;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return facts->sm_count == 0 && params->value[width] == 8 ? "needs an SM" : NULL;
}

static const fx_probe probe = {
    .name = "scratch",
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    .lanes = make_lanes,
    .law = law,
    .supported = supported,
};

static const fx_facts facts = {.geometry = {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128}};

static void expect_names(const fx_probe *of, bool quick, const char *override, const char *const *names) {
    fx_case_list list = {0};
    fx_error err = {0};
    assert_ok(fx_cases_expand(of, &facts, quick, &override, override ? 1 : 0, &list, &err));
    size_t i = 0;
    for (; names[i]; i++) {
        assert_true(i < list.count);
        assert_string_equal(list.cases[i].name, names[i]);
    }
    assert_int_equal(list.count, i);
    fx_case_list_free(&list);
}

#define NAMES(quick, override, ...) expect_names(&probe, quick, override, (const char *const[]){__VA_ARGS__, NULL})

TEST(test_order_and_duplicates) {
    /* The probe's axes give the order, not the sweep's text; width:4 is not repeated. */
    NAMES(false, NULL, "scratch/op:store/stride:0", "scratch/op:store/stride:1", "scratch/op:store/stride:2",
          "scratch/op:load/stride:0", "scratch/op:load/stride:1", "scratch/op:load/stride:2", "scratch/width:8");
    NAMES(true, NULL, "scratch/op:load/stride:1");
}

TEST(test_overrides) {
    /* The second sweep does not name op and has loads, its default. */
    NAMES(false, "op=load", "scratch/op:load/stride:0", "scratch/op:load/stride:1", "scratch/op:load/stride:2",
          "scratch/width:8");
    NAMES(false, "op=store", "scratch/op:store/stride:0", "scratch/op:store/stride:1", "scratch/op:store/stride:2");
    NAMES(false, "stride=1Ki", "scratch/op:store/stride:1024", "scratch/op:load/stride:1024");
    NAMES(false, "width=2,16", "scratch/width:2", "scratch/width:16");
    NAMES(false, "op=all", "scratch/op:store/stride:0", "scratch/op:store/stride:1", "scratch/op:store/stride:2",
          "scratch/op:load/stride:0", "scratch/op:load/stride:1", "scratch/op:load/stride:2", "scratch/width:8");
    /* A number says what to sweep over: the first sweep does not vary the width, though it is at its default. */
    NAMES(false, "width=4", "scratch/width:4");
    NAMES(true, "stride=7", "scratch/op:load/stride:7");
    /* No sweep has atomics, and the quick ones no width. */
    expect_names(&probe, false, "op=atomic", (const char *const[]){NULL});
    expect_names(&probe, true, "width=8", (const char *const[]){NULL});
}

TEST(test_overrides_meet) {
    fx_case_list list = {0};
    const char *both[] = {"op=load", "stride=3,4"};
    assert_int_equal(fx_cases_expand(&probe, &facts, false, both, 2, &list, NULL), FX_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.cases[1].name, "scratch/op:load/stride:4");
    /* No sweep names stride and width. */
    const char *apart[] = {"width=8", "stride=3"};
    assert_int_equal(fx_cases_expand(&probe, &facts, false, apart, 2, &list, NULL), FX_OK);
    assert_int_equal(list.count, 2);
    fx_case_list_free(&list);
    fx_case_list_free(&list);
    fx_case_list_free(NULL);
}

TEST(test_contents) {
    fx_case_list list = {0};
    assert_int_equal(fx_cases_expand(&probe, &facts, false, NULL, 0, &list, NULL), FX_OK);
    const fx_case *two = &list.cases[2], *last = &list.cases[6];
    assert_ptr_equal(two->probe, &probe);
    assert_ptr_equal(two->sweep, &sweeps[0]);
    assert_true(two->params.named[op] && !two->params.named[width] && two->params.named[stride]);
    assert_int_equal(two->params.value[op], 1);
    assert_int_equal(two->params.value[width], 4);
    assert_int_equal(two->params.value[stride], 2);
    assert_true(two->has_lanes);
    assert_int_equal(two->lanes.offset[31], 31 * 8);
    assert_string_equal(two->prediction.law, "wavefronts");
    assert_true(two->prediction.count == 2);
    assert_null(two->waived);
    assert_ptr_equal(last->sweep, &sweeps[1]);
    assert_true(last->prediction.count == 2);
    assert_string_equal(last->waived, "needs an SM");
    fx_case_list_free(&list);
}

TEST(test_case_without_lanes) {
    static const fx_sweep atomics[] = {{.name = "atomics", .axes = "op=atomic"}};
    fx_probe other = probe;
    other.sweeps = atomics;
    other.sweeps_count = 1;
    fx_case_list list = {0};
    assert_int_equal(fx_cases_expand(&other, &facts, false, NULL, 0, &list, NULL), FX_OK);
    assert_int_equal(list.count, 1);
    assert_false(list.cases[0].has_lanes);
    assert_int_equal(list.cases[0].lanes.offset[5], -1);
    assert_true(list.cases[0].prediction.count == -1); /* the law saw no table */
    other.lanes = NULL;
    other.supported = NULL;
    assert_int_equal(fx_cases_expand(&other, &facts, false, NULL, 0, &list, NULL), FX_OK);
    assert_int_equal(list.count, 2); /* another call's cases are not duplicates */
    assert_false(list.cases[1].has_lanes);
    fx_case_list_free(&list);
}

TEST(test_probe_without_axes) {
    static const fx_sweep once[] = {{.name = "once", .axes = "", .quick = ""}, {.name = "again", .axes = ""}};
    const fx_probe null_probe = {.name = "null", .sweeps = once, .sweeps_count = 2, .law = law};
    expect_names(&null_probe, false, NULL, (const char *const[]){"null", NULL});
    expect_names(&null_probe, true, NULL, (const char *const[]){"null", NULL});
}

TEST(test_errors_leave_the_list_alone) {
    fx_case_list list = {0};
    assert_ok(fx_cases_expand(&probe, &facts, true, NULL, 0, &list, &err));

    const char *outside = "width=64";
    assert_int_equal(fx_cases_expand(&probe, &facts, false, &outside, 1, &list, &err), FX_BAD_INPUT);
    assert_says(err.text, "scratch");
    assert_says(err.text, "1..16");

    static const fx_sweep broken[] = {{.name = "good", .axes = "stride=0:9"}, {.name = "bad", .axes = "strid=1"}};
    fx_probe other = probe;
    other.sweeps = broken;
    assert_int_equal(fx_cases_expand(&other, &facts, false, NULL, 0, &list, &err), FX_BAD_INPUT);
    assert_says(err.text, "sweep bad");

    static const fx_sweep large[] = {{.name = "large", .axes = "stride=1:50000 op=all"}};
    other.sweeps = large;
    other.sweeps_count = 1;
    assert_int_equal(fx_cases_expand(&other, &facts, false, NULL, 0, &list, &err), FX_BAD_INPUT);
    assert_says(err.text, "100000");

    assert_int_equal(list.count, 1);
    assert_string_equal(list.cases[0].name, "scratch/op:load/stride:1");
    fx_case_list_free(&list);
}

TEST(test_name_of_just_the_right_length) {
    static const fx_sweep one[] = {{.name = "one", .axes = "op=load"}}; /* "/op:load" is 8 bytes */
    char name[FX_NAME_BYTES];
    memset(name, 'n', sizeof name);
    fx_probe other = probe;
    other.name = name;
    other.sweeps = one;
    other.sweeps_count = 1;
    fx_case_list list = {0};
    name[FX_NAME_BYTES - 1 - 8] = '\0';
    assert_ok(fx_cases_expand(&other, &facts, false, NULL, 0, &list, &err));
    assert_int_equal(strlen(list.cases[0].name), FX_NAME_BYTES - 1);
    name[FX_NAME_BYTES - 1 - 8] = 'n';
    name[FX_NAME_BYTES - 8] = '\0';
    assert_int_equal(fx_cases_expand(&other, &facts, false, NULL, 0, &list, &err), FX_BAD_INPUT);
    assert_says(err.text, "255");
    assert_int_equal(list.count, 1);
    fx_case_list_free(&list);
}

TEST(test_has_axis) {
    assert_true(fx_probe_override(&probe, "stride=1"));
    assert_true(fx_probe_override(&probe, "op"));
    assert_false(fx_probe_override(&probe, "strid=1"));
    assert_false(fx_probe_override(&probe, "strides=1"));
    assert_false(fx_probe_override(&probe, "=1"));
    assert_false(fx_probe_override(&probe, "another.stride=1"));
}

UNIT_MAIN(NULL, NULL)
