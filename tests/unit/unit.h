/* What every unit begins with: cmocka, and tests that list themselves in the order of the file. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../harness/core/error.h"

static struct CMUnitTest unit_tests[64] __attribute__((unused));
static size_t unit_count __attribute__((unused));

/* TEST(name) { ... }; TEST_WITH has functions to be called before and after it. Each has an `err` of its own. */
#define TEST_WITH(name, set_up, tear_down)                                                                             \
    static void name(void **unit_state, fx_error err);                                                                 \
    static void unit_begin_##name(void **unit_state) {                                                                 \
        name(unit_state, (fx_error){0});                                                                               \
    }                                                                                                                  \
    __attribute__((constructor)) static void unit_##name(void) {                                                       \
        unit_tests[unit_count++] = (struct CMUnitTest){#name, unit_begin_##name, set_up, tear_down, NULL};             \
    }                                                                                                                  \
    static void name(void **unit_state, fx_error err)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* All tests, with functions to be called before the first and after the last. */
#define UNIT_RUN(set_up, tear_down) _cmocka_run_group_tests("tests", unit_tests, unit_count, set_up, tear_down)
#define UNIT_MAIN(set_up, tear_down)                                                                                   \
    int main(void) {                                                                                                   \
        return UNIT_RUN(set_up, tear_down);                                                                            \
    }

/* The call succeeds, or the test fails with the sentence in the function's `err`. */
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        if ((call) != FX_OK) {                                                                                         \
            fail_msg("%s: %s", #call, err.text);                                                                       \
        }                                                                                                              \
    } while (0)

static inline void assert_says(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("'%s' does not say '%s'", text, part);
    }
}
