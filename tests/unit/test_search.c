/* Adaptive search: cases are added between two neighbours until the change between them is known to a granule or to 1
 * %, whatever the first grid was; nothing is added where nothing changes; noise does not make it go on for ever. A
 * device with a known truth answers each step at once. */
#include "unit.h"

#include <math.h>

#include "core/case_list.h"
#include "core/random.h"
#include "core/search.h"

enum { KIND, BYTES, LEVEL };
static const fx_axis axes[] = {
    {"kind", "", "", "plain other", 0, 0, 0},
    {"bytes", "bytes", "", NULL, 1, (int64_t)1 << 40, 1},
    {"level", "", "", NULL, 0, 9, 0},
};
static const fx_sweep sweeps[] = {{"walk", "kind=plain bytes=1", NULL}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[LEVEL] == 7 && params->value[BYTES] % 1000 ? "level=7 needs whole thousands" : NULL;
}

static const fx_search first[] = {{"kind=plain", "bytes", FX_FIRST_ENDS, 128, 0, NULL}};
static const fx_search last[] = {{"kind=plain", "bytes", FX_LAST_BEGINS, 128, 0, NULL}};
static const fx_search both[] = {{"kind=plain", "bytes", FX_FIRST_ENDS, 128, 0, NULL},
                                 {"kind=plain", "bytes", FX_LAST_BEGINS, 128, 0, NULL}};
static const fx_search steep[] = {{"kind=plain", "bytes", FX_FIRST_ENDS, 128, 0.5, NULL}};
static const fx_search less[] = {{"kind=plain", "bytes", FX_COSTS_LESS, 4, 0, "kind=other"}};
static const fx_search astray[] = {{"kind=plain", "size", FX_FIRST_ENDS, 128, 0, NULL}};
static const fx_search unknown[] = {{"kind=neither", "bytes", FX_FIRST_ENDS, 128, 0, NULL}};

static fx_probe probe = {.name = "walk",
                         .law = law,
                         .supported = supported,
                         .axes = axes,
                         .axes_count = 3,
                         .sweeps = sweeps,
                         .sweeps_count = 1,
                         .searches_count = 1};

enum { MOST = 200 };

/* An invented device, and what was measured on it. */
typedef struct bench {
    double (*cost)(const fx_params *params);
    double noise;
    uint64_t seed;
    fx_case cases[MOST];
    fx_searched_case found[MOST];
    size_t count, added;
} bench;

static void measure(bench *b, const fx_params *params, bool searched) {
    fx_error err = {0};
    fx_facts facts = {0};
    fx_case *c = &b->cases[b->count];
    assert_true(b->count < MOST);
    assert_ok(fx_case_make(&probe, &facts, &sweeps[0], params, c, &err));
    c->searched = searched;
    const double chance = (double)(fx_random_at(b->seed, b->count) % 2001) / 1000 - 1;
    const double cost = c->waived ? NAN : b->cost(params) * (1 + b->noise * chance);
    b->found[b->count++] = (fx_searched_case){c, cost, cost * (1 - b->noise), cost * (1 + b->noise)};
    b->added += searched;
}

static void grid(bench *b, int64_t kind, int64_t level, const int64_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fx_params params = {.value = {kind, bytes[(i * 11 + 3) % count], level}, .named = {true, true, true}};
        measure(b, &params, false);
    }
}

static void search(bench *b, const fx_search *wanted, size_t wanted_count) {
    static const bool fixed[FX_MAX_AXES] = {false};
    fx_error err = {0};
    fx_step step;
    probe.searches = wanted;
    probe.searches_count = wanted_count;
    do {
        assert_ok(fx_search_next(&probe, fixed, b->found, b->count, &step, &err));
        for (size_t i = 0; i < step.count; i++) {
            assert_ptr_equal(step.sweep, &sweeps[0]);
            assert_true(step.params[i].named[BYTES]);
            measure(b, &step.params[i], true);
        }
    } while (step.count);
}

/* The neighbours of a truth among what was measured of a kind: the largest that costs as `low` does, the next one. */
static void neighbours(const bench *b, int64_t truth, int64_t kind, int64_t *below, int64_t *above) {
    *below = 0;
    *above = INT64_MAX;
    for (size_t i = 0; i < b->count; i++) {
        const int64_t x = b->cases[i].params.value[BYTES];
        if (b->cases[i].params.value[KIND] != kind || b->cases[i].waived) {
            continue;
        }
        *below = x <= truth && x > *below ? x : *below;
        *above = x > truth && x < *above ? x : *above;
    }
}

static int64_t holds; /* the truth of the stairs */

static double stairs(const fx_params *params) {
    return params->value[BYTES] <= holds ? 34 : 72;
}

static double mixture(const fx_params *params) {
    const double x = (double)params->value[BYTES], end = (double)holds;
    return x <= end ? 34 : x >= 1.5 * end ? 286 : 34 + (286 - 34) * (x - end) / (0.5 * end);
}

static double three(const fx_params *params) {
    return params->value[BYTES] <= 213000 ? 34 : params->value[BYTES] <= holds ? 286 : 690;
}

static double flat(const fx_params *params) {
    return 34;
}

static double crossing(const fx_params *params) {
    const double bytes = (double)params->value[BYTES];
    return params->value[KIND] == 0 ? 5000 + bytes / 50 : 1000 + bytes / 10;
}

#define KI *1024
static const int64_t footprints[] = {1 KI,   2 KI,   4 KI,    8 KI,    16 KI,   32 KI,  64 KI,
                                     96 KI,  128 KI, 160 KI,  192 KI,  208 KI,  224 KI, 240 KI,
                                     256 KI, 512 KI, 1024 KI, 2048 KI, 4096 KI, 8192 KI};

/* All truths between two points of the grid. */
TEST(any_size_is_found) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        bench b = {.cost = stairs, .noise = 0.002, .seed = seed};
        int64_t below, above;
        holds = 20 KI + (int64_t)(fx_random_at(seed, 77) % (4000 KI));
        grid(&b, 0, 0, footprints, FX_COUNT(footprints));
        search(&b, first, 1);
        neighbours(&b, holds, 0, &below, &above);
        assert_true(above - below <= 128 || (double)(above - below) <= 0.01 * (double)above);
        assert_true(b.added <= FX_MOST_SEARCHED);
        for (size_t i = b.count - b.added; i < b.count; i++) {
            assert_int_equal(b.cases[i].params.value[BYTES] % 128, 0);
            assert_int_equal(b.cases[i].params.value[KIND], 0);
        }
    }
}

/* Where the cost climbs slowly, the end of what is flat is looked for, not the steepest place. */
TEST(the_end_of_a_flat_part_before_a_mixture) {
    bench b = {.cost = mixture, .noise = 0.001};
    int64_t below, above;
    holds = 210 KI;
    grid(&b, 0, 0, footprints, FX_COUNT(footprints));
    search(&b, first, 1);
    neighbours(&b, 210 KI + 450, 0, &below, &above); /* there it costs 3 % more */
    assert_true((double)(above - below) <= 0.011 * (double)above);
}

TEST(the_begin_of_the_last_part_and_both_on_one_walk) {
    bench b = {.cost = three, .noise = 0.003}, c = b;
    int64_t below, above;
    holds = 1500 KI;
    grid(&b, 0, 0, footprints, FX_COUNT(footprints));
    search(&b, last, 1);
    neighbours(&b, holds, 0, &below, &above);
    assert_true((double)(above - below) <= 0.01 * (double)above);
    neighbours(&b, 213000, 0, &below, &above);
    assert_int_equal(above - below, 16 KI); /* nobody asked */
    grid(&c, 0, 0, footprints, FX_COUNT(footprints));
    search(&c, both, 2);
    neighbours(&c, holds, 0, &below, &above);
    assert_true((double)(above - below) <= 0.01 * (double)above);
    neighbours(&c, 213000, 0, &below, &above);
    assert_true((double)(above - below) <= 0.01 * (double)above);
}

TEST(nothing_is_added_where_nothing_changes) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        bench b = {.cost = flat, .noise = 0.003, .seed = seed};
        grid(&b, 0, 0, footprints, FX_COUNT(footprints));
        search(&b, both, 2);
        assert_int_equal(b.added, 0);
    }
    bench small = {.cost = stairs}; /* a step of 112 % is more than one of 50 % */
    holds = 210 KI;
    grid(&small, 0, 0, footprints, FX_COUNT(footprints));
    search(&small, steep, 1);
    assert_true(small.added > 0);
    small = (bench){.cost = mixture};
    grid(&small, 1, 0, footprints, FX_COUNT(footprints)); /* not selected */
    search(&small, both, 2);
    assert_int_equal(small.added, 0);
}

/* Each level of another axis is a walk of its own. */
TEST(walks_are_told_apart) {
    bench b = {.cost = stairs, .noise = 0.001};
    holds = 100 KI;
    grid(&b, 0, 1, footprints, FX_COUNT(footprints));
    grid(&b, 0, 2, footprints, FX_COUNT(footprints));
    search(&b, first, 1);
    size_t of[10] = {0};
    for (size_t i = 0; i < b.count; i++) {
        of[b.cases[i].params.value[LEVEL]] += b.cases[i].searched;
    }
    assert_true(of[1] > 0 && of[2] > 0);
    assert_int_equal(of[1] + of[2], b.added);
}

/* What can't be run, or fails, ends the search of its walk. */
TEST(a_case_without_a_cost_ends_it) {
    static const int64_t thousands[] = {1000, 2000, 3000, 4000, 200000, 300000, 400000};
    bench b = {.cost = stairs};
    holds = 150000;
    grid(&b, 0, 7, thousands, FX_COUNT(thousands));
    search(&b, first, 1);
    assert_int_equal(b.added, 1);
    assert_non_null(b.cases[b.count - 1].waived);
}

TEST(noise_ends) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        bench b = {.cost = mixture, .noise = 0.3, .seed = seed};
        holds = 100 KI;
        grid(&b, 0, 0, footprints, FX_COUNT(footprints));
        search(&b, both, 2);
        assert_true(b.added <= FX_MOST_SEARCHED);
    }
}

TEST(from_where_on_one_costs_less) {
    static const int64_t sizes[] = {4, 64, 1024, 16384, 262144, 4194304};
    bench b = {.cost = crossing}, never = {.cost = flat};
    int64_t below, above, other_below, other_above;
    grid(&b, 0, 0, sizes, FX_COUNT(sizes));
    grid(&b, 1, 0, sizes, FX_COUNT(sizes));
    search(&b, less, 1);
    neighbours(&b, 50000, 0, &below, &above); /* 5000 + x / 50 = 1000 + x / 10 */
    neighbours(&b, 50000, 1, &other_below, &other_above);
    assert_true((double)(above - below) <= 0.011 * 50000);
    assert_int_equal(below, other_below);
    assert_int_equal(above, other_above);
    grid(&never, 0, 0, sizes, FX_COUNT(sizes));
    grid(&never, 1, 0, sizes, FX_COUNT(sizes));
    search(&never, less, 1);
    assert_int_equal(never.added, 0);
}

TEST(an_axis_that_the_user_has_set_stays) {
    bench b = {.cost = stairs};
    bool fixed[FX_MAX_AXES] = {false};
    fx_step step;
    holds = 210 KI;
    grid(&b, 0, 0, footprints, FX_COUNT(footprints));
    probe.searches = first;
    probe.searches_count = 1;
    assert_ok(fx_search_next(&probe, fixed, b.found, b.count, &step, &err));
    assert_int_equal(step.count, 1);
    fixed[BYTES] = true;
    assert_ok(fx_search_next(&probe, fixed, b.found, b.count, &step, &err));
    assert_int_equal(step.count, 0);
}

TEST(mistakes_in_the_table_are_named) {
    const bool fixed[FX_MAX_AXES] = {false};
    fx_step step;
    probe.searches_count = 1;
    probe.searches = astray;
    assert_int_equal(fx_search_next(&probe, fixed, NULL, 0, &step, &err), FX_BAD_INPUT);
    assert_says(err.text, "'size'");
    probe.searches = unknown;
    assert_int_equal(fx_search_next(&probe, fixed, NULL, 0, &step, &err), FX_BAD_INPUT);
    assert_says(err.text, "neither");
}

UNIT_MAIN(NULL, NULL)
