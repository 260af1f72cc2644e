/* Kernels that a compiler spoils, each in another way, and one that it leaves alone. check_negative.py says what
 * check_sass.py must find in each of them. Nothing here ever runs. */
#include "gpu/timed.cuh"

enum { ACCESSES = 64 };

/* A pass loop and a timed loop as in the probes, around `body` for every access; `after` consumes. */
#define TIMED_LOOP(body, after)                                                                                        \
    uint64_t marks[FX_MAX_PASSES] = {0};                                                                               \
    fx_timed_begin(timed, FX_ALL_LANES);                                                                               \
    _Pragma("unroll 1") for (uint32_t pass = 0; pass < timed.passes; pass++) {                                         \
        const uint32_t trips = timed.trips[pass];                                                                      \
        _Pragma("unroll 1") for (uint32_t i = trips; i > 0; i--) {                                                     \
            _Pragma("unroll") for (int a = 0; a < ACCESSES; a++) {                                                     \
                body;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        after;                                                                                                         \
        fx_timed_mark(marks, pass);                                                                                    \
    }                                                                                                                  \
    fx_timed_end(timed, marks, FX_ALL_LANES, result == 1)

__device__ __forceinline__ uint32_t load_shared(uint32_t address) {
    uint32_t x;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
    return x;
}

/* Nothing is wrong with this one. */
__global__ void sound(const __grid_constant__ fx_timed timed, uint32_t result) {
    TIMED_LOOP(result = load_shared(result), fx_consume(result));
}

/* One address, read again and again without volatile: read once, before the loop. */
__global__ void folded(const __grid_constant__ fx_timed timed, const uint32_t *address) {
    uint32_t result = 0;
    TIMED_LOOP(result += *address, fx_consume(result));
}

/* Three of four parts are dead, which asm volatile does not prevent: a load of four bytes is left. */
__global__ void narrowed(const __grid_constant__ fx_timed timed, uint32_t result) {
    uint32_t y, z, w;
    TIMED_LOOP(asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                            : "=r"(result), "=r"(y), "=r"(z), "=r"(w)
                            : "r"(result)),
               fx_consume(result));
}

/* Chains in an array with an index known only at run time. */
__global__ void spilled(const __grid_constant__ fx_timed timed, uint32_t result) {
    uint32_t chain[4] = {result, result + 4, result + 8, result + 12};
    TIMED_LOOP(chain[result % 4] = result = load_shared(chain[(i + a) % 4]), fx_consume(result));
}

/* Loops of volatile loads that only some lanes enter (up to sm_89), or with a trap behind them (from sm_90 on). */
__global__ void yielding(const __grid_constant__ fx_timed timed, uint32_t result, uint32_t lanes) {
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_begin(timed, FX_ALL_LANES);
#pragma unroll 1
    for (uint32_t pass = 0; pass < timed.passes; pass++) {
        const uint32_t trips = timed.trips[pass];
        if (threadIdx.x % FX_WARP < lanes) {
#pragma unroll 1
            for (uint32_t i = trips; i > 0; i--) {
#pragma unroll
                for (int a = 0; a < ACCESSES; a++) {
                    result = load_shared(result);
                }
            }
            if (result == 0xfffffff1u) {
                __trap();
            }
        }
        __syncwarp();
        fx_timed_mark(marks, pass);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, result == 1);
}

/* Index arithmetic between the clock reads. */
__global__ void divided(const __grid_constant__ fx_timed timed, uint32_t result, uint32_t length) {
    TIMED_LOOP(result = load_shared(result) % length * 4, fx_consume(result));
}

/* A neighbour that nobody ordered. */
__global__ void accompanied(const __grid_constant__ fx_timed timed, uint32_t result, uint32_t *log) {
    TIMED_LOOP(log[a] = result = load_shared(result), fx_consume(result));
}

/* Whether an access takes place depends on data: each is jumped over. */
__global__ void branching(const __grid_constant__ fx_timed timed, uint32_t result) {
    TIMED_LOOP(
        if (result > 64) {
            asm volatile("atom.shared.cas.b32 %0, [%0], %1, 0;" : "+r"(result) : "r"(i) : "memory");
        },
        fx_consume(result));
}

/* The clock is read where the accesses are. */
__global__ void clocked(const __grid_constant__ fx_timed timed, uint32_t result) {
    uint64_t sum = 0;
    TIMED_LOOP(result = load_shared(result); sum += fx_clock(), fx_consume(result + (uint32_t)sum));
}

/* Timed, and declared nowhere. */
__global__ void undeclared(const __grid_constant__ fx_timed timed, uint32_t result) {
    TIMED_LOOP(result = load_shared(result), fx_consume(result));
}
