/* gbench_c: Google Benchmark for programs written in C.
 *
 * The order of a program: gb_initialize, gb_register for every benchmark, gb_run_benchmarks, gb_shutdown.
 *
 * Errors: no function exits, aborts or lets a C++ exception out. A function that returns gb_status leaves one sentence
 * in gb_last_error() when it does not return GB_OK.
 *
 * Text: strings handed in are copied; strings handed out are never NULL.
 *
 * All of it belongs to one thread. A callback calls nothing but what stands under "inside a benchmark", and must
 * return: C++ frames lie between it and the caller of gb_run_benchmarks, which neither longjmp nor an exception may
 * cross. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gb_status { GB_OK = 0, GB_ERROR } gb_status;

/* One sentence about the last function that did not return GB_OK; "" when there was none. */
const char *gb_last_error(void);

/* The version of the Google Benchmark that is linked ("1.9.1"); where the library cannot say, that of the headers this
 * library was built with. */
const char *gb_benchmark_version(void);

/* ---- start and end ---------------------------------------------------------------------------------------------- */

/* Sets the flags, --benchmark_ list_tests, filter, repetitions, out or out_format; `program` is its name in reports.
 * Every value is checked before the first takes effect, and the text of an error names the flag. Any other flag is
 * refused, and so is an environment variable that stands for one (BENCHMARK_FILTER). May be called again to set further
 * flags. */
gb_status gb_initialize(const char *program, const char *const *flags, size_t count);

/* The value of a flag as it now stands, such as "benchmark_out"; "" when it was not given. Borrowed until a call of
 * gb_initialize. */
const char *gb_flag(const char *name);

/* A pair for the head of the reports. A key can be added once. */
gb_status gb_add_context(const char *key, const char *value);

/* Forgets every registered benchmark and the custom context; flags keep their values. Afterwards everything can be
 * reused; a second call does nothing. */
gb_status gb_shutdown(void);

/* ---- a benchmark ------------------------------------------------------------------------------------------------ */

typedef struct gb_state gb_state; /* a run of one benchmark; lives until its callback returns */

/* What is measured: one iteration, which says by gb_set_iteration_time what it took, or is skipped. */
typedef void gb_function(gb_state *state, void *context);

/* The reported name adds "/iterations:1/manual_time". `context`, which run gets, is borrowed until gb_shutdown. */
gb_status gb_register(const char *name, gb_function *run, void *context);

/* ---- inside a benchmark ----------------------------------------------------------------------------------------- */
/* These do not return a status: one that cannot do its work marks the benchmark as failed, as gb_skip_with_error does,
 * and the report shows the sentence. What sets or skips does nothing with a NULL state. */

/* What it took: seconds finite and >= 0. A benchmark that never calls it is failed. */
void gb_set_iteration_time(gb_state *state, double seconds);

/* Sets a number in the report, also over an earlier value. */
void gb_set_counter(gb_state *state, const char *name, double value);

/* A remark shown behind the results. */
void gb_set_label(gb_state *state, const char *label);

/* Ends the measurement: the report shows the text instead of times. The first call counts, and holds for the
 * repetitions that follow: their callbacks are not called. `error` is for failure; `message` for a benchmark that does
 * not apply here. Google Benchmark before 1.8 knows only errors, and shows a message as an error that begins with
 * "skipped: ". */
void gb_skip_with_error(gb_state *state, const char *text);
void gb_skip_with_message(gb_state *state, const char *text);

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* Runs the benchmarks whose full name matches --benchmark_filter, or prints their names with --benchmark_list_tests.
 * What was measured is in the file of --benchmark_out alone. An error leaves that file as it was: nothing matched,
 * unwritable path. GB_OK also when benchmarks were skipped with errors. */
gb_status gb_run_benchmarks(void);

/* Whether --benchmark_filter takes the benchmark of this name, by the reported one. */
bool gb_matches(const char *name);

#ifdef __cplusplus
}
#endif
