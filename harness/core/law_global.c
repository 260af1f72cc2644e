/* Laws of global memory: the steps that one SM takes per access, by the level that serves it. */
#include "law_private.h"

enum { LEAST_STEPS = 2 }; /* of a store, and of a load narrower than a bank */

/* Lines that hold a sector of which the access writes only a part. */
static unsigned partly_written_lines(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned lines = 0;
    uint64_t last = UINT64_MAX; /* the line counted last */
    for (unsigned i = 0; i < count;) {
        const uint64_t begin = sorted[i]; /* [begin, end): bytes written without a gap */
        uint64_t end = begin + width_bytes;
        for (i++; i < count && sorted[i] <= end; i++) {
            end = sorted[i] + width_bytes > end ? sorted[i] + (uint64_t)width_bytes : end;
        }
        if (begin % geometry->sector_bytes != 0 && begin / geometry->line_bytes != last) {
            last = begin / geometry->line_bytes;
            lines++;
        }
        if (end % geometry->sector_bytes != 0 && (end - 1) / geometry->line_bytes != last) {
            last = (end - 1) / geometry->line_bytes;
            lines++;
        }
    }
    return lines;
}

static unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* The bank in which the L1 keeps the tag of a line: an exclusive or over bits of the line's index. */
static unsigned tag_bank(const fx_geometry *geometry, uint32_t line) {
    unsigned bank = 0;
    for (unsigned bit = 0; bit < FX_TAG_BITS; bit++) {
        bank ^= line >> bit & 1 ? geometry->tag_bank[bit] : 0u;
    }
    return bank % FX_TAG_BANKS;
}

unsigned fx_law_l1_tags(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned tags[FX_TAG_BANKS] = {0}, busiest = 0, lines = 0;
    bool known = false; /* in which bank a tag lies */
    for (unsigned bit = 0; bit < FX_TAG_BITS; bit++) {
        known |= geometry->tag_bank[bit] != 0;
    }
    if (geometry->line_bytes == 0 || width_bytes == 0) {
        return 0;
    }
    uint32_t next = 0; /* first line that is not counted yet */
    for (unsigned i = 0; i < count; i++) {
        const uint32_t last = (sorted[i] + (width_bytes - 1)) / geometry->line_bytes;
        for (next = larger(next, sorted[i] / geometry->line_bytes); next <= last; next++, lines++) {
            busiest = larger(busiest, ++tags[tag_bank(geometry, next)]);
        }
    }
    return known ? busiest : (lines + FX_TAG_BANKS - 1) / FX_TAG_BANKS;
}

unsigned fx_law_l1_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned wavefronts = fx_law_shared_store(geometry, lanes, width_bytes); /* phases do not merge here */
    const unsigned tags = fx_law_l1_tags(geometry, lanes, width_bytes);
    return wavefronts > 0 && tags > 0 ? larger(wavefronts, tags) : 0;
}

unsigned fx_law_l2_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned lines = fx_law_blocks(lanes, width_bytes, geometry->line_bytes);
    const unsigned wavefronts = fx_law_shared_store(geometry, lanes, width_bytes);
    if (lines == 0 || wavefronts == 0) {
        return 0;
    }
    return larger(larger(lines, wavefronts), width_bytes < geometry->bank_bytes ? LEAST_STEPS : 1);
}

unsigned fx_law_l2_store(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned sectors = fx_law_blocks(lanes, width_bytes, geometry->sector_bytes);
    if (sectors == 0 || geometry->line_bytes == 0) {
        return 0;
    }
    return larger(larger(sectors + partly_written_lines(geometry, lanes, width_bytes), LEAST_STEPS),
                  fx_law_shared_store(geometry, lanes, width_bytes));
}

unsigned fx_law_dram_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned pairs = fx_law_blocks(lanes, width_bytes, 2 * geometry->sector_bytes);
    return pairs + fx_law_blocks(lanes, width_bytes, 2 * geometry->line_bytes);
}

/* What a packet of a global atomic costs: so many sectors of one line, so many words, each wanted by one lane. */
typedef unsigned packet_steps(unsigned sectors, unsigned words);

static unsigned reduction_packet(unsigned sectors, unsigned words) {
    return sectors + (words > 1);
}

static unsigned atomic_packet(unsigned sectors, unsigned words) {
    return words == 1 ? 2 : larger(3, sectors + 1);
}

static unsigned cas_packet(unsigned sectors, unsigned words) {
    return words == 1 ? 2 : 2 * sectors + (sectors + 1) / 2; /* two operands a word: two sectors at a time */
}

/* Lanes that share a word go one after the other: the k-th packet of a line holds its words that k lanes or more want.
 */
static unsigned atomic_steps(const fx_geometry *geometry, const fx_lanes *lanes, packet_steps *steps) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned sum = 0;
    if (count == 0 || geometry->line_bytes == 0 || geometry->sector_bytes == 0) {
        return 0;
    }
    for (unsigned first = 0, end; first < count; first = end) {
        const uint32_t line = sorted[first] / geometry->line_bytes;
        for (end = first; end < count && sorted[end] / geometry->line_bytes == line; end++) {
        }
        for (unsigned k = 1, words = 1; words > 0; k++) {
            unsigned sectors = 0;
            uint64_t last = UINT64_MAX; /* the sector counted last */
            words = 0;
            for (unsigned i = first, run = 0; i < end; i++) {
                run = i > first && sorted[i] == sorted[i - 1] ? run + 1 : 1;
                if (run == k) {
                    words++;
                    sectors += sorted[i] / geometry->sector_bytes != last;
                    last = sorted[i] / geometry->sector_bytes;
                }
            }
            sum += words > 0 ? steps(sectors, words) : 0;
        }
    }
    return larger(sum, LEAST_STEPS);
}

unsigned fx_law_l2_reduction(const fx_geometry *geometry, const fx_lanes *lanes) {
    return atomic_steps(geometry, lanes, reduction_packet);
}

unsigned fx_law_l2_atomic(const fx_geometry *geometry, const fx_lanes *lanes) {
    return atomic_steps(geometry, lanes, atomic_packet);
}

unsigned fx_law_l2_cas(const fx_geometry *geometry, const fx_lanes *lanes) {
    return atomic_steps(geometry, lanes, cas_packet);
}
