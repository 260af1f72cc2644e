/* Laws of global memory against accesses that nobody chose, as an H200 took them: how many of them each law meets. */
#include "unit.h"

#include <math.h>

#include "core/law.h"
#include "measured_rows.h"

enum { MOST = 512 };

static const char *no_reduction(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width) {
    return fx_law_l2_reduction_why_not(geometry, lanes);
}

static const char *no_atomic(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width) {
    return fx_law_l2_atomic_why_not(geometry, lanes, width, false);
}

static const char *no_cas(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width) {
    return fx_law_l2_atomic_why_not(geometry, lanes, width, true);
}

/* Stores of narrow lanes that meet in a bank are a kind of their own, which costs what else happens to be near. */
static const char *narrow(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width) {
    const unsigned steps = fx_law_shared_store(geometry, lanes, width);
    return width < 4 && steps > 2 && 4 * steps >= floor(fx_law_l2_store(geometry, lanes, width)) ? "narrow" : NULL;
}

static const char *not_narrow(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width) {
    return narrow(geometry, lanes, width) ? NULL : "not narrow";
}

static const struct known {
    const char *name;
    double (*law)(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width);
    const char *(*why_not)(const fx_geometry *geometry, const fx_lanes *lanes,
                           unsigned width); /* NULL: always claimed */
    unsigned least;                         /* that are claimed */
    double off, share, farthest;            /* this share is within `off` of the law, all within `farthest` */
    double median;                          /* off by no more than that */
} known[] = {
    {"l2_load", fx_law_l2_load, fx_law_l2_load_why_not, 200, 0.05, 0.95, 0.18, 0.03},
    {"l2_store", fx_law_l2_store, narrow, 70, 0.05, 0.97, 0.1, 0.03},
    {"l2_store", fx_law_l2_store, not_narrow, 15, 0.05, 0.6, 0.16, 0.04},
    {"judged_load", fx_law_l2_load, NULL, 120, 0.05, 0.95, 0.25, 0.03},
    {"judged_store", fx_law_l2_store, NULL, 120, 0.05, 0.98, 0.13, 0.03},
    {"reduction", fx_law_l2_reduction, NULL, 80, 0.02, 0.97, 0.07, 0.03},
    {"atomic", fx_law_l2_atomic, NULL, 90, 0.05, 0.98, 0.06, 0.03},
    {"cas", fx_law_l2_cas, NULL, 100, 0.05, 0.94, 0.16, 0.03},
    {"lines_reduction", fx_law_l2_reduction, no_reduction, 50, 0.05, 0.99, 0.06, 0.02},
    {"lines_atomic", fx_law_l2_atomic, no_atomic, 20, 0.05, 0.95, 0.1, 0.02},
    {"lines_cas", fx_law_l2_cas, no_cas, 25, 0.05, 0.96, 0.1, 0.02},
};

static int ascending(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Cycles per step of what is claimed. */
static unsigned read_ratios(const struct known *of, double *ratios) {
    const fx_geometry sm_90 = fx_geometry_of(9, 0);
    char text[512];
    unsigned count = 0;
    while (next_row("global_sm_90.txt", text)) {
        const size_t length = strlen(of->name);
        fx_lanes lanes;
        if (strncmp(text, of->name, length) != 0 || text[length] != ' ') {
            continue;
        }
        char *at = text + length;
        const unsigned width = (unsigned)strtoul(at, &at, 10);
        const double cycles = strtod(at, &at);
        (void)lanes_from(at, 1, &lanes);
        if (!of->why_not || !of->why_not(&sm_90, &lanes, width)) {
            assert_true(count < MOST);
            ratios[count++] = cycles / of->law(&sm_90, &lanes, width);
        }
    }
    return count;
}

TEST(laws_meet_what_was_measured) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double ratios[MOST], farthest = 0;
        unsigned met = 0;
        const unsigned count = read_ratios(&known[i], ratios);
        assert_in_range(count, known[i].least, MOST);
        qsort(ratios, count, sizeof *ratios, ascending);
        for (unsigned k = 0; k < count; k++) {
            const double off = fabs(ratios[k] / ratios[count / 2] - 1);
            met += off <= known[i].off;
            farthest = off > farthest ? off : farthest;
        }
        printf("%-10s %u accesses, %.3f cycles per step; within %.0f %%: %u, farthest %.1f %%\n", known[i].name, count,
               ratios[count / 2], 100 * known[i].off, met, 100 * farthest);
        assert_true(fabs(ratios[count / 2] - 1) < known[i].median);
        assert_true(met >= known[i].share * count);
        assert_true(farthest <= known[i].farthest);
    }
}

UNIT_MAIN(NULL, NULL)
