/* tensor_cores: what does a wgmma take, by type, columns, place of A and warpgroups at work? Method: each warpgroup of
 * one SM adds product after product to the same 64 x N sums, which the hardware does one after another without waiting;
 * or waits for each. All values are -1, 0 or 1, and a row of A has one that is not 0, so every sum is known to the last
 * bit, also in the short sums of FP8. */
#include "core/probe.h"

enum { FP16, BF16, TF32, E4M3, E5M2, INT8, FP16_SPARSE, FP16_MMA };
enum { A_SHARED, A_REGISTERS };
enum { GROUP = 128 /* threads */, ROWS = 64, K_BYTES = 32, MOST_COLUMNS = 256 };

/* Without swizzle a matrix lies in pieces of 8 rows of 16 bytes, those of further k one after another. A sparse A keeps
 * two of four elements, so B has twice its k. */
enum { PIECE_BYTES = 128, A_BYTES = ROWS * K_BYTES, B_BYTES = MOST_COLUMNS * 2 * K_BYTES };

enum { MODE, TYPE, COLUMNS, A_FROM, GROUPS };
enum { THROUGHPUT, LATENCY };
enum { STEPS = 8 /* of a trip */, ALONE_STEPS = 4 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per instruction of the SM, or of a warpgroup that waits for each", "throughput latency", 0, 0,
     THROUGHPUT},
    {"type", "", "type of A and B, summed in FP32 (int8: INT32); fp16 with a sparse A; or fp16 by warp-level mma.sync",
     "fp16 bf16 tf32 e4m3 e5m2 int8 fp16_sparse fp16_mma", 0, 0, FP16},
    {"columns", "columns", "columns of the product, N; its rows are 64, its depth 32 bytes", NULL, 8, 256, 256},
    {"a", "", "place of A; B is in shared memory", "shared registers", 0, 0, A_SHARED},
    {"groups", "warpgroups", "warpgroups at work on the SM", NULL, 1, 4, 1},
};

static const fx_sweep sweeps[] = {
    {"columns", "mode=throughput,latency type=fp16 columns=8,16,32,64,128,256 a=shared,registers groups=1",
     "mode=throughput type=fp16 columns=64,256 a=shared groups=1"},
    {"groups", "mode=throughput type=fp16 columns=32,64,128 a=shared,registers groups=2,3,4", NULL},
    {"type", "mode=throughput,latency type=bf16,tf32,e4m3,e5m2,int8 columns=256 a=shared groups=1", NULL},
    {"sparse", "mode=throughput,latency type=fp16_sparse columns=256 a=shared,registers groups=1", NULL},
    {"mma", "mode=throughput type=fp16_mma columns=256 a=registers groups=1,2", NULL},
};

static const fx_metric metrics[] = {{"wgmma_cycles", "cycles", FX_SM_CYCLES, false, "product of a warpgroup"}};

/* NVIDIA's peak of 4096 FLOP per SM and cycle in FP16 is N / 2 cycles for 64 x N x 16; 32 bytes of k take as long in
 * the other types. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "peak_cycles";
    out->count = (double)params->value[COLUMNS] / 2;
    const bool large = params->value[COLUMNS] >= 64 && params->value[A_FROM] == A_SHARED;
    out->why_not = params->value[MODE] == THROUGHPUT && large ? NULL
                   : params->value[TYPE] == FP16_MMA          ? "mma.sync is not claimed to reach the peak"
                   : params->value[MODE] == LATENCY           ? "waiting for each result does not measure a rate"
                                                              : "A's 64 rows take their time whatever N is";
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t columns = p->value[COLUMNS];
#if defined(CUDART_VERSION) && CUDART_VERSION < 12020
    if (p->value[TYPE] == FP16_SPARSE) {
        return "type=fp16_sparse needs a build by CUDA 12.2 or newer";
    }
#endif
    return (columns & (columns - 1)) != 0 ? "columns must be a power of two"
           : p->value[TYPE] == FP16_MMA && (columns != MOST_COLUMNS || p->value[A_FROM] != A_REGISTERS ||
                                            p->value[MODE] != THROUGHPUT || p->value[GROUPS] > 2)
               ? "type=fp16_mma needs mode=throughput, columns=256, a=registers and groups=1 or 2"
           : p->value[TYPE] == FP16_MMA && facts->compute_major != 9
               ? "type=fp16_mma needs compute capability 9.0 here; elsewhere see mma_fp16 of arithmetic"
           : p->value[TYPE] == FP16_MMA ? NULL
           : p->value[TYPE] != FP16 &&
                   (columns != MOST_COLUMNS || (p->value[A_FROM] != A_SHARED && p->value[TYPE] != FP16_SPARSE))
               ? "type other than fp16 needs columns=256, and a=shared unless type=fp16_sparse"
           : columns == MOST_COLUMNS && p->value[GROUPS] > 2
               ? "columns=256 needs groups=1 or 2: the sums of more fill the registers"
           : facts->compute_major != 9 ? "wgmma needs compute capability 9.0: only Hopper has it"
                                       : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* wgmma by type, columns and place of A: one warpgroup's D += A x B, 64 x COLUMNS_ elements over 32 bytes of k. The
 * instruction is asynchronous. It is in sm_90a alone. */

#define ISSUE(sparse, shape, kinds, list, outputs, a, b, tail, ...)                                                    \
    asm volatile("{\n.reg .pred kept;\nsetp.eq.u32 kept, 0, 0;\nwgmma.mma_async" sparse ".sync.aligned." shape kinds   \
                 " {" list "}, " a ", " b ", kept" tail ";\n}\n"                                                       \
                 : outputs                                                                                             \
                 : __VA_ARGS__)
#define OF_COLUMNS(columns, count, a, b, r0, r1, r2, r3, rb)                                                           \
    if constexpr (COLUMNS_ == columns && A_ == A_SHARED && TYPE_ == FP16) {                                            \
        ISSUE("", "m64n" #columns "k16.", "f32.f16.f16", FX_D##count, FX_OUT##count("+f", d, 0), a, b, ", 1, 1, 0, 0", \
              "l"(at_a), "l"(at_b));                                                                                   \
    }                                                                                                                  \
    if constexpr (COLUMNS_ == columns && A_ == A_REGISTERS && TYPE_ == FP16) {                                         \
        ISSUE("", "m64n" #columns "k16.", "f32.f16.f16", FX_D##count, FX_OUT##count("+f", d, 0),                       \
              "{" r0 ", " r1 ", " r2 ", " r3 "}", rb, ", 1, 1, 0", "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]),           \
              "r"(of_a[3]), "l"(at_b));                                                                                \
    }
#define OF_TYPE(type, shape, kinds, tail)                                                                              \
    if constexpr (COLUMNS_ == 256 && A_ == A_SHARED && TYPE_ == type) {                                                \
        ISSUE("", shape, kinds, FX_D128, FX_OUT128("+f", d, 0), "%128", "%129", tail, "l"(at_a), "l"(at_b));           \
    }

/* D is words, that a type may call floats. */
template <int TYPE_, int COLUMNS_, int A_, typename SUM_>
__device__ __forceinline__ void multiply(SUM_ (&d)[COLUMNS_ / 2], const uint32_t (&of_a)[4], uint64_t at_a,
                                         uint64_t at_b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    OF_COLUMNS(8, 4, "%4", "%5", "%4", "%5", "%6", "%7", "%8")
    OF_COLUMNS(16, 8, "%8", "%9", "%8", "%9", "%10", "%11", "%12")
    OF_COLUMNS(32, 16, "%16", "%17", "%16", "%17", "%18", "%19", "%20")
    OF_COLUMNS(64, 32, "%32", "%33", "%32", "%33", "%34", "%35", "%36")
    OF_COLUMNS(128, 64, "%64", "%65", "%64", "%65", "%66", "%67", "%68")
    OF_COLUMNS(256, 128, "%128", "%129", "%128", "%129", "%130", "%131", "%132")
    OF_TYPE(BF16, "m64n256k16.", "f32.bf16.bf16", ", 1, 1, 0, 0")
    OF_TYPE(TF32, "m64n256k8.", "f32.tf32.tf32", ", 1, 1")
    OF_TYPE(E4M3, "m64n256k32.", "f32.e4m3.e4m3", ", 1, 1")
    OF_TYPE(E5M2, "m64n256k32.", "f32.e5m2.e5m2", ", 1, 1")
#if CUDART_VERSION >= 12020
    if constexpr (TYPE_ == FP16_SPARSE && A_ == A_SHARED) { /* of each four elements the first two */
        ISSUE(".sp", "m64n256k32.", "f32.f16.f16", FX_D128, FX_OUT128("+f", d, 0), "%128", "%129, %130, 0",
              ", 1, 1, 0, 0", "l"(at_a), "l"(at_b), "r"(0x44444444));
    }
    if constexpr (TYPE_ == FP16_SPARSE && A_ == A_REGISTERS) {
        ISSUE(".sp", "m64n256k32.", "f32.f16.f16", FX_D128, FX_OUT128("+f", d, 0), "{%128, %129, %130, %131}",
              "%132, %133, 0", ", 1, 1, 0", "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "l"(at_b),
              "r"(0x44444444));
    }
#endif
    if constexpr (TYPE_ == INT8) {
        ISSUE("", "m64n256k32.", "s32.s8.s8", FX_D128, FX_OUT128("+r", d, 0), "%128", "%129", "", "l"(at_a), "l"(at_b));
    }
#endif
}

/* The same 64 x 256 elements over 16 steps of k by mma.sync: the warp's 16 rows, 32 instructions. */
__device__ __forceinline__ void multiply_by_warps(float (&d)[128], const uint32_t (&of_a)[4],
                                                  const uint32_t (&of_b)[32]) {
    FX_UNROLL for (int i = 0; i < 32; i++) {
        asm volatile FX_MMA("m16n8k16.row.col.f32.f16.f16.f32", &d[4 * i], of_a, of_b[2 * i % 32],
                            of_b[2 * i % 32 + 1]);
    }
}

enum { PASS_CYCLES = 32000 };

typedef struct work {
    uint64_t seed;
    uint32_t steps; /* products of all passes together */
} work;

__device__ __forceinline__ int value_of_b(uint64_t seed, uint32_t k, uint32_t column) {
    return (int)(fx_random_word(seed, k * MOST_COLUMNS + column) % 3) - 1;
}
/* A's row has one value that is not 0. */
__device__ __forceinline__ uint32_t place_in_row(uint64_t seed, uint32_t row, uint32_t depth) {
    return fx_random_word(seed, 100000 + row) % depth;
}
__device__ __forceinline__ int value_of_a(uint64_t seed, uint32_t row) {
    return fx_random_word(seed, 200000 + row) % 2 ? 1 : -1;
}

template <int TYPE_> __host__ __device__ constexpr uint32_t bytes_of(void) {
    return TYPE_ == FP16 || TYPE_ == BF16 || TYPE_ == FP16_SPARSE ? 2 : TYPE_ == TF32 ? 4 : 1;
}

/* The bits of -1, 0 or 1. */
template <int TYPE_> __device__ __forceinline__ uint32_t bits_of(int value) {
    constexpr uint32_t ONE = TYPE_ == FP16 || TYPE_ == FP16_SPARSE ? 0x3c00u
                             : TYPE_ == BF16                       ? 0x3f80u
                             : TYPE_ == TF32                       ? 0x3f800000u
                             : TYPE_ == E4M3                       ? 0x38u
                             : TYPE_ == E5M2                       ? 0x3cu
                                                                   : 1u;
    constexpr uint32_t MINUS = TYPE_ == INT8 ? 0xffu : ONE | 1u << (8 * bytes_of<TYPE_>() - 1);
    return value == 0 ? 0 : value > 0 ? ONE : MINUS;
}

/* Of k, that an instruction goes through in B. */
template <int TYPE_> __host__ __device__ constexpr uint32_t b_bytes_of(void) {
    return TYPE_ == FP16_SPARSE ? 2 * K_BYTES : K_BYTES;
}

__device__ __forceinline__ uint32_t place_of(uint32_t row, uint32_t byte, uint32_t k_bytes) {
    return row / 8 * 8 * k_bytes + byte / 16 * PIECE_BYTES + row % 8 * 16 + byte % 16;
}

/* The word of A, or of B turned, that begins at this byte of a row. */
template <int TYPE_> __device__ __forceinline__ uint32_t word_of(uint64_t seed, bool a, uint32_t row, uint32_t byte) {
    constexpr uint32_t BYTES = bytes_of<TYPE_>();
    uint32_t word = 0;
    FX_UNROLL for (uint32_t i = 0; i < 4; i += BYTES) {
        const uint32_t k = (byte + i) / BYTES;
        const int of_a = k == place_in_row(seed, row, K_BYTES / BYTES) ? value_of_a(seed, row) : 0;
        word |= bits_of<TYPE_>(a ? of_a : value_of_b(seed, k, row)) << 8 * i;
    }
    return word;
}

__device__ __forceinline__ uint64_t operand_at(uint32_t at, uint32_t k_bytes) {
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(PIECE_BYTES >> 4) << 16 | (uint64_t)(8 * k_bytes >> 4) << 32;
}

/* What element i of a lane must come to: pairs of columns, of its row and of the eighth after it. */
template <int TYPE_> __device__ __forceinline__ int sum_of(const work &w, uint32_t row, uint32_t lane, int i) {
    const uint32_t of_row = row + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    const uint32_t kept = place_in_row(w.seed, of_row, K_BYTES / bytes_of<TYPE_>());
    const uint32_t k = TYPE_ == FP16_SPARSE ? kept / 2 * 4 + kept % 2 : kept;
    return value_of_a(w.seed, of_row) * value_of_b(w.seed, k, column) * (int)w.steps;
}

template <int TYPE_, int COLUMNS_, int A_, int WAITS_>
__global__ void __launch_bounds__(COLUMNS_ == MOST_COLUMNS ? 2 * GROUP : 4 * GROUP) run(FX_TIMED_WITH(work, w)) {
    __shared__ __align__(128) uint32_t words[(A_BYTES + B_BYTES) / 4];
    using sum = typename std::conditional<TYPE_ == INT8, uint32_t, float>::type;
    constexpr int COUNT = COLUMNS_ / 2;
    const uint32_t lane = threadIdx.x % FX_WARP, row = threadIdx.x % GROUP / FX_WARP * 16 + lane / 4;
    constexpr uint32_t B_K = b_bytes_of<TYPE_>();
    for (uint32_t i = threadIdx.x; i < A_BYTES / 4; i += blockDim.x) {
        const uint32_t line = i / (K_BYTES / 4), byte = i % (K_BYTES / 4) * 4;
        words[place_of(line, byte, K_BYTES) / 4] = word_of<TYPE_>(w.seed, true, line, byte);
    }
    for (uint32_t i = threadIdx.x; i < COLUMNS_ * B_K / 4; i += blockDim.x) {
        const uint32_t line = i / (B_K / 4), byte = i % (B_K / 4) * 4;
        words[(A_BYTES + place_of(line, byte, B_K)) / 4] = word_of<TYPE_>(w.seed, false, line, byte);
    }
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(words);
    const uint64_t at_a = operand_at(at, K_BYTES), at_b = operand_at(at + A_BYTES, B_K);
    uint32_t of_a[4];
    FX_UNROLL for (uint32_t i = 0; i < 4; i++) {
        of_a[i] = word_of<TYPE_>(w.seed, true, row + i % 2 * 8, lane % 4 * 4 + i / 2 * 16);
    }
    sum d[COUNT];
    FX_UNROLL for (int i = 0; i < COUNT; i++) {
        d[i] = 0;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        FX_UNROLL for (int s = 0; s < (WAITS_ ? ALONE_STEPS : STEPS); s++) {
            if (WAITS_ || s == 0) {
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            }
            multiply<TYPE_, COLUMNS_, A_>(d, of_a, at_a, at_b);
            if (WAITS_) {
                asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
            }
        }
        if (!WAITS_) {
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
        }
#endif
    };
    const auto drain = [&] {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    };
    fx_timed_passes(timed, marks, FX_ALL_LANES, trip, drain);
    fx_timed_end_all<COUNT>(timed, marks, [&](int i) { return d[i] != (sum)sum_of<TYPE_>(w, row, lane, i); });
}

/* The same products by mma.sync, each warp its 16 rows. Columns from 128 on are those before them, for lack of
 * registers. */
__global__ static void __launch_bounds__(2 * GROUP) run_mma(FX_TIMED_WITH(work, w)) {
    const uint32_t lane = threadIdx.x % FX_WARP, row = threadIdx.x % GROUP / FX_WARP * 16 + lane / 4;
    uint32_t of_a[4], of_b[MOST_COLUMNS / 8];
    float d[MOST_COLUMNS / 2];
    FX_UNROLL for (uint32_t i = 0; i < 4; i++) {
        of_a[i] = word_of<FP16>(w.seed, true, row + i % 2 * 8, lane % 4 * 4 + i / 2 * 16);
    }
    FX_UNROLL for (uint32_t i = 0; i < MOST_COLUMNS / 8; i++) {
        of_b[i] = word_of<FP16>(w.seed, false, i / 2 * 8 + lane / 4, lane % 4 * 4 + i % 2 * 16);
    }
    FX_UNROLL for (int i = 0; i < MOST_COLUMNS / 2; i++) {
        d[i] = 0;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) { multiply_by_warps(d, of_a, of_b); });
    const auto is_wrong = [&](int i) { return d[i] != (float)sum_of<FP16>(w, row, lane, i % (MOST_COLUMNS / 4)); };
    fx_timed_end_all<MOST_COLUMNS / 2>(timed, marks, is_wrong);
}

/* Products of a trip. */
static int steps_of(const fx_params *params) {
    return params->value[TYPE] == FP16_MMA ? 1 : params->value[MODE] == LATENCY ? ALONE_STEPS : STEPS;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t groups = c->params.value[GROUPS];
    const bool waits = c->params.value[MODE] == LATENCY;
    const int steps = steps_of(&c->params);
    rig->warps = (unsigned)groups * GROUP / FX_WARP;
    rig->pass_cycles = PASS_CYCLES;
    /* A product is one of four warps. */
    rig->accesses = steps * FX_WARP / (double)GROUP;
    rig->trip_cycles = (waits ? steps * 130.0 : steps * (double)groups * 16) + steps * c->prediction.count;
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    w->steps = (uint32_t)fx_timed_steps(&rig->timed, (uint32_t)steps_of(&c->params), 1u << 30);
    return FX_OK;
}
#endif

#define BOTH(where, type, columns, from, code)                                                                         \
    FX_TIMED_FROM(-90, "mode=throughput " where, FX_K(run, type, columns, from, THROUGHPUT), {code, STEPS}),           \
        FX_TIMED_FROM(-90, "mode=latency " where, FX_K(run, type, columns, from, LATENCY), {code, ALONE_STEPS})
#define OF_FP16(columns, a, from)                                                                                      \
    BOTH("type=fp16 columns=" #columns " a=" a, FP16, columns, from, "HGMMA.64x" #columns "x16.F32")
#define ROW(columns)             OF_FP16(columns, "shared", A_SHARED), OF_FP16(columns, "registers", A_REGISTERS)
#define ROW_OF(name, type, code) BOTH("type=" name, type, MOST_COLUMNS, A_SHARED, code)
#define SPARSE(a, from)          BOTH("type=fp16_sparse a=" a, FP16_SPARSE, MOST_COLUMNS, from, "HGMMA.SP.64x256x32.F32")

static const fx_kernel kernels[] = {
    ROW(8),
    ROW(16),
    ROW(32),
    ROW(64),
    ROW(128),
    ROW(256),
    ROW_OF("bf16", BF16, "HGMMA.64x256x16.F32.BF16"),
    ROW_OF("tf32", TF32, "HGMMA.64x256x8.F32.TF32"),
    ROW_OF("e4m3", E4M3, "QGMMA.64x256x32.F32.E4M3.E4M3"),
    ROW_OF("e5m2", E5M2, "QGMMA.64x256x32.F32.E5M2.E5M2"),
    ROW_OF("int8", INT8, "IGMMA.64x256x32.S8.S8"),
    SPARSE("shared", A_SHARED),
    SPARSE("registers", A_REGISTERS),
    FX_TIMED_FROM(-90, "type=fp16_mma", FX_K(run_mma), {"HMMA.16816.F32", 32}),
};

FX_PROBE(tensor_cores, .question = "How fast are Hopper's tensor cores, by type, shape and place of the operands?",
         .method_version = 1, FX_PARTS, .fit_by = "type", .supported = supported, .draw = FX_GPU(draw))
