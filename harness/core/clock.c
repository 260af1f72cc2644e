/* CLOCK_MONOTONIC: no other program sets it. */
#include "clock.h"

#include <time.h>

double fx_now_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
