/* Between fork and exec the child is single-threaded, and so is this program when it forks. */
#include "child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

const int fx_stop_signals[FX_STOP_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

void fx_stop_signals_set(const struct sigaction *action, struct sigaction before[FX_STOP_SIGNALS]) {
    for (size_t i = 0; i < FX_STOP_SIGNALS; i++) {
        (void)sigaction(fx_stop_signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            (void)sigaction(fx_stop_signals[i], action, NULL);
        }
    }
}

void fx_stop_signals_catch(void (*handler)(int)) {
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction before[FX_STOP_SIGNALS];
    fx_stop_signals_set(&action, before);
}

static volatile sig_atomic_t running; /* pid of the child, 0: none */

pid_t fx_child_fork(bool apart, const atomic_int *stop) {
    const pid_t parent = getpid();
    sigset_t ours, before;
    (void)fflush(NULL);
    (void)signal(SIGCHLD, SIG_DFL); /* where it is ignored, nothing is left to wait for */
    (void)sigemptyset(&ours);
    for (size_t i = 0; i < FX_STOP_SIGNALS; i++) {
        (void)sigaddset(&ours, fx_stop_signals[i]);
    }
    /* A signal waits until the child is known, or it would not reach it. */
    (void)sigprocmask(SIG_BLOCK, &ours, &before);
    const bool stopped = stop && atomic_load(stop);
    const pid_t child = stopped ? -1 : fork();
    if (child == 0) {
        if (apart) {
            (void)setpgid(0, 0);
        }
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) {
            _exit(FX_EXIT_USE);
        }
        fx_stop_signals_catch(SIG_DFL);
    }
    running = child > 0 ? child : 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = stopped ? EINTR : errno;
    return child;
}

void fx_child_signal(int number) {
    if (running) {
        (void)kill((pid_t)running, number);
    }
}

int fx_child_wait(void) {
    int status = 0;
    while (running && waitpid((pid_t)running, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    return status;
}

/* In the child: becomes this program, with the record in its environment. */
static _Noreturn void become(const char *const *arguments, size_t count, int record) {
    const char **argv = calloc(count + 2, sizeof *argv);
    if (argv && !fx_parent_record_give(record)) {
        argv[0] = "gpufx";
        memcpy(argv + 1, arguments, count * sizeof *argv);
        (void)execv("/proc/self/exe", (char **)(void *)argv);
    }
    _exit(FX_EXIT_USE);
}

fx_status fx_child_start(const char *const *arguments, size_t count, const atomic_int *stop, const char *name,
                         fx_parent_record *record, FILE **told, fx_error *err) {
    int ends[2] = {-1, -1}, written;
    if (told) {
        *told = NULL;
        FX_FAIL_IF(pipe(ends), err, FX_IO, "%s can't be started: %s", name, strerror(errno));
        (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        record->events_fd = ends[1];
    }
    fx_status status = fx_parent_record_write(record, &written, err);
    if (status == FX_OK) {
        const pid_t started = fx_child_fork(true, stop);
        if (started == 0) {
            become(arguments, count, written);
        }
        const bool heard = started > 0 && (!told || (*told = fdopen(ends[0], "r")));
        status = heard            ? FX_OK
                 : errno == EINTR ? fx_fail(err, FX_INTERRUPTED, "interrupted")
                                  : fx_fail(err, FX_IO, "%s can't be started: %s", name, strerror(errno));
    }
    (void)close(written);
    if (told) {
        (void)close(ends[1]);
    }
    if (told && !*told) {
        (void)close(ends[0]);
    }
    return status;
}
