/* --processes auto: what an archive that is still being written says of the next process, and how that is handed over.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "run/auto_processes.h"

enum { CASES = 7 };

static const fx_probe probe = {.name = "copy"};

static const char *const names[CASES] = {"copy/calm",   "copy/noisy", "copy/waived", "copy/lonely",
                                         "copy/absent", "copy/zero",  "copy/again"};

/* The last line is cut off, as by a process that was killed. */
static const char text[] =
    "{\"type\":\"run\",\"schema\":2}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/calm\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/noisy\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/lonely\",\"median\":10.0,\"ci95\":null,\"elapsed_s\":0.3}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/zero\",\"median\":0.0,\"ci95\":null}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/again\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":0,\"repetition\":1,\"name\":\"copy/again\",\"median\":19.0,\"ci95\":[9.9,20.0]}\n"
    "{\"type\":\"waived\",\"process\":0,\"name\":\"copy/waived\"}\n"
    "{\"type\":\"fit\",\"process\":0,\"probe\":\"copy\"}\n"
    "{\"type\":\"waived\",\"process\":1,\"name\":\"copy/waived\"}\n"
    "{\"type\":\"failed\",\"process\":1,\"name\":\"copy/lonely\"}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/calm\",\"median\":10.001,\"ci95\":[10.0,10.002]}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/noisy\",\"median\":12.0,"
    "\"ci95\":[11.999,12.001],\"elapsed_s\":0.3}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/again\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/absent\",\"med";

static void list_of(fx_case *cases, fx_case_list *list) {
    for (size_t i = 0; i < CASES; i++) {
        cases[i] = (fx_case){.probe = &probe};
        (void)snprintf(cases[i].name, sizeof cases[i].name, "%s", names[i]);
    }
    *list = (fx_case_list){.cases = cases, .count = CASES, .capacity = CASES};
}

static fx_archive *archive_of(char *path) {
    fx_error err = {0};
    fx_archive *archive = NULL;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    (void)close(fd);
    assert_int_equal(fx_archive_append_to(path, &archive, &err), FX_OK);
    return archive;
}

static void cases_of_the_next_process(void **state) {
    (void)state;
    static const bool wanted[CASES] = {[1] = true, [3] = true, [4] = true};
    char path[] = "/tmp/gpufx-test-XXXXXX";
    fx_error err = {0};
    fx_case *cases = calloc(CASES, sizeof *cases);
    fx_case_list list;
    fx_archive *archive = archive_of(path);
    bool more[CASES];
    size_t count = 0;
    list_of(cases, &list);
    assert_int_equal(fx_by_need(archive, &list, 0.005, INFINITY, true, more, &count, &err), FX_OK);
    for (size_t i = 0; i < CASES; i++) {
        if (more[i] != wanted[i]) {
            fail_msg("%s is %s", names[i], more[i] ? "wanted" : "not wanted");
        }
    }
    assert_int_equal(count, 3);
    /* With a filter of Google Benchmark nobody knows whether the run was to have it. */
    assert_int_equal(fx_by_need(archive, &list, 0.005, INFINITY, false, more, &count, &err), FX_OK);
    assert_false(more[4]);
    assert_int_equal(count, 2);
    /* What has taken long gets no further process, and what no process came to does. */
    assert_int_equal(fx_by_need(archive, &list, 0.005, 0.3, true, more, &count, &err), FX_OK);
    assert_true(more[1] && more[3] && count == 3);
    assert_int_equal(fx_by_need(archive, &list, 0.005, 0.2, true, more, &count, &err), FX_OK);
    assert_true(!more[1] && !more[3] && more[4] && count == 1);
    fx_archive_close(archive);
    assert_int_equal(unlink(path), 0);
    free(cases);
}

static void a_choice_is_handed_over(void **state) {
    (void)state;
    static const bool more[CASES] = {[1] = true, [3] = true, [6] = true};
    fx_error err = {0};
    fx_case *cases = calloc(CASES, sizeof *cases);
    fx_case_list list;
    char *chosen = NULL;
    list_of(cases, &list);
    assert_int_equal(fx_by_need_hand(more, CASES, &chosen, &err), FX_OK);
    assert_int_equal(fx_by_need_take(chosen, &list, &err), FX_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.cases[0].name, "copy/noisy");
    assert_string_equal(list.cases[1].name, "copy/lonely");
    assert_string_equal(list.cases[2].name, "copy/again");
    free(chosen);
    free(cases);
}

static void a_choice_from_another_list_is_refused(void **state) {
    (void)state;
    static const bool more[CASES + 1] = {[1] = true};
    fx_case *cases = calloc(CASES, sizeof *cases);
    fx_case_list list;
    for (size_t count = CASES - 1; count <= CASES + 1; count += 2) {
        fx_error err = {0};
        char *chosen = NULL;
        list_of(cases, &list);
        assert_int_equal(fx_by_need_hand(more, count, &chosen, &err), FX_OK);
        assert_int_equal(fx_by_need_take(chosen, &list, &err), FX_BAD_INPUT);
        assert_int_equal(list.count, CASES);
        free(chosen);
    }
    free(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_next_process),
        cmocka_unit_test(a_choice_is_handed_over),
        cmocka_unit_test(a_choice_from_another_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
