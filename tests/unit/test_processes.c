/* Which cases want one more process: planted spreads, and what has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "call/options.h"
#include "run/needed_processes.h"

#include "numbers.h"

enum { CASES = 200 };

/* A process measures 100 units, give or take `spread` between processes; its own samples say `inside`. */
static void measure(fx_repeated *r, double spread, double inside, uint64_t *state) {
    double median = 100 * exp(spread * normal(state)), half = 1.96 * inside;
    fx_repeated_add(r, median, median * exp(-half), median * exp(half));
}

static size_t wanted_of(const fx_repeated *cases, size_t count, double precision, bool *more) {
    fx_error err;
    size_t wanted = 0;
    assert_int_equal(fx_processes_wanted(cases, count, precision, more, &wanted, &err), FX_OK);
    return wanted;
}

static void the_mean_and_its_squares_are_those_of_logarithms(void **state) {
    (void)state;
    fx_repeated r = {0};
    const double values[] = {10, 11, 12.5};
    double mean = 0, squares = 0;
    for (int i = 0; i < 3; i++) {
        fx_repeated_add(&r, values[i], NAN, NAN);
        mean += log(values[i]) / 3;
    }
    for (int i = 0; i < 3; i++) {
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    }
    assert_int_equal(r.count, 3);
    assert_true(fabs(r.mean - mean) < 1e-12);
    assert_true(fabs(r.squares - squares) < 1e-12);
    assert_int_equal(r.known, 0);
}

/* Ten in a hundred cases are noisy, and their samples show it: these go on, the others do not. */
static void noisy_cases_go_on_and_calm_ones_do_not(void **state) {
    (void)state;
    fx_repeated cases[CASES] = {{0}};
    bool more[CASES];
    uint64_t seed = 1;
    size_t calm = 0, noisy = 0;
    for (size_t i = 0; i < CASES; i++) {
        double spread = i % 10 ? 0.0005 : 0.03;
        for (int process = 0; process < FX_FIRST_PROCESSES; process++) {
            measure(&cases[i], spread, spread, &seed);
        }
    }
    size_t wanted = wanted_of(cases, CASES, 0.005, more);
    for (size_t i = 0; i < CASES; i++) {
        calm += more[i] && i % 10;
        noisy += more[i] && !(i % 10);
    }
    assert_int_equal(wanted, calm + noisy);
    assert_int_equal(calm, 0);
    assert_int_equal(noisy, CASES / 10);
}

/* A noisy case whose two processes happen to agree is known by its samples, since the group's others tell what these
 * are worth; in a group of its own it would be believed. */
static void chance_agreement_is_not_believed(void **state) {
    (void)state;
    fx_repeated cases[CASES] = {{0}};
    bool more[CASES];
    uint64_t seed = 2;
    for (size_t i = 0; i < CASES; i++) {
        for (int process = 0; process < 2; process++) {
            measure(&cases[i], 0.03, 0.003, &seed); /* ten times what the samples say */
        }
    }
    cases[7] = (fx_repeated){0};
    for (int process = 0; process < 2; process++) {
        measure(&cases[7], 0, 0.003, &seed);
    }
    (void)wanted_of(cases, CASES, 0.005, more);
    assert_true(more[7]);
    cases[7].group = 1;
    (void)wanted_of(cases, CASES, 0.005, more);
    assert_false(more[7]);
}

static void more_processes_reach_the_precision(void **state) {
    (void)state;
    fx_repeated cases[CASES] = {{0}};
    bool more[CASES];
    uint64_t seed = 3;
    size_t before = CASES;
    for (int process = 0; process < 40; process++) {
        for (size_t i = 0; i < CASES; i++) {
            measure(&cases[i], 0.005, 0.005, &seed);
        }
        if (process == 1) {
            assert_true(10 * wanted_of(cases, CASES, 0.005, more) > 9 * CASES);
        }
    }
    assert_true(wanted_of(cases, CASES, 0.005, more) < before / 20);
    assert_int_equal(wanted_of(cases, CASES, 0.0001, more), CASES);
}

static void waived_and_lonely_cases(void **state) {
    (void)state;
    fx_repeated cases[4] = {{0}};
    bool more[4];
    fx_repeated_add(&cases[1], 100, 99, 101); /* measured once: it failed the other time */
    for (int process = 0; process < 5; process++) {
        fx_repeated_add(&cases[2], 100, 100, 100);
    }
    cases[3].unmet = true; /* both processes crashed before it */
    assert_int_equal(wanted_of(cases, 4, 0.005, more), 2);
    assert_false(more[0]); /* waived */
    assert_true(more[1]);
    assert_false(more[2]);
    assert_true(more[3]);
    assert_int_equal(wanted_of(cases, 0, 0.005, more), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_and_its_squares_are_those_of_logarithms),
        cmocka_unit_test(noisy_cases_go_on_and_calm_ones_do_not),
        cmocka_unit_test(chance_agreement_is_not_believed),
        cmocka_unit_test(more_processes_reach_the_precision),
        cmocka_unit_test(waived_and_lonely_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
