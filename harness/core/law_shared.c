/* Laws of shared memory: a cost per phase, summed over the phases of an access. */
#include "law_private.h"

/* Wavefronts of one phase: the distinct words that the busiest bank must deliver to lanes [begin, end). */
static unsigned phase_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                                 unsigned width_bytes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, begin, end, sorted);
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

/* 1 if any of lanes [begin, end) is active. */
static unsigned phase_is_there(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                               unsigned width_bytes) {
    (void)geometry;
    (void)width_bytes;
    for (unsigned l = begin; l < end; l++) {
        if (lanes->offset[l] >= 0) {
            return 1;
        }
    }
    return 0;
}

/* Lanes that meet in the busiest bank of one phase, whether they want the same word or not. */
static unsigned phase_bank_lanes(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                                 unsigned width_bytes) {
    unsigned visitors[FX_MAX_BANKS], busiest = 0;
    for (unsigned bank = 0; bank < geometry->banks; bank++) {
        visitors[bank] = 0;
    }
    for (unsigned l = begin; l < end; l++) {
        if (lanes->offset[l] < 0) {
            continue;
        }
        const uint32_t first = (uint32_t)lanes->offset[l];
        for (uint32_t word = first / geometry->bank_bytes; word <= (first + width_bytes - 1) / geometry->bank_bytes;
             word++) {
            if (++visitors[word % geometry->banks] > busiest) {
                busiest = visitors[word % geometry->banks];
            }
        }
    }
    return busiest;
}

typedef unsigned phase_cost(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                            unsigned width_bytes);

/* Sum of a cost over the phases of an access; with `merge`, neighbouring phases that share addresses are one. */
static unsigned over_phases(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes, bool merge,
                            phase_cost *cost) {
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
        if (merge && middle < end && (partners_share(lanes, begin, end, 1) || partners_share(lanes, begin, end, 2))) {
            total += cost(geometry, lanes, begin, end, width_bytes);
        } else {
            total += cost(geometry, lanes, begin, middle, width_bytes);
            total += cost(geometry, lanes, middle, end, width_bytes);
        }
    }
    return total;
}

unsigned fx_law_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, true, phase_wavefronts);
}

unsigned fx_law_phases(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, true, phase_is_there);
}

unsigned fx_law_store_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, false, phase_wavefronts);
}

unsigned fx_law_bank_lanes(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, false, phase_bank_lanes);
}
