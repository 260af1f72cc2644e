/* `gpufx trace-cost`, an internal verb: `gpufx explain` asks it what the accesses of a trace cost, and what its
 * launches take. GPUFX_RATES in the environment ("cold": each launch begins with an empty L2): whose archive it is, is
 * printed first, and the rates of that chip are read from standard input, as one object of JSON, when all is counted
 * (plot/gpufx_plot/explain/trace_costs.py). */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "call/message.h"
#include "call/verb.h"
#include "core/hash_table.h"
#include "core/text.h"
#include "trace_cost.h"

enum { CURED_PATTERNS = 4 }; /* of a row: those that cost most */

/* Sums of a row over the pipes of the SM. */
typedef struct row_sum {
    uint64_t counted, claimed, at[FX_COST_LEVELS]; /* accesses: that have a law, one that is meant for them; by pipe */
    const char *law[FX_COST_LEVELS];
    double count, cycles, best_cycles; /* cycles NAN: no fits */
} row_sum;

static json_t *whole(uint64_t value) {
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static void add_tally(const fx_cost_tally *tally, const fx_access_cost *cost, row_sum *sum) {
    for (fx_cost_level l = 0; l < FX_COST_LEVELS; l++) {
        const fx_level_cost *by = &cost->level[l];
        const double times = (double)tally->at[l];
        sum->at[l] += tally->at[l];
        if (by->law && tally->at[l]) {
            sum->law[l] = by->law;
            sum->counted += tally->at[l];
            sum->claimed += by->claimed ? tally->at[l] : 0;
            sum->count += times * by->count;
            sum->cycles += times * by->cycles;
            sum->best_cycles += times * by->best_cycles;
        }
    }
}

/* By what tallies are put in order: cycles of an SM, as each access is served, else counts. */
static double weight_of(const fx_cost_tally *tally, const fx_access_cost *cost) {
    double cycles = 0;
    for (fx_cost_level l = FX_COST_NEAR; l <= FX_COST_L2; l++) {
        cycles += tally->at[l] ? (double)tally->at[l] * (cost->level[l].law ? cost->level[l].cycles : NAN) : 0;
    }
    cycles /= (double)tally->times;
    return (double)tally->times * (isfinite(cycles) && cycles > 0 ? cycles
                                   : cost->sectors                ? cost->sectors
                                                                  : cost->wavefronts);
}

/* The row's tallies, the costliest first. The caller frees them. */
static fx_weighed *in_order(const fx_trace_cost *c, const fx_cost_row *row) {
    fx_weighed *all = fx_new(row->distinct, sizeof *all);
    size_t count = 0;
    for (size_t i = row->first; i != SIZE_MAX; i = fx_cost_tally_at(c, i)->next) {
        const fx_cost_tally *tally = fx_cost_tally_at(c, i);
        all[count++] = (fx_weighed){weight_of(tally, fx_access_costs_at(c->costs, tally->cost)), i};
    }
    qsort(all, count, sizeof *all, fx_heavier);
    return all;
}

static json_t *pattern_json(const fx_trace_cost *c, const fx_cost_row *row, const fx_cost_tally *tally,
                            const row_sum *sum) {
    const fx_access_cost *cost = fx_access_costs_at(c->costs, tally->cost);
    const fx_level_cost *by = &cost->level[sum->at[FX_COST_L2] > sum->at[FX_COST_NEAR] ? FX_COST_L2 : FX_COST_NEAR];
    fx_lanes table;
    fx_trace_lanes(&c->trace->patterns[cost->pattern], &table);
    json_t *lanes = FX_JSON_LIST(l, FX_WARP, json_integer(table.offset[l]));
    return json_pack("{so? so si so so? so?}", "share", json_real((double)tally->times / (double)row->executed),
                     "lanes", lanes, "bytes", (int)cost->bytes, "base", whole(tally->base), "count",
                     by->law ? json_real(by->count) : NULL, "best_count", by->law ? json_real(by->best_count) : NULL);
}

/* What a cure saves of a row. */
typedef struct row_cure {
    fx_pattern_cure cure;
    double count, cycles;
} row_cure;

static int saves_more(const void *a, const void *b) {
    const row_cure *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/* Adds what a cure saves of the accesses of one pattern. */
static void add_cure(const fx_trace_cost *c, const fx_cost_tally *tally, const fx_access_cost *cost,
                     const fx_pattern_cure *cure, row_cure *to) {
    for (fx_cost_level l = FX_COST_NEAR; l <= FX_COST_L2; l++) {
        const int index = fx_access_costs_cure_level(c->costs, cost->of, l);
        const double times = (double)tally->at[l];
        if (index >= 0 && tally->at[l] && cost->level[l].law) {
            const double count = cure->count[index],
                         cycles = fx_access_costs_predict(c->costs, cost->of, l, count, cure->width_bytes);
            to->count += times * (cost->level[l].count - count / cure->replaces);
            to->cycles += times * (cost->level[l].cycles - cycles / cure->replaces);
        }
    }
}

/* The commonest access of each other row of shared memory that lies where this one does: the same array. */
static size_t others_of(const fx_trace_cost *c, const fx_cost_row *row, uint32_t out[FX_PATTERN_USES]) {
    size_t count = 0;
    for (size_t i = 0; i < c->row_count && row->of <= FX_CLASS_MATRIX && count + 1 < FX_PATTERN_USES; i++) {
        const fx_cost_row *other = &c->rows[i];
        if (other == row || other->launch != row->launch || other->of > FX_CLASS_MATRIX ||
            other->lowest >= row->highest || row->lowest >= other->highest) {
            continue;
        }
        const fx_cost_tally *most = fx_cost_tally_at(c, other->first);
        for (size_t k = most->next; k != SIZE_MAX; k = fx_cost_tally_at(c, k)->next) {
            most = fx_cost_tally_at(c, k)->times > most->times ? fx_cost_tally_at(c, k) : most;
        }
        bool known = false;
        for (size_t k = 0; k < count; k++) {
            known = known || out[k] == most->cost;
        }
        out[count] = most->cost;
        count += !known;
    }
    return count;
}

/* Cures of one access in a launch, which rows that make it share. */
typedef struct known_cures {
    uint32_t launch, cost; /* the key */
    size_t count;
    fx_pattern_cure cures[FX_MAX_CURES];
} known_cures;

static const known_cures *cures_of(const fx_trace_cost *c, const fx_cost_row *row, uint32_t cost,
                                   fx_hash_table *known) {
    known_cures one = {.launch = row->launch, .cost = cost};
    bool fresh;
    known_cures *all = fx_hash_item(known, fx_hash_put(known, &one, &fresh));
    if (fresh) {
        uint32_t others[FX_PATTERN_USES];
        const size_t count = others_of(c, row, others);
        all->count = fx_access_costs_cures(c->costs, fx_access_costs_at(c->costs, cost), others, count, all->cures);
    }
    return all;
}

/* Cures with the same words are one cure of the row; those that save most. Patterns that are not looked at are taken to
 * be cured as those are that cost more. */
static json_t *cures_json(const fx_trace_cost *c, const fx_cost_row *row, const fx_weighed *order, const row_sum *sum,
                          fx_hash_table *known) {
    enum { MOST = 16, MOST_SHOWN = 4 };
    row_cure all[MOST];
    row_sum looked_at = {0};
    size_t count = 0;
    for (size_t i = 0; i < row->distinct && i < CURED_PATTERNS; i++) {
        const fx_cost_tally *tally = fx_cost_tally_at(c, order[i].index);
        const fx_access_cost *cost = fx_access_costs_at(c->costs, tally->cost);
        const known_cures *found = cures_of(c, row, tally->cost, known);
        add_tally(tally, cost, &looked_at);
        for (size_t k = 0; k < found->count; k++) {
            size_t at = 0;
            while (at < count && strcmp(all[at].cure.text, found->cures[k].text) != 0) {
                at++;
            }
            if (at == count && count < MOST) {
                all[count++] = (row_cure){found->cures[k], 0, 0};
            }
            if (at < count) {
                add_cure(c, tally, cost, &found->cures[k], &all[at]);
            }
        }
    }
    qsort(all, count, sizeof *all, saves_more);
    const double more = looked_at.count > 0 ? sum->count / looked_at.count : 1;
    return FX_JSON_LIST(i, count < MOST_SHOWN ? count : MOST_SHOWN,
                        all[i].count > 0 ? json_pack("{ss so? so? si}", "text", all[i].cure.text, "count",
                                                     json_real(sum->count - more * all[i].count), "cycles",
                                                     json_real(sum->cycles - more * all[i].cycles), "replaces",
                                                     (int)all[i].cure.replaces)
                                         : NULL);
}

#define ROUNDING 1e-12

/* n blocks, mean and variance of their cost. */
static json_t *blocks_json(const fx_trace_cost *c, const fx_cost_row *row) {
    const double n = (double)c->launches[row->launch].blocks;
    const double mean = row->block_sum / n;
    const double apart = row->block_squares - n * mean * mean;
    const bool equal = apart <= ROUNDING * row->block_squares; /* but for the last digits of the sums */
    const double variance = n > 1 ? (equal ? 0 : apart / (n - 1)) : NAN;
    return json_pack("{so so? so?}", "n", whole(c->launches[row->launch].blocks), "mean", json_real(mean), "variance",
                     json_real(variance));
}

static json_t *served_json(const fx_cost_row *row) {
    const double all = (double)(row->served.l1 + row->served.l2 + row->served.dram);
    const double kept = row->of_dram * (double)row->served.dram;
    json_t *served = json_object();
    if (all > 0 && row->of <= FX_CLASS_MATRIX) {
        json_object_set_new(served, "shared", json_real(1));
    } else if (all > 0) {
        json_object_set_new(served, "l1", json_real((double)row->served.l1 / all));
        json_object_set_new(served, "l2", json_real(((double)(row->served.l2 + row->served.dram) - kept) / all));
        json_object_set_new(served, "dram", json_real(kept / all));
    }
    return served;
}

static json_t *row_json(fx_trace_cost *c, const fx_cost_row *row, fx_hash_table *known) {
    row_sum sum = {0};
    FX_FREED fx_weighed *order = in_order(c, row);
    const bool has_sectors = row->of > FX_CLASS_MATRIX && row->of < FX_CLASS_COUNTED;
    const bool has_wavefronts = row->of < FX_CLASS_BULK_READ;
    for (size_t i = 0; i < row->distinct; i++) {
        const fx_cost_tally *tally = fx_cost_tally_at(c, order[i].index);
        add_tally(tally, fx_access_costs_at(c->costs, tally->cost), &sum);
    }
    const size_t shown = row->distinct < FX_MOST_SHOWN_PATTERNS ? row->distinct : FX_MOST_SHOWN_PATTERNS;
    json_t *patterns = FX_JSON_LIST(i, shown, pattern_json(c, row, fx_cost_tally_at(c, order[i].index), &sum));
    json_t *laws = FX_JSON_LIST(l, FX_COST_LEVELS, json_string(sum.law[l]));
    const bool all = sum.counted == row->executed; /* else some accesses have no law */
    const bool ideal = row->sectors == row->best_sectors && row->wavefronts == row->best_wavefronts;
    return json_pack("{si so so so? so so so so? so? so? so? so? so so? so? so so}", "launch", (int)row->launch,
                     "instruction", json_incref(c->trace->instructions[row->instruction].frame), "executed",
                     whole(row->executed), "lanes", json_real((double)row->lanes / (double)row->executed), "bytes",
                     whole(row->bytes), "blocks", blocks_json(c, row), "laws", laws, "claimed",
                     json_real(sum.counted ? (double)sum.claimed / (double)sum.counted : 1), "sectors",
                     has_sectors ? whole(row->sectors) : NULL, "best_sectors",
                     has_sectors ? whole(row->best_sectors) : NULL, "wavefronts",
                     has_wavefronts ? whole(row->wavefronts) : NULL, "best_wavefronts",
                     has_wavefronts ? whole(row->best_wavefronts) : NULL, "served", served_json(row), "cycles",
                     all ? json_real(sum.cycles) : NULL, "best_cycles", all ? json_real(sum.best_cycles) : NULL,
                     "patterns", patterns, "cures", ideal ? json_array() : cures_json(c, row, order, &sum, known));
}

/* Times of launches, each of which is played by one of several threads. */
typedef struct times {
    const fx_trace_cost *cost;
    const fx_rates *rates;
    atomic_uint next; /* launch */
    json_t **of;      /* by launch; NULL: it is not wanted */
} times;

static void *take_times(void *of) {
    times *all = of;
    for (unsigned i; (i = atomic_fetch_add(&all->next, 1)) < all->cost->trace->launch_count;) {
        all->of[i] = all->cost->launches[i].wanted ? fx_launch_time(all->cost, i, all->rates) : NULL;
    }
    return NULL;
}

static void take_times_together(times *all) {
    enum { MOST = 8 };
    pthread_t others[MOST];
    size_t count = 0;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    while (count < MOST && (long)count + 1 < processors && count + 1 < all->cost->trace->launch_count &&
           pthread_create(&others[count], NULL, take_times, all) == 0) {
        count++;
    }
    (void)take_times(all);
    while (count > 0) {
        (void)pthread_join(others[--count], NULL);
    }
}

static json_t *launch_json(const fx_trace_launch *launch, json_t *time) {
    json_t *one = json_copy(launch->frame);
    json_object_set_new(one, "time", time);
    return one;
}

static json_t *launches_json(const fx_trace_cost *c, const fx_rates *rates) {
    FX_FREED json_t **of = fx_new(c->trace->launch_count, sizeof *of);
    times all = {.cost = c, .rates = rates, .of = of};
    if (rates) {
        take_times_together(&all);
    }
    return FX_JSON_LIST(i, c->trace->launch_count,
                        c->launches[i].wanted ? launch_json(&c->trace->launches[i], rates ? of[i] : json_null())
                                              : NULL);
}

/* Why what was recorded is not all of it; NULL: it is. */
static const char *unfinished(const fx_trace *trace, char text[48]) {
    const json_int_t signal = json_integer_value(json_object_get(trace->end, "signal")),
                     status = json_integer_value(json_object_get(trace->end, "status"));
    const char *how = signal ? "was killed by signal" : "ended with status";
    (void)snprintf(text, 48, "the program %s %d", how, (int)(signal ? signal : status));
    return trace->cut || !trace->end ? "the trace ends before its program did" : signal || status ? text : NULL;
}

/* The trace's own, and what this answer can't know. */
static json_t *notes_json(const fx_trace_cost *c, const char *why_cut) {
    bool of_global = false, sampled = false, at_most = false;
    for (size_t i = 0; i < c->row_count; i++) {
        const bool told = c->launches[c->rows[i].launch].wanted;
        of_global = of_global || (told && c->rows[i].of > FX_CLASS_MATRIX);
        at_most = at_most || (told && c->rows[i].of == FX_CLASS_SHARED_ATOMIC &&
                              !json_object_get(c->trace->instructions[c->rows[i].instruction].frame, "sass"));
    }
    for (size_t i = 0; i < c->trace->launch_count; i++) {
        sampled = sampled || (c->launches[i].wanted && c->launches[i].blocks < c->trace->launches[i].blocks);
    }
    const struct {
        bool holds;
        const char *code, *text;
    } all[] = {
        {why_cut, "incomplete", why_cut},
        {at_most, "atomics",
         "the machine code of shared-memory atomics is unknown: those that add 1 cost less if lanes share words"},
        {of_global, "caches",
         "what the L1 and the L2 serve is modelled: an L1 that the blocks of an SM share, and an L2 with what "
         "earlier recorded launches left"},
        {of_global && sampled, "sharing",
         "lines that recorded blocks share with other blocks are not modelled as shared, so the share of DRAM may be "
         "too high"},
        {of_global && c->assumed_l1, "l1",
         "the L1 size of this chip is unknown; 128 KiB including shared memory were assumed"},
        {!fx_access_costs_chip(c->costs)->archive, "no_archive",
         "no archive of this device or architecture has fits, so there are counts but no cycles"},
    };
    json_t *notes = json_copy(c->trace->notes);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].holds) {
            json_array_append_new(notes, json_pack("{ss ss}", "code", all[i].code, "text", all[i].text));
        }
    }
    return notes;
}

static fx_status print_take(json_t *taken, fx_error *err) {
    json_auto_t *out = taken;
    const bool written = !fx_text_print_json(stdout, out, 0) && putchar('\n') != EOF && !fflush(stdout);
    return written ? FX_OK : fx_fail(err, FX_IO, "the answer could not be written");
}

static fx_status print_cost(fx_trace_cost *cost, const fx_rates *rates, fx_error *err) {
    char text[48];
    const char *why_cut = unfinished(cost->trace, text);
    const fx_cost_chip *chip = fx_access_costs_chip(cost->costs);
    FX_OWNED(fx_hash_free)
    fx_hash_table known = {.size = sizeof(known_cures), .key = offsetof(known_cures, count)};
    json_t *launches = launches_json(cost, rates);
    const fx_cost_row *row = cost->rows;
    json_t *rows =
        FX_JSON_LIST(i, cost->row_count, cost->launches[row[i].launch].wanted ? row_json(cost, &row[i], &known) : NULL);
    return print_take(json_pack("{sO ss? ss ss sb so sO so so so}", "trace", cost->trace->header, "archive",
                                chip->archive, "chip", chip->name, "arch", chip->arch, "complete", !why_cut, "kernels",
                                FX_JSON_LIST(i, cost->trace->kernel_count, json_incref(cost->trace->kernels[i].frame)),
                                "calls", cost->trace->calls, "launches", launches, "rows", rows, "notes",
                                notes_json(cost, why_cut)),
                      err);
}

FX_OWNER(fx_trace_free, fx_trace)
FX_OWNER(fx_access_costs_free, fx_access_costs)
FX_OWNER(fx_trace_cost_free, fx_trace_cost)

static fx_status answer(const fx_options *options, fx_error *err) {
    const char *timed = getenv("GPUFX_RATES");
    fx_rates rates;
    FX_OWNED(fx_trace_free_at) fx_trace *trace = NULL;
    FX_OWNED(fx_access_costs_free_at) fx_access_costs *costs = NULL;
    FX_OWNED(fx_trace_cost_free_at) fx_trace_cost *cost = NULL;
    FX_TRY(fx_trace_read(options->words.text[0], &trace, err));
    FX_TRY(fx_access_costs_new(options, trace, &costs, err));
    if (timed) { /* the other side makes rates of it while this one counts */
        FX_TRY(print_take(json_pack("{ss?}", "archive", fx_access_costs_chip(costs)->archive), err));
    }
    FX_TRY(fx_trace_cost_new(costs, options->pattern.kernel, timed && !strcmp(timed, "cold"), trace, &cost, err));
    json_auto_t *told = timed ? json_loadf(stdin, 0, NULL) : NULL;
    FX_TRY(told ? fx_rates_read(told, &rates, err) : FX_OK);
    return print_cost(cost, told ? &rates : NULL, err);
}

int fx_verb_trace_cost(fx_call *call) {
    fx_error err = {0};
    return answer(&call->options, &err) ? fx_exit_for(&err) : FX_EXIT_OK;
}
