/* Claims: which cases decide them, and what is said of a table that can't be right. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cases.h"
#include "core/claim.h"

static const fx_axis axes[] = {
    {"order", "", "", "chunked interleaved", 0, 0, 0},
    {"size", "bytes", "", NULL, 1, 64, 1},
};
static const fx_sweep sweeps[] = {{"all", "order=chunked,interleaved size=1:4", NULL},
                                  {"more", "order=chunked size=8", NULL}};
static const fx_metric metrics[] = {{"sum_ns", "ns", FX_GPU_NS, false, "access"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)facts, (void)params, (void)table, (void)out;
}

static const fx_probe probe = {
    .name = "order",
    .question = "?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .extras = "power_W hits",
    .law = law,
};

static fx_claim claim(const char *where, const char *against) {
    return (fx_claim){.text = "it matters",
                      .source = "lecture",
                      .where = where,
                      .against = against,
                      .quantity = "cost",
                      .low = 2,
                      .high = INFINITY};
}

static int setup(void **state) {
    static fx_case_list list;
    fx_facts facts = {0};
    fx_error err = {0};
    *state = &list;
    return fx_cases_expand(&probe, &facts, false, NULL, 0, &list, &err) != FX_OK;
}

static int teardown(void **state) {
    fx_case_list_free(*state);
    return 0;
}

static void a_case_meets_the_one_that_differs_in_nothing_else(void **state) {
    const fx_case_list *list = *state;
    const fx_claim c = claim("order=chunked size=2,3,8", "order=interleaved");
    fx_error err = {0};
    fx_claim_pair *pairs;
    size_t count;
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_OK);
    assert_int_equal(count, 2); /* size 8 is there in one order alone */
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pairs[i].tested->params.value[0], 0);
        assert_int_equal(pairs[i].base->params.value[0], 1);
        assert_int_equal(pairs[i].tested->params.value[1], (int64_t)i + 2);
        assert_int_equal(pairs[i].base->params.value[1], (int64_t)i + 2);
    }
    free(pairs);
}

static void a_case_is_not_compared_with_itself(void **state) {
    const fx_case_list *list = *state;
    const fx_claim c = claim("size=1,2", "size=1");
    fx_error err = {0};
    fx_claim_pair *pairs;
    size_t count;
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_OK);
    assert_int_equal(count, 2);
    free(pairs);
}

static void several_selections_go_together(void **state) {
    const fx_case_list *list = *state;
    /* The second of each pair of selections is that of the first, so it counts once; the third has its own partner. */
    const fx_claim c = claim("order=chunked size=2; size=2 order=chunked; size=4", "size=1; size=1; size=3");
    fx_error err = {0};
    fx_claim_pair *pairs;
    size_t count;
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pairs[i].tested->params.value[1] - pairs[i].base->params.value[1], 1);
    }
    free(pairs);
}

static void an_open_claim_has_no_pairs(void **state) {
    const fx_case_list *list = *state;
    fx_claim c = {.text = "it matters", .source = "me", .given = {.otherwise = "nobody looked"}};
    fx_error err = {0};
    fx_claim_pair *pairs;
    size_t count;
    assert_true(fx_claim_is_open(&c));
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_OK);
    assert_int_equal(count, 0);
    free(pairs);
    c = claim("size=1", NULL);
    c.given = (fx_claim_given){.where = "size=2", .quantity = "cost", .high = 2, .otherwise = "size=2 is slow"};
    assert_false(fx_claim_is_open(&c));
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_OK);
    assert_int_equal(count, 2);
    free(pairs);
}

static void without_against_each_case_stands_alone(void **state) {
    const fx_case_list *list = *state;
    const fx_claim c = claim("size=8", NULL);
    fx_error err = {0};
    fx_claim_pair *pairs;
    size_t count;
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_OK);
    assert_int_equal(count, 1);
    assert_null(pairs[0].base);
    free(pairs);
}

static void refused(const fx_case_list *list, fx_claim c, const char *words) {
    fx_error err = {0};
    fx_claim_pair *pairs;
    size_t count;
    assert_int_equal(fx_claim_pairs(&probe, &c, list->cases, list->count, &pairs, &count, &err), FX_BAD_INPUT);
    if (!strstr(err.text, words) || !strstr(err.text, "probe order")) {
        fail_msg("'%s' lacks '%s'", err.text, words);
    }
}

static void a_bad_claim_is_refused(void **state) {
    const fx_case_list *list = *state;
    fx_claim c = claim("order=sideways", NULL);
    refused(list, c, "sideways");
    refused(list, claim("order=chunked", "order=all"), "several values of order");
    refused(list, claim("order=chunked", "sise=1"), "sise");
    c = claim("size=1", NULL);
    c.quantity = "power";
    refused(list, c, "'power' is neither");
    c.quantity = "hits";
    c.low = 3;
    c.high = 3;
    refused(list, c, "nothing lies from 3 to 3");
    c.low = NAN;
    refused(list, c, "nothing lies");
    c = claim("size=1", NULL);
    c.source = "";
    refused(list, c, "lacks its text");
    refused(list, claim("size=1; size=2; size=3", "size=4; size=8"), "as many as selections, or one for all");
    refused(list, claim("size=1; sise=2", NULL), "sise");
    c = claim("size=1", NULL);
    c.given = (fx_claim_given){.where = "size=2", .quantity = "cost", .high = 2};
    refused(list, c, "lacks its otherwise");
    c.given.otherwise = "no";
    c.given.quantity = "power";
    refused(list, c, "'power' is neither");
    c.given = (fx_claim_given){.probe = "nobody", .where = "size=2", .quantity = "cost", .high = 2, .otherwise = "no"};
    refused(list, c, "names probe nobody, which there is not");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_meets_the_one_that_differs_in_nothing_else),
        cmocka_unit_test(a_case_is_not_compared_with_itself),
        cmocka_unit_test(several_selections_go_together),
        cmocka_unit_test(an_open_claim_has_no_pairs),
        cmocka_unit_test(without_against_each_case_stands_alone),
        cmocka_unit_test(a_bad_claim_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
