/* The generators of lane tables, lane by lane. */
#include "unit.h"

#include "core/lanes.h"
#include "core/pattern_text.h"

TEST(test_stride) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 8, 3, 16);
    for (int l = 0; l < FX_WARP; l++) {
        assert_int_equal(lanes.offset[l], 16 + l * 24);
    }
    fx_lanes_stride(&lanes, 4, -1, 31 * 4);
    assert_int_equal(lanes.offset[0], 124);
    assert_int_equal(lanes.offset[31], 0);
}

TEST(test_stride_beyond_31_bits_is_inactive) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 1 << 28, 0); /* lane 2 starts at 2^31 */
    assert_int_equal(lanes.offset[1], 1 << 30);
    assert_int_equal(lanes.offset[2], -1);
    fx_lanes_stride(&lanes, 4, INT64_MAX, 0);
    assert_int_equal(lanes.offset[0], 0);
    assert_int_equal(lanes.offset[31], -1);
    fx_lanes_stride(&lanes, 4, 1, -4);
    assert_int_equal(lanes.offset[0], -1);
    assert_int_equal(lanes.offset[1], 0);
}

TEST(test_multicast) {
    fx_lanes lanes;
    fx_lanes_multicast(&lanes, 4, 3);
    for (int l = 0; l < FX_WARP; l++) {
        assert_int_equal(lanes.offset[l], l % 3 * 4);
    }
    fx_lanes_multicast(&lanes, 4, 0);
    assert_int_equal(lanes.offset[31], 0);
}

TEST(test_columns) {
    fx_lanes lanes;
    fx_lanes_column(&lanes, 4, 33, 5);
    for (int l = 0; l < FX_WARP; l++) {
        assert_int_equal(lanes.offset[l], (l * 33 + 5) * 4);
    }
    fx_lanes_xor_column(&lanes, 4, 5);
    for (int l = 0; l < FX_WARP; l++) {
        assert_int_equal(lanes.offset[l], (l * 32 + (l ^ 5)) * 4);
    }
}

static int by_value(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

TEST(test_permute) {
    fx_lanes plain, a, b, c;
    fx_lanes_stride(&plain, 4, 1, 0);
    a = b = c = plain;
    fx_lanes_permute(&a, 7);
    fx_lanes_permute(&b, 7);
    fx_lanes_permute(&c, 8);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &c, sizeof a);
    assert_memory_not_equal(&a, &plain, sizeof a);
    qsort(a.offset, FX_WARP, sizeof a.offset[0], by_value);
    assert_memory_equal(&a, &plain, sizeof a);
}

/* Each lane must come to each place about equally often: a shuffle that never moves a lane, or never leaves one in
 * place, would show here. Expected 320 per cell, standard deviation under 18. */
TEST(test_permute_is_fair) {
    unsigned seen[FX_WARP][FX_WARP] = {{0}};
    for (uint64_t seed = 0; seed < 320 * FX_WARP; seed++) {
        fx_lanes lanes;
        fx_lanes_stride(&lanes, 1, 1, 0);
        fx_lanes_permute(&lanes, seed);
        for (int l = 0; l < FX_WARP; l++) {
            seen[l][lanes.offset[l]]++;
        }
    }
    for (int l = 0; l < FX_WARP; l++) {
        for (int place = 0; place < FX_WARP; place++) {
            assert_in_range(seen[l][place], 320 - 108, 320 + 108);
        }
    }
}

TEST(test_reverse) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 1, 0);
    lanes.offset[3] = -1;
    fx_lanes_reverse(&lanes);
    assert_int_equal(lanes.offset[0], 124);
    assert_int_equal(lanes.offset[28], -1);
    assert_int_equal(lanes.offset[31], 0);
}

TEST(test_random) {
    fx_lanes a, b;
    bool seen[10] = {false};
    for (uint64_t seed = 0; seed < 64; seed++) {
        fx_lanes_random(&a, 8, 10, seed);
        for (int l = 0; l < FX_WARP; l++) {
            assert_int_equal(a.offset[l] % 8, 0);
            assert_in_range(a.offset[l], 0, 72);
            seen[a.offset[l] / 8] = true;
        }
    }
    for (int i = 0; i < 10; i++) {
        assert_true(seen[i]);
    }
    fx_lanes_random(&a, 4, 1000, 1);
    fx_lanes_random(&b, 4, 1000, 1);
    assert_memory_equal(&a, &b, sizeof a);
    fx_lanes_random(&b, 4, 1000, 2);
    assert_memory_not_equal(&a, &b, sizeof a);
    fx_lanes_random(&b, 4, 0, 2);
    assert_int_equal(b.offset[9], 0);
}

TEST(test_span_and_alignment) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 2, 0);
    assert_int_equal(fx_lanes_span(&lanes, 4), 31 * 8 + 4);
    assert_ok(fx_lanes_check(&lanes, 4, &err));
    assert_int_equal(fx_lanes_check(&lanes, 16, &err), FX_BAD_INPUT);
    lanes.offset[31] = -1;
    assert_int_equal(fx_lanes_span(&lanes, 4), 30 * 8 + 4);
    assert_ok(fx_lanes_check(&lanes, 8, &err));
    memset(&lanes, -1, sizeof lanes);
    assert_int_equal(fx_lanes_span(&lanes, 4), 0);
    assert_ok(fx_lanes_check(&lanes, 4, &err));
    fx_lanes_stride(&lanes, 4, 1, 2);
    assert_int_equal(fx_lanes_check(&lanes, 4, &err), FX_BAD_INPUT);
    lanes.offset[0] = INT32_MAX;
    assert_true(fx_lanes_span(&lanes, 16) == (size_t)INT32_MAX + 16);
}

UNIT_MAIN(NULL, NULL)
