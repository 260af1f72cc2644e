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

static const fx_geometry few = {.banks = 16, .bank_bytes = 4}, wide = {.banks = 32, .bank_bytes = 8},
                         odd = {.banks = 24, .bank_bytes = 4}, one = {.banks = 1, .bank_bytes = 4};

/* What everybody can check by hand; the slow count below has all else. */
TEST(test_wavefronts) {
    static const struct {
        const fx_geometry *of;
        unsigned width;
        int64_t stride;
        unsigned wavefronts;
    } facts[] = {
        {&usual, 4, 0, 1},  {&usual, 4, 1, 1},    {&usual, 4, 2, 2},   {&usual, 4, 3, 1},   {&usual, 4, 16, 16},
        {&usual, 4, 24, 8}, {&usual, 4, 32, 32},  {&usual, 4, 33, 1},  {&usual, 4, 64, 32}, {&usual, 1, 1, 1},
        {&usual, 2, 1, 1},  {&usual, 1, 128, 32}, {&usual, 8, 1, 2},   {&usual, 8, 2, 4},   {&usual, 8, 16, 32},
        {&usual, 16, 1, 4}, {&usual, 16, 2, 8},   {&usual, 16, 8, 32}, {&usual, 8, 0, 1},   {&usual, 16, 0, 2},
        {&few, 4, 1, 2},    {&few, 4, 16, 32},    {&few, 4, 17, 2},    {&few, 16, 1, 8},    {&wide, 4, 2, 1},
        {&wide, 4, 4, 2},   {&wide, 8, 1, 1},     {&wide, 16, 1, 2},   {&odd, 4, 1, 2},     {&odd, 4, 24, 32},
        {&one, 4, 1, 32},   {&one, 16, 1, 128},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const unsigned found = strided(facts[i].of, facts[i].width, facts[i].stride);
        if (found != facts[i].wavefronts) {
            fail_msg("width %u, stride %d: %u wavefronts, not %u", facts[i].width, (int)facts[i].stride, found,
                     facts[i].wavefronts);
        }
    }
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

TEST(test_one_lane_and_none) {
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    for (unsigned active = 0; active < 2; active++) {
        assert_int_equal(fx_law_wavefronts(&usual, &lanes, 8), active);
        assert_int_equal(fx_law_bank_lanes(&usual, &lanes, 8), active);
        assert_int_equal(fx_law_blocks(&lanes, 8, 32), active);
        assert_int_equal(fx_law_distinct(&lanes), active);
        assert_int_equal(fx_law_useful_bytes(&lanes, 8), 8 * active);
        lanes.offset[17] = 1024;
    }
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
