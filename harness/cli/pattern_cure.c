/* Cures: the same elements laid out otherwise. Each is only proposed with the count that the same law gives for it.
 *
 * Shared memory: padding, an element after every row of banks, and the swizzle that exchanges the columns of a row by
 * an exclusive or with the row's number. Global memory: a base that begins at a line. */
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

static bool set(int64_t offset, int32_t *out) {
    *out = (int32_t)offset;
    return offset >= 0 && offset <= INT32_MAX;
}

static bool pad(const fx_geometry *g, const fx_pattern *pattern, fx_pattern_cure *out) {
    const int64_t row = (int64_t)g->banks * g->bank_bytes;
    const int64_t step = pattern->width_bytes > g->bank_bytes ? pattern->width_bytes : g->bank_bytes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l];
        if (offset >= 0 && !set(offset + offset / row * step, &out->lanes.offset[l]))
            return false;
    }
    (void)snprintf(out->text, sizeof out->text, "padding: %lld bytes after every %lld", (long long)step,
                   (long long)row);
    return true;
}

static bool swizzle(const fx_geometry *g, const fx_pattern *pattern, fx_pattern_cure *out) {
    const int64_t row = (int64_t)g->banks * g->bank_bytes;
    const int64_t step = pattern->width_bytes > g->bank_bytes ? pattern->width_bytes : g->bank_bytes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l];
        const int64_t column = offset % row / step, mixed = column ^ (offset / row % (row / step));
        if (offset >= 0 && !set(offset + (mixed - column) * step, &out->lanes.offset[l]))
            return false;
    }
    (void)snprintf(out->text, sizeof out->text, "swizzle: column ^ row, columns of %lld bytes, rows of %lld",
                   (long long)step, (long long)row);
    return true;
}

static bool align(const fx_geometry *g, const fx_pattern *pattern, fx_pattern_cure *out) {
    int32_t least = INT32_MAX;
    for (unsigned l = 0; l < FX_WARP; l++)
        if (pattern->lanes.offset[l] >= 0 && pattern->lanes.offset[l] < least)
            least = pattern->lanes.offset[l];
    const int32_t shift = least % (int32_t)g->line_bytes;
    for (unsigned l = 0; l < FX_WARP; l++)
        if (pattern->lanes.offset[l] >= 0)
            out->lanes.offset[l] = pattern->lanes.offset[l] - shift;
    (void)snprintf(out->text, sizeof out->text, "alignment: a base %d bytes earlier, at a line's begin", shift);
    return shift > 0;
}

size_t fx_pattern_cures(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                        fx_pattern_cure out[FX_MAX_CURES]) {
    typedef bool make(const fx_geometry *, const fx_pattern *, fx_pattern_cure *);
    static make *const of_shared[] = {pad, swizzle}, *const of_global[] = {align};
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    const double before = fx_pattern_count(cost, &pattern->lanes, pattern->width_bytes);
    size_t count = 0;
    for (size_t i = 0; i < (shared ? FX_COUNT(of_shared) : global ? FX_COUNT(of_global) : 0); i++) {
        fx_pattern_cure cure = {.lanes = pattern->lanes};
        if (!(shared ? of_shared : of_global)[i](g, pattern, &cure))
            continue;
        cure.count = fx_pattern_count(cost, &cure.lanes, pattern->width_bytes);
        if (cure.count >= before)
            continue;
        size_t at = count++;
        for (; at > 0 && out[at - 1].count > cure.count; at--)
            out[at] = out[at - 1];
        out[at] = cure;
    }
    return count;
}
