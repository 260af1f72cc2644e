/* Axes: the named, typed parameters of a probe, and the little language that selects their values.
 *
 *   NAME=ITEM[,ITEM...]     several of these, separated by blanks, make a selection
 *   ITEM   3 | 4Ki | A:B (step 1) | A:B:S (step S) | A:B:*F (times F) | choice name | all
 *
 * Numbers are decimal and take the suffixes Ki, Mi, Gi; `all` stands for every choice of a choice axis. Ranges include
 * both ends where the step meets them. A probe's own sweeps, its --quick sweeps and the user's --axis are all written
 * in this language and read by the same parser. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

FX_C_BEGIN

enum { FX_MAX_AXES = 12 };

typedef struct fx_axis {
    const char *name;
    const char *unit;    /* "bytes", "elements", "" */
    const char *help;    /* one line for `gpufx list` */
    const char *choices; /* "load store": a choice axis, values are indexes into this list; NULL: a number */
    int64_t min, max;    /* limits of a number, inclusive; not used by a choice */
    int64_t fallback;    /* the value where a sweep does not name this axis */
} fx_axis;

/* One point of a probe's axes. value[i] belongs to axes[i]; named[i] says that the sweep spoke of it (only named axes
 * appear in the case name, and all appear in the archive's params). */
typedef struct fx_params {
    int64_t value[FX_MAX_AXES];
    bool named[FX_MAX_AXES];
} fx_params;

/* The values selected for one axis. values is owned; free with fx_selections_free. */
typedef struct fx_selection {
    bool named;
    int64_t *values;
    size_t count;
} fx_selection;

/* Copies choice `index` into `text` (of `size` bytes) and returns true; false if there is no such choice. */
bool fx_axis_choice(const fx_axis *axis, int64_t index, char *text, size_t size);

/* Writes value as text: the choice's name, or the number in decimal. Returns text. */
const char *fx_axis_format(const fx_axis *axis, int64_t value, char *text, size_t size);

/* Parses the right side of NAME=... for one axis. Duplicates are dropped, order is kept. At most 100,000 values.
 * Errors (FX_BAD_INPUT) name the axis, the item, the limits or the known choices. */
fx_status fx_axis_parse(const fx_axis *axis, const char *text, fx_selection *out, fx_error *err);

/* Parses "a=1,2 b=load" into selections[axis_count]; axes not named keep named == false. An unknown axis is
 * FX_BAD_INPUT and lists the known ones, nearest first. On error nothing is left to free. */
fx_status fx_axes_parse(const fx_axis *axes, size_t axis_count, const char *text, fx_selection *selections,
                        fx_error *err);

/* True if the selection holds the value; one that names nothing holds all. */
bool fx_selection_holds(const fx_selection *selection, int64_t value);

/* True if all of them hold their axis' value. */
bool fx_selections_hold(const fx_selection *selections, const fx_params *params, size_t axis_count);

/* True if the word list `words` ("mode op width"; NULL: none) has the name. */
bool fx_axis_listed(const char *words, const char *name);

void fx_selections_free(fx_selection *selections, size_t axis_count);

static inline void fx_selections_free_all(fx_selection (*selections)[FX_MAX_AXES]) {
    fx_selections_free(*selections, FX_MAX_AXES);
}

FX_C_END
