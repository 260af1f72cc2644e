#include "access_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "call/places.h"
#include "core/device.h"

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    TAG_BYTES = 256 << 10,     /* the tag banks of the L1 repeat after them */
    MOST_BULK_BYTES = 1 << 20, /* larger ones are counted, not followed through the caches */
    LOCAL_BYTES = 512 << 10,   /* the most that a thread can have */
    FIRST_ROOM = 1 << 10,
};

/* Whose laws and fits speak of a class: one `gpufx pattern` for each kind of access. */
typedef enum asker {
    SHARED_LOADS,
    SHARED_STORES,
    SHARED_ADDS,
    SHARED_SWAPS,
    LOADS,
    STORES,
    ADDS,
    FETCHES,
    SWAPS,
    ASKERS,
    NOBODY
} asker;

static const struct {
    const char *space;
    fx_access_kind does;
} asked[ASKERS] = {{"shared", FX_LOADS},    {"shared", FX_STORES},  {"shared", FX_ADDS},
                   {"shared", FX_COMPARES}, {"global", FX_LOADS},   {"global", FX_STORES},
                   {"global", FX_ADDS},     {"global", FX_FETCHES}, {"global", FX_COMPARES}};

/* Of each class: who speaks at each level, and whether for this very instruction. */
static const struct {
    asker who[FX_COST_LEVELS];
    bool claimed, local, bulk;
} classes[FX_CLASSES] = {
    [FX_CLASS_SHARED_LOAD] = {{SHARED_LOADS, NOBODY, NOBODY}, .claimed = true},
    [FX_CLASS_SHARED_STORE] = {{SHARED_STORES, NOBODY, NOBODY}, .claimed = true},
    [FX_CLASS_ASYNC_STORE] = {{SHARED_STORES, NOBODY, NOBODY}, .claimed = false},
    [FX_CLASS_SHARED_ATOMIC] = {{SHARED_ADDS, NOBODY, NOBODY}, .claimed = true},
    [FX_CLASS_SHARED_CAS] = {{SHARED_SWAPS, NOBODY, NOBODY}, .claimed = true},
    [FX_CLASS_SHARED_COUNT] = {{SHARED_STORES, NOBODY, NOBODY}, .claimed = false},
    [FX_CLASS_MATRIX] = {{SHARED_STORES, NOBODY, NOBODY}, .claimed = true},
    [FX_CLASS_GLOBAL_LOAD] = {{LOADS, LOADS, LOADS}, .claimed = true},
    [FX_CLASS_ASYNC_LOAD] = {{LOADS, LOADS, LOADS}, .claimed = false},
    [FX_CLASS_GLOBAL_STORE] = {{NOBODY, STORES, STORES}, .claimed = true},
    [FX_CLASS_REDUCTION] = {{NOBODY, ADDS, LOADS}, .claimed = true},
    [FX_CLASS_ATOMIC] = {{NOBODY, FETCHES, LOADS}, .claimed = true},
    [FX_CLASS_CAS] = {{NOBODY, SWAPS, LOADS}, .claimed = true},
    [FX_CLASS_LOCAL_LOAD] = {{LOADS, LOADS, NOBODY}, .claimed = true, .local = true},
    [FX_CLASS_LOCAL_STORE] = {{LOADS, STORES, NOBODY}, .local = true},
    [FX_CLASS_BULK_READ] = {{NOBODY, NOBODY, NOBODY}, .bulk = true},
    [FX_CLASS_BULK_WRITE] = {{NOBODY, NOBODY, NOBODY}, .bulk = true},
    [FX_CLASS_COUNTED] = {{NOBODY, NOBODY, NOBODY}, .claimed = false},
};

struct fx_access_costs {
    const fx_trace *trace;
    fx_options options; /* that `gpufx pattern` would have */
    char root[PATH_MAX], archive[PATH_MAX], arch[16], chip[128];
    uint64_t sm_bytes, l2_bytes;
    unsigned sms;
    fx_pattern_kind kinds[ASKERS];
    fx_pattern_cost *askers[ASKERS]; /* NULL: not asked yet */
    fx_access_cost *all;
    size_t count, room;
    uint32_t *table; /* index + 1 by hash; 0: empty. A power of two */
    size_t table_room;
    fx_cache_line *lines; /* relative to the base */
    size_t line_count, line_room;
};

fx_access_class fx_class_of(const fx_trace_instruction *instruction) {
    static const fx_access_class of[FX_TRACE_OTHER_OP][3] = {
        /* global, shared, local */
        [FX_TRACE_LOAD] = {FX_CLASS_GLOBAL_LOAD, FX_CLASS_SHARED_LOAD, FX_CLASS_LOCAL_LOAD},
        [FX_TRACE_STORE] = {FX_CLASS_GLOBAL_STORE, FX_CLASS_SHARED_STORE, FX_CLASS_LOCAL_STORE},
        [FX_TRACE_ATOMIC] = {FX_CLASS_ATOMIC, FX_CLASS_SHARED_ATOMIC, FX_CLASS_COUNTED},
        [FX_TRACE_REDUCTION] = {FX_CLASS_REDUCTION, FX_CLASS_SHARED_ATOMIC, FX_CLASS_COUNTED},
        [FX_TRACE_CAS] = {FX_CLASS_CAS, FX_CLASS_SHARED_CAS, FX_CLASS_COUNTED},
        [FX_TRACE_COUNT] = {FX_CLASS_COUNTED, FX_CLASS_SHARED_COUNT, FX_CLASS_COUNTED},
        [FX_TRACE_ASYNC_LOAD] = {FX_CLASS_ASYNC_LOAD, FX_CLASS_COUNTED, FX_CLASS_COUNTED},
        [FX_TRACE_ASYNC_STORE] = {FX_CLASS_COUNTED, FX_CLASS_ASYNC_STORE, FX_CLASS_COUNTED},
        [FX_TRACE_MATRIX_LOAD] = {FX_CLASS_COUNTED, FX_CLASS_MATRIX, FX_CLASS_COUNTED},
        [FX_TRACE_MATRIX_STORE] = {FX_CLASS_COUNTED, FX_CLASS_MATRIX, FX_CLASS_COUNTED},
        [FX_TRACE_BULK_LOAD] = {FX_CLASS_BULK_READ, FX_CLASS_COUNTED, FX_CLASS_COUNTED},
        [FX_TRACE_BULK_STORE] = {FX_CLASS_BULK_WRITE, FX_CLASS_COUNTED, FX_CLASS_COUNTED},
        [FX_TRACE_BULK_REDUCE] = {FX_CLASS_BULK_WRITE, FX_CLASS_COUNTED, FX_CLASS_COUNTED},
        [FX_TRACE_WGMMA] = {FX_CLASS_COUNTED, FX_CLASS_COUNTED, FX_CLASS_COUNTED},
        [FX_TRACE_PREFETCH] = {FX_CLASS_COUNTED, FX_CLASS_COUNTED, FX_CLASS_COUNTED},
    };
    return instruction->op < FX_TRACE_OTHER_OP && instruction->space <= FX_TRACE_LOCAL
               ? of[instruction->op][instruction->space]
               : FX_CLASS_COUNTED;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t size_of(const json_t *object, const char *key) {
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/* The chip of an archive: what its first line says of it. */
static fx_status take_archive(fx_access_costs *costs, fx_error *err) {
    json_t *run = NULL;
    FX_TRY(fx_archive_can_be_read_again(costs->archive, err));
    FX_TRY(fx_archive_head(costs->archive, &run, err));
    const json_t *device = json_object_get(run, "device");
    (void)snprintf(costs->chip, sizeof costs->chip, "%s", text_of(device, "name"));
    (void)snprintf(costs->arch, sizeof costs->arch, "%s", text_of(device, "arch"));
    costs->sm_bytes = fx_pattern_array_bytes(size_of(device, "shared_per_sm_bytes"));
    costs->l2_bytes = size_of(device, "l2_bytes");
    costs->sms = (unsigned)size_of(device, "sm_count");
    costs->options.pattern.archive = costs->archive;
    json_decref(run);
    return FX_OK;
}

/* Which archive speaks: that of --archive; without one the nearest of --arch, or of the device of the trace. */
static fx_status choose_chip(const fx_options *options, fx_access_costs *costs, fx_error *err) {
    char slug[128] = "";
    const json_t *device = json_object_get(costs->trace->header, "device");
    const char *name = text_of(device, "name"), *arch = text_of(device, "arch");
    FX_TRY(fx_root(costs->root, err));
    if (options->pattern.archive && options->pattern.arch) {
        return fx_fail(err, FX_BAD_INPUT, "--archive already names the chip; leave out --arch");
    }
    if (*name && !options->pattern.arch) {
        fx_slug(name, slug, sizeof slug);
    }
    arch = options->pattern.arch ? options->pattern.arch : *arch ? arch : "sm_90";
    (void)snprintf(costs->arch, sizeof costs->arch, "%s%.10s", strncmp(arch, "sm_", 3) ? "sm_" : "", arch);
    if (options->pattern.archive) {
        (void)snprintf(costs->archive, sizeof costs->archive, "%s", options->pattern.archive);
        return take_archive(costs, err);
    }
    if (fx_pattern_nearest(costs->root, slug, costs->arch, costs->archive)) {
        return take_archive(costs, err);
    }
    *costs->archive = '\0';
    (void)snprintf(costs->chip, sizeof costs->chip, "%s", options->pattern.arch || !*name ? costs->arch : name);
    costs->l2_bytes = options->pattern.arch ? 0 : size_of(device, "l2_bytes");
    costs->sms = options->pattern.arch ? 0 : (unsigned)size_of(device, "sms");
    costs->options.pattern.arch = costs->arch;
    return FX_OK;
}

fx_status fx_access_costs_new(const fx_options *options, const fx_trace *trace, fx_access_costs **out, fx_error *err) {
    fx_access_costs *costs = calloc(1, sizeof *costs);
    *out = NULL;
    if (!costs || !(costs->table = calloc(FIRST_ROOM, sizeof *costs->table))) {
        free(costs);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while counting accesses");
    }
    costs->trace = trace;
    costs->table_room = FIRST_ROOM;
    if (choose_chip(options, costs, err)) {
        fx_access_costs_free(costs);
        return err->status;
    }
    *out = costs;
    return FX_OK;
}

void fx_access_costs_free(fx_access_costs *costs) {
    if (!costs) {
        return;
    }
    for (size_t i = 0; i < ASKERS; i++) {
        fx_pattern_cost_free(costs->askers[i]);
    }
    free(costs->all);
    free(costs->table);
    free(costs->lines);
    free(costs);
}

/* Opened when it is wanted first. */
static fx_status ask(fx_access_costs *costs, asker who, fx_error *err) {
    if (who == NOBODY || costs->askers[who]) {
        return FX_OK;
    }
    fx_pattern_kind_for(asked[who].space, asked[who].does, &costs->kinds[who]);
    return fx_pattern_cost_new(&costs->options, &costs->kinds[who], &costs->askers[who], err);
}

/* The place of a level among the asker's own; -1: it has none. */
static int level_of(const fx_pattern_kind *kind, fx_cost_level level) {
    static const fx_access_level by[] = {FX_LEVEL_L1, FX_LEVEL_L2, FX_LEVEL_DRAM};
    for (size_t i = 0; i < kind->count; i++) {
        if (kind->level[i].by == by[level] || (level == FX_COST_NEAR && kind->level[i].by == FX_LEVEL_SHARED)) {
            return (int)i;
        }
    }
    return -1;
}

int fx_access_costs_cure_level(fx_access_class of, fx_cost_level level) {
    fx_pattern_kind kind;
    const asker who = classes[of].who[level];
    if (who == NOBODY || classes[of].local ||
        who != classes[of].who[of < FX_CLASS_GLOBAL_STORE ? FX_COST_NEAR : FX_COST_L2]) {
        return -1;
    }
    fx_pattern_kind_for(asked[who].space, asked[who].does, &kind);
    return level_of(&kind, level);
}

static double lesser(double a, double b) {
    return b < a ? b : a; /* a where b is NAN */
}

/* Adds the cost of one table of lanes; a wide access to local memory has several. */
static void add_level(fx_access_costs *costs, fx_access_cost *cost, fx_cost_level level, const fx_lanes *lanes,
                      unsigned width) {
    const asker who = classes[cost->of].who[level];
    fx_level_cost *to = &cost->level[level];
    fx_pattern_cost_at at;
    const int index = who == NOBODY ? -1 : level_of(&costs->kinds[who], level);
    if (index < 0) {
        return;
    }
    fx_pattern_cost_level(costs->askers[who], (size_t)index, lanes, width, &at);
    if (!at.prediction.law) {
        to->cycles = to->best_cycles = NAN;
        return;
    }
    to->law = at.prediction.law;
    to->unit = at.unit;
    to->count += at.prediction.count;
    to->best_count += lesser(at.prediction.count, at.best_count);
    to->cycles += at.predicted;
    to->best_cycles += lesser(at.predicted, at.best);
    to->claimed = to->claimed && at.prediction.in_fit;
}

static unsigned active_of(const fx_lanes *lanes) {
    unsigned active = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        active += lanes->offset[l] >= 0;
    }
    return active;
}

static void side_by_side(unsigned active, unsigned width, fx_lanes *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = l < active ? (int32_t)(l * width) : -1;
    }
}

/* Remembers bytes of one sector, in the entry of its line. */
static fx_status add_sector(fx_access_costs *costs, fx_access_cost *cost, uint64_t sector, uint32_t bytes,
                            fx_error *err) {
    const uint64_t line = sector * SECTOR_BYTES / LINE_BYTES;
    const unsigned place = sector % (LINE_BYTES / SECTOR_BYTES);
    for (size_t i = cost->line_count; i-- > 0;) {
        fx_cache_line *known = &costs->lines[cost->first_line + i];
        if (known->line == line) {
            known->sectors |= 1u << place;
            known->bytes[place] |= bytes;
            return FX_OK;
        }
    }
    if (costs->line_count == costs->line_room) {
        const size_t more = costs->line_room ? 2 * costs->line_room : FIRST_ROOM;
        fx_cache_line *larger = realloc(costs->lines, more * sizeof *larger);
        if (!larger) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while counting accesses");
        }
        costs->lines = larger;
        costs->line_room = more;
    }
    costs->lines[costs->line_count] = (fx_cache_line){.line = line, .sectors = 1u << place};
    costs->lines[costs->line_count++].bytes[place] = bytes;
    cost->line_count++;
    return FX_OK;
}

static fx_status add_lines(fx_access_costs *costs, fx_access_cost *cost, const fx_lanes *lanes, unsigned width,
                           fx_error *err) {
    for (unsigned l = 0; l < FX_WARP && width > 0; l++) {
        const int64_t first = lanes->offset[l];
        for (int64_t at = first; first >= 0 && at < first + width;) {
            const unsigned from = (unsigned)(at % SECTOR_BYTES), left = (unsigned)(first + width - at);
            const unsigned here = left < SECTOR_BYTES - from ? left : SECTOR_BYTES - from;
            FX_TRY(
                add_sector(costs, cost, (uint64_t)at / SECTOR_BYTES, UINT32_MAX >> (SECTOR_BYTES - here) << from, err));
            at += here;
        }
    }
    return FX_OK;
}

/* A bulk copy: all of its bytes, one after the other. */
static fx_status count_bulk(fx_access_costs *costs, fx_access_cost *cost, const fx_trace_pattern *pattern,
                            fx_error *err) {
    fx_lanes lanes;
    fx_trace_lanes(pattern, 0, &lanes);
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint64_t first = lanes.offset[l] < 0 ? 0 : (uint64_t)lanes.offset[l];
        if (lanes.offset[l] < 0 || !pattern->bytes) {
            continue;
        }
        const uint64_t from = first / SECTOR_BYTES, to = (first + pattern->bytes - 1) / SECTOR_BYTES + 1;
        cost->sectors += (unsigned)(to - from);
        cost->lines += (unsigned)((first + pattern->bytes - 1) / LINE_BYTES + 1 - first / LINE_BYTES);
        cost->best_sectors += (pattern->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
        if (pattern->bytes > MOST_BULK_BYTES) {
            cost->more_sectors += to - from;
            continue;
        }
        for (uint64_t line = from * SECTOR_BYTES / LINE_BYTES; line * LINE_BYTES < to * SECTOR_BYTES; line++) {
            for (uint64_t s = 4 * line; s < 4 * line + 4; s++) {
                if (s >= from && s < to) {
                    FX_TRY(add_sector(costs, cost, s, UINT32_MAX, err));
                }
            }
        }
    }
    return FX_OK;
}

/* Sectors, wavefronts and costs of one table of lanes. */
static fx_status count_table(fx_access_costs *costs, fx_access_cost *cost, const fx_lanes *lanes, unsigned width,
                             fx_error *err) {
    const fx_access_class of = cost->of;
    const asker near =
        classes[of].who[FX_COST_NEAR] == NOBODY ? classes[of].who[FX_COST_L2] : classes[of].who[FX_COST_NEAR];
    fx_lanes best;
    if (near == NOBODY) {
        return FX_OK;
    }
    side_by_side(active_of(lanes), width, &best);
    const unsigned wavefronts = fx_pattern_wavefronts(costs->askers[near], lanes, width),
                   best_wavefronts = fx_pattern_wavefronts(costs->askers[near], &best, width);
    cost->wavefronts += wavefronts;
    cost->best_wavefronts += best_wavefronts < wavefronts ? best_wavefronts : wavefronts;
    if (of > FX_CLASS_MATRIX) {
        const unsigned sectors = fx_law_blocks(lanes, width, SECTOR_BYTES),
                       best_sectors = fx_law_blocks(&best, width, SECTOR_BYTES);
        cost->sectors += sectors;
        cost->best_sectors += best_sectors < sectors ? best_sectors : sectors;
        cost->lines += fx_law_blocks(lanes, width, LINE_BYTES);
        FX_TRY(add_lines(costs, cost, lanes, width, err));
    }
    for (fx_cost_level level = 0; level < FX_COST_LEVELS; level++) {
        add_level(costs, cost, level, lanes, width);
    }
    return FX_OK;
}

/* Word w of lane l lies at 32 w + l words. A wide access takes a row of words after the other. False: it lies where no
 * local memory is. */
static bool interleave(const fx_trace_pattern *pattern, unsigned word, fx_lanes *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint32_t offset = (uint32_t)pattern->offset[l] + 4 * word;
        out->offset[l] = pattern->mask >> l & 1 ? (int32_t)(offset / 4 * LINE_BYTES + 4 * l + offset % 4) : -1;
        if (pattern->mask >> l & 1 && offset >= LOCAL_BYTES) {
            return false;
        }
    }
    return true;
}

static fx_status count(fx_access_costs *costs, fx_access_cost *cost, fx_error *err) {
    const fx_trace_pattern *pattern = &costs->trace->patterns[cost->pattern];
    fx_lanes lanes;
    for (fx_cost_level level = 0; level < FX_COST_LEVELS; level++) {
        cost->level[level] = (fx_level_cost){.unit = "", .claimed = classes[cost->of].claimed};
        FX_TRY(ask(costs, classes[cost->of].who[level], err));
    }
    cost->first_line = costs->line_count;
    cost->lanes = (unsigned)__builtin_popcount(pattern->mask);
    cost->bytes = pattern->bytes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint32_t end = pattern->mask >> l & 1 ? (uint32_t)pattern->offset[l] + pattern->bytes : 0;
        cost->reach = end > cost->reach ? end : cost->reach;
    }
    if (classes[cost->of].bulk) {
        FX_TRY(count_bulk(costs, cost, pattern, err));
    } else if (classes[cost->of].local) {
        const unsigned words = pattern->bytes > 4 ? (pattern->bytes + 3) / 4 : 1;
        for (unsigned word = 0; word < words && words <= 4 && interleave(pattern, word, &lanes); word++) {
            FX_TRY(count_table(costs, cost, &lanes, pattern->bytes < 4 ? pattern->bytes : 4, err));
        }
        for (fx_cost_level level = 0; level < FX_COST_LEVELS && words > 1; level++) {
            cost->level[level].claimed = false; /* of several words at once nobody has measured anything */
        }
    } else if (pattern->bytes <= SECTOR_BYTES) {
        fx_trace_lanes(pattern, 0, &lanes);
        FX_TRY(count_table(costs, cost, &lanes, cost->of == FX_CLASS_MATRIX ? 16 : pattern->bytes, err));
        if (cost->of == FX_CLASS_MATRIX) {
            fx_level_cost *near = &cost->level[FX_COST_NEAR];
            near->law = "matrix";
            near->count = fx_law_matrix(&fx_pattern_facts(costs->askers[SHARED_STORES])->geometry, &lanes);
            near->claimed = fx_law_distinct(&lanes) == cost->lanes; /* rows that coincide were not measured */
            near->best_count = lesser(near->count, (cost->lanes + 7) / 8);
            near->cycles = fx_access_costs_predict(costs, cost->of, FX_COST_NEAR, near->count, 16);
            near->best_cycles = fx_access_costs_predict(costs, cost->of, FX_COST_NEAR, near->best_count, 16);
        }
    }
    return FX_OK;
}

/* The same at another base, which changes nothing but tags of the L1 and pairs of lines in DRAM. */
static void count_moved(fx_access_costs *costs, const fx_access_cost *at_zero, uint32_t base, fx_access_cost *cost) {
    fx_lanes lanes;
    *cost = *at_zero;
    cost->base = base;
    fx_trace_lanes(&costs->trace->patterns[cost->pattern], base, &lanes);
    for (fx_cost_level level = 0; level < FX_COST_LEVELS; level += FX_COST_DRAM) {
        cost->level[level] = (fx_level_cost){.unit = "", .claimed = classes[cost->of].claimed};
        add_level(costs, cost, level, &lanes, cost->bytes);
    }
}

static size_t hash_of(fx_access_class of, uint32_t pattern, uint32_t base) {
    uint64_t h = ((uint64_t)pattern << 24 ^ (uint64_t)of << 18 ^ base / LINE_BYTES) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ h >> 31);
}

static uint32_t *find(const fx_access_costs *costs, fx_access_class of, uint32_t pattern, uint32_t base) {
    size_t at = hash_of(of, pattern, base) & (costs->table_room - 1);
    for (; costs->table[at]; at = (at + 1) & (costs->table_room - 1)) {
        const fx_access_cost *one = &costs->all[costs->table[at] - 1];
        if (one->of == of && one->pattern == pattern && one->base == base) {
            break;
        }
    }
    return &costs->table[at];
}

static fx_status make_room(fx_access_costs *costs, fx_error *err) {
    if (costs->count == costs->room) {
        const size_t more = costs->room ? 2 * costs->room : FIRST_ROOM / 2;
        fx_access_cost *larger = realloc(costs->all, more * sizeof *larger);
        uint32_t *table = larger ? calloc(2 * more, sizeof *table) : NULL;
        costs->all = larger ? larger : costs->all;
        if (!table) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while counting accesses");
        }
        free(costs->table);
        costs->table = table;
        costs->table_room = 2 * more;
        costs->room = more;
        for (size_t i = 0; i < costs->count; i++) {
            *find(costs, costs->all[i].of, costs->all[i].pattern, costs->all[i].base) = (uint32_t)i + 1;
        }
    }
    return FX_OK;
}

/* `base` other than 0: *index is that of the same access at 0. */
static fx_status add(fx_access_costs *costs, fx_access_class of, uint32_t pattern, uint32_t base, size_t *index,
                     fx_error *err) {
    FX_TRY(make_room(costs, err));
    fx_access_cost *cost = &costs->all[costs->count];
    if (base) {
        count_moved(costs, &costs->all[*index], base, cost);
    } else {
        *cost = (fx_access_cost){.of = of, .pattern = pattern};
        FX_TRY(count(costs, cost, err));
    }
    *index = costs->count;
    *find(costs, of, pattern, base) = (uint32_t)++costs->count;
    return FX_OK;
}

/* What of a record's base may change the cost: where there are more lines than the banks take steps anyway, all that
 * the tags of the L1 see, and else whether it is an odd line. */
static uint32_t base_that_counts(const fx_access_cost *cost, uint64_t base) {
    const bool global = cost->level[FX_COST_DRAM].law && cost->lines > 1;
    const bool tags = global && cost->level[FX_COST_NEAR].law && cost->lines > cost->wavefronts;
    return tags ? (uint32_t)(base % TAG_BYTES) : global ? (uint32_t)(base & LINE_BYTES) : 0;
}

fx_status fx_access_costs_find(fx_access_costs *costs, fx_access_class of, uint32_t pattern, uint64_t base,
                               size_t *index, fx_error *err) {
    const uint32_t *known = find(costs, of, pattern, 0);
    *index = *known - 1u;
    if (!*known) {
        FX_TRY(add(costs, of, pattern, 0, index, err));
    }
    const uint32_t moved = base_that_counts(&costs->all[*index], base);
    if (!moved) {
        return FX_OK;
    }
    known = find(costs, of, pattern, moved);
    if (!*known) {
        return add(costs, of, pattern, moved, index, err);
    }
    *index = *known - 1u;
    return FX_OK;
}

const fx_access_cost *fx_access_costs_at(const fx_access_costs *costs, size_t index) {
    return &costs->all[index];
}

fx_cache_line fx_access_costs_line(const fx_access_costs *costs, const fx_access_cost *cost, size_t i, uint64_t base,
                                   uint64_t place) {
    fx_cache_line line = costs->lines[cost->first_line + i];
    line.line += classes[cost->of].local ? base / 4 + ((uint64_t)1 << 63 | place << 20) : base / LINE_BYTES;
    return line;
}

size_t fx_access_costs_cures(fx_access_costs *costs, const fx_access_cost *cost, fx_pattern_cure out[FX_MAX_CURES]) {
    const asker who = classes[cost->of].who[cost->of < FX_CLASS_GLOBAL_STORE ? FX_COST_NEAR : FX_COST_L2];
    const unsigned width = cost->of == FX_CLASS_MATRIX ? 16 : cost->bytes;
    fx_pattern pattern = {.width_bytes = width};
    if (who == NOBODY || classes[cost->of].local || !cost->level[who >= LOADS ? FX_COST_L2 : FX_COST_NEAR].law) {
        return 0;
    }
    fx_trace_lanes(&costs->trace->patterns[cost->pattern], cost->base, &pattern.lanes);
    const fx_pattern_use use = {costs->askers[who], &costs->kinds[who], &pattern, 1};
    return fx_pattern_cures(&use, 1, out, NULL);
}

double fx_access_costs_predict(fx_access_costs *costs, fx_access_class of, fx_cost_level level, double count,
                               unsigned width_bytes) {
    const asker who = classes[of].who[level];
    const int index = who == NOBODY || !costs->askers[who] ? -1 : level_of(&costs->kinds[who], level);
    return index < 0 ? NAN : fx_pattern_predict(costs->askers[who], (size_t)index, count, width_bytes);
}

const char *fx_access_costs_archive(const fx_access_costs *costs) {
    return *costs->archive ? fx_short_path(costs->root, costs->archive) : NULL;
}

const char *fx_access_costs_chip(const fx_access_costs *costs) {
    return costs->chip;
}

const char *fx_access_costs_arch(const fx_access_costs *costs) {
    return costs->arch;
}

uint64_t fx_access_costs_sm_bytes(const fx_access_costs *costs) {
    return costs->sm_bytes;
}

uint64_t fx_access_costs_l2_bytes(const fx_access_costs *costs) {
    return costs->l2_bytes;
}

unsigned fx_access_costs_sms(const fx_access_costs *costs) {
    return costs->sms;
}
