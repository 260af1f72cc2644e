// Flags by environment variable. Run with BENCHMARK_FORMAT=nonsense, at which Google Benchmark itself would exit,
// BENCHMARK_FILTER=second and BENCHMARK_CONTEXT=from=environment; the order of the tests matters.

// clang-format off
#include "../unit/unit.h"

#include <setjmp.h> // cmocka.h needs these three before it
// clang-format on
#include "fixture.h"

TEST(a_bad_value_is_an_error) {
    assert_int_equal(initialize("--benchmark_min_time=1", NULL), GB_ERROR);
    assert_string_equal(gb_last_error(),
                        "environment variable BENCHMARK_FORMAT: 'nonsense' is not console, json or csv");
}

TEST(the_command_line_wins) {
    must_register("first", loop, NULL);
    must_register("second", loop, NULL);
    assert_int_equal(initialize("--benchmark_min_time=0.01s", "--benchmark_format=console"), GB_OK);
    const char *report = run_into_file();
    assert_null(strstr(report, "\"name\": \"first"));
    assert_says(report, "\"name\": \"second/iterations:1\"");
    assert_says(report, "\"from\": \"environment\"");
    assert_int_equal(gb_shutdown(), GB_OK);
}

int main(void) {
    return all_run(UNIT_RUN(NULL, NULL));
}
