/* The tag law of the L1 against what an H200 took: sets of lines, and loads at several bases. */
#include "unit.h"

#include <math.h>

#include "core/law.h"
#include "measured_rows.h"

static const fx_geometry sm_90 = {
    .banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128, .tag_bank = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2}};

TEST(measured_sets) {
    char text[512];
    unsigned sets = 0;
    while (next_row("l1_tags_sm_90.txt", text)) {
        fx_lanes lines, lanes;
        char *at;
        const unsigned steps = (unsigned)strtoul(text, &at, 10);
        const int count = lanes_from(at, 128, &lines);
        for (int l = 0; l < FX_WARP; l++) {
            lanes.offset[l] = lines.offset[l * count / FX_WARP] + l * 4;
        }
        assert_int_equal(fx_law_l1_load(&sm_90, &lanes, 4), steps);
        sets++;
    }
    assert_true(sets > 500);
}

/* The same lanes cost another number of steps at another base, and all that they can cost lies in one range. */
TEST(measured_bases) {
    char text[512];
    unsigned loads = 0;
    while (next_row("l1_bases_sm_90.txt", text)) {
        fx_lanes lanes;
        char *at;
        const unsigned width = (unsigned)strtoul(text, &at, 10);
        const double cycles = strtod(at, &at);
        assert_int_equal(lanes_from(at, 1, &lanes), FX_WARP);
        const unsigned steps = fx_law_l1_load(&sm_90, &lanes, width);
        assert_true(fabs(cycles / steps - 1) < 0.01);
        loads++;
    }
    assert_int_equal(loads, 97);
}

/* Cycles per load that others have measured on another H200: RRZE, gpu-benches, gpu-strides/h200.txt (15 April 2024),
 * floats and doubles at strides of 0 to 15 elements, taken as four warps and offsets of 0, 4, ..., 28. */
TEST(published_strides) {
    static const double cycles[2][16] = {
        {1.01, 1.01, 2.01, 1.63, 4.01, 2.00, 2.32, 2.41, 8.0, 3.00, 3.16, 3.41, 4.01, 4.10, 4.25, 4.60},
        {2.01, 2.01, 4.01, 2.32, 8.0, 3.16, 4.01, 4.32, 16.0, 5.3, 5.5, 6.0, 8.0, 7.0, 7.0, 8.0}};
    unsigned close = 0;
    for (int kind = 0; kind < 2; kind++) {
        const int width = kind ? 8 : 4;
        for (int stride = 0; stride < 16; stride++) {
            unsigned steps = 0;
            for (int warp = 0; warp < 4; warp++) {
                for (int offset = 0; offset < 32; offset += 4) {
                    fx_lanes lanes;
                    for (int l = 0; l < FX_WARP; l++) {
                        lanes.offset[l] = ((warp * FX_WARP + l) * stride + offset) * width;
                    }
                    steps += fx_law_l1_load(&sm_90, &lanes, (unsigned)width);
                }
            }
            const double ratio = cycles[kind][stride] / (steps / 32.0);
            assert_true(ratio > 0.965 && ratio < 1.011);
            close += fabs(ratio - 1) <= 0.02;
        }
    }
    assert_int_equal(close, 29);
}

UNIT_MAIN(NULL, NULL)
