/* Text of others made harmless: names and sentences from an archive, a device, a driver, a file or the command line, on
 * their way to a terminal, a line of text or a picture. They may not command the terminal, begin a line of their own,
 * nor change how the text next to them reads.
 *
 * Each of these becomes one '?':
 *   U+0000 to U+001F and U+007F to U+009F   control characters: C0 (tab, line feed and escape too), DEL, C1
 *   U+2028, U+2029                          line and paragraph separator
 *   U+061C, U+200E, U+200F,                 the controls of the writing direction (Bidi_Control)
 *   U+202A to U+202E, U+2066 to U+2069
 *   U+D800 to U+DFFF, U+FFFE, U+FFFF        no characters
 *   every byte outside a valid sequence of UTF-8
 * All else stays. gpufx_plot does the same; both are tested by tests/vectors/text.json. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Replaces in place, which never needs more room. Returns `text`. */
char *fx_text_safe(char *text);

/* Writes it as the message of a workflow command of GitHub Actions. */
void fx_text_print_github(FILE *to, const char *text);

/* Appends to the text in an array of `size` bytes; what has no room there is cut off. */
void fx_text_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Copies word `index` of words with blanks between; false where there is none. words: NULL is fine. */
bool fx_word(const char *words, size_t index, char *text, size_t size);

/* The string of that key; "" where there is none. Borrowed. */
const char *fx_json_text(const json_t *object, const char *key);

/* A new list of an item for each i below `count`, which is a new reference; NULL: this i has none. */
#define FX_JSON_LIST(i, count, item)                                                                                   \
    __extension__({                                                                                                    \
        json_t *list_ = json_array();                                                                                  \
        for (size_t i = 0; i < (count); i++) {                                                                         \
            (void)json_array_append_new(list_, (item));                                                                \
        }                                                                                                              \
        list_;                                                                                                         \
    })

/* Writes JSON that keeps every character, as an escape where it is not ASCII or is DEL. `indent` 0: in one line. */
int fx_text_print_json(FILE *to, const json_t *value, size_t indent);
