/* Forks the measuring process of a rank, forwards signals to it, and kills it at its limit. What can fool it: between
 * fork and exec only async-signal-safe calls are allowed. */
#include "fleet_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/message.h"
#include "call/parent_record.h"
#include "overhead_meter.h"

enum { LOOK_MS = 50, GRACE_S = 10, KILLED_S = 5 };

typedef struct pipes {
    int here[2], on[2], log; /* the child says it is here, and is let on */
} pipes;

static void close_all(pipes *p) {
    int *const fds[] = {&p->here[0], &p->here[1], &p->on[0], &p->on[1], &p->log};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        if (*fds[i] >= 0) {
            (void)close(*fds[i]);
            *fds[i] = -1;
        }
    }
}

typedef struct command {
    const char **words, **environment; /* ended by NULL */
    fx_parent_handover handover;
} command;

static void free_command(command *c) {
    fx_parent_handover_close(&c->handover);
    free(c->words);
    free(c->environment);
}

extern char **environ;

/* The child's command line and environment. They are made before the fork: another thread of this process may hold a
 * lock of the allocator, which nobody would give back in the child. */
static fx_status make_command(const fx_fleet_child *child, const pipes *p, command *out, fx_error *err) {
    size_t words = 0, variables = 0;
    fx_parent_record record = fx_parent_record_none();
    while (environ[variables]) {
        variables++;
    }
    out->words = calloc(child->argument_count + 2, sizeof *out->words);
    out->environment = calloc(variables + 2, sizeof *out->environment);
    FX_FAIL_IF(!out->words || !out->environment, err, FX_NO_MEMORY,
               "out of memory while starting the process that measures");
    if (child->gated) {
        record.here_fd = p->here[1];
        record.go_fd = p->on[0];
    }
    record.missing_from = (char *)(uintptr_t)child->missing_from;
    FX_TRY(fx_parent_record_hand(&record, &out->handover, err));
    for (size_t i = 0; i < variables; i++) {
        out->environment[i] = environ[i];
    }
    out->environment[variables] = out->handover.word;
    out->words[words++] = "gpufx";
    for (size_t i = 0; i < child->argument_count; i++) {
        out->words[words++] = child->arguments[i];
    }
    return FX_OK;
}

/* In the child. */
static void execute(const command *line, const pipes *p, pid_t parent) {
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent) {
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGTERM, SIG_DFL);
        (void)dup2(p->log, STDOUT_FILENO);
        (void)dup2(p->log, STDERR_FILENO);
        (void)execve("/proc/self/exe", (char **)(void *)line->words, (char **)(void *)line->environment);
    }
    _exit(FX_EXIT_USE);
}

/* The descriptors that this process keeps are not the child's: an end that nobody holds is how each hears that the
 * other has gone. */
static fx_status open_pipes(const fx_fleet_child *child, pipes *p, fx_error *err) {
    struct stat about;
    p->log = open(child->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (p->log < 0) {
        return fx_fail_io(err, "write", child->log, errno);
    }
    FX_FAIL_IF(fstat(p->log, &about) || !S_ISREG(about.st_mode), err, FX_BAD_INPUT,
               "'%s' is not a regular file; remove it, or choose another --out", child->log);
    FX_FAIL_IF(pipe(p->here) || pipe(p->on), err, FX_IO, "the measuring process can't be started: %s", strerror(errno));
    (void)fcntl(p->here[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(p->on[1], F_SETFD, FD_CLOEXEC);
    return FX_OK;
}

static fx_status start(const fx_fleet_child *child, pipes *p, pid_t *pid, fx_error *err) {
    const pid_t parent = getpid();
    command line = {.handover = {.fd = -1}};
    if (open_pipes(child, p, err) || make_command(child, p, &line, err)) {
        free_command(&line);
        return err->status;
    }
    (void)fflush(NULL);
    *pid = fork();
    if (*pid == 0) {
        execute(&line, p, parent);
    }
    free_command(&line);
    FX_FAIL_IF(*pid < 0, err, FX_IO, "the measuring process can't be started: %s", strerror(errno));
    (void)close(p->here[1]);
    (void)close(p->on[0]);
    p->here[1] = p->on[0] = -1;
    return FX_OK;
}

/* Lets the child go on if it waits at the gate. */
static void look(const fx_fleet_child *child, pipes *p) {
    struct pollfd at = {.fd = p->here[0], .events = POLLIN};
    char byte;
    if (poll(&at, 1, LOOK_MS) <= 0) {
        return;
    }
    if (read(p->here[0], &byte, 1) != 1) {
        (void)close(p->here[0]); /* the child has gone, or is not one that waits */
        p->here[0] = -1;
        return;
    }
    child->pass(child->context);
    (void)!write(p->on[1], &byte, 1);
}

/* The signal that the child gets after so many seconds: SIGTERM once, then SIGKILL. */
static void press(fx_fleet_child *child, pid_t pid, double since_s, int *asked) {
    if (!*asked) {
        *asked = SIGTERM;
        (void)kill(pid, SIGTERM);
    } else if (since_s > GRACE_S && *asked == SIGTERM) {
        *asked = SIGKILL;
        (void)kill(-pid, SIGKILL);
    } else if (since_s > GRACE_S + KILLED_S) {
        child->gone = true;
    }
}

fx_status fx_fleet_child_run(fx_fleet_child *child, fx_error *err) {
    pipes p = {{-1, -1}, {-1, -1}, -1};
    pid_t pid = 0;
    const double from_s = fx_now_s();
    double asked_s = 0;
    int asked = 0;
    fx_status status = start(child, &p, &pid, err);
    while (status == FX_OK && !child->gone) {
        const pid_t ended = waitpid(pid, &child->status, WNOHANG);
        const double now_s = fx_now_s();
        child->elapsed_s = now_s - from_s;
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            break;
        }
        if (asked || child->elapsed_s > child->limit_s || atomic_load(child->stop)) {
            child->timed_out = child->timed_out || (!asked && !atomic_load(child->stop));
            asked_s = asked ? asked_s : now_s;
            press(child, pid, now_s - asked_s, &asked);
        }
        look(child, &p); /* waits a little, also where there is no gate */
    }
    close_all(&p);
    return status;
}
