/* Cases of one archive held against what the fits of another predict for them, by the aims of their probe. */
#ifndef FX_JUDGE_H
#define FX_JUDGE_H

#include "fit_lines.h"

enum { FX_FARTHEST = 5 };

typedef struct fx_far {
    char name[FX_NAME_BYTES];
    double measured, predicted, off_pct; /* off_pct: of the prediction, with its sign */
} fx_far;

/* What became of one aim. Every case that its selection holds, of every process, is right, off, or has no prediction.
 * A case belongs to the first aim that holds it. */
typedef struct fx_judged {
    const fx_probe *probe;
    const fx_aim *aim;
    size_t right, off, unpredicted;
    size_t not_claimed; /* of the unpredicted: where the probe says that its law is not claimed; the rest has no fit */
    fx_far farthest[FX_FARTHEST]; /* the farthest first */
    size_t farthest_count;
} fx_judged;

/* "agrees" where the aim is met, "OFF" where it is missed, "no aim" where none is set, "waived" where nothing could be
 * predicted. */
const char *fx_judged_verdict(const fx_judged *judged);

/* Reads `archive`. *out, which is owned, has the aims that speak of some case of it. `failed`, an object, gets
 * the number of failed lines by their status. */
fx_status fx_judge(const fx_predictor *by, const char *archive, fx_judged **out, size_t *count, json_t *failed,
                   fx_error *err);

#endif
