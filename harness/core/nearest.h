/* "Did you mean": the known word nearest to a mistyped one. Verbs, options, probes, axes and choices all ask here. */
#pragma once

#include <stddef.h>

/* Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, letters compared without case
 * (optimal string alignment). SIZE_MAX if either is longer than 63 bytes. */
size_t fx_edit_distance(const char *a, const char *b);

/* The known word nearest to `word`, the first of equals. NULL if even that one is farther than a third of the longer
 * word's length (one edit is always near enough), so that a wild guess is not offered. */
const char *fx_nearest(const char *word, const char *const *known, size_t count);

/* Writes the known words as "a, b, c", nearest first; ", ..." stands for those that don't fit into `size`. Returns
 * text. */
const char *fx_nearest_list(const char *word, const char *const *known, size_t count, char *text, size_t size);
