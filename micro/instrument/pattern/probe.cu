/* pattern: does an access pattern that nobody chose cost what the laws say?
 *
 * Method: random lane tables of many families, and any table of the user's (`gpufx pattern`), through kernels that hold
 * nothing but the access: 32 warps of one SM, independent accesses. Shared memory: all warps the same words. L1: eight
 * slots shared by all warps. L2: a slot for each access in flight of each warp. Constant memory: each lane reads its
 * own word over and over; its address goes through what was read, so that no read can be left out. Loads are summed and
 * the sum checked, stores read back. What can fool it: see README.md. */
#include <math.h>
#include <stdlib.h>

#include "core/families.h"
#include "core/probe.h"

enum { MEMORY, OP, WIDTH, FAMILY, MASK, SEED };
enum { SHARED, L1, L2, CONSTANT };
enum { LOAD, STORE, ATOMIC_ADD, ATOMIC_EXCH, ATOMIC_CAS };
enum { CUSTOM = FX_FAMILY_COUNT };

static const fx_axis axes[] = {
    {"memory", "", "what serves the access", "shared l1 l2 constant", 0, 0, SHARED},
    {"op", "", "the instruction", "load store atomic_add atomic_exch atomic_cas", 0, 0, LOAD},
    {"width", "bytes", "bytes per lane: 1, 2, 4, 8 or 16", NULL, 1, 16, 4},
    {"family", "", "how lanes choose their elements; custom: a table that `gpufx pattern` hands in",
     FX_FAMILY_NAMES " custom", 0, 0, FX_FAMILY_UNIFORM},
    {"mask", "", "lanes that take part", "all some", 0, 0, 0},
    {"seed", "", "of the pattern", NULL, 0, 1000000, 0},
};

#define FAMILIES          "family=" FX_FAMILIES_WORDS " mask=all,some"
#define FX_FAMILIES_WORDS "uniform,stride,permuted,tile,swizzle,duplicate,pairs,banks,runs"

static const fx_sweep sweeps[] = {
    {"shared", "memory=shared op=load,store width=1,2,4,8,16 " FAMILIES " seed=0",
     "memory=shared op=load width=4,16 family=uniform,pairs,banks mask=some seed=0"},
    {"shared_atomic", "memory=shared op=atomic_add,atomic_exch,atomic_cas width=4 " FAMILIES " seed=0", NULL},
    {"shared_atomic_wide", "memory=shared op=atomic_exch,atomic_cas width=8 " FAMILIES " seed=0", NULL},
    {"l1", "memory=l1 op=load width=1,2,4,8,16 " FAMILIES " seed=0",
     "memory=l1 op=load width=4 family=uniform,stride,runs mask=some seed=0"},
    {"l2", "memory=l2 op=load,store width=1,2,4,8,16 " FAMILIES " seed=0", NULL},
    {"constant", "memory=constant op=load width=1,2,4,8,16 " FAMILIES " seed=0",
     "memory=constant op=load width=4 family=uniform,duplicate mask=some seed=0"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* Bytes that the tables of a family may span. Constant: what its first cache holds. */
static unsigned span_bytes(const fx_params *params) {
    static const unsigned bytes[] = {[SHARED] = 32 << 10, [L1] = 32 << 10, [L2] = 32 << 10, [CONSTANT] = 2 << 10};
    return bytes[params->value[MEMORY]];
}

static bool lanes(const fx_params *params, fx_lanes *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    if (params->value[FAMILY] == CUSTOM) {
        return false;
    }
    fx_lanes_family(out, (fx_family)params->value[FAMILY], width, span_bytes(params) / width, params->value[MASK] != 0,
                    (uint64_t)params->value[SEED]);
    return true;
}

/* None for an access that does not exist, and for atomics on global memory, whose law nobody has found here. */
static void set_law(const fx_geometry *geometry, int64_t memory, int64_t op, const fx_lanes *table, unsigned width,
                    fx_prediction *out) {
    if (memory == SHARED && op == LOAD) {
        out->law = "shared_load";
        out->count = fx_law_shared_load(geometry, table, width);
    } else if (memory == SHARED && op == STORE) {
        out->law = "shared_store";
        out->count = fx_law_shared_store(geometry, table, width);
    } else if (memory == SHARED) {
        out->law = "shared_atomic";
        out->count = fx_law_shared_atomic(geometry, table, width);
    } else if (memory == L1 && op == LOAD) {
        out->law = "l1_load";
        out->count = fx_law_l1_load(geometry, table, width);
    } else if (memory == L2 && op == LOAD) {
        out->law = "l2_load";
        out->count = fx_law_l2_load(geometry, table, width);
    } else if (memory == L2 && op == STORE) {
        out->law = "l2_store";
        out->count = fx_law_l2_store(geometry, table, width);
    } else if (memory == CONSTANT && op == LOAD) {
        out->law = "distinct";
        out->count = fx_law_distinct(table);
    }
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = (unsigned)params->value[WIDTH];
    const int64_t op = params->value[OP];
    if (!table) {
        return;
    }
    out->useful_bytes = fx_law_useful_bytes(table, width);
    set_law(geometry, params->value[MEMORY], op, table, width, out);
    out->why_not = params->value[MEMORY] == CONSTANT ? fx_law_constant_overflow(geometry, table, width) : NULL;
    out->in_fit = out->law && !out->why_not;
    fx_prediction_count(out, "wavefronts",
                        op == LOAD && params->value[MEMORY] == SHARED ? fx_law_wavefronts(geometry, table, width)
                        : op == LOAD || op == STORE                   ? fx_law_store_wavefronts(geometry, table, width)
                                                                      : fx_law_bank_lanes(geometry, table, width));
    fx_prediction_count(out, "tags", fx_law_l1_tags(geometry, table, width));
    fx_prediction_count(out, "sectors", fx_law_blocks(table, width, geometry->sector_bytes));
    fx_prediction_count(out, "lines", fx_law_blocks(table, width, geometry->line_bytes));
    fx_prediction_count(out, "distinct", fx_law_distinct(table));
    fx_prediction_count(out, "distinct_words", fx_law_blocks(table, width, geometry->bank_bytes));
}

/* DRAM is the whole chip's: a probe of one SM says nothing of it. An atomic of 8 bytes is an exchange, since an
 * addition would be a loop. */
static fx_says access(const fx_access *a, fx_params *params) {
    static const int64_t memory[] = {
        [FX_BY_SHARED] = SHARED, [FX_BY_CONSTANT] = CONSTANT, [FX_BY_L1] = L1, [FX_BY_L2] = L2};
    if (a->by == FX_BY_DRAM) {
        return FX_SAYS_NOTHING;
    }
    params->value[MEMORY] = memory[a->by];
    params->value[OP] = a->does == FX_LOADS    ? LOAD
                        : a->does == FX_STORES ? STORE
                        : a->width_bytes == 8  ? ATOMIC_EXCH
                                               : ATOMIC_ADD;
    params->value[WIDTH] = a->width_bytes;
    params->value[FAMILY] = CUSTOM;
    return FX_SAYS_TIME;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH], op = params->value[OP], memory = params->value[MEMORY];
    (void)facts;
    if (width & (width - 1)) {
        return "an access is 1, 2, 4, 8 or 16 bytes wide";
    }
    if (op == STORE && memory == L1) {
        return "stores go through the L1 to the L2";
    }
    if (op != LOAD && memory == CONSTANT) {
        return "constant memory can only be read";
    }
    if (op >= ATOMIC_ADD && memory != SHARED) {
        return "atomics are measured in shared memory here";
    }
    if (op >= ATOMIC_ADD && (width < 4 || width > 8 || (op == ATOMIC_ADD && width != 4))) {
        return "atomics are 4 or 8 bytes wide; an addition of 8 bytes in shared memory is a loop, not an instruction";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/access.cuh"
#include "gpu/timed.cuh"

/* The window in which all warps are at work is known to some fifty accesses: a pass is long against that. */
enum { WARPS = 32, ACCESSES = 32, GROUP = 8, PASS_CYCLES = 96000 };
enum { CONSTANT_BYTES = 64 << 10, SLOT_BYTES = 64 << 10, L2_SLOT_BYTES = SLOT_BYTES + 128 };

__constant__ static __align__(16) uint32_t bank[CONSTANT_BYTES / 4];

typedef struct pattern {
    fx_lanes lanes;
    char *data;     /* slots in global memory */
    uint32_t words; /* of shared memory */
    uint32_t zero;  /* 0, but the compiler does not know */
    uint32_t trips; /* of all passes */
    uint64_t seed;
} pattern;

__device__ __forceinline__ int32_t my_offset(const pattern &p) {
    return p.lanes.offset[threadIdx.x % FX_WARP];
}

/* The lanes that take part. The others leave the kernel before its loop: were they to wait, or switched off by a
 * predicate, the compiler would put YIELD or moves into it. A barrier waits for those alone that are left. */
__device__ __forceinline__ unsigned lanes_of(const pattern &p) {
    return __ballot_sync(FX_ALL_LANES, my_offset(p) >= 0);
}

__device__ static uint32_t fill_shared(uint32_t *shared, const pattern &p) {
    for (uint32_t i = threadIdx.x; i < p.words; i += blockDim.x) {
        shared[i] = fx_random_word(p.seed, i);
    }
    __syncthreads();
    return (uint32_t)__cvta_generic_to_shared(shared);
}

template <int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    shared_load(const __grid_constant__ fx_timed timed, const __grid_constant__ pattern p) {
    extern __shared__ uint32_t shared[];
    const int32_t offset = my_offset(p);
    const unsigned lanes = lanes_of(p);
    const uint32_t address = fill_shared(shared, p) + offset;
    if (offset < 0) {
        return;
    }
    uint32_t part[GROUP], sum = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
#pragma unroll
        for (int a = 0; a < ACCESSES / GROUP; a++) {
#pragma unroll
            for (int c = 0; c < GROUP; c++) {
                part[c] = fx_load<FX_SHARED, WIDTH_>(address);
            }
#pragma unroll
            for (int c = 0; c < GROUP; c++) {
                sum += part[c];
            }
        }
    });
    fx_timed_end(timed, marks, lanes, sum != p.trips * ACCESSES * fx_filled<WIDTH_>(p.seed, offset));
}

/* Lanes that meet write the same bits, so the oracle holds whoever wins. */
template <int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    shared_store(const __grid_constant__ fx_timed timed, const __grid_constant__ pattern p) {
    extern __shared__ uint32_t shared[];
    const int32_t offset = my_offset(p);
    const unsigned lanes = lanes_of(p);
    const uint32_t address = fill_shared(shared, p) + offset, value = (uint32_t)p.seed;
    if (offset < 0) {
        return;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t i) {
#pragma unroll
        for (int a = 0; a < ACCESSES; a++) {
            fx_store<FX_SHARED, WIDTH_>(address, value + i);
        }
    });
    __syncthreads();
    fx_timed_end(timed, marks, lanes, fx_load<FX_SHARED, WIDTH_>(address) != fx_stored<WIDTH_>(value + 1));
}

/* Adds a zero, exchanges a word for itself, or compares with what is not there: the word stays and is returned. */
template <int OP_, int WIDTH_>
__device__ __forceinline__ uint32_t atomic(uint32_t address, uint32_t low, uint32_t high, uint32_t zero) {
    uint32_t x = 0;
    uint64_t wide = 0;
    const uint64_t word = (uint64_t)high << 32 | low;
    if constexpr (OP_ == ATOMIC_ADD) {
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(address), "r"(zero) : "memory");
    } else if constexpr (OP_ == ATOMIC_EXCH && WIDTH_ == 4) {
        asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(x) : "r"(address), "r"(low) : "memory");
    } else if constexpr (OP_ == ATOMIC_EXCH) {
        asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(wide) : "r"(address), "l"(word) : "memory");
    } else if constexpr (WIDTH_ == 4) {
        asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(x) : "r"(address), "r"(~low), "r"(zero) : "memory");
    } else {
        asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(wide)
                     : "r"(address), "l"(~word), "l"((uint64_t)zero)
                     : "memory");
    }
    return WIDTH_ == 4 ? x : (uint32_t)wide + (uint32_t)(wide >> 32);
}

template <int OP_, int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    shared_atomic(const __grid_constant__ fx_timed timed, const __grid_constant__ pattern p) {
    extern __shared__ uint32_t shared[];
    const int32_t offset = my_offset(p);
    const unsigned lanes = lanes_of(p);
    const uint32_t address = fill_shared(shared, p) + offset;
    if (offset < 0) {
        return;
    }
    const uint32_t low = fx_random_word(p.seed, offset / 4), high = fx_random_word(p.seed, offset / 4 + 1);
    uint32_t part[GROUP], sum = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
#pragma unroll
        for (int a = 0; a < ACCESSES / GROUP; a++) {
#pragma unroll
            for (int c = 0; c < GROUP; c++) {
                part[c] = atomic<OP_, WIDTH_>(address, low, high, p.zero);
            }
#pragma unroll
            for (int c = 0; c < GROUP; c++) {
                sum += part[c];
            }
        }
    });
    fx_timed_end(timed, marks, lanes, sum != p.trips * ACCESSES * fx_filled<WIDTH_>(p.seed, offset));
}

/* Slots in flight of a warp: at the L2 enough to cover its latency, but the widest fill the registers. */
__host__ __device__ constexpr int slots_of(int path, int width) {
    return path == FX_L1 || width == 16 ? GROUP : 2 * GROUP;
}

/* At the L1 a power of two: the bank of a tag is an exclusive or over address bits, so every slot has the conflicts of
 * the first. */
__host__ __device__ constexpr int slot_bytes(int path) {
    return path == FX_L1 ? (int)SLOT_BYTES : (int)L2_SLOT_BYTES;
}

template <int PATH_, int WIDTH_> __device__ __forceinline__ uint64_t slot_offset(const pattern &p) {
    const int warp = PATH_ == FX_L1 ? 0 : (int)threadIdx.x / FX_WARP;
    return (uint64_t)warp * slots_of(PATH_, WIDTH_) * slot_bytes(PATH_) + my_offset(p);
}

/* A zero is added to the address between the groups: else the assembler merges loads of one address, and takes them out
 * of the loop. */
template <int PATH_, int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    global_load(const __grid_constant__ fx_timed timed, const __grid_constant__ pattern p) {
    constexpr int slots = slots_of(PATH_, WIDTH_);
    const unsigned lanes = lanes_of(p);
    if (my_offset(p) < 0) {
        return;
    }
    const char *address = p.data + slot_offset<PATH_, WIDTH_>(p);
    uint32_t part[slots], sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
#pragma unroll
        for (int a = 0; a < ACCESSES / slots; a++) {
#pragma unroll
            for (int c = 0; c < slots; c++) {
                part[c] = fx_load<PATH_, WIDTH_>(address + c * slot_bytes(PATH_));
            }
#pragma unroll
            for (int c = 0; c < slots; c++) {
                sum += part[c];
            }
            address += p.zero;
        }
    });
    for (int c = 0; c < slots; c++) {
        const uint64_t byte = slot_offset<PATH_, WIDTH_>(p) + c * slot_bytes(PATH_);
        expected += p.trips * (ACCESSES / slots) * fx_filled<WIDTH_>(p.seed, byte);
    }
    fx_timed_end(timed, marks, lanes, sum != expected);
}

template <int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    global_store(const __grid_constant__ fx_timed timed, const __grid_constant__ pattern p) {
    constexpr int slots = slots_of(FX_L2, WIDTH_);
    const unsigned lanes = lanes_of(p);
    if (my_offset(p) < 0) {
        return;
    }
    const uint32_t value = (uint32_t)p.seed;
    char *address = p.data + slot_offset<FX_L2, WIDTH_>(p);
    bool wrong = false;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, lanes, [&](uint32_t i) {
#pragma unroll
        for (int a = 0; a < ACCESSES; a++) {
            fx_store<FX_L2, WIDTH_>(address + a % slots * L2_SLOT_BYTES, value + i);
        }
    });
    __threadfence();
    for (int c = 0; c < slots; c++) {
        wrong |= fx_load<FX_L2, WIDTH_>(address + c * L2_SLOT_BYTES) != fx_stored<WIDTH_>(value + 1);
    }
    fx_timed_end(timed, marks, lanes, wrong);
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
template <int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    constant_chain(const __grid_constant__ fx_timed timed, const __grid_constant__ pattern p) {
    const int32_t first = my_offset(p);
    const unsigned lanes = lanes_of(p);
    if (first < 0) {
        return;
    }
    const uint32_t expected = fx_filled<WIDTH_>(p.seed, first);
    uint32_t offset[GROUP], sum = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    for (int c = 0; c < GROUP; c++) {
        offset[c] = first;
    }
    fx_timed_passes(timed, marks, lanes, [&](uint32_t) {
#pragma unroll
        for (int a = 0; a < ACCESSES / GROUP; a++) {
#pragma unroll
            for (int c = 0; c < GROUP; c++) {
                const uint32_t value = constant_load<WIDTH_>(offset[c]);
                offset[c] ^= value ^ expected;
                sum += value;
            }
        }
    });
    bool wrong = sum != p.trips * ACCESSES * expected;
    for (int c = 0; c < GROUP; c++) {
        wrong |= offset[c] != (uint32_t)first;
    }
    fx_timed_end(timed, marks, lanes, wrong);
}

typedef struct kernels {
    const void *load[5]; /* by memory */
    const void *store[3];
} kernels;

template <int WIDTH_> static kernels kernels_of(void) {
    const kernels k = {
        .load = {(const void *)shared_load<WIDTH_>, (const void *)global_load<FX_L1, WIDTH_>,
                 (const void *)global_load<FX_L2, WIDTH_>, NULL, (const void *)constant_chain<WIDTH_>},
        .store = {(const void *)shared_store<WIDTH_>, NULL, (const void *)global_store<WIDTH_>},
    };
    return k;
}

static const void *choose_kernel(const fx_params *params) {
    static const void *const narrow[] = {(const void *)shared_atomic<ATOMIC_ADD, 4>,
                                         (const void *)shared_atomic<ATOMIC_EXCH, 4>,
                                         (const void *)shared_atomic<ATOMIC_CAS, 4>};
    static const void *const wide[] = {NULL, (const void *)shared_atomic<ATOMIC_EXCH, 8>,
                                       (const void *)shared_atomic<ATOMIC_CAS, 8>};
    const int64_t width = params->value[WIDTH], op = params->value[OP], memory = params->value[MEMORY];
    if (op >= ATOMIC_ADD) {
        return (width == 4 ? narrow : wide)[op - ATOMIC_ADD];
    }
    const kernels k = width == 1   ? kernels_of<1>()
                      : width == 2 ? kernels_of<2>()
                      : width == 4 ? kernels_of<4>()
                      : width == 8 ? kernels_of<8>()
                                   : kernels_of<16>();
    return op == LOAD ? k.load[memory] : k.store[memory];
}

typedef struct state {
    fx_timed_buffer timed;
    const void *kernel;
    char *allocation, *data; /* data: aligned within it */
    uint32_t *host;          /* pinned: the constant bank's image */
    size_t data_bytes, shared_bytes;
    uint32_t trips;
} state;

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    (void)gpu;
    (void)c;
    fx_timed_close(&s->timed);
    cudaFree(s->allocation);
    cudaFreeHost(s->host);
    free(s);
}

/* What the case's memory needs: bytes of a slot or of shared memory, and how many bytes of the device. */
static fx_status size_case(fx_gpu *gpu, const fx_case *c, state *s, fx_error *err) {
    const unsigned width = (unsigned)c->params.value[WIDTH];
    const size_t span = (fx_lanes_span(&c->lanes, width) + 127) / 128 * 128;
    const int64_t memory = c->params.value[MEMORY];
    const size_t limit = memory == SHARED     ? (size_t)gpu->facts.shared_per_block_bytes
                         : memory == CONSTANT ? (size_t)CONSTANT_BYTES
                                              : (size_t)SLOT_BYTES;
    if (span > limit) {
        return fx_fail(err, FX_UNSUPPORTED, "the pattern spans %zu bytes; %zu can be measured", span, limit);
    }
    s->shared_bytes = memory == SHARED ? span : 0;
    s->data_bytes = memory == L1   ? (size_t)slots_of(FX_L1, (int)width) * SLOT_BYTES
                    : memory == L2 ? (size_t)WARPS * slots_of(FX_L2, (int)width) * L2_SLOT_BYTES
                                   : 0;
    return FX_OK;
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    const int64_t memory = c->params.value[MEMORY];
    const double count = c->prediction.count > 1 ? c->prediction.count : 1;
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    fx_status status = size_case(gpu, c, s, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    s->kernel = choose_kernel(&c->params);
    s->trips = fx_timed_trips(PASS_CYCLES, ACCESSES * WARPS * count);
    if (s->data_bytes > 0) {
        FX_CUDA(cudaMalloc((void **)&s->allocation, s->data_bytes + SLOT_BYTES));
        s->data = (char *)(((uintptr_t)s->allocation + SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES);
    }
    if (memory == CONSTANT) {
        FX_CUDA(cudaMallocHost((void **)&s->host, CONSTANT_BYTES));
    }
    status = fx_gpu_prepare(s->kernel, s->shared_bytes, memory == SHARED ? 100 : 0, err);
    if (status == FX_OK) {
        status = fx_timed_open(&s->timed, WARPS, err);
    }
cleanup:
    if (status != FX_OK) {
        close_case(gpu, c, s);
        return status;
    }
    *out = s;
    return FX_OK;
}

/* Fresh random words wherever the case may read. */
static fx_status fill(fx_gpu *gpu, state *s, uint64_t seed, fx_error *err) {
    fx_status status = FX_OK;
    if (s->data_bytes > 0) {
        return fx_gpu_fill(gpu, s->data, s->data_bytes / 4, seed, err);
    }
    if (s->host) {
        for (uint32_t i = 0; i < CONSTANT_BYTES / 4; i++) {
            s->host[i] = fx_random_word(seed, i);
        }
        FX_CUDA(cudaMemcpyToSymbolAsync(bank, s->host, CONSTANT_BYTES, 0, cudaMemcpyHostToDevice, gpu->stream));
    }
cleanup:
    return status;
}

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state_, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    fx_timed timed = fx_timed_argument(&s->timed, s->trips, 0);
    pattern p = {.lanes = c->lanes, .data = s->data, .words = (uint32_t)(s->shared_bytes / 4), .seed = seed};
    void *arguments[] = {&timed, &p};
    p.trips = fx_timed_total_trips(&timed);
    const fx_status status = fill(gpu, s, seed, err);
    return status != FX_OK
               ? status
               : fx_timed_sample(gpu, &s->timed, s->kernel, s->shared_bytes, arguments, &timed, ACCESSES, out, err);
}
#endif

static const fx_sass sass[] = {
    {"shared_load<1>", "LDS.U8", 32, 0},
    {"shared_load<2>", "LDS.U16", 32, 0},
    {"shared_load<4>", "LDS", 32, 0},
    {"shared_load<8>", "LDS.64", 32, 0},
    {"shared_load<16>", "LDS.128", 32, 0},
    {"shared_store<1>", "STS.U8", 32, 0},
    {"shared_store<2>", "STS.U16", 32, 0},
    {"shared_store<4>", "STS", 32, 0},
    {"shared_store<8>", "STS.64", 32, 0},
    {"shared_store<16>", "STS.128", 32, 0},
    {"shared_atomic<2, 4>", "ATOMS.ADD", 32, 0},
    {"shared_atomic<3, 4>", "ATOMS.EXCH", 32, 0},
    {"shared_atomic<4, 4>", "ATOMS.CAS", 32, 0},
    {"shared_atomic<3, 8>", "ATOMS.EXCH.64", 32, 0},
    {"shared_atomic<4, 8>", "ATOMS.CAS.64", 32, 0},
    {"global_load<1, 1>", "LDG.E.U8", 32, 0},
    {"global_load<1, 2>", "LDG.E.U16", 32, 0},
    {"global_load<1, 4>", "LDG.E", 32, 0},
    {"global_load<1, 8>", "LDG.E.64", 32, 0},
    {"global_load<1, 16>", "LDG.E.128", 32, 0},
    {"global_load<2, 1>", "LDG.E.U8.STRONG.GPU", 32, 0},
    {"global_load<2, 2>", "LDG.E.U16.STRONG.GPU", 32, 0},
    {"global_load<2, 4>", "LDG.E.STRONG.GPU", 32, 0},
    {"global_load<2, 8>", "LDG.E.64.STRONG.GPU", 32, 0},
    {"global_load<2, 16>", "LDG.E.128.STRONG.GPU", 32, 0},
    {"global_store<1>", "STG.E.U8", 32, 0},
    {"global_store<2>", "STG.E.U16", 32, 0},
    {"global_store<4>", "STG.E", 32, 0},
    {"global_store<8>", "STG.E.64", 32, 0},
    {"global_store<16>", "STG.E.128", 32, 0},
    {"constant_chain<1>", "LDC.U8", 32, 0},
    {"constant_chain<2>", "LDC.U16", 32, 0},
    {"constant_chain<4>", "LDC", 32, 0},
    {"constant_chain<8>", "LDC.64", 32, 0},
    {"constant_chain<16>", "LDC.64", 64, 0},
};

#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define EXECUTED   "smsp__inst_executed_op_shared_"
#define LOADS      "smsp__inst_executed_op_global_ld.sum"
#define STORES     "smsp__inst_executed_op_global_st.sum"

static const fx_counter counters[] = {
    {"memory=shared op=load", "wavefronts", 1, WAVEFRONTS "ld.sum", EXECUTED "ld.sum", 0.01, 0.02},
    {"memory=shared op=store", "wavefronts", 1, WAVEFRONTS "st.sum", EXECUTED "st.sum", 0.01, 0.02},
    {"memory=shared op=atomic_add,atomic_exch", "wavefronts", 1, WAVEFRONTS "atom.sum", EXECUTED "atom.sum", 0.01,
     0.02},
    {"memory=shared op=atomic_cas", "wavefronts", 2, WAVEFRONTS "atom.sum", EXECUTED "atom.sum", 0.01, 0.02},
    {"memory=l1 op=load", "tags", 1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", LOADS, 0.01, 0.02},
    {"memory=l1 op=load", "wavefronts", 1, "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum", LOADS, 0.01, 0.02},
    {"memory=l2 op=load", "lines", 1, "lts__t_requests_srcunit_tex_op_read.sum", LOADS, 0.05, 0.02},
    {"memory=l2 op=store", "lines", 1, "lts__t_requests_srcunit_tex_op_write.sum", STORES, 0.01, 0.02},
    {"memory=constant", NULL, 1, "idc__requests.sum", "smsp__inst_executed_op_ldc.sum", 0.01, 0.02},
};

static const fx_aim aims[] = {
    {"memory=shared op=load", 2, 99.9},
    {"memory=shared op=store", 2, 99},
    {"memory=shared op=atomic_add,atomic_exch,atomic_cas", 2, 99},
    {"memory=constant op=load", 2, 99},
    {"memory=l1 op=load", 5, 95},
    {"memory=l2 op=load", 5, NAN},
    {"memory=l2 op=store", 5, NAN},
};

static const fx_probe pattern_probe = {
    .contract = FX_PROBE_CONTRACT,
    .name = "pattern",
    .question = "Does an access pattern that nobody chose cost what the laws say?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "memory op width",
    .lanes = lanes,
    .law = law,
    .access = access,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    FX_TABLE(sass),
    FX_TABLE(counters),
    FX_TABLE(aims),
    .drawn_by = "seed",
};

FX_PROBE(pattern_probe)
