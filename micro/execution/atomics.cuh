/* The kernels of the effects of atomics: the operation itself, then what is timed on one
 * SM (rate, chain, gather), then what is timed on the whole device (crowd, gather_crowd) with its oracle.
 *
 * In all of them the operand changes from trip to trip, or a sum grows with it, so that the last trip leaves its mark
 * in the word. */
#pragma once

#include "atomics.h"
#include "gpu/alike.cuh"
#include "gpu/atomic.cuh"
#include "gpu/sums.cuh"
#include "gpu/timed.cuh"

enum { GROUP = 8 };

/* Offsets as bits of a float are too small for a normal number, and additions in global memory flush those to zero. */
enum { FLOAT_BIAS = 0x00800000 };

/* The words of the axes are those of fx_atomic. */
static_assert((int)ADD == (int)FX_ADD && (int)CAS == (int)FX_CAS && (int)FLOAT32 == (int)FX_FLOAT32);
template <int TYPE_> using word_of = fx_word_of<TYPE_>;

typedef struct work {
    fx_lanes lanes;
    char *data;               /* words in global memory */
    uint64_t pitch;           /* bytes from one owner's words to the next one's */
    uint64_t start, addend;   /* what each word holds at first; what is added */
    uint64_t seed;            /* of the random choice */
    uint32_t owner, words;    /* as the axes of that name */
    uint32_t trips;           /* one SM: of all passes. Whole device: of this launch */
    uint32_t steps;           /* links of a chain */
    uint32_t before;          /* whole device: trips of the launches before this one */
    uint32_t zero;            /* 0, but the compiler does not know */
    uint32_t *sink;           /* takes what was returned, so that it is wanted */
    uint32_t *adds;           /* whole device: what a trip adds to each word, in operands */
    unsigned long long *sums; /* whole device: words that are wrong */
} work;

/* One operation of one lane; returns the old value where it is used. ADDRESS_: uint32_t in shared memory, else a
 * pointer. `desired` is what a compare-and-swap writes where it finds `operand`. */
template <int OP_, int TYPE_, int USED_, typename WORD_, typename ADDRESS_>
__device__ __forceinline__ WORD_ act(ADDRESS_ address, WORD_ operand, WORD_ desired) {
    if constexpr (OP_ == STORE && sizeof(ADDRESS_) == 4) {
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(operand) : "memory");
        return 0;
    } else if constexpr (OP_ == STORE) {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(operand) : "memory");
        return 0;
    } else {
        return fx_atomic<OP_, TYPE_, USED_ == USED>(address, operand, desired);
    }
}

template <int SPACE_> __device__ __forceinline__ auto address_of(char *place) {
    if constexpr (SPACE_ == SHARED) {
        return (uint32_t)__cvta_generic_to_shared(place);
    } else {
        return place;
    }
}

/* The operand before the first trip. Additions of floats go up in one trip and down in the next, and so stay exact. The
 * lane's number times zero keeps the operand out of the registers that a warp has in common, from which it would have
 * to be moved for each operation. */
template <int OP_, int TYPE_> __device__ __forceinline__ word_of<TYPE_> first_operand(const work &w) {
    typedef word_of<TYPE_> word;
    if constexpr (TYPE_ == FLOAT32) {
        return w.before % 2 == 0 ? -1.0f : 1.0f;
    } else {
        return (OP_ == ADD ? (word)w.addend : (word)(w.start + w.before)) + threadIdx.x * w.zero;
    }
}

template <int OP_, int TYPE_, typename WORD_> __device__ __forceinline__ WORD_ next_operand(WORD_ operand) {
    if constexpr (TYPE_ == FLOAT32) {
        return -operand;
    } else {
        return OP_ == MAX || OP_ == EXCH || OP_ == STORE ? operand + 1 : operand;
    }
}

template <int TYPE_> __device__ word_of<TYPE_> first_word(const work &w) {
    if constexpr (TYPE_ == FLOAT32) {
        return 0;
    } else {
        return (word_of<TYPE_>)w.start;
    }
}

/* What a word holds after `trips` that each added `adds` operands to it, or let each of its lanes go through
 * `swaps` compare-and-swaps, from n to n + 1: whichever lane comes first succeeds, and all together count as one. */
template <int OP_, int TYPE_>
__device__ word_of<TYPE_> last_word(const work &w, uint32_t trips, uint32_t adds, uint32_t swaps) {
    typedef word_of<TYPE_> word;
    if constexpr (TYPE_ == FLOAT32) {
        return trips % 2 == 0 ? 0.0f : (float)adds;
    } else {
        const word start = (word)w.start, each = OP_ == INC ? 1 : (word)w.addend;
        return adds == 0                  ? start
               : OP_ == ADD || OP_ == INC ? start + (word)trips * adds * each
               : OP_ == CAS               ? start + (word)trips * swaps
                                          : start + trips;
    }
}

__device__ __forceinline__ uint64_t owner_offset(const work &w) {
    const uint32_t warps = blockDim.x / FX_WARP, warp = blockIdx.x * warps + threadIdx.x / FX_WARP;
    return w.pitch * (w.owner == BY_WARP ? warp : w.owner == BY_BLOCK ? blockIdx.x : 0);
}

extern __shared__ __align__(128) char memory[];

template <int SPACE_> __device__ __forceinline__ char *first_place(const work &w) {
    return SPACE_ == SHARED ? memory : w.data;
}

/* ---- One SM ---- */

/* At the head of a trip whose operation is a loop: the warp comes together, as other operations leave it. Without this
 * the two loops become one, and the lanes that are done run ahead of the others. */
template <bool LOOP_> __device__ __forceinline__ void meet_again(unsigned lanes) {
    if constexpr (LOOP_) {
        __syncwarp(lanes);
    }
}

/* Lanes that take no part leave before the loop; a barrier waits for those alone that are left. */
template <int SPACE_, int OP_, int TYPE_, int USED_>
__global__ void __launch_bounds__(WARPS *FX_WARP) rate(FX_TIMED_WITH(work, w)) {
    typedef word_of<TYPE_> word;
    constexpr bool loop = is_loop(SPACE_, OP_, TYPE_);
    constexpr int accesses = loop ? 1 : ACCESSES, group = loop ? 1 : TYPE_ == INT64 ? GROUP / 2 : GROUP;
    const int32_t offset = w.lanes.offset[threadIdx.x % FX_WARP];
    const unsigned lanes = __ballot_sync(FX_ALL_LANES, offset >= 0);
    if (offset < 0) {
        return;
    }
    const uint32_t meet = __popc(fx_lanes_alike(lanes, offset)) * (w.owner == BY_WARP ? 1 : WARPS);
    char *place = first_place<SPACE_>(w) + owner_offset(w) + offset;
    /* the same twice, but the compiler does not know, and so leaves no store out that another one follows */
    const auto address = address_of<SPACE_>(place), again = address + (OP_ == STORE ? w.zero : 0);
    *(volatile word *)place = first_word<TYPE_>(w);
    __threadfence();
    __syncthreads();
    word operand = first_operand<OP_, TYPE_>(w), old[group], sum = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
        meet_again<loop>(lanes);
        operand = next_operand<OP_, TYPE_>(operand);
        FX_UNROLL for (int a = 0; a < accesses / group; a++) {
            FX_UNROLL for (int c = 0; c < group; c++) {
                old[c] = act<OP_, TYPE_, USED_>(c % 2 == 0 ? address : again, operand, operand + 1);
                operand += OP_ == CAS ? 1 : 0;
            }
            FX_UNROLL for (int c = 0; c < group && USED_ == USED; c++) {
                sum += old[c];
            }
        }
    });
    __threadfence();
    __syncthreads();
    const word expected = last_word<OP_, TYPE_>(w, w.trips, meet * accesses, accesses);
    w.sink[threadIdx.x] = (uint32_t)sum;
    fx_timed_end(timed, marks, lanes, *(volatile word *)place != expected);
}

/* The address of a word as another word holds it: all of it, or of a global address the offset. */
template <int SPACE_, int TYPE_> __device__ __forceinline__ word_of<TYPE_> link_to(const work &w, char *place) {
    if constexpr (TYPE_ == INT64 && SPACE_ == GLOBAL) {
        return (uint64_t)(uintptr_t)place;
    } else {
        const uint32_t bits = SPACE_ == SHARED ? address_of<SHARED>(place) : (uint32_t)(place - w.data);
        if constexpr (TYPE_ == FLOAT32) {
            return __uint_as_float(SPACE_ == SHARED ? bits : bits + FLOAT_BIAS);
        } else {
            return bits;
        }
    }
}

template <int TYPE_, typename WORD_> __device__ __forceinline__ uint32_t low_bits(WORD_ link) {
    if constexpr (TYPE_ == FLOAT32) {
        return __float_as_uint(link);
    } else {
        return (uint32_t)link;
    }
}

template <int SPACE_, int TYPE_, typename WORD_> __device__ __forceinline__ auto follow(WORD_ link, char *base) {
    if constexpr (SPACE_ == SHARED) {
        return low_bits<TYPE_>(link);
    } else if constexpr (TYPE_ == INT64) {
        return (char *)(uintptr_t)link;
    } else {
        return base + low_bits<TYPE_>(link);
    }
}

/* Every lane has a word in each of two slots, which hold each other's addresses. To add zero, or to take the maximum
 * with it, leaves them there; so does a compare-and-swap with what is not there; an exchange puts back what it takes
 * out, which is the address that the lane came from. */
template <int SPACE_, int OP_, int TYPE_> __global__ void chain(FX_TIMED_WITH(work, w)) {
    typedef word_of<TYPE_> word;
    constexpr bool loop = is_loop(SPACE_, OP_, TYPE_);
    const int32_t offset = w.lanes.offset[threadIdx.x % FX_WARP];
    const unsigned lanes = __ballot_sync(FX_ALL_LANES, offset >= 0);
    if (offset < 0) {
        return;
    }
    char *const first = first_place<SPACE_>(w) + offset, *const second = first + w.pitch;
    const word to_first = link_to<SPACE_, TYPE_>(w, first), to_second = link_to<SPACE_, TYPE_>(w, second);
    const word zero = (word)w.zero, never = (word)(w.zero - 1);
    *(volatile word *)first = to_second;
    *(volatile word *)second = to_first;
    __threadfence();
    __syncthreads();
    char *base = w.data - (TYPE_ == FLOAT32 ? FLOAT_BIAS : 0);
    word here = to_first, last = to_second;
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
        meet_again<loop>(lanes);
        FX_UNROLL for (int a = 0; a < (loop ? 1 : FX_CHAIN_STEPS); a++) {
            const word operand = OP_ == EXCH ? last : OP_ == CAS ? never : zero;
            const word next = act<OP_, TYPE_, USED>(follow<SPACE_, TYPE_>(here, base), operand, zero);
            last = here;
            here = next;
        }
    };
    fx_timed_passes(timed, marks, lanes, trip, [&] { fx_consume(low_bits<TYPE_>(here)); });
    bool wrong = here != (w.steps % 2 ? to_second : to_first);
    wrong |= *(volatile word *)first != to_second || *(volatile word *)second != to_first;
    fx_timed_end(timed, marks, lanes, wrong);
}

/* Adds the warp's sum to the word. */
template <int SPACE_, int TYPE_, int METHOD_, typename WORD_>
__device__ __forceinline__ void gather_one(char *place, bool leader, WORD_ value) {
    if constexpr (METHOD_ == COMPILER) {
        act<ADD, TYPE_, UNUSED>(address_of<SPACE_>(place), value, value);
    } else {
        if constexpr (METHOD_ == SHUFFLE) {
            FX_UNROLL for (int step = FX_WARP / 2; step > 0; step /= 2) {
                value += __shfl_xor_sync(FX_ALL_LANES, value, step);
            }
        } else {
#if __CUDA_ARCH__ >= 800
            value = __reduce_add_sync(FX_ALL_LANES, value);
#endif
        }
        if (leader) {
            act<ADD, TYPE_, UNUSED>(address_of<SPACE_>(place), value, value);
        }
    }
}

/* Lane l's k-th addition of a trip is of l + k + 1 operands: were they all the same, the sum would be made once. */
__device__ __forceinline__ uint32_t weight(uint32_t k) {
    return threadIdx.x % FX_WARP + k + 1;
}

__host__ __device__ constexpr uint32_t weights(uint32_t accesses) {
    return accesses * (FX_WARP * (FX_WARP + 1) / 2) + FX_WARP * (accesses * (accesses - 1) / 2);
}

/* For the compiler to see one address it must not depend on the lane; for it not to see one, it must. */
template <int SPACE_, int METHOD_> __device__ __forceinline__ char *gather_place(const work &w) {
    return first_place<SPACE_>(w) + (METHOD_ == COMPILER ? 0 : owner_offset(w) + threadIdx.x * (uint64_t)w.zero);
}

template <int SPACE_, int TYPE_, int METHOD_>
__global__ void __launch_bounds__(WARPS *FX_WARP) gather(FX_TIMED_WITH(work, w)) {
    typedef word_of<TYPE_> word;
    constexpr int accesses = is_loop(SPACE_, ADD, TYPE_) ? 1 : GATHERED;
    char *place = gather_place<SPACE_, METHOD_>(w);
    const bool leader = threadIdx.x % FX_WARP == 0;
    *(volatile word *)place = first_word<TYPE_>(w);
    __threadfence();
    __syncthreads();
    word unit = first_operand<ADD, TYPE_>(w), operand = unit * (word)weight(0);
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
        meet_again<accesses == 1>(FX_ALL_LANES);
        unit = next_operand<ADD, TYPE_>(unit);
        operand = next_operand<ADD, TYPE_>(operand);
        word value = operand;
        FX_UNROLL for (int a = 0; a < accesses; a++) {
            gather_one<SPACE_, TYPE_, METHOD_>(place, leader, value);
            value += unit;
        }
    });
    __threadfence();
    __syncthreads();
    const uint32_t adds = weights(accesses) * (w.owner == BY_WARP ? 1 : WARPS);
    const word expected = last_word<ADD, TYPE_>(w, w.trips, adds, 0);
    fx_timed_end(timed, marks, FX_ALL_LANES, *(volatile word *)place != expected);
}

/* ---- The whole device ---- */

/* Where this thread's k-th word lies, in bytes from the first. */
template <int TYPE_> __device__ __forceinline__ uint64_t share_offset(const work &w, uint32_t k) {
    if (w.words > 0) {
        const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
        const uint64_t index = fx_random_at(w.seed, thread * SHARES + k) & (w.words - 1);
        return index * sizeof(word_of<TYPE_>);
    }
    return owner_offset(w) + w.lanes.offset[threadIdx.x % FX_WARP];
}

/* The same eight words in every trip. A private copy in shared memory is added to the common one at the end, which
 * takes the same time in both launches of a pair. */
template <int SPACE_, int OP_, int TYPE_, int USED_>
__global__ void __launch_bounds__(BLOCK_THREADS) crowd(const __grid_constant__ work w) {
    typedef word_of<TYPE_> word;
    char *place[SHARES];
    if (SPACE_ == SHARED) {
        for (uint32_t i = threadIdx.x; i < w.words; i += blockDim.x) {
            ((uint32_t *)memory)[i] = 0;
        }
        __syncthreads();
    }
    for (int k = 0; k < SHARES; k++) {
        place[k] = first_place<SPACE_>(w) + share_offset<TYPE_>(w, k);
    }
    word operand = first_operand<OP_, TYPE_>(w), old[SHARES], sum = 0;
    FX_NO_UNROLL for (uint32_t i = w.trips; i > 0; i--) {
        operand = next_operand<OP_, TYPE_>(operand);
        FX_UNROLL for (int k = 0; k < SHARES; k++) {
            old[k] = act<OP_, TYPE_, USED_>(address_of<SPACE_>(place[k]), operand, operand + 1);
        }
        FX_UNROLL for (int k = 0; k < SHARES && USED_ == USED; k++) {
            sum += old[k];
        }
        operand += OP_ == CAS ? 1 : 0;
    }
    if (USED_ == USED) {
        w.sink[blockIdx.x * blockDim.x + threadIdx.x] = (uint32_t)sum;
    }
    if (SPACE_ == SHARED) {
        __syncthreads();
        FX_NO_UNROLL for (uint32_t i = threadIdx.x; i < w.words; i += blockDim.x) {
            atomicAdd((uint32_t *)w.data + i, ((uint32_t *)memory)[i]);
        }
    }
}

template <int METHOD_> __global__ void __launch_bounds__(BLOCK_THREADS) gather_crowd(const __grid_constant__ work w) {
    char *place = gather_place<GLOBAL, METHOD_>(w);
    const bool leader = threadIdx.x % FX_WARP == 0;
    const uint32_t unit = first_operand<ADD, INT32>(w), operand = unit * weight(0);
    FX_NO_UNROLL for (uint32_t i = w.trips; i > 0; i--) {
        uint32_t value = operand;
        FX_UNROLL for (int k = 0; k < SHARES; k++) {
            gather_one<GLOBAL, INT32, METHOD_>(place, leader, value);
            value += unit;
        }
    }
}

/* Before the first launch: what each word holds, and how often a trip adds to it. */
template <int TYPE_> __global__ void lay_words(const __grid_constant__ work w, uint64_t words) {
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = first; i < words; i += step) {
        ((word_of<TYPE_> *)w.data)[i] = first_word<TYPE_>(w);
        w.adds[i] = 0;
    }
}

template <int TYPE_> __global__ void count_adds(const __grid_constant__ work w, bool weighted) {
    for (uint32_t k = 0; k < SHARES; k++) {
        const uint64_t i = share_offset<TYPE_>(w, k) / sizeof(word_of<TYPE_>);
        atomicAdd(&w.adds[i], weighted ? weight(k) : 1);
    }
}

/* After a launch, whose trips `before` has too. */
template <int OP_, int TYPE_> __global__ void check_words(const __grid_constant__ work w, uint64_t words) {
    typedef word_of<TYPE_> word;
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (uint64_t)gridDim.x * blockDim.x;
    uint32_t wrong = 0;
    for (uint64_t i = first; i < words; i += step) {
        wrong += ((volatile word *)w.data)[i] != last_word<OP_, TYPE_>(w, w.before, w.adds[i], 1);
    }
    fx_sums_add(w.sums, wrong);
}
