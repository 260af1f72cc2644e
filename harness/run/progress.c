/* The pipe's protocol is one line per event, a word and a text: "case NAME", "more 1", "done 0", "result TEXT",
 * "warning TEXT", "ended REASON". */
#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "call/message.h"
#include "core/clock.h"
#include "core/probe.h"
#include "core/text.h"

static struct {
    bool terminal, shown;
    FILE *results;
    int events_fd;
    size_t cases, processes, done;
    ptrdiff_t more;
    size_t spared; /* of each process behind the first */
    fx_counts tally;
    double started_s, drawn_s;
    size_t process;           /* that runs, from 1; 0: not known */
    char name[FX_NAME_BYTES]; /* of the case */
} progress = {.events_fd = -1};

/* One write(2) per line. A parent that is gone is not this process's worry: it will be ended by its death signal. */
static bool send(const char *kind, const char *text) {
    char line[1024];
    if (progress.events_fd < 0) {
        return false;
    }
    (void)snprintf(line, sizeof line - 1, "%s %s", kind, text);
    for (char *end; (end = strchr(line, '\n'));) {
        *end = ' ';
    }
    const size_t size = strlen(line);
    line[size] = '\n';
    ssize_t ignored = write(progress.events_fd, line, size + 1);
    (void)ignored;
    return true;
}

/* Removes the status line, if there is one; the next event brings it back. */
static void clear(void) {
    if (!progress.shown) {
        return;
    }
    fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    progress.shown = false;
}

static bool take_warning(const char *sentence) {
    if (send("warning", sentence)) {
        return true;
    }
    clear();
    return false;
}

void fx_progress_begin(size_t cases, size_t processes, size_t spared, FILE *results, int events_fd) {
    memset(&progress, 0, sizeof progress);
    const char *kind = getenv("TERM");
    progress.events_fd = events_fd;
    progress.terminal =
        events_fd < 0 && !fx_is_quiet() && isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
    progress.results = results;
    progress.cases = cases;
    progress.processes = processes;
    progress.spared = spared;
    progress.started_s = fx_now_s();
    fx_warn_ask(take_warning);
}

void fx_progress_more(ptrdiff_t cases) {
    char text[24];
    (void)snprintf(text, sizeof text, "%td", cases);
    (void)send("more", text);
    progress.more += cases;
}

static size_t total(void) {
    return progress.cases * progress.processes - progress.spared * (progress.processes - 1) + (size_t)progress.more;
}

static int columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 3 ? size.ws_col : 80;
}

/* Two columns stay free for the ^C that a terminal shows: a line that wraps is not wiped. At most ten times a second:
 * drawing must not become a part of what is measured. */
static void draw(void) {
    double now = fx_now_s();
    if (!progress.terminal || (progress.shown && now - progress.drawn_s < 0.1)) {
        return;
    }
    char line[512], left[64] = "", which[64] = "", probe_name[FX_NAME_BYTES];
    if (progress.done && total() >= progress.done) {
        /* By the mean of the cases so far, though the last ones, large transfers, are the longest. */
        const double more = (double)(total() - progress.done) / (double)progress.done;
        const int left_s = (int)((now - progress.started_s) * more);
        (void)snprintf(left, sizeof left, "  about %d:%02d left", left_s / 60, left_s % 60);
    }
    double part = total() ? (double)progress.done / (double)total() : 0;
    (void)snprintf(probe_name, sizeof probe_name, "%.*s", (int)strcspn(progress.name, "/"), progress.name);
    const fx_probe *probe = fx_probe_find(probe_name);
    if (progress.process) {
        (void)snprintf(which, sizeof which, ", process %zu", progress.process);
    }
    (void)snprintf(line, sizeof line, "%s[%3.0f %%]%s%s  %s%s%s", fx_message_prefix(), 100 * part, left, which,
                   probe ? probe_name : progress.name, probe ? ": " : "", probe ? probe->question : "");
    fprintf(stderr, "\r%.*s\033[K", columns() - 3, line);
    (void)fflush(stderr);
    progress.shown = true;
    progress.drawn_s = now;
}

void fx_progress_process(size_t number) {
    progress.process = number;
}

void fx_progress_case(const char *name) {
    if (send("case", name)) {
        return;
    }
    (void)snprintf(progress.name, sizeof progress.name, "%s", name);
    (void)fx_text_safe(progress.name);
    fx_detail("case %s", progress.name);
    draw();
}

void fx_progress_done(fx_outcome outcome) {
    char text[16];
    size_t *counts[] = {&progress.tally.cases, &progress.tally.waived, &progress.tally.failed};
    ++*counts[outcome];
    if (progress.done < total()) {
        progress.done++;
    }
    (void)snprintf(text, sizeof text, "%d", (int)outcome);
    if (!send("done", text)) {
        draw();
    }
}

void fx_progress_result(const char *line) {
    if (send("result", line)) {
        return;
    }
    clear();
    fx_print_line(progress.results, "%s", line);
    (void)fflush(progress.results);
}

void fx_progress_ended(const char *reason) {
    (void)send("ended", reason);
}

const char *fx_progress_event(char *line) {
    char *text = strchr(line, ' ');
    if (!text) {
        return NULL;
    }
    *text++ = '\0';
    if (!strcmp(line, "case")) {
        fx_progress_case(text);
    } else if (!strcmp(line, "done") && *text >= '0' && *text <= '2') {
        fx_progress_done((fx_outcome)(*text - '0'));
    } else if (!strcmp(line, "more")) {
        fx_progress_more(strtol(text, NULL, 10));
    } else if (!strcmp(line, "result")) {
        fx_progress_result(text);
    } else if (!strcmp(line, "warning")) {
        fx_warn("%s", text);
    } else if (!strcmp(line, "ended")) {
        return text;
    }
    return NULL;
}

const char *fx_progress_took(char to[FX_TOOK], double seconds) {
    (void)snprintf(to, FX_TOOK, seconds < 0.1 ? "%.3f s" : "%.1f s", seconds > 0.001 ? seconds : 0.001);
    return to;
}

fx_counts fx_progress_tally(void) {
    return progress.tally;
}

void fx_progress_end(void) {
    clear();
    progress.terminal = false;
}
