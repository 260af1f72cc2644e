/* A load over time, read in windows: a series whose launches, clock and energy are known. */
#include "unit.h"

#include "../../micro/power/series.h"

#include "numbers.h"

enum { LAUNCHES = 1000 };
static const double LATE_NS = 5e8; /* from then on launches take 1.25 ms in place of 1, at 1600 MHz in place of 2000 */

static series *made(void) {
    series *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->launch = calloc(LAUNCHES, sizeof *all->launch);
    assert_non_null(all->launch);
    all->launches = LAUNCHES;
    unsigned long long at = 777000;
    for (size_t i = 0; i < LAUNCHES; i++) {
        const bool late = (double)(at - 777000) >= LATE_NS;
        const unsigned long long ns = late ? 1250000 : 1000000;
        all->launch[i] = (meter){.begun_ns = at, .ns = ns, .cycles = 2000 * 1000};
        at += ns;
    }
    for (int i = -4; i < 12; i++) { /* 100 W at rest, 500 W under load, seen every 100 ms, 30 ms late */
        const double ns = 1e8 * i + 3e7;
        all->steps[all->step_count++] = (energy_step){.ns = ns, .mJ = 1e6 + (i < 0 ? 100e-6 : 500e-6) * ns};
    }
    return all;
}

static void done(series *all) {
    free(all->launch);
    free(all);
}

TEST(pieces_have_the_time_and_the_clock_of_their_launches) {
    series *all = made();
    double ns = 0, MHz = 0;
    assert_true(series_piece(all, 1e8, 1.1e8, &ns, &MHz));
    assert_near(ns, 1e6, 1e-3);
    assert_near(MHz, 2000, 1e-6);
    assert_true(series_piece(all, 6e8, 6.1e8, &ns, &MHz));
    assert_near(ns, 1.25e6, 1e-3);
    assert_near(MHz, 1600, 1e-6);
    assert_true(series_piece(all, 4.95e8, 5.05e8, &ns, &MHz)); /* 5 launches of the one and 4 of the other */
    assert_near(ns, (5 * 1e6 + 4 * 1.25e6) / 9, 1e-3);
    assert_near(MHz, 1e3 * 9 * 2e6 / (5 * 1e6 + 4 * 1.25e6), 1e-6);
    done(all);
}

TEST(a_launch_longer_than_the_piece_is_one) {
    series *all = made();
    double ns = 0, MHz = 0;
    assert_true(series_piece(all, 1.0001e8, 1.0005e8, &ns, &MHz));
    assert_near(ns, 1e6, 1e-3);
    done(all);
}

TEST(behind_the_end_there_is_nothing) {
    series *all = made();
    const double last = (double)(all->launch[LAUNCHES - 1].begun_ns - all->launch[0].begun_ns);
    double ns = 0, MHz = 0;
    assert_true(series_piece(all, last - 1e7, last, &ns, &MHz));
    assert_false(series_piece(all, last - 1e7, last + 1, &ns, &MHz));
    assert_false(series_piece(all, last + 1e7, last + 2e7, &ns, &MHz));
    done(all);
}

TEST(energy_lies_between_its_steps) {
    series *all = made();
    assert_near((series_energy_mJ(all, 4e8) - series_energy_mJ(all, 3e8)) / 1e8, 500e-6, 1e-12);
    assert_near((series_energy_mJ(all, -2e8) - series_energy_mJ(all, -3e8)) / 1e8, 100e-6, 1e-12);
    assert_true(isnan(series_energy_mJ(all, -5e8)));
    assert_true(isnan(series_energy_mJ(all, 1.2e9)));
    all->step_count = 1;
    assert_true(isnan(series_energy_mJ(all, all->steps[0].ns)));
    done(all);
}

UNIT_MAIN(NULL, NULL)
