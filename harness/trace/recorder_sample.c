#include "recorder_words.h"

/* Sum of floor((a i + b) / 2^32) for i < n, by Euclid's steps; nothing overflows 128 bits. */
static unsigned __int128 floor_sum(unsigned __int128 n, unsigned __int128 a, unsigned __int128 b) {
    unsigned __int128 m = (unsigned __int128)1 << 32, sum = 0;
    for (;;) {
        sum += n * (n - (n != 0)) / 2 * (a / m) + n * (b / m);
        a %= m;
        b %= m;
        const unsigned __int128 most = a * n + b;
        if (most < m) {
            return sum;
        }
        n = most / m;
        b = most % m;
        const unsigned __int128 swapped = m;
        m = a;
        a = swapped;
    }
}

/* Blocks below `total` whose product with the golden ratio lies below a bound, modulo 2^32. */
uint32_t fx_sample_count(uint32_t sampled, uint32_t total) {
    if (sampled == 0 || sampled >= total) {
        return total;
    }
    const uint64_t ratio = 0x9e3779b1u, all = (uint64_t)1 << 32;
    const uint64_t bound = (((uint64_t)(sampled - 1) << 32) + total - 1) / total;
    const unsigned __int128 below = floor_sum(total, ratio, 0) + total - floor_sum(total, ratio, all - bound);
    const uint32_t last = total - 1;
    return (uint32_t)below + !((uint64_t)(last * (uint32_t)ratio) * total < (uint64_t)(sampled - 1) << 32);
}
