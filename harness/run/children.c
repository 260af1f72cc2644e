/* A child has its own process group, so that Ctrl-C on the terminal reaches only the parent and the child hears of it
 * once, from the parent. If the parent dies, the kernel ends the child. */
#include "children.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/message.h"
#include "progress.h"

static volatile sig_atomic_t running; /* pid of the child, 0: none */

void fx_children_signal(int number) {
    if (running) {
        (void)kill((pid_t)running, number);
    }
}

/* In the child. */
static void execute(const fx_children *children, fx_parent_handover *handover) {
    const char **argv = calloc(children->argument_count + 2, sizeof *argv);
    size_t count = 0;
    if (!argv || putenv(handover->word)) {
        _exit(FX_EXIT_USE);
    }
    argv[count++] = "gpufx";
    for (size_t i = 0; i < children->argument_count; i++) {
        argv[count++] = children->arguments[i];
    }
    (void)execv("/proc/self/exe", (char **)(void *)argv);
    _exit(FX_EXIT_USE);
}

/* Keep ignored signals ignored. */
static void default_action(int number) {
    struct sigaction now, usual = {.sa_handler = SIG_DFL};
    (void)sigemptyset(&usual.sa_mask);
    if (!sigaction(number, NULL, &now) && now.sa_handler != SIG_IGN) {
        (void)sigaction(number, &usual, NULL);
    }
}

static fx_status start(const fx_children *children, size_t process, FILE **events, fx_error *err) {
    int ends[2];
    pid_t parent = getpid();
    fx_parent_record record = children->record;
    fx_parent_handover handover = {.fd = -1};
    FX_FAIL_IF(pipe(ends), err, FX_IO, "process %zu can't be started: %s", process + 1, strerror(errno));
    record.process = (int64_t)process;
    record.events_fd = ends[1];
    if (fx_parent_record_hand(&record, &handover, err)) {
        fx_parent_handover_close(&handover);
        (void)close(ends[0]);
        (void)close(ends[1]);
        return err->status;
    }
    (void)fflush(NULL);
    /* A signal waits until the child is known, or it would not reach it. */
    sigset_t ours, before;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGINT);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ours, &before);
    if (atomic_load(children->stop)) {
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        fx_parent_handover_close(&handover);
        (void)close(ends[0]);
        (void)close(ends[1]);
        return fx_fail(err, FX_INTERRUPTED, "interrupted");
    }
    pid_t child = fork();
    if (child < 0) {
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        fx_parent_handover_close(&handover);
        (void)close(ends[0]);
        (void)close(ends[1]);
        return fx_fail(err, FX_IO, "process %zu can't be started: %s", process + 1, strerror(errno));
    }
    if (child == 0) {
        (void)setpgid(0, 0);
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) {
            _exit(FX_EXIT_USE);
        }
        /* The handlers end with execv; until the new program has set its own, a signal ends the process. */
        default_action(SIGINT);
        default_action(SIGTERM);
        default_action(SIGHUP);
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        (void)close(ends[0]);
        execute(children, &handover);
    }
    fx_parent_handover_close(&handover);
    running = child;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    *events = fdopen(ends[0], "r");
    if (!*events) {
        (void)close(ends[0]);
    }
    return FX_OK;
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
