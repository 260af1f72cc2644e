/* The laws of shared memory, and the plain counts, against facts that everybody can check by hand, and against a slow
 * count over seeded random tables. */
#include "unit.h"

#include "core/law.h"
#include "core/random.h"

static const fx_geometry usual = {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128};

static unsigned strided(const fx_geometry *geometry, unsigned width, int64_t stride) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, width, stride, 0);
    return fx_law_wavefronts(geometry, &lanes, width);
}

TEST(test_wavefronts_of_words) {
    static const struct {
        int64_t stride;
        unsigned wavefronts;
    } facts[] = {{0, 1}, {1, 1},   {2, 2},  {3, 1},   {4, 4},  {5, 1},
                 {8, 8}, {16, 16}, {24, 8}, {32, 32}, {33, 1}, {64, 32}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strided(&usual, 4, facts[i].stride) != facts[i].wavefronts) {
            fail_msg("stride %d: %u wavefronts, not %u", (int)facts[i].stride, strided(&usual, 4, facts[i].stride),
                     facts[i].wavefronts);
        }
    }
    /* Bytes and halves that share a word share its wavefront. */
    assert_int_equal(strided(&usual, 1, 1), 1);
    assert_int_equal(strided(&usual, 2, 1), 1);
    assert_int_equal(strided(&usual, 1, 128), 32);
}

TEST(test_wavefronts_of_vectors) {
    assert_int_equal(strided(&usual, 8, 1), 2);
    assert_int_equal(strided(&usual, 8, 2), 4);
    assert_int_equal(strided(&usual, 8, 16), 32);
    assert_int_equal(strided(&usual, 16, 1), 4);
    assert_int_equal(strided(&usual, 16, 2), 8);
    assert_int_equal(strided(&usual, 16, 8), 32);
    /* One address for all: the two half-warps merge, and so do the quarters 0 with 1 and 2 with 3. */
    assert_int_equal(strided(&usual, 8, 0), 1);
    assert_int_equal(strided(&usual, 16, 0), 2);
}

/* ldmatrix: eight lanes give the rows of a matrix. */
TEST(test_matrix_rows) {
    static const struct {
        int64_t apart_bytes;
        int lanes;
        unsigned wavefronts;
    } facts[] = {{16, 32, 4}, {128, 32, 32}, {144, 32, 4}, {256, 8, 8}, {80, 16, 2}, {0, 8, 1}, {64, 8, 4}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        fx_lanes rows;
        for (int l = 0; l < FX_WARP; l++) {
            rows.offset[l] = l < facts[i].lanes ? (int32_t)(l * facts[i].apart_bytes) : -1;
        }
        if (fx_law_matrix(&usual, &rows) != facts[i].wavefronts) {
            fail_msg("%d rows of 16 bytes, %d bytes apart: %u wavefronts, not %u", facts[i].lanes,
                     (int)facts[i].apart_bytes, fx_law_matrix(&usual, &rows), facts[i].wavefronts);
        }
    }
}

TEST(test_phases_merge) {
    fx_lanes lanes;
    /* Pairs (i, i^1) share: 16 distinct doubles, one wavefront. */
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = l / 2 * 8;
    }
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 1);
    /* One pair apart, and the half-warps part again. */
    lanes.offset[31] = 16 * 8;
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 2);
    lanes.offset[31] = -1;
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 1);
    /* Pairs (i, i^2) share. */
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = (l / 4 * 2 + l % 2) * 8;
    }
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 1);
    /* Pairs (i, i^4) share: that does not merge. */
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = (l / 8 * 4 + l % 4) * 8;
    }
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 2);
    /* Quarters 0 and 1 don't merge if 2 and 3 can't. */
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = (l < 16 ? l / 2 : l) * 16;
    }
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 16), 4);
    /* A merged phase still pays for conflicts: pairs that are all in the same two banks. */
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = l / 2 * 128;
    }
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 16);
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 4), 16);
}

TEST(test_phases) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 1, 0);
    assert_int_equal(fx_law_phases(&usual, &lanes, 4), 1);
    assert_int_equal(fx_law_phases(&usual, &lanes, 8), 2);
    assert_int_equal(fx_law_phases(&usual, &lanes, 16), 4);
    /* Conflicts make no phases, merging takes them away. */
    fx_lanes_stride(&lanes, 8, 16, 0);
    assert_int_equal(fx_law_phases(&usual, &lanes, 8), 2);
    fx_lanes_stride(&lanes, 16, 0, 0);
    assert_int_equal(fx_law_phases(&usual, &lanes, 8), 1);
    assert_int_equal(fx_law_phases(&usual, &lanes, 16), 2);
    /* A phase of idle lanes is one all the same. */
    fx_lanes_stride(&lanes, 16, 1, 0);
    memset(&lanes.offset[8], -1, 8 * sizeof lanes.offset[0]);
    assert_int_equal(fx_law_phases(&usual, &lanes, 16), 4);
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 16), 3);
    assert_int_equal(fx_law_shared_load(&usual, &lanes, 16), 4);
    assert_int_equal(fx_law_store_wavefronts(&usual, &lanes, 16), 3);
    assert_int_equal(fx_law_shared_store(&usual, &lanes, 16), 4);
    assert_int_equal(fx_law_bank_lanes(&usual, &lanes, 16), 3);
    assert_int_equal(fx_law_shared_atomic(&usual, &lanes, 16), 4);
}

TEST(test_stores_do_not_merge) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 0, 0);
    assert_int_equal(fx_law_store_wavefronts(&usual, &lanes, 4), 1);
    assert_int_equal(fx_law_store_wavefronts(&usual, &lanes, 8), 2);
    assert_int_equal(fx_law_store_wavefronts(&usual, &lanes, 16), 4);
    /* Where nothing would merge, a store costs what a load costs. */
    for (int64_t stride = 1; stride <= 64; stride++) {
        for (unsigned width = 4; width <= 16; width *= 2) {
            fx_lanes_stride(&lanes, width, stride, 0);
            assert_int_equal(fx_law_store_wavefronts(&usual, &lanes, width), fx_law_wavefronts(&usual, &lanes, width));
        }
    }
}

TEST(test_lanes_of_a_bank) {
    fx_lanes lanes;
    static const struct {
        int64_t stride;
        unsigned lanes;
    } facts[] = {{0, 32}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {16, 16}, {32, 32}, {33, 1}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        fx_lanes_stride(&lanes, 4, facts[i].stride, 0);
        assert_int_equal(fx_law_bank_lanes(&usual, &lanes, 4), facts[i].lanes);
    }
    /* Lanes that share a word count each. */
    for (unsigned words = 1; words <= 32; words *= 2) {
        fx_lanes_multicast(&lanes, 4, words);
        assert_int_equal(fx_law_bank_lanes(&usual, &lanes, 4), 32 / words);
    }
    lanes.offset[0] = lanes.offset[1];
    assert_int_equal(fx_law_bank_lanes(&usual, &lanes, 4), 2);
    memset(&lanes, -1, sizeof lanes);
    assert_int_equal(fx_law_bank_lanes(&usual, &lanes, 4), 0);
}

TEST(test_tiles) {
    fx_lanes lanes;
    for (unsigned column = 0; column < 32; column++) {
        fx_lanes_column(&lanes, 4, 32, column);
        assert_int_equal(fx_law_wavefronts(&usual, &lanes, 4), 32);
        fx_lanes_column(&lanes, 4, 33, column);
        assert_int_equal(fx_law_wavefronts(&usual, &lanes, 4), 1);
        fx_lanes_xor_column(&lanes, 4, column);
        assert_int_equal(fx_law_wavefronts(&usual, &lanes, 4), 1);
    }
    for (unsigned words = 1; words <= 32; words++) {
        fx_lanes_multicast(&lanes, 4, words);
        assert_int_equal(fx_law_wavefronts(&usual, &lanes, 4), 1);
        assert_int_equal(fx_law_distinct(&lanes), words);
    }
}

TEST(test_other_geometries) {
    const fx_geometry few = {.banks = 16, .bank_bytes = 4}, wide = {.banks = 32, .bank_bytes = 8},
                      odd = {.banks = 24, .bank_bytes = 4}, one = {.banks = 1, .bank_bytes = 4};
    assert_int_equal(strided(&few, 4, 1), 2);
    assert_int_equal(strided(&few, 4, 2), 4);
    assert_int_equal(strided(&few, 4, 16), 32);
    assert_int_equal(strided(&few, 4, 17), 2);
    assert_int_equal(strided(&few, 4, 0), 1);
    assert_int_equal(strided(&few, 8, 1), 4);
    assert_int_equal(strided(&few, 16, 1), 8);
    assert_int_equal(strided(&wide, 4, 1), 1);
    assert_int_equal(strided(&wide, 4, 2), 1);
    assert_int_equal(strided(&wide, 4, 4), 2);
    assert_int_equal(strided(&wide, 8, 1), 1);
    assert_int_equal(strided(&wide, 16, 1), 2);
    assert_int_equal(strided(&odd, 4, 1), 2);
    assert_int_equal(strided(&odd, 4, 24), 32);
    assert_int_equal(strided(&one, 4, 1), 32);
    assert_int_equal(strided(&one, 16, 1), 128);
}

TEST(test_unknown_geometry_counts_nothing) {
    const fx_geometry none = {0}, huge = {.banks = FX_MAX_BANKS + 1, .bank_bytes = 4};
    assert_int_equal(strided(&none, 4, 1), 0);
    assert_int_equal(strided(&huge, 4, 1), 0);
    assert_int_equal(strided(&usual, 0, 1), 0);
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 1, 0);
    assert_int_equal(fx_law_blocks(&lanes, 4, 0), 0);
    assert_int_equal(fx_law_blocks(&lanes, 0, 32), 0);
}

TEST(test_sectors) {
    fx_lanes lanes;
    for (unsigned stride = 1; stride <= 64; stride *= 2) {
        fx_lanes_stride(&lanes, 4, stride, 0);
        assert_int_equal(fx_law_blocks(&lanes, 4, 32), stride < 8 ? 4 * stride : 32);
        assert_int_equal(fx_law_blocks(&lanes, 4, 128), stride < 32 ? stride : 32);
        fx_lanes_permute(&lanes, stride);
        assert_int_equal(fx_law_blocks(&lanes, 4, 32), stride < 8 ? 4 * stride : 32);
    }
    for (int64_t offset = 4; offset < 32; offset += 4) {
        fx_lanes_stride(&lanes, 4, 1, offset);
        assert_int_equal(fx_law_blocks(&lanes, 4, 32), 5);
        assert_int_equal(fx_law_blocks(&lanes, 4, 128), 2);
    }
    fx_lanes_stride(&lanes, 4, 1, 32);
    assert_int_equal(fx_law_blocks(&lanes, 4, 32), 4);
    fx_lanes_stride(&lanes, 16, 1, 0);
    assert_int_equal(fx_law_blocks(&lanes, 16, 32), 16);
    assert_int_equal(fx_law_blocks(&lanes, 16, 4), 128);
    fx_lanes_stride(&lanes, 1, 1, 0);
    assert_int_equal(fx_law_blocks(&lanes, 1, 32), 1);
    fx_lanes_stride(&lanes, 4, 0, 0);
    assert_int_equal(fx_law_blocks(&lanes, 4, 32), 1);
}

TEST(test_inactive_lanes) {
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 0);
    assert_int_equal(fx_law_blocks(&lanes, 8, 32), 0);
    assert_int_equal(fx_law_distinct(&lanes), 0);
    assert_int_equal(fx_law_useful_bytes(&lanes, 8), 0);
    lanes.offset[17] = 1024;
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), 1);
    assert_int_equal(fx_law_blocks(&lanes, 8, 32), 1);
    assert_int_equal(fx_law_distinct(&lanes), 1);
    assert_int_equal(fx_law_useful_bytes(&lanes, 8), 8);
}

/* The slow way: every byte of every lane, marked in a map. */
enum { arena = 1 << 14 };

static unsigned slow_blocks(const fx_lanes *lanes, unsigned width, unsigned block) {
    static bool touched[arena + 64];
    memset(touched, 0, sizeof touched);
    unsigned count = 0;
    for (int l = 0; l < FX_WARP; l++) {
        for (unsigned byte = 0; lanes->offset[l] >= 0 && byte < width; byte++) {
            bool *mark = &touched[((unsigned)lanes->offset[l] + byte) / block];
            count += !*mark;
            *mark = true;
        }
    }
    return count;
}

static unsigned slow_phase(const fx_geometry *g, const fx_lanes *lanes, unsigned begin, unsigned end, unsigned width) {
    unsigned most = 0;
    for (unsigned bank = 0; bank < g->banks; bank++) {
        uint64_t words[FX_WARP * 32];
        unsigned count = 0;
        for (unsigned l = begin; l < end && l < FX_WARP; l++) {
            for (unsigned byte = 0; lanes->offset[l] >= 0 && byte < width; byte++) {
                const uint64_t word = ((uint64_t)lanes->offset[l] + byte) / g->bank_bytes;
                bool known = word % g->banks != bank;
                for (unsigned i = 0; i < count && !known; i++) {
                    known = words[i] == word;
                }
                if (!known) {
                    words[count++] = word;
                }
            }
        }
        most = count > most ? count : most;
    }
    return most;
}

static bool slow_share(const fx_lanes *lanes, unsigned distance) {
    bool share = true;
    for (unsigned a = 0; a < FX_WARP; a++) {
        for (unsigned b = 0; b < FX_WARP; b++) {
            if ((a ^ b) == distance && lanes->offset[a] >= 0 && lanes->offset[b] >= 0) {
                share = share && lanes->offset[a] == lanes->offset[b];
            }
        }
    }
    return share;
}

/* For geometries whose phases are powers of two. */
static unsigned slow_wavefronts(const fx_geometry *g, const fx_lanes *lanes, unsigned width, unsigned *phases) {
    unsigned phase = g->banks * g->bank_bytes / width;
    phase = phase > FX_WARP ? FX_WARP : phase;
    if (phase < FX_WARP && (slow_share(lanes, 1) || (phase > 1 && slow_share(lanes, 2)))) {
        phase *= 2;
    }
    unsigned total = 0;
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        total += slow_phase(g, lanes, begin, begin + phase, width);
    }
    *phases = total > 0 ? FX_WARP / phase : 0;
    return total;
}

/* Without merging, from the banks' side: for every phase and bank, the words or the lanes' visits. */
static unsigned slow_unmerged(const fx_geometry *g, const fx_lanes *lanes, unsigned width, bool visits) {
    const unsigned row = g->banks * g->bank_bytes / width, phase = row < FX_WARP ? row : FX_WARP;
    unsigned total = 0;
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        unsigned most = visits ? 0 : slow_phase(g, lanes, begin, begin + phase, width);
        for (unsigned bank = 0; visits && bank < g->banks; bank++) {
            unsigned count = 0;
            for (unsigned l = begin; l < begin + phase; l++) {
                uint32_t last = UINT32_MAX; /* a lane's word whose visit is counted */
                for (unsigned byte = 0; lanes->offset[l] >= 0 && byte < width; byte++) {
                    const uint32_t word = ((uint32_t)lanes->offset[l] + byte) / g->bank_bytes;
                    count += word % g->banks == bank && word != last;
                    last = word;
                }
            }
            most = count > most ? count : most;
        }
        total += most;
    }
    return total;
}

static void random_table(fx_lanes *lanes, unsigned width, uint64_t *seed) {
    const unsigned kind = (unsigned)fx_random_below(seed, 4);
    const unsigned elements = 1u << fx_random_below(seed, 9);
    fx_lanes_random(lanes, width, elements, fx_random(seed));
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (kind == 1) { /* partners share, so that phases merge */
            lanes->offset[l] = lanes->offset[l & ~1u];
        } else if (kind == 2) {
            lanes->offset[l] = lanes->offset[l & ~2u];
        } else if (kind == 3) { /* unaligned and overlapping */
            lanes->offset[l] += (int32_t)fx_random_below(seed, width);
        }
        if (kind < 3 && fx_random_below(seed, 8) == 0) {
            lanes->offset[l] = -1;
        }
    }
}

TEST(test_against_the_slow_count) {
    static const fx_geometry geometries[] = {
        {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128},
        {.banks = 16, .bank_bytes = 4, .sector_bytes = 64, .line_bytes = 64},
        {.banks = 32, .bank_bytes = 8, .sector_bytes = 32, .line_bytes = 128},
        {.banks = 64, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 256},
    };
    uint64_t seed = 20;
    unsigned merged = 0;
    for (unsigned round = 0; round < 4000; round++) {
        const fx_geometry *g = &geometries[round % 4];
        const unsigned width = 1u << fx_random_below(&seed, 5);
        fx_lanes lanes;
        random_table(&lanes, width, &seed);
        const unsigned wavefronts = fx_law_wavefronts(g, &lanes, width);
        unsigned phases = 0;
        const unsigned slow = slow_wavefronts(g, &lanes, width, &phases);
        if (wavefronts != slow) {
            fail_msg("round %u, width %u: %u wavefronts, the slow count says %u", round, width, wavefronts, slow);
        }
        assert_int_equal(fx_law_phases(g, &lanes, width), phases);
        assert_int_equal(fx_law_shared_load(g, &lanes, width), slow > phases ? slow : phases);
        assert_int_equal(fx_law_store_wavefronts(g, &lanes, width), slow_unmerged(g, &lanes, width, false));
        assert_int_equal(fx_law_bank_lanes(g, &lanes, width), slow_unmerged(g, &lanes, width, true));
        merged += width >= 8 && slow_share(&lanes, 1);
        assert_int_equal(fx_law_blocks(&lanes, width, g->sector_bytes), slow_blocks(&lanes, width, g->sector_bytes));
        assert_int_equal(fx_law_blocks(&lanes, width, g->line_bytes), slow_blocks(&lanes, width, g->line_bytes));
        assert_int_equal(fx_law_blocks(&lanes, width, 24), slow_blocks(&lanes, width, 24));
        unsigned active = 0, distinct = 0;
        for (unsigned l = 0; l < FX_WARP; l++) {
            bool first = lanes.offset[l] >= 0;
            active += first;
            for (unsigned earlier = 0; earlier < l; earlier++) {
                first = first && lanes.offset[earlier] != lanes.offset[l];
            }
            distinct += first;
        }
        assert_int_equal(fx_law_distinct(&lanes), distinct);
        assert_int_equal(fx_law_useful_bytes(&lanes, width), active * width);
    }
    assert_true(merged > 100); /* the tables do reach the rule of merging */
}

TEST(test_highest_offsets) {
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    lanes.offset[0] = INT32_MAX - 15;
    lanes.offset[1] = INT32_MAX;
    assert_int_equal(fx_law_wavefronts(&usual, &lanes, 4), 1);
    assert_int_equal(fx_law_blocks(&lanes, 16, 32), 2);
}

UNIT_MAIN(NULL, NULL)
