/* One write(2) for a warning, so that the lines of two processes on one terminal or pipe stay whole. */
#include "message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "parse.h"

static bool (*asked)(const char *sentence);

void fx_warn_ask(bool (*before)(const char *sentence)) {
    asked = before;
}

static bool talks(const char *how) {
    const char *talk = getenv(FX_TALK);
    return talk && !strcmp(talk, how);
}

bool fx_is_quiet(void) {
    return talks("quiet");
}

bool fx_is_verbose(void) {
    return talks("verbose");
}

void fx_warn(const char *format, ...) {
    char text[1024], line[sizeof text + 16];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fx_text_safe(text);
    if (asked && asked(text)) {
        return;
    }
    int length = snprintf(line, sizeof line, "gpufx: %s\n", text);
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
    (void)ignored;
}

int fx_exit_for(const fx_error *err) {
    fx_warn("%s", err->text);
    switch (err->status) {
    case FX_OK:
        return FX_EXIT_OK;
    case FX_BAD_INPUT:
    case FX_IO:
    case FX_INTERRUPTED:
        return FX_EXIT_USE;
    case FX_WRONG_RESULT:
        return FX_EXIT_NO;
    case FX_NO_MEMORY:
    case FX_UNSUPPORTED:
    case FX_DEVICE:
    case FX_DEVICE_LOST:
        return FX_EXIT_NOTHING;
    }
    return FX_EXIT_USE;
}

void fx_print_line(FILE *to, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        fx_text_print(to, text);
        free(text);
    }
    va_end(args);
    fputc('\n', to);
}
