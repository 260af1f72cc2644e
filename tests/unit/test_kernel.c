/* The kernel table: names, selection by case, and what is said of a bad row. */
#include "unit.h"

#include "core/kernel.h"

enum { OP, WIDTH };
enum { LOAD, STORE };

static const fx_axis axes[] = {{"op", "", "", "load store", 0, 0, LOAD}, {"width", "bytes", "", NULL, 4, 16, 4}};

static const fx_kernel kernels[] = {
    {"op=load width=4", FX_K(chase, LOAD, 4, 1), FX_WORK, 0, {{"LDS", 61}}},
    {"op=load width=8,16", FX_K(chase, LOAD, 8, -1), FX_WORK, 80, {{"LDS.64", 61}, {"BRA", 0}}},
    {"op=store", FX_K(store), FX_WORK, 0, {{"STS", 1}}},
    {"", FX_K(expect, STORE), FX_EXPECT, 0, {{0}}},
    {"op=load", FX_K(lay), FX_AID, 0, {{0}}},
    {"width=4", FX_K(wipe), FX_AID, 0, {{0}}},
    {"op=store width=8", FX_K(store), FX_CHECK, 0, {{0}}},
};

static const fx_probe probe = {.name = "scratch", FX_TABLE(axes), FX_TABLE(kernels)};

static const fx_kernel *find(int64_t op, int64_t width, fx_role role, const char *name) {
    const fx_params params = {.value = {op, width}};
    const fx_kernel *row = &kernels[0];
    fx_error err = {0};
    assert_ok(fx_kernel_find(&probe, &params, role, name, &row, &err));
    return row;
}

TEST(test_names) {
    char text[64], small[8];
    assert_string_equal(fx_kernel_name(&kernels[0], text, sizeof text), "chase<0, 4, 1>");
    assert_string_equal(fx_kernel_name(&kernels[1], text, sizeof text), "chase<0, 8, -1>");
    assert_string_equal(fx_kernel_name(&kernels[2], text, sizeof text), "store");
    assert_string_equal(fx_kernel_name(&kernels[3], text, sizeof text), "expect<1>");
    assert_string_equal(fx_kernel_name(&kernels[0], small, sizeof small), "chase<0"); /* cut, not overrun */
    assert_null(kernels[0].entry.address);
    assert_false(fx_kernel_is_repeated(&probe, &kernels[2]));
    assert_true(fx_kernel_is_repeated(&probe, &kernels[6]));
}

TEST(test_cases_find_their_row) {
    assert_ptr_equal(find(LOAD, 4, FX_WORK, NULL), &kernels[0]);
    assert_ptr_equal(find(LOAD, 16, FX_WORK, NULL), &kernels[1]);
    assert_ptr_equal(find(STORE, 4, FX_WORK, NULL), &kernels[2]);
    assert_null(find(LOAD, 12, FX_WORK, NULL));
    assert_ptr_equal(find(STORE, 8, FX_EXPECT, NULL), &kernels[3]);
    assert_null(find(STORE, 4, FX_CHECK, NULL));
    assert_ptr_equal(find(LOAD, 4, FX_AID, "lay"), &kernels[4]);
    assert_ptr_equal(find(LOAD, 4, FX_AID, "wipe"), &kernels[5]);
    assert_null(find(STORE, 4, FX_AID, "lay"));
}

TEST(test_bad_rows_are_named) {
    static const fx_kernel twice[] = {{"op=load", FX_K(one), FX_WORK, 0, {{0}}},
                                      {"width=4", FX_K(two), FX_WORK, 0, {{0}}}};
    static const fx_kernel wrong[] = {{"op=laod", FX_K(chase, 3), FX_WORK, 0, {{0}}}};
    const fx_probe bad = {.name = "bad", FX_TABLE(axes), .kernels = twice, .kernels_count = 2};
    const fx_probe worse = {.name = "worse", FX_TABLE(axes), .kernels = wrong, .kernels_count = 1};
    const fx_params params = {.value = {LOAD, 4}};
    const fx_kernel *row;
    assert_int_equal(fx_kernel_find(&bad, &params, FX_WORK, NULL, &row, &err), FX_BAD_INPUT);
    assert_string_equal(err.text, "probe bad: two rows of its kernel table select this case: 'op=load' and 'width=4'");
    assert_int_equal(fx_kernel_find(&worse, &params, FX_WORK, NULL, &row, &err), FX_BAD_INPUT);
    assert_says(err.text, "probe worse: kernel chase<3>: axis op: unknown choice \"laod\"");
}

UNIT_MAIN(NULL, NULL)
