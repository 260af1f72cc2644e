// Exceptions stop at the border: what a callback written in C++ throws becomes a failed benchmark or a status.

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

extern "C" {
#include <cmocka.h>

#include "record.h"
}

namespace {

record kept;

enum what { nothing, out_of_memory, text, number };

void throw_it(what it) {
    switch (it) {
    case out_of_memory:
        throw std::bad_alloc();
    case text:
        throw std::runtime_error("a text");
    case number:
        throw 7;
    case nothing:
        break;
    }
}

const struct {
    what it;
    gb_status status;
    const char *text;
} cases[] = {{out_of_memory, GB_ERROR_MEMORY, "out of memory"},
             {text, GB_ERROR_INTERNAL, "a text"},
             {number, GB_ERROR_INTERNAL, "an exception of unknown type"}};

void throws_in_the_loop(gb_state *state, void *context) {
    while (gb_keep_running(state)) {
        throw_it(*static_cast<what *>(context));
    }
}

void from_a_benchmark(void **) {
    for (const auto &one : cases) {
        for (int threads = 1; threads <= 3; threads += 2) {
            what it = one.it;
            gb_benchmark benchmark = {};
            benchmark.name = "throws";
            benchmark.run = throws_in_the_loop;
            benchmark.context = &it;
            benchmark.iterations = 2;
            benchmark.threads = threads;
            run_alone(&kept, &benchmark);
            assert_int_equal(kept.runs[0].run.skip, GB_SKIPPED_WITH_ERROR);
            assert_string_equal(kept.runs[0].skip_text, one.text);
        }
    }
}

struct thrower {
    what in_begin, in_runs, in_finish;
    int finishes;
};

bool throwing_begin(void *context, const gb_run_context *) {
    throw_it(static_cast<thrower *>(context)->in_begin);
    return true;
}

void throwing_runs(void *context, const gb_run *, std::size_t) {
    throw_it(static_cast<thrower *>(context)->in_runs);
}

void throwing_finish(void *context) {
    static_cast<thrower *>(context)->finishes++;
    throw_it(static_cast<thrower *>(context)->in_finish);
}

void from_a_reporter(void **) {
    what it = nothing;
    gb_benchmark benchmark = {};
    benchmark.name = "calm";
    benchmark.run = throws_in_the_loop;
    benchmark.context = &it;
    benchmark.iterations = 1;
    assert_int_equal(gb_clear(), GB_OK);
    assert_int_equal(gb_register(&benchmark), GB_OK);
    for (const auto &one : cases) {
        for (int place = 0; place < 3; place++) {
            thrower context = {};
            (place == 0 ? context.in_begin : place == 1 ? context.in_runs : context.in_finish) = one.it;
            gb_reporter reporter = {};
            reporter.context = &context;
            reporter.begin = throwing_begin;
            reporter.runs = throwing_runs;
            reporter.finish = throwing_finish;
            std::size_t count = 9;
            assert_int_equal(gb_run_benchmarks("", &reporter, &count), one.status);
            assert_int_equal(count, 0);
            assert_int_equal(context.finishes, place == 0 ? 0 : 1);
            assert_int_equal(gb_run_benchmarks("nothing", &reporter, &count), GB_ERROR_NO_MATCH); // not still "running"
        }
    }
}

bool throwing_each(const char *, void *) {
    throw std::bad_alloc();
}

void from_a_listing(void **) {
    assert_int_equal(gb_list_matching("", throwing_each, nullptr), GB_ERROR_MEMORY);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_benchmark),
        cmocka_unit_test(from_a_reporter),
        cmocka_unit_test(from_a_listing),
    };
    return all_run(cmocka_run_group_tests_name("gbench/exception", tests, NULL, NULL));
}
