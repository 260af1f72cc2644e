/* Laws judged by predictions of cases that had no part in their fits: `fits --held-out`.
 *
 * The cases of an archive are counted anew, by today's laws, and fitted in the groups of their probes over the medians
 * of all processes. A case is predicted by the fit of its group over the cases that count otherwise than it does; with
 * another archive, the cases of that one are predicted by the fits over all of the first. What counts is the share of
 * cases within 2 % of the prediction (within 10 % where what is timed is the whole chip's), and the largest measured
 * over predicted. */
#ifndef FX_HELD_OUT_H
#define FX_HELD_OUT_H

#include "core/probe.h"

enum { FX_HELD_OUT_TOLERANCES = 3 };

typedef struct fx_held_out {
    const fx_probe *probe;
    const char *law;
    size_t metric;                                    /* of the probe's */
    size_t predicted, within[FX_HELD_OUT_TOLERANCES]; /* so many within 2, 5 and 10 % */
    size_t unclaimed;   /* unclaimed: cases of the law where it is not claimed, or without a fit */
    double most, least; /* measured / predicted, of the farthest on either side */
    char most_name[FX_NAME_BYTES], least_name[FX_NAME_BYTES];
} fx_held_out;

/* A row for each law and metric of each probe, in the order of the archive; the caller frees *out. `other`: NULL, or
 * the archive whose cases are predicted. */
fx_status fx_hold_out(const char *archive, const char *other, fx_held_out **out, size_t *count, fx_error *err);

#endif
