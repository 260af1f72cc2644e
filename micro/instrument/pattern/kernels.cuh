/* The kernels of pattern: each takes any lane table as its addresses, one kernel for each memory and operation. */
#pragma once

#include "gpu/alike.cuh"
#include "gpu/atomic.cuh"
#include "gpu/cuda_half.cuh"
#include "gpu/roam.h"

/* The window in which all warps are at work is known to some fifty accesses: a pass is long against that. */
enum { WARPS = FX_ROAM_WARPS, ACCESSES = 32, GROUP = 8, PASS_CYCLES = 96000 };
static_assert((int)L1 == (int)FX_L1 && (int)L2 == (int)FX_L2, "slots_of takes a path or a memory");
enum { CONSTANT_BYTES = 64 << 10, SLOT_BYTES = 64 << 10, L2_SLOT_BYTES = SLOT_BYTES + 128 };

__constant__ static __align__(16) uint32_t bank[CONSTANT_BYTES / 4];

typedef struct pattern {
    fx_lanes lanes;
    char *data;     /* slots in global memory */
    uint32_t words; /* of shared memory */
    uint32_t zero;  /* 0, but the compiler does not know */
    uint32_t trips; /* of all passes */
    uint64_t seed;
    fx_roam roam; /* loads from the L2 */
} pattern;

__device__ __forceinline__ int32_t my_offset(const pattern &p) {
    return p.lanes.offset[threadIdx.x % FX_WARP];
}

/* The lanes that take part. The others leave the kernel before its loop: were they to wait, or switched off by a
 * predicate, the compiler would put YIELD or moves into it. A barrier waits for those alone that are left. */
#define TAKE_PART(p)                                                                                                   \
    const unsigned lanes = __ballot_sync(FX_ALL_LANES, my_offset(p) >= 0);                                             \
    if (my_offset(p) < 0) {                                                                                            \
        return;                                                                                                        \
    }
/* The same of shared memory, which all lanes fill first; `address` of the lane's word. */
#define TAKE_PART_IN_SHARED(p)                                                                                         \
    extern __shared__ uint32_t shared[];                                                                               \
    const int32_t offset = my_offset(p);                                                                               \
    const unsigned lanes = __ballot_sync(FX_ALL_LANES, offset >= 0);                                                   \
    const uint32_t address = fill_shared(shared, p) + offset;                                                          \
    if (offset < 0) {                                                                                                  \
        return;                                                                                                        \
    }

__device__ static uint32_t fill_shared(uint32_t *shared, const pattern &p) {
    for (uint32_t i = threadIdx.x; i < p.words; i += blockDim.x) {
        shared[i] = fx_random_word(p.seed, i);
    }
    __syncthreads();
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* Accesses that all return the word at `byte`, as it was filled in. */
template <int WIDTH_, typename ACCESS_>
__device__ __forceinline__ void time_groups(const fx_timed &timed, const pattern &p, unsigned lanes, uint64_t byte,
                                            const ACCESS_ &access) {
    uint32_t sum = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) { fx_add_groups<ACCESSES, GROUP>(sum, access, [] {}); });
    fx_timed_end(timed, marks, lanes, sum != p.trips * ACCESSES * fx_filled<WIDTH_>(p.seed, byte));
}

template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) shared_load(FX_TIMED_WITH(pattern, p)) {
    TAKE_PART_IN_SHARED(p)
    time_groups<WIDTH_>(timed, p, lanes, offset, [&](int) { return fx_load<FX_SHARED, WIDTH_>(address); });
}

/* Lanes that meet write the same bits, so the oracle holds whoever wins. */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) shared_store(FX_TIMED_WITH(pattern, p)) {
    TAKE_PART_IN_SHARED(p)
    const uint32_t value = (uint32_t)p.seed;
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto access = [&](uint32_t i, int) { fx_store<FX_SHARED, WIDTH_>(address, value + i); };
    fx_timed_accesses<ACCESSES>(timed, marks, lanes, access);
    __syncthreads();
    fx_timed_end(timed, marks, lanes, fx_load<FX_SHARED, WIDTH_>(address) != fx_stored<WIDTH_>(value + 1));
}

/* Adds a zero, exchanges a word for itself, or compares with what is not there: the word stays and is returned. */
template <int OP_, int WIDTH_, typename ADDRESS_>
__device__ __forceinline__ uint32_t atomic(ADDRESS_ address, uint32_t low, uint32_t high, uint32_t zero) {
    constexpr int TYPE = WIDTH_ == 4 ? FX_INT32 : FX_INT64;
    constexpr int OP = OP_ == ATOMIC_ADD ? FX_ADD : OP_ == ATOMIC_EXCH ? FX_EXCH : FX_CAS;
    const fx_word_of<TYPE> word = (fx_word_of<TYPE>)((uint64_t)high << 32 | low);
    const fx_word_of<TYPE> old = fx_atomic<OP, TYPE, true>(address,
                                                           OP == FX_ADD    ? zero
                                                           : OP == FX_EXCH ? word
                                                                           : ~word,
                                                           zero);
    return WIDTH_ == 4 ? (uint32_t)old : (uint32_t)old + (uint32_t)((uint64_t)old >> 32);
}

template <int OP_, int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP) shared_atomic(FX_TIMED_WITH(pattern, p)) {
    TAKE_PART_IN_SHARED(p)
    const uint32_t low = fx_random_word(p.seed, offset / 4), high = fx_random_word(p.seed, offset / 4 + 1);
    time_groups<WIDTH_>(timed, p, lanes, offset, [&](int) { return atomic<OP_, WIDTH_>(address, low, high, p.zero); });
}

/* Each warp has words of its own, 64 KiB and a line from the next one's, and takes the same ones over and over. */
template <int OP_, int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP) global_atomic(FX_TIMED_WITH(pattern, p)) {
    TAKE_PART(p)
    const uint64_t byte = (uint64_t)(threadIdx.x / FX_WARP) * L2_SLOT_BYTES + my_offset(p);
    char *const address = p.data + byte;
    const uint32_t low = fx_random_word(p.seed, byte / 4), high = fx_random_word(p.seed, byte / 4 + 1);
    time_groups<WIDTH_>(timed, p, lanes, byte, [&](int) { return atomic<OP_, WIDTH_>(address, low, high, p.zero); });
}

/* The same words, each added to by as many lanes as share it; the answer is not waited for. */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) global_red(FX_TIMED_WITH(pattern, p)) {
    TAKE_PART(p)
    const uint64_t byte = (uint64_t)(threadIdx.x / FX_WARP) * L2_SLOT_BYTES + my_offset(p);
    char *const address = p.data + byte;
    const uint64_t value = WIDTH_ == 4 ? (uint32_t)p.seed : p.seed;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<ACCESSES>(timed, marks, lanes, [&](uint32_t, int) {
        if constexpr (WIDTH_ == 4) {
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(address), "r"((uint32_t)value) : "memory");
        } else {
            asm volatile("red.global.add.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
        }
    });
    __threadfence();
    __syncthreads();
    uint64_t sum = (uint64_t)p.trips * ACCESSES * __popc(fx_lanes_alike(lanes, my_offset(p))) * value +
                   fx_random_word(p.seed, byte / 4);
    if constexpr (WIDTH_ == 8) {
        sum += (uint64_t)fx_random_word(p.seed, byte / 4 + 1) << 32;
        sum += sum >> 32;
    }
    fx_timed_end(timed, marks, lanes, fx_load<FX_L2, WIDTH_>(address) != (uint32_t)sum);
}

/* Slots in flight of a warp: at the L2 enough to cover its latency, but the widest fill the registers. */
__host__ __device__ constexpr int slots_of(int path, int width) {
    return path == FX_L1 || width == 16 ? GROUP : 2 * GROUP;
}

/* Eight slots that all warps share. They lie a power of two apart: the bank of a tag is an exclusive or over address
 * bits, so every slot has the conflicts of the first. A zero is added to the address between the groups: else the
 * assembler merges loads of one address, and takes them out of the loop. */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) l1_load(FX_TIMED_WITH(pattern, p)) {
    constexpr int slots = slots_of(FX_L1, WIDTH_);
    TAKE_PART(p)
    const char *address = p.data + (uint64_t)my_offset(p);
    uint32_t sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
        fx_add_groups<ACCESSES, slots>(
            sum, [&](int c) { return fx_load<FX_L1, WIDTH_>(address + c * SLOT_BYTES); }, [&] { address += p.zero; });
    });
    for (int c = 0; c < slots; c++) {
        const uint64_t byte = (uint64_t)my_offset(p) + c * SLOT_BYTES;
        expected += p.trips * (ACCESSES / slots) * fx_filled<WIDTH_>(p.seed, byte);
    }
    fx_timed_end(timed, marks, lanes, sum != expected);
}

/* Blocks per SM that l2_load is compiled for. Left to choose, the assembler makes room for two on sm_100, where the
 * loop then spills; 0 leaves it the choice. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
enum { L2_BLOCKS = 1 };
#else
enum { L2_BLOCKS = 0 };
#endif

/* Slots of a warp's own, which move on together after each group (gpu/roam.h). */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP, L2_BLOCKS) l2_load(FX_TIMED_WITH(pattern, p)) {
    constexpr int slots = slots_of(FX_L2, WIDTH_);
    TAKE_PART(p)
    const char *const data = p.data + my_offset(p);
    const uint32_t first = p.roam.at[threadIdx.x / FX_WARP], step = p.roam.step[threadIdx.x / FX_WARP];
    uint32_t at = first, sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
        fx_add_groups<ACCESSES, slots>(
            sum, [&](int c) { return fx_load<FX_L2, WIDTH_>(data + at + c * L2_SLOT_BYTES); },
            [&] { at = fx_roam_on(&p.roam, at, step); });
    });
    at = first;
    for (uint32_t group = 0; group < p.trips * (ACCESSES / slots); group++) {
        for (int c = 0; c < slots; c++) {
            expected += fx_filled<WIDTH_>(p.seed, (uint64_t)at + my_offset(p) + c * L2_SLOT_BYTES);
        }
        at = fx_roam_on(&p.roam, at, step);
    }
    fx_timed_end(timed, marks, lanes, sum != expected);
}

template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) global_store(FX_TIMED_WITH(pattern, p)) {
    constexpr int slots = slots_of(FX_L2, WIDTH_);
    TAKE_PART(p)
    const uint32_t value = (uint32_t)p.seed;
    const int warp = (int)threadIdx.x / FX_WARP;
    char *address = p.data + (uint64_t)warp * slots * L2_SLOT_BYTES + my_offset(p);
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<ACCESSES>(timed, marks, lanes, [&](uint32_t i, int a) {
        fx_store<FX_L2, WIDTH_>(address + a % slots * L2_SLOT_BYTES, value + i);
    });
    __threadfence();
    const auto is_wrong = [&](int c) {
        return fx_load<FX_L2, WIDTH_>(address + c * L2_SLOT_BYTES) != fx_stored<WIDTH_>(value + 1);
    };
    fx_timed_end_all<slots>(timed, marks, is_wrong, lanes);
}

/* A read of the lane's width as the compiler makes it of C: LDC.U8, LDC.U16, LDC, LDC.64, twice LDC.64. */
template <int WIDTH_> __device__ __forceinline__ uint32_t constant_load(uint32_t offset) {
    const char *at = (const char *)bank + offset;
    if constexpr (WIDTH_ == 1) {
        return *(const uint8_t *)at;
    } else if constexpr (WIDTH_ == 2) {
        return *(const uint16_t *)at;
    } else if constexpr (WIDTH_ == 4) {
        return *(const uint32_t *)at;
    } else {
        uint32_t sum = 0;
        for (int i = 0; i < WIDTH_ / 8; i++) {
            const uint64_t v = ((const uint64_t *)at)[i];
            sum += (uint32_t)v + (uint32_t)(v >> 32);
        }
        return sum;
    }
}

/* The offset goes through what was read, exclusive-ored with what should be read: it stays, but the compiler can't
 * know. */
template <int WIDTH_> __global__ void __launch_bounds__(WARPS *FX_WARP) constant_chain(FX_TIMED_WITH(pattern, p)) {
    const int32_t offset = my_offset(p);
    TAKE_PART(p)
    const uint32_t expected = fx_filled<WIDTH_>(p.seed, offset);
    uint32_t at[GROUP], sum = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    for (int c = 0; c < GROUP; c++) {
        at[c] = offset;
    }
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
        FX_UNROLL for (int a = 0; a < ACCESSES / GROUP; a++) {
            FX_UNROLL for (int c = 0; c < GROUP; c++) {
                const uint32_t value = constant_load<WIDTH_>(at[c]);
                at[c] ^= value ^ expected;
                sum += value;
            }
        }
    });
    bool wrong = sum != p.trips * ACCESSES * expected;
    for (int c = 0; c < GROUP; c++) {
        wrong |= at[c] != (uint32_t)offset;
    }
    fx_timed_end(timed, marks, lanes, wrong);
}
