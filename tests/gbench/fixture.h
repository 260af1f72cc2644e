// What the tests share: flags, and a run whose report is read from the file of --benchmark_out.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gbench_c.h>

static const char *out_file; // of this program: several run at once
static bool came_to_the_end;

static void check_end(void) {
    if (!came_to_the_end) {
        fprintf(stderr, "the process was ended from within\n");
        _exit(99);
    }
}

__attribute__((constructor)) static void watch_end(void) {
    static char name[32];
    snprintf(name, sizeof name, "out.%ld.json", (long)getpid());
    out_file = name;
    atexit(check_end);
}

// Hands the result of the tests on. A program that ends without having come here fails: Google Benchmark ends the
// process with exit(0) in places, which would look like success.
static int all_run(int failures) {
    came_to_the_end = true;
    unlink(out_file);
    return failures;
}

// Hands over one flag or two.
static gb_status initialize(const char *a, const char *b) {
    return gb_initialize("program", (const char *const[]){a, b}, b ? 2 : 1);
}

static void must_register(const char *name, gb_function *run, void *context) {
    assert_int_equal(gb_register(name, run, context), GB_OK);
}

static void once(gb_state *state, void *context) {
    gb_set_iteration_time(state, 1);
}

// The start of the file; "" when there is none. Static, until the next call.
static const char *read_text(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file) {
        fclose(file);
    }
    return text;
}

// Runs what is registered, in silence; returns the JSON report.
static const char *run_into_file(void) {
    char flag[64];
    snprintf(flag, sizeof flag, "--benchmark_out=%s", out_file);
    assert_int_equal(initialize(flag, NULL), GB_OK);
    assert_int_equal(gb_run_benchmarks(), GB_OK);
    assert_int_equal(initialize("--benchmark_out=", NULL), GB_OK);
    return read_text(out_file);
}
