/* One case on several SMs: what each of them measured. SMs of one chip differ, since they are at different
 * distances from the caches that they share. */
#pragma once

#include <stddef.h>

typedef struct fx_over_sms {
    size_t count;        /* SMs; 0: which SM gave a sample is not known, or it was always the same */
    double low, high;    /* the lowest and the highest median of an SM's samples */
    int low_sm, high_sm; /* whose these are */
} fx_over_sms;

/* sms[i] is the SM that gave sample i, -1 where that is unknown. level[i] receives sample i times the median of all
 * over that of its SM: what is left is what moved in time. Where out->count is 0, level is a copy. */
void fx_over_sms_of(const double *samples, const int *sms, size_t n, double *level, fx_over_sms *out);
