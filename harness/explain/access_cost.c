#include "access_cost.h"

#include "archive/archive.h"
#include "call/places.h"
#include "core/device.h"
#include "core/hash_table.h"
#include "core/law.h"
#include "core/text.h"

enum {
    MOST_BULK_BYTES = 1 << 20, /* larger ones are counted, not followed through the caches */
    LOCAL_BYTES = 512 << 10,   /* the most that a thread can have */
};

/* By what an access is priced: one `gpufx pattern` for each kind. */
typedef enum pricing {
    SHARED_LOADS,
    SHARED_STORES,
    SHARED_ADDS,
    SHARED_SWAPS,
    LOADS,
    STORES,
    ADDS,
    FETCHES,
    SWAPS,
    PRICINGS,
    UNPRICED
} pricing;

static const struct {
    const char *space;
    fx_access_kind does;
} pricings[PRICINGS] = {{"shared", FX_LOADS},    {"shared", FX_STORES},  {"shared", FX_ADDS},
                        {"shared", FX_COMPARES}, {"global", FX_LOADS},   {"global", FX_STORES},
                        {"global", FX_ADDS},     {"global", FX_FETCHES}, {"global", FX_COMPARES}};

/* Of each class: by what it is priced at each level, and whether the law is meant for this very instruction. */
static const struct {
    pricing by[FX_COST_LEVELS];
    bool claimed, local, bulk;
} classes[FX_CLASSES] = {
    [FX_CLASS_SHARED_LOAD] = {{SHARED_LOADS, UNPRICED}, .claimed = true},
    [FX_CLASS_SHARED_STORE] = {{SHARED_STORES, UNPRICED}, .claimed = true},
    [FX_CLASS_ASYNC_STORE] = {{SHARED_STORES, UNPRICED}, .claimed = false},
    [FX_CLASS_SHARED_ATOMIC] = {{SHARED_ADDS, UNPRICED}, .claimed = true},
    [FX_CLASS_SHARED_CAS] = {{SHARED_SWAPS, UNPRICED}, .claimed = true},
    [FX_CLASS_SHARED_COUNT] = {{SHARED_STORES, UNPRICED}, .claimed = false},
    [FX_CLASS_MATRIX] = {{SHARED_STORES, UNPRICED}, .claimed = true},
    [FX_CLASS_GLOBAL_LOAD] = {{LOADS, LOADS}, .claimed = true},
    [FX_CLASS_ASYNC_LOAD] = {{LOADS, LOADS}, .claimed = false},
    [FX_CLASS_GLOBAL_STORE] = {{UNPRICED, STORES}, .claimed = true},
    [FX_CLASS_REDUCTION] = {{UNPRICED, ADDS}, .claimed = true},
    [FX_CLASS_ATOMIC] = {{UNPRICED, FETCHES}, .claimed = true},
    [FX_CLASS_CAS] = {{UNPRICED, SWAPS}, .claimed = true},
    [FX_CLASS_LOCAL_LOAD] = {{LOADS, LOADS}, .claimed = true, .local = true},
    [FX_CLASS_LOCAL_STORE] = {{LOADS, STORES}, .local = true},
    [FX_CLASS_BULK_READ] = {{UNPRICED, UNPRICED}, .bulk = true},
    [FX_CLASS_BULK_WRITE] = {{UNPRICED, UNPRICED}, .bulk = true},
    [FX_CLASS_COUNTED] = {{UNPRICED, UNPRICED}, .claimed = false},
};

struct fx_access_costs {
    const fx_trace *trace;
    fx_options options; /* that `gpufx pattern` would have */
    char root[PATH_MAX], archive[PATH_MAX];
    fx_cost_chip chip;
    fx_pattern_kind kinds[PRICINGS];
    fx_pattern_cost *prices[PRICINGS]; /* NULL: not opened yet */
    fx_hash_table all;                 /* fx_access_cost */
    fx_cache_line *lines;              /* relative to the base */
    size_t line_count;
};

fx_access_class fx_class_of(const fx_trace_instruction *instruction) {
    static const fx_access_class of[FX_TRACE_WGMMA][3] = {
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
    };
    return instruction->op < FX_TRACE_WGMMA && instruction->space <= FX_TRACE_LOCAL
               ? of[instruction->op][instruction->space]
               : FX_CLASS_COUNTED;
}

static uint64_t size_of(const json_t *object, const char *key) {
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/* The chip of an archive: what its first line says of it. */
static fx_status take_archive(fx_access_costs *costs, fx_error *err) {
    json_auto_t *run = NULL;
    FX_TRY(fx_archive_can_be_read_again(costs->archive, err));
    FX_TRY(fx_archive_head(costs->archive, &run, err));
    const json_t *device = json_object_get(run, "device");
    costs->chip = (fx_cost_chip){.archive = fx_short_path(costs->root, costs->archive),
                                 .sm_bytes = fx_pattern_array_bytes(size_of(device, "shared_per_sm_bytes")),
                                 .l2_bytes = size_of(device, "l2_bytes"),
                                 .sms = (unsigned)size_of(device, "sm_count"),
                                 .warps = (unsigned)size_of(device, "warps_per_sm")};
    (void)snprintf(costs->chip.name, sizeof costs->chip.name, "%s", fx_json_text(device, "name"));
    (void)snprintf(costs->chip.arch, sizeof costs->chip.arch, "%s", fx_json_text(device, "arch"));
    costs->options.pattern.archive = costs->archive;
    return FX_OK;
}

/* Which archive speaks: that of --archive; without one the nearest of --arch, or of the device of the trace. */
static fx_status choose_chip(const fx_options *options, fx_access_costs *costs, fx_error *err) {
    char slug[128] = "";
    const json_t *device = json_object_get(costs->trace->header, "device");
    const char *wanted = options->pattern.arch, *name = wanted ? "" : fx_json_text(device, "name"),
               *arch = wanted ? wanted : fx_json_text(device, "arch");
    fx_cost_chip *chip = &costs->chip;
    FX_TRY(fx_root(costs->root, err));
    FX_FAIL_IF(options->pattern.archive && wanted, err, FX_BAD_INPUT,
               "--archive already names the chip; leave out --arch");
    if (*name) {
        fx_slug(name, slug, sizeof slug);
    }
    arch = *arch ? arch : "sm_90";
    (void)snprintf(chip->arch, sizeof chip->arch, "%s%.10s", strncmp(arch, "sm_", 3) ? "sm_" : "", arch);
    (void)snprintf(costs->archive, sizeof costs->archive, "%s",
                   options->pattern.archive ? options->pattern.archive : "");
    if (*costs->archive || fx_pattern_nearest(costs->root, slug, chip->arch, costs->archive)) {
        return take_archive(costs, err);
    }
    (void)snprintf(chip->name, sizeof chip->name, "%s", *name ? name : chip->arch);
    chip->l2_bytes = wanted ? 0 : size_of(device, "l2_bytes");
    chip->sms = wanted ? 0 : (unsigned)size_of(device, "sms");
    costs->options.pattern.arch = chip->arch;
    return FX_OK;
}

fx_status fx_access_costs_new(const fx_options *options, const fx_trace *trace, fx_access_costs **out, fx_error *err) {
    fx_access_costs *costs = *out = fx_new(1, sizeof *costs);
    costs->trace = trace;
    costs->all = (fx_hash_table){.size = sizeof(fx_access_cost), .key = offsetof(fx_access_cost, lanes)};
    return choose_chip(options, costs, err);
}

void fx_access_costs_free(fx_access_costs *costs) {
    if (!costs) {
        return;
    }
    for (size_t i = 0; i < PRICINGS; i++) {
        fx_pattern_cost_free(costs->prices[i]);
    }
    fx_hash_free(&costs->all);
    free(costs->lines);
    free(costs);
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

/* By what the cures of a class are priced; UNPRICED: none are known. */
static pricing cured_by(fx_access_class of) {
    return classes[of].local ? UNPRICED : classes[of].by[of < FX_CLASS_GLOBAL_STORE ? FX_COST_NEAR : FX_COST_L2];
}

int fx_access_costs_cure_level(const fx_access_costs *costs, fx_access_class of, fx_cost_level level) {
    const pricing by = cured_by(of);
    return by == UNPRICED || by != classes[of].by[level] ? -1 : level_of(&costs->kinds[by], level);
}

/* Adds the cost of one table of lanes; a wide access to local memory has several. */
static void add_level(fx_access_costs *costs, fx_access_cost *cost, fx_cost_level level, const fx_lanes *lanes,
                      unsigned width) {
    const pricing by = classes[cost->of].by[level];
    fx_level_cost *to = &cost->level[level];
    fx_pattern_cost_at at;
    const int index = by == UNPRICED ? -1 : level_of(&costs->kinds[by], level);
    if (index < 0) {
        return;
    }
    fx_pattern_cost_level(costs->prices[by], (size_t)index, lanes, width, &at);
    if (!at.prediction.law) {
        to->cycles = to->best_cycles = NAN;
        return;
    }
    to->law = at.prediction.law;
    to->count += at.prediction.count;
    to->best_count += fmin(at.prediction.count, at.best_count);
    to->cycles += at.predicted;
    to->best_cycles += fmin(at.predicted, at.best);
    to->claimed = to->claimed && fx_prediction_in_fit(&at.prediction);
}

/* Remembers bytes of one sector, in the entry of its line. */
static void add_sector(fx_access_costs *costs, fx_access_cost *cost, uint64_t sector, uint32_t bytes) {
    const uint64_t line = sector * FX_SECTOR_BYTES / FX_LINE_BYTES;
    const unsigned place = sector % (FX_LINE_BYTES / FX_SECTOR_BYTES);
    for (size_t i = cost->line_count; i-- > 0;) {
        fx_cache_line *known = &costs->lines[cost->first_line + i];
        if (known->line == line) {
            known->sectors |= 1u << place;
            known->bytes[place] |= bytes;
            return;
        }
    }
    fx_grow(&costs->lines, costs->line_count, sizeof *costs->lines);
    costs->lines[costs->line_count] = (fx_cache_line){.line = line, .sectors = 1u << place};
    costs->lines[costs->line_count++].bytes[place] = bytes;
    cost->line_count++;
}

static void add_lines(fx_access_costs *costs, fx_access_cost *cost, const fx_lanes *lanes, unsigned width) {
    for (unsigned l = 0; l < FX_WARP && width > 0; l++) {
        const int64_t first = lanes->offset[l];
        for (int64_t at = first; first >= 0 && at < first + width;) {
            const unsigned from = (unsigned)(at % FX_SECTOR_BYTES), left = (unsigned)(first + width - at);
            const unsigned here = left < FX_SECTOR_BYTES - from ? left : FX_SECTOR_BYTES - from;
            add_sector(costs, cost, (uint64_t)at / FX_SECTOR_BYTES, UINT32_MAX >> (FX_SECTOR_BYTES - here) << from);
            at += here;
        }
    }
}

/* A bulk copy: all of its bytes, one after the other. */
static void count_bulk(fx_access_costs *costs, fx_access_cost *cost, const fx_trace_pattern *pattern) {
    fx_lanes lanes;
    fx_trace_lanes(pattern, &lanes);
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint64_t first = lanes.offset[l] < 0 ? 0 : (uint64_t)lanes.offset[l];
        if (lanes.offset[l] < 0 || !pattern->bytes) {
            continue;
        }
        const uint64_t from = first / FX_SECTOR_BYTES, to = (first + pattern->bytes - 1) / FX_SECTOR_BYTES + 1;
        cost->sectors += (unsigned)(to - from);
        cost->lines += (unsigned)((first + pattern->bytes - 1) / FX_LINE_BYTES + 1 - first / FX_LINE_BYTES);
        cost->best_sectors += (pattern->bytes + FX_SECTOR_BYTES - 1) / FX_SECTOR_BYTES;
        if (pattern->bytes > MOST_BULK_BYTES) {
            cost->more_sectors += to - from;
            continue;
        }
        for (uint64_t s = from; s < to; s++) {
            add_sector(costs, cost, s, UINT32_MAX);
        }
    }
}

/* Sectors, wavefronts and costs of one table of lanes. */
static void count_table(fx_access_costs *costs, fx_access_cost *cost, const fx_lanes *lanes, unsigned width) {
    const fx_access_class of = cost->of;
    const pricing near =
        classes[of].by[FX_COST_NEAR] == UNPRICED ? classes[of].by[FX_COST_L2] : classes[of].by[FX_COST_NEAR];
    const unsigned active = fx_pattern_active(lanes);
    fx_lanes best; /* side by side */
    if (near == UNPRICED) {
        return;
    }
    for (unsigned l = 0; l < FX_WARP; l++) {
        best.offset[l] = l < active ? (int32_t)(l * width) : -1;
    }
    const unsigned wavefronts = fx_pattern_wavefronts(costs->prices[near], lanes, width),
                   best_wavefronts = fx_pattern_wavefronts(costs->prices[near], &best, width);
    cost->wavefronts += wavefronts;
    cost->best_wavefronts += best_wavefronts < wavefronts ? best_wavefronts : wavefronts;
    if (of > FX_CLASS_MATRIX) {
        cost->sectors += fx_law_blocks(lanes, width, FX_SECTOR_BYTES);
        cost->best_sectors += fx_pattern_least_of(lanes, width, FX_SECTOR_BYTES);
        cost->lines += fx_law_blocks(lanes, width, FX_LINE_BYTES);
        add_lines(costs, cost, lanes, width);
    }
    for (fx_cost_level level = 0; level < FX_COST_LEVELS; level++) {
        add_level(costs, cost, level, lanes, width);
    }
}

/* Word w of lane l lies at 32 w + l words. A wide access takes a row of words after the other. False: it lies where no
 * local memory is. */
static bool interleave(const fx_trace_pattern *pattern, unsigned word, fx_lanes *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint32_t offset = (uint32_t)pattern->offset[l] + 4 * word;
        out->offset[l] = pattern->mask >> l & 1 ? (int32_t)(offset / 4 * FX_LINE_BYTES + 4 * l + offset % 4) : -1;
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
        cost->level[level] = (fx_level_cost){.claimed = classes[cost->of].claimed};
        const pricing by = classes[cost->of].by[level];
        if (by != UNPRICED && !costs->prices[by]) {
            fx_pattern_kind_for(pricings[by].space, pricings[by].does, &costs->kinds[by]);
            FX_TRY(fx_pattern_cost_new(&costs->options, &costs->kinds[by], &costs->prices[by], err));
        }
    }
    cost->first_line = costs->line_count;
    cost->lanes = (unsigned)__builtin_popcount(pattern->mask);
    cost->bytes = pattern->bytes;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint32_t end = pattern->mask >> l & 1 ? (uint32_t)pattern->offset[l] + pattern->bytes : 0;
        cost->reach = end > cost->reach ? end : cost->reach;
    }
    if (classes[cost->of].bulk) {
        count_bulk(costs, cost, pattern);
    } else if (classes[cost->of].local) {
        const unsigned words = pattern->bytes > 4 ? (pattern->bytes + 3) / 4 : 1;
        for (unsigned word = 0; word < words && words <= 4 && interleave(pattern, word, &lanes); word++) {
            count_table(costs, cost, &lanes, pattern->bytes < 4 ? pattern->bytes : 4);
        }
        for (fx_cost_level level = 0; level < FX_COST_LEVELS && words > 1; level++) {
            cost->level[level].claimed = false; /* of several words at once nobody has measured anything */
        }
    } else if (pattern->bytes <= FX_SECTOR_BYTES) {
        fx_trace_lanes(pattern, &lanes);
        count_table(costs, cost, &lanes, cost->of == FX_CLASS_MATRIX ? 16 : pattern->bytes);
        if (cost->of == FX_CLASS_MATRIX) {
            fx_level_cost *near = &cost->level[FX_COST_NEAR];
            near->law = "matrix";
            near->count = fx_law_matrix(&costs->prices[SHARED_STORES]->facts.geometry, &lanes);
            near->claimed = fx_law_distinct(&lanes) == cost->lanes; /* rows that coincide were not measured */
            near->best_count = fmin(near->count, (cost->lanes + 7) / 8);
            near->cycles = fx_access_costs_predict(costs, cost->of, FX_COST_NEAR, near->count, 16);
            near->best_cycles = fx_access_costs_predict(costs, cost->of, FX_COST_NEAR, near->best_count, 16);
        }
    }
    return FX_OK;
}

fx_status fx_access_costs_find(fx_access_costs *costs, fx_access_class of, uint32_t pattern, size_t *index,
                               fx_error *err) {
    const fx_access_cost key = {.of = of, .pattern = pattern};
    bool fresh;
    const uint32_t id = fx_hash_put(&costs->all, &key, &fresh);
    *index = id;
    return fresh ? count(costs, fx_hash_item(&costs->all, id), err) : FX_OK;
}

const fx_access_cost *fx_access_costs_at(const fx_access_costs *costs, size_t index) {
    return fx_hash_item(&costs->all, (uint32_t)index);
}

fx_cache_line fx_access_costs_line(const fx_access_costs *costs, const fx_access_cost *cost, size_t i, uint64_t base,
                                   uint64_t place) {
    fx_cache_line line = costs->lines[cost->first_line + i];
    line.line += classes[cost->of].local ? base / 4 + ((uint64_t)1 << 63 | place << 20) : base / FX_LINE_BYTES;
    return line;
}

/* An access as the cures want it; false: no cure is known for its kind. */
static bool use_of(const fx_access_costs *costs, const fx_access_cost *cost, fx_pattern *pattern, fx_pattern_use *use) {
    const pricing by = cured_by(cost->of);
    if (by == UNPRICED || !cost->level[by >= LOADS ? FX_COST_L2 : FX_COST_NEAR].law) {
        return false;
    }
    *pattern = (fx_pattern){.width_bytes = cost->of == FX_CLASS_MATRIX ? 16 : cost->bytes};
    *use = (fx_pattern_use){costs->prices[by], &costs->kinds[by], pattern, 1, NULL};
    fx_trace_lanes(&costs->trace->patterns[cost->pattern], &pattern->lanes);
    return true;
}

size_t fx_access_costs_cures(const fx_access_costs *costs, const fx_access_cost *cost, const uint32_t *others,
                             size_t other_count, fx_pattern_cure out[FX_MAX_CURES]) {
    fx_pattern patterns[FX_PATTERN_USES];
    fx_pattern_use uses[FX_PATTERN_USES];
    size_t count = use_of(costs, cost, &patterns[0], &uses[0]);
    for (size_t i = 0; i < other_count && count && count < FX_PATTERN_USES; i++) {
        count += use_of(costs, fx_access_costs_at(costs, others[i]), &patterns[count], &uses[count]);
    }
    return count ? fx_pattern_cures(uses, count, out, NULL) : 0;
}

double fx_access_costs_predict(fx_access_costs *costs, fx_access_class of, fx_cost_level level, double count,
                               unsigned width_bytes) {
    const pricing by = classes[of].by[level];
    const int index = by == UNPRICED || !costs->prices[by] ? -1 : level_of(&costs->kinds[by], level);
    return index < 0 ? NAN : fx_pattern_predict(costs->prices[by], (size_t)index, count, width_bytes);
}

const fx_cost_chip *fx_access_costs_chip(const fx_access_costs *costs) {
    return &costs->chip;
}
