// gb_initialize: what it takes out of argv, what it refuses and that a refusal changes nothing.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h> // cmocka.h needs these three before it
#include <cmocka.h>
// clang-format on
#include "record.h"

#include <stdio.h>
#include <string.h>

static record kept;

// Hands over one argument or two behind the name of the program.
static gb_status initialize(const char *a, const char *b) {
    static char name[] = "program";
    char texts[2][RECORD_TEXT];
    char *argv[] = {name, texts[0], texts[1], NULL};
    int argc = b ? 3 : 2;
    snprintf(texts[0], sizeof texts[0], "%s", a);
    snprintf(texts[1], sizeof texts[1], "%s", b ? b : "");
    if (!b) {
        argv[2] = NULL;
    }
    gb_status status = gb_initialize(&argc, argv);
    assert_int_equal(argc, status == GB_OK ? 1 : b ? 3 : 2);
    return status;
}

static void loop(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running(state)) {
    }
}

static void takes_its_flags_and_leaves_the_rest(void **unused) {
    (void)unused;
    char words[][48] = {"program", "--verbose", "--benchmark_filter=one", "--help", "--benchmark_counters_tabular",
                        "file",    "--",        "--benchmark_fliter=x"};
    char *argv[9] = {0};
    int argc = 8;
    for (int i = 0; i < argc; i++) {
        argv[i] = words[i];
    }
    assert_int_equal(gb_initialize(&argc, argv), GB_OK);
    assert_int_equal(argc, 6);
    const char *const left[] = {"program", "--verbose", "--help", "file", "--", "--benchmark_fliter=x"};
    for (int i = 0; i < argc; i++) {
        assert_string_equal(argv[i], left[i]);
    }
    assert_null(argv[6]);

    size_t count = 0;
    assert_int_equal(gb_register(&(gb_benchmark){.name = "one", .run = loop, .iterations = 1}), GB_OK);
    assert_int_equal(gb_register(&(gb_benchmark){.name = "two", .run = loop, .iterations = 1}), GB_OK);
    assert_int_equal(gb_count_matching(NULL, &count), GB_OK);
    assert_int_equal(count, 1);
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_run_benchmarks(NULL, &reporter, NULL), GB_OK);
    assert_string_equal(kept.executable, "program");
    assert_string_equal(kept.runs[0].registered_name, "one");
    assert_int_equal(gb_clear(), GB_OK);
}

static void refuses_bad_flags(void **unused) {
    (void)unused;
    static const struct {
        const char *flag;
        const char *text;
    } bad[] = {
        {"--benchmark_fliter=x", "--benchmark_fliter: there is no such flag"},
        {"--benchmark_=x", "--benchmark_: there is no such flag"},
        {"--benchmark_filter", "--benchmark_filter: the value is missing; write --benchmark_filter=VALUE"},
        {"--benchmark_format=xml", "--benchmark_format: 'xml' is not console, json or csv"},
        {"--benchmark_out_format=", "--benchmark_out_format: '' is not console, json or csv"},
        {"--benchmark_time_unit=h", "--benchmark_time_unit: 'h' is not ns, us, ms or s"},
        {"--benchmark_color=", "--benchmark_color: '' is not auto, true or false"},
        {"--benchmark_list_tests=maybe", "--benchmark_list_tests: 'maybe' is not true or false"},
        {"--benchmark_repetitions=0", "--benchmark_repetitions: '0' is not a whole number from 1 to 2147483647"},
        {"--benchmark_repetitions=2147483648",
         "--benchmark_repetitions: '2147483648' is not a whole number from 1 to 2147483647"},
        {"--benchmark_repetitions=3.5", "--benchmark_repetitions: '3.5' is not a whole number from 1 to 2147483647"},
        {"--benchmark_min_warmup_time=-1", "--benchmark_min_warmup_time: '-1' is not a number of seconds"},
        {"--benchmark_min_warmup_time=inf", "--benchmark_min_warmup_time: 'inf' is not a number of seconds"},
        {"--benchmark_min_warmup_time=", "--benchmark_min_warmup_time: '' is not a number of seconds"},
        {"--benchmark_context=a", "--benchmark_context: 'a' is not KEY=VALUE"},
        {"--benchmark_context=a=1,", "--benchmark_context: '' is not KEY=VALUE"},
        {"--benchmark_context=a=1,a=2", "--benchmark_context: the key 'a' is there already"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(initialize("--benchmark_filter=changed", bad[i].flag), GB_ERROR_FLAG);
        assert_string_equal(gb_last_error(), bad[i].text);
    }
    static const char *const min_times[] = {"",   "x",  "s",    "0x",  "-1x", "1.5x",  "-1",
                                            "1m", "xs", "nans", "1ss", " 1s", "1e999s"};
    for (size_t i = 0; i < sizeof min_times / sizeof *min_times; i++) {
        char flag[64];
        snprintf(flag, sizeof flag, "--benchmark_min_time=%s", min_times[i]);
        assert_int_equal(initialize("--benchmark_filter=changed", flag), GB_ERROR_FLAG);
        assert_non_null(strstr(gb_last_error(), "a number of seconds such as 0.5s"));
    }
    // None of these refusals has let the filter through.
    size_t count = 0;
    assert_int_equal(gb_register(&(gb_benchmark){.name = "one", .run = loop}), GB_OK);
    assert_int_equal(gb_count_matching(NULL, &count), GB_OK);
    assert_int_equal(count, 1);
    assert_int_equal(gb_clear(), GB_OK);
}

static void takes_every_flag_of_the_help(void **unused) {
    (void)unused;
    static const char *const good[] = {
        "--benchmark_list_tests",
        "--benchmark_list_tests=false",
        "--benchmark_filter=",
        "--benchmark_min_time=0.25",
        "--benchmark_min_time=1e-3s",
        "--benchmark_min_warmup_time=0",
        "--benchmark_repetitions=1",
        "--benchmark_dry_run=false",
        "--benchmark_enable_random_interleaving=no",
        "--benchmark_report_aggregates_only=off",
        "--benchmark_display_aggregates_only=0",
        "--benchmark_format=json",
        "--benchmark_format=console",
        "--benchmark_out=",
        "--benchmark_out_format=csv",
        "--benchmark_color=auto",
        "--benchmark_counters_tabular=yes",
        "--benchmark_perf_counters=",
        "--benchmark_context=key=value",
        "--benchmark_time_unit=ns",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char name[RECORD_TEXT];
        if (initialize(good[i], NULL) != GB_OK) {
            fail_msg("%s: %s", good[i], gb_last_error());
        }
        snprintf(name, sizeof name, "%s", good[i]);
        name[strcspn(name, "=")] = '\0';
        assert_non_null(strstr(gb_flags_help(), name));
    }
}

static void min_time_in_both_spellings(void **unused) {
    (void)unused;
    gb_benchmark benchmark = {.name = "time", .run = loop, .clock = GB_CLOCK_REAL};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(initialize(i ? "--benchmark_min_time=0.002s" : "--benchmark_min_time=0.001", NULL), GB_OK);
        run_alone(&kept, &benchmark);
        double seconds = kept.runs[0].run.real_time * (double)kept.runs[0].run.iterations * 1e-9;
        assert_true(seconds >= (i ? 0.002 : 0.001));
    }
    // Iterations are known from 1.8 on; before, the flag must be refused rather than ignored.
    gb_status status = initialize("--benchmark_min_time=5x", NULL);
    if (status == GB_OK) {
        run_alone(&kept, &benchmark);
        assert_int_equal(kept.runs[0].run.iterations, 5);
    } else {
        assert_int_equal(status, GB_ERROR_FLAG);
        assert_non_null(strstr(gb_last_error(), "--benchmark_min_time=5x: Google Benchmark "));
        assert_non_null(strstr(gb_last_error(), " is too old for it"));
    }
    assert_int_equal(initialize("--benchmark_min_time=0.01s", NULL), GB_OK);
}

static void dry_run_or_a_clear_refusal(void **unused) {
    (void)unused;
    gb_status status = initialize("--benchmark_min_time=0.5s", "--benchmark_dry_run");
    if (status == GB_OK) {
        run_alone(&kept, &(gb_benchmark){.name = "dry", .run = loop, .repetitions = 3});
        assert_int_equal(kept.run_count, 1);
        assert_int_equal(kept.runs[0].run.iterations, 1);
        assert_int_equal(initialize("--benchmark_dry_run=false", "--benchmark_min_time=0.01s"), GB_OK);
    } else {
        assert_int_equal(status, GB_ERROR_FLAG);
        assert_non_null(strstr(gb_last_error(), "--benchmark_dry_run=true: Google Benchmark "));
    }
    run_alone(&kept, &(gb_benchmark){.name = "wet", .run = loop});
    assert_true(kept.runs[0].run.iterations > 1);
}

static void flags_reach_the_runs(void **unused) {
    (void)unused;
    assert_int_equal(initialize("--benchmark_repetitions=3", "--benchmark_time_unit=us"), GB_OK);
    run_alone(&kept, &(gb_benchmark){.name = "repeated", .run = loop, .iterations = 1});
    assert_int_equal(kept.run_count, 3 + 4); // mean, median, stddev, cv
    assert_int_equal(kept.reports, 2);
    assert_int_equal(kept.runs[0].run.unit, GB_UNIT_US);
    assert_int_equal(initialize("--benchmark_repetitions=1", "--benchmark_time_unit=ns"), GB_OK);
}

static void bad_arguments(void **unused) {
    (void)unused;
    int argc = 0;
    char *argv[] = {NULL};
    assert_int_equal(gb_initialize(NULL, argv), GB_ERROR_ARGUMENT);
    assert_int_equal(gb_initialize(&argc, NULL), GB_ERROR_ARGUMENT);
    argc = -1;
    assert_int_equal(gb_initialize(&argc, argv), GB_ERROR_ARGUMENT);
    argc = 0;
    assert_int_equal(gb_initialize(&argc, argv), GB_OK);

    /* argv ends before argc says: nothing is set, nothing is moved. */
    char *holed[] = {(char[]){"p"}, (char[]){"--benchmark_repetitions=7"}, NULL, (char[]){"x"}, NULL};
    argc = 4;
    assert_int_equal(gb_initialize(&argc, holed), GB_ERROR_ARGUMENT);
    assert_non_null(strstr(gb_last_error(), "argv[2] is NULL, and argc is 4"));
    assert_int_equal(argc, 4);
    assert_string_equal(holed[1], "--benchmark_repetitions=7");
    argc = 1;
    assert_int_equal(gb_initialize(&argc, holed + 2), GB_ERROR_ARGUMENT);
}

static void names_of_statuses(void **unused) {
    (void)unused;
    for (int i = GB_OK; i <= GB_ERROR_INTERNAL; i++) {
        assert_string_not_equal(gb_status_name((gb_status)i), "unknown status");
    }
    assert_string_equal(gb_status_name((gb_status)15), "unknown status");
    int major = 0, minor = 0;
    assert_int_equal(sscanf(gb_benchmark_version(), "%d.%d", &major, &minor), 2);
    assert_true(major > 1 || minor >= 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_its_flags_and_leaves_the_rest),
        cmocka_unit_test(refuses_bad_flags),
        cmocka_unit_test(takes_every_flag_of_the_help),
        cmocka_unit_test(min_time_in_both_spellings),
        cmocka_unit_test(dry_run_or_a_clear_refusal),
        cmocka_unit_test(flags_reach_the_runs),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(names_of_statuses),
    };
    return all_run(cmocka_run_group_tests_name("gbench/flags", tests, NULL, NULL));
}
