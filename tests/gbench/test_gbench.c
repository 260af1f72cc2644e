// Flags, registering, listing, running, and that each misuse ends as a failed benchmark, not as a dead process.

// clang-format off
#include "../unit/unit.h"

#include <setjmp.h> // cmocka.h needs these three before it
// clang-format on
#include "fixture.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

static int three_benchmarks(void **unused) {
    must_register("alpha", once, NULL);
    must_register("beta", once, NULL);
    must_register("gamma", once, NULL);
    return 0;
}

static int clean(void **unused) {
    static const char *const usual[] = {"--benchmark_out=", "--benchmark_filter=", "--benchmark_list_tests=false",
                                        "--benchmark_repetitions=1"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        assert_int_equal(initialize(usual[i], NULL), GB_OK);
    }
    unlink(out_file);
    return gb_shutdown() == GB_OK && gb_shutdown() == GB_OK ? 0 : -1;
}

static void set_flag(const char *text) {
    assert_int_equal(initialize(text, NULL), GB_OK);
}

// The first run's value of a key in the report; NAN without.
static double number(const char *report, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(report, quoted);
    return at ? atof(at + strlen(quoted)) : NAN;
}

// Runs this benchmark alone; returns the report.
static const char *run_alone(gb_function *run, void *context) {
    assert_int_equal(gb_shutdown(), GB_OK);
    must_register("alone", run, context);
    return run_into_file();
}

// ---- flags ----

#define NOT_ONE(flag)                                                                                                  \
    flag ": not one of --benchmark_list_tests --benchmark_filter --benchmark_repetitions "                             \
         "--benchmark_out --benchmark_out_format"

TEST_WITH(refuses_bad_flags, three_benchmarks, clean) {
    static const struct {
        const char *flag;
        const char *text;
    } bad[] = {
        {"--benchmark_fliter=x", NOT_ONE("--benchmark_fliter")},
        {"--benchmark_time_unit=us", NOT_ONE("--benchmark_time_unit")},
        {"--benchmark_min_time=1s", NOT_ONE("--benchmark_min_time")},
        {"--benchmark_=x", NOT_ONE("--benchmark_")},
        {"--benchmark_filter", "--benchmark_filter: the value is missing; write --benchmark_filter=VALUE"},
        {"--benchmark_format=json", NOT_ONE("--benchmark_format")},
        {"--benchmark_out_format=", "--benchmark_out_format: '' is not console, json or csv"},
        {"--benchmark_list_tests=maybe", "--benchmark_list_tests: 'maybe' is not true or false"},
        {"--benchmark_repetitions=0", "--benchmark_repetitions: '0' is not a whole number from 1 to 999999999"},
        {"--benchmark_repetitions=2147483648",
         "--benchmark_repetitions: '2147483648' is not a whole number from 1 to 999999999"},
        {"--benchmark_repetitions=3.5", "--benchmark_repetitions: '3.5' is not a whole number from 1 to 999999999"},
        {"--benchmark_context=a=b", NOT_ONE("--benchmark_context")},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(initialize("--benchmark_filter=changed", bad[i].flag), GB_ERROR);
        assert_string_equal(gb_last_error(), bad[i].text);
        assert_true(gb_matches("alpha")); // no refusal lets the filter through
    }
}

TEST_WITH(takes_every_flag, NULL, clean) {
    static const char *const good[] = {"--benchmark_list_tests",     "--benchmark_list_tests=false",
                                       "--benchmark_filter=",        "--benchmark_repetitions=1",
                                       "--benchmark_out=",           "--benchmark_out_format=csv",
                                       "--benchmark_out_format=json"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (initialize(good[i], NULL) != GB_OK) {
            fail_msg("%s: %s", good[i], gb_last_error());
        }
    }
}

// ---- register, list, filter ----

TEST_WITH(nothing_is_registered_at_first, NULL, clean) {
    assert_int_equal(gb_run_benchmarks(), GB_ERROR);
    assert_string_equal(gb_last_error(), "the filter '' matches no registered benchmark");
    int major = 0, minor = 0;
    assert_int_equal(sscanf(gb_benchmark_version(), "%d.%d", &major, &minor), 2);
    assert_true(major > 1 || minor >= 7);
}

TEST_WITH(filters, three_benchmarks, clean) {
    static const struct {
        const char *flag, *names;
    } cases[] = {{"--benchmark_filter=", "alpha beta gamma "}, {"--benchmark_filter=all", "alpha beta gamma "},
                 {"--benchmark_filter=alp|be", "alpha beta "}, {"--benchmark_filter=-alpha", "beta gamma "},
                 {"--benchmark_filter=gam.*time$", "gamma "},  {"--benchmark_filter=gam$", ""}};
    static const char *const all[] = {"alpha", "beta", "gamma"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[32] = "";
        set_flag(cases[i].flag);
        for (size_t k = 0; k < 3; k++) {
            strcat(strcat(names, gb_matches(all[k]) ? all[k] : ""), gb_matches(all[k]) ? " " : "");
        }
        assert_string_equal(names, cases[i].names);
        assert_int_equal(gb_run_benchmarks(), names[0] ? GB_OK : GB_ERROR);
    }
    assert_string_equal(gb_last_error(), "the filter 'gam$' matches no registered benchmark");
    assert_int_equal(initialize("--benchmark_filter=a(", NULL), GB_ERROR);
    assert_non_null(strstr(gb_last_error(), "--benchmark_filter: 'a(' is not a regular expression: "));
}

// ---- streams ----

// Runs with the stream `fd` caught in a file; returns what was written.
static const char *caught(int fd) {
    fflush(NULL);
    int saved = dup(fd);
    int file = open("caught.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0);
    assert_true(dup2(file, fd) >= 0);
    gb_status status = gb_run_benchmarks();
    fflush(NULL);
    assert_true(dup2(saved, fd) >= 0);
    close(saved);
    close(file);
    assert_int_equal(status, GB_OK);
    return read_text("caught.txt");
}

TEST_WITH(a_run_is_silent, three_benchmarks, clean) {
    assert_string_equal(caught(STDERR_FILENO), "");
    assert_string_equal(caught(STDOUT_FILENO), "");
}

// ---- the output file, and the context in it ----

static void write_precious(void) {
    char flag[64];
    FILE *file = fopen(out_file, "w");
    assert_non_null(file);
    assert_true(fputs("precious", file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(flag, sizeof flag, "--benchmark_out=%s", out_file);
    set_flag(flag);
}

TEST_WITH(an_error_or_a_listing_leaves_the_file, three_benchmarks, clean) {
    write_precious();
    set_flag("--benchmark_list_tests");
    assert_string_equal(
        caught(STDOUT_FILENO),
        "alpha/iterations:1/manual_time\nbeta/iterations:1/manual_time\ngamma/iterations:1/manual_time\n");
    set_flag("--benchmark_list_tests=false");
    set_flag("--benchmark_filter=delta");
    assert_int_equal(gb_run_benchmarks(), GB_ERROR);
    assert_string_equal(read_text(out_file), "precious");
}

TEST_WITH(unwritable_files, three_benchmarks, clean) {
    static const char *const flags[] = {"--benchmark_out=absent/folder/x.json", "--benchmark_out=."};
    for (size_t i = 0; i < 2; i++) {
        set_flag(flags[i]);
        assert_int_equal(gb_run_benchmarks(), GB_ERROR);
        assert_memory_equal(gb_last_error(), flags[i], strlen(flags[i]));
    }
    set_flag("--benchmark_out=/dev/null");
    assert_int_equal(gb_run_benchmarks(), GB_OK);
}

TEST_WITH(a_run_writes_the_file, three_benchmarks, clean) {
    assert_int_equal(gb_add_context("beta", "2"), GB_OK);
    assert_int_equal(gb_add_context("beta", "3"), GB_ERROR);
    assert_string_equal(gb_last_error(), "gb_add_context: the key 'beta' is there already");
    write_precious();
    set_flag("--benchmark_filter=beta");
    const char *text = run_into_file();
    assert_int_equal(text[0], '{');
    assert_says(text, "\"name\": \"beta/iterations:1/manual_time\"");
    assert_null(strstr(text, "alpha"));
    assert_string_equal(text + strlen(text) - 2, "}\n");
    assert_says(text, "\"beta\": \"2\"");
    assert_int_equal(gb_shutdown(), GB_OK); // and everything can be used again
    three_benchmarks(NULL);
    assert_int_equal(gb_add_context("beta", "4"), GB_OK);
    assert_says(run_into_file(), "\"beta\": \"4\"");
}

// ---- inside a benchmark ----

static void manual(gb_state *state, void *context) {
    gb_set_iteration_time(state, *(const double *)context);
    gb_set_counter(state, "again", 1);
    gb_set_counter(state, "again", 5);
    gb_set_label(state, "a label");
}

static void forgets_its_time(gb_state *state, void *context) {}

TEST_WITH(time_counters_and_label, NULL, clean) {
    double seconds = 0.25;
    const char *report = run_alone(manual, &seconds);
    assert_says(report, "\"name\": \"alone/iterations:1/manual_time\"");
    assert_true(fabs(number(report, "real_time") - 0.25e9) < 1);
    assert_true(number(report, "again") == 5);
    assert_says(report, "\"label\": \"a label\"");
    static const double bad[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        seconds = bad[i];
        assert_says(run_alone(manual, &seconds), "gb_set_iteration_time: not a number of seconds from 0 up");
    }
    assert_says(run_alone(forgets_its_time, NULL), "gb_set_iteration_time was not called");
}

static void skips(gb_state *state, void *context) {
    void (*skip_with)(gb_state *, const char *) = *(const bool *)context ? gb_skip_with_error : gb_skip_with_message;
    skip_with(state, "first");
    gb_set_iteration_time(state, 1); // after a skip none of this may abort
    gb_set_counter(state, "c", 1);
    gb_skip_with_error(state, "second");
}

TEST_WITH(skip_with_error_and_message, NULL, clean) {
    for (int i = 0; i < 2; i++) {
        bool error = i;
        const char *report = run_alone(skips, &error);
        assert_says(report, "first\"");
        assert_null(strstr(report, "second\""));
        assert_int_equal(strstr(report, "\"error_occurred\": true") && !strstr(report, "skipped: "), error);
    }
}

typedef struct repetition_plan {
    int calls, skipped_call; // counted from 0
} repetition_plan;

static void skips_one_repetition(gb_state *state, void *context) {
    repetition_plan *plan = context;
    if (plan->calls++ == plan->skipped_call) {
        gb_skip_with_error(state, "not this time");
    }
    gb_set_iteration_time(state, 1);
}

// Statistics over repetitions of which one was skipped: Google Benchmark aborts over them, or crashes
// where it was the first.
TEST_WITH(skip_one_of_many_repetitions, NULL, clean) {
    set_flag("--benchmark_repetitions=3");
    for (int skipped = 0; skipped < 3; skipped++) {
        repetition_plan plan = {.skipped_call = skipped};
        const char *report = run_alone(skips_one_repetition, &plan);
        int said = 0;
        for (const char *at = report; (at = strstr(at, "\"not this time\"")); at++) {
            said++;
        }
        assert_int_equal(plan.calls, skipped + 1);
        assert_int_equal(said, 3 - skipped);
        // The next run knows nothing of it.
        assert_null(strstr(run_into_file(), "not this time"));
        assert_int_equal(plan.calls, skipped + 1 + 3);
    }
}

TEST(null_is_harmless) {
    gb_set_iteration_time(NULL, 1);
    gb_set_counter(NULL, "c", 1);
    gb_set_label(NULL, "l");
    gb_skip_with_error(NULL, "e");
    gb_skip_with_message(NULL, "m");
}

int main(void) {
    return all_run(UNIT_RUN(NULL, NULL));
}
