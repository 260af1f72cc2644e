/* Random lane tables: aligned, within their span, the same for the same seed, and of the structure that their family
 * names. */
#include "unit.h"

#include "core/families.h"

#include "core/law.h"
#include "core/pattern_text.h"

enum { SEEDS = 200, SPAN = 1024 };

static unsigned active(const fx_lanes *lanes) {
    return fx_law_useful_bytes(lanes, 1);
}

TEST(test_within_bounds) {
    for (unsigned family = 0; family < FX_FAMILY_COUNT; family++) {
        for (unsigned width = 1; width <= 16; width *= 2) {
            for (unsigned span = 1; span <= SPAN; span *= 4) {
                for (unsigned seed = 0; seed < SEEDS; seed++) {
                    fx_lanes lanes, again;
                    const bool masked = seed % 2;
                    fx_lanes_family(&lanes, (fx_family)family, width, span, masked, seed);
                    fx_lanes_family(&again, (fx_family)family, width, span, masked, seed);
                    assert_memory_equal(&lanes, &again, sizeof lanes);
                    assert_ok(fx_lanes_check(&lanes, width, &err));
                    assert_in_range(fx_lanes_span(&lanes, width), width, width * span);
                    assert_true(masked ? active(&lanes) >= 1 : active(&lanes) == FX_WARP);
                }
            }
        }
    }
}

/* Seeds must differ, or a thousand patterns are one. */
TEST(test_seeds_differ) {
    for (unsigned family = 0; family < FX_FAMILY_COUNT; family++) {
        unsigned same = 0;
        for (unsigned seed = 1; seed < SEEDS; seed++) {
            fx_lanes a, b;
            fx_lanes_family(&a, (fx_family)family, 4, SPAN, true, seed - 1);
            fx_lanes_family(&b, (fx_family)family, 4, SPAN, true, seed);
            same += memcmp(&a, &b, sizeof a) == 0;
        }
        assert_in_range(same, 0, SEEDS / 20);
    }
}

TEST(test_structure) {
    unsigned all_share = 0, conflicts = 0, partly_masked = 0, one_round = 0, all_sectors = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        fx_lanes lanes;
        fx_lanes_family(&lanes, FX_FAMILY_STRIDE, 4, SPAN, false, seed);
        for (unsigned l = 2; l < FX_WARP; l++) {
            assert_int_equal(lanes.offset[l] - lanes.offset[l - 1], lanes.offset[1] - lanes.offset[0]);
        }
        fx_lanes_family(&lanes, FX_FAMILY_DUPLICATE, 4, SPAN, false, seed);
        assert_in_range(fx_law_distinct(&lanes), 1, FX_WARP / 2);
        fx_lanes_family(&lanes, FX_FAMILY_PAIRS, 4, SPAN, false, seed);
        all_share += fx_law_distinct(&lanes) <= FX_WARP / 2;
        fx_lanes_family(&lanes, FX_FAMILY_BANKS, 4, SPAN, false, seed);
        const fx_geometry geometry = fx_geometry_of(9, 0);
        conflicts += fx_law_wavefronts(&geometry, &lanes, 4) >= 8;
        fx_lanes_family(&lanes, FX_FAMILY_UNIFORM, 4, SPAN, true, seed);
        partly_masked += active(&lanes) > 4 && active(&lanes) < 28;
        fx_lanes_family(&lanes, FX_FAMILY_LINE, 4, SPAN, true, seed);
        assert_int_equal(fx_law_blocks(&lanes, 4, 128), 1);
        assert_int_equal(active(&lanes) % fx_law_distinct(&lanes), 0);
        one_round += active(&lanes) == fx_law_distinct(&lanes);
        all_sectors += fx_law_blocks(&lanes, 4, 32) == 4;
    }
    assert_in_range(one_round, SEEDS / 3, SEEDS * 5 / 6);
    assert_in_range(all_sectors, SEEDS / 8, SEEDS / 2);
    assert_in_range(all_share, SEEDS / 8, SEEDS * 7 / 8); /* some pairs are broken, some are not */
    assert_true(conflicts > SEEDS / 8);
    assert_true(partly_masked > SEEDS / 2);
}

UNIT_MAIN(NULL, NULL)
