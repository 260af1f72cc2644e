/* The law of the histogram: what one run asks of the chip. Values at random are drawn: the steps of some accesses of a
 * warp are averaged. Plain C. */
#pragma once

#include "../demand.h"
#include "shape.h"

enum { DRAWN = 64 /* accesses of a warp */, WORD_BYTES = 4, QUAD_BYTES = 16 };

/* The L2 as atomics meet it: granules of two lines lie on its slices as by chance. The slices are counted by their size
 * on sm_90. */
enum { GRANULE_LINES = 2, SLICE_BYTES = 640 << 10 };

/* Blocks of one SM, all there at once. */
static uint32_t blocks_per_sm(const fx_facts *facts, uint32_t own_words) {
    const uint64_t room = facts->shared_per_sm_bytes / (own_words * (uint64_t)WORD_BYTES + RESERVED_BYTES);
    const uint64_t warps = facts->warps_per_sm > 0 ? (uint64_t)facts->warps_per_sm / WARPS : BLOCKS_PER_SM;
    const uint64_t most = warps < BLOCKS_PER_SM ? warps : BLOCKS_PER_SM;
    return (uint32_t)(room > most ? most : room > 0 ? room : 1);
}

static bool in_shared(int64_t variant) {
    return variant != GLOBAL && variant != AGGREGATED;
}

/* Instructions of a warp in a trip of its loop, in the machine code for sm_90, which `gpufx validate --sass` recounts,
 * and the values of a lane in one. */
typedef struct trip {
    unsigned issue, values;
} trip;

static trip trip_of(int64_t variant) {
    static const trip trips[] = {{14, 4}, {54, 4}, {33, 8}, {33, 8}, {33, 8}, {217, 16}};
    return trips[variant];
}

static void code(const fx_params *params, fx_code *out) {
    out->loop = trip_of(params->value[VARIANT]).issue;
}

/* Lanes of the table that want this word, as packets are made: one lane for each word of a line. */
static unsigned lanes_on(const fx_lanes *table, int32_t offset) {
    unsigned count = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        count += table->offset[l] == offset;
    }
    return count;
}

/* Sectors of a line that the packets of an atomic visit at the L2: of each sector, as many as lanes are on its busiest
 * word. */
static unsigned line_visits(const fx_lanes *table, int32_t line) {
    unsigned visits = 0;
    for (int32_t sector = line * FX_LINE_BYTES; sector < (line + 1) * FX_LINE_BYTES; sector += FX_SECTOR_BYTES) {
        unsigned most = 0;
        for (int32_t word = sector; word < sector + FX_SECTOR_BYTES; word += WORD_BYTES) {
            const unsigned lanes = lanes_on(table, word);
            most = lanes > most ? lanes : most;
        }
        visits += most;
    }
    return visits;
}

/* Visits of all lines. */
static unsigned visits_of(const fx_lanes *table) {
    unsigned sum = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        bool first = table->offset[l] >= 0;
        for (unsigned k = 0; k < l; k++) {
            first =
                first && (table->offset[k] < 0 || table->offset[k] / FX_LINE_BYTES != table->offset[l] / FX_LINE_BYTES);
        }
        sum += first ? line_visits(table, table->offset[l] / FX_LINE_BYTES) : 0;
    }
    return sum;
}

/* What a warp's atomics for one value of each lane cost, the mean. */
typedef struct access {
    double steps, visits;      /* of shared memory; of sectors at the L2 */
    double on_zero, near_zero; /* lanes on the first word, and visits of the first granule, which are the busiest */
} access;

static void add_access(access *sum, const fx_geometry *g, const fx_lanes *lanes, bool adds_one) {
    sum->steps += (adds_one ? fx_law_shared_store(g, lanes, WORD_BYTES) : fx_law_shared_atomic(g, lanes, WORD_BYTES)) /
                  (double)DRAWN;
    sum->visits += visits_of(lanes) / (double)DRAWN;
    for (int32_t line = 0; line < GRANULE_LINES; line++) {
        sum->near_zero += line_visits(lanes, line) / (double)DRAWN;
    }
    sum->on_zero += lanes_on(lanes, 0) / (double)DRAWN;
}

/* The k-th of the values that a lane reads side by side. Lanes that do not add, since another lane or a later value
 * does it for them, are left out. */
static fx_lanes draw_lanes(const fx_params *p, uint64_t warp, uint64_t k, uint64_t values, uint32_t bins_bits) {
    const int data = (int)p->value[DATA];
    const copies own = copies_of(p->value[VARIANT], 1u << bins_bits);
    fx_lanes lanes;
    for (uint64_t l = 0; l < FX_WARP; l++) {
        const uint64_t i = (warp * FX_WARP + l) * values + k;
        const uint32_t value = data == CONSTANT ? 0 : value_of(data, 1, i, bins_bits);
        const bool goes_on = p->value[VARIANT] == RUNS && k + 1 < values &&
                             (data == CONSTANT || value == value_of(data, 1, i + 1, bins_bits));
        lanes.offset[l] = goes_on ? -1 : (int32_t)((value * own.step + l % own.lanes) * WORD_BYTES);
        for (uint64_t m = 0; m < l && p->value[VARIANT] == AGGREGATED; m++) {
            lanes.offset[l] = lanes.offset[m] == lanes.offset[l] ? -1 : lanes.offset[l];
        }
    }
    return lanes;
}

/* With adds_one the instruction counts lanes on one word at once: then it costs as much as a store. */
static access access_of(const fx_facts *facts, const fx_params *p, uint32_t bins_bits) {
    const bool runs = p->value[VARIANT] == RUNS, adds_one = !runs && facts->compute_major >= 8;
    const uint64_t side = runs ? RUN : QUAD;
    access sum = {0};
    for (uint64_t i = 0; i < DRAWN; i++) {
        const fx_lanes lanes = draw_lanes(p, i / side, i % side, side, bins_bits);
        add_access(&sum, &facts->geometry, &lanes, adds_one);
    }
    return sum;
}

/* What part of all visits the busiest slice gets, where the first of some granules has `first` of them and the others
 * share the rest: the mean of a slice and 2.5 standard deviations, as granules fall on slices at random, but no less
 * than that granule and those that meet it there: of up to 4 granules none does, of 8 and 16 one, of 32 to 128 1.75. */
static double busiest_slice(double slices, double granules, double first) {
    const double meet = granules < 8 ? 0 : granules < 32 ? 1 : 1.75;
    const double rest = granules > 1 ? (1 - first) / (granules - 1) : 0, together = first + meet * rest;
    const double part = 1 / slices + 2.5 * sqrt((first * first + (granules - 1) * rest * rest) / slices);
    return part > together ? least(part, 1) : together;
}

static uint32_t bits_of(int64_t bins) {
    uint32_t bits = 0;
    while (bins > 1) {
        bins /= 2;
        bits++;
    }
    return bits;
}

static void law(const fx_facts *facts, const fx_params *p, const fx_lanes *none, fx_prediction *out) {
    const int64_t variant = p->value[VARIANT];
    const bool shared = in_shared(variant), runs = variant == RUNS;
    const double bins = (double)p->value[BINS], n = COUNTED, warps = n / FX_WARP;
    const copies own = copies_of(variant, (uint32_t)p->value[BINS]);
    const trip machine = trip_of(variant);
    const access each = access_of(facts, p, bits_of(p->value[BINS]));
    const double sms = sms_of(facts);
    const double here = blocks_per_sm(facts, shared ? own.words : 0), blocks = sms * here;
    const double trips = in_turns(n / machine.values, blocks * THREADS), flushed = shared ? blocks * bins : 0;
    fx_lanes quads;
    fx_lanes_stride(&quads, QUAD_BYTES, runs ? RUN / QUAD : 1, 0);
    const double loads = in_turns(warps / QUAD, sms), added = flushed / FX_WARP;
    const double granules = in_turns(bins, GRANULE_LINES * FX_WARP), visits = warps * each.visits;
    const double slices = facts->l2_bytes > SLICE_BYTES ? (double)facts->l2_bytes / SLICE_BYTES : 1;
    /* A few drawn accesses may have missed the first word, hence the mean at least. */
    const double word = warps * fmax(each.on_zero, FX_WARP / bins);
    const double part = busiest_slice(slices, granules, fmax(each.near_zero / each.visits, 1 / granules));
    const double slice = fmax(part * visits, word);
    /* Words at random, evenly over the slices, take half as long again as visits that follow each other on one: where
     * the busiest slice has more than that, it is what takes the time. */
    const bool evenly = part * slices < 1.5;
    out->law = "values";
    out->count = n;
    out->why_not = "the demands predict the time";
    out->useful_bytes = n * WORD_BYTES;
    demand(out, "launches", 2); /* clears the bins, and counts */
    demand(out, "dram_read_bytes", n * WORD_BYTES);
    demand(out, "l2_bytes", n * WORD_BYTES + FX_SECTOR_BYTES * (shared ? 4 * added : visits));
    demand(out, "l2_atomics", shared ? added * FX_LINE_BYTES / FX_SECTOR_BYTES : evenly ? visits : 0);
    demand(out, "same_word_atomics", shared ? blocks : word);
    demand(out, "same_line_atomics", shared ? blocks * (FX_LINE_BYTES / FX_SECTOR_BYTES - 1) : slice - word);
    demand(out, "shared_atomic_steps", shared ? warps / sms * each.steps : 0);
    demand(out, "shared_steps", shared ? 2 * here * own.words / FX_WARP : 0);
    demand(out, "l2_load_steps", loads / (runs ? 2 : 1) * fx_law_l2_load(&facts->geometry, &quads, QUAD_BYTES));
    demand(out, "l1_steps", runs ? loads / 2 * fx_law_l1_load(&facts->geometry, &quads, QUAD_BYTES) : 0);
    demand(out, "issue", trips * here * WARPS * machine.issue);
    demand(out, "barriers", shared ? 2 : 0);
    demand(out, "dram_rounds", trips);
    demand(out, "dram_in_flight_bytes", here * THREADS * machine.values * WORD_BYTES);
}
