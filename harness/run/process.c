/* Google Benchmark drives the order and the reports; the sampler inside the callback takes the samples. One iteration
 * of a benchmark is one whole case, with its median as manual time, so our samples and its repetitions stay apart. */
#include "process.h"

#include "call/message.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/search.h"
#include "core/text.h"
#include "plan.h"
#include "progress.h"
#include "run_fits.h"

/* A selected probe with what its result line will say. */
typedef struct group {
    const fx_probe *probe;
    fx_case_median *points; /* one per case: further repetitions are archived but not fitted */
    size_t point_count;
    bool searches;
    fx_searched_case *found; /* of a probe that searches */
    size_t found_count;
    size_t left; /* cases that have not ended */
    fx_counts tally;
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
    fx_device *device;
    entry *entries;
    group *groups;
    size_t entry_count, group_count;
    added *added;
    fx_archive *archive;
    unsigned index;
    double began_s;       /* the run */
    size_t begun;         /* cases, repetitions counted */
    fx_run_position turn; /* of the case that runs */
    fx_error ended;       /* why no further case can run; FX_OK: nothing stands against it */
};

/* One case. */

static void note(const entry *e, fx_outcome outcome) {
    size_t *counts[] = {&e->group->tally.cases, &e->group->tally.waived, &e->group->tally.failed};
    ++*counts[outcome];
    fx_progress_done(outcome);
}

fx_sampling fx_process_sampling(const fx_options *options) {
    const bool of_several = options->run.processes > 1 || options->parent.child;
    fx_sampling sampling = of_several && !options->quick ? fx_sampling_short() : fx_sampling_default(options->quick);
    if (isfinite(options->run.max_time_s)) {
        sampling.time_limit_s = options->run.max_time_s;
    }
    if (isfinite(options->run.precision_pct)) {
        sampling.precision = options->run.precision_pct / 100;
    }
    sampling.exactly = (size_t)options->run.samples;
    return sampling;
}

/* What a search needs to know of a case; its first repetition tells. */
static void remember(const entry *e, double median, double low, double high) {
    group *g = e->group;
    if (g->searches && !e->ended) {
        fx_grow(&g->found, g->found_count, sizeof *g->found);
        g->found[g->found_count++] = (fx_searched_case){e->c, median, low, high};
    }
}

/* A case that is waived (FX_UNSUPPORTED) or failed. */
static void skip(entry *e, gb_state *state, const fx_error *cause) {
    fx_process *process = e->process;
    const bool waived = cause->status == FX_UNSUPPORTED;
    const size_t length = strlen(e->c->name);
    const bool named = !strncmp(cause->text, e->c->name, length);
    fx_error shown = *cause;
    (waived ? gb_skip_with_message : gb_skip_with_error)(state, fx_text_safe(shown.text));
    if (!waived && !e->warned) {
        fx_warn("%s failed%s%s", e->c->name, named ? "" : ": ", cause->text + (named ? length : 0));
        e->warned = true;
    }
    remember(e, NAN, NAN, NAN);
    if (process->archive &&
        fx_archive_skipped(process->archive, &process->turn, e->c, cause->status, cause->text, &process->ended)) {
        return;
    }
    note(e, waived ? FX_WAIVED : FX_FAILED);
    if (cause->status == FX_DEVICE_LOST) {
        process->ended = *cause;
    }
}

static void set_counters(gb_state *state, const fx_case *c, const fx_result *result) {
    const fx_prediction *law = &c->prediction;
    const fx_metric *metric = &c->probe->metrics[law->metric];
    double median = result->summary.median, half = (result->summary.ci_high - result->summary.ci_low) / 2;
    double ns = fx_nanoseconds(metric, median, result->sm_clock_MHz);
    gb_set_counter(state, metric->name, median);
    gb_set_counter(state, "samples", (double)result->n);
    if (isfinite(half)) {
        gb_set_counter(state, "ci_half", half);
    }
    if (law->law) {
        gb_set_counter(state, law->law, law->count);
    }
    if (law->useful_bytes > 0 && isfinite(ns)) {
        gb_set_counter(state, "useful_GBps", law->useful_bytes / ns);
    }
    if (law->moved_bytes > 0 && isfinite(ns)) {
        gb_set_counter(state, "moved_GBps", law->moved_bytes / ns);
    }
}

/* "precision", or "max_samples: drift, throttled". */
static void set_label(gb_state *state, const fx_result *result) {
    char label[512];
    const char *before = ": ";
    (void)snprintf(label, sizeof label, "%s", fx_stop_name(result->stop));
    for (uint32_t flag = 1; flag; flag <<= 1) {
        if ((result->flags & flag) && fx_flag_name(flag)) {
            fx_text_add(label, sizeof label, "%s%s", before, fx_flag_name(flag));
            before = ", ";
        }
    }
    gb_set_label(state, label);
}

/* The seconds that Google Benchmark shows: the median as time; a rate, which is no time, at 1 ns a unit. */
static double shown_s(const fx_case *c, const fx_result *result) {
    const fx_metric *metric = &c->probe->metrics[c->prediction.metric];
    double clock_MHz = isfinite(result->sm_clock_MHz) ? result->sm_clock_MHz : result->after.sm_MHz;
    double ns = fx_nanoseconds(metric, result->summary.median, clock_MHz);
    if (!isfinite(ns)) {
        ns = result->summary.median;
    }
    return isfinite(ns) && ns >= 0 ? ns * 1e-9 : 0;
}

static void keep(entry *e, gb_state *state, const fx_result *result) {
    group *g = e->group;
    fx_process *process = e->process;
    set_counters(state, e->c, result);
    set_label(state, result);
    if (process->archive &&
        fx_archive_case(process->archive, &process->turn, e->c, result, &process->device->facts, &process->ended)) {
        return;
    }
    note(e, FX_MEASURED);
    remember(e, result->summary.median, result->summary.ci_low, result->summary.ci_high);
    g->flagged += result->flags != 0;
    if (fx_prediction_in_fit(&e->c->prediction) && !e->fitted) {
        fx_grow(&g->points, g->point_count, sizeof *g->points);
        g->points[g->point_count++] = (fx_case_median){e->c, result->summary.median};
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
    fx_status status = fx_sampler_run(process->device, e->c, &sampling, seed, &result, &err);
    if (status == FX_OK) {
        keep(e, state, &result);
        gb_set_iteration_time(state, shown_s(e->c, &result));
    } else if (status == FX_INTERRUPTED) {
        process->ended = err;
    } else {
        skip(e, state, &err);
    }
    fx_result_free(&result);
}

/* A case; without a state of Google Benchmark's it is not one of its benchmarks. */
static void run_one(entry *e, gb_state *state) {
    fx_process *process = e->process;
    double from = fx_now_s();
    process->turn = (fx_run_position){.process = process->index,
                                      .place = process->begun++,
                                      .repetition = e->repetitions++,
                                      .began_s = from - process->began_s};
    fx_progress_case(e->c->name);
    if (e->c->waived) {
        fx_error cause;
        (void)fx_fail(&cause, FX_UNSUPPORTED, "%s", e->c->waived);
        skip(e, state, &cause);
    } else {
        measure(e, state);
    }
    if (process->ended.status == FX_INTERRUPTED) {
        gb_skip_with_message(state, "interrupted");
    }
    e->group->elapsed_s += fx_now_s() - from;
}

/* Whether no further case may run. */
static bool stopped(fx_process *process) {
    if (!process->ended.status && atomic_load(process->stop)) {
        (void)fx_fail(&process->ended, FX_INTERRUPTED, "interrupted");
    }
    return process->ended.status != FX_OK;
}

/* Cases that a search adds while a process runs. */

/* Before the cases run: the first process of a run searches, and the others measure what it added (plan.h). Nothing is
 * searched for cases that the user picked one by one, nor where nothing is kept. */
static void prepare_searches(fx_process *process) {
    const fx_options *options = process->options;
    const bool none = process->index || !process->archive || options->quick || options->filter || options->run.only ||
                      options->run.profiled || options->parent.chosen || *gb_flag("benchmark_filter");
    for (size_t g = 0; g < process->group_count; g++) {
        process->groups[g].searches = !none && process->groups[g].probe->searches_count;
    }
}

static fx_status add_case(group *g, const fx_step *step, size_t i, fx_process *process, fx_error *err) {
    added *one = fx_new(1, sizeof *one);
    one->next = process->added;
    process->added = one;
    FX_TRY(fx_case_make(g->probe, &process->device->facts, step->sweep, &step->params[i], &one->c, err));
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
        const size_t length = strlen(g->probe->axes[a].name);
        for (size_t i = 0; i < process->options->axes.count; i++) { /* NAME=VALUES */
            const char *text = fx_probe_override(g->probe, process->options->axes.text[i]);
            fixed[a] = fixed[a] || (text && !strncmp(text, g->probe->axes[a].name, length) && text[length] == '=');
        }
    }
    do {
        if (fx_search_next(g->probe, fixed, g->found, g->found_count, &step, &err) != FX_OK) {
            break;
        }
        for (size_t i = 0; i < step.count && !err.status && !stopped(process); i++) {
            (void)add_case(g, &step, i, process, &err);
        }
    } while (step.count && !err.status && !stopped(process));
    if (err.status) {
        fx_warn("%s: %s", g->probe->name, err.text);
    }
}

/* The process. */

/* The line in which a probe's cases end: "PROBE: 412 measured, 3 waived, 7 flagged in 12.3 s; 2 fits". */
static void report(fx_process *process, group *g) {
    fx_error err = {0};
    fx_fits fits = {0};
    char line[1024];
    /* An archive that could not be written has been reported. */
    fx_archive *archive = process->ended.status == FX_IO ? NULL : process->archive;
    g->reported = true;
    /* Some cases alone: no line can be drawn through these that says anything of a law. */
    if (!process->options->parent.chosen &&
        fx_fits_make(g->probe, g->points, g->point_count, archive, (int)process->index, &fits, &err)) {
        if (err.status == FX_IO && !process->ended.status) {
            process->ended = err;
        } else {
            fx_warn("%s: %s", g->probe->name, err.text);
        }
    }
    if (!g->tally.cases && !g->tally.waived && !g->tally.failed) {
        return;
    }
    char took[FX_TOOK];
    (void)snprintf(line, sizeof line, "%s: %zu measured", g->probe->name, g->tally.cases);
    if (g->tally.waived) {
        fx_text_add(line, sizeof line, ", %zu waived", g->tally.waived);
    }
    if (g->tally.failed) {
        fx_text_add(line, sizeof line, ", %zu failed", g->tally.failed);
    }
    if (g->flagged) {
        fx_text_add(line, sizeof line, ", %zu flagged", g->flagged);
    }
    fx_text_add(line, sizeof line, " in %s", fx_progress_took(took, g->elapsed_s));
    if (fits.count) {
        fx_text_add(line, sizeof line, "; %zu fit%s", fits.count, fits.count == 1 ? "" : "s");
    }
    fx_progress_result(line);
    if (fits.broken) {
        (void)snprintf(line, sizeof line, "  LAW DOES NOT HOLD in %zu of them; the worst: %s", fits.broken, fits.worst);
        fx_progress_result(line);
    }
}

static void run_case(gb_state *state, void *context) {
    entry *e = context;
    fx_process *process = e->process;
    if (stopped(process)) {
        gb_skip_with_message(state, "not run: the run has ended");
        return;
    }
    run_one(e, state);
    if (!e->ended && !process->ended.status) {
        e->ended = true;
        if (--e->group->left == 0) {
            if (e->group->searches) {
                search(process, e->group);
            }
            report(process, e->group);
        }
    }
}

FX_OWNER(fx_process_free, fx_process)

fx_status fx_process_new(const fx_options *options, fx_device *device, const fx_case_list *cases, bool shuffled,
                         const atomic_int *stop, fx_process **out, fx_error *err) {
    const uint64_t seed = shuffled ? fx_random_at((uint64_t)options->seed, (uint64_t)options->parent.process) : 0;
    FX_FREED uint32_t *order = fx_plan_order(cases, seed, shuffled);
    FX_OWNED(fx_process_free_at) fx_process *process = fx_new(1, sizeof *process);
    *process = (fx_process){.options = options,
                            .stop = stop,
                            .device = device,
                            .entries = fx_new(cases->count, sizeof *process->entries),
                            .groups = fx_new(cases->count, sizeof *process->groups)};
    for (size_t i = 0; i < cases->count; i++) {
        const fx_case *c = &cases->cases[order[i]];
        size_t g = 0;
        while (g < process->group_count && process->groups[g].probe != c->probe) {
            g++;
        }
        if (g == process->group_count) {
            process->groups[process->group_count++].probe = c->probe;
        }
        entry *e = &process->entries[process->entry_count++];
        *e = (entry){.process = process, .c = c, .group = &process->groups[g]};
        e->group->left++;
        FX_FAIL_IF(gb_register(c->name, run_case, e), err, FX_NO_MEMORY, "%s can't be registered: %s", c->name,
                   gb_last_error());
    }
    *out = process;
    process = NULL; /* handed over */
    return FX_OK;
}

fx_status fx_process_run(fx_process *process, fx_archive *archive, unsigned index, double began_s, fx_error *err) {
    fx_device *device = process->device;
    process->archive = archive;
    process->index = index;
    process->began_s = began_s;
    prepare_searches(process);
    FX_TRY(device->warm_up(device, process->options->quick ? 0.2 : 1.0, err));
    /* progress speaks, through fx_progress_* */
    FX_FAIL_IF(gb_run_benchmarks(), err, FX_BAD_INPUT, "Google Benchmark: %s", gb_last_error());
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

void fx_process_free(fx_process *process) {
    if (!process) {
        return;
    }
    for (size_t g = 0; g < process->group_count; g++) {
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
