// Flags by environment variable. Run with BENCHMARK_FORMAT=nonsense, at which Google Benchmark itself would exit,
// BENCHMARK_FILTER=second and BENCHMARK_CONTEXT=from=environment; the order of the tests matters.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h> // cmocka.h needs these three before it
#include <cmocka.h>
// clang-format on
#include "record.h"

static record kept;

static void loop(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running(state)) {
    }
}

static void a_bad_value_is_an_error(void **unused) {
    (void)unused;
    const char *text = "environment variable BENCHMARK_FORMAT: 'nonsense' is not console, json or csv";
    char name[] = "program";
    char *argv[] = {name, NULL};
    int argc = 1;
    size_t count = 0;
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_register(&(gb_benchmark){.name = "first", .run = loop, .iterations = 1}), GB_OK);
    assert_int_equal(gb_register(&(gb_benchmark){.name = "second", .run = loop, .iterations = 1}), GB_OK);
    assert_int_equal(gb_run_benchmarks(NULL, &reporter, NULL), GB_ERROR_FLAG);
    assert_string_equal(gb_last_error(), text);
    assert_int_equal(gb_count_matching(NULL, &count), GB_ERROR_FLAG);
    assert_int_equal(gb_initialize(&argc, argv), GB_ERROR_FLAG);
    assert_string_equal(gb_last_error(), text);
    assert_int_equal(kept.begins, 0);
}

static void the_command_line_wins(void **unused) {
    (void)unused;
    char name[] = "program";
    char flag[] = "--benchmark_format=console";
    char recent[] = "--benchmark_min_time=0.01s"; // handed over on its own, and must not meet the bad format
    char *argv[] = {name, recent, flag, NULL};
    int argc = 3;
    assert_int_equal(gb_initialize(&argc, argv), GB_OK);
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_run_benchmarks(NULL, &reporter, NULL), GB_OK);
    assert_int_equal(kept.run_count, 1);
    assert_string_equal(kept.runs[0].registered_name, "second");
    assert_string_equal(kept.pairs, "from=environment;");
    assert_int_equal(gb_shutdown(), GB_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_value_is_an_error),
        cmocka_unit_test(the_command_line_wins),
    };
    return all_run(cmocka_run_group_tests_name("gbench/environment", tests, NULL, NULL));
}
