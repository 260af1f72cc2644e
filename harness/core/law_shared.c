/* Laws of shared memory: a cost per phase, summed over the phases of an access. */
#include "law_private.h"

unsigned fx_law_bank_words(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                           unsigned width_bytes, unsigned words[FX_MAX_BANKS]) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, begin, end, sorted);
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

unsigned fx_law_bank_visits(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                            unsigned width_bytes, unsigned visits[FX_MAX_BANKS]) {
    unsigned busiest = 0;
    for (unsigned bank = 0; bank < geometry->banks; bank++) {
        visits[bank] = 0;
    }
    for (unsigned l = begin; l < end; l++) {
        if (lanes->offset[l] < 0) {
            continue;
        }
        const uint32_t first = (uint32_t)lanes->offset[l];
        for (uint32_t word = first / geometry->bank_bytes; word <= (first + width_bytes - 1) / geometry->bank_bytes;
             word++) {
            if (++visits[word % geometry->banks] > busiest) {
                busiest = visits[word % geometry->banks];
            }
        }
    }
    return busiest;
}

/* True if every active lane's partner, `distance` away by exclusive or, is inactive or wants the same address. */
static bool partners_share(const fx_lanes *lanes, unsigned distance) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int32_t a = lanes->offset[l], b = lanes->offset[l ^ distance];
        if (a >= 0 && b >= 0 && a != b) {
            return false;
        }
    }
    return true;
}

unsigned fx_law_phase_lanes(const fx_geometry *geometry, unsigned width_bytes) {
    if (geometry->banks == 0 || geometry->banks > FX_MAX_BANKS || geometry->bank_bytes == 0 || width_bytes == 0) {
        return 0;
    }
    const uint64_t lanes = (uint64_t)geometry->banks * geometry->bank_bytes / width_bytes;
    return lanes < 1 ? 1 : lanes > FX_WARP ? FX_WARP : (unsigned)lanes;
}

static bool any_active(const fx_lanes *lanes) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (lanes->offset[l] >= 0) {
            return true;
        }
    }
    return false;
}

unsigned fx_law_load_phase_lanes(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned phase = fx_law_phase_lanes(geometry, width_bytes);
    const bool merge =
        phase > 0 && phase < FX_WARP && (partners_share(lanes, 1) || (phase > 1 && partners_share(lanes, 2)));
    return merge ? 2 * phase : phase;
}

static unsigned phase_count(unsigned phase) {
    return phase > 0 ? (FX_WARP + phase - 1) / phase : 0;
}

typedef unsigned bank_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                           unsigned width_bytes, unsigned banks[FX_MAX_BANKS]);

/* Sum of the busiest banks of the phases of an access. */
static unsigned over_phases(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes, unsigned phase,
                            bank_load *load) {
    unsigned total = 0, banks[FX_MAX_BANKS];
    for (unsigned begin = 0; phase > 0 && begin < FX_WARP; begin += phase) {
        total += load(geometry, lanes, begin, begin + phase < FX_WARP ? begin + phase : FX_WARP, width_bytes, banks);
    }
    return total;
}

unsigned fx_law_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, fx_law_load_phase_lanes(geometry, lanes, width_bytes),
                       fx_law_bank_words);
}

unsigned fx_law_phases(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return any_active(lanes) ? phase_count(fx_law_load_phase_lanes(geometry, lanes, width_bytes)) : 0;
}

unsigned fx_law_store_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, fx_law_phase_lanes(geometry, width_bytes), fx_law_bank_words);
}

unsigned fx_law_bank_lanes(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return over_phases(geometry, lanes, width_bytes, fx_law_phase_lanes(geometry, width_bytes), fx_law_bank_visits);
}

static unsigned at_least_a_phase(unsigned count, unsigned phases) {
    return count == 0 || count > phases ? count : phases;
}

unsigned fx_law_shared_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return at_least_a_phase(fx_law_wavefronts(geometry, lanes, width_bytes),
                            fx_law_phases(geometry, lanes, width_bytes));
}

unsigned fx_law_shared_store(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return at_least_a_phase(fx_law_store_wavefronts(geometry, lanes, width_bytes),
                            phase_count(fx_law_phase_lanes(geometry, width_bytes)));
}

unsigned fx_law_shared_atomic(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return at_least_a_phase(fx_law_bank_lanes(geometry, lanes, width_bytes),
                            phase_count(fx_law_phase_lanes(geometry, width_bytes)));
}

unsigned fx_law_matrix(const fx_geometry *geometry, const fx_lanes *rows) {
    enum { ROW_BYTES = 16 };
    return fx_law_store_wavefronts(geometry, rows, ROW_BYTES);
}
