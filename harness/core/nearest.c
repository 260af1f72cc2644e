/* Edit distance by dynamic programming over three rows; words here are short. */
#include "nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { longest = 63, listed = 64 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static int fold(char c) {
    return tolower((unsigned char)c);
}

size_t fx_edit_distance(const char *a, const char *b) {
    const size_t rows = strlen(a), columns = strlen(b);
    if (rows > longest || columns > longest) {
        return SIZE_MAX;
    }
    /* Row i lives in table[i % 3]: a swap looks back two rows. */
    size_t table[3][longest + 1];
    for (size_t j = 0; j <= columns; j++) {
        table[0][j] = j;
    }
    for (size_t i = 1; i <= rows; i++) {
        const size_t *above = table[(i - 1) % 3];
        size_t *row = table[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t replaced = above[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1])) {
                row[j] = smaller(row[j], table[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return table[rows % 3][columns];
}

const char *fx_nearest(const char *word, const char *const *known, size_t count) {
    const char *nearest = NULL;
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = fx_edit_distance(word, known[i]);
        const size_t a = strlen(word), b = strlen(known[i]);
        const size_t third = (a > b ? a : b) / 3;
        if (distance < shortest && distance <= (third > 1 ? third : 1)) {
            shortest = distance;
            nearest = known[i];
        }
    }
    return nearest;
}

const char *fx_nearest_list(const char *word, const char *const *known, size_t count, char *text, size_t size) {
    size_t order[listed], distance[listed], used = 0;
    for (size_t i = 0; i < count && used < listed; i++) {
        const size_t d = fx_edit_distance(word, known[i]);
        size_t at = used++;
        for (; at > 0 && distance[at - 1] > d; at--) {
            distance[at] = distance[at - 1];
            order[at] = order[at - 1];
        }
        distance[at] = d;
        order[at] = i;
    }
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < used; i++) {
        const char *name = known[order[i]];
        const size_t needed = strlen(name) + (i > 0 ? 2 : 0), more = i + 1 < count ? strlen(", ...") : 0;
        if (length + needed + more >= size) {
            (void)snprintf(text + length, size - length, "%s", length > 0 ? ", ..." : "");
            return text;
        }
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", name);
    }
    if (used > 0 && used < count) {
        (void)snprintf(text + length, size - length, ", ...");
    }
    return text;
}
