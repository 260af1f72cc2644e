/* Cures: the same elements laid out otherwise. Each is only proposed with the count that the same law gives for it.
 *
 * Shared memory: padding, a few bytes at the end of every row, and the swizzle that exchanges the columns of a row by
 * an exclusive or with the row's number. Which rows the program has can't be seen from 32 offsets: powers of two and
 * the commonest distance between lanes are tried. Global memory: a base that begins at a line. */
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

static bool set(int64_t offset, int32_t *out) {
    *out = (int32_t)offset;
    return offset >= 0 && offset <= INT32_MAX;
}

enum { MOST_ROW_BYTES = 8192, MOST_PAD_STEPS = 8, ROWS = 8 };

static int64_t step_of(const fx_geometry *g, const fx_pattern *pattern) {
    return pattern->width_bytes > g->bank_bytes ? pattern->width_bytes : g->bank_bytes;
}

/* The commonest distance between neighbouring active lanes; 0: there is none above 0. */
static int64_t lane_stride(const fx_pattern *pattern) {
    int64_t best = 0;
    unsigned most = 0;
    for (unsigned l = 1; l < FX_WARP; l++) {
        const int64_t distance = (int64_t)pattern->lanes.offset[l] - pattern->lanes.offset[l - 1];
        unsigned same = 0;
        for (unsigned k = 1; k < FX_WARP; k++) {
            same += pattern->lanes.offset[k] >= 0 && pattern->lanes.offset[k - 1] >= 0 &&
                    (int64_t)pattern->lanes.offset[k] - pattern->lanes.offset[k - 1] == distance;
        }
        if (distance > 0 && same > most) {
            most = same;
            best = distance;
        }
    }
    return best;
}

/* Row lengths to try: what the lanes suggest, and a row of all banks and its multiples; all of them whole numbers of
 * steps. Returns how many. */
static size_t rows_to_try(const fx_geometry *g, const fx_pattern *pattern, int64_t rows[ROWS]) {
    const int64_t stride = lane_stride(pattern), step = step_of(g, pattern);
    size_t count = 0;
    for (int64_t row = (int64_t)g->banks * g->bank_bytes; row <= MOST_ROW_BYTES && count < ROWS - 1; row *= 2) {
        if (row % step == 0) {
            rows[count++] = row;
        }
    }
    if (stride > step && stride % step == 0) {
        rows[count++] = stride;
    }
    return count;
}

static bool lay_out(const fx_pattern *pattern, int64_t row, int64_t step, int64_t pad, fx_lanes *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l];
        const int64_t column = offset % row / step, mixed = column ^ (offset / row % (row / step));
        const int64_t moved = pad ? offset + offset / row * pad : offset + (mixed - column) * step;
        if (offset >= 0 && !set(moved, &out->offset[l])) {
            return false;
        }
    }
    return true;
}

/* The layout of least count among the rows, and among the paddings up to MOST_PAD_STEPS steps; the first of equals. */
static bool best_of(const fx_pattern_cost *cost, const fx_pattern *pattern, bool padding, fx_pattern_cure *out) {
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    const int64_t step = step_of(g, pattern);
    int64_t rows[ROWS];
    const size_t row_count = rows_to_try(g, pattern, rows);
    bool found = false;
    for (int64_t k = 1; k <= (padding ? MOST_PAD_STEPS : 1); k++) {
        for (size_t r = 0; r < row_count; r++) {
            fx_lanes lanes = pattern->lanes;
            const bool power = (rows[r] & (rows[r] - 1)) == 0; /* else the exclusive or leads out of the row */
            if ((!padding && !power) || !lay_out(pattern, rows[r], step, padding ? k * step : 0, &lanes)) {
                continue;
            }
            const double count = fx_pattern_count(cost, &lanes, pattern->width_bytes);
            if (found && count >= out->count) {
                continue;
            }
            found = true;
            out->lanes = lanes;
            out->count = count;
            if (padding) {
                (void)snprintf(out->text, sizeof out->text, "padding: %lld bytes after every %lld",
                               (long long)(k * step), (long long)rows[r]);
            } else {
                (void)snprintf(out->text, sizeof out->text,
                               "swizzle: column ^ row, columns of %lld bytes, rows of %lld", (long long)step,
                               (long long)rows[r]);
            }
        }
    }
    return found;
}

static bool pad(const fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_cure *out) {
    return best_of(cost, pattern, true, out);
}

static bool swizzle(const fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_cure *out) {
    return best_of(cost, pattern, false, out);
}

static bool align(const fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_cure *out) {
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    int32_t least = INT32_MAX;
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (pattern->lanes.offset[l] >= 0 && pattern->lanes.offset[l] < least) {
            least = pattern->lanes.offset[l];
        }
    }
    const int32_t shift = least % (int32_t)g->line_bytes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (pattern->lanes.offset[l] >= 0) {
            out->lanes.offset[l] = pattern->lanes.offset[l] - shift;
        }
    }
    (void)snprintf(out->text, sizeof out->text, "alignment: a base %d bytes earlier, at a line's begin", shift);
    out->count = fx_pattern_count(cost, &out->lanes, pattern->width_bytes);
    return shift > 0;
}

size_t fx_pattern_cures(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                        fx_pattern_cure out[FX_MAX_CURES]) {
    typedef bool make(const fx_pattern_cost *, const fx_pattern *, fx_pattern_cure *);
    static make *const of_shared[] = {pad, swizzle}, *const of_global[] = {align};
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    const double before = fx_pattern_count(cost, &pattern->lanes, pattern->width_bytes);
    size_t count = 0;
    for (size_t i = 0; i < (shared ? FX_COUNT(of_shared) : global ? FX_COUNT(of_global) : 0); i++) {
        fx_pattern_cure cure = {.lanes = pattern->lanes};
        if (!(shared ? of_shared : of_global)[i](cost, pattern, &cure) || cure.count >= before) {
            continue;
        }
        size_t at = count++;
        for (; at > 0 && out[at - 1].count > cure.count; at--) {
            out[at] = out[at - 1];
        }
        out[at] = cure;
    }
    return count;
}
