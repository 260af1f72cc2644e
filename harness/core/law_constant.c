/* The law of constant memory is the count of distinct addresses (fx_law_distinct), as long as their lines stay in the
 * first level of the constant cache: here is where that ends, and what a warp alone misses beyond. */
#include "law_private.h"
#include "random.h"

enum { EVERY_FIRST_LEVEL_BYTES = 2 << 10, ORDERS = 256, WARM_STEPS = 2, STEPS = WARM_STEPS + 8 };

/* The lines of one set, the one used last in front. */
typedef struct recent {
    uint32_t set, count, line[FX_WARP];
} recent;

/* Moves the line to the front; true if it was not among the first `ways`. */
static bool misses(recent *of, uint32_t line, unsigned ways) {
    uint32_t at = 0;
    while (at < of->count && of->line[at] != line) {
        at++;
    }
    const bool missed = at == of->count || at >= ways;
    of->count += at == of->count;
    for (; at > 0; at--) {
        of->line[at] = of->line[at - 1];
    }
    of->line[0] = line;
    return missed;
}

/* Least recently used lines make room, and a warp's addresses are served in the order of its lanes. */
double fx_law_constant_walk_misses(const fx_geometry *geometry, unsigned distinct, unsigned spacing_bytes) {
    uint32_t order[FX_WARP], place[FX_WARP], line[FX_WARP];
    recent sets[FX_WARP], *of[FX_WARP];
    uint64_t missed = 0;
    if (geometry->constant_sets == 0 || geometry->constant_line_bytes == 0 || distinct == 0 || distinct > FX_WARP) {
        return 0;
    }
    for (uint32_t a = 0; a < distinct; a++) {
        uint32_t s = 0;
        line[a] = a * spacing_bytes / geometry->constant_line_bytes;
        sets[a] = (recent){.set = line[a] % geometry->constant_sets};
        while (sets[s].set != sets[a].set) {
            s++;
        }
        of[a] = &sets[s]; /* the first that has it */
    }
    for (uint64_t seed = 0; seed < ORDERS; seed++) {
        fx_random_order(seed, order, distinct);
        for (uint32_t i = 0; i < distinct; i++) {
            place[order[i]] = i;
        }
        for (uint32_t step = 0; step < STEPS; step++) {
            for (uint32_t l = 0; l < distinct; l++) {
                const uint32_t a = order[(place[l] + step) % distinct];
                missed += misses(of[a], line[a], geometry->constant_ways) && step >= WARM_STEPS;
            }
        }
    }
    return (double)missed / (ORDERS * (STEPS - WARM_STEPS));
}

unsigned fx_law_constant_set_lines(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned sets = geometry->constant_sets, line_bytes = geometry->constant_line_bytes;
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned most = 0;
    if (sets == 0 || line_bytes == 0 || width_bytes == 0) {
        return 0;
    }
    for (unsigned set = 0; set < sets; set++) {
        unsigned here = 0;
        uint32_t next = 0; /* first line that is not counted yet */
        for (unsigned i = 0; i < count; i++) {
            const uint32_t first = sorted[i] / line_bytes, last = (sorted[i] + (width_bytes - 1)) / line_bytes;
            for (next = next > first ? next : first; next <= last; next++) {
                here += next % sets == set;
            }
        }
        most = here > most ? here : most;
    }
    return most;
}

const char *fx_law_constant_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    if (geometry->constant_sets > 0) {
        return fx_law_constant_set_lines(geometry, lanes, width_bytes) <= geometry->constant_ways
                   ? NULL
                   : "the lines of one set of the first constant cache are more than its ways";
    }
    return fx_lanes_span(lanes, width_bytes) <= EVERY_FIRST_LEVEL_BYTES
               ? NULL
               : "the words span more than 2 KiB, and the sets of the first constant cache are unknown on this device";
}
