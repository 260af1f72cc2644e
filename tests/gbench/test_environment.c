// Flags by environment variable. Run with BENCHMARK_FORMAT=nonsense, at which Google Benchmark itself would exit,
// BENCHMARK_FILTER=second and BENCHMARK_CONTEXT=from=environment; the order of the tests matters.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h> // cmocka.h needs these three before it
#include <cmocka.h>
// clang-format on
#include "fixture.h"

static void a_bad_value_is_an_error(void **unused) {
    (void)unused;
    assert_int_equal(initialize("--benchmark_min_time=1", NULL), GB_ERROR);
    assert_string_equal(gb_last_error(),
                        "environment variable BENCHMARK_FORMAT: 'nonsense' is not console, json or csv");
}

static void the_command_line_wins(void **unused) {
    (void)unused;
    must_register("first", loop, NULL);
    must_register("second", loop, NULL);
    assert_int_equal(initialize("--benchmark_min_time=0.01s", "--benchmark_format=console"), GB_OK);
    const char *report = run_into_file();
    assert_null(strstr(report, "\"name\": \"first"));
    assert_non_null(strstr(report, "\"name\": \"second/iterations:1\""));
    assert_non_null(strstr(report, "\"from\": \"environment\""));
    assert_int_equal(gb_shutdown(), GB_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_value_is_an_error),
        cmocka_unit_test(the_command_line_wins),
    };
    return all_run(cmocka_run_group_tests_name("gbench/environment", tests, NULL, NULL));
}
