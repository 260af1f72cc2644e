// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h> // cmocka.h needs these three before it
#include <cmocka.h>
// clang-format on
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool came_to_the_end;

static void check_end(void) {
    if (!came_to_the_end) {
        fprintf(stderr, "the process was ended from within\n");
        _exit(99);
    }
}

__attribute__((constructor)) static void watch_end(void) {
    atexit(check_end);
}

int all_run(int failures) {
    came_to_the_end = true;
    return failures;
}

static void keep_text(char *to, const char *from) {
    assert_non_null(from);
    snprintf(to, RECORD_TEXT, "%s", from);
}

static bool keep_begin(void *context, const gb_run_context *head) {
    record *kept = context;
    kept->begins++;
    kept->head = *head;
    keep_text(kept->executable, head->executable);
    for (size_t i = 0; i < head->pair_count; i++) {
        size_t used = strlen(kept->pairs);
        snprintf(kept->pairs + used, sizeof kept->pairs - used, "%s=%s;", head->pairs[i].key, head->pairs[i].value);
    }
    return !kept->refuse;
}

static void keep_runs(void *context, const gb_run *runs, size_t count) {
    record *kept = context;
    kept->reports++;
    for (size_t i = 0; i < count; i++) {
        assert_true(kept->run_count < RECORD_RUNS);
        kept_run *to = &kept->runs[kept->run_count++];
        to->run = runs[i];
        keep_text(to->name, runs[i].name);
        keep_text(to->registered_name, runs[i].registered_name);
        keep_text(to->label, runs[i].label);
        keep_text(to->skip_text, runs[i].skip_text);
        keep_text(to->aggregate_name, runs[i].aggregate_name);
        assert_true(runs[i].counter_count <= RECORD_COUNTERS);
        for (size_t k = 0; k < runs[i].counter_count; k++) {
            keep_text(to->counters[k].name, runs[i].counters[k].name);
            to->counters[k].value = runs[i].counters[k].value;
            to->counters[k].flags = runs[i].counters[k].flags;
        }
    }
}

static void keep_finish(void *context) {
    ((record *)context)->finishes++;
}

gb_reporter record_into(record *kept) {
    memset(kept, 0, sizeof *kept);
    return (gb_reporter){.context = kept, .begin = keep_begin, .runs = keep_runs, .finish = keep_finish};
}

void run_alone(record *kept, const gb_benchmark *benchmark) {
    size_t count = 0;
    gb_reporter reporter = record_into(kept);
    assert_int_equal(gb_clear(), GB_OK);
    assert_int_equal(gb_register(benchmark), GB_OK);
    assert_int_equal(gb_run_benchmarks("", &reporter, &count), GB_OK);
    assert_int_equal(count, 1);
    assert_int_equal(kept->begins, 1);
    assert_int_equal(kept->finishes, 1);
    assert_true(kept->run_count > 0);
}

const double *kept_counter(const kept_run *run, const char *name) {
    for (size_t i = 0; i < run->run.counter_count; i++) {
        if (strcmp(run->counters[i].name, name) == 0) {
            return &run->counters[i].value;
        }
    }
    return NULL;
}

void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

const char *read_text(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file) {
        fclose(file);
    }
    return text;
}
