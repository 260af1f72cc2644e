/* Where constant reads leave their first cache, against what an H200 and an H100 took. */
#include "unit.h"

#include <math.h>

#include "core/law.h"
#include "measured_rows.h"

static const fx_geometry sm_90 = {.constant_sets = 8, .constant_ways = 4, .constant_line_bytes = 64};

/* A pattern that stays costs two cycles a word, within 2 %, on both chips; one that does not, a tenth more at least. */
TEST(measured_patterns) {
    char text[512];
    unsigned stay = 0, leave = 0, counted = 0;
    const fx_geometry of_chip = fx_geometry_of(9, 0);
    while (next_row("constant_sets_sm_90.txt", text)) {
        fx_lanes lanes;
        char *at;
        const double h200 = strtod(text, &at), h100 = strtod(at, &at);
        (void)lanes_from(at, 4, &lanes);
        const double law = 2 * fx_law_distinct(&lanes);
        if (fx_law_constant_why_not(&of_chip, &lanes, 4)) {
            const double cycles = 2 * fx_law_constant_load(&of_chip, &lanes, 4);
            assert_true(h200 > 1.1 * law && h100 > 1.1 * law);
            assert_true(!(cycles > 0) || (fabs(h200 / cycles - 1) < 0.05 && fabs(h100 / cycles - 1) < 0.05));
            counted += cycles > 0;
            leave++;
        } else {
            assert_true(fabs(h200 / law - 1) < 0.02 && fabs(h100 / law - 1) < 0.02);
            stay++;
        }
    }
    assert_int_equal(stay, 286);
    assert_int_equal(leave, 280);
    assert_int_equal(counted, 118);
}

/* Latencies of a lone warp by probe constant: medians over eight archives of H200 and H100. */
TEST(walks) {
    static const struct {
        unsigned spacing, distinct;
        double cycles;
    } measured[] = {{256, 9, 264},   {256, 10, 420}, {256, 12, 680},  {256, 16, 1109}, {256, 24, 1871},
                    {256, 32, 2573}, {128, 20, 841}, {128, 24, 1360}, {128, 28, 1808}, {128, 32, 2222},
                    {256, 8, 105},   {128, 16, 193}, {64, 32, 369},   {4, 32, 369}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const unsigned distinct = measured[i].distinct;
        const double misses = fx_law_constant_walk_misses(&sm_90, distinct, measured[i].spacing);
        const double law = 17 + 11 * distinct + 72 * misses;
        assert_true(fabs(law / measured[i].cycles - 1) < 0.06);
    }
}

/* Numbers of lines of one set between those that the law was made of, on another H100 than these. */
TEST(between) {
    static const struct {
        unsigned lines;
        double cycles;
    } measured[] = {{11, 105.351}, {13, 131.183}, {15, 157.355}, {18, 200.28},
                    {22, 263.13},  {26, 327.005}, {30, 391.041}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        fx_lanes lanes;
        memset(&lanes, -1, sizeof lanes);
        for (unsigned l = 0; l < measured[i].lines; l++) {
            lanes.offset[l] = (int32_t)(512 * l);
        }
        assert_true(fabs(2 * fx_law_constant_load(&sm_90, &lanes, 4) / measured[i].cycles - 1) < 0.02);
        lanes.offset[31] = 64; /* another set, too */
        assert_true(fx_law_constant_load(&sm_90, &lanes, 4) <= 0);
    }
}

TEST(unknown_sets) {
    assert_true(fx_law_constant_walk_misses(&(fx_geometry){0}, 32, 256) <= 0);
    assert_int_equal(fx_geometry_of(8, 0).constant_sets, 0);
}

UNIT_MAIN(NULL, NULL)
