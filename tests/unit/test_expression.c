/* Expressions against what C makes of the same text, and what C leaves undefined against an error. */
#include "unit.h"

#include "core/expression.h"

static int64_t value_in(const char *text, int64_t lane, int64_t t, const fx_block *block) {
    fx_error err = {0};
    int64_t out[FX_WARP];
    if (fx_expression_values(text, block, t, out, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    return out[lane];
}

static int64_t value(const char *text, int64_t lane, int64_t t) {
    return value_in(text, lane, t, NULL);
}

#define SAME(expression)                                                                                               \
    for (int64_t lane = 0; lane < 32; lane++)                                                                          \
        for (int64_t t = -3; t < 4; t++)                                                                               \
    assert_int_equal(value(#expression, lane, t), (int64_t)(expression))

#pragma GCC diagnostic ignored "-Wparentheses" /* precedence without them is what is tested */

TEST(test_as_c_does) {
    SAME(lane * 33 * 4 + t);
    SAME(lane - 5 - t - 3);
    SAME(2 + lane * 3 << 2);
    SAME((lane ^ lane >> 1) * 4);
    SAME(lane & 7 | 8 ^ t & 3);
    SAME(lane % 5 / 2 * 3);
    SAME(-lane % 7 + -t / 2);
    SAME(~lane & 0xff);
    SAME(!lane + !!t);
    SAME(lane < 16 ? lane * 4 : lane > 20 ? -1 : t);
    SAME(t >= 0 == lane <= 3);
    SAME(lane * 3 - t * 2);
    SAME(lane != 4 && t <= 1 || lane == 9);
    SAME(t ? 12 / t : 7);
    SAME(t != 0 && 12 / t > 3);
    SAME(+lane - -t - ~-1);
    SAME(017 + 0x1F);
    SAME(t >> 1);
}

TEST(test_places_in_a_block) {
    const fx_block block = {.size = {8, 2, 4}}, second = {.size = {8, 2, 4}, .first = FX_WARP};
    for (int64_t lane = 0; lane < 32; lane++) {
        assert_int_equal(value_in("threadIdx.x", lane, 0, NULL), lane);
        assert_int_equal(value_in("threadIdx.x", lane, 0, &block), lane % 8);
        assert_int_equal(value_in("threadIdx.y", lane, 0, &block), lane / 8 % 2);
        assert_int_equal(value_in("threadIdx.z", lane, 0, &block), lane / 16 % 4);
        assert_int_equal(value_in("tid", lane, 0, &block), lane);
        assert_int_equal(value_in("tid + 100 * lane + 10000 * threadIdx.z", lane, 0, &second),
                         32 + lane + 100 * lane + 10000 * (2 + lane / 16));
        assert_int_equal(
            value_in("threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)", lane, 0, &block), lane);
    }
}

static const char *problem(const char *text) {
    static fx_error err;
    int64_t out[FX_WARP];
    err = (fx_error){0};
    assert_int_equal(fx_expression_values(text, NULL, 0, out, &err), FX_BAD_INPUT);
    return err.text;
}

TEST(test_undefined_values) {
    assert_says(problem("4 / lane"), "division by zero at lane 0, t 0");
    assert_says(problem("4 % t"), "division by zero");
    assert_non_null(strstr(problem("4 / lane + (1 << 64)"), "division by zero at lane 0")); /* its first */
    assert_non_null(
        strstr(problem("4 / (lane - 3) + (1 << 64 - lane)"), "shift by less than 0 or more than 63 at lane 0,"));
    assert_non_null(strstr(problem("4 / (lane - 3)"), "division by zero at lane 3, t 0"));
    assert_int_equal(value("lane == 3 || 4 / (lane - 3) >= 0 ? lane : lane != 9 && 4 / (lane - 9)", 9, 0), 9);
    assert_int_equal(value("lane == 9 ? 0 : 4 / (lane - 9)", 9, 0), 0);
    assert_ok(fx_expression_values("4 / lane", NULL, 0, NULL, &err)); /* no lane asks */
    assert_says(problem("9223372036854775807 + 1"), "overflow");
    assert_non_null(strstr(problem("(-9223372036854775807 - 1) / -1"), "overflow"));
    assert_non_null(strstr(problem("-(-9223372036854775807 - 1)"), "overflow"));
    assert_says(problem("4611686018427387904 * 2"), "overflow");
    assert_says(problem("1 << 63"), "overflow");
    assert_says(problem("1 << 64"), "shift");
    assert_says(problem("1 >> -1"), "shift");
    assert_int_equal(value("(-9223372036854775807 - 1) % -1", 0, 0), 0);
}

TEST(test_what_is_no_expression) {
    static const char *const texts[] = {
        "",      " ",         "lane lane",   "4 +",          "* 4",          "(lane", "lane)",
        "lanes", "x",         "4x",          "0x",           "09",           "1 ? 2", "1 ? : 2",
        "tt",    "4..5",      "a[lane]",     "lane =",       "lane ** 2",    "$lane", "9999999999999999999",
        "tidy",  "threadIdx", "threadIdx.y", "threadIdx.xx", "threadIdx . x"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_says(problem(texts[i]), "column");
    }
}

TEST(test_limits) {
    char text[1024] = "";
    memset(text, '(', FX_EXPRESSION_DEPTH);
    strcat(text, "1");
    memset(text + strlen(text), ')', FX_EXPRESSION_DEPTH);
    assert_says(problem(text), "nested too deeply");
    memset(text, 0, sizeof text);
    memset(text, '-', sizeof text - 1);
    assert_says(problem(text), "nested too deeply");
    memset(text, 0, sizeof text);
    for (int i = 0; i < 500; i++) {
        strcat(text, "1+");
    }
    assert_int_equal(value(strcat(text, "1"), 0, 0), 501);
}

UNIT_MAIN(NULL, NULL)
