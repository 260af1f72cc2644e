/* Device side of allocation: a kernel that keeps the device busy, reads of known data, and a chain over many pages. */
#pragma once

#include "gpu/sums.cuh"
#include "gpu/timed.cuh"

enum { QUAD = 16, QUAD_WORDS = QUAD / 4 };

typedef struct job {
    char *data; /* of the whole memory */
    uint64_t first, quads;
    unsigned long long *sums;
    uint32_t kind;
} job;

__device__ __forceinline__ uint32_t word_of(uint32_t kind, uint64_t index) {
    return kind == ZERO ? 0 : kind == RAMP ? (uint32_t)index : fx_random_word(FX_FILL_SEED, index);
}

__global__ static void write_all(const __grid_constant__ job j) {
    for (uint64_t q = blockIdx.x * blockDim.x + threadIdx.x; q < j.quads; q += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t word = q * QUAD_WORDS;
        *(uint4 *)(j.data + q * QUAD) = make_uint4(word_of(j.kind, word), word_of(j.kind, word + 1),
                                                   word_of(j.kind, word + 2), word_of(j.kind, word + 3));
    }
}

__global__ static void expect_all(const __grid_constant__ job j) {
    unsigned long long sum = 0;
    for (uint64_t q = blockIdx.x * blockDim.x + threadIdx.x; q < j.quads; q += (uint64_t)gridDim.x * blockDim.x) {
        for (uint32_t i = 0; i < QUAD_WORDS; i++) {
            sum += word_of(j.kind, (j.first + q) * QUAD_WORDS + i);
        }
    }
    fx_sums_add(j.sums, sum);
}

__global__ static void read_quads(const __grid_constant__ job j) {
    unsigned long long sum = 0;
#pragma unroll 4
    for (uint64_t q = blockIdx.x * blockDim.x + threadIdx.x; q < j.quads; q += (uint64_t)gridDim.x * blockDim.x) {
        const uint4 word = *(const uint4 *)(j.data + (j.first + q) * QUAD);
        sum += word.x + word.y + word.z + word.w;
    }
    fx_sums_add(j.sums, sum);
}

/* Keeps the device busy for so long. */
__global__ static void spin(uint64_t ns) {
    for (const uint64_t start = fx_globaltimer(); fx_globaltimer() - start < ns;) {
    }
}

/* A link at a random line of each stride, in a random order. */
typedef struct ring {
    char *data;
    uint64_t seed;
    uint32_t places, step, first, last;
} ring;

__device__ __forceinline__ char *link_at(const ring &r, uint32_t place) {
    return r.data + (uint64_t)place * STRIDE + fx_random_at(r.seed, place) % (STRIDE / FX_LINE_BYTES) * FX_LINE_BYTES;
}

__global__ static void lay(const __grid_constant__ ring r) {
    for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < r.places; p += gridDim.x * blockDim.x) {
        *(uint64_t *)link_at(r, p) = (uint64_t)link_at(r, (uint32_t)(((uint64_t)p + r.step) % r.places));
    }
}

__global__ static void walk(FX_TIMED_WITH(ring, r)) {
    uint64_t at = (uint64_t)link_at(r, r.first), marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory"); };
    fx_timed_chains<1>(timed, marks, link, [&] { return (uint32_t)at; });
    fx_timed_end(timed, marks, FX_ALL_LANES, at != (uint64_t)link_at(r, r.last));
}
