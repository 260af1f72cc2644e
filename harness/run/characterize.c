/* `characterize`: measure, draw, and end with the screen that says what the chip is and where everything lies. */
#include <fcntl.h>
#include <unistd.h>

#include "archive/archive_folder.h"
#include "call/message.h"
#include "call/places.h"
#include "call/python.h"
#include "call/verb.h"
#include "core/text.h"
#include "devices.h"
#include "run.h"

enum { FX_SIGNALLED = 128 }; /* an exit status above says which signal ended Python */

/* charts/<archive's name> in the folder of --out, else in out, made by gpufx_plot. */
static fx_status chart_folder(const char *root, const char *out, const char *archive, char folder[PATH_MAX],
                              fx_error *err) {
    char home[PATH_MAX];
    const char *name = strrchr(archive, '/');
    name = name ? name + 1 : archive;
    FX_TRY(out ? FX_OK : fx_home(root, home, err));
    const int length = snprintf(folder, PATH_MAX, "%s%s/charts/%.*s", out ? out : home, out ? "" : "/out",
                                (int)strcspn(name, "."), name);
    return length < PATH_MAX
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT, "the path %.100s... is too long; choose a shorter one", folder);
}

/* Say what ran without a GPU, and what to do next. */
static void say_what_next(void) {
    putchar('\n');
    fx_print_text(
        stdout, fx_columns(), 0,
        "No GPU was measured: the probes ran on a synthetic device, whose numbers are made up. They show what "
        "gpufx prints, not what a GPU does.");
    puts("next  gpufx info          why no GPU can be used here\n"
         "      gpufx characterize  again, on a machine with an NVIDIA GPU\n"
         "      gpufx archive list  measured GPUs, for summary, report, compare and ask\n"
         "      gpufx pattern       what an access pattern costs, without a GPU");
}

/* Charts and the screen of what `outcome` names; nearest: what it is compared with, "" for nothing. Returns the first
 * exit status that is not 0. */
static int present(fx_run_outcome *outcome, const char *out, char nearest[PATH_MAX], char charts[PATH_MAX]) {
    fx_error err = {0};
    char root[PATH_MAX], how_near[256];
    int summarised = FX_EXIT_OK, drawn = FX_EXIT_USE;
    if (fx_root(root, &err) || chart_folder(root, out, outcome->archive, charts, &err)) {
        return fx_exit_for(&err);
    }
    bool whole = false;
    const bool known = fx_nearest_archive(root, outcome->archive, nearest, how_near, sizeof how_near, &whole);
    if (known) {
        fx_print_line(stdout, "nearest archive: %s (%s%s)", fx_short_path(root, nearest), how_near,
                      whole ? ", of a full run: by the cases that both have" : "");
    } else {
        fx_print_line(stdout, "no archive to compare with: %s",
                      !strncmp(outcome->slug, "synthetic-", 10) ? "a synthetic device is not compared with a real one"
                                                                : "none under results/ has all of these probes");
    }
    char *plot[] = {outcome->archive, "--brief", "--format", "svg", "--output", charts, nearest};
    /* The many cases of a full run would take longer to draw than a quick one takes to measure. */
    if (fx_python_plot(root, "plot", plot, known && !whole ? 7 : 6, &drawn, &err)) {
        return fx_exit_for(&err);
    }
    if (drawn == FX_PYTHON_NOT_STARTED) {
        return FX_EXIT_USE;
    }
    if (drawn > FX_SIGNALLED) {
        fx_warn("interrupted while charts were drawn; the archive is complete: gpufx plot %s draws them",
                fx_path_from_here(root, outcome->archive));
        return drawn;
    }
    putchar('\n');
    if (fx_python_plot(root, "summary", plot, 1, &summarised, &err)) {
        return fx_exit_for(&err);
    }
    if (known) {
        fx_print_line(stdout, "beside the nearest: gpufx compare %s %s", fx_path_from_here(root, nearest),
                      fx_path_from_here(root, outcome->archive));
    }
    return drawn ? drawn : summarised;
}

/* Standard output goes to standard error, or nowhere, until put back: --json has another answer. Returns it, or -1. */
static int set_aside(void) {
    const int before = dup(STDOUT_FILENO), elsewhere = fx_is_quiet() ? open("/dev/null", O_WRONLY) : STDERR_FILENO;
    (void)fflush(stdout);
    (void)dup2(elsewhere, STDOUT_FILENO);
    if (elsewhere > STDERR_FILENO) {
        (void)close(elsewhere);
    }
    return before;
}

static void put_back(int before) {
    (void)fflush(stdout);
    (void)dup2(before, STDOUT_FILENO);
    (void)close(before);
}

int fx_verb_characterize(fx_call *call) {
    fx_run_outcome outcome;
    char nearest[PATH_MAX] = "", charts[PATH_MAX] = "";
    const bool json = call->options.json;
    if (call->options.parent.child) {
        return fx_verb_run(call);
    }
    if (!call->options.parent.device && fx_devices_several(call->options.device)) {
        return fx_devices_run(call);
    }
    int status = fx_run(&call->options, call->arguments, call->argument_count, true, &outcome);
    if (outcome.archive[0] && (status == FX_EXIT_OK || status == FX_EXIT_NO)) {
        const int before = json ? set_aside() : -1;
        int presented = present(&outcome, call->options.out, nearest, charts);
        status = status && presented <= FX_SIGNALLED ? status : presented;
        if (outcome.notice[0] && presented <= FX_SIGNALLED) {
            say_what_next();
        }
        if (json) {
            put_back(before);
        }
    }
    if (json && outcome.elapsed_s > 0) {
        json_auto_t *answer = fx_run_outcome_json(&outcome);
        json_object_set_new(answer, "compared_with", *nearest ? json_string(nearest) : json_null());
        json_object_set_new(answer, "charts", *charts ? json_string(charts) : json_null());
        (void)fx_text_print_json(stdout, answer, 0);
    }
    return status;
}
