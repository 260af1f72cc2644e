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
