/* Between fork and exec the child is single-threaded, and so is this program when it forks. */
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "message.h"

const int fx_stop_signals[FX_STOP_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* Sets the action of each that is not ignored. */
static void set_all(const struct sigaction *action) {
    for (size_t i = 0; i < FX_STOP_SIGNALS; i++) {
        struct sigaction now;
        if (!sigaction(fx_stop_signals[i], NULL, &now) && now.sa_handler != SIG_IGN) {
            (void)sigaction(fx_stop_signals[i], action, NULL);
        }
    }
}

void fx_stop_signals_catch(void (*handler)(int)) {
    const struct sigaction action = {.sa_handler = handler};
    set_all(&action);
}

pid_t fx_child_fork(bool apart, const atomic_int *stop, volatile sig_atomic_t *pid) {
    const pid_t parent = getpid();
    sigset_t ours, before;
    (void)fflush(NULL);
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
    *pid = child > 0 ? child : 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = stopped ? EINTR : errno;
    return child;
}

char **fx_child_command(const char *const *arguments, size_t count) {
    const char **argv = calloc(count + 2, sizeof *argv);
    for (size_t i = 0; argv && i <= count; i++) {
        argv[i] = i ? arguments[i - 1] : "gpufx";
    }
    return (char **)(void *)argv;
}

void fx_child_become(char **argv, fx_parent_handover *handover) {
    if (argv && !putenv(handover->word)) {
        (void)execv("/proc/self/exe", argv);
    }
    _exit(FX_EXIT_USE);
}
