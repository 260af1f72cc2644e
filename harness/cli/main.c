/* The program: finds the verb and hands over. Everything that must hold for every verb stands here: the three standard
 * descriptors are open, a reader that goes away is no reason to die, and an answer that could not be written is an
 * error. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "cli.h"
#include "core/nearest.h"
#include "core/probe.h"

/* A descriptor closed by the caller (`gpufx run >&-`) would be given to the next file opened: the archive. */
static void open_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", fd ? O_WRONLY : O_RDONLY);
        }
    }
}

/* The verb's status, unless its answer did not arrive. A closed pipe is the reader's choice: `gpufx list | head`. */
static int flushed(int status) {
    bool failed = fflush(stdout) != 0;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (!failed && !ferror(stdout)) {
        return status;
    }
    if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR)) {
        return status;
    }
    fx_warn("Standard output could not be written in full: check the disk that it goes to.");
    return FX_EXIT_USE;
}

static int unknown_verb(const char *name) {
    const char *known[16];
    size_t count, known_count = 0;
    const fx_verb *verbs = fx_verbs(&count);
    for (size_t i = 0; i < count && known_count < FX_COUNT(known); i++) {
        known[known_count++] = verbs[i].name;
    }
    const char *near = fx_nearest(name, known, known_count);
    if (near) {
        fx_warn("There is no verb '%s'. Did you mean '%s'?", name, near);
    } else {
        fx_warn("There is no verb '%s'. `gpufx help` lists them.", name);
    }
    return FX_EXIT_USE;
}

int main(int argc, char **argv) {
    open_standard_descriptors();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is a failed write, with a sentence */
    if (fx_probe_problem()) {
        fx_warn("%s", fx_probe_problem());
    }
    if (argc < 2) {
        fx_warn("A verb is missing. `gpufx help` lists them; `gpufx characterize` measures this machine.");
        return FX_EXIT_USE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version")) {
        printf("gpufx %s\n", FX_BUILD_VERSION);
        return flushed(FX_EXIT_OK);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        name = "help";
    }
    size_t count;
    const fx_verb *verbs = fx_verbs(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(verbs[i].name, name)) {
            return flushed(verbs[i].run(argc - 2, argv + 2));
        }
    }
    return unknown_verb(name);
}
