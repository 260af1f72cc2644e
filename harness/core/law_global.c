/* Laws of global memory: the steps that one SM takes per access, by the level that serves it. */
#include "law_private.h"

#include <limits.h>

enum { LEAST_STEPS = 2 }; /* of a load narrower than a bank */

/* Lines that hold a sector that the access writes only in part. */
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

bool fx_law_leaves_gaps(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted), sector = geometry->sector_bytes;
    bool gaps = false, whole = true;
    for (unsigned i = 0; i < count;) {
        const uint32_t begin = sorted[i];
        gaps = gaps || i > 0;
        for (i++; i < count && sorted[i] <= sorted[i - 1] + width_bytes; i++) {
        }
        whole = whole && (begin + sector - 1) / sector < (sorted[i - 1] + width_bytes) / sector;
    }
    return gaps && !whole;
}

static unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

unsigned fx_law_tag_bank(const fx_geometry *geometry, uint32_t line) {
    unsigned bank = 0;
    for (unsigned bit = 0; bit < FX_TAG_BITS; bit++) {
        bank ^= (line >> bit & 1) * geometry->tag_bank[bit]; /* without a jump: it is asked for very often */
    }
    return bank % FX_TAG_BANKS;
}

bool fx_law_tag_banks_known(const fx_geometry *geometry) {
    bool known = false;
    for (unsigned bit = 0; bit < FX_TAG_BITS; bit++) {
        known |= geometry->tag_bank[bit] != 0;
    }
    return known;
}

unsigned fx_law_l1_tags(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned tags[FX_TAG_BANKS] = {0}, busiest = 0, lines = 0;
    if (geometry->line_bytes == 0 || width_bytes == 0) {
        return 0;
    }
    uint32_t next = 0; /* first line that is not counted yet */
    for (unsigned i = 0; i < count; i++) {
        const uint32_t last = (sorted[i] + (width_bytes - 1)) / geometry->line_bytes;
        for (next = larger(next, sorted[i] / geometry->line_bytes); next <= last; next++, lines++) {
            busiest = larger(busiest, ++tags[fx_law_tag_bank(geometry, next)]);
        }
    }
    return fx_law_tag_banks_known(geometry) ? busiest : (lines + FX_TAG_BANKS - 1) / FX_TAG_BANKS;
}

/* The lines that lanes [begin, end) of the warp touch, in the order in which the lanes first do; returns how many. The
 * last phase ends with the warp: where the banks are no power of two, phases do not fill it. */
enum { MOST_LINES = 2 * FX_WARP };

static unsigned lines_in_order(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                               unsigned width_bytes, uint32_t lines[MOST_LINES]) {
    unsigned count = 0;
    for (unsigned l = begin; l < end && l < FX_WARP; l++) {
        if (lanes->offset[l] < 0) {
            continue;
        }
        const uint32_t first = (uint32_t)lanes->offset[l];
        const uint32_t last = (first + (width_bytes - 1)) / geometry->line_bytes;
        for (uint32_t line = first / geometry->line_bytes; line <= last && count < MOST_LINES; line++) {
            unsigned known = 0;
            while (known < count && lines[known] != line) {
                known++;
            }
            lines[count] = line;
            count += known == count;
        }
    }
    return count;
}

const char *fx_law_l1_load_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    uint32_t lines[MOST_LINES];
    const unsigned wavefronts = fx_law_shared_store(geometry, lanes, width_bytes);
    if (wavefronts == 0 || geometry->line_bytes == 0 || !fx_law_tag_banks_known(geometry)) {
        return NULL;
    }
    const unsigned count = lines_in_order(geometry, lanes, 0, FX_WARP, width_bytes, lines);
    for (unsigned i = 1; i < count && count > wavefronts; i++) {
        if (lines[i] >> FX_TAG_BITS != lines[0] >> FX_TAG_BITS) {
            return "the lines are so far apart that their L1 tag banks are unknown";
        }
    }
    return NULL;
}

unsigned fx_law_l1_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned wavefronts = fx_law_shared_store(geometry, lanes, width_bytes); /* phases do not merge here */
    const unsigned tags =
        fx_law_l1_load_why_not(geometry, lanes, width_bytes)
            ? (fx_law_blocks(lanes, width_bytes, geometry->line_bytes) + FX_TAG_BANKS - 1) / FX_TAG_BANKS
            : fx_law_l1_tags(geometry, lanes, width_bytes);
    return wavefronts > 0 && tags > 0 ? larger(wavefronts, tags) : 0;
}

/* Distances of lines from the one `apart` before, or from the first, 1 where it is `far` lines or more. */
static double jumps(const uint32_t *lines, unsigned count, unsigned apart, uint32_t far) {
    double sum = 0;
    for (unsigned i = 1; i < count; i++) {
        const uint32_t a = lines[i], b = lines[i < apart ? 0 : i - apart], distance = a > b ? a - b : b - a;
        sum += distance < far ? (double)distance / far : 1;
    }
    return sum;
}

/* True if no two lines are nearer than that. */
static bool all_apart(const uint32_t *lines, unsigned count, uint32_t apart) {
    for (unsigned i = 1; i < count; i++) {
        for (unsigned k = 0; k < i; k++) {
            const uint32_t a = lines[i], b = lines[k];
            if ((a > b ? a - b : b - a) < apart) {
                return false;
            }
        }
    }
    return true;
}

/* Words that one phase wants, and in which of the lines of the access each lies. */
typedef struct wanted {
    uint32_t words[2 * FX_MAX_BANKS];
    unsigned char line_of[2 * FX_MAX_BANKS];
    unsigned count;
} wanted;

static void add_word(const fx_geometry *geometry, uint32_t word, const uint32_t *lines, unsigned count, wanted *out) {
    unsigned line = 0, known = 0;
    while (line + 1 < count && lines[line] != word * geometry->bank_bytes / geometry->line_bytes) {
        line++;
    }
    while (known < out->count && out->words[known] != word) {
        known++;
    }
    if (known == out->count && known < 2 * FX_MAX_BANKS) {
        out->words[known] = word;
        out->line_of[known] = (unsigned char)line;
        out->count++;
    }
}

static void wanted_by(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                      unsigned width_bytes, const uint32_t *lines, unsigned count, wanted *out) {
    out->count = 0;
    for (unsigned l = begin; l < end && l < FX_WARP; l++) {
        const int64_t first = lanes->offset[l];
        for (int64_t word = first / geometry->bank_bytes;
             first >= 0 && word <= (first + width_bytes - 1) / geometry->bank_bytes; word++) {
            add_word(geometry, (uint32_t)word, lines, count, out);
        }
    }
}

/* Bank steps of what comes back for a phase if `shift` lines are added to the base. The L1 looks up one line of each
 * tag bank at a time, over the whole access in the order of its lanes; what one look finds for a phase is served
 * together. */
static unsigned steps_by_looks(const fx_geometry *geometry, const wanted *of, const uint32_t *lines, unsigned count,
                               uint32_t shift) {
    unsigned char visits[MOST_LINES][FX_MAX_BANKS];
    unsigned look[MOST_LINES], busiest[MOST_LINES] = {0}, of_bank[FX_TAG_BANKS] = {0}, steps = 0;
    for (unsigned i = 0; i < count; i++) {
        look[i] = of_bank[fx_law_tag_bank(geometry, lines[i] + shift)]++;
        memset(visits[look[i]], 0, geometry->banks);
    }
    for (unsigned w = 0; w < of->count; w++) {
        const unsigned n = look[of->line_of[w]], now = ++visits[n][of->words[w] % geometry->banks];
        steps += now > busiest[n];
        busiest[n] = larger(busiest[n], now);
    }
    return steps;
}

/* Bases that are averaged over, so many lines apart. */
enum { BASES = 32, APART = 37 };

/* The same of all phases, on the average over bases. */
static double steps_of_phases(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes,
                              const uint32_t *lines, unsigned count) {
    const unsigned phase = fx_law_phase_lanes(geometry, width_bytes);
    unsigned steps = 0;
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        wanted one;
        wanted_by(geometry, lanes, begin, begin + phase, width_bytes, lines, count, &one);
        for (uint32_t base = 0; base < BASES; base++) {
            steps += steps_by_looks(geometry, &one, lines, count, base * APART);
        }
    }
    return (double)steps / BASES;
}

/* Phases of the access want lines that others want, too. Else each look of a phase is a line, and lines are counted. */
static bool phases_share_lines(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    uint32_t lines[MOST_LINES];
    const unsigned phase = fx_law_phase_lanes(geometry, width_bytes);
    unsigned of_phases = 0;
    for (unsigned begin = 0; phase > 0 && phase < FX_WARP && begin < FX_WARP; begin += phase) {
        of_phases += lines_in_order(geometry, lanes, begin, begin + phase, width_bytes, lines);
    }
    return of_phases > lines_in_order(geometry, lanes, 0, FX_WARP, width_bytes, lines);
}

double fx_law_l2_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    enum { ONE_BACK_BYTES = 512, TWO_BACK_BYTES = 2 << 10, APART_BYTES = 2560, FEW = 4, FEW_APART_BYTES = 4 << 10 };
    static const double one_back = 0.1, two_back = 0.12, alone = 0.05;
    uint32_t lines[MOST_LINES];
    const unsigned wavefronts = fx_law_shared_store(geometry, lanes, width_bytes);
    if (wavefronts == 0 || geometry->line_bytes == 0) {
        return 0;
    }
    const uint32_t line = geometry->line_bytes;
    const unsigned count = lines_in_order(geometry, lanes, 0, FX_WARP, width_bytes, lines);
    const unsigned distinct = fx_law_blocks(lanes, width_bytes, line);
    const unsigned least = width_bytes < geometry->bank_bytes ? LEAST_STEPS : 1;
    double more = 0, steps = larger(wavefronts, least);
    if (distinct == 1) {
        more = alone;
    } else if (distinct <= least ||
               !all_apart(lines, count, larger((count > FEW ? APART_BYTES : FEW_APART_BYTES) / line, 1))) {
        more = one_back * jumps(lines, count, 1, larger(ONE_BACK_BYTES / line, 1)) +
               two_back * jumps(lines, count, 2, larger(TWO_BACK_BYTES / line, 1));
    }
    if (fx_law_tag_banks_known(geometry) && phases_share_lines(geometry, lanes, width_bytes)) {
        steps = fmax(steps, steps_of_phases(geometry, lanes, width_bytes, lines, count));
    }
    return fmax(distinct + more, steps);
}

const char *fx_law_l2_load_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return geometry->line_bytes > 0 && !fx_law_tag_banks_known(geometry) &&
                   phases_share_lines(geometry, lanes, width_bytes)
               ? "phases want the same lines, and the tag banks of the L1 are not known here"
               : NULL;
}

/* Steps of a store of 16 bytes per lane that the lines' tags make, on the average over bases: as if tags were looked up
 * for half a warp at a time and what one look of the whole access finds were written together, but a step for each lane
 * of a phase that shares a bank. The form was chosen among many sums of such counts by 48 draws to few sectors and 30
 * patterns, which is a fit and no proof of the mechanism. */
static double store_steps_of_tags(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes,
                                  unsigned least, unsigned bank_steps) {
    enum { HALVES = 2, HALF = FX_WARP / HALVES };
    uint32_t lines[MOST_LINES], of_half[HALVES][MOST_LINES];
    unsigned counts[HALVES], steps = 0;
    wanted all;
    const unsigned count = lines_in_order(geometry, lanes, 0, FX_WARP, width_bytes, lines);
    wanted_by(geometry, lanes, 0, FX_WARP, width_bytes, lines, count, &all);
    for (unsigned h = 0; h < HALVES; h++) {
        counts[h] = lines_in_order(geometry, lanes, h * HALF, (h + 1) * HALF, width_bytes, of_half[h]);
    }
    for (uint32_t base = 0; base < BASES; base++) {
        unsigned tags = 0;
        for (unsigned h = 0; h < HALVES; h++) {
            unsigned of_bank[FX_TAG_BANKS] = {0}, busiest = 1;
            for (unsigned i = 0; i < counts[h]; i++) {
                busiest = larger(busiest, ++of_bank[fx_law_tag_bank(geometry, of_half[h][i] + base * APART)]);
            }
            tags += busiest;
        }
        const unsigned written = steps_by_looks(geometry, &all, lines, count, base * APART);
        steps += larger(least, tags + larger(written, bank_steps));
    }
    return (double)steps / BASES;
}

double fx_law_l2_store(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    static const double alone = 0.22, uneven = 0.09;
    const unsigned sectors = fx_law_blocks(lanes, width_bytes, geometry->sector_bytes),
                   phase = fx_law_phase_lanes(geometry, width_bytes);
    if (sectors == 0 || geometry->line_bytes == 0 || phase == 0) {
        return 0;
    }
    const unsigned partly = partly_written_lines(geometry, lanes, width_bytes), phases = FX_WARP / phase;
    const unsigned wavefronts = fx_law_shared_store(geometry, lanes, width_bytes);
    const unsigned least = larger(larger(sectors + partly, phases + 1), wavefronts);
    double steps = least;
    if (phase < FX_WARP / 2 && fx_law_tag_banks_known(geometry)) {
        steps = store_steps_of_tags(geometry, lanes, width_bytes, least, wavefronts - phases);
    }
    if (width_bytes < geometry->bank_bytes && wavefronts > 2 && 4 * wavefronts >= steps) {
        const double tags = fx_law_l1_tags(geometry, lanes, width_bytes) -
                            (double)fx_law_blocks(lanes, width_bytes, geometry->line_bytes) / FX_TAG_BANKS;
        steps += (double)wavefronts * (wavefronts - 1) / sectors * (alone + uneven * tags);
    }
    return steps;
}

const char *fx_law_l2_store_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned phase = fx_law_phase_lanes(geometry, width_bytes);
    bool idle = false;
    if (phase == 0 || phase >= FX_WARP / 2 || geometry->sector_bytes == 0) {
        return NULL;
    }
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        bool active = false;
        for (unsigned l = begin; l < begin + phase && l < FX_WARP; l++) {
            active |= lanes->offset[l] >= 0;
        }
        idle |= !active;
    }
    const unsigned sent =
        fx_law_blocks(lanes, width_bytes, geometry->sector_bytes) + partly_written_lines(geometry, lanes, width_bytes);
    return idle && sent <= FX_WARP / phase ? "few sectors by a part of the warp's phases were not measured"
                                           : fx_law_l2_load_why_not(geometry, lanes, width_bytes);
}

double fx_law_dram_steps(double pairs, double blocks) {
    return sqrt(pairs * pairs + 2.25 * blocks * blocks);
}

double fx_law_dram_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return fx_law_dram_steps(fx_law_blocks(lanes, width_bytes, 2 * geometry->sector_bytes),
                             fx_law_blocks(lanes, width_bytes, 2 * geometry->line_bytes));
}
