/* One memory access of one lane, by path and width: what the timed loops over addresses of any kind consist of.
 *
 * Loads return the sum of all their parts, so that none is dead and the load keeps its width. What a load reads and
 * what a store leaves behind are checked against fx_gpu_fill's random words. */
#pragma once

#include <stdint.h>

#include "core/random.h"

typedef enum fx_path {
    FX_SHARED, /* address: 32 bits, in the shared window */
    FX_L1,     /* global memory through the L1 */
    FX_L2,     /* global memory past the L1 (loads), to the L2 (stores) */
} fx_path;

/* Words of their own, as many as the width holds. */
#define FX_LOAD_WORDS(prefix, kind, x, y, z, w)                                                                        \
    if constexpr (WIDTH_ == 4) {                                                                                       \
        asm volatile(prefix "u32 %0, [%1];" : "=r"(x) : kind(address) : "memory");                                     \
    } else if constexpr (WIDTH_ == 8) {                                                                                \
        asm volatile(prefix "v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : kind(address) : "memory");                   \
    } else {                                                                                                           \
        asm volatile(prefix "v4.u32 {%0, %1, %2, %3}, [%4];"                                                           \
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                                                              \
                     : kind(address)                                                                                   \
                     : "memory");                                                                                      \
    }

#define FX_LOAD(prefix, kind)                                                                                          \
    if constexpr (WIDTH_ == 1) {                                                                                       \
        asm volatile(prefix "u8 %0, [%1];" : "=r"(x) : kind(address) : "memory");                                      \
    } else if constexpr (WIDTH_ == 2) {                                                                                \
        asm volatile(prefix "u16 %0, [%1];" : "=r"(x) : kind(address) : "memory");                                     \
    } else                                                                                                             \
        FX_LOAD_WORDS(prefix, kind, x, y, z, w)

/* Words of their own, as many as the width holds; `type` is "u32" with `letter` "r", or "f32" with "f". */
#define FX_STORE_WORDS(prefix, type, kind, letter, x, y, z, w)                                                         \
    if constexpr (WIDTH_ == 4) {                                                                                       \
        asm volatile(prefix type " [%0], %1;" ::kind(address), letter(x) : "memory");                                  \
    } else if constexpr (WIDTH_ == 8) {                                                                                \
        asm volatile(prefix "v2." type " [%0], {%1, %2};" ::kind(address), letter(x), letter(y) : "memory");           \
    } else {                                                                                                           \
        asm volatile(prefix "v4." type " [%0], {%1, %2, %3, %4};" ::kind(address), letter(x), letter(y), letter(z),    \
                     letter(w)                                                                                         \
                     : "memory");                                                                                      \
    }

#define FX_STORE(prefix, kind)                                                                                         \
    if constexpr (WIDTH_ == 1) {                                                                                       \
        asm volatile(prefix "u8 [%0], %1;" ::kind(address), "r"(value) : "memory");                                    \
    } else if constexpr (WIDTH_ == 2) {                                                                                \
        asm volatile(prefix "u16 [%0], %1;" ::kind(address), "r"(value) : "memory");                                   \
    } else                                                                                                             \
        FX_STORE_WORDS(prefix, "u32", kind, "r", value, value, value, value)

/* ADDRESS_: uint32_t for FX_SHARED, else a pointer. */
template <int PATH_, int WIDTH_, typename ADDRESS_> __device__ __forceinline__ uint32_t fx_load(ADDRESS_ address) {
    uint32_t x = 0, y = 0, z = 0, w = 0;
    if constexpr (PATH_ == FX_SHARED) {
        FX_LOAD("ld.volatile.shared.", "r")
    } else if constexpr (PATH_ == FX_L1) {
        FX_LOAD("ld.global.", "l")
    } else {
        FX_LOAD("ld.global.cg.", "l")
    }
    return x + y + z + w;
}

/* The words by themselves, of global memory. */
template <int PATH_, int WIDTH_>
__device__ __forceinline__ void fx_load_words(const char *address, uint32_t (&word)[WIDTH_ / 4]) {
    if constexpr (PATH_ == FX_L1) {
        FX_LOAD_WORDS("ld.global.", "l", word[0], word[1], word[2], word[3])
    } else {
        FX_LOAD_WORDS("ld.global.cg.", "l", word[0], word[1], word[2], word[3])
    }
}

/* Loads 4 or 16 bytes if `wanted`; else leaves the words as they are. */
template <int WIDTH_>
__device__ __forceinline__ void fx_load_if(bool wanted, const char *address, uint32_t (&word)[WIDTH_ / 4]) {
    if constexpr (WIDTH_ == 4) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u32 %0, [%1]; }"
                     : "+r"(word[0])
                     : "l"(address), "r"((uint32_t)wanted)
                     : "memory");
    } else {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                     : "+r"(word[0]), "+r"(word[1]), "+r"(word[2]), "+r"(word[3])
                     : "l"(address), "r"((uint32_t)wanted)
                     : "memory");
    }
}

/* Stores the low bytes of `value`, or as many copies of it as the width holds. */
template <int PATH_, int WIDTH_, typename ADDRESS_>
__device__ __forceinline__ void fx_store(ADDRESS_ address, uint32_t value) {
    if constexpr (PATH_ == FX_SHARED) {
        FX_STORE("st.volatile.shared.", "r")
    } else {
        FX_STORE("st.global.", "l")
    }
}

/* What a load of this width returns where `value` was stored. */
template <int WIDTH_> __device__ __forceinline__ uint32_t fx_stored(uint32_t value) {
    return WIDTH_ == 1 ? value & 0xff : WIDTH_ == 2 ? value & 0xffff : value * (WIDTH_ / 4);
}

/* What a load of this width returns at byte `byte` of a buffer whose words are fx_random_word(seed, i). */
template <int WIDTH_> __device__ uint32_t fx_filled(uint64_t seed, uint64_t byte) {
    uint32_t sum = 0;
    for (int i = 0; i < (WIDTH_ + 3) / 4; i++) {
        const uint32_t word = fx_random_word(seed, byte / 4 + i) >> byte % 4 * 8;
        sum += WIDTH_ == 1 ? word & 0xff : WIDTH_ == 2 ? word & 0xffff : word;
    }
    return sum;
}

__device__ __forceinline__ uint32_t fx_added(uint32_t word) {
    return word;
}

__device__ __forceinline__ uint32_t fx_added(uint4 words) {
    return words.x + words.y + words.z + words.w;
}

/* A trip of loads: groups of them, each group's results added up once all are on their way and `next` was done. */
template <int LOADS_, int GROUP_, typename LOAD_, typename NEXT_>
__device__ __forceinline__ void fx_add_groups(uint32_t &sum, const LOAD_ &load, const NEXT_ &next) {
    FX_UNROLL for (int a = 0; a < LOADS_ / GROUP_; a++) {
        decltype(load(0)) part[GROUP_];
        FX_UNROLL for (int c = 0; c < GROUP_; c++) {
            part[c] = load(c);
        }
        next();
        FX_UNROLL for (int c = 0; c < GROUP_; c++) {
            sum += fx_added(part[c]);
        }
    }
}
