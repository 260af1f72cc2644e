/* Clock reads with a planted truth: what an access costs is known, and how the warps share the SM. */
#include "unit.h"

#include <math.h>

#include "core/random.h"
#include "core/window.h"

enum { WARPS = 32, ACCESSES = 148 };

static const double cost = 2.5; /* cycles per warp-level access, planted */

static double error_pct(double value) {
    return 100 * (value / cost - 1);
}

static double value_of(const fx_timed *timed, const fx_timed_warp *warps, unsigned count) {
    return fx_window_of(timed, warps, count, 1, ACCESSES, 0).value;
}

/* An SM that makes one access per `cost` cycles and hands them out by weight (NULL: alike) to the warps that still run.
 * The barriers of the first two passes, or of all, hold each warp until the last one has come. */
static void share_by_weight(const fx_timed *timed, const double *given, fx_timed_warp *warps, unsigned count) {
    double left[WARPS] = {0}, weight[WARPS], now = 1000;
    uint32_t pass[WARPS];
    memset(warps, 0, count * sizeof *warps);
    for (unsigned w = 0; w < count; w++) {
        pass[w] = 0;
        weight[w] = given ? given[w] : 1;
        left[w] = (double)timed->trips[0] * ACCESSES;
    }
    for (;;) {
        double weights = 0, next = INFINITY;
        for (unsigned w = 0; w < count; w++) {
            weights += left[w] > 0 ? weight[w] : 0;
        }
        if (weights <= 0) {
            return;
        }
        for (unsigned w = 0; w < count; w++) {
            next = left[w] > 0 ? fmin(next, left[w] * cost * weights / weight[w]) : next;
        }
        now += next;
        for (unsigned w = 0; w < count; w++) {
            left[w] -= left[w] > 0 ? next * weight[w] / (cost * weights) : 0;
            if (left[w] < 1e-6 && warps[w].stop[pass[w]] == 0) {
                left[w] = 0;
                warps[w].stop[pass[w]] = (uint64_t)llround(now);
            }
        }
        unsigned waiting = 0;
        for (unsigned w = 0; w < count; w++) { /* at the end of a pass: on, unless the next one has a barrier */
            waiting += left[w] <= 0;
            if (left[w] <= 0 && pass[w] + 1 < timed->passes && pass[w] + 1 >= timed->barriers) {
                left[w] = (double)timed->trips[++pass[w]] * ACCESSES;
            }
        }
        for (unsigned w = 0; w < count && waiting == count; w++) {
            if (left[w] <= 0 && pass[w] + 1 < timed->passes) {
                left[w] = (double)timed->trips[++pass[w]] * ACCESSES;
            }
        }
    }
}

TEST(chains_are_differences) {
    const fx_timed timed = fx_window_plan(1, 100, 0);
    const double n = 100.0 * ACCESSES, start = 40; /* the first pass starts cold, and each pass has an end to drain */
    const fx_timed_warp warp = {
        .stop = {5000, 5000 + (uint64_t)(n * cost + start), 5000 + (uint64_t)(3 * n * cost + 2 * start)},
        .first_ns = 1000,
        .last_ns = 101000,
        .first_cycles = 7,
        .last_cycles = 180007};
    const fx_window seen = fx_window_of(&timed, &warp, 1, 1, ACCESSES, 32);
    assert_int_equal(timed.passes, 3);
    assert_int_equal(timed.trips[2], 2 * timed.trips[1]);
    assert_int_equal(timed.barriers, timed.passes);
    assert_true(seen.value == cost);
    assert_true(seen.intercept == start);
    assert_true(seen.t_n == n * cost + start);
    assert_true(fabs(seen.sm_clock_MHz - 1800) < 1e-9);
    assert_false(seen.coarse);
}

/* A time slice of another program in the shorter pass would make the difference negative. */
TEST(a_chain_whose_sm_was_taken_away_is_the_longer_pass) {
    const fx_timed timed = fx_window_plan(1, 100, 0);
    fx_timed_warp warp = {.stop = {0, 9000, 9200}};
    fx_window seen = fx_window_of(&timed, &warp, 1, 1, 1, 32);
    assert_true(seen.disturbed && seen.value == 1);
    warp.stop[1] = 200, warp.stop[2] = 600;
    seen = fx_window_of(&timed, &warp, 1, 1, 1, 32);
    assert_true(!seen.disturbed && seen.value == 2);
}

/* Under 50 ticks of the timer there is no frequency; the cycles are as good as ever. */
TEST(a_coarse_timer_gives_no_frequency) {
    const fx_timed timed = fx_window_plan(1, 100, 0);
    fx_timed_warp warp = {.stop = {1, 101, 301}, .last_ns = 1599, .last_cycles = 3000};
    fx_window seen = fx_window_of(&timed, &warp, 1, 1, 1, 32);
    assert_true(seen.coarse && isnan(seen.sm_clock_MHz) && seen.value == 1);
    warp.last_ns = 1600;
    seen = fx_window_of(&timed, &warp, 1, 1, 1, 32);
    assert_true(!seen.coarse && seen.sm_clock_MHz == 1875);
}

TEST(fair_warps_cost_what_was_planted) {
    const fx_timed timed = fx_window_plan(WARPS, 4, 0);
    fx_timed_warp warps[WARPS];
    share_by_weight(&timed, NULL, warps, WARPS);
    const fx_window seen = fx_window_of(&timed, warps, WARPS, 1, ACCESSES, 0);
    assert_true(fabs(error_pct(seen.value)) < 0.01);
    assert_true(isnan(seen.t_n) && isnan(seen.intercept));
}

/* Some warps get less than others. While the slow ones end alone the SM may be as busy as ever, or not: where a warp
 * alone can't fill it, last stop minus first start has the tail in it. */
TEST(unfair_warps_do_not_bend_the_window) {
    const fx_timed timed = fx_window_plan(WARPS, 4, 0);
    double weight[WARPS];
    fx_timed_warp warps[WARPS];
    for (uint64_t seed = 0; seed < 100; seed++) {
        for (unsigned w = 0; w < WARPS; w++) {
            weight[w] = 1 + 0.1 * ((double)fx_random_word(seed, w) / UINT32_MAX - 0.5);
        }
        share_by_weight(&timed, weight, warps, WARPS);
        uint64_t first = UINT64_MAX;
        for (unsigned w = 0; w < WARPS; w++) {
            first = warps[w].stop[timed.passes - 1] < first ? warps[w].stop[timed.passes - 1] : first;
        }
        for (unsigned w = 0; w < WARPS; w++) { /* from when the first is done, each runs at half of its speed */
            uint64_t *stop = &warps[w].stop[timed.passes - 1];
            *stop += (*stop - first);
        }
        assert_true(fabs(error_pct(value_of(&timed, warps, WARPS))) < 0.02);
    }
}

/* As soon as one warp is done the others speed up, so a window up to there shows a rate that is 1.5 % too high. The
 * window ends a pass earlier. */
TEST(one_warp_done_early_does_not_bend_the_window) {
    const fx_timed timed = fx_window_plan(WARPS, 4, 0);
    double weight[WARPS];
    fx_timed_warp warps[WARPS];
    for (unsigned w = 0; w < WARPS; w++) {
        weight[w] = w < WARPS / 2 ? 1.1 : 1; /* half of the warps are done early, and leave the SM to the others */
    }
    share_by_weight(&timed, weight, warps, WARPS);
    assert_true(fabs(error_pct(value_of(&timed, warps, WARPS))) < 0.02);
}

/* An SM that serves whole trips, each of one warp, drawn at random; with `burst` in 100 it stays with the same warp. */
static void draw_trips(const fx_timed *timed, unsigned burst, uint64_t seed, fx_timed_warp *warps, unsigned count) {
    uint32_t done[WARPS] = {0};
    unsigned left = count, here = 0;
    double now = 1000;
    memset(warps, 0, count * sizeof *warps);
    for (unsigned w = 0; w < count; w++) {
        warps[w].stop[0] = (uint64_t)now; /* the second pass begins with a barrier */
    }
    while (left > 0) {
        const uint32_t each = timed->trips[1], total = (timed->passes - 1) * each;
        if (done[here] == total || fx_random_below(&seed, 100) >= burst) {
            do {
                here = (unsigned)fx_random_below(&seed, count);
            } while (done[here] == total);
        }
        now += cost * ACCESSES;
        if (++done[here] % each == 0) {
            warps[here].stop[done[here] / each] = (uint64_t)llround(now);
            left -= done[here] == total;
        }
    }
}

/* The largest error of 100 launches with a common window; *windows receives how many had one. */
static double largest_error_pct(uint32_t trips, unsigned burst, unsigned *windows) {
    const fx_timed timed = fx_window_plan(WARPS, trips, 0);
    fx_timed_warp warps[WARPS];
    double largest = 0;
    *windows = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        draw_trips(&timed, burst, seed, warps, WARPS);
        const double value = value_of(&timed, warps, WARPS);
        *windows += isfinite(value) ? 1u : 0u;
        largest = isfinite(value) ? fmax(largest, fabs(error_pct(value))) : largest;
    }
    return largest;
}

/* What a short pass leaves uncertain: 1.5 % and more, and little with passes 16 times as long; 9 % where warps draw
 * apart by whole trips, as in one kernel, and some launches have no common window at all. More trips in a pass cure it.
 */
TEST(longer_passes_are_more_certain) {
    static const struct {
        uint32_t trips;
        unsigned burst, least_windows, most_windows;
        double least_pct, most_pct;
    } seen[] = {
        {8, 0, 90, 100, 1.5, 9}, {16 * 8, 0, 90, 100, 0, 1}, {32, 70, 50, 99, 9, 100}, {16 * 32, 70, 100, 100, 0, 1.5}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        unsigned windows;
        const double pct = largest_error_pct(seen[i].trips, seen[i].burst, &windows);
        assert_in_range(windows, seen[i].least_windows, seen[i].most_windows);
        if (!(pct > seen[i].least_pct && pct < seen[i].most_pct)) {
            fail_msg("%u trips: %.2f %%", (unsigned)seen[i].trips, pct);
        }
    }
}

/* Each warp alone fills the SM: one after the other. There is no time in which all are at work, and no number. */
TEST(no_common_window_is_no_number) {
    fx_timed timed = fx_window_plan(2, 4, 0);
    const fx_timed_warp apart[] = {{.stop = {10, 20, 30, 40, 50, 60}}, {.stop = {10, 60, 70, 80, 90, 100}}};
    assert_true(isnan(value_of(&timed, apart, 2)));
    const fx_timed_warp touching[] = {{.stop = {10, 20, 30, 40, 50, 60}}, {.stop = {10, 50, 60, 70, 80, 90}}};
    assert_true(isnan(value_of(&timed, touching, 2)));
}

/* With a barrier before each pass the block's time is that of the slowest warp of each, and nothing is interpolated. */
TEST(barriers_time_the_whole_block) {
    fx_timed timed = fx_window_plan(WARPS, 4, 0);
    double weight[WARPS];
    fx_timed_warp warps[WARPS];
    timed.barriers = timed.passes;
    for (unsigned w = 0; w < WARPS; w++) {
        weight[w] = w == 0 ? 1000 : 1; /* the first alone, then the others */
    }
    share_by_weight(&timed, weight, warps, WARPS);
    assert_true(fabs(error_pct(value_of(&timed, warps, WARPS))) < 0.02);
    timed.barriers = 2; /* without them there is no time in which all are at work */
    share_by_weight(&timed, weight, warps, WARPS);
    assert_true(isnan(value_of(&timed, warps, WARPS)));
}

/* Blocks are timed apart, by clocks that are not compared; one that was told to idle has no stop and no say. */
TEST(blocks_are_averaged_and_idle_ones_left_out) {
    const fx_timed timed = fx_window_plan(1, 10, 0);
    const fx_timed_warp warps[] = {{.stop = {100, 200, 400}, .last_ns = 500, .last_cycles = 1000},
                                   {.stop = {0}, .last_ns = 500, .last_cycles = 2000},
                                   {.stop = {1000000, 1000300, 1000900}, .last_ns = 500, .last_cycles = 3000}};
    fx_window seen = fx_window_of(&timed, warps, 1, 3, 1, 0);
    assert_int_equal(seen.busy, 2);
    assert_true(seen.value == 20 && seen.t_n == 200 && seen.intercept == 0);
    assert_true(seen.sm_clock_MHz == 2000);
    seen = fx_window_of(&timed, &warps[1], 1, 1, 1, 0);
    assert_int_equal(seen.busy, 0);
    assert_true(isnan(seen.value) && isnan(seen.t_n) && isnan(seen.sm_clock_MHz) && !seen.coarse);
}

TEST(plans_hold_what_they_promise) {
    fx_timed timed = fx_window_plan(1, 7, 100);
    assert_int_equal(timed.trips[0], 100);
    assert_int_equal(fx_timed_total_trips(&timed), 100 + 7 + 14);
    timed = fx_window_plan(WARPS, 7, 3);
    assert_int_equal(timed.passes, FX_MAX_PASSES);
    assert_int_equal(timed.barriers, 2);
    assert_int_equal(fx_timed_total_trips(&timed), 7 * FX_MAX_PASSES);
    assert_int_equal(fx_window_trips(16000, 1e9), 2);
    assert_int_equal(fx_window_trips(16000, 100), 160);
    assert_int_equal(fx_window_trips(16000, 1e-9), 65536);
}

/* No ring may come round with the loop, or a loop that did nothing would pass. */
TEST(chains_end_elsewhere_than_they_began) {
    for (uint32_t ring = 2; ring < 200; ring++) {
        for (uint32_t trips = 2; trips < 40; trips++) {
            fx_timed timed = fx_window_plan(trips % 2 ? 1 : WARPS, trips, 0);
            const uint64_t steps = fx_timed_steps(&timed, 61, ring);
            assert_int_equal(steps, (uint64_t)fx_timed_total_trips(&timed) * 61);
            if (ring != 61 && ring != 122 && ring != 183 && steps % ring == 0) {
                fail_msg("%u trips along a ring of %u come round", (unsigned)trips, (unsigned)ring);
            }
        }
    }
    fx_timed timed = fx_window_plan(1, 5, 0);
    assert_int_equal(fx_timed_steps(&timed, 61, 1), 20 * 61 + 61); /* one place: nowhere else to end */
}

UNIT_MAIN(NULL, NULL)
