/* Text is made harmless character by character, in place. */
#include "text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "utf8.h"

static const struct {
    uint32_t first, last;
} harmful[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
               {0x2028, 0x2029}, {0x202a, 0x202e}, {0x2066, 0x2069}, {0xfffe, 0xffff}};

static bool is_harmful(uint32_t point) {
    bool found = false;
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        found = found || (point >= harmful[i].first && point <= harmful[i].last);
    }
    return found;
}

char *fx_text_safe(char *text) {
    char *to = text;
    for (const char *at = text; *at;) {
        uint32_t point;
        const size_t length = fx_utf8_decode(at, &point);
        if (length && !is_harmful(point)) {
            memmove(to, at, length);
            to += length;
        } else {
            *to++ = '?';
        }
        at += length ? length : 1;
    }
    *to = '\0';
    return text;
}

/* Jansson escapes all that is harmful but DEL, which can stand only within a string. */
static int print_chunk(const char *text, size_t size, void *to) {
    const char *end = text + size;
    for (const char *del; (del = memchr(text, 0x7f, (size_t)(end - text))); text = del + 1) {
        (void)fwrite(text, 1, (size_t)(del - text), to);
        fputs("\\u007f", to);
    }
    (void)fwrite(text, 1, (size_t)(end - text), to);
    return ferror((FILE *)to) ? -1 : 0;
}

int fx_text_print_json(FILE *to, const json_t *value, size_t indent) {
    const size_t layout = indent ? JSON_INDENT(indent) : JSON_COMPACT;
    return json_dump_callback(value, print_chunk, to, layout | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
}

void fx_text_print_github(FILE *to, const char *text) {
    for (; *text; text++) {
        fprintf(to, strchr("%\r\n", *text) ? "%%%02X" : "%c", (unsigned char)*text);
    }
}

void fx_text_add(char *text, size_t size, const char *format, ...) {
    const size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text + length, size - length, format, args);
    va_end(args);
}

bool fx_word(const char *words, size_t index, char *text, size_t size) {
    static const char blanks[] = " \t\r\n";
    size_t i = 0;
    for (const char *at = words; at && *(at += strspn(at, blanks)); at += strcspn(at, blanks)) {
        if (i++ == index) {
            (void)snprintf(text, size, "%.*s", (int)strcspn(at, blanks), at);
            return true;
        }
    }
    return false;
}

const char *fx_json_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
