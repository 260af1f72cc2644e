/* `claims`, `compare`, `plot` and `validate` become the Python program (exec: its exit status and signals are ours);
 * `characterize` calls it. */
#include "python.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "core/probe.h"
#include "places.h"

extern char **environ;

/* Where matplotlib keeps its list of fonts: in the checkout, so that nothing is written to the home folder. A checkout
 * that can't be written leaves matplotlib to its own choice. */
static int set_matplotlib(const char *root) {
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s/build/matplotlib", root) >= (int)sizeof folder) {
        return 0;
    }
    char *last = strrchr(folder, '/');
    *last = '\0';
    (void)mkdir(folder, 0777);
    *last = '/';
    (void)mkdir(folder, 0777);
    return access(folder, W_OK) ? 0 : setenv("MPLCONFIGDIR", folder, 1);
}

/* What Python is given by the environment: our two folders alone, for an entry of PYTHONPATH that is empty or relative
 * means the present folder, whose files nobody asked to run; and the name of this program for what looks at it, which
 * is the one that was called whatever the environment says. */
static fx_status set_environment(const char *root, fx_error *err) {
    char self[PATH_MAX];
    char *path;
    if (strchr(root, ':')) {
        return fx_fail(err, FX_BAD_INPUT, "Python can't be given %s, whose name holds a ':'; move the checkout.", root);
    }
    if (asprintf(&path, "%s/plot:%s/validate", root, root) < 0) {
        return fx_fail(err, FX_NO_MEMORY, "Out of memory while starting Python.");
    }
    int failed = setenv("PYTHONPATH", path, 1) || setenv("GPUFX_ROOT", root, 1) || set_matplotlib(root);
    if (realpath("/proc/self/exe", self)) {
        failed = failed || setenv("GPUFX_PROGRAM", self, 1);
    }
    free(path);
    return failed ? fx_fail(err, FX_NO_MEMORY, "Out of memory while starting Python.") : FX_OK;
}

/* Returns only if Python can't be started. -P keeps the present folder out of Python's path, where -m would put it
 * first. */
static fx_status become_python(const char *root, const char *module, const char *const *arguments, size_t count,
                               fx_error *err) {
    char python[PATH_MAX];
    fx_status status = set_environment(root, err);
    if (status) {
        return status;
    }
    const char **argv = calloc(count + 5, sizeof *argv);
    if (!argv) {
        return fx_fail(err, FX_NO_MEMORY, "Out of memory while starting Python.");
    }
    fx_python(root, python);
    argv[0] = python;
    argv[1] = "-P";
    argv[2] = "-m";
    argv[3] = module;
    for (size_t i = 0; i < count; i++) {
        argv[4 + i] = arguments[i];
    }
    (void)signal(SIGPIPE, SIG_DFL);
    (void)execvpe(python, (char **)(void *)argv, environ);
    int cause = errno;
    (void)signal(SIGPIPE, SIG_IGN);
    free(argv);
    return fx_fail(
        err, FX_UNSUPPORTED,
        "Python can't be started as %s: %s. ./gpufx sets it up; or set GPUFX_PYTHON to a Python that has the "
        "packages of plot/requirements.txt.",
        python, strerror(cause));
}

static volatile sig_atomic_t called; /* pid of the child, 0: none */
static volatile sig_atomic_t asked;  /* signal that asked to stop, 0: none */

/* What the kernel sends, Ctrl-C, has gone to the child as well. */
static void forward(int number, siginfo_t *info, void *context) {
    (void)context;
    asked = number;
    if (called && info->si_code <= 0) {
        (void)kill((pid_t)called, number);
    }
}

fx_status fx_python_call(const char *root, const char *module, const char *const *arguments, size_t count,
                         int *exit_status, fx_error *err) {
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO}, old[FX_COUNT(numbers)];
    sigset_t blocked, before;
    fx_status result = FX_OK;
    int status = 0;
    (void)fflush(NULL);
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < FX_COUNT(numbers); i++) {
        (void)sigaddset(&blocked, numbers[i]);
    }
    /* A signal waits until the child is known, or it would not reach it. */
    (void)sigprocmask(SIG_BLOCK, &blocked, &before);
    for (size_t i = 0; i < FX_COUNT(numbers); i++) {
        (void)sigaction(numbers[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
    asked = 0;
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < FX_COUNT(numbers); i++) {
            if (old[i].sa_handler != SIG_IGN) {
                (void)signal(numbers[i], SIG_DFL);
            }
        }
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        (void)become_python(root, module, arguments, count, err);
        fx_warn("%s", err->text);
        _exit(FX_PYTHON_NOT_STARTED);
    }
    called = child > 0 ? child : 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) {
        result = fx_fail(err, FX_IO, "Python can't be started: %s.", strerror(errno));
    }
    while (!result && waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            result = fx_fail(err, FX_IO, "Python can't be waited for: %s.", strerror(errno));
        }
    }
    called = 0;
    for (size_t i = 0; i < FX_COUNT(numbers); i++) {
        (void)sigaction(numbers[i], &old[i], NULL);
    }
    *exit_status = asked ? 128 + asked : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

/* argv starts behind the verb's name, which Python wants first. Its page of help gets the end that all pages have. */
static int hand_over(fx_verb_id verb, const char *module, int argc, char **argv) {
    fx_error err = {0};
    char root[PATH_MAX];
    const char *const help[] = {argv[-1], "--help"};
    int status = FX_EXIT_USE;
    if (fx_root(root, &err)) {
        return fx_exit_for(&err);
    }
    if (argc != 1 || (strcmp(argv[0], "--help") != 0 && strcmp(argv[0], "-h") != 0)) {
        (void)become_python(root, module, (const char *const *)argv - 1, (size_t)argc + 1, &err);
        (void)fx_exit_for(&err);
        return FX_EXIT_USE;
    }
    if (fx_python_call(root, module, help, FX_COUNT(help), &status, &err)) {
        return fx_exit_for(&err);
    }
    if (status) {
        return FX_EXIT_USE;
    }
    fx_verb_examples(stdout, fx_verb_of(verb));
    return FX_EXIT_OK;
}

int fx_verb_compare_run(int argc, char **argv) {
    return hand_over(FX_VERB_COMPARE, FX_PLOT_MODULE, argc, argv);
}

int fx_verb_claims_run(int argc, char **argv) {
    return hand_over(FX_VERB_CLAIMS, FX_PLOT_MODULE, argc, argv);
}

int fx_verb_plot_run(int argc, char **argv) {
    return hand_over(FX_VERB_PLOT, FX_PLOT_MODULE, argc, argv);
}

int fx_verb_validate_run(int argc, char **argv) {
    return hand_over(FX_VERB_VALIDATE, "gpufx_validate", argc, argv);
}
