/* Numbers for units: how near two are, and draws. */
#pragma once

#include <math.h>

#include "core/random.h"

/* cmocka's own assertion compares as float. */
#define assert_near(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        if (!(fabs((a) - (b)) <= (tolerance)))                                                                         \
            fail_msg("%s is %.17g, not %.17g", #a, (double)(a), (double)(b));                                          \
    } while (0)

/* Between 0 and 1, neither of them. */
static inline double uniform(uint64_t *state) {
    return ((double)(fx_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* Of mean 0 and deviation 1, by Box and Muller. */
static inline double normal(uint64_t *state) {
    const double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}
