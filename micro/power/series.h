/* A load over time: launches in a row, each with the time at which it began and the cycles that it took, and the steps
 * of the driver's counter of energy meanwhile. Read in windows. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What kernels leave behind, several launches together or each by itself. */
typedef struct meter {
    unsigned long long cycles, ns; /* the SM's clock and the time, of one thread */
    unsigned long long begun_ns;   /* when the latest launch began, by that thread */
    unsigned long long right;      /* threads whose product is what it must be, words of a copy that are */
} meter;

typedef struct energy_step {
    double ns, mJ; /* ns: from the first launch on */
} energy_step;

enum { MOST_STEPS = 1 << 13 };

typedef struct series {
    int64_t seconds; /* 0: it was not taken */
    meter *launch;   /* owned; kept for the cases to come */
    size_t launches;
    energy_step steps[MOST_STEPS];
    size_t step_count;
} series;

/* Energy until then, between the steps of the counter; NAN before the first and after the last. */
static inline double series_energy_mJ(const series *all, double ns) {
    for (size_t i = 1; i < all->step_count; i++) {
        const energy_step *a = &all->steps[i - 1], *b = &all->steps[i];
        if (a->ns <= ns && ns <= b->ns) {
            return a->mJ + (b->mJ - a->mJ) * (ns - a->ns) / (b->ns - a->ns);
        }
    }
    return (double)NAN;
}

/* The first launch that began so long after the first one, or later; the last one where none did. */
static inline size_t series_at(const series *all, double ns) {
    size_t low = 0, high = all->launches - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if ((double)(all->launch[middle].begun_ns - all->launch[0].begun_ns) < ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Of the launches that began in [begin, end), or of the first one behind it: the time of one, and the SM clock. False
 * where the load ended before. */
static inline bool series_piece(const series *all, double begin_ns, double end_ns, double *launch_ns,
                                double *sm_clock_MHz) {
    unsigned long long cycles = 0, ns = 0;
    const size_t first = series_at(all, begin_ns), found = series_at(all, end_ns);
    const size_t end = found > first ? found : first + 1;
    if (end >= all->launches || (double)(all->launch[end].begun_ns - all->launch[0].begun_ns) < end_ns) {
        return false;
    }
    for (size_t i = first; i < end; i++) {
        cycles += all->launch[i].cycles;
        ns += all->launch[i].ns;
    }
    *launch_ns = (double)(all->launch[end].begun_ns - all->launch[first].begun_ns) / (double)(end - first);
    *sm_clock_MHz = 1e3 * (double)cycles / (double)ns;
    return true;
}
