/* Where warps read the L2: within the window, and everywhere in it. */
#include "unit.h"

#include "gpu/roam.h"

TEST(test_window) {
    assert_int_equal(fx_roam_bytes(0), 8 << 20); /* not known */
    assert_int_equal(fx_roam_bytes(60 << 20), 8 << 20);
    assert_int_equal(fx_roam_bytes(40 << 20), 4 << 20);
    assert_int_equal(fx_roam_bytes(4 << 20), 512 << 10);
    assert_true(fx_roam_bytes(1) >= 2 * FX_LINE_BYTES);
}

TEST(test_comes_everywhere) {
    enum { BYTES = 64 << 10, LINES = BYTES / FX_LINE_BYTES };
    fx_roam roam, other;
    fx_roam_draw(&roam, BYTES, 7);
    for (int w = 0; w < FX_ROAM_WARPS; w++) {
        bool seen[LINES] = {false};
        uint32_t at = roam.at[w];
        for (int i = 0; i < LINES; i++, at = fx_roam_on(&roam, at, roam.step[w])) {
            assert_true(at < BYTES && at % FX_LINE_BYTES == 0);
            assert_false(seen[at / FX_LINE_BYTES]);
            seen[at / FX_LINE_BYTES] = true;
        }
        assert_int_equal(at, roam.at[w]); /* once round */
    }
    fx_roam_draw(&other, BYTES, 7);
    assert_memory_equal(&roam, &other, sizeof roam);
    fx_roam_draw(&other, BYTES, 8);
    assert_true(memcmp(&roam, &other, sizeof roam) != 0);
}

UNIT_MAIN(NULL, NULL)
