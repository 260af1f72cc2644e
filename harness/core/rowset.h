/* A set of rows of int64_t that remembers the order of arrival: how selections and cases drop their duplicates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with {.width = numbers in a row}. rows holds count * width numbers in order of arrival; owned. */
typedef struct fx_rowset {
    size_t width;
    int64_t *rows;
    size_t count, capacity;
    size_t *slots; /* open addressing: row index + 1, 0 for free; slot_count is a power of two */
    size_t slot_count;
} fx_rowset;

/* Adds a copy of `row` unless it is there; *added says which. Returns false if memory ran out (the set stays good). */
bool fx_rowset_add(fx_rowset *set, const int64_t *row, bool *added);

/* Hands over the rows, which the caller frees with free(), and empties the set. NULL if it was empty. */
int64_t *fx_rowset_take(fx_rowset *set, size_t *count);

void fx_rowset_free(fx_rowset *set);
