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

/* Lines that the access reads of the busiest set; *overflows: sets with more lines read than there are ways. */
static unsigned busiest_set(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes,
                            unsigned *overflows) {
    const unsigned sets = geometry->constant_sets, line_bytes = geometry->constant_line_bytes;
    uint32_t sorted[FX_WARP];
    const unsigned count = fx_law_sort(lanes, 0, FX_WARP, sorted);
    unsigned most = 0;
    *overflows = 0;
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
        *overflows += here > geometry->constant_ways;
    }
    return most;
}

unsigned fx_law_constant_set_lines(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    unsigned overflows;
    return busiest_set(geometry, lanes, width_bytes, &overflows);
}

/* Steps that the misses of one set add, by its lines: measured where the access reads no other set. */
static double missed_steps(unsigned lines) {
    static const struct {
        unsigned lines;
        double steps;
    } known[] = {{4, 0},      {5, 4.3},   {6, 11.5},  {7, 18.6},   {8, 25.05},  {9, 30.85}, {10, 36.45},
                 {12, 47.35}, {16, 70.7}, {20, 97.2}, {24, 125.5}, {28, 154.2}, {32, 182.5}};
    size_t i = 1;
    while (lines > known[i].lines) {
        i++;
    }
    const double slope = (known[i].steps - known[i - 1].steps) / (known[i].lines - known[i - 1].lines);
    return known[i].steps - slope * (known[i].lines - lines);
}

double fx_law_constant_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes) {
    enum { MEASURED_WAYS = 4, MEASURED_WIDTH = 4 };
    const unsigned distinct = fx_law_distinct(lanes);
    unsigned overflows;
    const unsigned lines = busiest_set(geometry, lanes, width_bytes, &overflows);
    return width_bytes == MEASURED_WIDTH && geometry->constant_ways == MEASURED_WAYS && overflows == 1 &&
                   lines == distinct
               ? distinct + missed_steps(lines)
               : 0;
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
