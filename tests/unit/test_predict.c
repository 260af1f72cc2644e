/* Fits of an archive: pooled by one rule, found by law, metric and group, and refused where they speak of another law
 * or method. The archives are written here, line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    (void)facts;
    (void)lanes;
    out->law = "l2_store";
    out->count = (double)params->value[STEPS];
    out->in_fit = params->value[STEPS] < 50;
}

static const fx_probe stepper = {
    .name = "stepper",
    .question = "What does a step cost?",
    .method_version = 3,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "mode width",
    .law = law,
};
FX_PROBE(stepper)

static char path[] = "/tmp/gpufx-test-predict-XXXXXX";

#define RUN(rest) "{\"type\":\"run\",\"schema\":2,\"id\":\"0123abcd\",\"provenance\":\"measured\"" rest "}\n"
#define FIT(process, more, a, b, residual, holds)                                                                      \
    "{\"type\":\"fit\",\"process\":" process ",\"probe\":\"stepper\"," more ",\"metric\":\"step_cycles\",\"n\":7,"     \
    "\"a\":" a ",\"b\":" b ",\"a_ci95\":[" a "," a "1],\"b_ci95\":null,\"r_squared\":0.9,"                             \
    "\"largest_residual_pct\":" residual ",\"worst_case\":\"case " residual "\",\"holds\":" holds "}\n"
#define GROUP_OF(mode, width) "\"group\":{\"mode\":\"" mode "\",\"width\":" width "},\"law\":\"l2_store\""

/* The end line makes its sum the only check of lines that say no more than a test needs. */
static fx_predictor *read_fits(const char *text) {
    fx_predictor *out = NULL;
    fx_error err = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const unsigned long sum = crc32_z(0, (const unsigned char *)text, strlen(text));
    assert_true(fprintf(file, "%s{\"type\":\"end\",\"complete\":true,\"crc32\":\"%08lx\"}\n", text, sum) > 0);
    assert_int_equal(fclose(file), 0);
    if (fx_predictor_open(path, &out, &err) != FX_OK) {
        fail_msg("%s", err.text);
    }
    return out;
}

static const fx_known_fit *find(const fx_predictor *p, int64_t mode, int64_t width, const char *name) {
    const fx_params params = {.value = {mode, width}};
    return fx_predictor_find(p, &stepper, &params, name, "step_cycles");
}

/* No process is right by itself: the medians of a and b come from different ones. */
static void processes_are_pooled_by_their_medians(void **state) {
    (void)state;
    fx_predictor *p = read_fits(RUN("") FIT("0", GROUP_OF("latency", "4"), "1.0", "9.0", "2.5", "true")
                                    FIT("0", GROUP_OF("latency", "8"), "5.0", "1.0", "1.0", "true")
                                        FIT("1", GROUP_OF("latency", "4"), "3.0", "7.0", "12.5", "false")
                                            FIT("2", GROUP_OF("latency", "4"), "2.0", "30.0", "0.5", "false"));
    size_t count;
    const fx_known_fit *fits = fx_predictor_fits(p, &count);
    assert_int_equal(count, 2);
    const fx_known_fit *fit = find(p, 0, 4, "l2_store");
    assert_ptr_equal(fit, &fits[0]);
    assert_near(fit->fit.a, 2);
    assert_near(fit->fit.b, 9);
    assert_near(fx_predict(fit, 10), 92);
    assert_near(fit->fit.a_low, 1);
    assert_near(fit->fit.a_high, 3.01);
    assert_true(isnan(fit->fit.b_low));
    assert_near(fit->fit.largest_residual_pct, 12.5);
    assert_string_equal(fit->worst_case, "case 12.5");
    assert_string_equal(fit->unit, "cycles");
    assert_int_equal(fit->processes, 3);
    assert_int_equal(fit->holds_in, 1);
    assert_false(fit->holds); /* in one of three */
    assert_false(fit->pooled);
    assert_true(find(p, 0, 8, "l2_store")->holds);
    assert_near(find(p, 0, 8, "l2_store")->law_missed_pct, 12.5); /* the law has been off, though not in this group */
    assert_false(find(p, 0, 8, "l2_store")->law_holds);
    assert_null(find(p, 1, 4, "l2_store"));
    assert_null(find(p, 0, 16, "l2_store"));
    assert_null(find(p, 0, 4, "l1_load"));
    assert_true(isnan(fx_predict(NULL, 3)) && isnan(fx_predict(fit, 0)));
    assert_string_equal(fx_predictor_origin(p)->id, "0123abcd");
    fx_predictor_close(p);
}

static void the_pooled_line_goes_before_those_of_processes(void **state) {
    (void)state;
    fx_predictor *p = read_fits(RUN("") FIT("0", GROUP_OF("latency", "4"), "1.0", "9.0", "2.5", "false")
                                    FIT("1", GROUP_OF("latency", "4"), "3.0", "7.0", "12.5", "false")
                                        FIT("null", GROUP_OF("latency", "4"), "2.5", "8.0", "3.5", "true"));
    const fx_known_fit *fit = find(p, 0, 4, "l2_store");
    assert_true(fit->pooled && fit->holds);
    assert_int_equal(fit->processes, 2);
    assert_near(fx_predict(fit, 2), 18.5);
    assert_near(fit->fit.largest_residual_pct, 3.5);
    fx_predictor_close(p);
}

static const char *why_not(const char *text) {
    static char reason[128];
    size_t count;
    fx_predictor *p = read_fits(text);
    const fx_known_fit *fits = fx_predictor_fits(p, &count);
    assert_int_equal(count, 1);
    (void)snprintf(reason, sizeof reason, "%s", fits[0].why_not);
    assert_true(!*reason == (find(p, 0, 4, "l2_store") != NULL));
    fx_predictor_close(p);
    return reason;
}

static void fits_of_another_law_or_method_do_not_predict(void **state) {
    (void)state;
#define ONE FIT("0", GROUP_OF("latency", "4"), "1.0", "9.0", "2.5", "true")
    assert_string_equal(why_not(RUN("") ONE), "");
    assert_string_equal(why_not(RUN(",\"law_version\":6,\"probes\":{\"stepper\":{\"method_version\":3}}") ONE), "");
    assert_non_null(strstr(why_not(RUN(",\"law_version\":1") ONE), "law version 1"));
    assert_non_null(strstr(why_not(RUN(",\"law_version\":99") ONE), "law version 99"));
    assert_non_null(strstr(why_not(RUN(",\"probes\":{\"stepper\":{\"method_version\":2}}") ONE), "method version 2"));
    assert_non_null(
        strstr(why_not(RUN("") FIT("0", GROUP_OF("latency", "4"), "1.0", "-9.0", "2.5", "true")), "not grow"));
}

/* Before schema 2 only the cases have their method. */
static void the_method_of_old_archives_is_that_of_their_cases(void **state) {
    (void)state;
#define OLD                                                                                                            \
    "{\"type\":\"run\",\"schema\":1,\"id\":\"0123abcd\",\"provenance\":\"measured\",\"arguments\":[\"run\"],"          \
    "\"launches\":1}\n"
#define OLD_CASE(version)                                                                                              \
    "{\"type\":\"case\",\"launch\":0,\"name\":\"stepper/steps:1\",\"probe\":\"stepper\",\"method_version\":" version   \
    ",\"params\":{\"mode\":\"latency\",\"width\":4,\"steps\":1},\"metric\":{\"name\":\"step_cycles\"},\"median\":5,"   \
    "\"clocks\":{\"sm_clock_MHz\":null,\"before\":null,\"after\":null},"                                               \
    "\"law\":{\"name\":\"l2_store\",\"count\":1,\"in_fit\":true,\"counts\":{}}}\n"
#define OLD_FIT                                                                                                        \
    "{\"type\":\"fit\",\"launch\":0,\"probe\":\"stepper\"," GROUP_OF(                                                  \
        "latency",                                                                                                     \
        "4") ",\"metric\":\"step_cycles\",\"n\":7,"                                                                    \
             "\"a\":1,\"b\":9,\"r_squared\":1,\"largest_residual_pct\":1,\"worst_case\":\"stepper/steps:1\"}\n"
    assert_string_equal(why_not(OLD OLD_CASE("3") OLD_FIT), "");
    assert_non_null(strstr(why_not(OLD OLD_CASE("1") OLD_FIT), "method version 1, and today's is 3"));
    assert_string_equal(why_not(OLD OLD_FIT), ""); /* nothing says */
}

/* Lines without what a fit must have. */
static void lines_that_are_no_fits_are_left_out(void **state) {
    (void)state;
    size_t count;
    fx_predictor *p = read_fits(RUN("") "{\"type\":\"fit\"}\n{\"type\":\"fit\",\"a\":1,\"b\":2,\"probe\":3}\n"
                                        "{\"type\":\"case\",\"a\":1,\"b\":2}\n" FIT("0", GROUP_OF("latency", "4"),
                                                                                    "1.0", "null", "2.5", "true"));
    (void)fx_predictor_fits(p, &count);
    assert_int_equal(count, 0);
    fx_predictor_close(p);
    fx_error err = {0};
    assert_int_equal(fx_predictor_open("/nowhere/at.jsonl", &p, &err), FX_IO);
}

/* Of law version 1, whose fit is far off; counted as today the cases cost 3 + 2 x steps. */
#define CASE(process, steps, median)                                                                                   \
    "{\"type\":\"case\",\"process\":" process ",\"name\":\"stepper/steps:" steps                                       \
    "\",\"probe\":\"stepper\",\"params\":{"                                                                            \
    "\"mode\":\"latency\",\"width\":4,\"steps\":" steps "},\"metric\":{\"name\":\"step_cycles\"},\"median\":" median   \
    ","                                                                                                                \
    "\"law\":{\"name\":\"l2_store\",\"count\":1,\"in_fit\":true}}\n"

static void cases_of_another_law_are_counted_anew(void **state) {
    (void)state;
#define CASES CASE("0", "1", "4.9") CASE("0", "2", "7") CASE("0", "4", "11.0") CASE("0", "60", "900")
#define MORE  CASE("1", "1", "5") CASE("1", "2", "7") CASE("1", "4", "11.0") CASE("2", "1", "8") CASE("2", "4", "11.05")
    fx_predictor *p = read_fits(RUN(",\"law_version\":1")
                                    CASES MORE ONE FIT("1", GROUP_OF("latency", "4"), "7", "9", "2.5", "false"));
    const fx_known_fit *fit = find(p, 0, 4, "l2_store");
    size_t count;
    assert_non_null(fit);
    assert_true(fit->recounted && fit->holds);
    assert_int_equal(fit->fit.n, 3); /* the case of 60 steps is not claimed */
    assert_near(fit->fit.a, 3);      /* the median of 4.9, 5 and 8 is 5, and that of 11, 11 and 11.05 is 11 */
    assert_near(fit->fit.b, 2);
    assert_near(fx_predict(fit, 10), 23);
    fx_predictor_close(p);
    p = read_fits(RUN(",\"law_version\":1") CASE("0", "1", "5") CASE("0", "2", "7") ONE); /* too little for a fit */
    assert_null(find(p, 0, 4, "l2_store"));
    assert_false(fx_predictor_fits(p, &count)[0].recounted);
    fx_predictor_close(p);
    p = read_fits(RUN(",\"law_version\":6") CASES ONE); /* of today: as it was fitted then */
    assert_false(find(p, 0, 4, "l2_store")->recounted);
    assert_near(find(p, 0, 4, "l2_store")->fit.b, 9);
    fx_predictor_close(p);
    assert_non_null(strstr(why_not(RUN(",\"law_version\":1,\"probes\":{\"stepper\":{\"method_version\":2}}") CASES ONE),
                           "method version 2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_pooled_by_their_medians),
        cmocka_unit_test(the_pooled_line_goes_before_those_of_processes),
        cmocka_unit_test(fits_of_another_law_or_method_do_not_predict),
        cmocka_unit_test(the_method_of_old_archives_is_that_of_their_cases),
        cmocka_unit_test(lines_that_are_no_fits_are_left_out),
        cmocka_unit_test(cases_of_another_law_are_counted_anew),
    };
    const int file = mkstemp(path);
    if (file < 0) {
        return 1;
    }
    (void)close(file);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
