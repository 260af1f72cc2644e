/* Layouts of an array in shared memory that cure its conflicts: padding, a few bytes at the end of every row, and the
 * swizzle that exchanges the columns of a row by an exclusive or with the row's number. Which rows the program has
 * can't be seen from 32 offsets: the declared one, powers of two and the commonest distance between lanes are tried, so
 * that the same offsets have the same cures however they were written. */

#include "core/text.h"
#include "pattern.h"

/* Of the steps of a loop so many, spread evenly, choose a layout; all of them judge it. What it saves over what it
 * costs other uses, such as the two stores that fill a tile for a long loop. */
enum { PAYS = 8, MOST_ROW_BYTES = 8192, MOST_POWERS = 8, STEPS_TO_CHOOSE_BY = 32 };
enum { ROWS = MOST_POWERS + 2 * FX_PATTERN_USES };

/* `from`: bytes of a row as it is; another length of `row` is the next power of two below, of a swizzle, which
 * exchanges so many of its first columns as all banks have, each of `step` bytes. */
typedef struct layout {
    enum { PADDED, SWIZZLED, MOVED } kind; /* MOVED: as a whole, by pad, of one endless row */
    int64_t from, row, step, pad, columns;
} layout;

/* Rounded down. */
static int log2_of(int64_t value) {
    return 63 - __builtin_clzll((unsigned long long)value);
}

/* As the program counts the index: declared elements, else what it accesses. */
static int64_t element_of(const fx_pattern_use *use) {
    return use->kind->array.bytes > 0 ? use->kind->array.bytes : use->patterns[0].width_bytes;
}

/* What is laid out anew stays whole accesses of the widest of all, and whole elements; with `merged` also those that
 * the compiler makes of neighbours. */
static int64_t step_of(const fx_pattern_use *uses, size_t count, bool merged) {
    const int64_t bank = uses[0].cost->facts.geometry.bank_bytes, element = element_of(&uses[0]);
    int64_t step = element > bank ? element : bank;
    for (size_t u = 0; u < count; u++) {
        const unsigned part = merged ? 0 : uses[u].kind->part_bytes;
        step = uses[u].kind->ld_bytes > step ? uses[u].kind->ld_bytes : step;
        for (size_t i = 0; i < uses[u].count; i++) {
            const int64_t width = part ? part : uses[u].patterns[i].width_bytes;
            step = width > step ? width : step;
        }
    }
    const int64_t unit = step;
    while (step % element) {
        step += unit;
    }
    return step;
}

/* The offsets as the indexes say them, without the swizzle that the program has. */
static fx_lanes named(const fx_pattern_use *use, const fx_pattern *pattern) {
    fx_lanes lanes = pattern->lanes;
    for (unsigned l = 0; l < FX_WARP && use->kind->swizzle.bits; l++) {
        lanes.offset[l] = lanes.offset[l] < 0 ? -1 : (int32_t)fx_pattern_swizzled(&use->kind->swizzle, lanes.offset[l]);
    }
    return lanes;
}

/* As the indexes of the first step say them. */
static fx_lane_rows named_rows(const fx_pattern_use *use) {
    const fx_lanes lanes = named(use, &use->patterns[0]);
    return fx_lanes_rows(&lanes);
}

/* Rows that are declared, or that lanes are apart by. */
static bool is_row(const fx_pattern_use *use, int64_t row) {
    const fx_pattern_array *array = &use->kind->array;
    return array->bytes ? fx_pattern_row_bytes(array) == row
                        : named_rows(use).stride == row && row % element_of(use) == 0;
}

/* Row lengths to try, all but the first of them whole numbers of steps: that of the declared tile, rows of all banks
 * and multiples, and the distances between lanes of every use, and between their rows, so that all uses find the same.
 * Returns how many. */
static size_t rows_to_try(const fx_pattern_use *uses, size_t use_count, int64_t step, int64_t rows[ROWS]) {
    const fx_geometry *g = &uses[0].cost->facts.geometry;
    int64_t wanted[ROWS] = {fx_pattern_row_bytes(&uses[0].kind->array)};
    size_t count = 0, most = 1;
    for (int64_t row = (int64_t)g->banks * g->bank_bytes; row <= MOST_ROW_BYTES && most < MOST_POWERS; row *= 2) {
        wanted[most++] = row;
    }
    for (size_t u = 0; u < 2 * use_count; u++) {
        const fx_lane_rows named = named_rows(&uses[u / 2]);
        const int64_t stride = u % 2 ? named.next : named.stride;
        size_t at = most++;
        for (; at > MOST_POWERS && wanted[at - 1] > stride; at--) {
            wanted[at] = wanted[at - 1];
        }
        wanted[at] = stride;
    }
    for (size_t i = 0; i < most; i++) {
        bool known = wanted[i] <= (i < MOST_POWERS ? 0 : step) || (i && wanted[i] % step != 0);
        for (size_t k = 0; k < count; k++) {
            known = known || rows[k] == wanted[i];
        }
        if (!known) {
            rows[count++] = wanted[i];
        }
    }
    return count;
}

/* False: an offset is too large, or lies beyond the end of a shorter row. */
static bool lay_out(const fx_pattern_use *use, const layout *by, const fx_pattern *pattern, fx_lanes *out) {
    const fx_lanes lanes = named(use, pattern);
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = lanes.offset[l], row = offset / by->from, column = offset % by->from;
        int64_t moved = offset + (by->kind == MOVED ? by->pad : row * by->pad);
        if (by->kind == SWIZZLED) {
            moved = row * by->row + (column / by->step ^ row % by->columns) * by->step + column % by->step;
        }
        out->offset[l] = offset < 0 ? -1 : (int32_t)moved;
        if (offset >= 0 && (moved > INT32_MAX || column >= by->row)) {
            return false;
        }
    }
    return true;
}

/* Count of a step at its last level, by the layout (NULL: as it is). Neighbours that a layout parts are no longer one
 * access. */
static double count_of(const fx_pattern_use *use, fx_pattern part, const layout *by) {
    const unsigned whole = part.width_bytes, piece = use->kind->part_bytes,
                   width = by && piece && by->step % whole ? piece : whole;
    double sum = 0;
    for (unsigned at = 0; at < whole; at += width) {
        fx_lanes lanes = part.lanes;
        if (by && !lay_out(use, by, &part, &lanes)) {
            return INFINITY;
        }
        sum += fx_pattern_count(use->cost, use->kind->count - 1, &lanes, width).count;
        for (unsigned l = 0; l < FX_WARP; l++) {
            part.lanes.offset[l] += part.lanes.offset[l] < 0 ? 0 : (int32_t)width;
        }
    }
    return sum;
}

/* Of a use; `stride`: of the steps every so-manyth. */
static double total(const fx_pattern_use *use, const layout *by, size_t stride) {
    double sum = 0;
    for (size_t i = 0; i < use->count && isfinite(sum); i += stride) {
        sum += fx_pattern_weight(&use->patterns[i]) * count_of(use, use->patterns[i], by);
    }
    return sum;
}

/* Of every warp that is known. */
static double total_of_all(const fx_pattern_use *use, const layout *by) {
    double sum = use->set ? 0 : total(use, by, 1);
    for (const fx_pattern_set *set = fx_pattern_all_of(use->set); set; set = set->others) {
        const fx_pattern_use part = {use->cost, use->kind, set->patterns, set->count, NULL};
        sum += total(&part, by, 1);
    }
    return sum;
}

/* True if no warp's step costs more than the dearest that is printed, but for what its lanes need. */
static bool holds_for_all(const fx_pattern_use *use, const layout *by) {
    double most = 0;
    for (size_t i = 0; i < use->count; i++) {
        most = fmax(most, count_of(use, use->patterns[i], by));
    }
    for (const fx_pattern_set *set = fx_pattern_all_of(use->set); set; set = set->others) {
        for (const fx_pattern *p = set->patterns; p < set->patterns + set->count; p++) {
            const double count = count_of(use, *p, by);
            fx_pattern_cost_at at = {.best_count = 0};
            if (count > most) {
                fx_pattern_cost_level(use->cost, use->kind->count - 1, &p->lanes, p->width_bytes, &at);
            }
            if (count > fmax(most, at.best_count)) {
                return false;
            }
        }
    }
    return true;
}

/* Of it, then of its set and the others of that, each as a use. */
static int64_t largest_offset(const fx_pattern_use *use) {
    const fx_pattern_set *set = fx_pattern_all_of(use->set);
    int64_t largest = 0;
    if (set) {
        const fx_pattern_use next = {use->cost, use->kind, set->patterns, set->count, set->others};
        largest = largest_offset(&next);
    }
    for (const fx_pattern *p = use->patterns; p < use->patterns + use->count; p++) {
        const fx_lanes lanes = named(use, p);
        const int64_t span = (int64_t)fx_lanes_span(&lanes, 0);
        largest = span > largest ? span : largest;
    }
    return largest;
}

/* The array that is declared; that nobody declared is called after the access's own type. */
static fx_pattern_array array_of(const fx_pattern_use *use, int64_t row) {
    static const char *const types[] = {"char", "short", "float", "double", "float4"};
    const int64_t width = use->patterns[0].width_bytes;
    const char *type = types[log2_of(width)];
    return use->kind->array.dimensions ? use->kind->array
                                       : (fx_pattern_array){.type = type,
                                                            .type_length = (int)strlen(type),
                                                            .bytes = width,
                                                            .size = {largest_offset(use) / row + 1, row / width},
                                                            .dimensions = 2};
}

/* Rows of the array as a declaration; any other as what happens to an index. */
static void describe_padding(const fx_pattern_use *use, const layout *by, fx_pattern_cure *out) {
    const fx_pattern_array array = array_of(use, by->row);
    const char *plain = use->kind->swizzle.bits ? ", without the swizzle" : "";
    char sum[112];
    if (is_row(use, by->row)) {
        fx_pattern_padded(&array, by->pad, true, sum, sizeof sum);
        fx_pattern_padded(&array, by->pad, false, out->brief, sizeof out->brief);
        if (use->kind->ld_bytes) {
            fx_text_add(out->brief, sizeof out->brief, ", ld %lld", (long long)(by->row + by->pad) / element_of(use));
        }
    } else {
        const int64_t element = element_of(use);
        const long long every = by->row / element, more = by->pad / element;
        (void)snprintf(sum, sizeof sum, more > 1 ? "index i + i / %lld * %lld" : "index i + i / %lld", every, more);
        const fx_pattern_array *own = &use->kind->array;
        (void)snprintf(out->brief, sizeof out->brief,
                       "%lld unused %.*s%selement%s (%lld bytes) after every %lld, %.48s", more,
                       own->name_length && own->type_length < 20 ? own->type_length : 0, own->type ? own->type : "",
                       own->name_length ? " " : "", more > 1 ? "s" : "", (long long)by->pad, every, sum);
    }
    fx_text_add(out->brief, sizeof out->brief, "%s", plain);
    (void)snprintf(out->text, sizeof out->text, "padding: %lld bytes after every %lld, %s%s", (long long)by->pad,
                   (long long)by->row, sum, plain);
}

/* Of columns of a tile, else of an index, both of elements; also as CuTe has it: Swizzle<B,M,S> changes B bits from bit
 * M on by those S bits above. */
static void describe_swizzle(const fx_pattern_use *use, const layout *by, fx_pattern_cure *out) {
    const fx_pattern_array array = array_of(use, by->from);
    const int64_t element = element_of(use);
    const long long columns = by->columns, first = by->step / element;
    const bool is_tile = array.dimensions == 2 && is_row(use, by->from);
    char how[96], cute[48], where[80] = "";
    (void)snprintf(how, sizeof how, is_tile ? "column ^ row" : "index i ^ i / %lld", (long long)(by->row / element));
    if (!is_tile || !array.size[0] || array.size[0] > columns) {
        fx_text_add(how, sizeof how, " %% %lld", columns);
    }
    if (first > 1) {
        fx_text_add(how, sizeof how, " * %lld", first);
    }
    if (is_tile) {
        (void)snprintf(where, sizeof where, ", rows of %lld bytes%s", (long long)by->row,
                       by->row < by->from ? ", without the padding" : "");
    }
    (void)snprintf(cute, sizeof cute, ", Swizzle<%d,%d,%d>", log2_of(columns), log2_of(first),
                   log2_of(by->row / by->step));
    (void)snprintf(out->text, sizeof out->text, "swizzle: %.70s%.60s%.40s", how, where, cute);
    if (by->row < by->from) {
        fx_pattern_padded(&array, by->row - by->from, false, out->brief, sizeof out->brief);
    }
    fx_text_add(out->brief, sizeof out->brief, "%s%s%s", *out->brief ? ", " : "", how, cute);
}

/* A layout of least count, all uses together, that pays; the first of equals. */
typedef struct search {
    const fx_pattern_use *uses;
    size_t count;
    double before[FX_PATTERN_USES], fewest, least; /* fewest: any active lane takes a wavefront */
    layout best;
} search;

static void try_layout(search *s, const layout *by) {
    double sum = 0, saved = 0, dearer = 0;
    for (size_t u = 0; sum < s->least && u < s->count; u++) {
        const double one = total(&s->uses[u], by, s->uses[u].count / STEPS_TO_CHOOSE_BY + 1);
        saved += fmax(s->before[u] - one, 0);
        dearer += fmax(one - s->before[u], 0);
        sum += one;
    }
    if (sum < s->least && saved >= PAYS * dearer && holds_for_all(&s->uses[0], by)) {
        s->least = sum;
        s->best = *by;
    }
}

/* The least padding first. */
static void try_rows(search *s, bool padding, bool merged, bool declared) {
    const fx_geometry *g = &s->uses[0].cost->facts.geometry;
    const int64_t step = step_of(s->uses, s->count, merged), span = (int64_t)g->banks * g->bank_bytes,
                  pads = padding && span > step ? span / step : 1;
    int64_t rows[ROWS];
    size_t count = padding || !(step & (step - 1)) ? rows_to_try(s->uses, s->count, step, rows) : 0;
    count = declared && count ? rows[0] == fx_pattern_row_bytes(&s->uses[0].kind->array) : count;
    for (int64_t k = 1; k <= pads && s->least > s->fewest; k++) {
        for (size_t r = 0; r < count; r++) {
            const int64_t power = (int64_t)1 << log2_of(rows[r]); /* else the exclusive or leads out of the row */
            const int64_t columns = (power < span ? power : span) / step;
            const layout by = padding ? (layout){PADDED, rows[r], rows[r], step, k * step - rows[r] % step, 1}
                                      : (layout){SWIZZLED, rows[r], power, step, 0, columns > 1 ? columns : 1};
            /* a row that is a little longer than a power of two: its program need not have more columns than that */
            const bool padded = by.row >= 16 * by.step && 4 * (by.from - by.row) <= by.row;
            if (by.row == by.from || (padded && is_row(&s->uses[0], by.from))) {
                try_layout(s, &by);
            }
        }
    }
}

/* First what leaves the wider accesses that the compiler may make aligned, and of that the rows that are declared. */
static bool best_of(const fx_pattern_use *uses, size_t count, bool padding, layout *out) {
    search s = {.uses = uses, .count = count, .least = INFINITY};
    bool by_ld = false;
    for (size_t u = 0; u < count; u++) {
        by_ld = by_ld || uses[u].kind->ld_bytes;
        s.before[u] = total(&uses[u], NULL, uses[u].count / STEPS_TO_CHOOSE_BY + 1);
        s.fewest += s.before[u] > 0;
    }
    const bool may_merge = step_of(uses, count, true) > step_of(uses, count, false);
    for (int way = may_merge ? 0 : 2; way < 4 && (padding || !by_ld); way += 1 + by_ld) {
        try_rows(&s, padding, way < 2, way % 2 == 0);
    }
    *out = s.best;
    return isfinite(s.least);
}

/* costs_others becomes how many times as much as before the dearest other use takes; it stays where none gets dearer.
 * True if `saved`, of the first use, and what others save pay for it. */
static bool spares_others(const fx_pattern_use *uses, size_t count, const layout *by, double saved,
                          fx_pattern_cure *out) {
    double dearer = 0;
    for (size_t u = 1; u < count; u++) {
        const double was = total_of_all(&uses[u], NULL), is = total_of_all(&uses[u], by);
        out->elsewhere += total(&uses[u], by, 1);
        out->costs_others = is > was ? fmax(out->costs_others, is / was) : out->costs_others;
        saved += fmax(was - is, 0);
        dearer += fmax(is - was, 0);
    }
    return saved >= PAYS * dearer;
}

/* Fills what the layout makes of the first use and of the others, of which *out has the count before; without a brief
 * text it helps none. True if it is a cure of the first. */
static bool judge(const fx_pattern_use *uses, size_t count, const layout *by, fx_pattern_cure *out) {
    const double before = total(&uses[0], NULL, 1), others = out->elsewhere;
    *out = (fx_pattern_cure){
        .width_bytes = out->width_bytes, .replaces = 1, .merges = 1, .count = {total(&uses[0], by, 1)}};
    const double saved = total_of_all(&uses[0], NULL) - total_of_all(&uses[0], by);
    const bool helps = out->count[0] < before, pays = spares_others(uses, count, by, saved, out);
    if (!helps && out->elsewhere >= others) {
        return false;
    }
    (void)lay_out(&uses[0], by, &uses[0].patterns[0], &out->lanes);
    (by->kind == PADDED ? describe_padding : describe_swizzle)(&uses[0], by, out);
    return helps && pays;
}

bool fx_pattern_lay_anew(const fx_pattern_use *uses, size_t count, bool padding, fx_pattern_cure *out) {
    layout by;
    const int64_t step = step_of(uses, count, false);
    fx_pattern_cure alone = *out;
    const bool is_cure = best_of(uses, count, padding, &by) && judge(uses, count, &by, out);
    if (!is_cure && count > 1 && best_of(uses, 1, padding, &by)) {
        (void)judge(uses, count, &by, &alone);
        alone.costs_others = (padding ? by.row % step + by.pad : by.step) % step ? INFINITY : alone.costs_others;
        *out = alone.costs_others > 0 ? alone : *out;
    }
    out->keeps = step > step_of(uses, 1, false) ? (unsigned)step : 0;
    return is_cure;
}

bool fx_pattern_moves(const fx_pattern_use *uses, size_t count, fx_pattern_cure *cure) {
    const layout by = {MOVED, INT64_MAX, INT64_MAX, 1, cure->moves, 1};
    return spares_others(uses, count, &by, 0, cure) && /* and one base suits all steps */
           total(&uses[0], &by, 1) <= cure->count[uses[0].kind->count - 1];
}
