// Registering, filtering, listing, reporting, and the file of --benchmark_out.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h> // cmocka.h needs these three before it
#include <cmocka.h>
// clang-format on
#include "record.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT "gbench_out.json"

static record kept;

static void set_flag(const char *text) {
    static char name[] = "program";
    char flag[RECORD_TEXT];
    char *argv[] = {name, flag, NULL};
    int argc = 2;
    snprintf(flag, sizeof flag, "%s", text);
    assert_int_equal(gb_initialize(&argc, argv), GB_OK);
}

static void loop(gb_state *state, void *context) {
    (void)context;
    while (gb_keep_running(state)) {
    }
}

static int three_benchmarks(void **unused) {
    (void)unused;
    static const char *const names[] = {"alpha", "beta", "gamma"};
    for (size_t i = 0; i < 3; i++) {
        if (gb_register(&(gb_benchmark){.name = names[i], .run = loop, .iterations = 1}) != GB_OK) {
            return -1;
        }
    }
    return 0;
}

static int clean(void **unused) {
    (void)unused;
    set_flag("--benchmark_out=");
    set_flag("--benchmark_filter=");
    set_flag("--benchmark_list_tests=false");
    set_flag("--benchmark_format=console");
    unlink(OUT);
    return gb_shutdown() == GB_OK ? 0 : -1;
}

// ---- register ----

static void refused(gb_benchmark benchmark, const char *text) {
    assert_int_equal(gb_register(&benchmark), GB_ERROR_ARGUMENT);
    assert_non_null(strstr(gb_last_error(), text));
}

static void register_checks_every_field(void **unused) {
    (void)unused;
    const int64_t args[] = {1};
    assert_int_equal(gb_register(NULL), GB_ERROR_ARGUMENT);
    refused((gb_benchmark){.run = loop}, "the name is empty");
    refused((gb_benchmark){.name = "", .run = loop}, "the name is empty");
    refused((gb_benchmark){.name = "a\nb", .run = loop}, "line break");
    refused((gb_benchmark){.name = "n"}, "n: run is NULL");
    refused((gb_benchmark){.name = "n", .run = loop, .arg_count = 1}, "args is NULL");
    refused((gb_benchmark){.name = "n", .run = loop, .clock = (gb_clock)9}, "clock");
    refused((gb_benchmark){.name = "n", .run = loop, .unit = (gb_unit)9}, "unit");
    refused((gb_benchmark){.name = "n", .run = loop, .iterations = -1}, "iterations");
    refused((gb_benchmark){.name = "n", .run = loop, .repetitions = -1}, "repetitions");
    refused((gb_benchmark){.name = "n", .run = loop, .min_time_s = -1}, "min_time_s");
    refused((gb_benchmark){.name = "n", .run = loop, .min_time_s = NAN}, "min_time_s");
    refused((gb_benchmark){.name = "n", .run = loop, .min_warmup_s = INFINITY}, "min_warmup_s");
    refused((gb_benchmark){.name = "n", .run = loop, .min_warmup_s = 1}, "min_warmup_s needs min_time_s");
    refused((gb_benchmark){.name = "n", .run = loop, .iterations = 1, .min_time_s = 1}, "excludes");
    refused((gb_benchmark){.name = "n", .run = loop, .threads = -1}, "threads");
    refused((gb_benchmark){.name = "n", .run = loop, .threads = 1025}, "threads");
    size_t count = 9;
    assert_int_equal(gb_count_matching("", &count), GB_OK);
    assert_int_equal(count, 0);
    assert_int_equal(gb_register(&(gb_benchmark){.name = "n", .run = loop, .args = args, .arg_count = 1}), GB_OK);
    assert_int_equal(gb_count_matching("", &count), GB_OK);
    assert_int_equal(count, 1);
}

static void clocks_and_times_in_the_name(void **unused) {
    (void)unused;
    static const struct {
        gb_clock clock;
        const char *name;
    } cases[] = {{GB_CLOCK_CPU, "n/iterations:2"},
                 {GB_CLOCK_PROCESS, "n/iterations:2/process_time"},
                 {GB_CLOCK_REAL, "n/iterations:2/real_time"}};
    for (size_t i = 0; i < 3; i++) {
        run_alone(&kept, &(gb_benchmark){.name = "n", .run = loop, .iterations = 2, .clock = cases[i].clock});
        assert_string_equal(kept.runs[0].name, cases[i].name);
    }
    run_alone(&kept, &(gb_benchmark){.name = "n", .run = loop, .min_time_s = 0.001, .min_warmup_s = 0.001});
    assert_string_equal(kept.runs[0].name, "n/min_time:0.001/min_warmup_time:0.001");
    static const gb_unit units[] = {GB_UNIT_NS, GB_UNIT_US, GB_UNIT_MS, GB_UNIT_S};
    for (size_t i = 0; i < 4; i++) {
        run_alone(&kept, &(gb_benchmark){.name = "n", .run = loop, .iterations = 1, .unit = units[i]});
        assert_int_equal(kept.runs[0].run.unit, units[i]);
    }
}

static void manual_steps(gb_state *state, void *context) {
    double *next = context;
    while (gb_keep_running(state)) {
        gb_set_iteration_time(state, *next);
    }
    gb_set_counter(state, "twice", *next * 2, GB_COUNTER_PLAIN);
    *next += 1;
}

static void repetitions_and_aggregates(void **unused) {
    (void)unused;
    double next = 1;
    gb_benchmark benchmark = {.name = "n",
                              .run = manual_steps,
                              .context = &next,
                              .clock = GB_CLOCK_MANUAL,
                              .unit = GB_UNIT_MS,
                              .iterations = 1,
                              .repetitions = 3};
    run_alone(&kept, &benchmark);
    assert_int_equal(kept.run_count, 7);
    for (int i = 0; i < 3; i++) {
        const gb_run *run = &kept.runs[i].run;
        assert_false(run->is_aggregate);
        assert_int_equal(run->repetition_index, i);
        assert_int_equal(run->repetitions, 3);
        assert_true(fabs(run->real_time - 1000 * (i + 1)) < 1e-9);
        assert_string_equal(kept.runs[i].aggregate_name, "");
    }
    const kept_run *mean = &kept.runs[3], *cv = &kept.runs[6];
    assert_string_equal(mean->aggregate_name, "mean");
    assert_string_equal(mean->name, "n/iterations:1/repeats:3/manual_time_mean");
    assert_true(mean->run.is_aggregate);
    assert_int_equal(mean->run.repetition_index, -1);
    assert_true(fabs(mean->run.real_time - 2000) < 1e-9);
    assert_true(fabs(*kept_counter(mean, "twice") - 4) < 1e-9);
    assert_string_equal(cv->aggregate_name, "cv");
    assert_true(cv->run.is_percentage);
    assert_true(fabs(cv->run.real_time - 0.5) < 1e-9); // 1 s around 2 s: a fraction, whatever the unit

    benchmark.aggregates_only = true;
    next = 1;
    run_alone(&kept, &benchmark);
    assert_int_equal(kept.run_count, 4);
    assert_string_equal(kept.runs[0].aggregate_name, "mean");
    set_flag("--benchmark_perf_counters=CYCLES"); // with these Google Benchmark would abort
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_ERROR_FLAG);
    set_flag("--benchmark_perf_counters=");
}

// ---- filter and list ----

static void filters(void **unused) {
    (void)unused;
    static const struct {
        const char *filter;
        size_t count;
    } cases[] = {{"", 3},       {"all", 3},  {".", 3},           {"^alpha", 1}, {"al|be", 2},
                 {"-alpha", 2}, {"gam$", 0}, {"-alpha|beta", 1}, {"-.", 0},     {"iterations:1$", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = 99, ran = 99;
        gb_reporter reporter = record_into(&kept);
        assert_int_equal(gb_count_matching(cases[i].filter, &count), GB_OK);
        gb_status status = gb_run_benchmarks(cases[i].filter, &reporter, &ran);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(status, count > 0 ? GB_OK : GB_ERROR_NO_MATCH);
        assert_int_equal(ran, count);
        assert_int_equal(kept.run_count, count);
    }
}

static bool append_name(const char *name, void *context) {
    strcat(context, name);
    strcat(context, " ");
    return strstr(context, "beta") == NULL;
}

static void lists_in_order_until_told_to_stop(void **unused) {
    (void)unused;
    char names[200] = "";
    assert_int_equal(gb_list_matching("", append_name, names), GB_OK);
    assert_string_equal(names, "alpha/iterations:1 beta/iterations:1 ");
    names[0] = '\0';
    assert_int_equal(gb_list_matching("delta", append_name, names), GB_OK);
    assert_string_equal(names, "");
    assert_int_equal(gb_list_matching("", NULL, NULL), GB_ERROR_ARGUMENT);
    assert_int_equal(gb_count_matching("", NULL), GB_ERROR_ARGUMENT);
}

static void bad_filter(void **unused) {
    (void)unused;
    size_t count = 99;
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_run_benchmarks("a(", &reporter, &count), GB_ERROR_FILTER);
    assert_non_null(strstr(gb_last_error(), "the filter 'a(' is not a regular expression: "));
    assert_int_equal(count, 0);
    assert_int_equal(gb_count_matching("-[", &count), GB_ERROR_FILTER);
    assert_int_equal(gb_list_matching("*", append_name, NULL), GB_ERROR_FILTER);
    assert_int_equal(kept.begins, 0);
}

static void nothing_registered(void **unused) {
    (void)unused;
    assert_int_equal(gb_clear(), GB_OK);
    assert_int_equal(gb_run_benchmarks(NULL, NULL, NULL), GB_ERROR_NO_MATCH);
    assert_string_equal(gb_last_error(), "no benchmark is registered");
}

// ---- streams ----

// Runs with the stream `fd` caught in a file; returns what was written.
static const char *caught(int fd, const gb_reporter *reporter) {
    fflush(NULL);
    int saved = dup(fd);
    int file = open("caught.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0);
    assert_true(dup2(file, fd) >= 0);
    gb_status status = gb_run_benchmarks(NULL, reporter, NULL);
    fflush(NULL);
    assert_true(dup2(saved, fd) >= 0);
    close(saved);
    close(file);
    assert_int_equal(status, GB_OK);
    return read_text("caught.txt");
}

static void silent_with_a_reporter(void **unused) {
    (void)unused;
    gb_reporter reporter = record_into(&kept);
    assert_string_equal(caught(STDERR_FILENO, &reporter), "");
    assert_string_equal(caught(STDOUT_FILENO, &reporter), "");
    assert_int_equal(kept.run_count, 6);
}

static void own_display_twice_and_in_all_formats(void **unused) {
    (void)unused;
    set_flag("--benchmark_color=true");
    assert_non_null(strstr(caught(STDOUT_FILENO, NULL), "\033["));
    set_flag("--benchmark_color=false");
    for (int i = 0; i < 2; i++) {
        const char *text = caught(STDOUT_FILENO, NULL);
        assert_non_null(strstr(text, "beta/iterations:1"));
        assert_null(strstr(text, "\033["));
    }
    const char *head = caught(STDERR_FILENO, NULL);
    assert_non_null(strstr(head, "Run on ("));
    assert_null(strstr(head, "DEBUG"));
    set_flag("--benchmark_format=json");
    for (int i = 0; i < 2; i++) {
        const char *text = caught(STDOUT_FILENO, NULL);
        assert_int_equal(text[0], '{');
        assert_non_null(strstr(text, "\"executable\": \"program\""));
        assert_non_null(strstr(text, "\"benchmarks\": [\n    {")); // a stale reporter would begin with a comma
    }
    set_flag("--benchmark_format=csv");
    assert_non_null(strstr(caught(STDOUT_FILENO, NULL), "name,iterations"));
    head = caught(STDERR_FILENO, NULL);
    assert_non_null(strstr(head, "Run on ("));
    assert_null(strstr(head, "DEBUG"));
}

static void list_flag_prints_names_only(void **unused) {
    (void)unused;
    write_text(OUT, "precious");
    set_flag("--benchmark_out=" OUT);
    set_flag("--benchmark_list_tests");
    gb_reporter reporter = record_into(&kept);
    const char *names = "alpha/iterations:1\nbeta/iterations:1\ngamma/iterations:1\n";
    assert_string_equal(caught(STDOUT_FILENO, &reporter), names);
    assert_string_equal(caught(STDOUT_FILENO, NULL), names);
    assert_int_equal(kept.begins, 0);
    assert_string_equal(read_text(OUT), "precious");
}

// ---- the output file ----

static void an_error_leaves_the_file(void **unused) {
    (void)unused;
    gb_reporter reporter = record_into(&kept);
    size_t count = 0;
    write_text(OUT, "precious");
    set_flag("--benchmark_out=" OUT);
    assert_int_equal(gb_run_benchmarks("delta", &reporter, NULL), GB_ERROR_NO_MATCH);
    assert_string_equal(gb_last_error(), "the filter 'delta' matches no benchmark");
    assert_string_equal(read_text(OUT), "precious");
    assert_int_equal(gb_run_benchmarks("(", NULL, NULL), GB_ERROR_FILTER);
    assert_string_equal(read_text(OUT), "precious");
    assert_int_equal(gb_count_matching("", &count), GB_OK);
    assert_string_equal(read_text(OUT), "precious");
    kept.refuse = true;
    assert_int_equal(gb_run_benchmarks("", &reporter, &count), GB_OK);
    assert_int_equal(count, 0);
    assert_int_equal(kept.begins, 1);
    assert_int_equal(kept.finishes, 0);
    assert_string_equal(read_text(OUT), "precious");
    unlink(OUT);
    assert_int_equal(gb_run_benchmarks("", &reporter, &count), GB_OK);
    assert_int_not_equal(access(OUT, F_OK), 0);
}

static void a_run_writes_the_file(void **unused) {
    (void)unused;
    gb_reporter reporter = record_into(&kept);
    write_text(OUT, "precious");
    set_flag("--benchmark_out=" OUT);
    for (int i = 0; i < 2; i++) { // the second with Google Benchmark's display
        assert_int_equal(gb_run_benchmarks("beta", i == 0 ? &reporter : NULL, NULL), GB_OK);
        const char *text = read_text(OUT);
        assert_int_equal(text[0], '{');
        assert_non_null(strstr(text, "\"name\": \"beta/iterations:1\""));
        assert_null(strstr(text, "alpha"));
        assert_string_equal(text + strlen(text) - 2, "}\n");
    }
}

static void unwritable_files(void **unused) {
    (void)unused;
    static const char *const flags[] = {"--benchmark_out=absent/folder/x.json", "--benchmark_out=."};
    for (size_t i = 0; i < 2; i++) {
        gb_reporter reporter = record_into(&kept);
        set_flag(flags[i]);
        assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_ERROR_OUTPUT);
        assert_memory_equal(gb_last_error(), flags[i], strlen(flags[i]));
        assert_int_equal(kept.begins, 0);
    }
    set_flag("--benchmark_out=/dev/null");
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_OK);
}

// ---- context ----

static void context_pairs(void **unused) {
    (void)unused;
    gb_reporter reporter = record_into(&kept);
    assert_int_equal(gb_add_context("beta", "2"), GB_OK);
    assert_int_equal(gb_add_context("beta", "3"), GB_ERROR_ARGUMENT);
    assert_string_equal(gb_last_error(), "gb_add_context: the key 'beta' is there already");
    assert_int_equal(gb_add_context("", "3"), GB_ERROR_ARGUMENT);
    assert_int_equal(gb_add_context(NULL, "3"), GB_ERROR_ARGUMENT);
    assert_int_equal(gb_add_context("c", NULL), GB_ERROR_ARGUMENT);
    set_flag("--benchmark_context=alpha=1,gamma=");
    set_flag("--benchmark_out=" OUT);
    assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_OK);
    assert_string_equal(kept.pairs, "alpha=1;beta=2;gamma=;");
    assert_non_null(strstr(read_text(OUT), "\"beta\": \"2\""));
    assert_string_equal(kept.executable, "program");
    assert_string_equal(kept.head.version, gb_benchmark_version());
    assert_true(kept.head.cpu_count > 0);
    assert_true(kept.head.cpu_scaling >= -1 && kept.head.cpu_scaling <= 1);
    assert_int_equal(kept.head.name_width, strlen("alpha/iterations:1"));

    assert_int_equal(gb_shutdown(), GB_OK);
    assert_int_equal(gb_shutdown(), GB_OK);
    assert_int_equal(three_benchmarks(NULL), 0); // and everything can be used again
    assert_int_equal(gb_add_context("beta", "4"), GB_OK);
    reporter = record_into(&kept);
    assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_OK);
    assert_string_equal(kept.pairs, "beta=4;");
}

static void reporter_without_optional_parts(void **unused) {
    (void)unused;
    gb_reporter reporter = record_into(&kept);
    reporter.begin = NULL;
    reporter.finish = NULL;
    assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_OK);
    assert_int_equal(kept.run_count, 3);
    reporter.runs = NULL;
    assert_int_equal(gb_run_benchmarks("", &reporter, NULL), GB_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(register_checks_every_field, NULL, clean),
        cmocka_unit_test_setup_teardown(clocks_and_times_in_the_name, NULL, clean),
        cmocka_unit_test_setup_teardown(repetitions_and_aggregates, NULL, clean),
        cmocka_unit_test_setup_teardown(filters, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(lists_in_order_until_told_to_stop, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(bad_filter, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(nothing_registered, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(silent_with_a_reporter, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(own_display_twice_and_in_all_formats, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(list_flag_prints_names_only, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(an_error_leaves_the_file, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(a_run_writes_the_file, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(unwritable_files, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(context_pairs, three_benchmarks, clean),
        cmocka_unit_test_setup_teardown(reporter_without_optional_parts, three_benchmarks, clean),
    };
    return all_run(cmocka_run_group_tests_name("gbench/run", tests, NULL, NULL));
}
