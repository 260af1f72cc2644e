/* The line in which a probe's cases end. */
#include <stdio.h>

#include "call/message.h"
#include "process_private.h"

void fx_process_report(fx_process *process, group *g) {
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
