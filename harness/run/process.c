/* Google Benchmark drives the order and the reports; the sampler inside the callback takes the samples. One iteration
 * of a benchmark is one whole case, with its median as manual time, so that our samples and its repetitions stay apart.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "core/random.h"
#include "core/text.h"
#include "process_barrier.h"
#include "process_private.h"
#include "progress.h"

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

void fx_process_remember(const entry *e, double median, double low, double high) {
    if (e->group->found && !e->ended) {
        e->group->found[e->group->found_count++] = (fx_found){e->c, median, low, high};
    }
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
    fx_process_remember(e, NAN, NAN, NAN);
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
    fx_process_remember(e, NAN, NAN, NAN);
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
    fx_process_show(state, e->c, result);
    if (archive_outcome(e->process, e, FX_MEASURED, result, NULL)) {
        return;
    }
    note(e, FX_MEASURED);
    fx_process_remember(e, result->summary.median, result->summary.ci_low, result->summary.ci_high);
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
        gb_set_iteration_time(state, fx_process_shown_s(e->c, &result));
    }
    fx_result_free(&result);
}

void fx_process_run_one(entry *e, gb_state *state) {
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

bool fx_process_stopped(fx_process *process) {
    if (!process->ended.status && atomic_load(process->stop)) {
        (void)fx_fail(&process->ended, FX_INTERRUPTED, "interrupted");
    }
    return process->ended.status != FX_OK;
}

/* What one iteration of the benchmark does. */
static void run_entry(entry *e, gb_state *state) {
    fx_process *process = e->process;
    if (fx_process_stopped(process)) {
        gb_skip_with_message(state, "not run: the run has ended");
        return;
    }
    fx_gate_wait((int)process->options->gate_out, (int)process->options->gate_in);
    fx_process_run_one(e, state);
    if (!e->ended && !process->ended.status) {
        e->ended = true;
        if (--e->group->left == 0) {
            if (e->group->found) {
                fx_process_search(process, e->group);
            }
            fx_process_report(process, e->group);
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
                .name = c->name, .run = run_case, .context = e, .manual_time = true, .iterations = 1})) {
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
static void count_name(const char *name, void *context) {
    fx_process *process = context;
    size_t length = strcspn(name, "/");
    for (size_t g = 0; g < process->group_count; g++) {
        if (strlen(process->groups[g].probe->name) == length && !memcmp(process->groups[g].probe->name, name, length)) {
            process->groups[g].left++;
        }
    }
}

fx_status fx_process_count(fx_process *process, size_t *count, fx_error *err) {
    *count = 0;
    for (size_t g = 0; g < process->group_count; g++) {
        process->groups[g].left = 0;
    }
    if (gb_list_matching(count_name, process)) {
        return fx_fail(err, FX_BAD_INPUT, "--benchmark_filter can't be used: %s", gb_last_error());
    }
    for (size_t g = 0; g < process->group_count; g++) {
        *count += process->groups[g].left;
    }
    process->counted = *count;
    return FX_OK;
}

fx_status fx_process_run(fx_process *process, fx_archive *archive, unsigned index, double began_s, bool own_display,
                         fx_error *err) {
    fx_device *device = process->meter.behind;
    process->archive = archive;
    process->index = index;
    process->began_s = began_s;
    if (fx_process_prepare_searches(process, err)) {
        return err->status;
    }
    if (device->warm_up(device, process->options->quick ? 0.2 : 1.0, err)) {
        return err->status;
    }
    if (gb_run_benchmarks(!own_display)) { /* otherwise progress speaks, through fx_progress_* */
        return fx_fail(err, FX_BAD_INPUT, "Google Benchmark: %s", gb_last_error());
    }
    process->overhead_s = fx_now_s() - process->first_s - process->meter.inside_s - process->meter.clocks_s;
    for (size_t g = 0; g < process->group_count; g++) {
        if (!process->groups[g].reported) {
            fx_process_report(process, &process->groups[g]);
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
