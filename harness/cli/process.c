/* Google Benchmark drives the order and the reports; the sampler inside the callback takes the samples. One iteration
 * of a benchmark is one whole case, with its median as manual time, so that our samples and its repetitions stay apart.
 */
#include "process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/search.h"
#include "core/text.h"
#include "fits.h"
#include "gate.h"
#include "progress.h"
#include "say.h"

/* A selected probe with what its result line will say. */
typedef struct group {
    const fx_probe *probe;
    fx_point *points; /* room for one per case: further repetitions are archived but not fitted */
    size_t point_count, room;
    fx_found *found; /* room for one per case; of a probe that searches */
    size_t found_count;
    size_t left; /* cases that the filter took and that have not ended */
    fx_tally tally;
    size_t flagged;
    double elapsed_s;
    bool reported;
} group;

typedef struct entry {
    fx_process *process;
    const fx_case *c;
    group *group;
    bool ended, warned, fitted; /* at least once */
    unsigned repetitions;       /* begun */
} entry;

/* A case that a search added. */
typedef struct added {
    fx_case c;
    entry e;
    struct added *next;
} added;

struct fx_process {
    const fx_options *options;
    const atomic_int *stop;
    fx_meter meter;
    entry *entries;
    group *groups;
    size_t entry_count, group_count;
    added *added;
    size_t counted; /* cases that Google Benchmark's filter leaves */
    fx_archive *archive;
    unsigned index;
    double began_s; /* the run */
    size_t begun;   /* cases, repetitions counted */
    fx_turn turn;   /* of the case that runs */
    fx_error ended; /* why no further case can run; FX_OK: nothing stands against it */
    size_t ran;
    double first_s,
        overhead_s; /* first_s: when the first case began; what Google Benchmark does once is not per case */
};

static void note(const entry *e, fx_outcome outcome) {
    size_t *counts[] = {&e->group->tally.cases, &e->group->tally.waived, &e->group->tally.failed};
    ++*counts[outcome];
    fx_progress_done(outcome);
}

fx_sampling fx_process_sampling(const fx_options *options) {
    fx_sampling sampling = fx_sampling_default(options->quick);
    if (isfinite(options->max_time_s)) {
        sampling.time_limit_s = options->max_time_s;
    }
    if (isfinite(options->precision_pct)) {
        sampling.precision = options->precision_pct / 100;
    }
    sampling.exactly = (size_t)options->samples;
    return sampling;
}

/* What a search needs to know of a case; its first repetition tells. */
static void remember(const entry *e, double median, double low, double high) {
    if (e->group->found && !e->ended) {
        e->group->found[e->group->found_count++] = (fx_found){e->c, median, low, high};
    }
}

static void set_counters(gb_state *state, const fx_case *c, const fx_result *result) {
    const fx_prediction *law = &c->prediction;
    const fx_metric *metric = &c->probe->metrics[law->metric];
    double median = result->summary.median, half = (result->summary.ci_high - result->summary.ci_low) / 2;
    double ns = fx_nanoseconds(metric, median, result->sm_clock_MHz);
    gb_set_counter(state, metric->name, median, GB_COUNTER_PLAIN);
    gb_set_counter(state, "samples", (double)result->n, GB_COUNTER_PLAIN);
    if (isfinite(half)) {
        gb_set_counter(state, "ci_half", half, GB_COUNTER_PLAIN);
    }
    if (law->law) {
        gb_set_counter(state, law->law, law->count, GB_COUNTER_PLAIN);
    }
    if (law->useful_bytes > 0 && isfinite(ns)) {
        gb_set_counter(state, "useful_GBps", law->useful_bytes / ns, GB_COUNTER_PLAIN);
    }
    if (law->moved_bytes > 0 && isfinite(ns)) {
        gb_set_counter(state, "moved_GBps", law->moved_bytes / ns, GB_COUNTER_PLAIN);
    }
}

/* "precision", or "max_samples: drift, throttled (sw_power_cap; clock recorded by the SM)". */
static void set_label(gb_state *state, const fx_result *result) {
    char label[512], limits[256];
    int at = snprintf(label, sizeof label, "%s", fx_stop_name(result->stop));
    fx_throttle_text(result, limits, sizeof limits);
    for (uint32_t flag = 1, first = 1; flag && at > 0 && (size_t)at < sizeof label; flag <<= 1) {
        if ((result->flags & flag) && fx_flag_name(flag)) {
            const bool limited = flag == FX_FLAG_THROTTLED;
            at += snprintf(label + at, sizeof label - (size_t)at, "%s%s%s%s%s", first ? ": " : ", ", fx_flag_name(flag),
                           limited ? " (" : "", limited ? limits : "", limited ? ")" : "");
            first = 0;
        }
    }
    gb_set_label(state, label);
}

/* The seconds that Google Benchmark shows: the median as time; a rate, which is no time, at 1 ns a unit. */
static double iteration_s(const fx_case *c, const fx_result *result) {
    const fx_metric *metric = &c->probe->metrics[c->prediction.metric];
    double clock_MHz = isfinite(result->sm_clock_MHz) ? result->sm_clock_MHz : result->after.sm_MHz;
    double ns = fx_nanoseconds(metric, result->summary.median, clock_MHz);
    if (!isfinite(ns)) {
        ns = result->summary.median;
    }
    return isfinite(ns) && ns >= 0 ? ns * 1e-9 : 0;
}

static fx_status archive_outcome(fx_process *process, const entry *e, fx_outcome outcome, const fx_result *result,
                                 const fx_error *cause) {
    fx_error err = {0};
    fx_status status = FX_OK;
    if (!process->archive) {
        return FX_OK;
    }
    if (outcome == FX_MEASURED) {
        status = fx_archive_case(process->archive, &process->turn, e->c, result, &process->meter.face.facts, &err);
    } else if (outcome == FX_WAIVED) {
        status = fx_archive_waived(process->archive, &process->turn, e->c, cause->text, &err);
    } else {
        status = fx_archive_failed(process->archive, &process->turn, e->c, cause, &err);
    }
    if (status) {
        process->ended = err;
    }
    return status;
}

static void waive(entry *e, gb_state *state, const char *reason) {
    fx_error cause = {.status = FX_UNSUPPORTED};
    (void)snprintf(cause.text, sizeof cause.text, "%s", reason);
    fx_error shown = cause;
    gb_skip_with_message(state, fx_text_safe(shown.text));
    remember(e, NAN, NAN, NAN);
    if (!archive_outcome(e->process, e, FX_WAIVED, NULL, &cause)) {
        note(e, FX_WAIVED);
    }
}

static void fail(entry *e, gb_state *state, const fx_error *cause) {
    fx_error shown = *cause;
    gb_skip_with_error(state, fx_text_safe(shown.text));
    size_t length = strlen(e->c->name);
    bool named = !strncmp(cause->text, e->c->name, length);
    if (!e->warned) {
        fx_warn("%s failed%s%s", e->c->name, named ? "" : ": ", cause->text + (named ? length : 0));
    }
    e->warned = true;
    remember(e, NAN, NAN, NAN);
    if (archive_outcome(e->process, e, FX_FAILED, NULL, cause)) {
        return;
    }
    note(e, FX_FAILED);
    if (cause->status == FX_DEVICE_LOST) {
        e->process->ended = *cause;
    }
}

static void keep(entry *e, gb_state *state, const fx_result *result) {
    group *g = e->group;
    set_counters(state, e->c, result);
    set_label(state, result);
    if (archive_outcome(e->process, e, FX_MEASURED, result, NULL)) {
        return;
    }
    note(e, FX_MEASURED);
    remember(e, result->summary.median, result->summary.ci_low, result->summary.ci_high);
    g->flagged += result->flags != 0;
    if (e->c->prediction.law && e->c->prediction.in_fit && !e->fitted) {
        g->points[g->point_count++] = (fx_point){e->c, result->summary.median};
    }
    e->fitted = true;
}

static void measure(entry *e, gb_state *state) {
    fx_process *process = e->process;
    fx_sampling sampling = fx_process_sampling(process->options);
    sampling.stop = process->stop;
    fx_error err = {0};
    fx_result result = {0};
    uint64_t seed = fx_random_at((uint64_t)process->options->seed, process->index);
    fx_status status = fx_sampler_run(&process->meter.face, e->c, &sampling, seed, &result, &err);
    process->ran++;
    if (status == FX_OK) {
        keep(e, state, &result);
    } else if (status == FX_INTERRUPTED) {
        process->ended = err;
    } else if (status == FX_UNSUPPORTED) {
        waive(e, state, err.text);
    } else {
        fail(e, state, &err);
    }
    if (status == FX_OK) {
        gb_set_iteration_time(state, iteration_s(e->c, &result));
    }
    fx_result_free(&result);
}

static int print_share(char *to, size_t size, size_t right, size_t predicted, int within_pct) {
    return predicted ? snprintf(to, size, " %.1f %% of %zu within %d %%,", 100 * (double)right / (double)predicted,
                                predicted, within_pct)
                     : 0;
}

/* "; 18 fits; held out: 97.5 % of 410 within 2 %, measured/predicted 0.960 to 1.170". */
static void print_fits(char *to, size_t size, const fx_fits *fits) {
    int at = snprintf(to, size, "; %zu fit%s", fits->count, fits->count == 1 ? "" : "s");
    if (fits->on_sm.predicted + fits->on_chip.predicted) {
        at += snprintf(to + at, size - (size_t)at, "; held out:");
        at += print_share(to + at, size - (size_t)at, fits->on_sm.right, fits->on_sm.predicted, 2);
        at += print_share(to + at, size - (size_t)at, fits->on_chip.right, fits->on_chip.predicted, 10);
        (void)snprintf(to + at, size - (size_t)at, " measured/predicted %.3f to %.3f", fits->least, fits->most);
    }
}

/* "PROBE: 412 measured, 3 waived, 7 flagged in 12.3 s", and what came of the fits. */
static void report(fx_process *process, group *g) {
    fx_error err = {0};
    fx_fits fits;
    char line[768];
    /* An archive that could not be written has been reported. */
    fx_archive *archive = process->ended.status == FX_IO ? NULL : process->archive;
    g->reported = true;
    if (process->options->only_fd >= 0 || process->options->missing_from) {
        /* Some cases alone: no line can be drawn through these that says anything of a law. */
        fits = (fx_fits){0};
    } else if (fx_fits_make(g->probe, g->points, g->point_count, archive, (int)process->index, &fits, &err)) {
        if (err.status == FX_IO && !process->ended.status) {
            process->ended = err;
        } else {
            fx_warn("%s: %s", g->probe->name, err.text);
        }
    }
    if (!g->tally.cases && !g->tally.waived && !g->tally.failed) {
        return;
    }
    int at = snprintf(line, sizeof line, "%s: %zu measured", g->probe->name, g->tally.cases);
    if (g->tally.waived) {
        at += snprintf(line + at, sizeof line - (size_t)at, ", %zu waived", g->tally.waived);
    }
    if (g->tally.failed) {
        at += snprintf(line + at, sizeof line - (size_t)at, ", %zu failed", g->tally.failed);
    }
    if (g->flagged) {
        at += snprintf(line + at, sizeof line - (size_t)at, ", %zu flagged", g->flagged);
    }
    at += snprintf(line + at, sizeof line - (size_t)at, " in %.1f s", g->elapsed_s);
    if (fits.count) {
        print_fits(line + at, sizeof line - (size_t)at, &fits);
    }
    fx_progress_result(line);
    if (fits.broken) {
        (void)snprintf(line, sizeof line, "  LAW DOES NOT HOLD in %zu of them; the worst: %s", fits.broken, fits.worst);
        fx_progress_result(line);
    }
}

/* One case; without a state of Google Benchmark's it is none of its benchmarks. */
static void run_one(entry *e, gb_state *state) {
    fx_process *process = e->process;
    double from = fx_now_s();
    if (process->first_s <= 0) {
        process->first_s = from;
    }
    process->turn = (fx_turn){.process = process->index,
                              .place = process->begun++,
                              .repetition = e->repetitions++,
                              .began_s = from - process->began_s};
    fx_progress_case(e->c->name);
    if (e->c->waived) {
        waive(e, state, e->c->waived);
    } else {
        measure(e, state);
    }
    if (process->ended.status == FX_INTERRUPTED) {
        gb_skip_with_message(state, "interrupted");
    }
    e->group->elapsed_s += fx_now_s() - from;
}

static bool has_stopped(fx_process *process) {
    if (!process->ended.status && atomic_load(process->stop)) {
        (void)fx_fail(&process->ended, FX_INTERRUPTED, "interrupted");
    }
    return process->ended.status != FX_OK;
}

/* Whether a text of --axis is about the axis: NAME=VALUES. */
static bool is_about(const char *text, const char *axis) {
    const size_t length = strcspn(text, "=");
    return strlen(axis) == length && !memcmp(text, axis, length);
}

/* Room for the cases of one more step. */
static bool make_room(group *g) {
    const size_t room = g->room + FX_SEARCH_ADDS;
    fx_point *points = realloc(g->points, room * sizeof *points);
    g->points = points ? points : g->points;
    fx_found *found = points ? realloc(g->found, room * sizeof *found) : NULL;
    g->found = found ? found : g->found;
    g->room = found ? room : g->room;
    return found != NULL;
}

static fx_status add_case(group *g, const fx_step *step, size_t i, fx_process *process, fx_error *err) {
    added *one = calloc(1, sizeof *one);
    if (!one) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while searching where a cost changes");
    }
    one->next = process->added;
    process->added = one;
    const fx_status status =
        fx_case_make(g->probe, &process->meter.face.facts, step->sweep, &step->params[i], &one->c, err);
    if (status != FX_OK) {
        return status;
    }
    one->c.searched = true;
    one->e = (entry){.process = process, .c = &one->c, .group = g};
    if (one->c.waived) {
        remember(&one->e, NAN, NAN, NAN); /* there is no such case, so the search ends here */
        return FX_OK;
    }
    fx_progress_more(1);
    run_one(&one->e, NULL);
    return FX_OK;
}

/* Adds the cases that the probe's searches ask for, one step after the other. */
static void search(fx_process *process, group *g) {
    bool fixed[FX_MAX_AXES] = {false};
    fx_error err = {0};
    fx_step step = {.count = 0};
    for (size_t a = 0; a < g->probe->axes_count; a++) {
        for (size_t i = 0; i < process->options->axes.count; i++) {
            fixed[a] = fixed[a] || is_about(process->options->axes.text[i], g->probe->axes[a].name);
        }
    }
    do {
        if (fx_search_next(g->probe, fixed, g->found, g->found_count, &step, &err) != FX_OK) {
            break;
        }
        if (step.count && !make_room(g)) {
            (void)fx_fail(&err, FX_NO_MEMORY, "out of memory while searching where a cost changes");
            break;
        }
        for (size_t i = 0; i < step.count && !err.status && !has_stopped(process); i++) {
            (void)add_case(g, &step, i, process, &err);
        }
    } while (step.count && !err.status && !has_stopped(process));
    if (err.status) {
        fx_warn("%s: %s", g->probe->name, err.text);
    }
}

/* What one iteration of the benchmark does. */
static void run_entry(entry *e, gb_state *state) {
    fx_process *process = e->process;
    if (has_stopped(process)) {
        gb_skip_with_message(state, "not run: the run has ended");
        return;
    }
    fx_gate_wait((int)process->options->gate_out, (int)process->options->gate_in);
    run_one(e, state);
    if (!e->ended && !process->ended.status) {
        e->ended = true;
        if (--e->group->left == 0) {
            if (e->group->found) {
                search(process, e->group);
            }
            report(process, e->group);
        }
    }
}

static void run_case(gb_state *state, void *context) {
    while (gb_keep_running(state)) {
        run_entry(context, state);
    }
}

/* The order in which the cases run, owned: probes among each other and cases of a probe are shuffled, and a probe stays
 * together. In one and the same order heat, throttling and what a case leaves in the caches would fall on the same case
 * each time. Cases of a probe are neighbours in the list. */
static uint32_t *order_of(const fx_case_list *cases, uint64_t seed, bool shuffled) {
    uint32_t *order = calloc(3 * cases->count + 1, sizeof *order), probes = 0, at = 0;
    if (!order) {
        return NULL;
    }
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

fx_status fx_process_new(const fx_options *options, fx_device *device, const fx_case_list *cases, bool shuffled,
                         const atomic_int *stop, fx_process **out, fx_error *err) {
    uint32_t *order = NULL;
    fx_process *process = calloc(1, sizeof *process);
    if (process) {
        process->entries = calloc(cases->count + 1, sizeof *process->entries);
        process->groups = calloc(cases->count + 1, sizeof *process->groups);
    }
    if (!process || !process->entries || !process->groups) {
        goto no_memory;
    }
    process->options = options;
    process->stop = stop;
    fx_meter_on(&process->meter, device);
    order = order_of(cases, shuffled ? fx_random_at((uint64_t)options->seed, (uint64_t)options->process) : 0, shuffled);
    if (!order) {
        goto no_memory;
    }
    for (size_t i = 0; i < cases->count; i++) {
        const fx_case *c = &cases->cases[order[i]];
        size_t g = 0;
        while (g < process->group_count && process->groups[g].probe != c->probe) {
            g++;
        }
        if (g == process->group_count) {
            process->groups[process->group_count++].probe = c->probe;
        }
        process->groups[g].room++;
        entry *e = &process->entries[process->entry_count++];
        *e = (entry){.process = process, .c = c, .group = &process->groups[g]};
        if (gb_register(&(gb_benchmark){
                .name = c->name, .run = run_case, .context = e, .clock = GB_CLOCK_MANUAL, .iterations = 1})) {
            (void)fx_fail(err, FX_NO_MEMORY, "%s can't be registered: %s", c->name, gb_last_error());
            free(order);
            fx_process_free(process);
            return err->status;
        }
    }
    for (size_t g = 0; g < process->group_count; g++) {
        group *one = &process->groups[g];
        if (!(one->points = calloc(one->room, sizeof *one->points))) {
            goto no_memory;
        }
    }
    free(order);
    *out = process;
    return FX_OK;
no_memory:
    free(order);
    fx_process_free(process);
    return fx_fail(err, FX_NO_MEMORY, "out of memory while registering cases");
}

/* Google Benchmark adds "/iterations:1/manual_time" to a name; the probe is what stands before the first slash. */
static bool count_name(const char *name, void *context) {
    fx_process *process = context;
    size_t length = strcspn(name, "/");
    for (size_t g = 0; g < process->group_count; g++) {
        if (strlen(process->groups[g].probe->name) == length && !memcmp(process->groups[g].probe->name, name, length)) {
            process->groups[g].left++;
        }
    }
    return true;
}

fx_status fx_process_count(fx_process *process, size_t *count, fx_error *err) {
    *count = 0;
    for (size_t g = 0; g < process->group_count; g++) {
        process->groups[g].left = 0;
    }
    if (gb_list_matching(NULL, count_name, process)) {
        return fx_fail(err, FX_BAD_INPUT, "--benchmark_filter can't be used: %s", gb_last_error());
    }
    for (size_t g = 0; g < process->group_count; g++) {
        *count += process->groups[g].left;
    }
    process->counted = *count;
    return FX_OK;
}

static void no_report(void *context, const gb_run *runs, size_t count) {
    (void)context, (void)runs, (void)count;
}

/* The first process of a run searches, and the others measure what it added (added.h). Of cases that the user has
 * picked one by one nothing is searched, nor where nothing is kept. */
static fx_status prepare_searches(fx_process *process, fx_error *err) {
    const fx_options *options = process->options;
    if (process->index || !process->archive || options->quick || options->filter || options->only ||
        options->profiled || options->only_fd >= 0 || process->counted != process->entry_count) {
        return FX_OK;
    }
    for (size_t g = 0; g < process->group_count; g++) {
        group *one = &process->groups[g];
        if (one->probe->searches_count && !(one->found = calloc(one->room, sizeof *one->found))) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while searching where a cost changes");
        }
    }
    return FX_OK;
}

fx_status fx_process_run(fx_process *process, fx_archive *archive, unsigned index, double began_s, bool own_display,
                         fx_error *err) {
    /* Progress speaks through fx_progress_*; this reporter keeps Google Benchmark from speaking too. */
    static const gb_reporter quiet = {.runs = no_report};
    fx_device *device = process->meter.behind;
    process->archive = archive;
    process->index = index;
    process->began_s = began_s;
    if (prepare_searches(process, err)) {
        return err->status;
    }
    if (device->warm_up(device, process->options->quick ? 0.2 : 1.0, err)) {
        return err->status;
    }
    if (gb_run_benchmarks(NULL, own_display ? NULL : &quiet, NULL)) {
        return fx_fail(err, FX_BAD_INPUT, "Google Benchmark: %s", gb_last_error());
    }
    process->overhead_s = fx_now_s() - process->first_s - process->meter.inside_s - process->meter.clocks_s;
    for (size_t g = 0; g < process->group_count; g++) {
        if (!process->groups[g].reported) {
            report(process, &process->groups[g]);
        }
    }
    if (process->ended.status) {
        *err = process->ended;
    }
    return process->ended.status;
}

fx_overhead fx_process_overhead(const fx_process *process) {
    double per_case = process->ran ? 1e3 / (double)process->ran : NAN;
    return (fx_overhead){per_case * process->overhead_s, per_case * process->meter.clocks_s};
}

void fx_process_free(fx_process *process) {
    if (!process) {
        return;
    }
    for (size_t g = 0; process->groups && g < process->group_count; g++) {
        free(process->groups[g].points);
        free(process->groups[g].found);
    }
    while (process->added) {
        added *next = process->added->next;
        free(process->added);
        process->added = next;
    }
    free(process->groups);
    free(process->entries);
    free(process);
}
