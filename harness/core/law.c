/* Counts over a whole warp access: blocks, addresses, bytes. Every count sorts the offsets first: in order, the
 * distinct words or blocks come out of one pass, whatever the width, the alignment and the overlap of neighbours. */
#include "law_private.h"

/* Insertion sort: most tables arrive sorted or nearly so. */
unsigned fx_law_sort(const fx_lanes *lanes, unsigned begin, unsigned end, uint32_t sorted[FX_WARP]) {
    unsigned count = 0;
    for (unsigned l = begin; l < end; l++) {
        if (lanes->offset[l] < 0) {
            continue;
        }
        const uint32_t offset = (uint32_t)lanes->offset[l];
        unsigned at = count++;
        for (; at > 0 && sorted[at - 1] > offset; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = offset;
    }
    return count;
}

unsigned fx_law_blocks(const fx_lanes *lanes, unsigned width_bytes, unsigned block_bytes) {
    if (width_bytes == 0 || block_bytes == 0) {
        return 0;
    }
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned blocks = 0;
    uint32_t next = 0; /* first block that is not counted yet */
    for (unsigned i = 0; i < count; i++) {
        uint32_t block = sorted[i] / block_bytes;
        const uint32_t end_block = (sorted[i] + (width_bytes - 1)) / block_bytes + 1;
        if (block < next) {
            block = next;
        }
        if (block < end_block) {
            blocks += end_block - block;
            next = end_block;
        }
    }
    return blocks;
}

unsigned fx_law_distinct(const fx_lanes *lanes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned distinct = 0;
    for (unsigned i = 0; i < count; i++) {
        distinct += i == 0 || sorted[i] != sorted[i - 1];
    }
    return distinct;
}

unsigned fx_law_useful_bytes(const fx_lanes *lanes, unsigned width_bytes) {
    unsigned active = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        active += lanes->offset[l] >= 0;
    }
    return active * width_bytes;
}

/* What no query reports of a chip's memory. */
fx_geometry fx_geometry_of(int compute_major, int compute_minor) {
    static const struct {
        int major, minor;
        unsigned char tag_bank[FX_TAG_BITS];
        unsigned constant_sets, constant_ways, constant_line_bytes;
    } known[] = {{9, 0, {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2}, 8, 4, 64}};
    fx_geometry geometry = {.banks = 32, .bank_bytes = 4, .sector_bytes = FX_SECTOR_BYTES, .line_bytes = FX_LINE_BYTES};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].major == compute_major && known[i].minor == compute_minor) {
            memcpy(geometry.tag_bank, known[i].tag_bank, sizeof geometry.tag_bank);
            geometry.constant_sets = known[i].constant_sets;
            geometry.constant_ways = known[i].constant_ways;
            geometry.constant_line_bytes = known[i].constant_line_bytes;
        }
    }
    return geometry;
}

/* The laws by the names under which cases and fits carry them. Of accesses of the L2 later versions
 * count some otherwise, in the same steps: fits of versions 6 and 7 price loads as those of 8 would, within 2.1 %
 * (seven archives). */
const fx_law_name fx_laws[FX_LAWS] = {
    {"shared_load", "step (wavefronts, at least one per phase)", "steps (wavefronts, at least one per phase)", 4, 4, 0},
    {"shared_store", "step (wavefronts, at least one per phase)", "steps (wavefronts, at least one per phase)", 4, 4,
     0},
    {"shared_atomic", "step (lanes of the busiest bank, at least one per phase)",
     "steps (lanes of the busiest bank, at least one per phase)", 4, 4, 0},
    {"l1_load", "unit of L1 work", "units of L1 work", 4, 4, 0},
    {"l2_load", "unit of L2 work", "units of L2 work", 8, 6, 17},
    {"l2_store", "unit of L2 work", "units of L2 work", 9, 6, 0},
    {"l2_reduction", "unit of L2 work", "units of L2 work", 10, 6, 0},
    {"l2_atomic", "unit of L2 work", "units of L2 work", 10, 6, 0},
    {"l2_cas", "unit of L2 work", "units of L2 work", 10, 6, 0},
    {"dram_load", "unit of DRAM work", "units of DRAM work", 4, 4, 0},
    {"pairs", "pair of sectors", "pairs of sectors", 4, 4, 0},
    {"distinct", "distinct address", "distinct addresses", 4, 4, 0},
    {"constant_load", "step (distinct addresses, and misses)", "steps (distinct addresses, and misses)", 8, 4, 0},
};

const fx_law_name *fx_law_named(const char *name) {
    for (size_t i = 0; name && i < FX_LAWS; i++) {
        if (!strcmp(fx_laws[i].name, name)) {
            return &fx_laws[i];
        }
    }
    return NULL;
}
