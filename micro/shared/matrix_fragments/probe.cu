/* matrix_fragments: what do ldmatrix and stmatrix cost, by the addresses of their rows? Method: where ldmatrix finds a
 * lane's first word lies the address that the lane names next, in another copy of the rows, so that a chain walks a
 * seeded ring of copies without any arithmetic. stmatrix writes rows at the same places. */
#include "core/probe.h"
#include "core/random.h"

enum { MODE, OP, MATRICES, ORDER, SWIZZLE, PITCH, SEED };
enum { THROUGHPUT, LATENCY };
enum { LOAD, STORE };
enum { PLAIN, TRANSPOSED };
enum { NO_SWIZZLE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128, RANDOM };
enum { CHAINS = 4, THROUGHPUT_WARPS = 32, ROW_BYTES = 16, MATRIX_ROWS = 8, RANDOM_ROWS = 128 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"op", "", "instruction: ldmatrix or stmatrix", "load store", 0, 0, LOAD},
    {"matrices", "", "8 x 8 matrices of 16-bit elements per instruction: 1, 2 or 4", NULL, 1, 4, 4},
    {"order", "", "matrices as stored, or transposed on the way", "plain transposed", 0, 0, PLAIN},
    {"swizzle", "",
     "places of the 16-byte rows: by pitch alone, with the swizzles of tensor copies, or drawn at random",
     "none 32 64 128 random", 0, 0, NO_SWIZZLE},
    {"pitch", "bytes", "distance between neighbouring rows, a multiple of 16", NULL, 16, 272, 128},
    {"seed", "", "random seed, for swizzle=random", NULL, 0, 1000000, 0},
};

static const fx_sweep sweeps[] = {
    {"pitch", "mode=throughput op=load,store matrices=4 order=plain swizzle=none pitch=32:144:16",
     "mode=throughput op=load matrices=4 order=plain swizzle=none pitch=128,144"},
    {"pitch_fewer", "mode=throughput op=load,store matrices=1,2 order=plain swizzle=none pitch=64,128,144", NULL},
    {"pitch_latency", "mode=latency op=load matrices=1,2,4 order=plain swizzle=none pitch=64,128,144", NULL},
    {"transposed", "mode=throughput,latency op=load matrices=4 order=transposed swizzle=none pitch=64,128,144", NULL},
    {"transposed_store", "mode=throughput op=store matrices=4 order=transposed swizzle=none pitch=64,128,144", NULL},
    {"swizzle", "mode=throughput op=load,store matrices=4 order=plain swizzle=32,64,128 pitch=128",
     "mode=throughput op=load matrices=4 order=plain swizzle=128 pitch=128"},
    {"random", "mode=throughput op=load,store matrices=1,2,4 order=plain swizzle=random seed=0:1", NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* Four matrices are 16 rows of two chunks, as a fragment of mma.sync reads them: lane l names row l % 16, chunk l / 16.
 * Tensor copies store the chunk at bits 4.. with bits 7.. added without carry. */
static bool lanes(const fx_params *params, fx_lanes *out) {
    static const int32_t masks[] = {0, 1, 3, 7, 0};
    const int32_t pitch = (int32_t)params->value[PITCH], mask = masks[params->value[SWIZZLE]];
    int32_t drawn[RANDOM_ROWS];
    for (int32_t i = 0; i < RANDOM_ROWS; i++) {
        drawn[i] = i;
    }
    for (int32_t l = 0; l < FX_WARP; l++) { /* no row twice: the ring's addresses need a place each */
        const uint64_t bits = fx_random_at((uint64_t)params->value[SEED], (uint64_t)l);
        const int32_t other = l + (int32_t)(bits % (uint64_t)(RANDOM_ROWS - l)), row = drawn[other];
        drawn[other] = drawn[l];
        drawn[l] = row;
    }
    for (int32_t l = 0; l < FX_WARP; l++) {
        const int32_t at = l % (2 * MATRIX_ROWS) * pitch + l / (2 * MATRIX_ROWS) * ROW_BYTES;
        const int32_t place = params->value[SWIZZLE] == RANDOM ? drawn[l] * ROW_BYTES : at ^ ((at >> 7 & mask) << 4);
        out->offset[l] = l < MATRIX_ROWS * params->value[MATRICES] ? place : -1;
    }
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "matrix";
    out->count = fx_law_matrix(&facts->geometry, table);
    out->useful_bytes = (double)(params->value[MATRICES] * MATRIX_ROWS * ROW_BYTES);
    fx_prediction_count(out, "wavefronts", out->count);
    fx_prediction_count(out, "matrices", (double)params->value[MATRICES]);
}

static fx_access_support access(const fx_access *a, fx_params *params) {
    params->value[OP] = a->kind == FX_MATRIX_STORES ? STORE : LOAD;
    return a->level == FX_LEVEL_SHARED && a->kind >= FX_MATRIX_LOADS ? FX_SUPPORTS_COUNT : FX_SUPPORTS_NOTHING;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    static const int64_t rows[] = {16, 32, 64, 128, 16};
    const int64_t matrices = params->value[MATRICES], pitch = params->value[PITCH];
    return matrices != 1 && matrices != 2 && matrices != 4 ? "matrices must be 1, 2 or 4"
           : pitch % rows[params->value[SWIZZLE]] != 0
               ? "pitch must be a multiple of 16, and of the bytes that swizzle names"
           : matrices == 4 && pitch < 2 * ROW_BYTES
               ? "matrices=4 needs pitch=32 or more: a row of the tile has two chunks of 16 bytes"
           : params->value[ORDER] == TRANSPOSED && matrices != 4 ? "order=transposed needs matrices=4"
           : params->value[OP] == STORE && params->value[MODE] == LATENCY
               ? "op=store needs mode=throughput: a store returns nothing to chain"
           : facts->compute_major * 10 + facts->compute_minor < 75 ? "ldmatrix needs compute capability 7.5 or newer"
           : params->value[OP] == STORE && facts->compute_major < 9
               ? "op=store needs compute capability 9.0 or newer: stmatrix"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

enum { MAX_COPIES = 7 };

/* The ring of copies: copy order[k] points to copy order[k + 1]. Lanes that name no row take lane l % 8's. */
typedef struct ring {
    fx_lanes lanes;
    uint32_t order[MAX_COPIES];
    uint32_t copies, pitch_bytes;
    uint32_t steps; /* a chain's steps over all passes */
    uint32_t total_words;
    uint64_t seed;
} ring;

#include "../copies.cuh"

template <int MATRICES_, int ORDER_>
__device__ __forceinline__ void store_matrices(uint32_t address, const uint32_t (&v)[MATRICES_]) {
#define STMATRIX(count, list, ...)                                                                                     \
    asm volatile(FX_FROM_900("stmatrix.sync.aligned.m8n8." count ".shared.b16 [%0], {" list "};")::"r"(address),       \
                 __VA_ARGS__                                                                                           \
                 : "memory")
    if constexpr (MATRICES_ == 1) {
        STMATRIX("x1", "%1", "r"(v[0]));
    } else if constexpr (MATRICES_ == 2) {
        STMATRIX("x2", "%1, %2", "r"(v[0]), "r"(v[1]));
    } else if constexpr (ORDER_ == PLAIN) {
        STMATRIX("x4", "%1, %2, %3, %4", "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]));
    } else {
        STMATRIX("x4.trans", "%1, %2, %3, %4", "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]));
    }
#undef STMATRIX
}

/* Half-word `half` (0, 1) of what lane `lane` gets of matrix `matrix`, as an index of half-words from a copy's start.
 */
template <int ORDER_> __device__ static uint32_t half_of(const ring &r, uint32_t matrix, uint32_t lane, uint32_t half) {
    const uint32_t row = ORDER_ == PLAIN ? lane / 4 : lane % 4 * 2 + half;
    const uint32_t column = ORDER_ == PLAIN ? lane % 4 * 2 + half : lane / 4;
    return r.lanes.offset[matrix * MATRIX_ROWS + row] / 2 + column;
}

template <int ORDER_>
__device__ static uint32_t word_of(const uint16_t *copy, const ring &r, uint32_t matrix, uint32_t lane) {
    return copy[half_of<ORDER_>(r, matrix, lane, 0)] | (uint32_t)copy[half_of<ORDER_>(r, matrix, lane, 1)] << 16;
}

__device__ static uint32_t named_offset(const ring &r, uint32_t lane) {
    return r.lanes.offset[r.lanes.offset[lane] < 0 ? lane % MATRIX_ROWS : lane];
}

template <int MATRICES_, int ORDER_, int CHAINS_> __global__ void chase(FX_TIMED_WITH(ring, r)) {
    extern __shared__ __align__(128) uint32_t shared[];
    const uint32_t lane = threadIdx.x % FX_WARP, base = (uint32_t)__cvta_generic_to_shared(shared);
    const uint32_t offset = named_offset(r, lane);
    uint16_t *const halves = (uint16_t *)shared;
    uint32_t got[CHAINS_][MATRICES_];
    fill(shared, r);
    for (uint32_t k = 0; threadIdx.x < FX_WARP && k < r.copies; k++) {
        const uint32_t next = base + r.order[(k + 1) % r.copies] * r.pitch_bytes + offset;
        uint16_t *const copy = halves + r.order[k] * r.pitch_bytes / 2;
        copy[half_of<ORDER_>(r, 0, lane, 0)] = (uint16_t)next;
        copy[half_of<ORDER_>(r, 0, lane, 1)] = (uint16_t)(next >> 16);
    }
    __syncthreads();
    for (int c = 0; c < CHAINS_; c++) {
        got[c][0] = base + r.order[c % r.copies] * r.pitch_bytes + offset;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int c) { fx_load_matrices<MATRICES_, ORDER_ == TRANSPOSED>(got[c], got[c][0]); };
    fx_timed_chains<CHAINS_>(timed, marks, link, [&] { return got[0][0]; });
    bool wrong = false;
    for (int c = 0; c < CHAINS_; c++) {
        const uint32_t last = (c + r.steps + r.copies - 1) % r.copies, end = (last + 1) % r.copies;
        wrong |= got[c][0] != base + r.order[end] * r.pitch_bytes + offset;
        for (int m = 0; m < MATRICES_; m++) {
            wrong |= got[c][m] != word_of<ORDER_>(halves + r.order[last] * r.pitch_bytes / 2, r, m, lane);
        }
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

template <int MATRICES_, int ORDER_> __global__ void store(FX_TIMED_WITH(ring, r)) {
    extern __shared__ __align__(128) uint32_t shared[];
    const uint32_t lane = threadIdx.x % FX_WARP, base = (uint32_t)__cvta_generic_to_shared(shared);
    uint32_t address[CHAINS], value[MATRICES_];
    fill(shared, r);
    for (int m = 0; m < MATRICES_; m++) {
        value[m] = ~fx_random_word(r.seed, m * FX_WARP + lane); /* all warps write the same */
    }
    for (int c = 0; c < CHAINS; c++) {
        address[c] = base + r.order[c % r.copies] * r.pitch_bytes + named_offset(r, lane);
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto access = [&](uint32_t, int a) { store_matrices<MATRICES_, ORDER_>(address[a % CHAINS], value); };
    fx_timed_accesses<CHAINS * FX_RATE_STEPS>(timed, marks, FX_ALL_LANES, access);
    __syncthreads();
    bool wrong = false;
    for (int c = 0; c < CHAINS; c++) {
        const uint16_t *const copy = (const uint16_t *)shared + r.order[c % r.copies] * r.pitch_bytes / 2;
        for (int m = 0; m < MATRICES_; m++) {
            wrong |= word_of<ORDER_>(copy, r, m, lane) != value[m];
        }
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    return arrange_copies(rig, c, ROW_BYTES, c->params.value[MODE] == LATENCY, err);
}
#endif

#define ROWS(where, matrices, order, layout)                                                                           \
    FX_TIMED("mode=latency op=load " where, FX_K(chase, matrices, order, 1), {"LDSM.16." layout, FX_CHAIN_STEPS}),     \
        FX_TIMED("mode=throughput op=load " where, FX_K(chase, matrices, order, CHAINS),                               \
                 {"LDSM.16." layout, CHAINS * FX_RATE_STEPS}),                                                         \
        FX_TIMED_FROM(90, "op=store " where, FX_K(store, matrices, order),                                             \
                      {"STSM.16." layout, CHAINS * FX_RATE_STEPS})

static const fx_kernel kernels[] = {
    ROWS("matrices=1", 1, PLAIN, "M88"),
    ROWS("matrices=2", 2, PLAIN, "M88.2"),
    ROWS("matrices=4 order=plain", 4, PLAIN, "M88.4"),
    ROWS("matrices=4 order=transposed", 4, TRANSPOSED, "MT88.4"),
};

FX_PROBE(matrix_fragments, .question = "What do ldmatrix and stmatrix cost, by the addresses of their rows?",
         .method_version = 1, FX_PARTS, .fit_by = "mode op matrices order", .lanes = lanes, .access = access,
         .supported = supported, .draw = FX_GPU(draw), .once = true)
