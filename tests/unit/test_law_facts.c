/* What laws count of accesses that can be counted by hand: the rows of data/law_facts.txt. */
#include "unit.h"

#include <math.h>

#include "core/expression.h"
#include "core/law.h"
#include "core/pattern_text.h"
#include "measured_rows.h"

static const struct {
    const char *name;
    fx_geometry geometry;
} geometries[] = {
    {"usual", {.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128}},
    {"few", {.banks = 16, .bank_bytes = 4}},
    {"wide", {.banks = 32, .bank_bytes = 8}},
    {"odd", {.banks = 24, .bank_bytes = 4}},
    {"one", {.banks = 1, .bank_bytes = 4}},
    {"huge", {.banks = FX_MAX_BANKS + 1, .bank_bytes = 4}},
    {"none", {0}},
    {"no_line", {.banks = 32, .bank_bytes = 4, .sector_bytes = 32}},
    {"no_bank", {.sector_bytes = 32, .line_bytes = 128}},
    {"no_sector", {.banks = 32, .bank_bytes = 4, .line_bytes = 128}},
};

static fx_geometry geometry_of(const char *name) {
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        if (strcmp(geometries[i].name, name) == 0) {
            return geometries[i].geometry;
        }
    }
    assert_string_equal(name, "sm_90");
    return fx_geometry_of(9, 0);
}

#define LAW(text, value)                                                                                               \
    do {                                                                                                               \
        if (strcmp(name, text) == 0) {                                                                                 \
            return value;                                                                                              \
        }                                                                                                              \
    } while (0)
#define LIKE(law) LAW(#law, fx_law_##law(g, lanes, width))

/* What is counted, or NAN for a law that makes no claim, 0 for one that does. */
static double counted(const char *name, const fx_geometry *g, const fx_lanes *lanes, unsigned width) {
    LIKE(wavefronts);
    LIKE(phases);
    LIKE(store_wavefronts);
    LIKE(bank_lanes);
    LIKE(shared_load);
    LIKE(shared_store);
    LIKE(shared_atomic);
    LIKE(l1_load);
    LIKE(l2_load);
    LIKE(l2_store);
    LIKE(l2_reduction);
    LIKE(l2_atomic);
    LIKE(l2_cas);
    LIKE(dram_load);
    LIKE(constant_set_lines);
    LAW("matrix", fx_law_matrix(g, lanes));
    LAW("distinct", fx_law_distinct(lanes));
    LAW("useful_bytes", fx_law_useful_bytes(lanes, width));
    LAW("blocks_of_32", fx_law_blocks(lanes, width, 32));
    LAW("blocks_of_0", fx_law_blocks(lanes, width, 0));
    LAW("l1_load?", fx_law_l1_load_why_not(g, lanes, width) ? (double)NAN : 0);
    LAW("l2_load?", fx_law_l2_load_why_not(g, lanes, width) ? (double)NAN : 0);
    LAW("l2_store?", fx_law_l2_store_why_not(g, lanes, width) ? (double)NAN : 0);
    LAW("l2_reduction?", fx_law_l2_reduction_why_not(g, lanes) ? (double)NAN : 0);
    LAW("l2_atomic?", fx_law_l2_atomic_why_not(g, lanes, width, false) ? (double)NAN : 0);
    LAW("constant?", fx_law_constant_why_not(g, lanes, width) ? (double)NAN : 0);
    fail_msg("there is no law %s", name);
    return NAN;
}

/* A list of offsets, or an expression of the lane. */
static fx_lanes lanes_of(const char *text) {
    fx_lanes lanes;
    fx_error err = {0};
    int64_t value[FX_WARP];
    if (strchr(text, ',')) {
        assert_ok(fx_lanes_parse(text, &lanes, &err));
        return lanes;
    }
    assert_ok(fx_expression_values(text, NULL, 0, value, &err));
    for (int l = 0; l < FX_WARP; l++) {
        lanes.offset[l] = value[l] < 0 ? -1 : (int32_t)value[l];
    }
    return lanes;
}

TEST(laws_count_what_is_there) {
    char line[512], names[128], geometry[32], counts[64];
    unsigned rows = 0, width;
    int at;
    while (next_row("law_facts.txt", line)) {
        assert_int_equal(sscanf(line, "%127s %31s %u %63s %n", names, geometry, &width, counts, &at), 4);
        line[strcspn(line, "\n")] = '\0';
        const fx_geometry g = geometry_of(geometry);
        const fx_lanes lanes = lanes_of(line + at);
        char *rest = NULL, *wanted = NULL, *count = strtok_r(counts, ",", &wanted);
        for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
            const double found = counted(name, &g, &lanes, width);
            assert_non_null(count);
            if (strcmp(count, "open") == 0 ? !isnan(found) : !(fabs(found - strtod(count, NULL)) < 1e-9)) {
                fail_msg("%s: %s counts %g, not %s", line, name, found, count);
            }
            count = strtok_r(NULL, ",", &wanted);
        }
        assert_null(count);
        rows++;
    }
    assert_true(rows > 200);
}

UNIT_MAIN(NULL, NULL)
