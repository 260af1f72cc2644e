/* The answer as one object of JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash_table.h"
#include "core/text.h"
#include "trace_cost.h"

enum { SECTOR_BYTES = 32 };
#define LEAST_ONCE 0.8 /* how often each byte is wanted that is wanted about once */
#define MOST_ONCE  1.25

/* Sums of a row at one level. */
typedef struct level_sum {
    const char *law, *unit;
    uint64_t accesses, claimed;
    double count, best_count, cycles, best_cycles; /* cycles NAN: no fits */
} level_sum;

static bool is_global(const fx_cost_row *row) {
    return row->of >= FX_CLASS_GLOBAL_LOAD && row->of != FX_CLASS_LOCAL_LOAD && row->of != FX_CLASS_LOCAL_STORE &&
           row->of != FX_CLASS_COUNTED;
}

static json_t *real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *whole(uint64_t value) {
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* Sets a key to what is borrowed; null where there is none. */
static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value ? json_incref(value) : json_null());
}

static void add_tally(const fx_cost_tally *tally, const fx_access_cost *cost, level_sum sums[FX_COST_LEVELS]) {
    for (fx_cost_level l = 0; l < FX_COST_LEVELS; l++) {
        const fx_level_cost *by = &cost->level[l];
        const double times = (double)tally->at[l];
        if (!by->law || !tally->at[l]) {
            continue;
        }
        sums[l].law = by->law;
        sums[l].unit = by->unit;
        sums[l].accesses += tally->at[l];
        sums[l].claimed += by->claimed ? tally->at[l] : 0;
        sums[l].count += times * by->count;
        sums[l].best_count += times * by->best_count;
        sums[l].cycles += times * by->cycles;
        sums[l].best_cycles += times * by->best_cycles;
    }
}

static const char *level_name(fx_access_class of, fx_cost_level level) {
    static const char *const names[] = {"l1", "l2", "dram"};
    return of <= FX_CLASS_MATRIX ? "shared" : names[level];
}

static json_t *levels_json(const fx_cost_row *row, const level_sum sums[FX_COST_LEVELS]) {
    json_t *levels = json_array();
    for (fx_cost_level l = 0; l < FX_COST_LEVELS; l++) {
        const level_sum *s = &sums[l];
        if (s->law && s->accesses) {
            json_array_append_new(levels, json_pack("{ss ss so so so so so so ss}", "level", level_name(row->of, l),
                                                    "law", s->law, "accesses", whole(s->accesses), "count",
                                                    real(s->count), "best_count", real(s->best_count), "cycles",
                                                    real(s->cycles), "best_cycles", real(s->best_cycles), "claimed",
                                                    real((double)s->claimed / (double)s->accesses), "unit", s->unit));
        }
    }
    return levels;
}

/* What one access of a tally costs an SM, as it is served. */
static double cycles_of(const fx_cost_tally *tally, const fx_access_cost *cost) {
    double cycles = 0;
    for (fx_cost_level l = FX_COST_NEAR; l <= FX_COST_L2; l++) {
        cycles += tally->at[l] ? (double)tally->at[l] * (cost->level[l].law ? cost->level[l].cycles : NAN) : 0;
    }
    return tally->times ? cycles / (double)tally->times : 0;
}

/* By what tallies are put in order: cycles, else counts. */
static double weight_of(const fx_cost_tally *tally, const fx_access_cost *cost) {
    const double cycles = cycles_of(tally, cost);
    return (double)tally->times * (isfinite(cycles) && cycles > 0 ? cycles
                                   : cost->sectors                ? cost->sectors
                                                                  : cost->wavefronts);
}

typedef struct weighed {
    double weight;
    size_t tally;
} weighed;

static int heavier(const void *a, const void *b) {
    const weighed *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->tally > y->tally) - (x->tally < y->tally);
}

/* The row's tallies, the costliest first. The caller frees them; NULL: no memory. */
static weighed *in_order(const fx_trace_cost *c, const fx_cost_row *row) {
    weighed *all = malloc((row->distinct + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = row->first; all && i != SIZE_MAX; i = c->tallies[i].next) {
        all[count++] = (weighed){weight_of(&c->tallies[i], fx_access_costs_at(c->costs, c->tallies[i].cost)), i};
    }
    if (all) {
        qsort(all, count, sizeof *all, heavier);
    }
    return all;
}

/* The level that serves most of a row. */
static fx_cost_level main_level(const level_sum sums[FX_COST_LEVELS]) {
    return sums[FX_COST_NEAR].accesses >= sums[FX_COST_L2].accesses ? FX_COST_NEAR : FX_COST_L2;
}

static json_t *pattern_json(const fx_trace_cost *c, const fx_cost_row *row, const fx_cost_tally *tally,
                            fx_cost_level level) {
    const fx_access_cost *cost = fx_access_costs_at(c->costs, tally->cost);
    const fx_level_cost *by = &cost->level[level];
    json_t *lanes = json_array();
    fx_lanes table;
    fx_trace_lanes(&c->trace->patterns[cost->pattern], 0, &table);
    for (unsigned l = 0; l < FX_WARP; l++) {
        json_array_append_new(lanes, json_integer(table.offset[l]));
    }
    return json_pack("{so so si so so so so so}", "share", real((double)tally->times / (double)row->executed), "lanes",
                     lanes, "bytes", (int)cost->bytes, "base", whole(tally->base), "count",
                     by->law ? real(by->count) : json_null(), "best_count",
                     by->law ? real(by->best_count) : json_null(), "cycles", by->law ? real(by->cycles) : json_null(),
                     "best_cycles", by->law ? real(by->best_cycles) : json_null());
}

/* What a cure is for a row: for the patterns that it cures, and as they are for the others. */
typedef struct row_cure {
    char text[sizeof((fx_pattern_cure *)0)->text];
    unsigned replaces;
    double count, cycles; /* what is saved; then what is left */
    double cured;         /* accesses */
} row_cure;

/* Adds what a cure saves of the accesses of one pattern. */
static void add_cure(fx_trace_cost *c, const fx_cost_tally *tally, const fx_access_cost *cost,
                     const fx_pattern_cure *cure, row_cure *to) {
    for (fx_cost_level l = FX_COST_NEAR; l <= FX_COST_L2; l++) {
        const int index = fx_access_costs_cure_level(cost->of, l);
        const double times = (double)tally->at[l];
        if (index < 0 || !tally->at[l] || !cost->level[l].law) {
            continue;
        }
        const double count = cure->count[index];
        const double cycles = fx_access_costs_predict(c->costs, cost->of, l, count, cure->width_bytes);
        to->count += times * (cost->level[l].count - count / cure->replaces);
        to->cycles += times * (cost->level[l].cycles - cycles / cure->replaces);
    }
    to->cured += (double)tally->times;
}

/* Cures with the same words are one cure of the row; of many, those that save most. */
static json_t *cures_json(fx_trace_cost *c, const fx_cost_row *row, const weighed *order,
                          const level_sum sums[FX_COST_LEVELS]) {
    enum { MOST = 16, MOST_SHOWN = 4 };
    row_cure all[MOST] = {{{0}, 0, 0, 0, 0}};
    size_t count = 0;
    json_t *out = json_array();
    for (size_t i = 0; i < row->distinct && i < FX_MOST_CURED_PATTERNS; i++) {
        fx_pattern_cure cures[FX_MAX_CURES];
        const fx_cost_tally *tally = &c->tallies[order[i].tally];
        const fx_access_cost *cost = fx_access_costs_at(c->costs, tally->cost);
        const size_t found = fx_access_costs_cures(c->costs, cost, cures);
        for (size_t k = 0; k < found; k++) {
            size_t at = 0;
            while (at < count && strcmp(all[at].text, cures[k].text) != 0) {
                at++;
            }
            if (at == MOST) {
                continue;
            }
            if (at == count) {
                memcpy(all[count].text, cures[k].text, sizeof all[count].text);
                all[count++].replaces = cures[k].replaces;
            }
            add_cure(c, tally, cost, &cures[k], &all[at]);
        }
    }
    double total = 0, cycles = 0;
    for (fx_cost_level l = FX_COST_NEAR; l <= FX_COST_L2; l++) {
        total += sums[l].count;
        cycles += sums[l].cycles;
    }
    for (size_t shown = 0; shown < count && shown < MOST_SHOWN; shown++) {
        size_t best = shown;
        for (size_t i = shown + 1; i < count; i++) {
            if (all[i].count > all[best].count) {
                best = i;
            }
        }
        const row_cure taken = all[best];
        all[best] = all[shown];
        all[shown] = taken;
        if (taken.count > 0) {
            json_array_append_new(out,
                                  json_pack("{ss so so si so}", "text", taken.text, "count", real(total - taken.count),
                                            "cycles", real(cycles - taken.cycles), "replaces", (int)taken.replaces,
                                            "share", real(taken.cured / (double)row->executed)));
        }
    }
    return out;
}

#define ROUNDING 1e-12

/* n blocks, mean and variance of their cost, and the standard error of the launch's cost in parts of it, as from a
 * sample without replacement. */
static json_t *blocks_json(const fx_trace_cost *c, const fx_cost_row *row) {
    const double n = (double)c->blocks[row->launch], all = (double)c->trace->launches[row->launch].blocks;
    const double mean = row->block_sum / n;
    const double apart = row->block_squares - n * mean * mean;
    const bool equal = apart <= ROUNDING * row->block_squares; /* but for the last digits of the sums */
    const double variance = n > 1 ? (equal ? 0 : apart / (n - 1)) : NAN;
    const double left = all > n ? 1 - n / all : 0;
    const double error = left > 0 ? sqrt(variance / n * left) / mean : 0;
    return json_pack("{so so so so}", "n", whole(c->blocks[row->launch]), "mean", real(mean), "variance",
                     real(variance), "error", real(mean > 0 ? error : NAN));
}

static json_t *served_json(const fx_cost_row *row, double of_dram) {
    const uint64_t all = row->served[0] + row->served[1] + row->served[2];
    const double kept = of_dram * (double)row->served[FX_COST_DRAM];
    const double served_by[] = {(double)row->served[FX_COST_NEAR],
                                (double)(row->served[FX_COST_L2] + row->served[FX_COST_DRAM]) - kept, kept};
    json_t *served = json_object();
    for (fx_cost_level l = 0; l < FX_COST_LEVELS && all > 0; l++) {
        if (row->of > FX_CLASS_MATRIX || l == FX_COST_NEAR) {
            json_object_set_new(served, level_name(row->of, l), real(served_by[l] / (double)all));
        }
    }
    return served;
}

/* Rows of loads that meet in memory, of one launch: between what they lie, and over the whole grid the bytes that they
 * bring in and want, and the sectors that the model sends to DRAM. */
typedef struct met {
    uint64_t lowest, highest;
    double wanted, sent;
} met;

static met meet(const fx_trace_cost *c, const fx_cost_row *row) {
    const double each = (double)c->trace->launches[row->launch].blocks / (double)c->blocks[row->launch];
    const fx_cost_row *first = row, *end = c->rows + c->row_count; /* rows of a launch are neighbours */
    met all = {row->lowest, row->highest, 0, 0};
    while (first > c->rows && first[-1].launch == row->launch) {
        first--;
    }
    for (const fx_cost_row *other = first; other < end && other->launch == row->launch; other++) {
        if (other->brought.sectors && other->lowest < row->highest && row->lowest < other->highest) {
            all.lowest = other->lowest < all.lowest ? other->lowest : all.lowest;
            all.highest = other->highest > all.highest ? other->highest : all.highest;
            all.wanted += each * (double)other->brought.bytes;
            all.sent += each * (double)other->served[FX_COST_DRAM];
        }
    }
    return all;
}

/* What share of the sectors that the model sends to DRAM comes from there. Blocks that were not recorded use sectors of
 * recorded ones, too, and the sample can't see that. But where all that a row's accesses lie between fits into the L2,
 * no more can come than that holds; and where loads want each byte between about once, whoever else wants a sector is
 * taken to want it while the L2 has it. The first and the last block of the grid must be in the sample, else nobody
 * knows between what they lie. */
double fx_cost_row_of_dram(const fx_trace_cost *c, const fx_cost_row *row) {
    const fx_trace_launch *launch = &c->trace->launches[row->launch];
    const fx_trace_record *records = &c->trace->records[launch->first];
    if (!is_global(row) || records[0].block != 0 || records[launch->count - 1].block != launch->blocks - 1) {
        return 1;
    }
    const double each = (double)launch->blocks / (double)c->blocks[row->launch];
    const met loads = meet(c, row);
    const double own = (double)(row->highest - row->lowest), all = (double)(loads.highest - loads.lowest);
    const bool fits = own <= (double)fx_access_costs_l2_bytes(c->costs);
    const bool once = row->brought.sectors && loads.wanted > LEAST_ONCE * all && loads.wanted < MOST_ONCE * all;
    const double sectors = (fits ? own : all) / SECTOR_BYTES;
    const double sent = fits ? each * (double)row->served[FX_COST_DRAM] : loads.sent;
    return (fits || once) && sent > sectors ? sectors / sent : 1;
}

/* Of DRAM: fewer accesses. At best they take what they took at best, or what is left if that is less. */
static void scale(level_sum *sum, double by) {
    sum->accesses = (uint64_t)((double)sum->accesses * by + 0.5);
    sum->claimed = (uint64_t)((double)sum->claimed * by + 0.5);
    sum->count *= by;
    sum->cycles *= by;
    sum->best_count = sum->best_count < sum->count ? sum->best_count : sum->count;
    sum->best_cycles = sum->best_cycles < sum->cycles ? sum->best_cycles : sum->cycles;
}

/* Of the sectors that a row brings beyond the L1, the share that it needs at best: those of its own lanes side by side,
 * or what anybody wanted of them before they left the L1, if that is more. */
double fx_cost_row_best_share(const fx_cost_row *row) {
    const double own = row->sectors ? (double)row->best_sectors / (double)row->sectors : 1;
    const fx_brought *b = &row->brought;
    const double used = b->sectors ? (double)b->bytes / (double)(b->sectors * SECTOR_BYTES) : 0;
    return used > own ? used : own;
}

/* A level beyond the L1, whose best rises with the share that is needed. */
static void need(level_sum *sum, const fx_cost_row *row) {
    const double own = row->sectors ? (double)row->best_sectors / (double)row->sectors : 1;
    const double rise = own < 1 ? (fx_cost_row_best_share(row) - own) / (1 - own) : 0;
    sum->best_count += rise * (sum->count - sum->best_count);
    sum->best_cycles += rise * (sum->cycles - sum->best_cycles);
}

static json_t *row_json(fx_trace_cost *c, const fx_cost_row *row) {
    level_sum sums[FX_COST_LEVELS] = {{.unit = ""}, {.unit = ""}, {.unit = ""}};
    weighed *order = in_order(c, row);
    json_t *patterns = json_array();
    const bool has_sectors = row->of > FX_CLASS_MATRIX && row->of < FX_CLASS_COUNTED;
    const bool has_wavefronts = row->of < FX_CLASS_BULK_READ;
    double cycles = 0, best = 0;
    if (!order) {
        json_decref(patterns);
        return NULL;
    }
    for (size_t i = 0; i < row->distinct; i++) {
        const fx_cost_tally *tally = &c->tallies[order[i].tally];
        add_tally(tally, fx_access_costs_at(c->costs, tally->cost), sums);
    }
    need(&sums[FX_COST_L2], row);
    need(&sums[FX_COST_DRAM], row);
    const double of_dram = fx_cost_row_of_dram(c, row);
    if (of_dram < 1) {
        scale(&sums[FX_COST_DRAM], of_dram);
    }
    uint64_t counted = 0;
    for (fx_cost_level l = FX_COST_NEAR; l <= FX_COST_L2; l++) {
        counted += sums[l].accesses;
        cycles += sums[l].cycles;
        best += sums[l].best_cycles;
    }
    for (size_t i = 0; i < row->distinct && i < FX_MOST_SHOWN_PATTERNS; i++) {
        json_array_append_new(patterns, pattern_json(c, row, &c->tallies[order[i].tally], main_level(sums)));
    }
    const bool all = counted == row->executed; /* else some accesses have no law */
    json_t *out = json_pack("{si so so so so so}", "launch", (int)row->launch, "instruction",
                            json_incref(c->trace->instructions[row->instruction].frame), "executed",
                            whole(row->executed), "lanes", real((double)row->lanes / (double)row->executed), "bytes",
                            whole(row->bytes), "blocks", blocks_json(c, row));
    json_object_set_new(out, "sectors", has_sectors ? whole(row->sectors) : json_null());
    json_object_set_new(out, "best_sectors", has_sectors ? whole(row->best_sectors) : json_null());
    json_object_set_new(out, "best_share", has_sectors ? real(fx_cost_row_best_share(row)) : json_null());
    json_object_set_new(out, "wavefronts", has_wavefronts ? whole(row->wavefronts) : json_null());
    json_object_set_new(out, "best_wavefronts", has_wavefronts ? whole(row->best_wavefronts) : json_null());
    json_object_set_new(out, "lines", has_sectors ? whole(row->lines) : json_null());
    json_object_set_new(out, "served", served_json(row, of_dram));
    json_object_set_new(out, "span", is_global(row) ? whole(row->highest - row->lowest) : json_null());
    json_object_set_new(out, "levels", levels_json(row, sums));
    json_object_set_new(out, "cycles", all ? real(cycles) : json_null());
    json_object_set_new(out, "best_cycles", all ? real(best) : json_null());
    json_object_set_new(out, "patterns", patterns);
    json_object_set_new(out, "distinct", whole(row->distinct));
    json_object_set_new(out, "cures", cures_json(c, row, order, sums));
    free(order);
    return out;
}

/* Launches of the same kernel, grid and block, on all devices. */
typedef struct call {
    json_int_t shape[7]; /* the kernel, grid and block */
    json_int_t launches;
} call;

static call call_of(const json_t *frame) {
    const json_t *sizes[] = {json_object_get(frame, "grid"), json_object_get(frame, "block")};
    call one = {.shape = {json_integer_value(json_object_get(frame, "kernel"))}};
    for (size_t i = 0; i < 6; i++) {
        one.shape[1 + i] = json_integer_value(json_array_get(sizes[i / 3], i % 3));
    }
    return one;
}

static fx_hash_table calls_of(const fx_trace *trace) {
    fx_hash_table calls = {.size = sizeof(call), .key = offsetof(call, launches)};
    size_t i;
    json_t *frame;
    json_array_foreach(trace->calls, i, frame) {
        const json_t *launches = json_object_get(frame, "launches");
        const call one = call_of(frame);
        bool fresh;
        const uint32_t id = json_is_integer(launches) ? fx_hash_add(&calls, &one, &fresh) : FX_HASH_FULL;
        if (id != FX_HASH_FULL) {
            ((call *)fx_hash_item(&calls, id))->launches += json_integer_value(launches);
        }
    }
    return calls;
}

/* Accesses that are in the trace, which may be fewer than the launch's frame says: it is written before they are. */
static void correct_kept(const fx_trace *trace, const fx_trace_launch *launch, json_t *frame) {
    const json_t *told = json_object_get(frame, "accesses");
    json_int_t there = 0;
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        there += trace->records[i].times;
    }
    if (json_integer_value(json_object_get(told, "kept")) > there) {
        json_t *accesses = json_copy((json_t *)told);
        json_object_set_new(accesses, "kept", json_integer(there));
        json_object_set_new(frame, "accesses", accesses);
    }
}

static json_t *launches_json(const fx_trace_cost *c) {
    json_t *out = json_array();
    fx_hash_table calls = calls_of(c->trace);
    for (size_t i = 0; i < c->trace->launch_count; i++) {
        const fx_trace_launch *launch = &c->trace->launches[i];
        if (launch->frame && c->blocks[i]) {
            json_t *one = json_copy(launch->frame);
            correct_kept(c->trace, launch, one);
            json_object_set_new(one, "scale", real((double)launch->blocks / (double)c->blocks[i]));
            const call shape = call_of(launch->frame), *known = fx_hash_find(&calls, &shape);
            json_object_set_new(one, "calls", known ? json_integer(known->launches) : json_null());
            json_array_append_new(out, one);
        }
    }
    fx_hash_free(&calls);
    return out;
}

static json_t *kernels_json(const fx_trace *trace) {
    json_t *out = json_array();
    for (size_t i = 0; i < trace->kernel_count; i++) {
        if (trace->kernels[i].frame) {
            json_t *one = json_copy(trace->kernels[i].frame);
            json_object_set_new(one, "has_code", json_boolean(trace->kernels[i].code != NULL));
            json_array_append_new(out, one);
        }
    }
    return out;
}

static void add_note(json_t *notes, const char *code, const char *text) {
    json_array_append_new(notes, json_pack("{ss ss}", "code", code, "text", text));
}

/* The trace's own, and what this answer can't know. */
static json_t *notes_json(const fx_trace_cost *c) {
    json_t *notes = json_copy(c->trace->notes);
    bool of_global = false, sampled = false, lost = false, at_most = false;
    for (size_t i = 0; i < c->row_count; i++) {
        of_global = of_global || c->rows[i].of > FX_CLASS_MATRIX;
        at_most = at_most || (c->rows[i].of == FX_CLASS_SHARED_ATOMIC &&
                              !json_object_get(c->trace->instructions[c->rows[i].instruction].frame, "sass"));
    }
    for (size_t i = 0; i < c->trace->launch_count; i++) {
        const fx_trace_launch *launch = &c->trace->launches[i];
        const json_t *accesses = json_object_get(launch->frame, "accesses");
        sampled = sampled || (c->blocks[i] && c->blocks[i] < launch->blocks);
        lost = lost || (c->blocks[i] && json_integer_value(json_object_get(accesses, "seen")) >
                                            json_integer_value(json_object_get(accesses, "kept")));
    }
    if (c->trace->cut || !c->trace->end) {
        add_note(notes, "incomplete",
                 "the program or its recording ended early; what was recorded until then is counted");
    }
    if (lost) {
        add_note(notes, "lost",
                 "some accesses of recorded blocks did not fit into the recorder's memory, so counts are too low");
    }
    if (at_most) {
        add_note(
            notes, "atomics",
            "the machine code of shared-memory atomics is unknown: those that add 1 cost less if lanes share words");
    }
    if (of_global) {
        add_note(notes, "caches",
                 "what the L1 and the L2 serve is modelled: one L1 per block, and an L2 that is empty at the start of "
                 "a launch");
    }
    if (of_global && sampled) {
        add_note(notes, "sharing",
                 "lines that recorded blocks share with other blocks are not modelled as shared, so the share of DRAM "
                 "may be too high");
    }
    if (of_global && c->assumed_l1) {
        add_note(notes, "l1", "the L1 size of this chip is unknown; 128 KiB including shared memory were assumed");
    }
    if (!fx_access_costs_archive(c->costs)) {
        add_note(notes, "no_archive",
                 "no archive of this device or architecture has fits, so there are counts but no cycles");
    }
    return notes;
}

fx_status fx_trace_cost_print(FILE *to, fx_trace_cost *cost, fx_error *err) {
    json_t *rows = json_array(), *out = json_object();
    const char *archive = fx_access_costs_archive(cost->costs);
    json_object_set_new(out, "version", json_integer(1));
    set(out, "trace", cost->trace->header);
    json_object_set_new(out, "archive", archive ? json_string(archive) : json_null());
    json_object_set_new(out, "chip", json_string(fx_access_costs_chip(cost->costs)));
    json_object_set_new(out, "arch", json_string(fx_access_costs_arch(cost->costs)));
    json_object_set_new(out, "law_version", json_integer(FX_LAW_VERSION));
    json_object_set_new(out, "complete", json_boolean(cost->trace->end && !cost->trace->cut));
    json_object_set_new(out, "kernels", kernels_json(cost->trace));
    json_object_set_new(out, "launches", launches_json(cost));
    bool fine = rows != NULL;
    for (size_t i = 0; i < cost->row_count && fine; i++) {
        fine = json_array_append_new(rows, row_json(cost, &cost->rows[i])) == 0;
    }
    json_object_set_new(out, "rows", rows);
    json_object_set_new(out, "notes", notes_json(cost));
    fx_status status = fine ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while writing the answer");
    if (!status && (fx_text_print_json(to, out, 0) || fputc('\n', to) == EOF)) {
        status = fx_fail(err, FX_IO, "the answer could not be written");
    }
    json_decref(out);
    return status;
}
