/* A verb of the Python half runs in a process of its own. Signals go on to it, and its exit status is ours, with one
 * exception: Python, and libraries in it, end with 1 when they die, and 1 is an answer. */
#include "python.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "core/probe.h"
#include "message.h"
#include "parse.h"
#include "places.h"

extern char **environ;

/* Python's exit status for the answer no. No shell, signal or library uses it. */
enum { PYTHON_SAYS_NO = 101 };

/* Where archives and charts of the user lie, and matplotlib keeps its list of fonts: in a checkout, so that nothing is
 * written to the home folder. One that can't be written leaves matplotlib to its own choice, and so does an installed
 * program. */
static void set_folders(const char *root) {
    fx_error ignored = {0};
    char home[PATH_MAX], folder[PATH_MAX];
    if (fx_home(root, home, &ignored)) {
        return;
    }
    (void)setenv("GPUFX_HOME", home, 1);
    if (strcmp(home, root) != 0 || snprintf(folder, sizeof folder, "%s/build/matplotlib", root) >= (int)sizeof folder) {
        return;
    }
    char *last = strrchr(folder, '/');
    *last = '\0';
    (void)mkdir(folder, 0777);
    *last = '/';
    (void)mkdir(folder, 0777);
    if (!access(folder, W_OK)) {
        (void)setenv("MPLCONFIGDIR", folder, 1);
    }
}

/* What the environment gives Python: our two folders alone, for an entry of PYTHONPATH that is empty or relative
 * means the present folder, whose files nobody asked to run; no PYTHONHOME, which means another Python; the name of
 * this program for what looks at it, which is the one that was called whatever the environment says; and one thread
 * for OpenBLAS, which takes 32 MB of address space for each, and ends the process where there is none. */
static fx_status set_environment(const char *root, fx_error *err) {
    char self[PATH_MAX], no[16];
    FX_FAIL_IF(strchr(root, ':'), err, FX_BAD_INPUT,
               "%s contains a ':', which PYTHONPATH can't hold; move the checkout", root);
    FX_FREED char *path = fx_printed("%s/plot:%s/harness/validate", root, root);
    (void)snprintf(no, sizeof no, "%d", PYTHON_SAYS_NO);
    (void)unsetenv("PYTHONHOME");
    (void)setenv("PYTHONPATH", path, 1);
    (void)setenv("GPUFX_ROOT", root, 1);
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
    (void)setenv("GPUFX_SAYS_NO", no, 1);
    set_folders(root);
    if (realpath("/proc/self/exe", self)) {
        (void)setenv("GPUFX_PROGRAM", self, 1);
    }
    return FX_OK;
}

/* Returns only if Python can't be started. -P keeps the present folder out of Python's path, where -m would put it
 * first. Ctrl-C waits until the package is there to hear it: Python by itself would answer with a traceback. */
static fx_status become_python(const char *root, const char *module, const fx_text_list *arguments, fx_error *err) {
    char python[PATH_MAX];
    sigset_t late;
    FX_TRY(set_environment(root, err));
    const char **argv = fx_new(arguments->count + 5, sizeof *argv);
    fx_python(root, python);
    (void)sigemptyset(&late);
    (void)sigaddset(&late, SIGINT);
    argv[0] = python;
    argv[1] = "-P";
    argv[2] = "-m";
    argv[3] = module;
    memcpy(argv + 4, arguments->text, arguments->count * sizeof *argv);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_BLOCK, &late, NULL);
    (void)execvpe(python, (char **)(void *)argv, environ);
    int cause = errno;
    free(argv);
    return fx_fail(
        err, FX_UNSUPPORTED,
        "Python can't be started as %s: %s; ./gpufx setup installs it, or set GPUFX_PYTHON to a Python that has the "
        "packages of plot/requirements.txt",
        python, strerror(cause));
}

static atomic_int stop_signal; /* signal that asked to stop, 0: none */

/* What the kernel sends, Ctrl-C, has gone to the child as well. */
static void forward(int number, siginfo_t *info, void *context) {
    stop_signal = number;
    if (info->si_code <= 0) {
        fx_child_signal(number);
    }
}

/* The exit status as users know it. */
static int status_of(int status, const char *verb) {
    if (!WIFEXITED(status)) {
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status) == FX_EXIT_NO) {
        fx_warn("%s: Python ended without an answer, perhaps for lack of memory", verb);
        return FX_EXIT_USE;
    }
    return WEXITSTATUS(status) == PYTHON_SAYS_NO ? FX_EXIT_NO : WEXITSTATUS(status);
}

/* output: where what it prints goes; -1: where ours goes. *exit_status is as fx_python_plot has it. */
static fx_status run(const char *root, const char *module, const char *verb, const fx_text_list *arguments, int output,
                     int *exit_status, fx_error *err) {
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO}, old[FX_STOP_SIGNALS];
    stop_signal = 0;
    fx_stop_signals_set(&action, old);
    const pid_t child = fx_child_fork(false, &stop_signal);
    if (child == 0) {
        fx_error cause = {0};
        if (output < 0 || dup2(output, STDOUT_FILENO) >= 0) {
            (void)become_python(root, module, arguments, &cause);
            fx_warn("%s", cause.text);
        }
        _exit(FX_PYTHON_NOT_STARTED);
    }
    const fx_status result =
        child < 0 && !stop_signal ? fx_fail(err, FX_IO, "Python can't be started: %s", strerror(errno)) : FX_OK;
    const int status = fx_child_wait();
    for (size_t i = 0; i < FX_STOP_SIGNALS; i++) {
        (void)sigaction(fx_stop_signals[i], &old[i], NULL);
    }
    *exit_status = result ? FX_EXIT_USE : stop_signal ? 128 + stop_signal : status_of(status, verb);
    return result;
}

static fx_status call(const char *root, const char *module, const char *verb, const fx_options *options,
                      int *exit_status, fx_error *err) {
    fx_text_list arguments = {0};
    fx_options_normal(verb, options, &arguments);
    const fx_status status = run(root, module, verb, &arguments, -1, exit_status, err);
    free(arguments.text);
    return status;
}

fx_status fx_python_plot(const char *root, const char *verb, char **words, int count, int *exit_status, fx_error *err) {
    FX_OWNED(fx_options_free) fx_options options;
    FX_TRY(fx_options_parse(verb, count, words, &options, err));
    return call(root, FX_PLOT_MODULE, verb, &options, exit_status, err);
}

fx_status fx_python_ask(const char *root, const char *module, const char *question, char **answer, fx_error *err) {
    const fx_text_list arguments = {.text = &question, .count = 1};
    const int output = memfd_create("gpufx-answer", MFD_CLOEXEC);
    int exit_status;
    FX_FAIL_IF(output < 0, err, FX_IO, "Python can't be started: %s", strerror(errno));
    fx_status status = run(root, module, module, &arguments, output, &exit_status, err);
    if (!status && stop_signal) {
        fx_warn("interrupted");
        (void)raise(stop_signal); /* nobody but our caller's shell is to hear of it */
    }
    if (!status && exit_status) {
        status = fx_fail(err, FX_IO, "Python ended without an answer (status %d)", exit_status);
    }
    const off_t size = status ? 0 : lseek(output, 0, SEEK_END);
    *answer = status ? NULL : fx_new((size_t)size + 1, 1);
    if (!status && pread(output, *answer, (size_t)size, 0) != size) {
        status = fx_fail(err, FX_IO, "Python's answer can't be read: %s", strerror(errno));
    }
    (void)close(output);
    return status;
}

int fx_python_verb(const char *module, const char *verb, const fx_options *options) {
    fx_error err = {0};
    char root[PATH_MAX];
    int status;
    if (fx_root(root, &err) || call(root, module, verb, options, &status, &err)) {
        return fx_exit_for(&err);
    }
    return status == FX_PYTHON_NOT_STARTED ? FX_EXIT_USE : status;
}
