// gbench_c at work: two benchmarks over three lengths, and a reporter of our own.
//
// `sum` is timed by the library. `copy` times itself and hands the seconds over: the way for anything that the CPU's
// clock does not see, such as a transfer to a device.
// Exit status: 0 all fine, 1 a benchmark failed, 2 wrong use.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gbench_c.h>

enum { MOST = 1 << 20 };

typedef struct buffers {
    double *from;
    double *to;
} buffers;

static void sum(gb_state *state, void *context) {
    const buffers *b = context;
    const size_t length = (size_t)gb_range(state, 0);
    volatile double sink = 0; // keeps the compiler from leaving the work out
    while (gb_keep_running(state)) {
        double total = 0;
        for (size_t i = 0; i < length; i++) {
            total += b->from[i];
        }
        sink = total;
    }
    (void)sink;
    gb_set_items_processed(state, gb_iterations(state) * (int64_t)length);
}

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void copy(gb_state *state, void *context) {
    const buffers *b = context;
    const size_t bytes = (size_t)gb_range(state, 0) * sizeof *b->from;
    if (bytes > MOST * sizeof *b->from) {
        gb_skip_with_message(state, "longer than the buffers");
        return;
    }
    while (gb_keep_running(state)) {
        const double start = seconds_now();
        memcpy(b->to, b->from, bytes);
        const double taken = seconds_now() - start;
        gb_set_iteration_time(state, taken > 0 ? taken : 1e-9); // the clock may be set back
    }
    gb_set_bytes_processed(state, gb_iterations(state) * (int64_t)bytes);
}

static void print_runs(void *context, const gb_run *runs, size_t count) {
    static const char *const units[] = {"", "ns", "us", "ms", "s"};
    int *failures = context;
    for (size_t i = 0; i < count; i++) {
        const gb_run *run = &runs[i];
        if (run->skip != GB_NOT_SKIPPED) {
            printf("%-36s %s\n", run->name, run->skip_text);
            *failures += run->skip == GB_SKIPPED_WITH_ERROR;
            continue;
        }
        printf("%-36s %12.1f %s  x %" PRId64, run->name, run->real_time, units[run->unit], run->iterations);
        for (size_t k = 0; k < run->counter_count; k++) {
            printf("  %s=%.3g", run->counters[k].name, run->counters[k].value);
        }
        printf("\n");
    }
}

static gb_status register_all(buffers *b) {
    static const char *const arg_names[] = {"length"};
    static const int64_t lengths[] = {1024, MOST, 2 * MOST};
    gb_status status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < 3; i++) {
        gb_benchmark benchmark = {
            .name = "copy", .run = copy, .context = b, .args = &lengths[i], .arg_count = 1, .arg_names = arg_names};
        benchmark.clock = GB_CLOCK_MANUAL;
        status = gb_register(&benchmark);
        if (status == GB_OK && lengths[i] <= MOST) {
            benchmark.name = "sum";
            benchmark.run = sum;
            benchmark.clock = GB_CLOCK_CPU;
            status = gb_register(&benchmark);
        }
    }
    return status;
}

int main(int argc, char **argv) {
    int result = 2;
    int failures = 0;
    const gb_reporter reporter = {.context = &failures, .runs = print_runs};
    buffers b = {calloc(MOST, sizeof *b.from), calloc(MOST, sizeof *b.to)};
    if (!b.from || !b.to) {
        fprintf(stderr, "example: out of memory\n");
        goto cleanup;
    }
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: example [flags]\n%s", gb_flags_help());
        result = 0;
        goto cleanup;
    }
    if (gb_initialize(&argc, argv) != GB_OK || register_all(&b) != GB_OK ||
        gb_run_benchmarks(NULL, &reporter, NULL) != GB_OK) {
        fprintf(stderr, "example: %s\n", gb_last_error());
        goto cleanup;
    }
    result = failures > 0;
cleanup:
    gb_shutdown();
    free(b.from);
    free(b.to);
    return result;
}
