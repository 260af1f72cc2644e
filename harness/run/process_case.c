/* One case of a process: it is measured, archived, counted, and shown by Google Benchmark. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "call/message.h"
#include "core/clock.h"
#include "core/grow.h"
#include "core/random.h"
#include "core/text.h"
#include "process_private.h"

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

void fx_process_remember(const entry *e, double median, double low, double high) {
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
    fx_process_remember(e, NAN, NAN, NAN);
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
    int at = snprintf(label, sizeof label, "%s", fx_stop_name(result->stop));
    for (uint32_t flag = 1, first = 1; flag && at > 0 && (size_t)at < sizeof label; flag <<= 1) {
        if ((result->flags & flag) && fx_flag_name(flag)) {
            at += snprintf(label + at, sizeof label - (size_t)at, "%s%s", first ? ": " : ", ", fx_flag_name(flag));
            first = 0;
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
    fx_process_remember(e, result->summary.median, result->summary.ci_low, result->summary.ci_high);
    g->flagged += result->flags != 0;
    if (e->c->prediction.law && e->c->prediction.in_fit && !e->fitted) {
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

void fx_process_run_one(entry *e, gb_state *state) {
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

bool fx_process_stopped(fx_process *process) {
    if (!process->ended.status && atomic_load(process->stop)) {
        (void)fx_fail(&process->ended, FX_INTERRUPTED, "interrupted");
    }
    return process->ended.status != FX_OK;
}
