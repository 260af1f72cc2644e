/* A process of its own for a hook of a probe. This program is both sides: started by itself, it serves. */
#include "unit.h"

#include <unistd.h>

#include "core/fresh_process.h"

/* What the child does is said by the argument. */
static fx_status hook(const char *argument, double *numbers, size_t count, fx_error *err) {
    const char *word = getenv("FX_TEST_FRESH"), *kept = getenv("FX_TEST_KEPT");
    if (!strcmp(argument, "waived")) {
        return fx_fail(err, FX_UNSUPPORTED, "not on this machine; take another");
    }
    if (!strcmp(argument, "lost")) {
        return fx_fail(err, FX_DEVICE_LOST, "the device is lost");
    }
    if (!strcmp(argument, "die")) {
        _exit(7);
    }
    if (!strcmp(argument, "chatter")) {
        for (int i = 0; i < 1000; i++) {
            printf("1 and so on\n");
        }
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (double)getpid();
    }
    numbers[0] = word ? atof(word) : -1;
    numbers[1] = kept ? atof(kept) : -1;
    return FX_OK;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {}

static const fx_axis axes[] = {{"n", "", "nothing", NULL, 0, 1, 0}};
static const fx_sweep sweeps[] = {{"n", "n=0", "n=0"}};
static const fx_metric metrics[] = {{"a_ns", "ns", FX_HOST_NS, false, "piece"}};

static const fx_probe with_hook = {
    .name = "with_hook",
    .question = "?",
    .method_version = 1,
    FX_TABLES,
    .law = law,
    .in_fresh_process = hook,
};
FX_REGISTER(with_hook)

TEST(numbers_come_back_from_another_process) {
    double numbers[3] = {0};
    assert_int_equal(setenv("FX_TEST_FRESH", "5", 1), 0);
    assert_int_equal(setenv("FX_TEST_KEPT", "6", 1), 0);
    assert_ok(fx_fresh_process(&with_hook, "", "FX_TEST_FRESH=0.1", numbers, 3, &err));
    assert_true(numbers[0] == 0.1); /* all digits */
    assert_true(numbers[1] == 6);
    assert_true(numbers[2] > 0 && numbers[2] != (double)getpid());
    assert_string_equal(getenv("FX_TEST_FRESH"), "5"); /* ours stays */
    assert_ok(fx_fresh_process(&with_hook, "", NULL, numbers, 3, &err));
    assert_true(numbers[0] == 5);
}

static void refused(const char *argument, fx_status wanted, const char *text) {
    double numbers[2];
    fx_error err = {0};
    assert_int_equal(fx_fresh_process(&with_hook, argument, NULL, numbers, 2, &err), wanted);
    assert_int_equal(err.status, wanted);
    assert_says(err.text, text);
}

TEST(failures_come_back_as_sentences) {
    refused("waived", FX_UNSUPPORTED, "not on this machine; take another");
    refused("lost", FX_DEVICE, "the device is lost"); /* to the child */
    refused("die", FX_DEVICE, "died");
    refused("chatter", FX_BAD_INPUT, "and so on"); /* read as the status 1 */
}

TEST(a_probe_without_a_hook_is_refused) {
    fx_probe other = with_hook;
    double number;
    other.name = "other";
    assert_int_equal(fx_fresh_process(&other, "", NULL, &number, 1, &err), FX_BAD_INPUT);
    assert_says(err.text, "--fresh-process is for the program itself");
}

TEST(other_command_lines_are_left_alone) {
    char program[] = "gpufx", verb[] = "run", flag[] = "--fresh-process";
    char *words[] = {program, verb, NULL}, *bare[] = {program, flag, NULL};
    int status = 42;
    assert_false(fx_fresh_process_serves(2, words, &status));
    assert_false(fx_fresh_process_serves(2, bare, &status));
    assert_false(fx_fresh_process_serves(1, words, &status));
    assert_int_equal(status, 42);
}

int main(int argc, char **argv) {
    int status;
    if (fx_fresh_process_serves(argc, argv, &status)) {
        return status;
    }
    return UNIT_RUN(NULL, NULL);
}
