// What the tests share: a reporter that keeps everything it is shown, and files.
#ifndef RECORD_H
#define RECORD_H

#include <gbench_c.h>

#define RECORD_RUNS     16
#define RECORD_COUNTERS 8
#define RECORD_TEXT     160

typedef struct kept_run {
    gb_run run; // its pointers are dead; the texts are below
    char name[RECORD_TEXT];
    char registered_name[RECORD_TEXT];
    char label[RECORD_TEXT];
    char skip_text[RECORD_TEXT];
    char aggregate_name[RECORD_TEXT];
    struct {
        char name[RECORD_TEXT];
        double value;
        unsigned flags;
    } counters[RECORD_COUNTERS];
} kept_run;

typedef struct record {
    bool refuse; // begin says false
    int begins;
    int reports; // calls of runs
    int finishes;
    size_t run_count;
    kept_run runs[RECORD_RUNS];
    gb_run_context head; // pointers dead, but for `version`
    char executable[RECORD_TEXT];
    char pairs[RECORD_TEXT]; // "key=value;"
} record;

// A reporter into `kept`, which is emptied.
gb_reporter record_into(record *kept);

// Registers and runs this benchmark alone; fails the test on any error. At most RECORD_RUNS runs.
void run_alone(record *kept, const gb_benchmark *benchmark);

// NULL where the run has no such counter.
const double *kept_counter(const kept_run *run, const char *name);

void write_text(const char *path, const char *text);

// Hands the result of the tests on. A program that ends without having come here fails: Google Benchmark ends the
// process with exit(0) in places, which would look like success.
int all_run(int failures);

// The start of the file; "" when there is none. Static, until the next call.
const char *read_text(const char *path);

#endif
