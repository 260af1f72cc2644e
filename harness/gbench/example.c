/* Two benchmarks in C, the second timed by a clock of its own: the way for anything that the CPU's clock does not see,
 * such as a transfer to a device. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gbench_c.h>

static char from[4096], to[4096];

static void copy(gb_state *state, void *context) {
    while (gb_keep_running(state)) {
        memcpy(context, from, sizeof from);
    }
    gb_set_items_processed(state, gb_iterations(state) * (int64_t)sizeof from);
}

static void timed_copy(gb_state *state, void *context) {
    while (gb_keep_running(state)) {
        clock_t start = clock();
        memcpy(context, from, sizeof from);
        gb_set_iteration_time(state, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    gb_set_counter(state, "bytes", sizeof from);
}

int main(int argc, char **argv) {
    const gb_benchmark copies[] = {{"copy", copy, to, false, 0}, {"timed_copy", timed_copy, to, true, 1}};
    gb_status status = gb_initialize(&argc, argv);
    for (int i = 0; i < 2 && !status; i++) {
        status = gb_register(&copies[i]);
    }
    if (status || (status = gb_run_benchmarks(false))) {
        fprintf(stderr, "%s\n", gb_last_error());
    }
    gb_shutdown();
    return status ? 2 : 0;
}
