/* Seeded random numbers: SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
 * The same function fills buffers on the device, so that the host can check any word by its index alone. */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define FX_HOST_DEVICE __host__ __device__ constexpr
#else
#define FX_HOST_DEVICE __attribute__((unused))
#endif

/* The finaliser: a bijection of 64-bit words. fx_mix(seed + index * odd constant) is a random array. */
FX_HOST_DEVICE static inline uint64_t fx_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Element `index` of the random array named `seed`. */
FX_HOST_DEVICE static inline uint64_t fx_random_at(uint64_t seed, uint64_t index) {
    return fx_mix(seed + (index + 1) * 0x9e3779b97f4a7c15u);
}

/* 32-bit word `index` of the same array: what test buffers on host and device hold. */
FX_HOST_DEVICE static inline uint32_t fx_random_word(uint64_t seed, uint64_t index) {
    return (uint32_t)(fx_random_at(seed, index / 2) >> (index % 2 * 32));
}

/* Next number of a stream. */
FX_HOST_DEVICE static inline uint64_t fx_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    return fx_mix(*state);
}

/* Uniform in [0, bound), bound > 0, by the high half of a product (bias under bound / 2^64). */
FX_HOST_DEVICE static inline uint64_t fx_random_below(uint64_t *state, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)fx_random(state) * bound) >> 64);
}

/* order[0..n) becomes a random permutation of 0..n-1 (Fisher and Yates, inside out). */
static inline void fx_random_order(uint64_t seed, uint32_t *order, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = (uint32_t)fx_random_below(&seed, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
