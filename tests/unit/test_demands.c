/* Demands of algorithms against sums done by hand, on a chip of 100 SMs with places for 8 blocks of 256 threads each.
 */
#include "unit.h"

#include "core/case_list.h"
#include "core/law.h"

/* The demand of the only case that `selection` names; 0: it has none of that name. */
static double demand_of(const char *probe, const char *selection, const char *name) {
    const fx_facts facts = {.geometry = fx_geometry_of(9, 0),
                            .compute_major = 9,
                            .sm_count = 100,
                            .warps_per_sm = 64,
                            .l2_bytes = 50 << 20,
                            .memory_bytes = 80ULL << 30};
    const fx_probe *found = fx_probe_find(probe);
    fx_selection chosen[FX_MAX_AXES];
    fx_prediction out = {0};
    fx_params params = {0};
    fx_error err = {0};
    assert_non_null(found);
    assert_ok(fx_axes_parse(found->axes, found->axes_count, selection, chosen, &err));
    for (size_t i = 0; i < found->axes_count; i++) {
        params.value[i] = chosen[i].named ? chosen[i].values[0] : found->axes[i].fallback;
    }
    fx_selections_free(chosen, found->axes_count);
    found->law(&facts, &params, NULL, &out);
    for (size_t i = 0; i < out.count_count; i++) {
        if (strcmp(out.counts[i].name, name) == 0) {
            return out.counts[i].value;
        }
    }
    return 0;
}

static double of_sum(const char *variant, const char *name) {
    char selection[128];
    snprintf(selection, sizeof selection, "variant=%s size=1Mi", variant);
    return demand_of("reduction", selection, name);
}

/* 2^18 elements: 1024 blocks leave as many sums, 4 blocks four, one block one. The busiest SM has 11, 1 and 1 blocks.
 */
TEST(launches_of_a_tree) {
    assert_true(of_sum("sequential", "launches") == 3);
    assert_true(of_sum("sequential", "dram_rounds") == 2); /* 1024 blocks in 800 places */
    assert_true(of_sum("sequential", "l2_rounds") == 2);
    assert_true(of_sum("sequential", "barriers") == (2 + 1 + 1) * 9);
    assert_true(of_sum("sequential", "blocks") == 11 + 1 + 1);
    assert_true(of_sum("unroll8", "launches") == 2);
    assert_true(of_sum("atomic_block", "launches") == 1);
}

/* Of each step two loads and a store: 4, 2 and 1 warps of 32 lanes, then 16 lanes to one; and 8 stores and one load.
 * With packed lanes at strides of 2 to 64 words they meet 2, 4, 8, 8, 8, 4, 2 ways; lanes that diverge meet nobody, but
 * all warps take part until a warp has one value left. */
TEST(wavefronts_of_a_tree) {
    assert_true(of_sum("sequential", "shared_steps") == 13 * (9 + 3 * (4 + 2 + 6)));
    assert_true(of_sum("conflicts", "shared_steps") == 13 * (9 + 3 * (4 * 2 + 2 * 4 + 8 + 8 + 8 + 4 + 2 + 1)));
    assert_true(of_sum("divergent", "shared_steps") == 13 * (9 + 3 * (5 * 8 + 4 + 2 + 1)));
}

TEST(atomics_of_a_sum) {
    /* 128 blocks of 2048 elements; 64 tiles of 16 KiB */
    assert_true(of_sum("atomic_thread", "same_word_atomics") == 128 * 256);
    assert_true(of_sum("atomic_warp", "same_word_atomics") == 128 * 8);
    assert_true(of_sum("atomic_block", "same_word_atomics") == 128);
    assert_true(of_sum("persistent", "same_word_atomics") == 64);
    assert_true(demand_of("reduction", "variant=persistent size=1Gi", "same_word_atomics") == 800);
    assert_true(demand_of("reduction", "variant=persistent size=1Gi", "dram_rounds") == 82); /* 65536 tiles */
    assert_true(demand_of("reduction", "variant=persistent size=1Mi memory=l2", "dram_read_bytes") == 0);
}

/* 1024 x 1024 words stay in the L2; 1024 tiles of 32 x 32, 11 of them on the busiest SM, 32 accesses of warps in each.
 */
TEST(transpositions) {
    const double bytes = 4.0 * 1024 * 1024;
    assert_true(demand_of("matrix_transpose", "variant=padded n=1024", "dram_read_bytes") == 0);
    assert_true(demand_of("matrix_transpose", "variant=padded n=8192", "dram_write_bytes") == 64 * bytes);
    assert_true(demand_of("matrix_transpose", "variant=padded n=1024", "l2_bytes") == 2 * bytes);
    assert_true(demand_of("matrix_transpose", "variant=read_coalesced n=1024", "l2_bytes") == 9 * bytes);
    assert_true(demand_of("matrix_transpose", "variant=write_coalesced n=1024", "l2_bytes") == 2 * bytes);
    /* requests: a line for each row of 32 words; a line for each word down a column */
    assert_true(demand_of("matrix_transpose", "variant=padded n=1024", "l2_requests") == 1024 * 32 * 2);
    assert_true(demand_of("matrix_transpose", "variant=read_coalesced n=1024", "l2_requests") == 1024 * 32 * 33);
    assert_true(demand_of("matrix_transpose", "variant=registers n=1024", "l2_requests") == 256 * 32 * (4 + 8));
    assert_true(demand_of("matrix_transpose", "variant=padded n=1024", "blocks") == 11);
    assert_true(demand_of("matrix_transpose", "variant=tiled n=1024", "shared_steps") == 11 * 32 * 33);
    assert_true(demand_of("matrix_transpose", "variant=padded n=1024", "shared_steps") == 11 * 32 * 2);
    assert_true(demand_of("matrix_transpose", "variant=swizzled n=1024", "shared_steps") == 11 * 32 * 2);
    /* 256 tiles of 64 x 64, of which one SM has 3: the widest accesses take four wavefronts each, none of them twice */
    assert_true(demand_of("matrix_transpose", "variant=vector n=1024", "shared_steps") == 3 * 32 * 8);
    assert_true(demand_of("matrix_transpose", "variant=bulk n=1024", "shared_steps") == 3 * 32 * 8);
    assert_true(demand_of("matrix_transpose", "variant=registers n=1024", "shared_steps") == 0);
}

/* Fields of 8192 x 6400: 25600 tiles of 64 x 32, 256 of them on the busiest SM, or 204800 blocks of 8 warps, 2048
 * there. A tile with its rim is 34 rows of 18 quads, brought by 20 stores of warps, and 64 warps take five points each.
 */
TEST(stencils) {
    const double bytes = 8192.0 * 6400 * 4;
    assert_true(demand_of("stencil", "variant=rows", "dram_read_bytes") == bytes);
    assert_true(demand_of("stencil", "variant=rows level=l2", "dram_read_bytes") == 0);
    assert_true(demand_of("stencil", "variant=tile", "shared_steps") == 256 * (20 * 4 + 64 * 5));
    assert_true(demand_of("stencil", "variant=tile radius=4", "fma32") == 256 * 64 * 17);
    assert_true(demand_of("stencil", "variant=texture", "texture_steps") == 2048 * 8 * 5 * 8);
    assert_true(demand_of("stencil", "variant=texture", "l1_steps") == 0);
    assert_true(demand_of("stencil", "variant=rows", "l2_bytes") == 204800 * 32 * (6 * 8 + 4 * 2 + 4 * 8));
    /* lanes a row apart: each load takes a step for each of them */
    assert_true(demand_of("stencil", "variant=columns", "l1_steps") == 2048 * (8 * 5 - 3) * 32);
}

/* 4 Mi elements: 16384 blocks of 256, of which one SM has 164. */
TEST(gathers) {
    const double n = 4 << 20;
    assert_true(demand_of("gather", "variant=plain element=4", "dram_write_bytes") == 4 * n);
    assert_true(demand_of("gather", "variant=plain element=128 footprint=8Mi", "dram_read_bytes") == 4 * n);
    assert_true(demand_of("gather", "variant=together element=32", "shuffles") == 164 * 8 * 2);
    assert_true(demand_of("gather", "variant=plain element=4 footprint=16Gi", "l2_bytes") == n * (4 + 4 + 32));
    /* side by side eight elements share a sector */
    assert_true(demand_of("gather", "variant=sorted element=4 footprint=16Mi window=4Mi", "l2_bytes") ==
                n * (4 + 4 + 4));
}

/* 32 Mi values, the same one for all: a million accesses of warps, with 32 lanes on one word. */
TEST(histograms) {
    const double accesses = 1 << 20;
    assert_true(demand_of("histogram", "variant=global data=constant", "same_word_atomics") == 32 * accesses);
    assert_true(demand_of("histogram", "variant=aggregated data=constant", "same_word_atomics") == accesses);
    assert_true(demand_of("histogram", "variant=aggregated data=constant", "same_line_atomics") == 0);
    /* eight lines are four granules, and one of them has a quarter of the visits at least */
    const double few = demand_of("histogram", "variant=global data=uniform bins=256", "same_line_atomics") +
                       demand_of("histogram", "variant=global data=uniform bins=256", "same_word_atomics");
    assert_true(few >= 5 * accesses && few < 7 * accesses);
    assert_true(demand_of("histogram", "variant=global data=uniform bins=256", "l2_atomics") == 0);
    assert_true(demand_of("histogram", "variant=shared data=constant", "shared_atomic_steps") == accesses / 100);
    assert_true(demand_of("histogram", "variant=runs data=constant", "shared_atomic_steps") == 2 * accesses / 100);
    assert_true(demand_of("histogram", "variant=shared data=constant", "launches") == 2);
}

UNIT_MAIN(NULL, NULL)
