/* gbench_c: Google Benchmark for programs written in C.
 *
 * The order of a program: gb_initialize, gb_register for every benchmark, gb_run_benchmarks, gb_shutdown.
 *
 * Errors: no function exits, aborts or lets a C++ exception out. A function that returns gb_status leaves one sentence
 * in gb_last_error() when it does not return GB_OK.
 *
 * Text: strings handed in are copied unless said otherwise; strings handed out are never NULL unless said otherwise.
 *
 * Threads: the functions of a gb_state belong to the thread whose callback received that state. Everything else belongs
 * to one thread at a time.
 *
 * Leaving a callback (of a benchmark or of a reporter) by longjmp or by ending its thread is forbidden: C++ frames lie
 * between it and the caller of gb_run_benchmarks. Return instead. A C++ exception that leaves one is caught: it fails
 * the benchmark, or the run where a reporter threw it. */
#ifndef GBENCH_C_H
#define GBENCH_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define GB_API
#else
#define GB_API __attribute__((visibility("default")))
#endif

typedef enum gb_status {
    GB_OK = 0,
    GB_ERROR_ARGUMENT, /* a value handed to a function cannot be used */
    GB_ERROR_FLAG,     /* a --benchmark_... flag is unknown, malformed or out of range */
    GB_ERROR_FILTER,   /* the filter is not a regular expression */
    GB_ERROR_NO_MATCH, /* the filter matches no registered benchmark */
    GB_ERROR_OUTPUT,   /* the file of --benchmark_out cannot be written */
    GB_ERROR_STATE,    /* called in the wrong order, or from inside a callback */
    GB_ERROR_MEMORY,   /* out of memory */
    GB_ERROR_INTERNAL  /* Google Benchmark or the C++ library failed in another way */
} gb_status;

/* One sentence about the last function of this thread that did not return GB_OK; "" when there was none. It stands
 * until the next failure in this thread. */
GB_API const char *gb_last_error(void);

/* The status as a word, such as "no match". For an unknown value: "unknown status". */
GB_API const char *gb_status_name(gb_status status);

/* The version of the Google Benchmark that is linked ("1.9.1"); where the library cannot say, that of the headers this
 * library was built with. */
GB_API const char *gb_benchmark_version(void);

/* ---- start and end ---------------------------------------------------------------------------------------------- */

/* Takes every argument that starts with --benchmark_ out of argv, up to an argument "--", which stays with all that
 * follows; the others stay in order, *argc is lowered and argv[*argc] is NULL. argv[0] names the program in reports.
 * Every flag is checked before the first takes effect: with an error nothing has been set and argv is as it was. The
 * text names the flag. The same goes for the environment variables that stand for flags (BENCHMARK_FILTER for
 * --benchmark_filter); the command line wins. --help is left to the program: print gb_flags_help().
 * May be called again to set further flags; without a call, the environment counts. Returns GB_OK, GB_ERROR_FLAG,
 * GB_ERROR_ARGUMENT, GB_ERROR_STATE. */
GB_API gb_status gb_initialize(int *argc, char **argv);

/* A table of the flags that gb_initialize takes, one a line, for the program's --help. */
GB_API const char *gb_flags_help(void);

/* Forgets every registered benchmark, those registered from C++ too. Returns GB_OK or GB_ERROR_STATE. */
GB_API gb_status gb_clear(void);

/* gb_clear, then frees what Google Benchmark holds; the custom context is gone, flags keep their values.
 * Afterwards everything can be used anew; a second call does nothing. Returns GB_OK or GB_ERROR_STATE. */
GB_API gb_status gb_shutdown(void);

/* A pair for the context stanza of the reports (console, JSON) and of gb_run_context. A key can be added once.
 * Returns GB_OK or GB_ERROR_ARGUMENT. */
GB_API gb_status gb_add_context(const char *key, const char *value);

/* ---- a benchmark ------------------------------------------------------------------------------------------------ */

typedef struct gb_state gb_state; /* a run of one benchmark; lives until its callback returns */

/* What is measured. It must loop `while (gb_keep_running(state))` until that says false; a callback that returns
 * without it is completed by the library and reported with an error (unless it had skipped). */
typedef void gb_function(gb_state *state, void *context);

typedef enum gb_unit { GB_UNIT_DEFAULT = 0, GB_UNIT_NS, GB_UNIT_US, GB_UNIT_MS, GB_UNIT_S } gb_unit;

/* Which clock decides how many iterations are needed, and which rates are taken over. */
typedef enum gb_clock {
    GB_CLOCK_CPU = 0, /* CPU time of the main thread */
    GB_CLOCK_PROCESS, /* CPU time of all threads of the process; the name gets "/process_time" */
    GB_CLOCK_REAL,    /* elapsed time; the name gets "/real_time" */
    GB_CLOCK_MANUAL   /* the seconds given with gb_set_iteration_time; the name gets "/manual_time" */
} gb_clock;

/* Zero means "as Google Benchmark has it", so a designated initialiser names only what matters:
 *     gb_register(&(gb_benchmark){.name = "copy", .run = copy, .context = &buffers, .iterations = 1});
 * Names and arguments are copied; `context` is borrowed until gb_clear or gb_shutdown. */
typedef struct gb_benchmark {
    const char *name; /* required; the reported name adds "/" and each argument, then "/iterations:1" and so on */
    gb_function *run; /* required */
    void *context;    /* handed to run */
    const int64_t *args;
    size_t arg_count;
    const char *const *arg_names; /* NULL, or arg_count names; "stride" gives "/stride:8", NULL or "" gives "/8" */
    gb_clock clock;
    gb_unit unit;         /* of the reported times; default: --benchmark_time_unit, else nanoseconds */
    int64_t iterations;   /* exact count; 0: as many as the least time needs. Excludes min_time_s, min_warmup_s */
    int repetitions;      /* 0: --benchmark_repetitions */
    double min_time_s;    /* 0: --benchmark_min_time */
    double min_warmup_s;  /* 0: --benchmark_min_warmup_time; goes only with a min_time_s */
    int threads;          /* 0 or 1: the calling thread; up to 1024: run is called by that many threads at once */
    bool aggregates_only; /* with repetitions: report mean, median, deviation, not each repetition */
} gb_benchmark;

/* Returns GB_OK, GB_ERROR_ARGUMENT (the text names the field), GB_ERROR_STATE or GB_ERROR_MEMORY. */
GB_API gb_status gb_register(const gb_benchmark *benchmark);

/* ---- inside a benchmark ----------------------------------------------------------------------------------------- */
/* These do not return a status: one that cannot do its work marks the benchmark as failed, as gb_skip_with_error does,
 * and the report shows the sentence. A NULL state does nothing. */

/* True: do one more iteration. The clock runs from the first call to the one that says false. */
GB_API bool gb_keep_running(gb_state *state);

/* True: do n more iterations (n > 0); may overshoot the count by up to n - 1. For bodies of a few nanoseconds, where a
 * call per iteration would weigh. Not to be mixed with gb_keep_running in one run. */
GB_API bool gb_keep_running_batch(gb_state *state, int64_t n);

/* With GB_CLOCK_MANUAL: the time of this iteration, once per iteration; seconds finite and >= 0. A benchmark that never
 * calls it is failed. Without a fixed count of iterations a time of 0 makes Google Benchmark try ever more of them. */
GB_API void gb_set_iteration_time(gb_state *state, double seconds);

/* Stop the clock and start it again, inside the loop. A call that changes nothing is ignored; gb_keep_running starts a
 * stopped clock. */
GB_API void gb_pause_timing(gb_state *state);
GB_API void gb_resume_timing(gb_state *state);

GB_API int64_t gb_iterations(const gb_state *state);     /* done so far; 0 before the loop */
GB_API int64_t gb_max_iterations(const gb_state *state); /* to be done in this run */

/* Argument `position`, counted from 0. One that was not registered marks the benchmark as failed and gives 0. */
GB_API int64_t gb_range(gb_state *state, size_t position);
GB_API size_t gb_range_count(const gb_state *state);

GB_API int gb_thread_index(const gb_state *state); /* 0 to gb_threads - 1 */
GB_API int gb_threads(const gb_state *state);

/* How a counter becomes the number in the report; flags are or-ed. */
enum {
    GB_COUNTER_PLAIN = 0,
    GB_COUNTER_RATE = 1 << 0,                /* divided by the seconds of the benchmark */
    GB_COUNTER_AVG_THREADS = 1 << 1,         /* divided by the number of threads */
    GB_COUNTER_PER_ITERATION = 1 << 2,       /* divided by the iterations */
    GB_COUNTER_ITERATION_INVARIANT = 1 << 3, /* the same in every iteration: multiplied by the iterations */
    GB_COUNTER_INVERT = 1 << 4,              /* one over the result, last of all */
    GB_COUNTER_BASE_1024 = 1 << 5            /* printed with Ki, Mi, ... instead of k, M, ... */
};

/* Sets the counter, also over an earlier value. With several threads the values are summed. */
GB_API void gb_set_counter(gb_state *state, const char *name, double value, unsigned flags);

/* Totals over all iterations; reported as the counters bytes_per_second and items_per_second. Set after the loop. */
GB_API void gb_set_bytes_processed(gb_state *state, int64_t bytes);
GB_API void gb_set_items_processed(gb_state *state, int64_t items);

/* A remark shown behind the results. */
GB_API void gb_set_label(gb_state *state, const char *label);

/* Ends the measurement: the loop says false from now on, and the report shows the text instead of times. The first
 * call counts, and holds for the repetitions that follow: their callbacks are not called. `error` is for failure;
 * `message` for a benchmark that does not apply here. With Google Benchmark before
 * 1.8, which knows only errors, a message appears in its console and files as an error that begins with "skipped: ";
 * a gb_reporter sees GB_SKIPPED_WITH_MESSAGE and the plain text with every version. */
GB_API void gb_skip_with_error(gb_state *state, const char *text);
GB_API void gb_skip_with_message(gb_state *state, const char *text);
GB_API bool gb_is_skipped(const gb_state *state);

/* ---- reports ---------------------------------------------------------------------------------------------------- */
/* Everything a reporter is shown is borrowed until its callback returns. */

typedef struct gb_pair {
    const char *key;
    const char *value;
} gb_pair;

typedef struct gb_run_context {
    const char *executable; /* argv[0] of gb_initialize; "" before it */
    const char *host;
    const char *version;  /* gb_benchmark_version() */
    int cpu_count;        /* logical processors */
    double cpu_hz;        /* nominal cycles per second, as Google Benchmark finds it */
    int cpu_scaling;      /* 1: the CPU may change its clock; 0: it may not; -1: unknown */
    size_t name_width;    /* bytes of the longest name, without the "_mean" of aggregates; for columns */
    const gb_pair *pairs; /* custom context, sorted by key: gb_add_context and --benchmark_context */
    size_t pair_count;
} gb_run_context;

typedef struct gb_counter {
    const char *name;
    double value;   /* as reported: rates, averages and inversion are already done */
    unsigned flags; /* GB_COUNTER_..., as it was set */
} gb_counter;

typedef enum gb_skip { GB_NOT_SKIPPED = 0, GB_SKIPPED_WITH_MESSAGE, GB_SKIPPED_WITH_ERROR } gb_skip;

typedef struct gb_run {
    const char *name;            /* full: "copy/stride:8/iterations:1/manual_time"; aggregates end in "_mean" ... */
    const char *registered_name; /* gb_benchmark.name alone */
    const char *label;           /* "" without */
    int64_t iterations;
    double real_time; /* per iteration, in `unit`; the manual time for GB_CLOCK_MANUAL */
    double cpu_time;  /* per iteration, in `unit` */
    gb_unit unit;     /* never GB_UNIT_DEFAULT */
    gb_skip skip;     /* when skipped, times and counters mean nothing */
    const char *skip_text;
    int64_t threads;
    int64_t repetitions;
    int64_t repetition_index;   /* from 0; -1 for an aggregate */
    bool is_aggregate;          /* a statistic over the repetitions */
    bool is_percentage;         /* of an aggregate: times and counters are fractions ("cv": 0.01 is 1 %) */
    const char *aggregate_name; /* "mean", "median", "stddev", "cv"; "" for a plain run */
    const gb_counter *counters; /* sorted by name */
    size_t counter_count;
} gb_run;

/* A reporter in C. Any callback but `runs` may be NULL. */
typedef struct gb_reporter {
    void *context;
    /* Once, before the first benchmark. False: run nothing, write no file, call nothing more. */
    bool (*begin)(void *context, const gb_run_context *run_context);
    /* After each benchmark: its repetitions, then in a second call their aggregates, where there are any. */
    void (*runs)(void *context, const gb_run *runs, size_t count);
    /* Once, after the last; the file of --benchmark_out is complete. */
    void (*finish)(void *context);
} gb_reporter;

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* Runs the benchmarks whose full name matches.
 * filter: a POSIX extended regular expression, found anywhere in the name; "-" in front inverts it, "" or "all" means
 *   every benchmark; NULL: --benchmark_filter. A name that starts with "DISABLED_" never matches.
 * display: NULL: Google Benchmark's own, as --benchmark_format says. With a reporter, Google Benchmark itself writes
 *   nothing to stdout or stderr; --benchmark_out still writes its file.
 * run_count: may be NULL; how many benchmarks were run (0 with an error, and when begin said false). An instance that
 *   skipped itself counts.
 * With --benchmark_list_tests the names are printed to stdout instead, and counted.
 * An error leaves the file of --benchmark_out as it was: nothing matched, bad filter, unwritable path.
 * Returns GB_OK also when benchmarks were skipped with errors: a reporter sees that. Errors: GB_ERROR_NO_MATCH,
 * GB_ERROR_FILTER, GB_ERROR_OUTPUT, GB_ERROR_STATE (called from inside a callback), GB_ERROR_ARGUMENT. */
GB_API gb_status gb_run_benchmarks(const char *filter, const gb_reporter *display, size_t *run_count);

/* How many benchmarks a filter matches, without running them. No match is GB_OK with 0 here. */
GB_API gb_status gb_count_matching(const char *filter, size_t *count);

/* Calls each(name, context) with the full name of every match, in the order of running, until it says false.
 * `name` is borrowed for the call. No match is GB_OK here. */
typedef bool gb_name_function(const char *name, void *context);
GB_API gb_status gb_list_matching(const char *filter, gb_name_function *each, void *context);

#ifdef __cplusplus
}
#endif

#endif
