/* Processes that end in unusual ways. fx_children_run starts its own program anew: here that is this one, which then
 * plays a process of two cases as the device's name demands. */
#include "unit.h"

#include "call/message.h"
#include "run/children.h"
#include "run/progress.h"

static char warned[4096];

void fx_warn_ask(bool (*before)(const char *sentence)) {}

void fx_print_line(FILE *to, const char *format, ...) {}

const char *fx_message_prefix(void) {
    return "";
}

bool fx_is_quiet(void) {
    return false;
}

bool fx_is_verbose(void) {
    return false;
}

void fx_warn(const char *format, ...) {
    va_list arguments;
    size_t length = strlen(warned);
    va_start(arguments, format);
    (void)vsnprintf(warned + length, sizeof warned - length, format, arguments);
    va_end(arguments);
}

/* `how`: the events of the second process, a letter each (d: a case is done, w: a warning, e: the device is lost), and
 * its exit status; the first one is as it should be. */
static int play(void) {
    fx_parent_record record;
    fx_error err = {0};
    if (fx_parent_record_take(&record, &err) || !record.child || getenv(FX_PARENT_RECORD)) {
        return FX_EXIT_USE;
    }
    const int events = (int)record.events_fd;
    const char *how = record.process ? record.device : "dd0";
    for (; *how == 'd' || *how == 'w' || *how == 'e'; how++) {
        dprintf(events, "%s\n", *how == 'd' ? "done 0" : *how == 'w' ? "warning No memory. " : "ended device_lost");
    }
    const int status = (int)strtol(how, NULL, 10);
    fx_parent_record_free(&record);
    return status;
}

static fx_parent_record played(const char *how) {
    fx_parent_record record = fx_parent_record_none();
    record.child = true;
    record.device = (char *)(uintptr_t)how; /* borrowed */
    return record;
}

/* The third process has nothing to do. */
static fx_status two_will_do(void *context, size_t process, fx_children *children, fx_error *err) {
    *(size_t *)context = process + 1;
    children->cases = process < 2 ? 2 : 0;
    return FX_OK;
}

/* Ctrl-C while the cases of the first process are chosen. */
static fx_status interrupted(void *context, size_t process, fx_children *children, fx_error *err) {
    atomic_store((atomic_int *)context, 2);
    return FX_OK;
}

/* Processes that play `how`, of two cases each; `ended`: how the run is to end. */
static fx_children run_as(const char *how, fx_children children, atomic_int *stop, fx_status ended, size_t cases) {
    static const char *const arguments[] = {"run"};
    fx_error err = {0};
    children.arguments = arguments;
    children.argument_count = 1;
    children.record = played(how);
    children.stop = stop;
    children.cases = 2;
    warned[0] = '\0';
    fx_progress_begin(2, children.choose ? 2 : children.processes, 0, stdout, -1);
    assert_int_equal(fx_children_run(&children, &err), ended);
    assert_int_equal(fx_progress_tally().cases, cases);
    return children;
}

/* The third process plays the same as the second. */
static fx_children run(const char *how, size_t cases) {
    atomic_int stop = 0;
    return run_as(how, (fx_children){.processes = 3}, &stop, FX_OK, cases);
}

TEST(all_cases_reported) {
    static const char *const ends[] = {"dd0", "dd1", "dd77", "ddd0"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_int_equal(run(ends[i], i == 3 ? 8 : 6).crashed, 0);
    }
    assert_string_equal(warned, "");
}

TEST(a_process_without_cases_ends_the_run) {
    atomic_int stop = 0;
    size_t asked = 0;
    const fx_children children = {.processes = 5, .choose = two_will_do, .context = &asked};
    assert_int_equal(run_as("dd0", children, &stop, FX_OK, 4).crashed, 0);
    assert_int_equal(asked, 3);
}

TEST(a_signal_during_the_choice_starts_nothing) {
    atomic_int stop = 0;
    const fx_children children = {.processes = 5, .choose = interrupted, .context = &stop};
    (void)run_as("dd0", children, &stop, FX_INTERRUPTED, 0);
}

TEST(cases_missing) {
    assert_int_equal(run("w77", 2).crashed, 2);
    assert_says(warned, "No memory. process 2 of 3 ended after 0 of 2 cases; ");
    assert_int_equal(run("d0", 4).crashed, 2);
    assert_says(warned, "process 3 of 3 ended after 1 of 2 cases; ");
    assert_int_equal(run("d1", 4).crashed, 2);
    assert_int_equal(run("dd5", 6).crashed, 2);
    assert_says(warned, "process 2 of 3 exited with status 5; ");
}

TEST(a_lost_device_is_no_crash) {
    fx_children children = run("de1", 4);
    assert_int_equal(children.crashed, 0);
    assert_true(children.device_lost);
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "run")) {
        return play();
    }
    return UNIT_RUN(NULL, NULL);
}
