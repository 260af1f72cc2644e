/* Lines that keep to the width of the screen. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"
#include "message.h"

enum { LEAST_COLUMNS = 80, MOST_COLUMNS = 10000 };

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
 * is none, behind the last comma or slash of a word that is too long; else the whole word. Leading blanks are included.
 */
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
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        fx_print_text(to, fx_columns(), indent, fx_text_safe(text));
        free(text);
    }
    va_end(args);
}
