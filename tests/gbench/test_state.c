// What a benchmark can do while it runs, and that each misuse ends as a failed benchmark, not as a dead process.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h> // cmocka.h needs these three before it
#include <cmocka.h>
// clang-format on
#include "record.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>

static record kept;

static void expect_error(const char *text) {
    assert_int_equal(kept.runs[0].run.skip, GB_SKIPPED_WITH_ERROR);
    assert_string_equal(kept.runs[0].skip_text, text);
}

static void count_loops(gb_state *state, void *context) {
    int64_t *loops = context;
    assert_int_equal(gb_iterations(state), 0);
    assert_int_equal(gb_max_iterations(state), 7);
    while (gb_keep_running(state)) {
        ++*loops;
        assert_int_equal(gb_iterations(state), *loops);
    }
    assert_int_equal(gb_iterations(state), 7);
    assert_false(gb_keep_running(state)); // again: no abort
}

static void keep_running_counts(void **unused) {
    (void)unused;
    int64_t loops = 0;
    run_alone(&kept, &(gb_benchmark){.name = "loop", .run = count_loops, .context = &loops, .iterations = 7});
    assert_int_equal(loops, 7);
    assert_int_equal(kept.runs[0].run.iterations, 7);
    assert_int_equal(kept.runs[0].run.skip, GB_NOT_SKIPPED);
    assert_string_equal(kept.runs[0].name, "loop/iterations:7");
    assert_string_equal(kept.runs[0].registered_name, "loop");
    assert_int_equal(kept.runs[0].run.unit, GB_UNIT_NS);
}

static void batches(gb_state *state, void *context) {
    int *calls = context;
    while (gb_keep_running_batch(state, 4)) {
        ++*calls;
    }
}

static void batch_may_overshoot(void **unused) {
    (void)unused;
    int calls = 0;
    run_alone(&kept, &(gb_benchmark){.name = "batch", .run = batches, .context = &calls, .iterations = 10});
    assert_int_equal(calls, 3);
    assert_int_equal(kept.runs[0].run.iterations, 12);
}

static void empty_batch(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running_batch(state, 0)) {
    }
}

static void batch_of_nothing_fails(void **unused) {
    (void)unused;
    run_alone(&kept, &(gb_benchmark){.name = "batch", .run = empty_batch});
    expect_error("gb_keep_running_batch: n is below 1");
}

static void manual(gb_state *state, void *context) {
    while (gb_keep_running(state)) {
        gb_set_iteration_time(state, *(const double *)context);
    }
}

static void manual_time_is_reported(void **unused) {
    (void)unused;
    double seconds = 0.25;
    gb_benchmark benchmark = {.name = "manual",
                              .run = manual,
                              .context = &seconds,
                              .iterations = 3,
                              .clock = GB_CLOCK_MANUAL,
                              .unit = GB_UNIT_MS};
    run_alone(&kept, &benchmark);
    assert_string_equal(kept.runs[0].name, "manual/iterations:3/manual_time");
    assert_int_equal(kept.runs[0].run.unit, GB_UNIT_MS);
    assert_true(fabs(kept.runs[0].run.real_time - 250) < 1e-9);
    seconds = 0;
    run_alone(&kept, &benchmark);
    assert_int_equal(kept.runs[0].run.skip, GB_NOT_SKIPPED);
    assert_true(kept.runs[0].run.real_time == 0);
    static const double bad[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        seconds = bad[i];
        run_alone(&kept, &benchmark);
        expect_error("gb_set_iteration_time: not a number of seconds from 0 up");
    }
}

static void loop_only(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running(state)) {
    }
}

static void manual_time_never_set_fails(void **unused) {
    (void)unused;
    run_alone(&kept, &(gb_benchmark){.name = "manual", .run = loop_only, .clock = GB_CLOCK_MANUAL});
    expect_error("manual time, but gb_set_iteration_time was not called");
}

static void returns_at_once(gb_state *state, void *context) {
    (void)state;
    (void)context;
}

static void breaks_out(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running(state)) {
        break;
    }
}

static void early_return_is_an_error(void **unused) {
    (void)unused;
    gb_function *const early[] = {returns_at_once, breaks_out};
    for (size_t i = 0; i < 2; i++) {
        for (int threads = 1; threads <= 3; threads++) {
            run_alone(&kept, &(gb_benchmark){.name = "early", .run = early[i], .iterations = 5, .threads = threads});
            expect_error("the callback returned before gb_keep_running said false");
        }
    }
}

static void pauses(gb_state *state, void *context) {
    (void)context;
    gb_pause_timing(state); // before the loop: nothing
    gb_resume_timing(state);
    while (gb_keep_running(state)) {
        gb_pause_timing(state);
        gb_pause_timing(state);
        gb_resume_timing(state);
        gb_resume_timing(state);
        gb_pause_timing(state); // and the loop ends with the clock stopped
    }
    gb_pause_timing(state);
    gb_resume_timing(state);
}

static void pause_in_any_order(void **unused) {
    (void)unused;
    run_alone(&kept, &(gb_benchmark){.name = "pause", .run = pauses, .iterations = 4});
    assert_int_equal(kept.runs[0].run.skip, GB_NOT_SKIPPED);
    assert_int_equal(kept.runs[0].run.iterations, 4);
}

static void reads_args(gb_state *state, void *context) {
    int64_t *sum = context;
    *sum = (int64_t)gb_range_count(state) * 1000 + gb_range(state, 0) * 10 + gb_range(state, 1);
    loop_only(state, NULL);
}

static void args_and_their_names(void **unused) {
    (void)unused;
    int64_t sum = 0;
    const int64_t args[] = {7, -3};
    const char *const names[] = {"stride", NULL};
    gb_benchmark benchmark = {.name = "args",
                              .run = reads_args,
                              .context = &sum,
                              .args = args,
                              .arg_count = 2,
                              .arg_names = names,
                              .iterations = 1};
    run_alone(&kept, &benchmark);
    assert_string_equal(kept.runs[0].name, "args/stride:7/-3/iterations:1");
    assert_int_equal(sum, 2067);
    benchmark.arg_names = NULL;
    run_alone(&kept, &benchmark);
    assert_string_equal(kept.runs[0].name, "args/7/-3/iterations:1");
    benchmark.arg_count = 1;
    run_alone(&kept, &benchmark);
    expect_error("gb_range: argument 1 of 1 (counted from 0)");
}

static void sets_counters(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running(state)) {
        gb_set_iteration_time(state, 0.5);
    }
    gb_set_counter(state, "again", 1, GB_COUNTER_PLAIN);
    gb_set_counter(state, "again", 5, GB_COUNTER_PLAIN);
    gb_set_counter(state, "each", 8, GB_COUNTER_PER_ITERATION);
    gb_set_counter(state, "invariant", 8, GB_COUNTER_ITERATION_INVARIANT);
    gb_set_counter(state, "inverse", 8, GB_COUNTER_INVERT);
    gb_set_counter(state, "rate", 8, GB_COUNTER_RATE | GB_COUNTER_BASE_1024);
    gb_set_bytes_processed(state, 4096);
    gb_set_items_processed(state, 10);
    gb_set_label(state, "a label");
}

static void expect_counter(const char *name, double value) {
    const double *counter = kept_counter(&kept.runs[0], name);
    assert_non_null(counter);
    assert_true(fabs(*counter - value) < 1e-9);
}

static void counters_and_label(void **unused) {
    (void)unused;
    gb_benchmark benchmark = {
        .name = "counters", .run = sets_counters, .iterations = 4, .clock = GB_CLOCK_MANUAL}; // 2 seconds in all
    run_alone(&kept, &benchmark);
    expect_counter("again", 5);
    expect_counter("each", 2);
    expect_counter("invariant", 32);
    expect_counter("inverse", 0.125);
    expect_counter("rate", 4);
    expect_counter("bytes_per_second", 2048);
    expect_counter("items_per_second", 5);
    assert_null(kept_counter(&kept.runs[0], "absent"));
    assert_string_equal(kept.runs[0].label, "a label");
    const kept_run *run = &kept.runs[0];
    for (size_t i = 0; i < run->run.counter_count; i++) {
        if (run->counters[i].name[0] == 'r') { // rate
            assert_int_equal(run->counters[i].flags, GB_COUNTER_RATE | GB_COUNTER_BASE_1024);
        }
    }
}

static void nameless_counter(gb_state *state, void *context) {
    gb_set_counter(state, context, 1, GB_COUNTER_PLAIN);
}

static void unknown_counter_flag(gb_state *state, void *context) {
    (void)context;
    gb_set_counter(state, "c", 1, 1U << 6);
}

static void bad_counters_fail(void **unused) {
    (void)unused;
    char empty[] = "";
    run_alone(&kept, &(gb_benchmark){.name = "c", .run = nameless_counter, .context = NULL});
    expect_error("gb_set_counter: the name is empty");
    run_alone(&kept, &(gb_benchmark){.name = "c", .run = nameless_counter, .context = empty});
    expect_error("gb_set_counter: the name is empty");
    run_alone(&kept, &(gb_benchmark){.name = "c", .run = unknown_counter_flag});
    expect_error("gb_set_counter: c: unknown flag");
}

typedef struct threads_seen {
    atomic_int calls;
    atomic_int index_sum;
} threads_seen;

static void threaded(gb_state *state, void *context) {
    threads_seen *seen = context;
    atomic_fetch_add(&seen->calls, 1);
    atomic_fetch_add(&seen->index_sum, gb_thread_index(state));
    assert_int_equal(gb_threads(state), 4);
    while (gb_keep_running(state)) {
    }
    gb_set_counter(state, "mean", 6, GB_COUNTER_AVG_THREADS);
    gb_set_counter(state, "sum", 6, GB_COUNTER_PLAIN);
}

static void threads_share_a_benchmark(void **unused) {
    (void)unused;
    threads_seen seen = {0};
    run_alone(&kept,
              &(gb_benchmark){.name = "threads", .run = threaded, .context = &seen, .iterations = 5, .threads = 4});
    assert_int_equal(seen.calls, 4);
    assert_int_equal(seen.index_sum, 6);
    assert_int_equal(kept.runs[0].run.threads, 4);
    expect_counter("mean", 6);
    expect_counter("sum", 24);
}

typedef struct skip_plan {
    bool error;
    bool inside; // the loop
    int loops;
} skip_plan;

static void skips(gb_state *state, void *context) {
    skip_plan *plan = context;
    void (*skip_with)(gb_state *, const char *) = plan->error ? gb_skip_with_error : gb_skip_with_message;
    assert_false(gb_is_skipped(state));
    if (!plan->inside) {
        skip_with(state, "first");
    }
    while (gb_keep_running(state)) {
        plan->loops++;
        skip_with(state, "first");
        gb_pause_timing(state); // after a skip nothing of this may abort
        gb_resume_timing(state);
        gb_set_iteration_time(state, 1);
        gb_set_counter(state, "", 1, 0);
    }
    assert_true(gb_is_skipped(state));
    gb_skip_with_error(state, "second");
    assert_false(gb_keep_running(state));
}

static void skip_with_error_and_message(void **unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        skip_plan plan = {.error = i & 1, .inside = i & 2};
        run_alone(&kept, &(gb_benchmark){.name = "skip", .run = skips, .context = &plan, .iterations = 9});
        assert_int_equal(plan.loops, plan.inside ? 1 : 0);
        assert_int_equal(kept.runs[0].run.skip, plan.error ? GB_SKIPPED_WITH_ERROR : GB_SKIPPED_WITH_MESSAGE);
        assert_string_equal(kept.runs[0].skip_text, "first");
    }
}

typedef struct repetition_plan {
    int calls, skipped_call; // counted from 0
} repetition_plan;

static void skips_one_repetition(gb_state *state, void *context) {
    repetition_plan *plan = context;
    if (plan->calls++ == plan->skipped_call) {
        gb_skip_with_error(state, "not this time");
        return;
    }
    while (gb_keep_running(state)) {
    }
}

// Statistics over repetitions of which one was skipped before its loop: Google Benchmark aborts over them, or crashes
// where it was the first.
static void skip_one_of_many_repetitions(void **unused) {
    (void)unused;
    for (int skipped = 0; skipped < 3; skipped++) {
        repetition_plan plan = {.skipped_call = skipped};
        run_alone(
            &kept,
            &(gb_benchmark){
                .name = "skip", .run = skips_one_repetition, .context = &plan, .iterations = 100, .repetitions = 3});
        assert_int_equal(plan.calls, skipped + 1);
        for (int i = 0; i < 3; i++) {
            const gb_skip expected = i >= skipped ? GB_SKIPPED_WITH_ERROR : GB_NOT_SKIPPED;
            assert_int_equal(kept.runs[i].run.skip, expected);
            assert_string_equal(kept.runs[i].skip_text, i >= skipped ? "not this time" : "");
        }
        // The next run knows nothing of it.
        gb_reporter reporter = record_into(&kept);
        assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_OK);
        assert_int_equal(plan.calls, skipped + 1 + 3);
        assert_int_equal(kept.runs[0].run.skip, GB_NOT_SKIPPED);
    }
}

static void skip_without_text(gb_state *state, void *context) {
    (void)context;
    gb_set_label(state, NULL);
    gb_skip_with_error(state, NULL);
}

static void null_is_harmless(void **unused) {
    (void)unused;
    assert_false(gb_keep_running(NULL));
    assert_false(gb_keep_running_batch(NULL, 1));
    gb_set_iteration_time(NULL, 1);
    gb_pause_timing(NULL);
    gb_resume_timing(NULL);
    assert_int_equal(gb_iterations(NULL), 0);
    assert_int_equal(gb_max_iterations(NULL), 0);
    assert_int_equal(gb_range(NULL, 0), 0);
    assert_int_equal(gb_range_count(NULL), 0);
    assert_int_equal(gb_thread_index(NULL), 0);
    assert_int_equal(gb_threads(NULL), 0);
    gb_set_counter(NULL, "c", 1, 0);
    gb_set_bytes_processed(NULL, 1);
    gb_set_items_processed(NULL, 1);
    gb_set_label(NULL, "l");
    gb_skip_with_error(NULL, "e");
    gb_skip_with_message(NULL, "m");
    assert_false(gb_is_skipped(NULL));
    run_alone(&kept, &(gb_benchmark){.name = "skip", .run = skip_without_text});
    expect_error("");
}

static void calls_everything(gb_state *state, void *context) {
    char name[] = "program";
    char *argv[] = {name, NULL};
    int argc = 1;
    size_t count = 0;
    (void)context;
    const gb_status seen[] = {gb_register(&(gb_benchmark){.name = "n", .run = loop_only}),
                              gb_clear(),
                              gb_shutdown(),
                              gb_initialize(&argc, argv),
                              gb_add_context("key", "value"),
                              gb_run_benchmarks(NULL, NULL, NULL),
                              gb_count_matching(NULL, &count),
                              gb_list_matching(NULL, NULL, NULL)};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        assert_int_equal(seen[i], GB_ERROR_STATE);
    }
    assert_string_equal(gb_last_error(), "gb_list_matching: not allowed while benchmarks run");
    loop_only(state, NULL);
}

static void the_registry_stands_still_meanwhile(void **unused) {
    (void)unused;
    run_alone(&kept, &(gb_benchmark){.name = "nested", .run = calls_everything, .iterations = 1});
    assert_int_equal(kept.runs[0].run.skip, GB_NOT_SKIPPED);
    assert_int_equal(gb_clear(), GB_OK); // and moves again
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep_running_counts),
        cmocka_unit_test(batch_may_overshoot),
        cmocka_unit_test(batch_of_nothing_fails),
        cmocka_unit_test(manual_time_is_reported),
        cmocka_unit_test(manual_time_never_set_fails),
        cmocka_unit_test(early_return_is_an_error),
        cmocka_unit_test(pause_in_any_order),
        cmocka_unit_test(args_and_their_names),
        cmocka_unit_test(counters_and_label),
        cmocka_unit_test(bad_counters_fail),
        cmocka_unit_test(threads_share_a_benchmark),
        cmocka_unit_test(skip_with_error_and_message),
        cmocka_unit_test(skip_one_of_many_repetitions),
        cmocka_unit_test(null_is_harmless),
        cmocka_unit_test(the_registry_stands_still_meanwhile),
    };
    return all_run(cmocka_run_group_tests_name("gbench/state", tests, NULL, NULL));
}
