/* The kernels. A block comes to each SM (each asks for all shared memory that a block can have), and those on SMs that
 * have no part leave after a while. */
#pragma once

#include "gpu/cuda_half.cuh"

enum { MOST_SMS = 1024, MAP_WARPS = 4 /* of each SM that maps lines */, ATOMICS = 4, TOUCH_THREADS = 1024 };
enum { RATE_WARPS = 32, RATE_LOADS = 8, PAIR_TRIPS = 64, FAR_APART = 10007 /* a prime */ };
enum { ARRIVAL_NS = 5000 /* so long a block that only holds its SM stays there */ };

/* Which SMs take part. */
typedef struct part_of {
    uint32_t bits[MOST_SMS / 32];
} part_of;

__device__ __forceinline__ bool takes_part(const part_of &part) {
    const uint32_t sm = fx_sm_id();
    return sm < MOST_SMS && (part.bits[sm / 32] >> sm % 32 & 1) != 0;
}

/* What only holds its SM stays until all blocks have come. */
__device__ __forceinline__ void hold_sm(void) {
#if __CUDA_ARCH__ >= 700
    __nanosleep(ARRIVAL_NS);
#endif
}

/* Cycles of a warp's atomic on a line whose result is waited for, the fastest of a few turns. Each lane has a word of
 * its own: 32 on one word take turns, and where one lane alone comes along the compiler puts a YIELD into the loop. */
__device__ __forceinline__ uint32_t atomic_cycles(char *line, uint32_t zero, uint32_t turns, uint32_t each) {
    uint32_t *word = (uint32_t *)line + threadIdx.x % FX_WARP, old = 0;
    uint64_t best = ~0ull, before = fx_clock();
    FX_NO_UNROLL for (uint32_t turn = turns; turn > 0; turn--) {
        FX_NO_UNROLL for (uint32_t i = each; i > 0; i--) {
            FX_UNROLL for (int j = 0; j < ATOMICS; j++) {
                asm volatile("atom.global.add.u32 %0, [%1], %2;"
                             : "=r"(old)
                             : "l"(word + (old & zero)), "r"(zero)
                             : "memory");
            }
        }
        fx_consume(old);
        const uint64_t now = fx_clock();
        best = min(best, now - before);
        before = now;
    }
    return (uint32_t)min(best / each / ATOMICS, (uint64_t)65534);
}

typedef struct mapping {
    char *data;
    uint16_t *cycles; /* of each line; or of each SM and line */
    uint64_t stride;
    uint32_t lines, zero;
    uint32_t turns, each; /* of atomics on a line (the fastest counts); loops of a turn */
    part_of part;
    uint32_t *next; /* the warp that comes next takes the lines of this number */
} mapping;

/* The warp takes the next line. */
__device__ __forceinline__ uint32_t next_line(uint32_t *next) {
    uint32_t line = 0;
    if (threadIdx.x % FX_WARP == 0) {
        line = atomicAdd(next, 1u);
    }
    return __shfl_sync(FX_ALL_LANES, line, 0);
}

/* What an atomic on each of the lines takes the SMs that take part, a warp for a line. */
__global__ static void map_lines(const __grid_constant__ mapping m) {
    if (!takes_part(m.part)) {
        hold_sm();
        return;
    }
    for (uint32_t i = next_line(m.next); i < m.lines; i = next_line(m.next)) {
        m.cycles[i] = (uint16_t)atomic_cycles(m.data + i * m.stride, m.zero, m.turns, m.each);
    }
}

/* What an atomic on each of a few lines takes each SM, all at once, each with another one. */
__global__ static void map_sms(const __grid_constant__ mapping m) {
    const uint32_t sm = fx_sm_id();
    if (sm < MOST_SMS) {
        for (uint32_t k = 0, i = sm % m.lines; k < m.lines; k++, i = i + 1 == m.lines ? 0 : i + 1) {
            m.cycles[sm * m.lines + i] = (uint16_t)atomic_cycles(m.data + i * m.stride, m.zero, m.turns, m.each);
        }
    }
    hold_sm();
}

/* Links: line order[k] points to line order[k + 1], and the last to the first. */
__global__ static void lay(char *data, const uint32_t *order, uint32_t places) {
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < places; k += gridDim.x * blockDim.x) {
        *(uint64_t *)(data + (uint64_t)order[k] * FX_LINE_BYTES) =
            (uint64_t)(data + (uint64_t)order[k + 1 < places ? k + 1 : 0] * FX_LINE_BYTES);
    }
}

typedef struct walk {
    char *data;
    const uint32_t *order[2];     /* lines of the two rings, one for each half of the SMs */
    part_of part[2];              /* the SM that walks each */
    uint32_t places, first, last; /* of each ring: how many, where a chain begins and must end */
    uint32_t zero;
    uint64_t atomic_zero;
    unsigned long long *sink; /* takes what no run comes to, so that the reads are wanted */
} walk;

/* Every line of a ring is read, or written by an atomic of 0, by many threads of the SM that the part names. Not in the
 * order of the ring: a chain would find either all of its lines or none where the cache has kept the last ones. */
template <int TASK_> __global__ void touch(const __grid_constant__ walk w, uint32_t ring) {
    if (!takes_part(w.part[ring])) {
        hold_sm();
        return;
    }
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x / 8; i < w.places; i += blockDim.x / 8) {
        const uint32_t k = (uint32_t)((uint64_t)i * FAR_APART % w.places);
        char *piece = w.data + (uint64_t)w.order[ring][k] * FX_LINE_BYTES + threadIdx.x % 8 * 16;
        if (TASK_ == READ) {
            sum += fx_load<FX_L2, 16>(piece);
        } else if (threadIdx.x % 8 == 0) {
            asm volatile("red.global.add.u64 [%0], %1;" ::"l"(piece), "l"(w.atomic_zero) : "memory");
        }
    }
    if (sum == 0xfffffff1u) {
        *w.sink = sum;
    }
}

/* A chain of one warp along its ring; of atomics one lane alone, since 32 on one word take turns. */
template <int TASK_> __global__ void chase(FX_TIMED_WITH(walk, w)) {
    constexpr unsigned LANES = TASK_ == READ ? FX_ALL_LANES : 1;
    const bool first = takes_part(w.part[0]), at_work = first || takes_part(w.part[1]);
    const uint32_t *order = w.order[first ? 0 : 1];
    const uint64_t zero = w.atomic_zero;
    uint64_t at = 0, marks[FX_MAX_PASSES] = {0};
    bool wrong = false;
    if ((LANES >> threadIdx.x % FX_WARP & 1) == 0) {
        return;
    }
    if (at_work) {
        at = (uint64_t)(w.data + (uint64_t)order[w.first] * FX_LINE_BYTES) + threadIdx.x * w.zero;
        const auto link = [&](int, int) {
            if constexpr (TASK_ == READ) {
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
            } else {
                asm volatile("atom.global.add.u64 %0, [%0], %1;" : "+l"(at) : "l"(zero) : "memory");
            }
        };
        fx_timed_chains<1>(timed, marks, link, [&] { return (uint32_t)at; }, LANES);
        wrong = at != (uint64_t)(w.data + (uint64_t)order[w.last] * FX_LINE_BYTES);
    } else {
        hold_sm();
    }
    fx_timed_end(timed, marks, LANES, wrong);
}

typedef struct flow {
    char *data;
    const uint32_t *order[2]; /* by half: lines that its SMs work on */
    part_of part;             /* the SMs of the first half */
    uint32_t lines;           /* of each list, a multiple of what a block takes at once */
    uint32_t rounds, value;
    uint32_t taken; /* what each 16 bytes add up to */
    unsigned long long *sums;
} flow;

/* 16 bytes of random bits that add up to `taken`, so that it does not matter who reads which. */
__global__ static void fill_pieces(const __grid_constant__ flow f, uint64_t pieces, uint64_t seed) {
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < pieces; i += gridDim.x * blockDim.x) {
        const uint32_t x = fx_random_word(seed, 3 * i), y = fx_random_word(seed, 3 * i + 1);
        const uint32_t z = fx_random_word(seed, 3 * i + 2);
        ((uint4 *)f.data)[i] = make_uint4(f.taken - x - y - z, x, y, z);
    }
}

/* The whole chip: each SM works through the lines of its half's list, a lane for each 16 bytes. */
template <int TASK_> __global__ void __launch_bounds__(RATE_WARPS *FX_WARP) stream(const __grid_constant__ flow f) {
    const uint32_t half = takes_part(f.part) ? 0 : 1, eighth = threadIdx.x % 8 * 16, step = RATE_WARPS * FX_WARP / 8;
    uint32_t k = blockIdx.x * 5 % (f.lines / step) * step + threadIdx.x / 8, sum = 0;
    FX_NO_UNROLL for (uint32_t i = 0; i < f.rounds; i++) {
        const char *line[RATE_LOADS];
        FX_UNROLL for (uint32_t j = 0; j < RATE_LOADS; j++) {
            line[j] = f.data + (uint64_t)f.order[half][k] * FX_LINE_BYTES + eighth;
            k = k + step >= f.lines ? k + step - f.lines : k + step;
        }
        FX_UNROLL for (uint32_t j = 0; j < RATE_LOADS; j++) {
            if constexpr (TASK_ == READ) {
                sum += fx_load<FX_L2, 16>(line[j]);
            } else if constexpr (TASK_ == ATOMIC) {
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(line[j]), "r"(f.value) : "memory");
            } else {
                fx_store<FX_L2, 16>(line[j], f.value);
            }
        }
    }
    if (TASK_ == READ) {
        fx_sums_add(f.sums, sum);
    }
}

/* What was added to the pieces of both lists, which is taken away again; or how many of them hold `value`. */
template <int TASK_> __global__ void take_pieces(const __grid_constant__ flow f) {
    uint32_t sum = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < 2 * f.lines * 8; i += gridDim.x * blockDim.x) {
        const uint32_t half = i / (f.lines * 8), k = i / 8 % f.lines;
        uint4 *piece = (uint4 *)(f.data + (uint64_t)f.order[half][k] * FX_LINE_BYTES) + i % 8;
        const uint32_t more = piece->x + piece->y + piece->z + piece->w - f.taken;
        piece->x -= TASK_ == ATOMIC ? more : 0;
        sum += TASK_ == ATOMIC ? more : more + f.taken == 4 * f.value;
    }
    fx_sums_add(f.sums, sum);
}

typedef struct rivals {
    char *data;
    uint64_t base, distance; /* bytes */
    uint32_t trips;
    unsigned long long *sums;
} rivals;

/* Two words that a lane of each block adds to, every second block to the second one. */
__global__ static void crowd_pair(const __grid_constant__ rivals r) {
    uint32_t *word = (uint32_t *)(r.data + r.base + blockIdx.x % 2 * r.distance);
    if (threadIdx.x == 0) {
        FX_NO_UNROLL for (uint32_t i = 0; i < r.trips; i++) {
            FX_UNROLL for (uint32_t j = 0; j < PAIR_TRIPS; j++) {
                asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
            }
        }
    }
}

/* Clears the two words and adds up what they held. */
__global__ static void take_pair(const __grid_constant__ rivals r) {
    uint32_t *first = (uint32_t *)(r.data + r.base), *second = (uint32_t *)(r.data + r.base + r.distance);
    unsigned long long held = 0;
    if (threadIdx.x == 0) {
        held = (unsigned long long)atomicExch(first, 0) + atomicExch(second, 0);
    }
    fx_sums_add(r.sums, held);
}
