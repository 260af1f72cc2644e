/* The child is `PROGRAM --fresh-process PROBE COUNT ARGUMENT [NAME=VALUE]`. It answers on its standard output in one
 * line: "0" and the numbers, or a status and a sentence. */
#include "fresh_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_BYTES = 1024, MOST_S = 60 };
static const char FLAG[] = "--fresh-process";

extern char **environ;

static fx_status understand(char *answer, double *numbers, size_t count, fx_error *err) {
    char *at = answer, *end;
    const long said = strtol(at, &end, 10);
    if (end != at && said != FX_OK) {
        /* What is lost to the child is not lost to this process. */
        const bool lost = said < FX_OK || said > FX_INTERRUPTED || said == FX_DEVICE_LOST;
        end[strcspn(end, "\n")] = '\0';
        return fx_fail(err, lost ? FX_DEVICE : (fx_status)said, "%s", end + strspn(end, " "));
    }
    bool whole = end != at;
    for (size_t i = 0; i < count && whole; i++) {
        at = end;
        numbers[i] = strtod(at, &end);
        whole = end != at;
    }
    return whole ? FX_OK : fx_fail(err, FX_DEVICE, "the process of this case died; run the case again");
}

fx_status fx_fresh_process(const fx_probe *probe, const char *argument, const char *variable, double *numbers,
                           size_t count, fx_error *err) {
    char number[32], answer[ANSWER_BYTES] = "";
    const char *const argv[] = {"gpufx", FLAG, probe->name, number, argument, variable, NULL};
    int ends[2], code, status = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    (void)snprintf(number, sizeof number, "%zu", count);
    FX_FAIL_IF(pipe(ends), err, FX_IO, "the process of this case can't be started: %s", strerror(errno));
    code = posix_spawn_file_actions_init(&actions);
    if (!code) {
        (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
        (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
        code = posix_spawn(&child, "/proc/self/exe", &actions, NULL, (char **)(uintptr_t)argv, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)close(ends[1]);
    if (code) {
        (void)close(ends[0]);
        return fx_fail(err, FX_IO, "the process of this case can't be started: %s", strerror(code));
    }
    ssize_t got = 1;
    for (size_t length = 0; length + 1 < sizeof answer && (got > 0 || (got < 0 && errno == EINTR));) {
        got = read(ends[0], answer + length, sizeof answer - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    (void)close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
               ? fx_fail(err, FX_DEVICE, "the process of this case took over a minute and was killed")
               : understand(answer, numbers, count, err);
}

bool fx_fresh_process_serves(int argc, char **argv, int *exit_status) {
    if (argc < 5 || argc > 6 || strcmp(argv[1], FLAG) != 0) {
        return false;
    }
    const fx_probe *probe = fx_probe_find(argv[2]);
    const unsigned long count = strtoul(argv[3], NULL, 10);
    double numbers[FX_FRESH_MOST] = {0};
    fx_error err = {0};
    fx_status status = FX_OK;
    if (!probe || !probe->in_fresh_process || count > FX_FRESH_MOST) {
        status = fx_fail(&err, FX_BAD_INPUT, "%s is for the program itself; `gpufx help` lists the verbs", FLAG);
    } else {
        (void)signal(SIGALRM, SIG_DFL);
        (void)alarm(MOST_S);
        (void)(argc == 6 && putenv(argv[5]));
        status = probe->in_fresh_process(argv[4], numbers, count, &err);
    }
    if (status == FX_OK) {
        printf("0");
        for (unsigned long i = 0; i < count; i++) {
            printf(" %.17g", numbers[i]);
        }
        printf("\n");
    } else {
        printf("%d %s\n", (int)status, err.text);
    }
    *exit_status = fflush(stdout) == 0 && status == FX_OK ? 0 : 1;
    return true;
}
