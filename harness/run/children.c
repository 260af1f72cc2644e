/* Ctrl-C on the terminal reaches only the parent (call/child.h), and the child hears of it once, from the parent. */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/child.h"
#include "call/message.h"
#include "progress.h"

static volatile sig_atomic_t running; /* pid of the child, 0: none */

void fx_children_signal(int number) {
    if (running) {
        (void)kill((pid_t)running, number);
    }
}

static fx_status start(const fx_children *children, size_t process, FILE **events, fx_error *err) {
    int ends[2];
    fx_parent_record record = children->record;
    fx_parent_handover handover = {.fd = -1};
    FX_FAIL_IF(pipe(ends), err, FX_IO, "process %zu can't be started: %s", process + 1, strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    record.process = (int64_t)process;
    record.events_fd = ends[1];
    fx_status status = fx_parent_record_hand(&record, &handover, err);
    if (status == FX_OK) {
        const pid_t child = fx_child_fork(true, children->stop, &running);
        if (child == 0) {
            fx_child_become(fx_child_command(children->arguments, children->argument_count), &handover);
        }
        if (child < 0) {
            status = errno == EINTR
                         ? fx_fail(err, FX_INTERRUPTED, "interrupted")
                         : fx_fail(err, FX_IO, "process %zu can't be started: %s", process + 1, strerror(errno));
        }
    }
    fx_parent_handover_close(&handover);
    (void)close(ends[1]);
    if (status != FX_OK || !(*events = fdopen(ends[0], "r"))) {
        (void)close(ends[0]);
    }
    return status;
}

/* Returns whether the child said itself why it stops early. */
static bool show(fx_children *children, FILE *events) {
    bool explained = false;
    char *line = NULL;
    size_t room = 0;
    for (;;) {
        errno = 0;
        ssize_t length = getline(&line, &room, events);
        if (length < 0 && errno == EINTR) {
            clearerr(events);
            continue;
        }
        if (length < 0) {
            break;
        }
        if (length > 0 && line[length - 1] == '\n') {
            line[length - 1] = '\0';
        }
        const char *reason = fx_progress_event(line);
        explained = explained || reason;
        if (reason && !strcmp(reason, "device_lost")) {
            children->device_lost = true;
        }
    }
    free(line);
    return explained;
}

static size_t reported(void) {
    fx_run_counts tally = fx_progress_tally();
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
    children->crashed++;
    if (WIFSIGNALED(status)) {
        fx_warn("process %zu of %zu was killed by signal %d (%s); its results are kept, the others continue",
                process + 1, children->processes, WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (usual) {
        fx_warn("process %zu of %zu ended after %zu of %zu cases; its results are kept, the others continue",
                process + 1, children->processes, cases, children->cases);
    } else {
        fx_warn("process %zu of %zu exited with status %d; its results are kept, the others continue", process + 1,
                children->processes, code);
    }
    return FX_OK;
}

fx_status fx_children_run(fx_children *children, fx_error *err) {
    fx_status status = FX_OK;
    for (size_t process = 0; process < children->processes && !status; process++) {
        FILE *events = NULL;
        int ended = 0;
        FX_FAIL_IF(atomic_load(children->stop), err, FX_INTERRUPTED, "interrupted");
        if (children->archive && fx_archive_in_place(children->archive, err)) {
            return err->status;
        }
        if (children->choose && children->choose(children->context, process, children, err)) {
            return err->status;
        }
        if (!children->cases) {
            break;
        }
        fx_progress_process(process + 1);
        size_t before = reported();
        bool explained = false;
        status = start(children, process, &events, err);
        if (status) {
            break;
        }
        if (events) {
            explained = show(children, events);
            (void)fclose(events);
        }
        while (waitpid((pid_t)running, &ended, 0) < 0 && errno == EINTR)
            ;
        running = 0;
        status = judge(children, process, ended, reported() - before, explained, err);
    }
    return status;
}
