/* Predictions of one archive against the cases of another: what is right, what is off, what cannot be predicted, and
 * when an aim is met. The truth is planted: a = 1, b = 2. */
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

#include "archive/judge.h"

static const fx_axis axes[] = {{"mode", "", "", "load store walk", 0, 0, 0},
                               {"width", "", "", NULL, 1, 16, 4},
                               {"seed", "", "", NULL, 0, 9999, 0}};
static const fx_metric metrics[] = {{"step_cycles", "cycles", FX_SM_CYCLES, false, "step"}};
static const fx_sweep sweeps[] = {{"all", "mode=load", NULL}};
static const fx_aim aims[] = {{"mode=load width=4", 2, 99.9}, {"mode=load,store", 5, NAN}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    (void)facts;
    (void)lanes;
    out->law = "steps";
    out->count = 10;
    out->in_fit = !(params->value[1] == 8 && params->value[2] == 7);
}

static const fx_probe stepper = {
    .name = "stepper",
    .question = "What does a step cost?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "mode",
    .law = law,
    FX_TABLE(aims),
    .drawn_by = "seed",
};
FX_PROBE(stepper)

static char base[] = "/tmp/gpufx-test-judge-XXXXXX", fresh[] = "/tmp/gpufx-test-judge-XXXXXX";

static FILE *begin(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"type\":\"run\",\"schema\":2,\"id\":\"0123abcd\"}\n", file);
    return file;
}

static void fit(FILE *to, const char *mode) {
    fprintf(to,
            "{\"type\":\"fit\",\"process\":0,\"probe\":\"stepper\",\"group\":{\"mode\":\"%s\"},\"law\":\"steps\","
            "\"metric\":\"step_cycles\",\"n\":3,\"a\":1,\"b\":2,\"r_squared\":1,\"largest_residual_pct\":0,"
            "\"worst_case\":\"\",\"holds\":true}\n",
            mode);
}

/* A case of count 10 by today's law, whatever it was by that of then, so predicted 21, and measured `off` times that.
 */
static void measured(FILE *to, const char *mode, int width, int seed, double off) {
    fprintf(to,
            "{\"type\":\"case\",\"process\":0,\"name\":\"stepper/mode:%s/width:%d/seed:%d\",\"probe\":\"stepper\","
            "\"method_version\":1,\"params\":{\"mode\":\"%s\",\"width\":%d,\"seed\":%d},\"metric\":{\"name\":"
            "\"step_cycles\"},\"n\":1,\"median\":%.17g,\"samples\":[%.17g],\"law\":{\"name\":\"steps\",\"count\":3,"
            "\"in_fit\":true}}\n",
            mode, width, seed, mode, width, seed, 21 * off, 21 * off);
}

static fx_judged *judge(size_t *count, json_t *failed) {
    fx_predictor *by = NULL;
    fx_judged *out = NULL;
    fx_error err = {0};
    if (fx_predictor_open(base, &by, &err) || fx_judge(by, fresh, &out, count, failed, &err)) {
        fail_msg("%s", err.text);
    }
    fx_predictor_close(by);
    return out;
}

static void right_off_and_not_predicted(void **state) {
    (void)state;
    FILE *file = begin(base);
    fit(file, "load");
    fclose(file);
    file = begin(fresh);
    for (int i = 0; i < 1000; i++) {
        measured(file, "load", 4, i, i == 7 ? 1.03 : i % 2 ? 1.019 : 0.981); /* 999 of 1000 within 2 % */
    }
    for (int i = 0; i < 6; i++) {
        measured(file, "load", 8, i, 1 + 0.1 * i); /* the second aim: right, then five off */
    }
    measured(file, "store", 4, 0, 1); /* no fit of stores */
    measured(file, "load", 8, 7, 9);  /* no claim */
    measured(file, "walk", 4, 0, 9);  /* no aim speaks of it */
    fputs("{\"type\":\"failed\",\"process\":0,\"probe\":\"stepper\",\"name\":\"stepper/"
          "mode:walk\",\"params\":{\"mode\":\"walk\"},\"status\":\"wrong_result\"}\n",
          file);
    fclose(file);
    size_t count;
    json_t *failed = json_object();
    fx_judged *rows = judge(&count, failed);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].right, 999);
    assert_int_equal(rows[0].off, 1);
    assert_int_equal(rows[0].unpredicted, 0);
    assert_string_equal(fx_judged_verdict(&rows[0]), "agrees");
    assert_string_equal(rows[0].farthest[0].name, "stepper/mode:load/width:4/seed:7");
    assert_true(fabs(rows[0].farthest[0].off_pct - 3) < 1e-9);
    assert_true(fabs(rows[0].farthest[0].predicted - 21) < 1e-9);
    assert_int_equal(rows[1].right, 1);
    assert_int_equal(rows[1].off, 5);
    assert_int_equal(rows[1].unpredicted, 2);
    assert_int_equal(rows[1].not_claimed, 1);
    assert_string_equal(fx_judged_verdict(&rows[1]), "no aim");
    assert_int_equal(rows[1].farthest_count, FX_FARTHEST);
    for (size_t i = 0; i < FX_FARTHEST; i++) {
        assert_true(fabs(rows[1].farthest[i].off_pct - 10 * (double)(FX_FARTHEST - i)) < 1e-9);
    }
    assert_int_equal(json_integer_value(json_object_get(failed, "wrong_result")), 1);
    json_decref(failed);
    free(rows);
}

/* One prediction more that is wrong, and the aim is missed; where nothing can be predicted, nothing is said. */
static void an_aim_is_missed_by_one(void **state) {
    (void)state;
    const fx_aim *aim = &aims[0];
    assert_string_equal(fx_judged_verdict(&(fx_judged){.aim = aim, .right = 998, .off = 2}), "OFF");
    assert_string_equal(fx_judged_verdict(&(fx_judged){.aim = aim, .right = 999, .off = 1}), "agrees");
    assert_string_equal(fx_judged_verdict(&(fx_judged){.aim = aim, .unpredicted = 5}), "waived");
    FILE *file = begin(base);
    fclose(file);
    size_t count;
    json_t *failed = json_object();
    fx_judged *rows = judge(&count, failed);
    assert_int_equal(rows[0].unpredicted, 1000);
    assert_int_equal(rows[0].not_claimed, 0);
    assert_string_equal(fx_judged_verdict(&rows[0]), "waived");
    free(rows);
    json_decref(failed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_off_and_not_predicted),
        cmocka_unit_test(an_aim_is_missed_by_one),
    };
    const int files[] = {mkstemp(base), mkstemp(fresh)};
    if (files[0] < 0 || files[1] < 0) {
        return 1;
    }
    (void)close(files[0]);
    (void)close(files[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(base);
    (void)unlink(fresh);
    return failed;
}
