/* Device side of dram_locality: orders as data, accesses with cache hints, the timed kernels and their oracles.
 *
 * A kernel here reads no clock and is timed from outside. All loads of a thread must be in flight before the first is
 * used: the least number of blocks in __launch_bounds__ is there for that, since without it the assembler saves
 * registers, takes 8 loads of 16 bytes in two or three batches, and nothing in the source tells. */
#pragma once

#include "gpu/access.cuh"
#include "gpu/from.cuh"
#include "gpu/sums.cuh"

/* Takes blocks of 2^run_bits quads of 16 bytes from their place in time to their place in memory: a bijection within
 * windows of mask + 1 blocks, from odd factors and shifts. Strided: `turn` and factor[0] alone. mask 0: the identity.
 */
typedef struct route {
    uint32_t run_bits, bits, mask, turn, shift, factor[3];
} route;

__device__ __forceinline__ uint32_t place(const route &r, uint32_t quad) {
    const uint32_t block = quad >> r.run_bits, low = block & r.mask;
    uint32_t x = ((low << r.turn | low >> (r.bits - r.turn)) * r.factor[0]) & r.mask;
    x ^= x >> r.shift;
    x = (x * r.factor[1]) & r.mask;
    x ^= x >> r.shift;
    x = (x * r.factor[2]) & r.mask;
    x ^= x >> r.shift;
    return ((block - low + x) << r.run_bits) | (quad & ((1u << r.run_bits) - 1));
}

/* What one launch does. */
typedef struct job {
    char *from, *to;
    unsigned long long *sums;
    uint64_t fill_seed, fill_byte; /* what `from` holds: bytes of fx_gpu_fill's array, from fill_byte on */
    uint32_t quads;                /* of the launch: 16 bytes each, read, written, or for a copy both */
    uint32_t first;                /* number of its first quad on the route */
    uint32_t chunks;               /* of a block's threads times loads */
    uint32_t writes;               /* of a mixture, in eighths */
    uint32_t seed, keep, base;     /* of what is written */
    route way;
} job;

/* Word `index` of what a launch writes: random bits, or with keep 0 the constant. */
__device__ __forceinline__ uint32_t written(const job &j, uint32_t index) {
    uint32_t x = (index ^ j.seed) * 0x9e3779b1u;
    x = (x ^ (x >> 15)) * 0x85ebca77u;
    return ((x ^ (x >> 13)) & j.keep) ^ j.base;
}

template <int WIDTH_> struct element {
    uint32_t word[WIDTH_ / 4];
};

template <int HINT_> __device__ __forceinline__ uint64_t policy_of(void) {
    uint64_t policy = 0;
    if (HINT_ == EVICT_FIRST) {
        asm volatile(FX_FROM_800("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;") : "=l"(policy));
    }
    return policy;
}

#define PAST_L1            FX_FROM_700(".L1::no_allocate")
#define LOAD_WORDS(prefix) FX_LOAD_WORDS(prefix, "l", word[0], word[1], word[2], word[3])

template <int HINT_, int WIDTH_>
__device__ __forceinline__ void load(const char *address, element<WIDTH_> &out, uint64_t policy) {
    uint32_t *word = out.word;
    if constexpr (HINT_ == EVICT_FIRST) {
        asm volatile(FX_FROM_800("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;")
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                     : "l"(address), "l"(policy)
                     : "memory");
    } else if constexpr (HINT_ == STREAMING) {
        LOAD_WORDS("ld.global.cs.")
    } else if constexpr (HINT_ == NO_ALLOCATE) {
        LOAD_WORDS("ld.global" PAST_L1 ".")
    } else {
        LOAD_WORDS("ld.global.")
    }
}

#define STORE_WORDS(prefix) FX_STORE_WORDS(prefix, "u32", "l", "r", w[0], w[1], w[2], w[3])

template <int HINT_, int WIDTH_>
__device__ __forceinline__ void store(char *address, const element<WIDTH_> &in, uint64_t policy) {
    const uint32_t *w = in.word;
    if constexpr (HINT_ == EVICT_FIRST) {
        asm volatile(FX_FROM_800("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;")::"l"(address),
                     "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(policy)
                     : "memory");
    } else if constexpr (HINT_ == STREAMING) {
        STORE_WORDS("st.global.cs.")
    } else if constexpr (HINT_ == NO_ALLOCATE) {
        STORE_WORDS("st.global" PAST_L1 ".")
    } else {
        STORE_WORDS("st.global.")
    }
}

template <int WIDTH_> __device__ __forceinline__ uint32_t sum_of(const element<WIDTH_> &e) {
    uint32_t sum = 0;
    for (int i = 0; i < WIDTH_ / 4; i++) {
        sum += e.word[i];
    }
    return sum;
}

/* The element that a launch writes as its `index`-th. */
template <int WIDTH_> __device__ __forceinline__ element<WIDTH_> made(const job &j, uint32_t index) {
    element<WIDTH_> e;
    for (int i = 0; i < WIDTH_ / 4; i++) {
        e.word[i] = written(j, index * (WIDTH_ / 4) + i);
    }
    return e;
}

/* Ascending: a chunk of a block's threads times LOADS_ elements, and the next one a grid further. */
template <int TASK_, int WIDTH_, int LOADS_, int HINT_>
__global__ void __launch_bounds__(MOST_THREADS, 1) stream(const __grid_constant__ job j) {
    const uint64_t policy = policy_of<HINT_>();
    uint32_t sum = 0;
    FX_NO_UNROLL for (uint32_t chunk = blockIdx.x; chunk < j.chunks; chunk += gridDim.x) {
        const uint32_t first = chunk * LOADS_ * blockDim.x + threadIdx.x;
        element<WIDTH_> part[LOADS_];
        FX_UNROLL for (int c = 0; c < LOADS_; c++) {
            const uint32_t index = first + c * blockDim.x;
            if (TASK_ == WRITE) {
                part[c] = made<WIDTH_>(j, index);
            } else {
                load<HINT_>(j.from + (uint64_t)index * WIDTH_, part[c], policy);
            }
        }
        FX_UNROLL for (int c = 0; c < LOADS_; c++) {
            const uint32_t index = first + c * blockDim.x;
            if (TASK_ == READ) {
                sum += sum_of(part[c]);
            } else {
                store<HINT_>(j.to + (uint64_t)index * WIDTH_, part[c], policy);
            }
        }
    }
    if (TASK_ == READ) {
        fx_sums_add(j.sums, sum);
    }
}

/* Along the route. */
template <int TASK_> __global__ void __launch_bounds__(WALK_THREADS, 4) walk(const __grid_constant__ job j) {
    const uint32_t first = j.first + blockIdx.x * (WALK_THREADS * WALK_LOADS) + threadIdx.x;
    element<16> part[WALK_LOADS];
    uint32_t sum = 0;
    FX_UNROLL for (int c = 0; c < WALK_LOADS; c++) {
        const uint32_t quad = first + c * WALK_THREADS;
        const uint64_t byte = (uint64_t)place(j.way, quad) * QUAD;
        if (TASK_ == READ) {
            load<PLAIN>(j.from + byte, part[c], 0);
        } else {
            store<PLAIN>(j.to + byte, made<16>(j, quad), 0);
        }
    }
    if (TASK_ == READ) {
        FX_UNROLL for (int c = 0; c < WALK_LOADS; c++) {
            sum += sum_of(part[c]);
        }
        fx_sums_add(j.sums, sum);
    }
}

/* Of 8 accesses of a thread (FINE_), or of 8 blocks of the grid, `writes` are stores, spread evenly. What is read and
 * what is written lies apart, each contiguous. */
template <int FINE_> __global__ void __launch_bounds__(WALK_THREADS, 4) mix(const __grid_constant__ job j) {
    const uint32_t group = FINE_ ? blockIdx.x : blockIdx.x / EIGHTHS;
    const uint32_t steps = FINE_ ? 1 : WALK_LOADS; /* accesses of one kind in a row */
    element<16> part[WALK_LOADS];
    uint32_t sum = 0;
    FX_UNROLL for (uint32_t c = 0; c < WALK_LOADS; c++) {
        const uint32_t turn = FINE_ ? c : blockIdx.x % EIGHTHS, within = FINE_ ? 0 : c;
        const uint32_t before = turn * j.writes / EIGHTHS, after = (turn + 1) * j.writes / EIGHTHS;
        const uint32_t row =
            after > before ? group * j.writes + before : group * (EIGHTHS - j.writes) + (turn - before);
        const uint32_t quad = (row * steps + within) * WALK_THREADS + threadIdx.x;
        part[c] = element<16>{};
        if (after > before) {
            store<PLAIN>(j.to + (uint64_t)quad * QUAD, made<16>(j, quad), 0);
        } else {
            load<PLAIN>(j.from + (uint64_t)quad * QUAD, part[c], 0);
        }
    }
    FX_UNROLL for (int c = 0; c < WALK_LOADS; c++) {
        sum += sum_of(part[c]);
    }
    fx_sums_add(j.sums, sum);
}

/* The oracle of reads: the sum, from the generator and not from memory. */
__global__ void expect_sum(const __grid_constant__ job j) {
    uint32_t sum = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < j.quads; i += gridDim.x * blockDim.x) {
        sum += fx_filled<16>(j.fill_seed, j.fill_byte + (uint64_t)place(j.way, j.first + i) * QUAD);
    }
    fx_sums_add(j.sums, sum);
}

/* The oracle of writes and copies: counts the quads that are not what they must be. */
template <int COPIED_> __global__ void check_memory(const __grid_constant__ job j) {
    uint32_t wrong = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < j.quads; i += gridDim.x * blockDim.x) {
        const uint64_t byte = (uint64_t)place(j.way, j.first + i) * QUAD;
        element<16> found;
        load<PLAIN>(j.to + byte, found, 0);
        for (int k = 0; k < 4; k++) {
            wrong += found.word[k] != (COPIED_ ? fx_random_word(j.fill_seed, (j.fill_byte + byte) / 4 + k)
                                               : written(j, (j.first + i) * 4 + k));
        }
    }
    fx_sums_add(j.sums, wrong);
}
