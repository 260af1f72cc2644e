/* Cases that a search adds while a process runs. */
#include <math.h>
#include <string.h>

#include "call/message.h"
#include "core/grow.h"
#include "process_private.h"

void fx_process_prepare_searches(fx_process *process) {
    const fx_options *options = process->options;
    const bool none = process->index || !process->archive || options->quick || options->filter || options->run.only ||
                      options->run.profiled || options->parent.chosen || process->counted != process->entry_count;
    for (size_t g = 0; g < process->group_count; g++) {
        process->groups[g].searches = !none && process->groups[g].probe->searches_count;
    }
}

/* True if a text of --axis, NAME=VALUES, names the axis. */
static bool is_about(const char *text, const char *axis) {
    const size_t length = strcspn(text, "=");
    return strlen(axis) == length && !memcmp(text, axis, length);
}

static fx_status add_case(group *g, const fx_step *step, size_t i, fx_process *process, fx_error *err) {
    added *one = fx_new(1, sizeof *one);
    one->next = process->added;
    process->added = one;
    FX_TRY(fx_case_make(g->probe, &process->device->facts, step->sweep, &step->params[i], &one->c, err));
    one->c.searched = true;
    one->e = (entry){.process = process, .c = &one->c, .group = g};
    if (one->c.waived) {
        fx_process_remember(&one->e, NAN, NAN, NAN); /* there is no such case, so the search ends here */
        return FX_OK;
    }
    fx_progress_more(1);
    fx_process_run_one(&one->e, NULL);
    return FX_OK;
}

void fx_process_search(fx_process *process, group *g) {
    bool fixed[FX_MAX_AXES] = {false};
    fx_error err = {0};
    fx_step step = {.count = 0};
    for (size_t a = 0; a < g->probe->axes_count; a++) {
        for (size_t i = 0; i < process->options->axes.count; i++) {
            const char *text = fx_probe_override(g->probe, process->options->axes.text[i]);
            fixed[a] = fixed[a] || (text && is_about(text, g->probe->axes[a].name));
        }
    }
    do {
        if (fx_search_next(g->probe, fixed, g->found, g->found_count, &step, &err) != FX_OK) {
            break;
        }
        for (size_t i = 0; i < step.count && !err.status && !fx_process_stopped(process); i++) {
            (void)add_case(g, &step, i, process, &err);
        }
    } while (step.count && !err.status && !fx_process_stopped(process));
    if (err.status) {
        fx_warn("%s: %s", g->probe->name, err.text);
    }
}
