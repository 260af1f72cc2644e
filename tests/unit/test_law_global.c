/* The laws of global memory against a count over a map of bytes; facts that can be counted by hand: test_law_facts.c.
 */
#include "unit.h"

#include <math.h>

#include "core/law.h"
#include "core/random.h"

static const fx_geometry usual = {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128};

/* Pairs of sectors, and blocks of 256 bytes. */
TEST(test_dram_loads) {
    static const struct {
        unsigned width;
        int64_t stride, offset;
        double pairs, blocks;
    } seen[] = {{4, 0, 0, 1, 1},    {4, 1, 0, 2, 1},    {4, 2, 0, 4, 1},    {4, 16, 0, 32, 8},   {4, 24, 0, 32, 12},
                {4, 32, 0, 32, 16}, {4, 48, 0, 32, 24}, {4, 64, 0, 32, 32}, {16, 1, 0, 8, 2},    {16, 4, 0, 32, 8},
                {16, 8, 0, 32, 16}, {4, 1, 4, 3, 1},    {4, 1, 192, 2, 2},  {16, 64, 60, 64, 32}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        fx_lanes lanes;
        fx_lanes_stride(&lanes, seen[i].width, seen[i].stride, seen[i].offset);
        const double steps = fx_law_dram_load(&usual, &lanes, seen[i].width);
        assert_true(fabs(steps - hypot(seen[i].pairs, 1.5 * seen[i].blocks)) < 1e-9);
    }
}

static bool is_about(double steps, double wanted) {
    return fabs(steps - wanted) < 1e-9;
}

/* Phases that want the same lines again: the bank steps of each look into the tags. */
TEST(test_l2_loads_by_looks) {
    const fx_geometry known = fx_geometry_of(9, 0);
    fx_lanes lanes;
    for (int l = 0; l < FX_WARP; l++) { /* four lines, 16 of their bytes for each phase, all in the same banks */
        lanes.offset[l] = l % 4 * 128 + l / 8 * 16;
    }
    assert_true(fabs(fx_law_l2_load(&known, &lanes, 16) - 16) < 0.1); /* four for each phase, whatever is looked up */
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = l % 8 * 128 + l % 8 * 16; /* eight lines in other banks: two looks for a phase at least */
    }
    const double steps = fx_law_l2_load(&known, &lanes, 16);
    assert_true(steps > 8 && steps < 16);
    assert_true(fx_law_l2_load(&usual, &lanes, 16) < steps);
}

/* The order of the lanes decides which line comes after which. */
TEST(test_l2_loads_by_order) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 4, 32, 0);
    const double in_order = fx_law_l2_load(&usual, &lanes, 4);
    fx_lanes_permute(&lanes, 5);
    assert_true(fx_law_l2_load(&usual, &lanes, 4) > in_order + 3);
}

/* The slow way: which bytes an access touches. */
enum { ARENA = 1 << 14 };

static void mark(const fx_lanes *lanes, unsigned width, bool bytes[ARENA]) {
    memset(bytes, 0, ARENA);
    for (int l = 0; l < FX_WARP; l++) {
        for (unsigned b = 0; lanes->offset[l] >= 0 && b < width; b++) {
            bytes[(unsigned)lanes->offset[l] + b] = true;
        }
    }
}

static unsigned touched(const bool *bytes, unsigned size) {
    unsigned count = 0;
    for (unsigned b = 0; b < size; b++) {
        count += bytes[b];
    }
    return count;
}

static unsigned slow_lines(const fx_geometry *g, const bool bytes[ARENA]) {
    unsigned lines = 0;
    for (unsigned line = 0; line < ARENA; line += g->line_bytes) {
        lines += touched(bytes + line, g->line_bytes) > 0;
    }
    return lines;
}

/* Look-ups of the busiest tag bank, a line's bank being two parities; of evenly filled banks where they are unknown. */
static unsigned slow_tags(const fx_geometry *g, const bool bytes[ARENA]) {
    unsigned low = 0, high = 0, count[4] = {0}, most = 0;
    for (unsigned bit = 0; bit < FX_TAG_BITS; bit++) {
        low |= (g->tag_bank[bit] & 1u) << bit;
        high |= (g->tag_bank[bit] >> 1 & 1u) << bit;
    }
    if (!low && !high) {
        return (slow_lines(g, bytes) + 3) / 4;
    }
    for (unsigned line = 0; line < ARENA / g->line_bytes; line++) {
        if (touched(bytes + line * g->line_bytes, g->line_bytes) > 0) {
            const int bank = 2 * __builtin_parity(line & high) + __builtin_parity(line & low);
            most = ++count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

static unsigned slow_store(const fx_geometry *g, const bool bytes[ARENA]) {
    unsigned steps = 0;
    for (unsigned line = 0; line < ARENA; line += g->line_bytes) {
        bool masked = false;
        for (unsigned sector = line; sector < line + g->line_bytes; sector += g->sector_bytes) {
            const unsigned written = touched(bytes + sector, g->sector_bytes);
            steps += written > 0;
            masked = masked || (written > 0 && written < g->sector_bytes);
        }
        steps += masked;
    }
    return steps == 1 ? 2 : steps;
}

/* Strided, or elements anywhere in a window of a size drawn first, so that tables are dense and sparse. Half of the
 * tables have idle lanes; those not aligned have lanes that overlap. */
static void random_table(fx_lanes *lanes, unsigned width, bool aligned, uint64_t *seed) {
    const unsigned elements = 1u << fx_random_below(seed, 10);
    fx_lanes_random(lanes, width, elements, fx_random(seed));
    if (fx_random_below(seed, 3) == 0) {
        fx_lanes_stride(lanes, width, (int64_t)fx_random_below(seed, 4), (int64_t)(width * fx_random_below(seed, 8)));
    }
    const bool idle = fx_random_below(seed, 2) == 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (!aligned) {
            lanes->offset[l] += (int32_t)fx_random_below(seed, width);
        }
        if (idle && fx_random_below(seed, 8) == 0) {
            lanes->offset[l] = -1;
        }
    }
}

/* What holds between counts, whatever the lanes. */
static void laws_keep_to_each_other(const fx_lanes *lanes, unsigned width) {
    const fx_geometry g = fx_geometry_of(9, 0);
    const unsigned words = fx_law_blocks(lanes, width, g.bank_bytes), lines = fx_law_blocks(lanes, width, g.line_bytes);
    const unsigned sectors = fx_law_blocks(lanes, width, g.sector_bytes);
    const unsigned load = fx_law_wavefronts(&g, lanes, width), store = fx_law_store_wavefronts(&g, lanes, width);
    assert_true(words <= FX_WARP * 4 && (words > 0) == (fx_law_distinct(lanes) > 0));
    assert_true(lines <= sectors && sectors <= words);
    assert_true(load <= store && store <= fx_law_bank_lanes(&g, lanes, width));
    assert_true(load * g.banks >= words && load <= words);
    assert_true(fx_law_shared_load(&g, lanes, width) >= fx_law_phases(&g, lanes, width));
    assert_true(fx_law_l1_tags(&g, lanes, width) <= lines && fx_law_l1_tags(&g, lanes, width) * FX_TAG_BANKS >= lines);
    assert_true(fx_law_l2_store(&g, lanes, width) <= sectors + lines + store + 2);
}

TEST(test_against_the_slow_count) {
    static const fx_geometry geometries[] = {
        {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128},
        {.banks = 16, .bank_bytes = 4, .sector_bytes = 64, .line_bytes = 64, .tag_bank = {3, 0, 1, 2, 3, 1, 0, 2, 1}},
        {.banks = 32, .bank_bytes = 8, .sector_bytes = 32, .line_bytes = 128, .tag_bank = {1, 2, 1, 2, 3, 1, 2, 3, 2}},
        {.banks = 64, .bank_bytes = 4, .sector_bytes = 64, .line_bytes = 256},
    };
    static bool bytes[ARENA];
    uint64_t seed = 31;
    unsigned by_lines = 0, by_wavefronts = 0, with_mask = 0, without_mask = 0;
    for (unsigned round = 0; round < 3000; round++) {
        const fx_geometry *g = &geometries[round % 4];
        const unsigned width = 1u << fx_random_below(&seed, 5);
        fx_lanes lanes;
        random_table(&lanes, width, round % 2 == 0, &seed);
        mark(&lanes, width, bytes);
        if (round % 2 == 0) {
            laws_keep_to_each_other(&lanes, width);
        }
        const unsigned lines = slow_lines(g, bytes), wavefronts = fx_law_shared_store(g, &lanes, width);
        const unsigned tags = slow_tags(g, bytes);
        const unsigned most = lines > wavefronts ? lines : wavefronts;
        assert_int_equal(fx_law_l1_load(g, &lanes, width), tags > wavefronts ? tags : wavefronts);
        const unsigned least = most > 0 && width < g->bank_bytes ? 2 : 0;
        const double load = fx_law_l2_load(g, &lanes, width);
        const unsigned phase = fx_law_phase_lanes(g, width), phases = phase ? FX_WARP / phase : 1;
        assert_true(load >= (most > least ? most : least) - 1e-9);
        assert_true(load <= (most > least ? most : least) + 0.22 * lines || phases > 1);
        assert_true(load <= FX_WARP * 2 + 0.22 * lines); /* each line of each phase by itself */
        const unsigned sectors = slow_store(g, bytes), slow = sectors > wavefronts ? sectors : wavefronts;
        const double store = fx_law_l2_store(g, &lanes, width);
        const bool by_phases = store > slow && is_about(store, phases + 1);
        const bool by_tags = store > slow && store > phases && phases > 2 && store <= 3 * lines + wavefronts;
        const bool narrow = width < g->bank_bytes && store > slow && wavefronts > 2;
        if (!is_about(store, slow) && !by_phases && !by_tags && !narrow) {
            fail_msg("round %u, width %u: a store takes %g steps, the slow count says %u", round, width, store, slow);
        }
        by_lines += tags > wavefronts;
        by_wavefronts += wavefronts > tags;
        with_mask += store > wavefronts && store > fx_law_blocks(&lanes, width, g->sector_bytes);
        without_mask += store > wavefronts && store == fx_law_blocks(&lanes, width, g->sector_bytes);
    }
    /* The tables reach every branch. */
    assert_true(by_lines > 50);
    assert_true(by_wavefronts > 50);
    assert_true(with_mask > 50);
    assert_true(without_mask > 20);
}

UNIT_MAIN(NULL, NULL)
