/* Cures: the same elements laid out otherwise. Each is only proposed with the counts that the same laws give for it.
 *
 * Shared memory: padding, a few bytes at the end of every row, and the swizzle that exchanges the columns of a row by
 * an exclusive or with the row's number. Which rows the program has can't be seen from 32 offsets: powers of two and
 * the commonest distance between lanes are tried. Global memory: a base that begins at a line; where lanes are a fixed
 * distance apart, neighbouring elements for neighbouring lanes; one wide access for all fields of a small structure. */
#include <math.h>
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

/* Row lengths to try: that of the declared tile if there is one, else what the lanes suggest, and a row of all banks
 * and its multiples; all of them whole numbers of steps. Returns how many. */
static size_t rows_to_try(const fx_geometry *g, const fx_pattern *pattern, int64_t declared, int64_t rows[ROWS]) {
    const int64_t stride = lane_stride(pattern), step = step_of(g, pattern);
    size_t count = 0;
    if (declared && declared % step == 0) {
        rows[0] = declared;
        return 1;
    }
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

static int64_t largest_offset(const fx_pattern *pattern) {
    int64_t largest = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        largest = pattern->lanes.offset[l] > largest ? pattern->lanes.offset[l] : largest;
    }
    return largest;
}

/* The declaration of a tile of as many rows as the pattern reaches; "" where it is not made of whole elements. */
static void declare(const fx_pattern *pattern, int64_t row, int64_t pad, char *text, size_t size) {
    static const struct {
        unsigned width;
        const char *type;
    } types[] = {{1, "char"}, {2, "short"}, {4, "float"}, {8, "double"}, {16, "float4"}};
    const int64_t width = pattern->width_bytes, rows = largest_offset(pattern) / row + 1;
    size_t t = 0;
    while (types[t].width < pattern->width_bytes) {
        t++;
    }
    *text = '\0';
    if (row % width == 0 && pad % width == 0) {
        (void)snprintf(text, size, "%s tile[%lld][%lld + %lld]", types[t].type, (long long)rows,
                       (long long)(row / width), (long long)(pad / width));
    }
}

/* In bytes, and as a declaration: that of --tile where its rows are padded. */
static void describe_padding(const fx_pattern_kind *kind, const fx_pattern *pattern, int64_t row, int64_t pad,
                             fx_pattern_cure *out) {
    const int64_t declared = fx_pattern_tile_row(kind->tile);
    char declaration[112] = "";
    if (!declared) {
        declare(pattern, row, pad, declaration, sizeof declaration);
    } else if (declared == row) {
        fx_pattern_tile_padded(kind->tile, pad, declaration, sizeof declaration);
    }
    (void)snprintf(out->text, sizeof out->text, "padding: %lld bytes after every %lld%s%s", (long long)pad,
                   (long long)row, *declaration ? ", " : "", declaration);
}

/* The layout of least count among the rows, and among the paddings up to MOST_PAD_STEPS steps; the first of equals. */
static bool best_of(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern, bool padding,
                    fx_pattern_cure *out) {
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    const int64_t step = step_of(g, pattern);
    int64_t rows[ROWS];
    const size_t row_count = rows_to_try(g, pattern, fx_pattern_tile_row(kind->tile), rows);
    bool found = false;
    double least = INFINITY;
    for (int64_t k = 1; k <= (padding ? MOST_PAD_STEPS : 1); k++) {
        for (size_t r = 0; r < row_count; r++) {
            fx_lanes lanes = pattern->lanes;
            const bool power = (rows[r] & (rows[r] - 1)) == 0; /* else the exclusive or leads out of the row */
            if ((!padding && !power) || !lay_out(pattern, rows[r], step, padding ? k * step : 0, &lanes)) {
                continue;
            }
            const double count = fx_pattern_count(cost, 0, &lanes, pattern->width_bytes).count;
            if (found && count >= least) {
                continue;
            }
            found = true;
            least = count;
            out->lanes = lanes;
            if (padding) {
                describe_padding(kind, pattern, rows[r], k * step, out);
            } else {
                (void)snprintf(out->text, sizeof out->text,
                               "swizzle: column ^ row, columns of %lld bytes, rows of %lld", (long long)step,
                               (long long)rows[r]);
            }
        }
    }
    return found;
}

static bool pad(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                fx_pattern_cure *out) {
    return best_of(cost, kind, pattern, true, out);
}

static bool swizzle(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                    fx_pattern_cure *out) {
    return best_of(cost, kind, pattern, false, out);
}

static bool align(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                  fx_pattern_cure *out) {
    (void)kind;
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
    (void)snprintf(out->text, sizeof out->text, "move the base %d bytes down, to the start of a line", shift);
    return shift > 0;
}

/* The distance between neighbouring lanes where it is the same throughout; 0: it is not, or there is one lane. */
static int64_t fixed_stride(const fx_pattern *pattern) {
    int64_t stride = 0, first = -1, first_lane = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l], apart = l - first_lane;
        if (offset < 0) {
            continue;
        }
        if (first < 0) {
            first = offset;
            first_lane = l;
        } else if (!stride) {
            stride = (offset - first) % apart == 0 ? (offset - first) / apart : 0;
        }
        if (offset != first + stride * apart) {
            return 0;
        }
    }
    return stride;
}

static bool side_by_side(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                         fx_pattern_cure *out) {
    (void)kind;
    const int64_t stride = llabs(fixed_stride(pattern)), line = fx_pattern_facts(cost)->geometry.line_bytes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (pattern->lanes.offset[l] >= 0) {
            out->lanes.offset[l] = (int32_t)(l * pattern->width_bytes);
        }
    }
    (void)snprintf(
        out->text, sizeof out->text, "%s",
        stride < line
            ? "structure of arrays: one array per field, so that neighbouring lanes access neighbouring elements"
            : "swap the index order so that neighbouring lanes access neighbouring elements of a row; if the algorithm "
              "needs columns, stage a tile in shared memory");
    return stride > pattern->width_bytes;
}

/* Structures of 2, 4, 8 or 16 bytes where a lane wants one field: one access takes them whole. */
static bool vector(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                   fx_pattern_cure *out) {
    const int64_t stride = llabs(fixed_stride(pattern)), width = pattern->width_bytes;
    (void)cost, (void)kind;
    if (stride <= width || stride > 16 || (stride & (stride - 1))) {
        return false;
    }
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (pattern->lanes.offset[l] >= 0) {
            out->lanes.offset[l] = pattern->lanes.offset[l] / (int32_t)stride * (int32_t)stride;
        }
    }
    out->width_bytes = (unsigned)stride;
    out->replaces = (unsigned)(stride / width);
    (void)snprintf(out->text, sizeof out->text,
                   "vector access: one access of %lld bytes per lane instead of %u accesses, if all fields are needed",
                   (long long)stride, out->replaces);
    return true;
}

/* Counts the cure at all levels; *ratio is what is left of the cost, all levels together. True if it is one. */
static bool is_better(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                      fx_pattern_cure *cure, double *ratio) {
    bool better = false;
    *ratio = 0;
    for (size_t level = 0; level < kind->count; level++) {
        const double before =
            cure->replaces * fx_pattern_count(cost, level, &pattern->lanes, pattern->width_bytes).count;
        cure->count[level] = fx_pattern_count(cost, level, &cure->lanes, cure->width_bytes).count;
        if (cure->count[level] > before) {
            return false;
        }
        better = better || cure->count[level] < before;
        *ratio += before > 0 ? cure->count[level] / before : 1;
    }
    return better;
}

size_t fx_pattern_cures(const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                        fx_pattern_cure out[FX_MAX_CURES]) {
    typedef bool make(const fx_pattern_cost *, const fx_pattern_kind *, const fx_pattern *, fx_pattern_cure *);
    static make *const of_shared[] = {pad, swizzle}, *const of_global[] = {side_by_side, vector, align};
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    double ratios[FX_MAX_CURES];
    size_t count = 0;
    for (size_t i = 0; i < (shared ? FX_COUNT(of_shared) : global ? FX_COUNT(of_global) : 0); i++) {
        fx_pattern_cure cure = {.lanes = pattern->lanes, .width_bytes = pattern->width_bytes, .replaces = 1};
        double ratio;
        if (!(shared ? of_shared : of_global)[i](cost, kind, pattern, &cure) ||
            !is_better(cost, kind, pattern, &cure, &ratio)) {
            continue;
        }
        size_t at = count++;
        for (; at > 0 && ratios[at - 1] > ratio; at--) {
            out[at] = out[at - 1];
            ratios[at] = ratios[at - 1];
        }
        out[at] = cure;
        ratios[at] = ratio;
    }
    return count;
}
