#include "recorder_sample.h"

/* The first block of a run: the lowest b with b * scale >> 32 == run. */
static uint64_t first_of(uint64_t run, uint32_t scale) {
    return ((run << 32) + scale - 1) / scale;
}

/* The finaliser of MurmurHash3. */
static uint32_t hash(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

uint32_t fx_sample_blocks(uint32_t total, uint32_t strata, uint32_t *chosen, uint32_t *scale) {
    *scale = 0;
    if (strata == 0 || strata >= total) {
        return total;
    }
    *scale = (uint32_t)(((uint64_t)strata << 32) / total);
    const uint32_t last = (uint32_t)((uint64_t)(total - 1) * *scale >> 32);
    for (uint32_t run = 0; run < strata; run++) {
        const uint64_t first = first_of(run, *scale), next = first_of(run + 1, *scale);
        const uint64_t stop = next < total ? next : total;
        chosen[run] = run == 0      ? 0
                      : run == last ? total - 1
                      : run > last  ? UINT32_MAX /* rounding left it no block */
                                    : (uint32_t)(first + hash(run) % (stop - first));
    }
    return last + 1;
}
