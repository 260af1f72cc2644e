/* Arrays that grow by one item at a time. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one item more in an array of `count` items of `size` bytes, which moves: `array` is the address of its
 * pointer. There is room up to the next power of two, so that the array needs no other count. False: no memory. */
static inline bool fx_grow(void *array, size_t count, size_t size) {
    void *items;
    memcpy(&items, array, sizeof items); /* a pointer to any type */
    void *more = count & (count - 1) ? items : reallocarray(items, count ? 2 * count : 1, size);
    if (more) {
        memcpy(array, &more, sizeof more);
    }
    return more != NULL;
}
