/* Laws of global atomics: the packets that one SM sends to the L2, and the sectors that are worked on there. */
#include "law_private.h"

#include <math.h>

enum { LEAST_STEPS = 2, MOST_SECTORS = 32 };

/* The packets of one block of memory, a line or a pair of its sectors. */
typedef struct block {
    unsigned packets, alone, of_two; /* alone: of one word; of_two: of two sectors */
    unsigned sectors;                /* of all packets together */
    unsigned done[MOST_SECTORS];     /* steps in which each sector is worked on */
} block;

/* Adds the packet of the words of sorted[0..count) that `wanted` lanes or more want. False: there are none. */
static bool add_packet(const fx_geometry *geometry, const uint32_t *sorted, unsigned count, unsigned wanted, block *b) {
    enum { ONE_WORD = 2, WORDS = 3 }; /* steps for which a packet keeps a sector busy */
    unsigned words = 0, sectors = 0, of[FX_WARP];
    uint64_t last = UINT64_MAX; /* the sector counted last */
    for (unsigned i = 0, run = 0; i < count; i++) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        if (run == wanted) {
            const uint64_t sector = sorted[i] / geometry->sector_bytes;
            words++;
            if (sector != last) {
                of[sectors++] = (unsigned)(sector % (geometry->line_bytes / geometry->sector_bytes)) % MOST_SECTORS;
            }
            last = sector;
        }
    }
    for (unsigned i = 0; i < sectors; i++) {
        b->done[of[i]] += words > 1 ? WORDS : ONE_WORD;
    }
    b->packets += words > 0;
    b->alone += words == 1;
    b->of_two += sectors == 2;
    b->sectors += sectors;
    return words > 0;
}

/* Called with each block of `block_bytes`; lanes that share a word go in packets one after the other. */
typedef void visit(const block *b, double sums[2]);

static void each_block(const fx_geometry *geometry, const fx_lanes *lanes, unsigned block_bytes, visit *call,
                       double sums[2]) {
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    for (unsigned first = 0, end; first < count; first = end) {
        block b = {0};
        for (end = first; end < count && sorted[end] / block_bytes == sorted[first] / block_bytes; end++) {
        }
        for (unsigned wanted = 1; add_packet(geometry, sorted + first, end - first, wanted, &b); wanted++) {
        }
        call(&b, sums);
    }
}

static unsigned sent(const block *b) {
    return b->sectors + b->packets - b->alone;
}

static void add_sent(const block *b, double sums[2]) {
    sums[0] += sent(b);
}

/* sums: of all lines, what is sent; of the busiest line, until its answers are there. */
static void add_returned(const block *b, double sums[2]) {
    unsigned busiest = 0;
    for (unsigned i = 0; i < MOST_SECTORS; i++) {
        busiest = b->done[i] > busiest ? b->done[i] : busiest;
    }
    const double of_line = sent(b), longer = fmax(of_line, busiest), apart = fabs(of_line - busiest);
    const double waits = b->of_two * (b->packets > 2 ? 0.4 : 0.7) - apart / 2;
    sums[0] += of_line;
    sums[1] = fmax(sums[1], longer + fmax(waits, 0));
}

/* sums: what is sent, with two operands for each word; two steps for each packet. */
static void add_swaps(const block *b, double sums[2]) {
    const unsigned sectors = b->sectors - b->alone, packets = b->packets - b->alone;
    sums[0] += 2 * sectors + packets + b->alone;
    sums[1] += 2 * b->packets;
}

static double steps(const fx_geometry *geometry, const fx_lanes *lanes, unsigned block_sectors, visit *call) {
    double sums[2] = {0};
    if (geometry->sector_bytes == 0 || geometry->line_bytes < geometry->sector_bytes) {
        return 0;
    }
    const unsigned whole = geometry->line_bytes / geometry->sector_bytes;
    each_block(geometry, lanes, (block_sectors > 0 ? block_sectors : whole) * geometry->sector_bytes, call, sums);
    const double longer = fmax(sums[0], sums[1]);
    return longer > 0 ? fmax(longer, LEAST_STEPS) : 0;
}

unsigned fx_law_l2_reduction(const fx_geometry *geometry, const fx_lanes *lanes) {
    return (unsigned)steps(geometry, lanes, 0, add_sent);
}

double fx_law_l2_atomic(const fx_geometry *geometry, const fx_lanes *lanes) {
    return steps(geometry, lanes, 0, add_returned);
}

unsigned fx_law_l2_cas(const fx_geometry *geometry, const fx_lanes *lanes) {
    return (unsigned)steps(geometry, lanes, 2, add_swaps);
}
