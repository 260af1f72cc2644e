/* The law of constant memory is the count of distinct addresses (fx_law_distinct), as long as their lines stay in the
 * first level of the constant cache: here is where that ends. */
#include "law_private.h"

enum { EVERY_FIRST_LEVEL_BYTES = 2 << 10 };

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
