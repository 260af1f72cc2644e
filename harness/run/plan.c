/* The choice of cases to measure once more (fx_plan_repeat_more) and what a finished archive is judged by
 * (plot/gpufx_plot/statistics/spread.py) both lean the spread of a case on those of its probe, but they are two rules
 * on purpose. An error costs a process or saves one here; there it would be a false verdict, so the expectation is a
 * line through all cases, worth as many degrees of freedom as their scatter says, and cases with two states are told
 * apart. */
#include "plan.h"

#include "core/fit.h"
#include "core/random.h"
#include "core/stats.h"

enum { EXPECTED_FREEDOM = 4 };
static const double LEAST_SPREAD = 5e-5;  /* what clocks and rounding resolve */
static const double UNKNOWN_FACTOR = 3.0; /* spread between processes over that inside, where no case tells */

void fx_plan_settle(fx_plan *plan, fx_options *options, bool synthetic, bool one, uint64_t (*random)(void)) {
    plan->new_seed = -1;
    if (options->run.processes == 0) {
        const bool single = one || synthetic || options->quick || options->run.no_archive;
        plan->usual = options->parent.usual || !single;
        options->run.processes = plan->usual ? FX_USUAL_PROCESSES : 1;
        options->run.by_need = plan->usual;
    }
    if (options->seed < 0) {
        options->seed = synthetic ? FX_SYNTHETIC_SEED : (int64_t)(random() >> 32);
        plan->new_seed = synthetic ? -1 : options->seed;
    }
    plan->processes = (size_t)options->run.processes;
    plan->by_need = options->run.by_need;
    plan->first = plan->by_need ? FX_FIRST_PROCESSES : plan->processes;
}

typedef struct searching {
    fx_plan *plan;
    const fx_facts *facts;
} searching;

static bool read_value(const fx_axis *axis, const json_t *value, int64_t *out) {
    const char *wanted = json_string_value(value);
    char text[64];
    if (!axis->choices) {
        *out = json_integer_value(value);
        return json_is_integer(value);
    }
    for (*out = 0; wanted && fx_axis_choice(axis, *out, text, sizeof text); ++*out) {
        if (!strcmp(text, wanted)) {
            return true;
        }
    }
    return false;
}

/* Reads the params of a case line; false where a value is missing or none of its axis. */
static bool read_params(const fx_probe *probe, const json_t *params, fx_params *out) {
    *out = (fx_params){0};
    for (size_t i = 0; i < probe->axes_count; i++) {
        if (!read_value(&probe->axes[i], json_object_get(params, probe->axes[i].name), &out->value[i])) {
            return false;
        }
    }
    return true;
}

static fx_status add_searched(void *context, const json_t *object, size_t number, fx_error *err) {
    searching *s = context;
    fx_case_list *cases = &s->plan->cases;
    const char *probe = json_string_value(json_object_get(object, "probe"));
    const char *sweep = json_string_value(json_object_get(object, "sweep"));
    const fx_case *beside = NULL;
    fx_params params;
    fx_case c;
    if (number == 1 || !probe || !sweep || !json_is_true(json_object_get(object, "searched")) ||
        json_integer_value(json_object_get(object, "process")) != 0) {
        return FX_OK;
    }
    for (size_t i = 0; i < cases->count && !beside; i++) {
        const fx_case *at = &cases->cases[i];
        beside = !strcmp(at->probe->name, probe) && at->sweep && !strcmp(at->sweep->name, sweep) ? at : NULL;
    }
    if (!beside || !read_params(beside->probe, json_object_get(object, "params"), &params)) {
        return FX_OK;
    }
    memcpy(params.named, beside->params.named, sizeof params.named);
    FX_TRY(fx_case_make(beside->probe, s->facts, beside->sweep, &params, &c, err));
    for (size_t i = 0; i < cases->count; i++) {
        if (!strcmp(cases->cases[i].name, c.name)) {
            return FX_OK;
        }
    }
    c.searched = true;
    fx_case_list_add(cases, &c);
    return FX_OK;
}

fx_status fx_plan_add_searched(fx_plan *plan, const fx_facts *facts, const char *path, fx_error *err) {
    static const char *const types[] = {"case", "failed"};
    searching s = {.plan = plan, .facts = facts};
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        FX_TRY(fx_archive_read_with(path, types[i], "\"searched\":true", add_searched, &s, NULL, err));
    }
    return FX_OK;
}

fx_status fx_plan_keep(fx_plan *plan, const char *chosen, fx_error *err) {
    const size_t count = strlen(chosen);
    FX_FAIL_IF(count != plan->cases.count, err, FX_BAD_INPUT,
               "the parent of this process chose from %zu cases, and there are %zu", count, plan->cases.count);
    fx_case_list_keep(&plan->cases, chosen);
    return FX_OK;
}

fx_status fx_plan_narrow(fx_plan *plan, const fx_options *options, const fx_facts *facts, fx_error *err) {
    const fx_parent_record *parent = &options->parent;
    if (parent->append && parent->process > 0) {
        FX_TRY(fx_plan_add_searched(plan, facts, parent->append, err));
    }
    return parent->chosen ? fx_plan_keep(plan, parent->chosen, err) : FX_OK;
}

void fx_plan_repeat_add(fx_plan_repeat *r, double median, double ci_low, double ci_high) {
    double value = log(median), away = value - r->mean;
    r->count++;
    r->mean += away / (double)r->count;
    r->squares += away * (value - r->mean);
    if (ci_low > 0 && ci_high >= ci_low) {
        double error = log(ci_high / ci_low) / 2 / FX_NORMAL_95;
        r->inside += error * error;
        r->known++;
    }
}

/* The variance inside the processes, never below what clocks resolve: it is a divisor. */
static double inside(const fx_plan_repeat *r) {
    return (r->known ? r->inside / (double)r->known : 0) + LEAST_SPREAD * LEAST_SPREAD;
}

/* The usual ratio of a group: variance between processes over that inside, the median over its cases. */
static double usual_ratio(const fx_plan_repeat *repeats, size_t count, size_t group, double *scratch) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const fx_plan_repeat *r = &repeats[i];
        if (r->group == group && r->count > 1) {
            const double freedom = (double)r->count - 1,
                         x = 1 - 2 / (9 * freedom); /* its median: Wilson, Hilferty 1931 */
            scratch[n++] = r->squares / freedom / inside(r) / (x * x * x);
        }
    }
    return n ? fx_median_finite(scratch, n) : UNKNOWN_FACTOR * UNKNOWN_FACTOR;
}

/* Of the 95 % interval of the mean. */
static double half_width(const fx_plan_repeat *r, double ratio) {
    size_t freedom = r->count - 1 + EXPECTED_FREEDOM;
    double variance = (r->squares + EXPECTED_FREEDOM * ratio * inside(r)) / (double)freedom;
    return fx_student_t95(freedom) * sqrt(variance / (double)r->count);
}

void fx_plan_repeat_more(const fx_plan_repeat *repeats, size_t count, double precision, bool *more) {
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        groups = repeats[i].group >= groups ? repeats[i].group + 1 : groups;
    }
    FX_FREED double *scratch = fx_new(count, sizeof *scratch), *ratio = fx_new(groups, sizeof *ratio);
    for (size_t g = 0; g < groups; g++) {
        ratio[g] = usual_ratio(repeats, count, g, scratch);
    }
    for (size_t i = 0; i < count; i++) {
        const fx_plan_repeat *r = &repeats[i];
        more[i] = r->unmet || r->count == 1 || (r->count > 1 && half_width(r, ratio[r->group]) > precision);
    }
}

typedef struct reading {
    const fx_case_list *cases;
    fx_case_index index;
    fx_plan_repeat *repeats; /* in the order of the list */
    double *took_s;          /* by all processes together */
} reading;

/* Takes a case, or one that was waived or failed: these have no median. */
static fx_status read_case(void *context, const json_t *object, size_t number, fx_error *err) {
    reading *r = context;
    const char *name = json_string_value(json_object_get(object, "name"));
    const double median = json_number_value(json_object_get(object, "median"));
    const json_t *ends = json_object_get(object, "ci95");
    if (number == 1 || !name || json_object_get(object, "repetition")) {
        return FX_OK;
    }
    const size_t at = fx_case_index_find(&r->index, r->cases, name);
    if (at < r->cases->count) {
        r->repeats[at].unmet = false;
        if (median > 0) {
            fx_plan_repeat_add(&r->repeats[at], median, json_number_value(json_array_get(ends, 0)),
                               json_number_value(json_array_get(ends, 1)));
            r->took_s[at] += json_number_value(json_object_get(object, "elapsed_s"));
        }
    }
    return FX_OK;
}

/* Sets more[i] where the archive leaves case i open. */
static fx_status read_archive(const fx_plan *plan, const char *path, bool *more, fx_error *err) {
    static const char *const types[] = {"case", "waived", "failed"};
    const fx_case_list *cases = &plan->cases;
    FX_FREED fx_plan_repeat *repeats = fx_new(cases->count, sizeof *repeats);
    FX_FREED double *took_s = fx_new(cases->count, sizeof *took_s);
    reading r = {.cases = cases, .index = fx_case_index_make(cases), .repeats = repeats, .took_s = took_s};
    FX_FREED void *owned = r.index.sorted;
    for (size_t i = 0, group = 0; i < cases->count; i++) {
        /* Cases of a probe are neighbours in the list. */
        group += i > 0 && cases->cases[i].probe != cases->cases[i - 1].probe;
        r.repeats[i] = (fx_plan_repeat){.group = group, .unmet = true};
    }
    for (size_t i = 0; i < FX_COUNT(types); i++) { /* what is of no type is left to the archive's end */
        FX_TRY(fx_archive_read(path, types[i], read_case, &r, NULL, err));
    }
    fx_plan_repeat_more(r.repeats, cases->count, FX_PRECISION_BETWEEN, more);
    for (size_t i = 0; plan->usual && i < cases->count; i++) {
        more[i] = more[i] && r.took_s[i] <= FX_USUAL_LONGEST_S;
    }
    return FX_OK;
}

size_t fx_plan_once(const fx_plan *plan) {
    const fx_case_list *cases = &plan->cases;
    size_t count = 0;
    for (size_t i = 0; plan->usual && i < cases->count; i++) {
        count += cases->cases[i].probe->once;
    }
    return count < cases->count ? count : 0;
}

fx_status fx_plan_next(fx_plan *plan, const fx_facts *facts, const char *archive, size_t process, char **chosen,
                       size_t *cases, ptrdiff_t *unexpected, fx_error *err) {
    *chosen = NULL;
    *unexpected = 0;
    if (process == 1 && archive) {
        const size_t before = plan->cases.count;
        FX_TRY(fx_plan_add_searched(plan, facts, archive, err));
        *unexpected = (ptrdiff_t)((plan->cases.count - before) * (plan->first - 1));
    }
    *cases = plan->cases.count;
    const bool first = process < FX_FIRST_PROCESSES;
    if (process == 0 || !plan->by_need || (first && !plan->usual)) {
        return FX_OK;
    }
    FX_FREED bool *more = fx_new(plan->cases.count, sizeof *more);
    FX_TRY(read_archive(plan, archive, more, err));
    const size_t once = fx_plan_once(plan);
    *chosen = fx_new(plan->cases.count + 1, 1);
    *cases = 0;
    for (size_t i = 0; i < plan->cases.count; i++) {
        const bool wanted = more[i] && !(once && plan->cases.cases[i].probe->once);
        (*chosen)[i] = wanted ? '1' : '0';
        *cases += wanted;
    }
    const ptrdiff_t expected = first ? (ptrdiff_t)(plan->cases.count - once) : 0;
    *unexpected += ((ptrdiff_t)*cases - expected) * (ptrdiff_t)plan->repetitions;
    return FX_OK;
}

uint32_t *fx_plan_order(const fx_case_list *cases, uint64_t seed, bool shuffled) {
    uint32_t *order = fx_new(3 * cases->count, sizeof *order), probes = 0, at = 0;
    uint32_t *first = order + cases->count, *turn = first + cases->count; /* of each probe; of the probes */
    for (uint32_t i = 0; i < cases->count; i++) {
        order[i] = i;
        if (i == 0 || cases->cases[i].probe != cases->cases[i - 1].probe) {
            first[probes++] = i;
        }
    }
    if (!shuffled) {
        return order;
    }
    fx_random_order(seed, turn, probes);
    for (uint32_t p = 0; p < probes; p++) {
        const uint32_t from = first[turn[p]];
        const uint32_t to = turn[p] + 1 < probes ? first[turn[p] + 1] : (uint32_t)cases->count;
        fx_random_order(fx_random_at(seed, turn[p]), order + at, to - from);
        for (uint32_t i = 0; i < to - from; i++) {
            order[at++] += from;
        }
    }
    return order;
}
