/* Ctrl-C on the terminal reaches only the parent (call/child.h), and the child hears of it once, from the parent. */
#include "children.h"

#include <sys/wait.h>

#include "call/child.h"
#include "call/message.h"
#include "progress.h"

static fx_status start(const fx_children *children, size_t process, FILE **events, fx_error *err) {
    fx_parent_record record = children->record;
    char name[32];
    (void)snprintf(name, sizeof name, "process %zu", process + 1);
    record.process = (int64_t)process;
    return fx_child_start(children->arguments, children->argument_count, children->stop, name, &record, events, err);
}

/* Returns whether the child said itself why it stops early. */
static bool show(fx_children *children, FILE *events) {
    bool explained = false;
    FX_FREED char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, events) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        const char *reason = fx_progress_event(line);
        explained = explained || reason;
        if (reason && !strcmp(reason, "device_lost")) {
            children->device_lost = true;
        }
    }
    return explained;
}

static size_t reported(void) {
    fx_counts tally = fx_progress_tally();
    return tally.cases + tally.waived + tally.failed;
}

/* `cases`: that the child reported. `explained`: it said why these are not all. */
static fx_status judge(fx_children *children, size_t process, int status, size_t cases, bool explained, fx_error *err) {
    FX_FAIL_IF(atomic_load(children->stop), err, FX_INTERRUPTED, "interrupted");
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    bool usual = code == FX_EXIT_OK || code == FX_EXIT_NO || code == FX_EXIT_NOTHING;
    if (usual && (explained || cases >= children->cases)) {
        return FX_OK;
    }
    FX_FAIL_IF(code == FX_EXIT_USE, err, FX_IO, "process %zu of %zu could not continue; the run ends here", process + 1,
               children->processes);
    char ended[128];
    if (WIFSIGNALED(status)) {
        (void)snprintf(ended, sizeof ended, "was killed by signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    } else if (usual) {
        (void)snprintf(ended, sizeof ended, "ended after %zu of %zu cases", cases, children->cases);
    } else {
        (void)snprintf(ended, sizeof ended, "exited with status %d", code);
    }
    fx_warn("process %zu of %zu %s; its results are kept, the others continue", process + 1, children->processes,
            ended);
    children->crashed++;
    return FX_OK;
}

fx_status fx_children_run(fx_children *children, fx_error *err) {
    fx_status status = FX_OK;
    for (size_t process = 0; process < children->processes && !status; process++) {
        FILE *events = NULL;
        FX_FAIL_IF(atomic_load(children->stop), err, FX_INTERRUPTED, "interrupted");
        FX_TRY(children->archive ? fx_archive_in_place(children->archive, err) : FX_OK);
        FX_TRY(children->choose ? children->choose(children->context, process, children, err) : FX_OK);
        if (!children->cases) {
            break;
        }
        fx_progress_process(process + 1);
        size_t before = reported();
        FX_TRY(start(children, process, &events, err));
        const bool explained = show(children, events);
        (void)fclose(events);
        status = judge(children, process, fx_child_wait(), reported() - before, explained, err);
    }
    return status;
}
