// Run with BENCHMARK_OUT_FORMAT=nonsense, at which Google Benchmark itself would exit.

// clang-format off
#include "../unit/unit.h"

#include <setjmp.h> // cmocka.h needs these three before it
// clang-format on
#include "fixture.h"

TEST(a_variable_is_refused) {
    must_register("first", once, NULL);
    assert_int_equal(initialize("--benchmark_out_format=json", NULL), GB_ERROR);
    assert_string_equal(gb_last_error(), "environment variable BENCHMARK_OUT_FORMAT: unset it, and give a flag");
    unsetenv("BENCHMARK_OUT_FORMAT");
    assert_int_equal(initialize("--benchmark_out_format=json", NULL), GB_OK);
    assert_says(run_into_file(), "\"name\": \"first/iterations:1/manual_time\"");
    assert_int_equal(gb_shutdown(), GB_OK);
}

int main(void) {
    return all_run(UNIT_RUN(NULL, NULL));
}
