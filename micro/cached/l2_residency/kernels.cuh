/* Device side of l2_residency: lays the ring, brings it into the L2, passes a stream through, and walks the ring. */
#pragma once

#include "gpu/cuda_half.cuh"

enum { QUAD = 16, PIECE = 4096 /* of a bulk prefetch */ };

/* A link in each block of the kept memory. They form one cycle, `step` blocks on; step and
 * number are coprime, so all are on it. */
typedef struct ring {
    char *data;
    uint32_t blocks, block_bytes;
    uint32_t away;              /* of the link within its block */
    uint32_t step, first, skip; /* skip: links that others follow */
} ring;

typedef struct stream {
    const char *data;
    uint64_t quads;
    unsigned long long *sums;
} stream;

__device__ __forceinline__ uint64_t link_at(const ring &r, uint64_t steps) {
    return (uint64_t)r.data + (r.first + steps * r.step) % r.blocks * r.block_bytes + r.away;
}

__global__ static void lay(const __grid_constant__ ring r, uint32_t seed) {
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < r.blocks; k += gridDim.x * blockDim.x) {
        uint64_t *block = (uint64_t *)(link_at(r, k) - r.away);
        const uint64_t next = link_at(r, k + 1);
        for (uint32_t i = 0; i < r.block_bytes / 8; i++) {
            block[i] = i * 8 == r.away ? next : fx_random_at(seed, k * 64 + i);
        }
    }
}

/* ptxas takes .L1::no_allocate from sm_70 on, hints of the size from sm_75 on, policies from sm_80 on, bulk prefetches
 * from sm_90 on: `supported` waives them below. */
#define POLICY(priority) FX_FROM_800("createpolicy.fractional.L2::" priority ".b64 policy, 1.0;\n")
#define QUAD_OF(before, load, after)                                                                                   \
    asm volatile("{\n.reg .b64 policy;\n" before "ld.global" load ".v4.u32 {%0, %1, %2, %3}, [%4]" after ";\n}"        \
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])                                          \
                 : "l"(address)                                                                                        \
                 : "memory")

/* 16 bytes by the hint of the case; their sum. */
template <int HINT_> __device__ __forceinline__ uint32_t load_quad(const char *address) {
    uint32_t word[4];
    if constexpr (HINT_ == EVICT_LAST) {
        QUAD_OF(POLICY("evict_last"), FX_FROM_800(".L2::cache_hint"), FX_FROM_800(", policy"));
    } else if constexpr (HINT_ == STREAM_FIRST) {
        QUAD_OF(POLICY("evict_first"), FX_FROM_800(".L2::cache_hint"), FX_FROM_800(", policy"));
    } else if constexpr (HINT_ == STREAMING) {
        QUAD_OF("", ".cs", "");
    } else if constexpr (HINT_ == NO_ALLOCATE) {
        QUAD_OF("", FX_FROM_700(".L1::no_allocate"), "");
    } else {
        QUAD_OF("", "", "");
    }
    return word[0] + word[1] + word[2] + word[3];
}

/* Reads all of it. */
template <int HINT_> __global__ void read_all(const __grid_constant__ stream s) {
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long sum = 0;
    for (uint64_t q = blockIdx.x * blockDim.x + threadIdx.x; q < s.quads; q += step) {
        sum += load_quad<HINT_>(s.data + q * QUAD);
    }
    fx_sums_add(s.sums, sum);
}

__global__ static void discard_all(const __grid_constant__ stream s) {
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x, lines = s.quads * QUAD / FX_LINE_BYTES;
    for (uint64_t l = blockIdx.x * blockDim.x + threadIdx.x; l < lines; l += step) {
        asm volatile(FX_FROM_800("discard.global.L2 [%0], 128;")::"l"(s.data + l * FX_LINE_BYTES) : "memory");
    }
}

template <int HINT_> __global__ void prefetch_all(const __grid_constant__ stream s) {
    constexpr bool BULK = HINT_ == BULK_PREFETCH; /* one lane of a warp issues it */
    constexpr uint32_t BYTES = BULK ? PIECE : FX_LINE_BYTES;
    const uint64_t mine =
        BULK ? blockIdx.x * (blockDim.x / FX_WARP) + fx_warp_id() : blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x / (BULK ? FX_WARP : 1), pieces = s.quads * QUAD / BYTES;
    for (uint64_t p = mine; p < pieces; p += step) {
        if constexpr (!BULK) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(s.data + p * BYTES) : "memory");
        } else if (fx_elect()) {
            asm volatile(FX_FROM_900("cp.async.bulk.prefetch.L2.global [%0], %1;")::"l"(s.data + p * BYTES), "r"(BYTES)
                         : "memory");
        }
    }
}

#define WORD_OF(size)                                                                                                  \
    asm volatile("ld.global" size ".u32 %0, [%1];" : "=r"(word) : "l"(r.data + k * r.block_bytes) : "memory")

/* Reads 4 bytes of each block's first sector. */
template <int HINT_> __global__ void touch_all(const __grid_constant__ ring r, unsigned long long *sums) {
    unsigned long long sum = 0;
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < r.blocks; k += gridDim.x * blockDim.x) {
        uint32_t word;
        if constexpr (HINT_ == FETCH_64) {
            WORD_OF(FX_FROM_750(".L2::64B"));
        } else if constexpr (HINT_ == FETCH_128) {
            WORD_OF(FX_FROM_750(".L2::128B"));
        } else if constexpr (HINT_ == FETCH_256) {
            WORD_OF(FX_FROM_800(".L2::256B"));
        } else {
            WORD_OF("");
        }
        sum += word;
    }
    fx_sums_add(sums, sum);
}

/* Each block of one warp goes along its own stretch of the cycle past the L1. By 61 links a trip: once as the L2 is,
 * and once more, when all of these links are there. By one link: each pass is a single access. */
template <int STEPS_> __global__ void walk(FX_TIMED_WITH(ring, r)) {
    constexpr bool AGAIN = STEPS_ > 1;
    const uint64_t links = AGAIN ? timed.trips[0] * STEPS_ : timed.passes, before = r.skip + blockIdx.x * links;
    const uint64_t start = link_at(r, before), end = link_at(r, before + links);
    uint64_t at = start, marks[FX_MAX_PASSES] = {0};
    bool wrong = false;
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t) {
            FX_UNROLL for (int a = 0; a < STEPS_; a++) {
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
            }
        },
        [&] {
            if (AGAIN) {
                wrong |= at != end;
                at = start;
            } else {
                fx_consume((uint32_t)at);
            }
        });
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong || (!AGAIN && at != end));
}
