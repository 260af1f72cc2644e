/* The loads of the effects of power: a copy within device memory, multiply-adds of floats, and products of bf16
 * matrices, on data of a kind. The kernels, and what they need of memory, operands and references. */
#pragma once

#include "core/probe.h"
#include "core/random.h"

enum { COPY, FMA, MMA };
enum { ZEROS, ONES, SPARSE, RANDOM };

enum { TASK }; /* the first axis */
enum { COPY_NS, PRODUCT_NS };

static const uint64_t COPY_BYTES = (uint64_t)1 << 30;

#define LOAD_HELP "copy of 1 GiB within device memory, multiply-add of floats, or product of bf16 matrices"
#define LOAD_AXIS {"task", "", LOAD_HELP, "copy fma mma", 0, 0, COPY}

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "copy"},
    {"product_ns", "ns", FX_GPU_NS, false, "matrix product"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->metric = params->value[TASK] == COPY ? COPY_NS : PRODUCT_NS;
    if (params->value[TASK] == COPY) {
        out->useful_bytes = 2 * (double)COPY_BYTES; /* what is read and what is written */
        fx_prediction_count(out, "dram", 1);
    }
}

static inline const char *load_supported(const fx_facts *facts, int64_t task) {
    return task == MMA && facts->compute_major < 8 ? "task=mma needs compute capability 8.0"
           : task == COPY && facts->memory_bytes > 0 && facts->memory_bytes < 4 * COPY_BYTES
               ? "task=copy: two buffers of 1 GiB would take more than half of the device's memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include <string.h>

#include "gpu/matrix.cuh"
#include "gpu/rig.h"
#include "gpu/timed.cuh"
#include "series.h"

enum { THREADS = 512, TRIPS = 64, PASSES = 64 };     /* of products: one block on each SM */
enum { TILE = 8, SUMS = TILE * TILE };               /* of a thread: 8 x 8 floats, or 4 x 4 fragments of 4 */
enum { FRAGMENTS = 4, A_WORDS = 4, B_WORDS = 2 };    /* of m16n8k16, words of a lane */
enum { OPERANDS = FRAGMENTS * (A_WORDS + B_WORDS) }; /* words of a thread, the larger of both products */
enum { MMA_FLOPS = 2 * 16 * 8 * 16, FMA_FLOPS = 2 }; /* of a warp's instruction, of a lane's */
enum { COPY_BLOCKS_PER_SM = 2, QUADS = 4, CHUNKS_PER_PASS = 16 };
enum { CHUNK_BYTES = THREADS * QUADS * sizeof(uint4) }; /* a block's share of a trip */
enum { SEED = 11, POISON = 0x5a };

/* How a word holds its value: any bits, a float, or two bf16. */
enum { BITS, FLOAT, PAIR };

/* Word i of the data. Random floats lie in [0.5, 2) and its negative: one bit of the exponent is random, and all of the
 * fraction and the sign; so no sum of a pass comes near the end of the range. */
__host__ __device__ static inline uint32_t datum(int data, int form, uint64_t i) {
    const uint32_t bits = fx_random_word(SEED, i), coin = fx_random_word(~(uint64_t)SEED, i);
    const uint32_t value = form == BITS    ? bits
                           : form == FLOAT ? (bits & 0x80ffffffu) | 0x3f000000u
                                           : (bits & 0x80ff80ffu) | 0x3f003f00u;
    const uint32_t kept =
        form == PAIR ? (coin & 1) * 0xffffu | (coin >> 1 & 1) * 0xffff0000u : (coin & 1) * 0xffffffffu;
    return data == ZEROS    ? 0
           : data == ONES   ? form == PAIR ? 0x3f803f80u : 0x3f800000u
           : data == SPARSE ? value & kept
                            : value;
}

__global__ static void fill_data(uint32_t *words, uint64_t count, int data, int form) {
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        words[i] = datum(data, form, i);
    }
}

__global__ static void count_right(const uint32_t *words, uint64_t count, int data, meter *m) {
    unsigned long long mine = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        mine += words[i] == datum(data, BITS, i);
    }
    for (int step = FX_WARP / 2; step > 0; step /= 2) {
        mine += __shfl_xor_sync(FX_ALL_LANES, mine, step);
    }
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd(&m->right, mine);
    }
}

/* One thread of the grid reports how long it was at work. */
__device__ __forceinline__ void report(meter *m, uint64_t cycles, uint64_t begun_ns) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        atomicAdd(&m->cycles, (unsigned long long)cycles);
        atomicAdd(&m->ns, (unsigned long long)(fx_globaltimer() - begun_ns));
        m->begun_ns = begun_ns;
    }
}

__device__ __forceinline__ void report_right(meter *m, bool right) {
    const unsigned lanes = __ballot_sync(FX_ALL_LANES, right);
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd(&m->right, (unsigned long long)__popc(lanes));
    }
}

/* The clock is read after each pass, so that there is a loop between clock reads whose machine code can be checked. */
__global__ static void __launch_bounds__(THREADS) copy_data(const uint4 *from, uint4 *to, uint32_t chunks, meter *m) {
    const uint64_t first_ns = fx_globaltimer(), first = fx_clock();
    const uint64_t place = blockIdx.x * (uint64_t)(THREADS * QUADS) + threadIdx.x;
    const uint64_t pitch = gridDim.x * (uint64_t)(THREADS * QUADS);
    uint64_t now = first;
    from += place;
    to += place;
    FX_NO_UNROLL for (uint32_t chunk = blockIdx.x; chunk < chunks;) {
        const uint32_t end = min(chunk + CHUNKS_PER_PASS * gridDim.x, chunks);
        FX_NO_UNROLL for (; chunk < end; chunk += gridDim.x) {
            uint4 part[QUADS];
            FX_UNROLL for (int q = 0; q < QUADS; q++) {
                part[q] = from[q * THREADS];
            }
            FX_UNROLL for (int q = 0; q < QUADS; q++) {
                to[q * THREADS] = part[q];
            }
            from += pitch;
            to += pitch;
        }
        now = fx_clock();
    }
    report(m, now - first, first_ns);
}

/* A pass adds up TRIPS products from zero, and folds the sums into the thread's check word. The kernels are told the
 * number at run time, or sm_80's assembler unrolls the loop, reorders it, and gives each product the operands of the
 * last. */
__device__ __forceinline__ uint32_t fold(uint32_t check, float sum) {
    return 31 * check + __float_as_uint(sum);
}

__device__ __forceinline__ void fma_asm(float *sum, float a, float b) {
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(*sum) : "f"(a), "f"(b));
}

/* Each of 8 operands with each of 8 others. */
__global__ static void __launch_bounds__(THREADS)
    multiply_fma(const float *operands, uint32_t trips, const uint32_t *expected, meter *m) {
    const uint64_t first_ns = fx_globaltimer(), first = fx_clock();
    float a[TILE], b[TILE], sum[TILE][TILE];
    uint32_t check = threadIdx.x;
    uint64_t now = first;
    FX_UNROLL for (int i = 0; i < TILE; i++) {
        a[i] = operands[i * THREADS + threadIdx.x];
        b[i] = operands[(TILE + i) * THREADS + threadIdx.x];
    }
    FX_NO_UNROLL for (int pass = 0; pass < PASSES; pass++) {
        FX_UNROLL for (int i = 0; i < SUMS; i++) {
            sum[i / TILE][i % TILE] = 0;
        }
        FX_NO_UNROLL for (uint32_t trip = 0; trip < trips; trip++) {
            FX_UNROLL for (int i = 0; i < SUMS; i++) {
                fma_asm(&sum[i / TILE][i % TILE], a[i / TILE], b[i % TILE]);
            }
        }
        FX_UNROLL for (int i = 0; i < SUMS; i++) {
            check = fold(check, sum[i / TILE][i % TILE]);
        }
        now = fx_clock();
    }
    report(m, now - first, first_ns);
    report_right(m, check == expected[threadIdx.x]);
}

/* One 16 x 16 by 16 x 8 product of bf16, added to 16 x 8 floats. */
__device__ __forceinline__ void mma_asm(float *sum, const uint32_t *a, const uint32_t *b) {
    asm volatile FX_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", sum, a, b[0], b[1]);
}

/* Each of 4 fragments with each of 4 others. */
__global__ static void __launch_bounds__(THREADS)
    multiply_mma(const uint32_t *operands, uint32_t trips, const uint32_t *expected, meter *m) {
    const uint64_t first_ns = fx_globaltimer(), first = fx_clock();
    uint32_t a[FRAGMENTS][A_WORDS], b[FRAGMENTS][B_WORDS], check = threadIdx.x;
    float sum[FRAGMENTS * FRAGMENTS][4];
    uint64_t now = first;
    FX_UNROLL for (int i = 0; i < FRAGMENTS * A_WORDS; i++) {
        a[i / A_WORDS][i % A_WORDS] = operands[i * THREADS + threadIdx.x];
    }
    FX_UNROLL for (int i = 0; i < FRAGMENTS * B_WORDS; i++) {
        b[i / B_WORDS][i % B_WORDS] = operands[(FRAGMENTS * A_WORDS + i) * THREADS + threadIdx.x];
    }
    FX_NO_UNROLL for (int pass = 0; pass < PASSES; pass++) {
        FX_UNROLL for (int i = 0; i < SUMS; i++) {
            sum[i / 4][i % 4] = 0;
        }
        FX_NO_UNROLL for (uint32_t trip = 0; trip < trips; trip++) {
            FX_UNROLL for (int i = 0; i < FRAGMENTS * FRAGMENTS; i++) {
                mma_asm(sum[i], a[i / FRAGMENTS], b[i % FRAGMENTS]);
            }
        }
        FX_UNROLL for (int i = 0; i < SUMS; i++) {
            check = fold(check, sum[i / 4][i % 4]);
        }
        now = fx_clock();
    }
    report(m, now - first, first_ns);
    report_right(m, check == expected[threadIdx.x]);
}

/* The oracle of both products: sum by sum, without a clock, a tile or an unrolled loop; since passes are identical, one
 * is computed and folded as often as there are passes. */
__global__ static void __launch_bounds__(THREADS)
    expect_product(const uint32_t *operands, int task, uint32_t *expected) {
    uint32_t bits[SUMS], check = threadIdx.x;
    const uint32_t *mine = operands + threadIdx.x;
    FX_NO_UNROLL for (int i = 0; i < SUMS; i += task == FMA ? 1 : 4) {
        float sum[4] = {0, 0, 0, 0};
        uint32_t a[A_WORDS], b[B_WORDS];
        for (int k = 0; k < A_WORDS; k++) {
            a[k] = mine[(task == FMA ? i / TILE : i / (4 * FRAGMENTS) * A_WORDS + k) * THREADS];
        }
        for (int k = 0; k < B_WORDS; k++) {
            b[k] =
                mine[(task == FMA ? TILE + i % TILE : FRAGMENTS * A_WORDS + i / 4 % FRAGMENTS * B_WORDS + k) * THREADS];
        }
        FX_NO_UNROLL for (int trip = 0; trip < TRIPS; trip++) {
            if (task == FMA) {
                sum[0] = __fmaf_rn(__uint_as_float(a[0]), __uint_as_float(b[0]), sum[0]);
            } else {
                mma_asm(sum, a, b);
            }
        }
        for (int k = 0; k < (task == FMA ? 1 : 4); k++) {
            bits[i + k] = __float_as_uint(sum[k]);
        }
    }
    FX_NO_UNROLL for (int i = 0; i < PASSES * SUMS; i++) {
        check = 31 * check + bits[i % SUMS];
    }
    expected[threadIdx.x] = check;
}

/* What a load works on. */
typedef struct load {
    int64_t task, data;
    char *from, *to;               /* copy: COPY_BYTES each */
    uint32_t *operands, *expected; /* products: by thread of a block */
} load;

static fx_status fill_load(fx_rig *rig, const load *l, void *words, uint64_t count, int form, fx_error *err) {
    int kind = (int)l->data;
    void *arguments[] = {&words, &count, &kind, &form};
    return fx_rig_aid(rig, "fill_data", 4 * (unsigned)rig->gpu->facts.sm_count, THREADS, arguments, err);
}

static fx_status take_copy(fx_rig *rig, load *l, fx_error *err) {
    FX_TRY(fx_rig_memory(rig, &l->from, FX_DEVICE_MEMORY, COPY_BYTES, 0, err));
    FX_TRY(fx_rig_memory(rig, &l->to, FX_DEVICE_MEMORY, COPY_BYTES, 0, err));
    return fill_load(rig, l, l->from, COPY_BYTES / sizeof(uint32_t), BITS, err);
}

/* Of zeros and ones the sums are known without a GPU: so the reference kernel itself is checked. */
static bool is_plausible(const load *l, const uint32_t *expected) {
    const float sum = l->data == ONES ? (float)(TRIPS * (l->task == FMA ? 1 : 16)) : 0;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t check = t;
        for (int i = 0; i < PASSES * SUMS; i++) {
            check = 31 * check + bits;
        }
        if (check != expected[t]) {
            return false;
        }
    }
    return true;
}

static fx_status take_product(fx_rig *rig, load *l, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    int which = (int)l->task;
    uint32_t host[THREADS];
    FX_TRY(fx_rig_memory(rig, &l->operands, FX_DEVICE_MEMORY, OPERANDS * sizeof host, 0, err));
    FX_TRY(fx_rig_memory(rig, &l->expected, FX_DEVICE_MEMORY, sizeof host, 0, err));
    FX_TRY(fill_load(rig, l, l->operands, (uint64_t)OPERANDS * THREADS, which == FMA ? FLOAT : PAIR, err));
    FX_TRY(fx_rig_aid(rig, "expect_product", 1, THREADS, fx_arguments{&l->operands, &which, &l->expected}, err));
    FX_TRY(fx_gpu_download(gpu, host, l->expected, sizeof host, err));
    FX_FAIL_IF((l->data == ZEROS || l->data == ONES) && !is_plausible(l, host), err, FX_WRONG_RESULT,
               "the product of %s is wrong", l->data == ONES ? "ones" : "zeros");
    return FX_OK;
}

/* The driver's counter of energy at the latest look. It moves in steps of some 100 ms, and a look takes 3 to 5 ms on a
 * busy machine, sometimes 20. */
typedef struct energy_watch {
    uint64_t mJ;
    double ns; /* 0: nobody looked */
} energy_watch;

static const double MOST_POLL_NS = 8e6;

/* Looks at it: whether it moved just now. A step that came while nobody looked has no time, and is left out. */
static bool energy_stepped(fx_gpu *gpu, energy_watch *w) {
    const energy_watch before = *w;
    if (!fx_gpu_energy_mJ(gpu, &w->mJ)) {
        return false;
    }
    w->ns = fx_now_ns();
    return before.ns > 0 && w->mJ != before.mJ && w->ns - before.ns < MOST_POLL_NS;
}

/* The launch, in the rig. */
static void shape_load(fx_rig *rig, int64_t task) {
    rig->warps = THREADS / FX_WARP;
    rig->blocks = (task == COPY ? COPY_BLOCKS_PER_SM : 1) * (unsigned)rig->gpu->facts.sm_count;
}

/* Memory, data and reference. */
static fx_status take_load(fx_rig *rig, load *l, int64_t task, int64_t data, fx_error *err) {
    l->task = task;
    l->data = data;
    shape_load(rig, task);
    return task == COPY ? take_copy(rig, l, err) : take_product(rig, l, err);
}

/* Queues a launch that reports to `m`. */
static fx_status launch_load(fx_rig *rig, load *l, meter *m, fx_error *err) {
    uint32_t chunks = (uint32_t)(COPY_BYTES / CHUNK_BYTES), trips = TRIPS;
    void *copy[] = {&l->from, &l->to, &chunks, &m}, *product[] = {&l->operands, &trips, &l->expected, &m};
    return fx_rig_launch(rig, rig->work->entry.address, rig->blocks, THREADS, l->task == COPY ? copy : product, err);
}

/* Counts the words of the copy that are what was copied into m->right. Queued. */
static fx_status count_load(fx_rig *rig, load *l, meter *m, fx_error *err) {
    uint64_t words = COPY_BYTES / sizeof(uint32_t);
    int data = (int)l->data;
    void *arguments[] = {&l->to, &words, &data, &m};
    return fx_rig_aid(rig, "count_right", 4 * (unsigned)rig->gpu->facts.sm_count, THREADS, arguments, err);
}

/* m->right after so many launches. */
static fx_status check_load(const fx_rig *rig, const load *l, unsigned launches, unsigned long long right,
                            fx_error *err) {
    const bool copy = l->task == COPY;
    FX_FAIL_IF(right != (copy ? COPY_BYTES / sizeof(uint32_t) : (uint64_t)launches * rig->blocks * THREADS), err,
               FX_WRONG_RESULT, "%s", copy ? "the copy differs from its source" : "a product is wrong");
    return FX_OK;
}
#endif

/* The rows of a probe whose axis `task` has the words copy, fma and mma. */
#define FX_LOAD_KERNELS                                                                                                \
    FX_TIMED("task=copy", FX_K(copy_data), {"LDG.E.128", 4}, {"STG.E.128", 4}),                                        \
        FX_TIMED("task=fma", FX_K(multiply_fma), {"FFMA", 64}),                                                        \
        FX_TIMED_FROM(80, "task=mma", FX_K(multiply_mma), {"HMMA.16816.F32.BF16", 16}), FX_AIDED("", FX_K(fill_data)), \
        FX_AIDED("task=copy", FX_K(count_right)), FX_AIDED("task=fma,mma", FX_K(expect_product)),
