/* One write(2) for a warning, so that the lines of two processes on one terminal or pipe stay whole; and lines that
 * keep to the width of the screen. */
#include "message.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"
#include "parse.h"

enum { LEAST_COLUMNS = 80, MOST_COLUMNS = 10000 };

static bool (*asked)(const char *sentence);
static char prefix[96];

void fx_message_device(const char *device) {
    (void)snprintf(prefix, sizeof prefix, "device %.80s: ", device);
    (void)fx_text_safe(prefix);
}

const char *fx_message_prefix(void) {
    return prefix;
}

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
    char text[1024], line[sizeof text + sizeof prefix + 16];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fx_text_safe(text);
    if (asked && asked(text)) {
        return;
    }
    int length = snprintf(line, sizeof line, "gpufx: %s%s\n", prefix, text);
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
    (void)ignored;
}

int fx_exit_for(const fx_error *err) {
    fx_warn("%s", err->text);
    switch (err->status) {
    case FX_OK:
        return FX_EXIT_OK;
    case FX_WRONG_RESULT:
        return FX_EXIT_NO;
    case FX_NO_MEMORY:
    case FX_UNSUPPORTED:
    case FX_DEVICE:
    case FX_DEVICE_LOST:
        return FX_EXIT_NOTHING;
    case FX_BAD_INPUT:
    case FX_IO:
    case FX_INTERRUPTED:
        break;
    }
    return FX_EXIT_USE;
}

void fx_print_line(FILE *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    FX_FREED char *text = fx_vprinted(format, args);
    va_end(args);
    fprintf(to, "%s%s\n", prefix, fx_text_safe(text));
}

int fx_columns(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    errno = 0;
    const long width = columns ? strtol(columns, &end, 10) : 0;
    if (columns && *columns && !*end && !errno && width > 0) {
        return width < LEAST_COLUMNS ? LEAST_COLUMNS : width > MOST_COLUMNS ? MOST_COLUMNS : (int)width;
    }
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col > LEAST_COLUMNS) {
        return size.ws_col;
    }
    return LEAST_COLUMNS;
}

/* Bytes of the text that stand on a line with room for so many characters: up to the last blank that fits; where there
 * is none, behind the last comma or slash of a word that is too long; else the whole word. Leading blanks count. */
static size_t piece(const char *text, int room) {
    size_t blank = 0, comma = 0, at = strspn(text, " ");
    int column = (int)at;
    for (; text[at] && (column <= room || !(blank || comma)); at++) {
        if (text[at] == ' ') {
            blank = at;
        } else if (at && (text[at - 1] == ',' || text[at - 1] == '/')) {
            comma = at;
        }
        column += (text[at] & 0xc0) != 0x80; /* a character of UTF-8, not a byte */
    }
    return column <= room ? at : blank ? blank : comma ? comma : at;
}

void fx_print_text(FILE *to, int width, int indent, const char *text) {
    int room = width;
    while (*text) {
        const size_t length = piece(text, room);
        size_t shown = length;
        while (shown && text[shown - 1] == ' ') {
            shown--;
        }
        fprintf(to, "%.*s\n", (int)shown, text);
        text += length;
        text += strspn(text, " ");
        if (*text) {
            fprintf(to, "%*s", indent, "");
            room = width - indent;
        }
    }
}

void fx_print_wrapped(FILE *to, int indent, const char *format, ...) {
    va_list args;
    va_start(args, format);
    FX_FREED char *text = fx_vprinted(format, args);
    va_end(args);
    fx_print_text(to, fx_columns(), indent, fx_text_safe(text));
}
