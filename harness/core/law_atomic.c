/* Laws of global atomics: the packets that one SM sends to the L2, and the sectors that are worked on there. */
#include "law_private.h"

enum { LEAST_STEPS = 2, MOST_SECTORS = 32 };

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

static unsigned sent(const packet *a) {
    return bits(a->places) + (a->words > 1);
}

static bool known(const fx_geometry *geometry, unsigned width_bytes) {
    return geometry->sector_bytes > 0 && geometry->line_bytes >= geometry->sector_bytes && width_bytes > 0;
}

/* Lanes that bring one row of operands. */
static unsigned part_lanes(const fx_geometry *geometry, unsigned operand_bytes) {
    const unsigned lanes = fx_law_phase_lanes(geometry, operand_bytes);
    return lanes > 0 ? lanes : FX_WARP;
}

/* Packets that the L1 sends together: of each of its tag banks one, and so one for each block it looks up. */
typedef struct look {
    struct {
        uint32_t block, words, parts; /* words, parts: a bit each */
        unsigned lanes, sectors;
    } of[FX_TAG_BANKS];
} look;

/* What an access is made of: packets of `block` bytes, and lanes in rows of `row`. */
typedef struct form {
    unsigned block, row, per_sector; /* steps that a sector takes in a packet of several words */
    uint32_t active;                 /* a bit for each lane; of those: */
    struct {
        uint32_t line, block, word, part, sector; /* its numbers, and of the last three a bit */
    } of[FX_WARP];
} form;

static form form_of(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes, bool swaps) {
    form f = {.block = swaps ? 2 * geometry->sector_bytes : geometry->line_bytes,
              .row = part_lanes(geometry, swaps ? 2 * width_bytes : width_bytes),
              .per_sector = swaps ? 2 : 1};
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint32_t offset = (uint32_t)lanes->offset[l], place = offset % geometry->line_bytes;
        f.active |= lanes->offset[l] >= 0 ? 1u << l : 0;
        f.of[l].line = offset / geometry->line_bytes;
        f.of[l].block = offset / f.block;
        f.of[l].word = 1u << place / width_bytes % MOST_SECTORS;
        f.of[l].part = 1u << l / f.row;
        f.of[l].sector = 1u << place / geometry->sector_bytes % MOST_SECTORS;
    }
    return f;
}

/* Takes from `pending` the lanes of one look. Each tag bank looks up the block of the first lane that waits for it. A
 * lane goes along unless a lane before it waits for the same tag bank and the same words of a line. */
static look next_look(const form *f, const unsigned banks[FX_WARP], uint32_t *pending) {
    look now = {0};
    uint32_t seen[FX_TAG_BANKS] = {0}, found = 0, sectors[FX_TAG_BANKS] = {0};
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (!(*pending >> l & 1)) {
            continue;
        }
        const unsigned bank = banks[l];
        const uint32_t word = f->of[l].word;
        if (!(found >> bank & 1)) {
            now.of[bank].block = f->of[l].block;
            found |= 1u << bank;
        }
        if (now.of[bank].block == f->of[l].block && !(seen[bank] & word)) {
            now.of[bank].words |= word;
            now.of[bank].parts |= f->of[l].part;
            now.of[bank].lanes++;
            sectors[bank] |= f->of[l].sector;
            *pending &= ~(1u << l);
        }
        seen[bank] |= word;
    }
    for (unsigned bank = 0; bank < FX_TAG_BANKS; bank++) {
        now.of[bank].sectors = bits(sectors[bank]);
    }
    return now;
}

typedef struct look_steps {
    double sent, alone; /* of these, in looks whose packets hold a word each */
    double longer;      /* of what is sent and what is returned */
} look_steps;

/* Steps from one base. If one packet of a look holds several words, all of its packets are sent as such. What is
 * returned: packets of a look with the same words wait for each other, for 3 steps and one for each further piece;
 * single words for 2, and all of a look take one each and some for the rows that they are picked from. */
static look_steps steps_from(const fx_geometry *geometry, const form *f, uint32_t base) {
    enum { ONE_WORD = 2, WORDS = 3 };
    static const double rows[] = {0, 0.9, 1.5}; /* one row of operands, two, four */
    const double picked = rows[f->row >= FX_WARP ? 0 : f->row >= FX_WARP / 2 ? 1 : 2];
    uint32_t pending = f->active;
    unsigned banks[FX_WARP];
    look_steps sum = {0};
    double returned = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        banks[l] = fx_law_tag_bank(geometry, f->of[l].line + base);
    }
    while (pending) {
        const look now = next_look(f, banks, &pending);
        unsigned sent = 0, count = 0, busiest = 0, keeps[FX_TAG_BANKS];
        bool several = false;
        for (unsigned bank = 0; bank < FX_TAG_BANKS; bank++) {
            several |= now.of[bank].lanes > 1;
        }
        for (unsigned bank = 0; bank < FX_TAG_BANKS; bank++) {
            count += now.of[bank].lanes > 0;
            sent += now.of[bank].lanes == 0 ? 0 : several ? 1 + f->per_sector * now.of[bank].sectors : 1;
            keeps[bank] = several ? WORDS + bits(now.of[bank].parts) - 1 : ONE_WORD;
        }
        for (unsigned word = 0; word < MOST_SECTORS; word++) {
            unsigned busy = 0;
            for (unsigned bank = 0; bank < FX_TAG_BANKS; bank++) {
                busy += (now.of[bank].words >> word & 1) * keeps[bank];
            }
            busiest = busy > busiest ? busy : busiest;
        }
        sum.sent += sent;
        sum.alone += several ? 0 : sent;
        returned += several ? busiest : fmax(busiest, count + picked);
    }
    sum.longer = fmax(sum.sent, returned);
    return sum;
}

static bool one_line(const fx_geometry *geometry, const fx_lanes *lanes) {
    return fx_law_blocks(lanes, 1, geometry->line_bytes) <= 1;
}

/* The same on the average over bases; as many as the warps that were measured had, and as far apart. */
static look_steps steps_of(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes, bool swaps) {
    enum { BASES = 32, APART = 513 };
    const form f = form_of(geometry, lanes, width_bytes, swaps);
    const unsigned bases = fx_law_tag_banks_known(geometry) && !one_line(geometry, lanes) ? BASES : 1;
    look_steps mean = {0}; /* the sum at first */
    for (uint32_t base = 0; base < bases; base++) {
        const look_steps one = steps_from(geometry, &f, base * APART);
        mean.sent += one.sent;
        mean.alone += one.alone;
        mean.longer += one.longer;
    }
    return (look_steps){mean.sent / bases, mean.alone / bases, mean.longer / bases};
}

/* One more than the rows of operands, as for a store. */
static double at_least(const fx_geometry *geometry, unsigned operand_bytes, double steps) {
    const unsigned phase = fx_law_phase_lanes(geometry, operand_bytes);
    return steps > 0 ? fmax(steps, phase > 0 ? FX_WARP / phase + 1 : LEAST_STEPS) : 0;
}

double fx_law_l2_reduction(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    return known(geometry, width_bytes)
               ? at_least(geometry, width_bytes, steps_of(geometry, lanes, width_bytes, false).sent)
               : 0;
}

/* Steps of lanes that all want the same word of their lines: one after the other, on any lines. 0: they do not. */
static double in_turn(const fx_geometry *geometry, const fx_lanes *lanes) {
    enum { ONE_WORD = 2 };
    unsigned count = 0;
    int64_t place = -1;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = lanes->offset[l];
        if (offset >= 0 && count > 0 && offset % geometry->line_bytes != place) {
            return 0;
        }
        place = offset >= 0 ? offset % geometry->line_bytes : place;
        count += offset >= 0;
    }
    return ONE_WORD * count;
}

static double several_lines(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes, bool swaps) {
    return fmax(in_turn(geometry, lanes), steps_of(geometry, lanes, width_bytes, swaps).sent);
}

/* Steps until the answers are there, of packets of one line. */
static double line_returned(const packets *p) {
    enum { ONE_WORD = 2, WORDS = 3, PART = 2 }; /* steps for which a packet keeps a sector busy; PART: each further */
    unsigned of_line = 0, of_two = 0, busiest = 0, done[MOST_SECTORS] = {0};
    bool in_parts = false;
    for (unsigned i = 0; i < p->count; i++) {
        const packet *a = &p->all[i];
        const unsigned sectors = bits(a->places), parts = bits(a->parts);
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
    const double waits = of_two * (p->count > 2 ? 0.4 : 0.7) - apart / 2;
    return longer + fmax(waits, in_parts ? 0.7 : 0);
}

double fx_law_l2_atomic(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    if (!known(geometry, width_bytes)) {
        return 0;
    }
    if (!one_line(geometry, lanes)) {
        return at_least(geometry, width_bytes, several_lines(geometry, lanes, width_bytes, false));
    }
    const packets p = packets_of(geometry, lanes, geometry->line_bytes, part_lanes(geometry, width_bytes));
    return p.count > 0 ? at_least(geometry, width_bytes, line_returned(&p)) : 0;
}

static unsigned above(unsigned a, unsigned b) {
    return a > b ? a - b : 0;
}

static double line_swapped(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    enum { ONE_WORD = 2, WORDS = 3, PART = 2, PLACES = 2 };
    static const double shown = 0.75; /* of what parts add, where several pairs of sectors can hide it */
    unsigned all = 0, late = 0, pairs = 0, busy[PLACES] = {0}, more[PLACES] = {0};
    const packets p =
        packets_of(geometry, lanes, PLACES * geometry->sector_bytes, part_lanes(geometry, 2 * width_bytes));
    for (unsigned i = 0; i < p.count; i++) {
        const packet *a = &p.all[i];
        const unsigned steps = a->words > 1 ? 1 + 2 * bits(a->places) : 1;
        const unsigned in_parts = a->words > 1 ? PART * bits(a->parts) : 0;
        pairs |= 1u << a->block % MOST_SECTORS;
        all += steps;
        late += above(in_parts, steps);
        for (unsigned s = 0; s < MOST_SECTORS; s++) {
            if (a->places >> s & 1) {
                busy[s % PLACES] += a->words > 1 ? WORDS : ONE_WORD;
                more[s % PLACES] += above(in_parts, WORDS);
            }
        }
    }
    const double share = bits(pairs) > 1 ? shown : 1;
    double steps = all + (width_bytes > geometry->bank_bytes ? share * late : 0);
    for (unsigned s = 0; s < PLACES; s++) {
        steps = fmax(steps, busy[s] + share * more[s]);
    }
    return steps;
}

double fx_law_l2_cas(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    if (!known(geometry, width_bytes)) {
        return 0;
    }
    const double sent = one_line(geometry, lanes) ? line_swapped(geometry, lanes, width_bytes)
                                                  : several_lines(geometry, lanes, width_bytes, true);
    return at_least(geometry, 2 * width_bytes, sent);
}

const char *fx_law_l2_reduction_why_not(const fx_geometry *geometry, const fx_lanes *lanes) {
    return geometry->line_bytes > 0 && !one_line(geometry, lanes) && !fx_law_tag_banks_known(geometry)
               ? "packets of several lines, and the tag banks of the L1 are not known here"
               : NULL;
}

const char *fx_law_l2_atomic_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes,
                                     bool swaps) {
    static const double most_alone = 0.25, most_longer = 1.05;
    const char *reason = fx_law_l2_reduction_why_not(geometry, lanes);
    if (reason || !known(geometry, width_bytes) || one_line(geometry, lanes)) {
        return reason;
    }
    const look_steps of = steps_of(geometry, lanes, width_bytes, swaps);
    return in_turn(geometry, lanes) == 0 && (of.alone > most_alone * of.sent || of.longer > most_longer * of.sent)
               ? "packets of several lines wait for each other's results"
               : NULL;
}
