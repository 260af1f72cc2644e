/* The model of the caches against streams of which everybody knows what they find. */
#include "unit.h"

#include "pattern/cache_model.h"

enum { LINES = 16 };

static fx_cache_line line_of(uint64_t line, unsigned sectors, uint32_t bytes) {
    fx_cache_line all = {.line = line, .sectors = sectors};
    for (unsigned s = 0; s < 4; s++) {
        all.bytes[s] = sectors >> s & 1 ? bytes : 0;
    }
    return all;
}

static fx_cache_model *start(uint64_t l2_bytes, double at_once, double per_record) {
    fx_cache_model *model = fx_cache_model_new();
    const fx_cache_sizes sizes = {
        .l1_bytes = LINES * 128, .l2_bytes = l2_bytes, .blocks_at_once = at_once, .blocks_per_record = per_record};
    fx_cache_model_launch(model, &sizes);
    return model;
}

/* One line; only a `cached` load goes through the L1. */
static fx_served load_one(fx_cache_model *model, fx_cache_line line, bool cached, fx_brought *brought) {
    fx_served served = {0};
    fx_cache_model_load(model, line, cached, brought, &served);
    return served;
}

/* Lines first .. first + count - 1, whole. */
static fx_served load(fx_cache_model *model, uint64_t first, unsigned count) {
    fx_served served = {0};
    for (unsigned i = 0; i < count; i++) {
        fx_cache_model_load(model, line_of(first + i, 15, UINT32_MAX), true, NULL, &served);
    }
    return served;
}

static void expect(fx_served served, unsigned l1, unsigned l2, unsigned dram) {
    assert_int_equal(served.l1, l1);
    assert_int_equal(served.l2, l2);
    assert_int_equal(served.dram, dram);
}

TEST(test_l1) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    expect(load(model, 100, LINES), 0, 0, 4 * LINES);
    expect(load(model, 100, LINES), 4 * LINES, 0, 0);
    /* One line more than it holds, over and over, finds nothing: each has just made room for another. */
    expect(load(model, 100, LINES + 1), 4 * LINES, 0, 4);
    expect(load(model, 100, LINES + 1), 0, 4 * LINES + 4, 0);
    /* The line used last stays. */
    expect(load(model, 100 + LINES, 1), 4, 0, 0);
    expect(load(model, 200, LINES - 1), 0, 0, 4 * (LINES - 1));
    expect(load(model, 100 + LINES, 1), 4, 0, 0);
    /* The next block of the SM finds it, and one of another SM does not. */
    fx_cache_model_block(model, 1, 0);
    expect(load(model, 100 + LINES, 1), 4, 0, 0);
    fx_cache_model_other_sm(model);
    expect(load(model, 100 + LINES, 1), 0, 4, 0);
    fx_cache_model_free(model);
}

TEST(test_sectors) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    const fx_served served = load_one(model, line_of(7, 1, UINT32_MAX), true, NULL);
    expect(served, 0, 0, 1);
    assert_int_equal(served.beside, 1); /* the other half of its 64 bytes */
    assert_true(served.pairs == 1 && served.lines == 1);
    expect(load(model, 7, 1), 1, 1, 2); /* the line is there, the other three of its sectors are not */
    /* What does not go through the L1 is not there. */
    (void)load_one(model, line_of(9, 15, UINT32_MAX), false, NULL);
    expect(load(model, 9, 1), 0, 4, 0);
    fx_cache_model_free(model);
}

/* Bytes of what one brings that another wants count for who brought it, while it is there. */
TEST(test_bytes_that_are_wanted) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    fx_brought first = {0}, second = {0};
    (void)load_one(model, line_of(7, 3, 0xf), true, &first);
    (void)load_one(model, line_of(7, 6, 0xf0), true, &second);
    assert_int_equal(first.sectors, 0);
    fx_cache_model_other_sm(model);
    assert_int_equal(first.sectors, 2);
    assert_int_equal(first.bytes, 4 + 8);
    assert_int_equal(second.sectors, 1);
    assert_int_equal(second.bytes, 4);
    (void)load_one(model, line_of(7, 1, 1), true, &first);
    (void)load(model, 100, LINES); /* pushes it out */
    assert_int_equal(first.sectors, 3);
    assert_int_equal(first.bytes, 13);
    fx_cache_model_free(model);
}

static fx_served store(fx_cache_model *model, uint64_t line, unsigned sectors, uint32_t bytes, fx_brought *brought) {
    fx_served served = {0};
    fx_cache_model_store(model, line_of(line, sectors, bytes), brought, &served);
    return served;
}

TEST(test_stores) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    expect(store(model, 7, 3, UINT32_MAX, NULL), 0, 0, 2); /* written to DRAM at last ... */
    expect(store(model, 7, 3, UINT32_MAX, NULL), 0, 2, 0); /* ... once */
    expect(load(model, 7, 1), 0, 2, 2); /* stores allocate nothing in the L1; the L2 has what was written */
    expect(store(model, 7, 12, UINT32_MAX, NULL), 0, 0, 2); /* read before, and not written yet */
    expect(load(model, 7, 1), 4, 0, 0);
    fx_cache_model_free(model);
}

/* What stores leave of a sector is read from DRAM, with the sector beside it, unless somebody writes or has read it. */
TEST(test_partial_stores) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    fx_brought one = {0};
    (void)store(model, 1, 1, 0xf, &one);    /* a word: its sector and the one beside it */
    (void)store(model, 2, 3, 0xf, &one);    /* a word of both of a pair */
    (void)store(model, 3, 1, 0xffff, &one); /* filled by the next one; it alone of its pair */
    (void)store(model, 3, 1, 0xffff0000, &one);
    (void)load(model, 4, 1);
    (void)store(model, 4, 15, 0xf, &one);        /* read before */
    (void)store(model, 5, 15, UINT32_MAX, &one); /* whole */
    fx_cache_model_end(model);
    assert_int_equal(one.filled, 5);
    fx_cache_model_free(model);
}

/* Two blocks of an SM take turns: what came in since is each one's own. */
TEST(test_places_of_an_sm) {
    fx_cache_model *model = start(64 * 128, 1, 10);
    for (unsigned place = 0; place < 2; place++) {
        fx_cache_model_block(model, place, place);
        expect(load(model, 1000 * place, 20), 0, 0, 80);
    }
    for (unsigned place = 0; place < 2; place++) {
        fx_cache_model_block(model, place, place);
        expect(load(model, 1000 * place, 4), 0, 16, 0);
    }
    fx_cache_model_free(model);
}

TEST(test_near_copies) {
    fx_cache_model *model = start(64 * 128, 1, 1);
    (void)load(model, 0, 40);
    const fx_served early = load_one(model, line_of(0, 1, 1), false, NULL),
                    late = load_one(model, line_of(30, 1, 1), false, NULL);
    assert_int_equal(early.l2 + late.l2, 2);
    assert_int_equal(early.near, 0); /* 39 lines have come in since line 0, more than half of what it holds */
    assert_int_equal(late.near, 1);
    fx_cache_model_free(model);
}

/* What a second walk over the same lines finds in an L2 of 64. Four blocks at once bring four times as much; another
 * block finds what one left, unless each recorded block stands for many. */
TEST(test_l2_capacity) {
    static const struct {
        unsigned lines;
        double at_once, per_record;
        bool other_block; /* walks the second time */
        bool stays;
    } walks[] = {
        {60, 1, 1, false, true}, {100, 1, 1, false, false}, {20, 4, 1, false, false},
        {20, 1, 1, true, true},  {20, 1, 10, true, false},
    };
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        const unsigned sectors = 4 * walks[i].lines;
        fx_cache_model *model = start(64 * 128, walks[i].at_once, walks[i].per_record);
        expect(load(model, 0, walks[i].lines), 0, 0, sectors);
        if (walks[i].other_block) {
            fx_cache_model_block(model, 1, 0);
        }
        expect(load(model, 0, walks[i].lines), 0, walks[i].stays ? sectors : 0, walks[i].stays ? 0 : sectors);
        fx_cache_model_free(model);
    }
}

TEST(test_recent) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    assert_int_equal(load(model, 0, 11).recent, 0);
    assert_int_equal(load(model, 0, 1).recent, 3); /* from DRAM */
    fx_cache_model_other_sm(model);
    (void)load(model, 0, 1);
    assert_int_equal(load(model, 0, 1).recent, 1); /* from a copy in the SM's half of the L2 */
    (void)store(model, 20, 15, UINT32_MAX, NULL);
    (void)load(model, 20, 1);
    assert_int_equal(load(model, 20, 1).recent, 2); /* from the L2: what was written has no copy */
    fx_cache_model_free(model);
}

TEST(test_local) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    fx_served served = {0};
    for (uint64_t line = 0; line < LINES; line++) {
        fx_cache_model_local(model, line_of(line, 15, UINT32_MAX), true, &served);
    }
    expect(served, 0, 4 * LINES, 0);
    for (uint64_t line = 0; line < LINES; line++) {
        fx_cache_model_local(model, line_of(line, 15, UINT32_MAX), false, &served);
    }
    expect(served, 4 * LINES, 4 * LINES, 0);
    expect(load(model, 1000, LINES), 0, 0, 4 * LINES);
    fx_cache_model_local(model, line_of(0, 15, UINT32_MAX), false, &served);
    expect(served, 4 * LINES, 4 * LINES + 4, 0); /* pushed out, into the L2 */
    fx_cache_model_free(model);
}

TEST(test_no_l1) {
    fx_cache_model *model = start(1 << 20, 1, 1);
    const fx_cache_sizes none = {.l2_bytes = 1 << 20, .blocks_at_once = 1, .blocks_per_record = 1};
    expect(load(model, 3, 1), 0, 0, 4);
    fx_cache_model_launch(model, &none);
    expect(load(model, 3, 1), 0, 0, 4); /* another launch finds the L2 empty */
    expect(load(model, 3, 1), 0, 4, 0);
    fx_cache_model_free(model);
    fx_cache_model_free(NULL);
}

/* What earlier launches touched is there as long as no more has come since than the L2 holds; the latest counts. */
TEST(test_left_by_launches) {
    fx_cache_model *model = start(64 * 128, 1, 1);
    const fx_cache_left left[] = {{0, 100 * 128 - 1, 65 * 128}, {10 * 128, 19 * 128, 32 * 128}};
    fx_cache_sizes sizes = {
        .l2_bytes = 64 * 128, .blocks_at_once = 1, .blocks_per_record = 1, .left = left, .left_count = 2, .lost = 1};
    fx_cache_model_launch(model, &sizes);
    expect(load(model, 10, 10), 0, 40, 0); /* a launch had them: they are not what the host copied */
    expect(load(model, 20, 10), 0, 0, 40);
    expect(load(model, 100, 5), 0, 0, 20); /* nobody had them */
    fx_brought one = {0};
    expect(store(model, 11, 1, 0xf, &one), 0, 1, 0); /* stays there, and is filled by nobody */
    expect(store(model, 21, 1, 0xf, &one), 0, 0, 1);
    fx_cache_model_end(model);
    assert_int_equal(one.filled, 1);
    sizes.left = &(const fx_cache_left){0, 1 << 20, 0};
    sizes.left_count = 1;
    fx_cache_model_launch(model, &sizes);
    expect(load(model, 30, 10), 0, 0, 40);
    expect(store(model, 50, 1, 0xf, NULL), 0, 1, 0);
    fx_cache_model_free(model);
}

/* Many lines, so that the table of the L2 grows. */
TEST(test_many) {
    enum { MANY = 50000 };
    fx_cache_model *model = start(1ull << 40, 1, 1);
    expect(load(model, 1ull << 50, MANY), 0, 0, 4 * MANY);
    expect(load(model, 1ull << 50, MANY), 0, 4 * MANY, 0);
    fx_cache_model_free(model);
}

UNIT_MAIN(NULL, NULL)
