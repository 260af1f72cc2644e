/* The kernels of the gather: out[i] = table[index[i]]. A thread has UNROLL elements, THREADS apart; its indices come
 * first, then all their elements, then the stores, so that UNROLL loads of the table are in flight per thread. */
#pragma once

#include <type_traits>

#include "core/random.h"
#include "gpu/sums.cuh"

#include "shape.h"

typedef struct job {
    const char *table;
    const uint32_t *index;
    char *out;
    cudaTextureObject_t texture; /* of the table, one texel per element */
} job;

/* One part of an element: 1, 4, 8 or 16 bytes. */
template <int BYTES_>
using part_type =
    std::conditional_t<BYTES_ == 1, uint8_t,
                       std::conditional_t<BYTES_ == 4, uint32_t, std::conditional_t<BYTES_ == 8, uint2, uint4>>>;

template <int PATH_, typename TYPE_> __device__ __forceinline__ TYPE_ fetch(const job &j, uint64_t at) {
    if constexpr (PATH_ == TEXTURE) {
        return tex1Dfetch<TYPE_>(j.texture, (int)at);
    } else {
        const TYPE_ *address = (const TYPE_ *)j.table + at;
        return PATH_ == READONLY ? __ldg(address) : *address;
    }
}

/* A thread reads whole elements, in as many parts as they have. */
template <int PATH_, int ELEMENT_> __global__ void __launch_bounds__(THREADS) take(const __grid_constant__ job j) {
    constexpr int parts = parts_of(ELEMENT_), each = unroll_of(ELEMENT_);
    typedef part_type<ELEMENT_ / parts> type;
    const uint64_t first = (uint64_t)blockIdx.x * (THREADS * each) + threadIdx.x;
    uint32_t at[each];
    type value[each][parts];
    FX_UNROLL for (int u = 0; u < each; u++) {
        at[u] = j.index[first + u * THREADS];
    }
    FX_UNROLL for (int u = 0; u < each; u++) {
        FX_UNROLL for (int p = 0; p < parts; p++) {
            value[u][p] = fetch<PATH_, type>(j, (uint64_t)at[u] * parts + p);
        }
    }
    FX_UNROLL for (int u = 0; u < each; u++) {
        FX_UNROLL for (int p = 0; p < parts; p++) {
            ((type *)j.out)[(first + u * THREADS) * parts + p] = value[u][p];
        }
    }
}

/* Neighbouring lanes read the parts of one element together, and write them together. Each lane still brings one index,
 * and gets those of the others from them. */
template <int ELEMENT_> __global__ void __launch_bounds__(THREADS) take_together(const __grid_constant__ job j) {
    constexpr int parts = parts_of(ELEMENT_), elements = FX_WARP / parts; /* of a warp at a time */
    const uint32_t lane = threadIdx.x % FX_WARP, part = lane % parts;
    const uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / FX_WARP * FX_WARP;
    const uint32_t mine = j.index[first + lane];
    const uint4 *table = (const uint4 *)j.table;
    uint4 *out = (uint4 *)j.out + first * parts + lane;
    uint4 value[parts];
    FX_UNROLL for (int s = 0; s < parts; s++) {
        const uint32_t at = __shfl_sync(0xffffffffu, mine, s * elements + (int)(lane / parts));
        value[s] = table[(uint64_t)at * parts + part];
    }
    FX_UNROLL for (int s = 0; s < parts; s++) {
        out[s * FX_WARP] = value[s];
    }
}

/* Fresh indices, ascending in windows of `window`: the j-th of a window is drawn from the j-th of so many equal pieces
 * of the table. With windows of 1 they are random. Both are powers of two, and the table has `elements`. */
__device__ __forceinline__ uint32_t index_of(uint64_t seed, uint64_t i, uint64_t elements, uint32_t window) {
    const uint64_t word = fx_random_at(seed, i);
    const uint64_t piece = elements >> __popc(window - 1), place = i & (window - 1);
    return (uint32_t)(place * piece + (word & (piece - 1)));
}

__global__ static void lay_indices(uint32_t *to, uint64_t count, uint64_t seed, uint64_t elements, uint32_t window) {
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        to[i] = index_of(seed, i, elements, window);
    }
}

/* What the table holds at a byte: fx_gpu_fill's words. */
__device__ __forceinline__ uint32_t word_of(uint64_t byte) {
    return fx_random_word(TABLE_SEED, byte / 4);
}

/* The oracle, exact: counts the words that are not those which the index names; with elements of one byte, the bytes.
 * Indices are drawn again, not read. */
__global__ static void check_taken(const char *out, uint64_t first, uint64_t count, uint64_t seed, uint64_t elements,
                                   uint32_t window, uint32_t element_bytes, unsigned long long *sums) {
    const uint32_t words = element_bytes < 4 ? 1 : element_bytes / 4, words_bits = __popc(words - 1);
    uint32_t wrong = 0;
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count * words; i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t at = index_of(seed, first + (i >> words_bits), elements, window);
        if (element_bytes < 4) {
            wrong += ((const uint8_t *)out)[i] != (uint8_t)(word_of(at) >> at % 4 * 8);
        } else {
            wrong += ((const uint32_t *)out)[i] != word_of(at * element_bytes + (i & (words - 1)) * 4);
        }
    }
    fx_sums_add(sums, wrong);
}
