/* Counting what an access must cost. Every count sorts the offsets first: in order, the distinct words or blocks come
 * out of one pass, whatever the width, the alignment and the overlap of neighbours. */
#include "law.h"

/* The active offsets of lanes [begin, end) in ascending order; returns how many. Insertion sort: most tables arrive
 * sorted or nearly so. */
static unsigned sorted_offsets(const fx_lanes *lanes, unsigned begin, unsigned end, uint32_t sorted[FX_WARP]) {
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

/* Wavefronts of one phase: the distinct words that the busiest bank must deliver to lanes [begin, end). */
static unsigned phase_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                                 unsigned width_bytes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = sorted_offsets(lanes, begin, end, sorted);
    unsigned words[FX_MAX_BANKS];
    for (unsigned bank = 0; bank < geometry->banks; bank++) {
        words[bank] = 0;
    }
    unsigned busiest = 0;
    uint32_t next = 0; /* first word that is not counted yet */
    for (unsigned i = 0; i < count; i++) {
        uint32_t word = sorted[i] / geometry->bank_bytes;
        const uint32_t end_word = (sorted[i] + (width_bytes - 1)) / geometry->bank_bytes + 1;
        if (word < next) {
            word = next;
        }
        unsigned bank = word % geometry->banks;
        for (; word < end_word; word++) {
            if (++words[bank] > busiest) {
                busiest = words[bank];
            }
            if (++bank == geometry->banks) {
                bank = 0;
            }
        }
        next = word;
    }
    return busiest;
}

/* True if every active lane of [begin, end) has a partner, `distance` (1 or 2) away by exclusive or, that is inactive
 * or wants the same address. */
static bool partners_share(const fx_lanes *lanes, unsigned begin, unsigned end, unsigned distance) {
    for (unsigned l = begin; l < end; l++) {
        const unsigned partner = l ^ distance;
        if (partner < begin || partner >= end) {
            return false;
        }
        const int32_t a = lanes->offset[l], b = lanes->offset[partner];
        if (a >= 0 && b >= 0 && a != b) {
            return false;
        }
    }
    return true;
}

unsigned fx_law_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    if (geometry->banks == 0 || geometry->banks > FX_MAX_BANKS || geometry->bank_bytes == 0 || width_bytes == 0) {
        return 0;
    }
    /* A phase holds as many lanes as one full row of the banks can serve. */
    const uint64_t row_lanes = (uint64_t)geometry->banks * geometry->bank_bytes / width_bytes;
    const unsigned phase = row_lanes < 1 ? 1 : row_lanes > FX_WARP ? FX_WARP : (unsigned)row_lanes;
    unsigned total = 0;
    for (unsigned begin = 0; begin < FX_WARP; begin += 2 * phase) {
        const unsigned middle = begin + phase < FX_WARP ? begin + phase : FX_WARP;
        const unsigned end = middle + phase < FX_WARP ? middle + phase : FX_WARP;
        if (middle < end && (partners_share(lanes, begin, end, 1) || partners_share(lanes, begin, end, 2))) {
            total += phase_wavefronts(geometry, lanes, begin, end, width_bytes);
        } else {
            total += phase_wavefronts(geometry, lanes, begin, middle, width_bytes);
            total += phase_wavefronts(geometry, lanes, middle, end, width_bytes);
        }
    }
    return total;
}

unsigned fx_law_blocks(const fx_lanes *lanes, unsigned width_bytes, unsigned block_bytes) {
    if (width_bytes == 0 || block_bytes == 0) {
        return 0;
    }
    uint32_t sorted[FX_WARP];
    const unsigned count = sorted_offsets(lanes, 0, FX_WARP, sorted);
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
    const unsigned count = sorted_offsets(lanes, 0, FX_WARP, sorted);
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
