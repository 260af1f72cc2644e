/* The laws of global memory against what was measured on sm_90, and against a count over a map of bytes. */
#include "unit.h"

#include <math.h>

#include "core/law.h"
#include "core/random.h"

typedef unsigned law(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

static const fx_geometry usual = {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128};

static unsigned strided(law *count, unsigned width, int64_t stride, int64_t offset) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, width, stride, offset);
    return count(&usual, &lanes, width);
}

typedef struct fact {
    int64_t stride;
    unsigned steps;
} fact;

static void check(law *count, unsigned width, const fact *facts, size_t fact_count) {
    for (size_t i = 0; i < fact_count; i++) {
        const unsigned steps = strided(count, width, facts[i].stride, 0);
        if (steps != facts[i].steps) {
            fail_msg("width %u, stride %d: %u steps, not %u", width, (int)facts[i].stride, steps, facts[i].steps);
        }
    }
}

#define CHECK(count, width, ...)                                                                                       \
    check(count, width, (const fact[]){__VA_ARGS__}, sizeof((const fact[]){__VA_ARGS__}) / sizeof(fact))

TEST(test_l1_loads) {
    CHECK(fx_law_l1_load, 4, {0, 1}, {1, 1}, {2, 2}, {3, 1}, {5, 2}, {8, 8}, {31, 8}, {32, 32}, {33, 8}, {64, 32});
    CHECK(fx_law_l1_load, 8, {1, 2}, {2, 4});
    CHECK(fx_law_l1_load, 16, {1, 4}, {2, 8});
    CHECK(fx_law_l1_load, 1, {1, 1}, {32, 8}, {64, 16});
    /* Where the banks of the tags are not known, a misaligned request meets two lines that are looked up together. */
    assert_int_equal(strided(fx_law_l1_load, 4, 1, 4), 1);
}

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

/* The banks of the L1's tags as found on sm_90. */
TEST(test_tags_in_one_bank) {
    const fx_geometry known = {.banks = 32,
                               .bank_bytes = 4,
                               .sector_bytes = 32,
                               .line_bytes = 128,
                               .tag_bank = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2}};
    fx_lanes lanes;
    /* Lines 1, 2, 4, 8, ...: five of their bits name bank 2. */
    memset(&lanes, -1, sizeof lanes);
    for (int bit = 0; bit < FX_TAG_BITS; bit++) {
        lanes.offset[bit] = (128 << bit) + 4 * bit;
    }
    assert_int_equal(fx_law_l1_load(&known, &lanes, 4), 5);
    /* What bits beyond those known do the law does not claim, and counts the least. */
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 8; l++) {
        lanes.offset[l] = l * (128 << FX_TAG_BITS) + 4 * l;
    }
    assert_int_equal(fx_law_l1_load(&known, &lanes, 4), 2);
    assert_non_null(fx_law_l1_load_why_not(&known, &lanes, 4));
    assert_null(fx_law_l1_load_why_not(&usual, &lanes, 4));  /* no banks are known: a quarter of the lines */
    fx_lanes_stride(&lanes, 4, (128 << FX_TAG_BITS) / 4, 0); /* as many words in one bank as lines */
    assert_null(fx_law_l1_load_why_not(&known, &lanes, 4));
    fx_lanes_stride(&lanes, 4, 33, (128 << FX_TAG_BITS) - 32 * 33 * 4);
    assert_null(fx_law_l1_load_why_not(&known, &lanes, 4));
}

static void is_l2_load(unsigned width, int64_t stride, int64_t offset, double steps) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, width, stride, offset);
    const double counted = fx_law_l2_load(&usual, &lanes, width);
    if (fabs(counted - steps) > 1e-9) {
        fail_msg("width %u, stride %d: %g steps, not %g", width, (int)stride, counted, steps);
    }
}

/* Lines, a tenth of how far each lies from the last one (of 512 bytes) and 0.12 of how far from the last but one (of 2
 * KiB; of the second line from the first one). */
TEST(test_l2_loads) {
    const double next = 0.1 / 4 + 0.12 * 2 / 16, second = 0.1 / 4 + 0.12 / 16; /* of a line side by side */
    is_l2_load(4, 0, 0, 1.05);
    is_l2_load(4, 1, 0, 1.05);
    is_l2_load(4, 1, 4, 2 + second); /* five sectors in two lines */
    is_l2_load(4, 2, 0, 2 + second);
    is_l2_load(4, 8, 0, 8 + 6 * next + second);
    is_l2_load(4, 32, 0, 32 + 30 * next + second);
    is_l2_load(4, 64, 0, 32 + 2 * (30 * next + second));
    is_l2_load(4, 256, 0, 32 + 3.1 + 0.12 * 30.5);
    is_l2_load(4, 512, 0, 32 + 3.1 + 0.12 * 31);
    is_l2_load(4, 607, 0, 32 + 3.1 + 0.12 * 31); /* farther apart is the same */
    is_l2_load(4, 640, 0, 32);                   /* but 2.5 KiB, where none has another near */
    is_l2_load(4, 2048, 0, 32);
    /* Bank steps where they are more, and two for lanes narrower than a bank. */
    is_l2_load(16, 1, 0, 4 + 2 * next + second);
    is_l2_load(16, 8, 0, 32 + 30 * next + second);
    is_l2_load(8, 16, 0, 32 + 30 * next + second);
    is_l2_load(8, 2, 0, 4 + 2 * next + second);
    is_l2_load(1, 1, 0, 2);
    is_l2_load(1, 16, 0, 4 + 2 * next + second);
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    lanes.offset[3] = 0;
    lanes.offset[9] = 1 << 11; /* two lines within 4 KiB, and farther apart */
    assert_true(fabs(fx_law_l2_load(&usual, &lanes, 4) - 2.22) < 1e-9);
    lanes.offset[9] = 1 << 14;
    assert_true(fabs(fx_law_l2_load(&usual, &lanes, 4) - 2) < 1e-9);
    assert_true(fabs(fx_law_l2_load(&usual, &lanes, 2) - 2.22) < 1e-9);
    lanes.offset[4] = 1 << 15;
    assert_true(fabs(fx_law_l2_load(&usual, &lanes, 2) - 3) < 1e-9);
    /* Bank conflicts within a line. */
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 6; l++) {
        lanes.offset[l] = l * 1024;
    }
    assert_true(fabs(fx_law_l2_load(&usual, &lanes, 4) - (6 + 0.5 + 0.12 * 4.5)) < 1e-9);
    /* The order of the lanes decides which line comes after which. */
    fx_lanes_stride(&lanes, 4, 32, 0);
    const double in_order = fx_law_l2_load(&usual, &lanes, 4);
    fx_lanes_permute(&lanes, 5);
    assert_true(fx_law_l2_load(&usual, &lanes, 4) > in_order + 3);
}

/* What the law of loads from the L2 says nothing of. */
TEST(test_no_claims) {
    fx_lanes lanes;
    fx_lanes_stride(&lanes, 16, 1, 0);
    assert_null(fx_law_l2_load_why_not(&usual, &lanes, 16));
    fx_lanes_permute(&lanes, 5); /* each phase wants all lines, and bank steps are twice as many as lines */
    assert_non_null(fx_law_l2_load_why_not(&usual, &lanes, 16));
    fx_lanes_stride(&lanes, 4, 1, 0);
    fx_lanes_permute(&lanes, 5); /* one phase */
    assert_null(fx_law_l2_load_why_not(&usual, &lanes, 4));
    /* Where the tag banks are known, all is claimed. */
    const fx_geometry known = fx_geometry_of(9, 0);
    fx_lanes_stride(&lanes, 16, 1, 0);
    fx_lanes_permute(&lanes, 5);
    assert_null(fx_law_l2_load_why_not(&known, &lanes, 16));
}

static bool is_about(double steps, double wanted) {
    return fabs(steps - wanted) < 1e-9;
}

/* What phases and narrow lanes add. */
TEST(test_l2_stores_by_parts) {
    const fx_geometry known = fx_geometry_of(9, 0);
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    lanes.offset[0] = 0; /* a whole sector, by two phases */
    lanes.offset[9] = 16;
    assert_true(is_about(fx_law_l2_store(&usual, &lanes, 16), 5));
    assert_true(is_about(fx_law_l2_store(&known, &lanes, 16), 5));
    for (unsigned l = 0; l < FX_WARP; l++) { /* each phase writes four sectors of four lines, in banks of their own */
        lanes.offset[l] = (int32_t)(l / 2 % 4 * (128 + 32) + l % 2 * 16);
    }
    assert_true(is_about(fx_law_l2_store(&usual, &lanes, 16), 5));
    const double steps =
        fx_law_l2_store(&known, &lanes, 16); /* three for each look: two or three looks in most bases */
    assert_true(is_about(steps, 5.5));
    assert_non_null(fx_law_l2_store_why_not(&usual, &lanes, 16)); /* without tag banks */
    assert_null(fx_law_l2_store_why_not(&known, &lanes, 16));
    for (unsigned l = 8; l < FX_WARP; l++) {
        lanes.offset[l] = -1;
    }
    assert_non_null(fx_law_l2_store_why_not(&known, &lanes, 16)); /* three phases without a lane */
    assert_null(fx_law_l2_store_why_not(&known, &lanes, 4));
    fx_lanes_stride(&lanes, 4, 32, 0); /* a line each, one bank: 4 bytes cost the masks alone */
    assert_true(is_about(fx_law_l2_store(&known, &lanes, 4), 64));
    fx_lanes_stride(&lanes, 1, 128, 0);
    assert_true(is_about(fx_law_l2_store(&known, &lanes, 1), 64 + 31 * 0.22));
    fx_lanes_stride(&lanes, 1, 132, 0); /* banks of their own */
    assert_true(is_about(fx_law_l2_store(&known, &lanes, 1), 64));
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

static unsigned l2_store(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width) {
    const double steps = fx_law_l2_store(geometry, lanes, width);
    assert_true(is_about(steps, floor(steps)));
    return (unsigned)steps;
}

TEST(test_l2_stores) {
    CHECK(l2_store, 4, {0, 2}, {1, 4}, {2, 10}, {3, 15}, {4, 20}, {8, 40}, {16, 48}, {32, 64}, {64, 64});
    CHECK(l2_store, 8, {1, 8}, {2, 20});
    CHECK(l2_store, 16, {1, 16}, {2, 40});
    CHECK(l2_store, 1, {1, 2}, {2, 3});
    CHECK(l2_store, 2, {1, 2}, {2, 5});
    /* Whole sectors carry no byte mask; a request between them has one at each end, here in two lines. */
    for (int64_t offset = 0; offset <= 128; offset += 4) {
        const unsigned steps = strided(l2_store, 4, 1, offset);
        assert_int_equal(steps, offset % 32 == 0 ? 4 : 7);
    }
    /* Both ends in the same line: one mask. */
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    lanes.offset[0] = 28;
    lanes.offset[1] = 64;
    assert_int_equal(l2_store(&usual, &lanes, 4), 3);
    lanes.offset[1] = 128;
    assert_int_equal(l2_store(&usual, &lanes, 4), 4);
    /* All lanes one word of 8 and of 16 bytes, or one sector: a step for each phase, and one more. */
    for (unsigned width = 8; width <= 16; width *= 2) {
        fx_lanes_stride(&lanes, width, 0, 160);
        assert_int_equal(l2_store(&usual, &lanes, width), width / 4 + 1);
        for (unsigned l = 0; l < FX_WARP; l++) {
            lanes.offset[l] += (int32_t)(l % (32 / width) * width);
        }
        assert_int_equal(l2_store(&usual, &lanes, width), width / 4 + 1);
    }
}

static void is_swap(const fx_lanes *lanes, unsigned width, double steps) {
    assert_true(fabs(fx_law_l2_cas(&usual, lanes, width) - steps) < 1e-9);
}

/* What is sent, however packets meet: a step for a single word, else 3 for one sector of a pair and 5 for two. */
TEST(test_swaps_sent) {
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    is_swap(&lanes, 4, 0);
    lanes.offset[0] = 0;
    is_swap(&lanes, 4, 3);
    lanes.offset[1] = 1024;
    lanes.offset[2] = 1028;
    lanes.offset[3] = 4096;
    lanes.offset[4] = 4096 + 32;
    is_swap(&lanes, 4, 1 + 3 + 5);
    lanes.offset[5] = 0; /* the same word again: a packet of its own */
    is_swap(&lanes, 4, 1 + 3 + 5 + 1);
}

/* Lanes of several parts of the warp bring the operands of one packet, as an H200 took it (in
 * cycles: 4.99, 3.97, 6.00). Lane l of the first `count` takes word l of a sector. */
TEST(test_packets_in_pieces) {
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 4; l++) {
        lanes.offset[l] = 8 * l;
    }
    assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 8) - 3) < 1e-9);
    is_swap(&lanes, 8, 5); /* four rows of operands, and one step more */
    lanes.offset[16] = 24; /* from the other half */
    lanes.offset[3] = -1;
    assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 8) - 5) < 1e-9);
    assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 4) - 3) < 1e-9); /* 4 bytes of all lanes come together */
    is_swap(&lanes, 4, 4);
    is_swap(&lanes, 8, 5);
    lanes.offset[8] = 16; /* from another quarter */
    lanes.offset[2] = -1;
    is_swap(&lanes, 8, 6);
    is_swap(&lanes, 4, 4);
    /* Two sectors: none of them takes longer than the other, and they wait for each other. */
    lanes.offset[16] = 56;
    assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 8) - 5.7) < 1e-9);
    /* Of two pairs of sectors one hides a quarter of what the other's pieces add. */
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 4; l++) {
        lanes.offset[l] = 64 * (l % 2) + 4 * l;
        lanes.offset[16 + l] = 64 * (l % 2) + 16 + 4 * l;
    }
    is_swap(&lanes, 4, 3 + 3 + 2 * 0.75);
}

/* Looks, as draws on an H100 showed them (test_law_measured.c has some). Lines 64 and 256 share a tag bank with any
 * base that leaves bits 5 to 8 of them alone, as do 0 and 224; 32 has another. */
TEST(test_lines_of_atomics) {
    const fx_geometry known = fx_geometry_of(9, 0);
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < FX_WARP; l++) { /* by turns words of one line and of the other, the same banks in both */
        lanes.offset[l] = 128 * (l % 2 ? 256 : 64) + 4 * (l / 2);
    }
    assert_true(is_about(fx_law_l2_reduction(&known, &lanes, 4), 3 + 3));
    for (int l = 0; l < FX_WARP; l++) { /* which of the two comes first to a bank changes with the bank */
        lanes.offset[l] = 128 * ((l + l / 2) % 2 ? 256 : 64) + 4 * (l / 2);
    }
    assert_true(is_about(fx_law_l2_reduction(&known, &lanes, 4), 3 + 3 + 3));
    for (int l = 0; l < FX_WARP; l++) { /* in different tag banks they do not wait for each other */
        lanes.offset[l] = 128 * ((l + l / 2) % 2 ? 32 : 64) + 4 * (l / 2);
    }
    assert_true(is_about(fx_law_l2_reduction(&known, &lanes, 4), 3 + 3));
    assert_null(fx_law_l2_reduction_why_not(&known, &lanes));
    assert_non_null(fx_law_l2_reduction_why_not(&usual, &lanes));
    /* A single word goes as several do where another packet of its look holds several. */
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 5; l++) {
        lanes.offset[l] = 4 * l + (l < 2 ? 0 : 128 * 32 << (l - 2));
    }
    assert_true(is_about(fx_law_l2_reduction(&known, &lanes, 4), 2 + 2 + 2 + 2));
    /* Single words wait for what is returned. */
    lanes.offset[1] = -1;
    assert_non_null(fx_law_l2_atomic_why_not(&known, &lanes, 4, false));
    assert_null(fx_law_l2_reduction_why_not(&known, &lanes));
}

/* Measured by the probe atomics on sm_90, but for 3, 12 and 24 words that return values: within 3 %, 15.0 at the one of
 * 13.6. */
TEST(test_global_atomics) {
    static const struct {
        unsigned spacing, words, reduction;
        double atomic;
        unsigned cas;
    } seen[] = {
        {4, 1, 32, 64, 64},   {4, 2, 32, 48, 48},    {4, 3, 22, 33, 34},   {4, 4, 16, 24, 24},
        {4, 8, 8, 12, 12},    {4, 12, 8, 9.3, 13},   {4, 16, 6, 7.4, 10},  {4, 24, 6, 6, 11},
        {4, 32, 5, 5, 10},    {32, 2, 48, 54.4, 80}, {32, 8, 40, 40, 80},  {32, 32, 40, 40, 80},
        {128, 2, 32, 64, 64}, {128, 32, 32, 64, 64}, {8, 8, 12, 13.6, 20}, {8, 32, 10, 10, 20},
    };
    fx_lanes lanes;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        fx_lanes_multicast(&lanes, seen[i].spacing, seen[i].words);
        assert_int_equal(fx_law_l2_reduction(&usual, &lanes, 4), seen[i].reduction);
        assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 4) - seen[i].atomic) < 1e-9);
        is_swap(&lanes, 4, seen[i].cas);
    }
    /* A pair of sectors of a compare-and-swap is a packet, two halves of pairs are two. */
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 4; l++) {
        lanes.offset[l] = l % 2 * 4 + l / 2 * 32;
    }
    is_swap(&lanes, 4, 5);
    for (int l = 2; l < 4; l++) {
        lanes.offset[l] += 32;
    }
    is_swap(&lanes, 4, 6);
    /* A packet of one word is sent in one step and worked on in two, beside one of several in the same place. */
    lanes.offset[3] = -1;
    is_swap(&lanes, 4, 5);
    lanes.offset[1] = -1;
    is_swap(&lanes, 4, 4);
    /* Two packets that share one sector of three: it is busy for six steps, and six are sent. */
    memset(&lanes, -1, sizeof lanes);
    for (int l = 0; l < 8; l++) {
        lanes.offset[l] = l < 2 ? 4 * l : 32 + 16 * (l - 2);
    }
    lanes.offset[8] = 0;
    lanes.offset[9] = 4;
    assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 4) - 7) < 1e-9);
    lanes.offset[6] = lanes.offset[7] = -1;
    assert_true(fabs(fx_law_l2_atomic(&usual, &lanes, 4) - 6) < 1e-9);
    /* One lane takes two steps, none takes none. */
    memset(&lanes, -1, sizeof lanes);
    assert_int_equal(fx_law_l2_reduction(&usual, &lanes, 4), 0);
    lanes.offset[7] = 1024;
    assert_int_equal(fx_law_l2_reduction(&usual, &lanes, 4), 2);
    lanes.offset[9] = lanes.offset[3] = 1024;
    assert_int_equal(fx_law_l2_reduction(&usual, &lanes, 4), 3);
}

TEST(test_nothing_to_count) {
    static const fx_geometry cannot[] = {
        {0}, {.banks = 32, .bank_bytes = 4, .sector_bytes = 32}, {.sector_bytes = 32, .line_bytes = 128}};
    const fx_geometry no_sector = {.banks = 32, .bank_bytes = 4, .line_bytes = 128};
    fx_lanes lanes, idle;
    fx_lanes_stride(&lanes, 4, 1, 0);
    memset(&idle, -1, sizeof idle);
    for (int i = 0; i < 5; i++) {
        const fx_geometry *g = i < 3 ? &cannot[i] : &usual;
        const fx_lanes *of = i == 3 ? &idle : &lanes;
        const unsigned width = i == 4 ? 0 : 4;
        assert_int_equal(fx_law_l1_load(g, of, width), 0);
        assert_true(fx_law_l2_load(g, of, width) == 0);
        if (i != 2) {
            assert_int_equal(l2_store(g, of, width), 0);
        }
        if (i != 1 && i != 2) {
            assert_true(fx_law_dram_load(g, of, width) == 0);
        }
    }
    assert_int_equal(l2_store(&no_sector, &lanes, 4), 0);
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

TEST(test_highest_offsets) {
    fx_lanes lanes;
    memset(&lanes, -1, sizeof lanes);
    lanes.offset[0] = INT32_MAX - 15;
    lanes.offset[1] = INT32_MAX;
    assert_int_equal(fx_law_l1_load(&usual, &lanes, 16), fx_law_shared_store(&usual, &lanes, 16));
    assert_true(fx_law_l2_load(&usual, &lanes, 16) == 4);
    /* Two sectors in two lines, both in part. */
    assert_true(is_about(fx_law_l2_store(&usual, &lanes, 16), 5)); /* one more than phases */
}

UNIT_MAIN(NULL, NULL)
