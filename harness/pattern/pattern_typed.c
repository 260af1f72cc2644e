/* An access as it is typed: --expr (bytes), --index (elements) or, with --tile, an element of an array, over the values
 * of t. Text in, lane tables out: no file, no device. */

#include "core/axis.h"
#include "core/pattern_text.h"
#include "core/text.h"
#include "pattern.h"

enum { MOST_STEPS = 100000, INDEX = 512 };

typedef struct typed {
    const char *option;
    char index[FX_PATTERN_DIMENSIONS][INDEX]; /* expressions */
    size_t count;                             /* of indexes; 0: listed */
    fx_lanes list;
    fx_pattern_array array; /* of --tile; no dimensions: none */
    int64_t scale;          /* bytes that 1 stands for */
    int64_t bytes;          /* of the array; 0: not known */
    fx_block block;
    bool has_block;
    fx_pattern_swizzle swizzle;
} typed;

fx_status fx_pattern_block(const char *text, fx_block *out, fx_error *err) {
    *out = (fx_block){.size = {FX_WARP, 1, 1}};
    const char *at = text;
    for (size_t i = 0; at && i < 3; i++) {
        char *end;
        const long long size = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
        if (size < 1 || size > 1024) {
            break;
        }
        out->size[i] = size;
        if (!*end && out->size[0] * out->size[1] * out->size[2] <= 1024) {
            return FX_OK;
        }
        if (*end != ',' && *end != 'x') {
            break;
        }
        at = end + 1;
    }
    return !text ? FX_OK
                 : fx_fail(err, FX_BAD_INPUT,
                           "--block %.40s: give the block size in x, y and z, such as 16,16, with at most 1024 threads",
                           text);
}

/* --swizzle, such as "3,3,3"; NULL: none. */
static fx_status read_swizzle(const char *text, int64_t element, fx_pattern_swizzle *out, fx_error *err) {
    long long part[3] = {0};
    const char *at = text;
    for (size_t i = 0; at && i < 3; i++) {
        char *end = NULL;
        part[i] = strtoll(at, &end, 10);
        FX_FAIL_IF(end == at || *end != (i < 2 ? ',' : '\0') || part[i] < (i < 2 ? 0 : -20) || part[i] > 20, err,
                   FX_BAD_INPUT, "--swizzle %.40s: give B,M,S of Swizzle<B,M,S>, such as 3,3,3", text);
        at = end + 1;
    }
    FX_FAIL_IF(llabs(part[2]) < part[0], err, FX_BAD_INPUT,
               "--swizzle %.40s: S is less than B, so that bits would change themselves", text);
    *out = (fx_pattern_swizzle){part[0], part[1], part[2], element};
    return FX_OK;
}

int64_t fx_pattern_swizzled(const fx_pattern_swizzle *by, int64_t offset) {
    if (!by->bits) {
        return offset;
    }
    const int64_t mask = (((int64_t)1 << by->bits) - 1) << by->base, number = offset / by->element;
    const int64_t mixed =
        by->shift >= 0 ? number ^ (number >> by->shift & mask) : number ^ (number & mask) << -by->shift;
    return mixed * by->element + offset % by->element;
}

static fx_status read_index(const char *whole, const char *from, size_t length, typed *out, fx_error *err) {
    char *text = out->index[out->count++];
    fx_error cause = {0};
    FX_FAIL_IF(length >= INDEX, err, FX_BAD_INPUT, "'%.60s...' is too long", whole);
    (void)snprintf(text, INDEX, "%.*s", (int)length, from);
    FX_FAIL_IF(fx_expression_values(text, out->has_block ? &out->block : NULL, 0, NULL, &cause), err, cause.status,
               "%s: %s", out->array.dimensions ? whole : out->option, cause.text);
    return FX_OK;
}

/* "tile[lane][t]": an index for each dimension. */
static fx_status read_element(const char *text, typed *out, fx_error *err) {
    const char *at = text + strcspn(text, "[");
    while (*at == '[' && out->count < out->array.dimensions) {
        const char *end = at + 1;
        for (int depth = 1; *end; end++) {
            depth += (*end == '[' || *end == '(') - (*end == ']' || *end == ')');
            if (!depth) {
                break;
            }
        }
        if (*end != ']' || end == at + 1) {
            break;
        }
        FX_TRY(read_index(text, at + 1, (size_t)(end - at - 1), out, err));
        at = end + 1;
    }
    return out->count == out->array.dimensions && !at[strspn(at, " ")]
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT,
                         "'%.60s' does not match --tile: write the name and an index for each size of the tile, such "
                         "as 'tile[lane][t]'",
                         text);
}

static fx_status read_typed(const fx_pattern_options *o, unsigned width_bytes, typed *out, fx_error *err) {
    const char *text = o->index ? o->index : o->expression;
    fx_error cause = {0};
    out->option = o->index ? "--index" : "--expr";
    out->has_block = o->block != NULL;
    FX_TRY(fx_pattern_block(o->block, &out->block, err));
    FX_TRY(read_swizzle(o->swizzle, width_bytes, &out->swizzle, err));
    out->scale = o->index ? width_bytes : 1;
    if (o->tile) {
        FX_TRY(fx_pattern_array_read(o->tile, &out->array, err));
        out->bytes = out->scale = out->swizzle.element = out->array.bytes;
        for (size_t i = 0; i < out->array.dimensions; i++) {
            out->bytes *= out->array.size[i];
        }
        return read_element(text, out, err);
    }
    if (!strchr(text, ',')) {
        return read_index(text, text, strlen(text), out, err);
    }
    return fx_lanes_parse(text, &out->list, &cause) ? fx_fail(err, FX_BAD_INPUT, "%s: %s", out->option, cause.text)
                                                    : FX_OK;
}

static int64_t threads_of(const fx_block *block) {
    return block->size[0] * block->size[1] * block->size[2];
}

/* The byte offset of a lane whose indexes these are; below 0: it is inactive. */
static fx_status offset_of(const typed *t, unsigned lane, int64_t indexes[][FX_WARP], int64_t *out, fx_error *err) {
    int64_t value = t->count ? 0 : t->list.offset[lane];
    bool overflow = false;
    for (size_t i = 0; i < t->count; i++) {
        overflow = overflow || (i > 0 && __builtin_mul_overflow(value, t->array.size[i], &value)) ||
                   __builtin_add_overflow(value, indexes[i][lane], &value);
    }
    *out = -1;
    if (t->block.first + lane >= threads_of(&t->block) || (!overflow && value < 0)) {
        return FX_OK;
    }
    overflow = overflow || __builtin_mul_overflow(value, t->scale, &value) || value > INT32_MAX;
    value = overflow ? value : fx_pattern_swizzled(&t->swizzle, value);
    *out = value;
    FX_FAIL_IF(overflow || value > INT32_MAX, err, FX_BAD_INPUT, "lane %u: its offset is above %d", lane, INT32_MAX);
    return t->bytes && value >= t->bytes
               ? fx_fail(err, FX_BAD_INPUT, "lane %u: its element is beyond the end of the tile", lane)
               : FX_OK;
}

/* alone: it has one step. warp: the name of another warp than the first; NULL: this. */
static fx_status add_step(const typed *t, int64_t step, bool alone, unsigned width_bytes, json_t *warp,
                          fx_pattern_set *set, fx_error *err) {
    fx_pattern pattern = {.warp = json_string_value(warp), .width_bytes = width_bytes, .whole_bytes = width_bytes};
    fx_error cause = {0};
    fx_status status = FX_OK;
    int64_t indexes[FX_PATTERN_DIMENSIONS][FX_WARP];
    for (size_t i = 0; i < t->count && !status; i++) {
        status = fx_expression_values(t->index[i], t->has_block ? &t->block : NULL, step, indexes[i], &cause);
    }
    for (unsigned l = 0; l < FX_WARP && !status; l++) {
        int64_t offset = -1;
        status = offset_of(t, l, indexes, &offset, &cause);
        pattern.lanes.offset[l] = (int32_t)offset;
    }
    if (status || fx_lanes_check(&pattern.lanes, width_bytes, &cause) ||
        (alone && !warp && fx_lanes_some_active(&pattern.lanes, &cause))) { /* of many steps some may have none */
        char at[64] = "";
        if (warp) {
            fx_text_add(at, sizeof at, ", %s", pattern.warp);
        }
        if (!alone) {
            fx_text_add(at, sizeof at, ", t = %lld", (long long)step);
        }
        return fx_fail(
            err, FX_BAD_INPUT, "%s%s: %s%s", t->option, at, cause.text,
            t->scale == 1 && strstr(cause.text, "misaligned") ? "; --expr counts bytes, --index counts elements" : "");
    }
    pattern.id = !warp   ? json_sprintf("t=%lld", (long long)step)
                 : alone ? json_incref(warp)
                         : json_sprintf("t=%lld of %s", (long long)step, pattern.warp);
    fx_pattern_set_add_take(set, &pattern);
    return FX_OK;
}

fx_status fx_pattern_typed(const fx_pattern_options *options, const char *steps, unsigned width_bytes,
                           fx_pattern_set *out, fx_error *err) {
    static const fx_axis axis = {"t", "", "step of a tile", NULL, 0, INT32_MAX, 0};
    FX_OWNED(fx_selections_free_all) fx_selection values[FX_MAX_AXES] = {0};
    typed t = {.count = 0};
    fx_error none = {0};
    FX_TRY(fx_axes_parse(&axis, 1, steps, values, err));
    FX_TRY(read_typed(options, width_bytes, &t, err));
    const size_t threads = (size_t)threads_of(&t.block); /* a gate, and a cure, judge all; a list is of one warp */
    size_t warps = t.count ? (threads + FX_WARP - 1) / FX_WARP : 1;
    warps = options->fail_on || values->count * warps <= MOST_STEPS ? warps : 1;
    FX_FAIL_IF(values->count * warps > MOST_STEPS, err, FX_BAD_INPUT, "%s: more than %d steps", steps, MOST_STEPS);
    out->kind.array = t.array;
    out->kind.swizzle = t.swizzle;
    out->kind.launch.threads = t.has_block ? threads : 0;
    if (warps > 1) {
        out->owner = json_array();
        fx_pattern_set **others = options->fail_on ? &out->others : &out->all;
        *others = fx_new(1, sizeof **others);
        (*others)->kind = out->kind;
    }
    fx_status status = FX_OK;
    for (size_t w = 0; w < warps && !status; w++) {
        json_t *warp = w ? json_sprintf("warp %zu", w) : NULL;
        if (warp) {
            json_array_append_new(out->owner, warp);
        }
        t.block.first = (int64_t)w * FX_WARP;
        for (size_t i = 0; i < values->count && !status; i++) {
            fx_pattern_set *to = !w ? out : out->others ? out->others : out->all;
            status =
                add_step(&t, values->values[i], values->count == 1, width_bytes, warp, to, w && out->all ? &none : err);
        }
    }
    if (out->all && status && out->count == values->count) { /* of another warp, which nobody asks for */
        out->kind.no_cure = "another warp's step is no access of it";
        status = FX_OK;
    }
    for (size_t i = 0; out->all && i < out->count; i++) {
        (void)json_incref(out->patterns[i].id);
        fx_pattern_set_add_take(out->all, &out->patterns[i]);
    }
    return status;
}

void fx_pattern_set_add_take(fx_pattern_set *set, const fx_pattern *pattern) {
    fx_grow(&set->patterns, set->count, sizeof *set->patterns);
    set->patterns[set->count++] = *pattern;
}

unsigned fx_pattern_active(const fx_lanes *lanes) {
    unsigned active = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        active += lanes->offset[l] >= 0;
    }
    return active;
}

double fx_pattern_weight(const fx_pattern *pattern) {
    return pattern->weight > 0 ? pattern->weight : 1;
}

unsigned fx_pattern_least_of(const fx_lanes *lanes, unsigned width_bytes, unsigned block_bytes) {
    return (fx_law_blocks(lanes, width_bytes, 1) + block_bytes - 1) / block_bytes;
}

const fx_pattern_set *fx_pattern_all_of(const fx_pattern_set *set) {
    return set && set->all ? set->all : set;
}

void fx_pattern_set_free(fx_pattern_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        json_decref(set->patterns[i].id);
    }
    for (size_t i = 0; i < 2; i++) {
        fx_pattern_set *of = i ? set->all : set->others;
        if (of) {
            fx_pattern_set_free(of);
            free(of);
        }
    }
    json_decref(set->owner);
    free(set->patterns);
    free(set->name);
    free(set->place);
}
