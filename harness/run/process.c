/* Google Benchmark drives the order and the reports; the sampler inside the callback takes the samples. One iteration
 * of a benchmark is one whole case, with its median as manual time, so our samples and its repetitions stay apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "core/grow.h"
#include "core/random.h"
#include "plan.h"
#include "process_private.h"
#include "progress.h"

/* The line in which a probe's cases end: "PROBE: 412 measured, 3 waived, 7 flagged in 12.3 s; 2 fits". */
static void report(fx_process *process, group *g) {
    fx_error err = {0};
    fx_fits fits;
    char line[1024];
    /* An archive that could not be written has been reported. */
    fx_archive *archive = process->ended.status == FX_IO ? NULL : process->archive;
    g->reported = true;
    if (process->options->parent.chosen) {
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
    char took[FX_TOOK];
    at += snprintf(line + at, sizeof line - (size_t)at, " in %s", fx_progress_took(took, g->elapsed_s));
    if (fits.count) {
        (void)snprintf(line + at, sizeof line - (size_t)at, "; %zu fit%s", fits.count, fits.count == 1 ? "" : "s");
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
    while (gb_keep_running(state)) {
        if (fx_process_stopped(process)) {
            gb_skip_with_message(state, "not run: the run has ended");
            continue;
        }
        fx_process_run_one(e, state);
        if (!e->ended && !process->ended.status) {
            e->ended = true;
            if (--e->group->left == 0) {
                if (e->group->searches) {
                    fx_process_search(process, e->group);
                }
                report(process, e->group);
            }
        }
    }
}

fx_status fx_process_new(const fx_options *options, fx_device *device, const fx_case_list *cases, bool shuffled,
                         const atomic_int *stop, fx_process **out, fx_error *err) {
    const uint64_t seed = shuffled ? fx_random_at((uint64_t)options->seed, (uint64_t)options->parent.process) : 0;
    uint32_t *order = fx_plan_order(cases, seed, shuffled);
    fx_process *process = fx_new(1, sizeof *process);
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
        if (gb_register(&(gb_benchmark){
                .name = c->name, .run = run_case, .context = e, .manual_time = true, .iterations = 1})) {
            (void)fx_fail(err, FX_NO_MEMORY, "%s can't be registered: %s", c->name, gb_last_error());
            free(order);
            fx_process_free(process);
            return err->status;
        }
    }
    free(order);
    *out = process;
    return FX_OK;
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
    FX_FAIL_IF(gb_list_matching(count_name, process), err, FX_BAD_INPUT, "--benchmark_filter can't be used: %s",
               gb_last_error());
    for (size_t g = 0; g < process->group_count; g++) {
        *count += process->groups[g].left;
    }
    process->counted = *count;
    return FX_OK;
}

fx_status fx_process_run(fx_process *process, fx_archive *archive, unsigned index, double began_s, fx_error *err) {
    fx_device *device = process->device;
    process->archive = archive;
    process->index = index;
    process->began_s = began_s;
    fx_process_prepare_searches(process);
    if (device->warm_up(device, process->options->quick ? 0.2 : 1.0, err)) {
        return err->status;
    }
    if (gb_run_benchmarks()) { /* progress speaks, through fx_progress_* */
        return fx_fail(err, FX_BAD_INPUT, "Google Benchmark: %s", gb_last_error());
    }
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
