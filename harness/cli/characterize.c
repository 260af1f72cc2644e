/* `characterize`: measure, compare with the nearest archive, draw, and say where everything is. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "history.h"
#include "places.h"
#include "python.h"
#include "run.h"

enum { FX_SIGNALLED = 128 }; /* an exit status above says which signal ended Python */

/* out/charts/<archive's name>, made by gpufx_plot. */
static fx_status chart_folder(const char *root, const char *archive, char folder[PATH_MAX], fx_error *err) {
    const char *name = strrchr(archive, '/');
    name = name ? name + 1 : archive;
    if (snprintf(folder, PATH_MAX, "%s/out/charts/%.*s", root, (int)strcspn(name, "."), name) >= PATH_MAX) {
        return fx_fail(err, FX_BAD_INPUT, "The path %.100s... is too long.", root);
    }
    return FX_OK;
}

/* Summary and charts of what `outcome` names. Returns the first exit status that is not 0. */
static int present(const fx_run_outcome *outcome) {
    fx_error err = {0};
    char root[PATH_MAX], nearest[PATH_MAX], charts[PATH_MAX], how_near[256];
    int summarised = FX_EXIT_OK, drawn = FX_EXIT_USE;
    if (fx_root(root, &err) || chart_folder(root, outcome->archive, charts, &err)) {
        return fx_exit_for(&err);
    }
    bool known =
        fx_nearest_archive(root, outcome->archive, outcome->slug, outcome->arch, nearest, how_near, sizeof how_near);
    if (known) {
        fx_print_line(stdout, "compared with: %s (%s)", fx_short_path(root, nearest), how_near);
        putchar('\n');
    } else {
        puts("compared with nothing: results/ holds no other archive with these probes, --quick or not as this "
             "one.\n");
    }
    const char *summary[] = {"summary", outcome->archive, "--against", nearest};
    const char *plot[5] = {"plot", outcome->archive};
    size_t count = 2;
    if (known) {
        plot[count++] = nearest;
    }
    plot[count++] = "-o";
    plot[count++] = charts;
    if (fx_python_call(root, FX_PLOT_MODULE, summary, known ? 4 : 2, &summarised, &err)) {
        return fx_exit_for(&err);
    }
    if (summarised == FX_PYTHON_NOT_STARTED) {
        return FX_EXIT_USE;
    }
    if (summarised > FX_SIGNALLED) {
        return summarised;
    }
    if (fx_python_call(root, FX_PLOT_MODULE, plot, count, &drawn, &err)) {
        return fx_exit_for(&err);
    }
    putchar('\n');
    fx_print_line(stdout, "archive: %s", fx_short_path(root, outcome->archive));
    if (!drawn) {
        fx_print_line(stdout, "charts:  %s", fx_short_path(root, charts));
    }
    return summarised ? summarised : drawn;
}

int fx_verb_characterize_run(int argc, char **argv) {
    fx_options options;
    fx_run_outcome outcome;
    int status;
    /* argv[-1] is the verb. */
    if (fx_options_ready(FX_VERB_CHARACTERIZE, argc, argv, &options, &status)) {
        status = fx_run(&options, (const char *const *)argv - 1, (size_t)argc + 1, true, &outcome);
        if (outcome.archive[0] && (status == FX_EXIT_OK || status == FX_EXIT_NO)) {
            int presented = present(&outcome);
            status = status && presented <= FX_SIGNALLED ? status : presented;
            if (outcome.notice[0]) {
                fx_warn("%s", outcome.notice);
            }
        }
    }
    fx_options_free(&options);
    return status;
}
