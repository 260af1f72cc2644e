/* One decoder of UTF-8, which all three ways out use. */
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const struct {
    uint32_t first, last;
} harmful[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f}, {0x2028, 0x2029},
               {0x202a, 0x202e}, {0x2066, 0x2069}, {0xd800, 0xdfff}, {0xfffe, 0xffff}};

/* The length of the valid sequence that begins here, with its code point; 0: there is none. */
static size_t decode(const char *text, uint32_t *point) {
    /* What the first byte says; `least` refuses longer spellings of smaller numbers. */
    static const struct {
        unsigned char mask, lead;
        size_t length;
        uint32_t least;
    } kinds[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((*at & kinds[i].mask) != kinds[i].lead) {
            continue;
        }
        *point = *at & (unsigned char)~kinds[i].mask;
        for (size_t k = 1; k < kinds[i].length; k++) {
            if ((at[k] & 0xc0) != 0x80) {
                return 0;
            }
            *point = *point << 6 | (at[k] & 0x3f);
        }
        return *point >= kinds[i].least && *point <= 0x10ffff ? kinds[i].length : 0;
    }
    return 0;
}

/* The bytes that belong together at the head of a text that is not empty; *safe: they may stand as they are. A
 * surrogate is invalid as UTF-8: each of its bytes counts. */
static size_t step(const char *text, bool *safe) {
    uint32_t point;
    const size_t length = decode(text, &point);
    *safe = length > 0;
    for (size_t i = 0; *safe && i < sizeof harmful / sizeof *harmful; i++) {
        *safe = point < harmful[i].first || point > harmful[i].last;
    }
    return length && (point < 0xd800 || point > 0xdfff) ? length : 1;
}

char *fx_text_safe(char *text) {
    char *to = text;
    bool safe;
    for (const char *at = text; *at;) {
        const size_t length = step(at, &safe);
        if (safe) {
            memmove(to, at, length);
        } else {
            *to = '?';
        }
        to += safe ? length : 1;
        at += length;
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

void fx_text_print(FILE *to, const char *text) {
    bool safe;
    for (size_t length; *text; text += length) {
        length = step(text, &safe);
        (void)fwrite(safe ? text : "?", 1, safe ? length : 1, to);
    }
}
