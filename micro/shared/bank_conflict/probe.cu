/* bank_conflict: what does a shared-memory access cost when lanes of a warp meet in one bank? Method: each lane's word
 * holds the address of the same word in another copy of the pattern, so that a chain walks a seeded ring of copies and
 * every step has the banks of the lane table. Atomics walk the same ring: they return the word and leave it. Stores
 * write to the same addresses. */
#include "core/probe.h"

enum { MODE, OP, WIDTH, PATTERN, STRIDE, OFFSET, WORDS, SEED };
enum { THROUGHPUT, LATENCY };
enum { LOAD, STORE, ATOMIC_ADD, ATOMIC_CAS };
enum { BY_STRIDE, MULTICAST, COLUMN, PADDED, XOR, PERMUTATION, RANDOM, PREDICATED_OFF };
enum { CHAINS = 4, THROUGHPUT_WARPS = 32, RATE_ACCESSES = CHAINS * FX_RATE_STEPS };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"op", "", "instruction", "load store atomic_add atomic_cas", 0, 0, LOAD},
    {"width", "bytes", "bytes per lane: 4, 8 or 16", NULL, 4, 16, 4},
    {"pattern", "", "assignment of words to lanes; predicated_off: neighbours, all inactive",
     "stride multicast column padded xor permutation random predicated_off", 0, 0, BY_STRIDE},
    {"stride", "elements", "distance between neighbouring lanes", NULL, 0, 64, 1},
    {"offset", "bytes", "shift of the whole pattern, a multiple of width", NULL, 0, 1024, 0},
    {"words", "elements", "distinct elements of a multicast", NULL, 1, 32, 32},
    {"seed", "", "random seed, for pattern=permutation and pattern=random", NULL, 0, 1000000, 0},
};

static const fx_sweep sweeps[] = {
    {"stride", "mode=throughput op=load,store width=4,8,16 pattern=stride stride=0:64",
     "mode=throughput op=load width=4,8,16 pattern=stride stride=0,1,2,3,4,8,16,32"},
    {"stride_atomic", "mode=throughput op=atomic_add,atomic_cas width=4 pattern=stride stride=0:64",
     "mode=throughput op=atomic_add width=4 pattern=stride stride=0,1,2,32"},
    {"stride_latency", "mode=latency op=load width=4,8,16 pattern=stride stride=0:64",
     "mode=latency op=load width=4,8,16 pattern=stride stride=0,1,2,3,4,8,16,32"},
    {"stride_latency_atomic", "mode=latency op=atomic_add,atomic_cas width=4 pattern=stride stride=0:33", NULL},
    {"offset", "mode=throughput op=load,store width=4,8,16 pattern=stride stride=1 offset=0:128:16", NULL},
    {"multicast", "mode=throughput,latency op=load width=4,8,16 pattern=multicast words=1,2,4,8,16,32",
     "mode=throughput op=load width=4 pattern=multicast words=1,2,4,8,16,32"},
    {"tile", "mode=throughput,latency op=load width=4,8,16 pattern=column,padded,xor",
     "mode=throughput op=load width=4 pattern=column,padded,xor"},
    {"tile_store", "mode=throughput op=store width=4,8,16 pattern=column,padded,xor", NULL},
    {"random", "mode=throughput,latency op=load width=4,8,16 pattern=permutation,random seed=0:15",
     "mode=throughput op=load width=4,8,16 pattern=random seed=0:1"},
    {"random_store", "mode=throughput op=store,atomic_add,atomic_cas width=4 pattern=permutation,random seed=0:15",
     NULL},
    {"random_wide_store", "mode=throughput op=store width=8,16 pattern=permutation,random seed=0:15", NULL},
    {"predicated_off", "mode=throughput op=load,store width=4,8,16 pattern=predicated_off",
     "mode=throughput op=load,store width=4 pattern=predicated_off"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

enum { RANDOM_ELEMENTS = 1024 };

static bool lanes(const fx_params *params, fx_lanes *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    const uint64_t seed = (uint64_t)params->value[SEED];
    const int64_t pattern = params->value[PATTERN];
    if (pattern == MULTICAST) {
        fx_lanes_multicast(out, width, (unsigned)params->value[WORDS]);
    } else if (pattern == COLUMN || pattern == PADDED) {
        fx_lanes_column(out, width, pattern == PADDED ? 33 : 32, 0);
    } else if (pattern == XOR) {
        fx_lanes_xor_column(out, width, 0);
    } else if (pattern == RANDOM) {
        fx_lanes_random(out, width, RANDOM_ELEMENTS, seed);
    } else {
        fx_lanes_stride(out, width, pattern == PERMUTATION ? 1 : params->value[STRIDE], 0);
    }
    if (pattern == PERMUTATION) {
        fx_lanes_permute(out, seed);
    }
    for (int l = 0; l < FX_WARP; l++) {
        out->offset[l] += (int32_t)params->value[OFFSET];
    }
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    const unsigned wavefronts = fx_law_wavefronts(&facts->geometry, table, width);
    const unsigned phases = fx_law_phases(&facts->geometry, table, width);
    const int64_t op = params->value[OP];
    if (params->value[PATTERN] == PREDICATED_OFF) {
        out->law = "accesses";
        out->count = 1;
        out->why_not = "no lane takes part, and the other laws count lanes";
        return;
    }
    if (op == STORE) {
        out->law = "store_wavefronts";
        out->count = fx_law_store_wavefronts(&facts->geometry, table, width);
    } else if (op == LOAD && params->value[MODE] == LATENCY) {
        /* a wavefront delays the answer by two cycles, each phase after the first by one more */
        out->law = "wavefronts_and_half_phases";
        out->count = wavefronts + (phases - 1) / 2.0;
    } else if (op == LOAD) {
        out->law = "wavefronts";
        out->count = wavefronts;
    } else {
        out->law = "bank_lanes";
        out->count = fx_law_bank_lanes(&facts->geometry, table, width);
    }
    out->useful_bytes = fx_law_useful_bytes(table, width);
    fx_prediction_count(out, "wavefronts", wavefronts);
    fx_prediction_count(out, "store_wavefronts", fx_law_store_wavefronts(&facts->geometry, table, width));
    fx_prediction_count(out, "bank_lanes", fx_law_bank_lanes(&facts->geometry, table, width));
    fx_prediction_count(out, "phases", phases);
    fx_prediction_count(out, "distinct", fx_law_distinct(table));
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH], op = params->value[OP];
    return width != 4 && width != 8 && width != 16 ? "width must be 4, 8 or 16"
           : params->value[OFFSET] % width != 0    ? "offset must be a multiple of width"
           : op == STORE && params->value[MODE] == LATENCY
               ? "op=store needs mode=throughput: a store returns nothing to chain"
           : op >= ATOMIC_ADD && width != 4 ? "op=atomic_add and op=atomic_cas need width=4"
           : params->value[PATTERN] == PREDICATED_OFF && (op >= ATOMIC_ADD || params->value[MODE] == LATENCY)
               ? "pattern=predicated_off needs mode=throughput and op=load or op=store: nvcc jumps over an atomic"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/atomic.cuh"
#include "gpu/cuda_half.cuh"

enum { MAX_COPIES = 7 };

/* The ring of copies: copy order[k] points to copy order[k + 1]. */
typedef struct ring {
    fx_lanes lanes;
    uint32_t order[MAX_COPIES];
    uint32_t copies, pitch_bytes;
    uint32_t steps; /* a chain's steps over all passes */
    uint32_t zero;
    uint32_t total_words;
    uint64_t seed;
} ring;

#include "../copies.cuh"

template <int OP_, int WIDTH_> __device__ __forceinline__ uint32_t step(uint32_t address, uint32_t zero) {
    uint32_t x, y, z, w;
    if constexpr (OP_ == ATOMIC_ADD) {
        x = fx_atomic<FX_ADD, FX_INT32, true>(address, zero, 0);
    } else if constexpr (OP_ == ATOMIC_CAS) {
        x = fx_atomic<FX_CAS, FX_INT32, true>(address, ~zero, zero);
    } else {
        FX_LOAD("ld.volatile.shared.", "r")
    }
    return x;
}

__device__ static uint32_t base_of(uint32_t *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* Random bits everywhere, then the ring's pointers at the lanes' words. */
__device__ static void lay_ring(uint32_t *shared, const ring &r, int32_t offset) {
    const uint32_t base = base_of(shared);
    fill(shared, r);
    if (threadIdx.x < FX_WARP) {
        for (uint32_t k = 0; k < r.copies; k++) {
            const uint32_t here = r.order[k] * r.pitch_bytes + offset;
            shared[here / 4] = base + r.order[(k + 1) % r.copies] * r.pitch_bytes + offset;
        }
    }
    __syncthreads();
}

template <int OP_, int WIDTH_, int CHAINS_> __global__ void chase(FX_TIMED_WITH(ring, r)) {
    extern __shared__ uint32_t shared[];
    const int32_t offset = r.lanes.offset[threadIdx.x % FX_WARP];
    const uint32_t base = base_of(shared);
    uint32_t address[CHAINS_];
    lay_ring(shared, r, offset);
    for (int c = 0; c < CHAINS_; c++) {
        address[c] = base + r.order[c % r.copies] * r.pitch_bytes + offset;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int c) { address[c] = step<OP_, WIDTH_>(address[c], r.zero); };
    fx_timed_chains<CHAINS_>(timed, marks, link, [&] { return address[0]; });
    bool wrong = false;
    for (int c = 0; c < CHAINS_; c++) {
        const uint32_t end = r.order[(c + r.steps) % r.copies] * r.pitch_bytes + offset;
        wrong |= address[c] != base + end;
        for (uint32_t part = 1; part < WIDTH_ / 4; part++) {
            wrong |= shared[end / 4 + part] != (uint32_t)fx_random_at(r.seed, end / 4 + part);
        }
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* Lanes that meet in a word write the same bits, so the oracle holds whoever wins: the trip's number, then random. */
template <int WIDTH_>
__device__ __forceinline__ void put(uint32_t address, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
    FX_STORE_WORDS("st.volatile.shared.", "u32", "r", "r", x, y, z, w)
}

template <int WIDTH_> __global__ void store(FX_TIMED_WITH(ring, r)) {
    extern __shared__ uint32_t shared[];
    const int32_t offset = r.lanes.offset[threadIdx.x % FX_WARP];
    const uint32_t base = base_of(shared);
    const uint32_t y = (uint32_t)fx_random_at(r.seed, offset), z = ~y, w = y * 3;
    uint32_t address[CHAINS];
    lay_ring(shared, r, offset);
    for (int c = 0; c < CHAINS; c++) {
        address[c] = base + r.order[c % r.copies] * r.pitch_bytes + offset;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto access = [&](uint32_t i, int a) { put<WIDTH_>(address[a % CHAINS], i, y, z, w); };
    fx_timed_accesses<RATE_ACCESSES>(timed, marks, FX_ALL_LANES, access);
    __syncthreads();
    bool wrong = false;
    for (int c = 0; c < CHAINS; c++) {
        const uint32_t word = (address[c] - base) / 4;
        wrong |= shared[word] != 1;
        wrong |= WIDTH_ > 4 && shared[word + 1] != y;
        wrong |= WIDTH_ > 8 && (shared[word + 2] != z || shared[word + 3] != w);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* An access whose predicate is false in all lanes, which the compiler does not know. */
#define SKIP(access)                                                                                                   \
    asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p " access ";}"                                                \
                 : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                                                      \
                 : "r"(address), "r"(on)                                                                               \
                 : "memory")

template <int OP_, int WIDTH_> __device__ __forceinline__ void skip(uint32_t address, uint32_t on, uint32_t (&x)[4]) {
    if (OP_ == LOAD && WIDTH_ == 4) {
        SKIP("ld.volatile.shared.u32 %0, [%4]");
    } else if (OP_ == LOAD && WIDTH_ == 8) {
        SKIP("ld.volatile.shared.v2.u32 {%0, %1}, [%4]");
    } else if (OP_ == LOAD) {
        SKIP("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4]");
    } else if (WIDTH_ == 4) {
        SKIP("st.volatile.shared.u32 [%4], %0");
    } else if (WIDTH_ == 8) {
        SKIP("st.volatile.shared.v2.u32 [%4], {%0, %1}");
    } else {
        SKIP("st.volatile.shared.v4.u32 [%4], {%0, %1, %2, %3}");
    }
}

/* Neither registers nor words may change. */
template <int OP_, int WIDTH_> __global__ void predicated_off(FX_TIMED_WITH(ring, r)) {
    extern __shared__ uint32_t shared[];
    const uint32_t lane = threadIdx.x % FX_WARP, first = r.lanes.offset[lane] / 4;
    uint32_t x[CHAINS][4];
    fill(shared, r);
    for (uint32_t c = 0; c < CHAINS; c++) {
        for (uint32_t part = 0; part < 4; part++) {
            x[c][part] = lane + 4 * c + part;
        }
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto access = [&](uint32_t, int a) { skip<OP_, WIDTH_>(base_of(shared + first), r.zero, x[a % CHAINS]); };
    fx_timed_accesses<RATE_ACCESSES>(timed, marks, FX_ALL_LANES, access);
    bool wrong = false;
    for (uint32_t c = 0; c < CHAINS; c++) {
        for (uint32_t part = 0; part < 4; part++) {
            wrong |= x[c][part] != lane + 4 * c + part;
        }
    }
    for (uint32_t part = 0; part < WIDTH_ / 4; part++) {
        wrong |= shared[first + part] != (uint32_t)fx_random_at(r.seed, first + part);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    return arrange_copies(rig, c, (unsigned)c->params.value[WIDTH], c->params.value[MODE] == LATENCY, err);
}
#endif

#define ACTIVE "pattern=stride,multicast,column,padded,xor,permutation,random "
#define OFF    "pattern=predicated_off "

#define WIDTH_ROWS(width, modifier)                                                                                    \
    FX_TIMED("mode=latency op=load width=" #width, FX_K(chase, LOAD, width, 1), {"LDS" modifier, FX_CHAIN_STEPS}),     \
        FX_TIMED(ACTIVE "mode=throughput op=load width=" #width, FX_K(chase, LOAD, width, CHAINS),                     \
                 {"LDS" modifier, RATE_ACCESSES}),                                                                     \
        FX_TIMED(ACTIVE "op=store width=" #width, FX_K(store, width), {"STS" modifier, RATE_ACCESSES}),                \
        FX_TIMED(OFF "op=load width=" #width, FX_K(predicated_off, LOAD, width), {"LDS" modifier, RATE_ACCESSES}),     \
        FX_TIMED(OFF "op=store width=" #width, FX_K(predicated_off, STORE, width), {"STS" modifier, RATE_ACCESSES})

static const fx_kernel kernels[] = {
    WIDTH_ROWS(4, ""),
    WIDTH_ROWS(8, ".64"),
    WIDTH_ROWS(16, ".128"),
    /* for Turing nvcc closes a loop of these with a vote, which is timed too */
    FX_TIMED_FROM(80, "mode=latency op=atomic_add", FX_K(chase, ATOMIC_ADD, 4, 1), {"ATOMS.ADD", FX_CHAIN_STEPS}),
    FX_TIMED_FROM(80, "mode=throughput op=atomic_add", FX_K(chase, ATOMIC_ADD, 4, CHAINS),
                  {"ATOMS.ADD", RATE_ACCESSES}),
    FX_TIMED("mode=latency op=atomic_cas", FX_K(chase, ATOMIC_CAS, 4, 1), {"ATOMS.CAS", FX_CHAIN_STEPS}),
    FX_TIMED("mode=throughput op=atomic_cas", FX_K(chase, ATOMIC_CAS, 4, CHAINS), {"ATOMS.CAS", RATE_ACCESSES}),
};

#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define EXECUTED   "smsp__inst_executed_op_shared_"

static const fx_counter counters[] = {
    {ACTIVE "op=load", "wavefronts", 1, WAVEFRONTS "ld.sum", EXECUTED "ld.sum", 0.01, 0.02},
    {ACTIVE "op=store", "store_wavefronts", 1, WAVEFRONTS "st.sum", EXECUTED "st.sum", 0.01, 0.02},
    {"op=atomic_add", "bank_lanes", 1, WAVEFRONTS "atom.sum", EXECUTED "atom.sum", 0.01, 0.02},
    {"op=atomic_cas", "bank_lanes", 2, WAVEFRONTS "atom.sum", EXECUTED "atom.sum", 0.01, 0.02},
};

FX_PROBE(bank_conflict, .question = "What does a shared-memory access cost when lanes of a warp hit the same bank?",
         .method_version = 1, FX_PARTS, .fit_by = "mode op", .lanes = lanes, .supported = supported,
         .draw = FX_GPU(draw), FX_TABLE(counters), .once = true)
