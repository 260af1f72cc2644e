/* Laws of global atomics: the packets that one SM sends to the L2, and the sectors that are worked on there. */
#include "law_private.h"

#include <math.h>

enum { LEAST_STEPS = 2, LEAST_SWAP_STEPS = 3, MOST_SECTORS = 32 };

typedef struct packet {
    uint32_t block;  /* of memory, a line or a pair of its sectors */
    unsigned round;  /* lanes before them that want the words of this packet */
    unsigned words;  /* a lane each */
    uint32_t places; /* bit s: sector s of the line */
    uint32_t parts;  /* bit p: lanes of part p of the warp, as many as bring one row of operands */
} packet;

typedef struct packets {
    packet all[FX_WARP];
    unsigned count;
} packets;

static unsigned bits(uint32_t mask) {
    unsigned count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

/* Lanes that share a word go in packets one after the other, in the order of the lanes. */
static packets packets_of(const fx_geometry *geometry, const fx_lanes *lanes, unsigned block_bytes,
                          unsigned part_lanes) {
    packets p = {.count = 0};
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (lanes->offset[l] < 0) {
            continue;
        }
        const uint32_t offset = (uint32_t)lanes->offset[l], place = offset % geometry->line_bytes;
        unsigned round = 0, at = 0;
        for (unsigned before = 0; before < l; before++) {
            round += lanes->offset[before] == lanes->offset[l];
        }
        while (at < p.count && (p.all[at].block != offset / block_bytes || p.all[at].round != round)) {
            at++;
        }
        if (at == p.count) {
            p.all[p.count++] = (packet){.block = offset / block_bytes, .round = round};
        }
        p.all[at].words++;
        p.all[at].places |= 1u << place / geometry->sector_bytes % MOST_SECTORS;
        p.all[at].parts |= 1u << l / part_lanes;
    }
    return p;
}

/* The packets of a block are summed with the first of them. */
static bool first_of_block(const packets *p, unsigned i) {
    for (unsigned before = 0; before < i; before++) {
        if (p->all[before].block == p->all[i].block) {
            return false;
        }
    }
    return true;
}

static unsigned sent(const packet *a) {
    return bits(a->places) + (a->words > 1);
}

static bool known(const fx_geometry *geometry) {
    return geometry->sector_bytes > 0 && geometry->line_bytes >= geometry->sector_bytes;
}

/* Lanes that bring one row of operands. */
static unsigned part_lanes(const fx_geometry *geometry, unsigned operand_bytes) {
    const unsigned lanes = fx_law_phase_lanes(geometry, operand_bytes);
    return lanes > 0 ? lanes : FX_WARP;
}

unsigned fx_law_l2_reduction(const fx_geometry *geometry, const fx_lanes *lanes) {
    unsigned steps = 0;
    if (!known(geometry)) {
        return 0;
    }
    const packets p = packets_of(geometry, lanes, geometry->line_bytes, FX_WARP);
    for (unsigned i = 0; i < p.count; i++) {
        steps += sent(&p.all[i]);
    }
    return steps > 0 && steps < LEAST_STEPS ? LEAST_STEPS : steps;
}

/* Steps until the answers of a line are there. */
static double line_returned(const packets *p, uint32_t line) {
    enum { ONE_WORD = 2, WORDS = 3, PART = 2 }; /* steps for which a packet keeps a sector busy; PART: each further */
    unsigned count = 0, of_line = 0, of_two = 0, busiest = 0, done[MOST_SECTORS] = {0};
    bool in_parts = false;
    for (unsigned i = 0; i < p->count; i++) {
        const packet *a = &p->all[i];
        if (a->block != line) {
            continue;
        }
        const unsigned sectors = bits(a->places), parts = bits(a->parts);
        count++;
        of_line += sent(a);
        of_two += sectors == 2;
        in_parts |= sectors > 1 && parts > 1;
        for (unsigned s = 0; s < MOST_SECTORS; s++) {
            if (a->places >> s & 1) {
                done[s] += a->words > 1 ? WORDS + PART * (parts - 1) : ONE_WORD;
                busiest = done[s] > busiest ? done[s] : busiest;
            }
        }
    }
    const double longer = fmax(of_line, busiest), apart = fabs((double)of_line - busiest);
    const double waits = of_two * (count > 2 ? 0.4 : 0.7) - apart / 2;
    return longer + fmax(waits, in_parts ? 0.7 : 0);
}

double fx_law_l2_atomic(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    double of_all = 0, of_line = 0;
    if (!known(geometry)) {
        return 0;
    }
    const packets p = packets_of(geometry, lanes, geometry->line_bytes, part_lanes(geometry, width_bytes));
    for (unsigned i = 0; i < p.count; i++) {
        of_all += sent(&p.all[i]);
        of_line = first_of_block(&p, i) ? fmax(of_line, line_returned(&p, p.all[i].block)) : of_line;
    }
    return p.count > 0 ? fmax(fmax(of_all, of_line), LEAST_STEPS) : 0;
}

static unsigned above(unsigned a, unsigned b) {
    return a > b ? a - b : 0;
}

double fx_law_l2_cas(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    enum { ONE_WORD = 2, WORDS = 3, PART = 2, PLACES = 2 };
    static const double shown = 0.75; /* of what parts add, where several pairs of sectors can hide it */
    unsigned all = 0, late = 0, pairs = 0, busy[PLACES] = {0}, more[PLACES] = {0};
    if (!known(geometry)) {
        return 0;
    }
    const packets p =
        packets_of(geometry, lanes, PLACES * geometry->sector_bytes, part_lanes(geometry, 2 * width_bytes));
    for (unsigned i = 0; i < p.count; i++) {
        const packet *a = &p.all[i];
        const unsigned steps = a->words > 1 ? 1 + 2 * bits(a->places) : 1;
        const unsigned in_parts = a->words > 1 ? PART * bits(a->parts) : 0;
        pairs += first_of_block(&p, i);
        all += steps;
        late += above(in_parts, steps);
        for (unsigned s = 0; s < MOST_SECTORS; s++) {
            if (a->places >> s & 1) {
                busy[s % PLACES] += a->words > 1 ? WORDS : ONE_WORD;
                more[s % PLACES] += above(in_parts, WORDS);
            }
        }
    }
    const double share = pairs > 1 ? shown : 1;
    double steps = all + (width_bytes > geometry->bank_bytes ? share * late : 0);
    for (unsigned s = 0; s < PLACES; s++) {
        steps = fmax(steps, busy[s] + share * more[s]);
    }
    return p.count > 0 ? fmax(steps, LEAST_SWAP_STEPS) : 0;
}

unsigned fx_law_l2_cas_sent(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    unsigned steps = 0;
    if (!known(geometry)) {
        return 0;
    }
    const packets p = packets_of(geometry, lanes, 2 * geometry->sector_bytes, part_lanes(geometry, 2 * width_bytes));
    for (unsigned i = 0; i < p.count; i++) {
        steps += p.all[i].words > 1 ? 1 + 2 * bits(p.all[i].places) : 1;
    }
    return steps > 0 && steps < LEAST_SWAP_STEPS ? LEAST_SWAP_STEPS : steps;
}
