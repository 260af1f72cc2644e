/* Flat parts of a walk over growing values, where the first of them ends, and where the last begins. Python has the
 * rule for archives (plot/gpufx_plot/statistics/steps.py); tests/vectors/flat_parts.json holds both to it. What they do
 * with errors differs: here a change lies where the estimates say, since a mistake costs a case that tells little;
 * there it is a bracket that is sure, since a mistake is a false value. */
#pragma once

#include <stddef.h>

/* A cost: its logarithm, and the standard error of that. */
typedef struct fx_level {
    double log, error;
} fx_level;

/* Levels first..end - 1, which lie flat round exp(log). */
typedef struct fx_part {
    size_t first, end;
    double log;
} fx_part;

/* All parts in order, those of one level as well; returns how many. parts: room for one per level. */
size_t fx_parts(const fx_level *levels, size_t n, fx_part *parts);

/* Return the index of the first level behind the change; 0: there is none. tolerance: of a part's level, less is no
 * change; 0: the usual 3 %. */
size_t fx_first_ends(const fx_level *levels, size_t n, double tolerance);
size_t fx_last_begins(const fx_level *levels, size_t n, double tolerance);
