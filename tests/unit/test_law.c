/* The laws of shared memory, and the plain counts, against a slow count over seeded random tables; facts that everybody
 * can check by hand: test_law_facts.c. */
#include "unit.h"

#include "core/law.h"
#include "core/random.h"

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

UNIT_MAIN(NULL, NULL)
