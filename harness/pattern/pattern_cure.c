/* Cures: the same elements laid out otherwise. Each is only proposed with the counts that the same laws give for it,
 * over all steps of a loop, and over all accesses of the same array where more than one is known.
 *
 * Shared memory: pattern_layout. Constant memory: the table in shared memory. Global memory: a base that begins at a
 * line; one wide access for all fields of a small structure. Both: where lanes are a fixed distance apart, neighbouring
 * elements for neighbouring lanes. */

#include "pattern.h"

static bool align(const fx_pattern_use *use, const fx_pattern *pattern, fx_pattern_cure *out) {
    const fx_geometry *g = &use->cost->facts.geometry;
    int32_t least = INT32_MAX;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int32_t offset = pattern->lanes.offset[l];
        least = offset >= 0 && offset < least ? offset : least;
    }
    const int32_t shift = least % (int32_t)g->line_bytes;
    out->moves = (int32_t)g->line_bytes - shift;
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->lanes.offset[l] -= pattern->lanes.offset[l] >= 0 ? shift : 0;
    }
    (void)snprintf(out->text, sizeof out->text,
                   "move the base, or where rows begin, %d bytes down, to the start of a line", shift);
    (void)snprintf(out->brief, sizeof out->brief, "a base or row at the start of a line");
    return shift > 0;
}

/* True if each warp that is known has as few sectors as hold what it wants, at the start of a line of its own. */
static bool aligns_all(const fx_pattern_use *use) {
    for (const fx_pattern_set *set = fx_pattern_all_of(use->set); set; set = set->others) {
        for (const fx_pattern *p = set->patterns; p < set->patterns + set->count; p++) {
            fx_pattern_cure one = {.lanes = p->lanes};
            (void)align(use, p, &one);
            if (fx_law_blocks(&one.lanes, p->whole_bytes, FX_SECTOR_BYTES) >
                fx_pattern_least_of(&one.lanes, p->whole_bytes, FX_SECTOR_BYTES)) {
                return false;
            }
        }
    }
    return true;
}

/* A structure's field in every lane, whatever their order; where nothing is declared, whatever lies so near. */
static bool fields_of(const fx_pattern_use *use, const fx_pattern *pattern) {
    const int64_t stride = llabs(fx_lanes_rows(&pattern->lanes).stride), bytes = use->kind->array.bytes;
    int64_t field = -1;
    for (unsigned l = 0; l < FX_WARP && bytes > pattern->width_bytes; l++) {
        const int32_t offset = pattern->lanes.offset[l];
        if (offset >= 0 && field >= 0 && offset % bytes != field) {
            return false;
        }
        field = offset >= 0 ? offset % bytes : field;
    }
    return field >= 0 || (!bytes && stride < use->cost->facts.geometry.line_bytes);
}

/* True if lanes are twice as far apart in each step as in the one before, as in a reduction of neighbours. */
static bool doubles(const fx_pattern_use *use) {
    const int64_t first = fx_lanes_rows(&use->patterns[0].lanes).stride;
    int64_t last = first;
    for (size_t i = 1; i < use->count; i++) {
        const int64_t stride = fx_lanes_rows(&use->patterns[i].lanes).stride;
        if (stride && stride != 2 * last) {
            return false;
        }
        last = stride ? stride : last;
    }
    return last > first;
}

/* In shared memory where an array has nothing but its elements: of two dimensions the layout is what cures. */
static bool side_by_side(const fx_pattern_use *use, const fx_pattern *pattern, fx_pattern_cure *out) {
    const fx_pattern_array *array = &use->kind->array;
    const fx_lane_rows rows = fx_lanes_rows(&pattern->lanes);
    const int64_t stride = llabs(rows.stride), width = pattern->width_bytes,
                  line = use->cost->facts.geometry.line_bytes;
    const bool shared = !strcmp(use->kind->space, "shared"), near = stride < line, fields = fields_of(use, pattern);
    const int64_t apart = shared && !fields && array->bytes > width ? array->bytes : width; /* whole elements */
    const bool declared = fields && array->bytes;
    int64_t next = llabs(rows.next);
    next = fields && stride ? next / stride * width : next && next < stride ? stride : next; /* rows become columns */
    if (!declared && (stride <= width || next > INT32_MAX / FX_WARP || (shared && rows.lanes < FX_WARP))) {
        return false;
    }
    for (int l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l];
        out->lanes.offset[l] = offset < 0 ? -1
                               : declared ? (int32_t)(offset / array->bytes * width)
                                          : (int32_t)(l % rows.lanes * apart + l / rows.lanes * next);
    }
    const bool swizzled = rows.lanes < FX_WARP && !(rows.lanes & (rows.lanes - 1));
    char tile[48] = ""; /* that has no conflict, by rows and by columns */
    if (!shared && !fields && !near) {
        (void)snprintf(tile, sizeof tile, "tile[%d][%d]%s", rows.lanes, swizzled ? rows.lanes : rows.lanes | 1,
                       swizzled ? " at column ^ row" : "");
    }
    const bool halves = shared && !fields && doubles(use);
    (void)snprintf(
        out->text, sizeof out->text, "%s%s%s",
        fields   ? "structure of arrays: one array per field, so that the elements of neighbouring lanes lie side "
                   "by side (x[i] and y[i] instead of p[i].x and p[i].y)"
        : halves ? "sequential addressing, as for (s = blockDim.x / 2; s > 0; s >>= 1) if (tid < s) a[tid] += "
                   "a[tid + s] in a reduction: neighbouring lanes access neighbouring elements"
        : shared ? "sequential addressing: neighbouring lanes access neighbouring elements"
        : near   ? "neighbouring lanes access neighbouring elements: of a loop each step takes the next ones of the "
                   "warp; what none takes goes into an array of its own"
                 : "swap the index order, or threadIdx.x and .y, so that neighbouring lanes access neighbouring "
                   "elements of a row; if the algorithm needs columns, stage a ",
        tile, *tile ? " in shared memory" : "");
    (void)snprintf(out->brief, sizeof out->brief, "%s%s%s",
                   fields ? "one array per field, lanes side by side"
                   : halves
                       ? "sequential addressing, as for (s = blockDim.x / 2; s > 0; s >>= 1) if (tid < s) a[tid] += "
                         "a[tid + s]"
                       : "neighbouring lanes access neighbouring elements",
                   *tile ? ", or a shared " : "", tile);
    return !shared || declared || array->dimensions == 1;
}

/* Structures of 2, 4, 8 or 16 bytes where a lane wants one field: one access takes them whole. */
static bool vector(const fx_pattern_use *use, const fx_pattern *pattern, fx_pattern_cure *out) {
    const fx_lane_rows rows = fx_lanes_rows(&pattern->lanes);
    const int64_t stride = llabs(rows.stride), width = pattern->width_bytes;
    (void)use;
    if (stride <= width || stride > 16 || (stride & (stride - 1)) || rows.next % stride) {
        return false;
    }
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int32_t offset = pattern->lanes.offset[l];
        out->lanes.offset[l] -= offset >= 0 ? offset % (int32_t)stride : 0;
    }
    out->width_bytes = (unsigned)stride;
    out->replaces = (unsigned)(stride / width);
    return true;
}

/* Rows of threads whose lanes read one address each: in a block as wide as a warp it has one row. */
static bool one_row(const fx_pattern_use *use, const fx_pattern *pattern, fx_pattern_cure *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->lanes.offset[l] = pattern->lanes.offset[0];
    }
    (void)snprintf(out->brief, sizeof out->brief, "a block 32 threads wide (--block 32,%d), one row per warp",
                   (int)use->kind->launch.rows);
    (void)snprintf(out->text, sizeof out->text, "%s", out->brief);
    return use->kind->launch.rows && use->kind->does == FX_LOADS;
}

/* The same lanes where a word of every bank is read at once; a plain const array is read through the L1. */
static bool shared_table(const fx_pattern_use *use, const fx_pattern *pattern, fx_pattern_cure *out) {
    const fx_geometry *g = &use->cost->facts.geometry;
    const unsigned steps = fx_law_wavefronts(g, &pattern->lanes, pattern->width_bytes);
    (void)snprintf(out->text, sizeof out->text,
                   "the table in shared memory (%u wavefront%s for these lanes), or a plain const array, read through "
                   "the L1",
                   steps, steps == 1 ? "" : "s");
    (void)snprintf(out->brief, sizeof out->brief, "the table in shared memory");
    out->count[0] = steps;
    return true;
}

typedef bool change_by(const fx_pattern_use *, const fx_pattern *, fx_pattern_cure *);

/* Steps that the same wide access serves are its fields, as many in each case; else 1. */
static unsigned merged(const fx_pattern_use *use, unsigned fields) {
    fx_pattern_cure last = {.replaces = 1};
    size_t wide = 0;
    for (size_t i = 0; i < use->count; i++) {
        fx_pattern_cure one = {.lanes = use->patterns[i].lanes};
        if (!vector(use, &use->patterns[i], &one)) {
            return 1;
        }
        wide += !i || memcmp(&one.lanes, &last.lanes, sizeof one.lanes) != 0;
        last = one;
    }
    return use->count % wide == 0 && fields % (use->count / wide) == 0 ? (unsigned)(use->count / wide) : 1;
}

/* Counts a change of every step at all levels; a step that it does not fit stays. True if it fits the first. */
static bool change(const fx_pattern_use *use, change_by *by, fx_pattern_cure *cure) {
    for (size_t i = 0; i < use->count; i++) {
        const fx_pattern *pattern = &use->patterns[i];
        fx_pattern_cure one = {
            .lanes = pattern->lanes, .width_bytes = pattern->width_bytes, .replaces = 1, .merges = 1};
        const bool fits = by(use, pattern, &one);
        if (!i) {
            one.elsewhere = cure->elsewhere;
            *cure = one;
            memset(cure->count, 0, sizeof cure->count);
            if (!fits) {
                return false;
            }
        }
        const fx_lanes *lanes = fits ? &one.lanes : &pattern->lanes;
        const unsigned width = fits ? one.width_bytes : pattern->width_bytes;
        for (size_t level = 0; level < use->kind->count; level++) {
            cure->count[level] += fx_pattern_weight(pattern) *
                                  (by == shared_table ? one.count[0]
                                                      : fx_pattern_count(use->cost, level, lanes, width).count *
                                                            (fits ? 1 : cure->replaces));
        }
    }
    if (by == vector) {
        const unsigned fields = cure->replaces;
        cure->merges = merged(use, fields);
        cure->replaces /= cure->merges;
        for (size_t level = 0; level < use->kind->count; level++) {
            cure->count[level] /= cure->merges;
        }
        const char *only = cure->replaces > 1 ? ", if its neighbours are accessed, too" : "";
        (void)snprintf(cure->text, sizeof cure->text,
                       "vector access: one access of %u bytes per lane instead of %u accesses%s", cure->width_bytes,
                       fields, only);
        (void)snprintf(cure->brief, sizeof cure->brief, "one access of %u bytes instead of %u%s", cure->width_bytes,
                       fields, only);
    }
    return true;
}

/* Counts of all steps at a level, as they are or, `best`, of as many lanes side by side. */
static double sum_of(const fx_pattern_use *use, size_t level, bool best) {
    double sum = 0;
    for (const fx_pattern *p = use->patterns; p < use->patterns + use->count; p++) {
        fx_pattern_cost_at at;
        fx_pattern_cost_level(use->cost, level, &p->lanes, p->width_bytes, &at);
        sum += fx_pattern_weight(p) * (best ? at.best_count : at.prediction.count);
    }
    return sum;
}

/* *ratio is what is left of the cost, all levels together, and of the other uses, which took `others` before. True if
 * the cure costs less at some level, and at none more. */
static bool is_better(const fx_pattern_use *use, double others, const fx_pattern_cure *cure, double *ratio) {
    bool better = false;
    *ratio = 0;
    for (size_t level = 0; level < use->kind->count; level++) {
        const double before = cure->replaces * sum_of(use, level, false);
        if (cure->count[level] > before) {
            return false;
        }
        better = better || cure->count[level] < before;
        *ratio += before > 0 ? (cure->count[level] + cure->elsewhere) / (before + others) : 1;
    }
    return better;
}

/* Sequential addressing changes the order of the work, which is the algorithm's unless every access of the array has it
 * and no conflict stays, as in a reduction; or has no conflict where the others are those of a reduction. */
static bool may_reorder(const fx_pattern_use *uses, size_t count) {
    bool all = true, reduces = true;
    for (size_t u = 0; u < count && (all || reduces); u++) {
        fx_pattern_cure cure;
        const double least = sum_of(&uses[u], 0, true);
        const bool fits = change(&uses[u], side_by_side, &cure) && cure.count[0] <= least;
        all = all && fits;
        reduces = reduces && (fits ? doubles(&uses[u]) : sum_of(&uses[u], 0, false) <= least);
    }
    return all || reduces;
}

size_t fx_pattern_cures(const fx_pattern_use *uses, size_t use_count, fx_pattern_cure out[FX_MAX_CURES],
                        fx_pattern_cure *refused) {
    static change_by *const of_shared[] = {NULL, NULL, side_by_side},
                            *const of_global[] = {side_by_side, vector, align, one_row},
                            *const of_constant[] = {shared_table};
    const char *space = uses[0].kind->space;
    const bool shared = !strcmp(space, "shared"), global = !strcmp(space, "global"),
               swizzled = uses[0].kind->swizzle.bits > 0; /* another swizzle before padding */
    change_by *const *changes = shared ? of_shared : global ? of_global : of_constant;
    const int64_t row = uses[0].cost->facts.geometry.line_bytes; /* as long as one of all banks */
    double ratios[FX_MAX_CURES], others = 0;
    size_t count = 0;
    use_count = use_count < FX_PATTERN_USES ? use_count : FX_PATTERN_USES;
    for (size_t u = 1; shared && u < use_count; u++) {
        others += sum_of(&uses[u], 0, false);
    }
    for (size_t i = 0; i < (shared ? FX_COUNT(of_shared) : global ? FX_COUNT(of_global) : FX_COUNT(of_constant)); i++) {
        fx_pattern_cure cure = {.width_bytes = uses[0].patterns[0].width_bytes, .elsewhere = others};
        double ratio;
        bool is = changes[i] ? change(&uses[0], changes[i], &cure)
                             : fx_pattern_lay_anew(uses, use_count, !i != swizzled, &cure);
        if (is && shared && changes[i] && !fields_of(&uses[0], &uses[0].patterns[0])) {
            is = may_reorder(uses, use_count);
        }
        is = is && is_better(&uses[0], others, &cure, &ratio);
        if (is && changes[i] == align) {
            is = fx_pattern_moves(uses, use_count, &cure) && aligns_all(&uses[0]);
        }
        if (!is && refused && (cure.costs_others > 0 || (!changes[i] && *cure.brief)) && !*refused->brief) {
            *refused = cure;
        }
        if (!is) {
            continue;
        }
        if (changes[i] == vector) { /* is all of it at hand, nothing is laid out anew */
            ratio = cure.replaces == 1 ? 0 : INFINITY;
        } else if (shared && changes[i] && llabs(fx_lanes_rows(&uses[0].patterns[0].lanes).stride) < row) {
            ratio = 0; /* as of a reduction: no unused elements, and fewer warps have any lane active */
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
