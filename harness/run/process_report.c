/* The line in which a probe's cases end. */
#include <stdio.h>

#include "call/message.h"
#include "process_private.h"

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
        print_fits(line + at, sizeof line - (size_t)at, &fits);
    }
    fx_progress_result(line);
    if (fits.broken) {
        (void)snprintf(line, sizeof line, "  LAW DOES NOT HOLD in %zu of them; the worst: %s", fits.broken, fits.worst);
        fx_progress_result(line);
    }
}
