/* Open addressing with linear probing, at most half full. The hash is fixed, so the same input takes the same steps. */
#include "rowset.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

static uint64_t hash(const int64_t *row, size_t width) {
    uint64_t h = 0;
    for (size_t i = 0; i < width; i++) {
        h = fx_random_at(h, (uint64_t)row[i]);
    }
    return h;
}

/* The slot that holds an equal row, or the free one where it belongs. */
static size_t find(const fx_rowset *set, const int64_t *row) {
    const size_t mask = set->slot_count - 1;
    size_t at = (size_t)hash(row, set->width) & mask;
    for (; set->slots[at]; at = (at + 1) & mask) {
        const int64_t *other = set->rows + (set->slots[at] - 1) * set->width;
        if (set->width == 0 || memcmp(other, row, set->width * sizeof *row) == 0) {
            break;
        }
    }
    return at;
}

static bool grow(fx_rowset *set) {
    const size_t capacity = set->capacity ? 2 * set->capacity : 16;
    const size_t bytes = capacity * sizeof *set->rows;
    if (set->width > 0 && bytes > SIZE_MAX / set->width) {
        return false;
    }
    int64_t *rows = realloc(set->rows, set->width > 0 ? bytes * set->width : sizeof *rows);
    if (!rows) {
        return false;
    }
    set->rows = rows;
    size_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!slots) {
        return false;
    }
    free(set->slots);
    set->slots = slots;
    set->slot_count = 2 * capacity;
    set->capacity = capacity;
    for (size_t i = 0; i < set->count; i++) {
        slots[find(set, rows + i * set->width)] = i + 1;
    }
    return true;
}

bool fx_rowset_add(fx_rowset *set, const int64_t *row, bool *added) {
    *added = false;
    if (set->count == set->capacity && !grow(set)) {
        return false;
    }
    const size_t slot = find(set, row);
    if (set->slots[slot]) {
        return true;
    }
    if (set->width > 0) {
        memcpy(set->rows + set->count * set->width, row, set->width * sizeof *row);
    }
    set->slots[slot] = ++set->count;
    *added = true;
    return true;
}

int64_t *fx_rowset_take(fx_rowset *set, size_t *count) {
    int64_t *rows = set->rows;
    *count = set->count;
    set->rows = NULL;
    fx_rowset_free(set);
    return rows;
}

void fx_rowset_free(fx_rowset *set) {
    if (set) {
        free(set->rows);
        free(set->slots);
        *set = (fx_rowset){.width = set->width};
    }
}
