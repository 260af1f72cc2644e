/* matrix_multiply: what does each step bring from the naive matrix product to the library's? Method: C = A x B of n x n
 * matrices, row by row in memory, by one kernel after another, up to cuBLAS where it is found. Inputs are redrawn for
 * each sample, and the result is compared with double precision (check.cuh). */
#include "shape.h"

static const fx_axis axes[] = {
    {"variant", "",
     "kernel: one thread per element with its lanes along rows or "
     "columns of C, tiles in shared memory, 16 or 8 x 8 elements per "
     "thread with one or both operands there, asynchronous copies, "
     "tensor cores by mma, by wgmma with tensor copies, cuBLAS",
     "rows columns tile16 tile32 tile32_padded one_shared both_shared async bulk tensor wgmma cublas", 0, 0, COLUMNS},
    {"b", "", "B as stored, transposed beforehand, or transposed by a kernel before each product",
     "plain transposed first", 0, 0, PLAIN},
    {"type", "", "type of A and B; products are summed in FP32, of fp64 in FP64, of int8 in 32-bit integers",
     "fp32 tf32 fp16 fp64 int8 fp8", 0, 0, FP32},
    {"n", "elements", "rows and columns of the matrices, a multiple of 128", NULL, 128, 8192, 1024},
};

static const fx_sweep sweeps[] = {
    {"order", "variant=rows,columns b=plain,transposed,first type=fp32 n=512",
     "variant=rows,columns b=plain,transposed type=fp32 n=512"},
    {"tile", "variant=tile32,tile32_padded b=plain,transposed type=fp32 n=2048",
     "variant=tile32,tile32_padded b=transposed type=fp32 n=512"},
    {"ladder", "variant=rows,columns,tile16,tile32,one_shared,both_shared,async,bulk,cublas b=plain type=fp32 n=2048",
     "variant=tile32,one_shared,both_shared,async,bulk b=plain type=fp32 n=512"},
    {"size", "variant=both_shared,async,bulk,cublas b=plain type=fp32 n=1024,4096", NULL},
    {"large", "variant=async,cublas b=plain type=fp32 n=8192", NULL},
    {"tensor", "variant=tensor,cublas b=plain type=tf32,fp16 n=2048,4096,8192",
     "variant=tensor b=plain type=fp16 n=512"},
    {"library", "variant=cublas b=plain type=fp64 n=4096,8192", NULL},
    {"bytes", "variant=cublas b=transposed type=int8,fp8 n=4096,8192", NULL},
    {"hopper", "variant=wgmma b=plain type=fp16 n=2048,4096,8192", "variant=wgmma b=plain type=fp16 n=512"},
};

static const fx_metric metrics[] = {{"product_ns", "ns", FX_GPU_NS, false, "matrix product"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double n = (double)params->value[SIDE];
    if (is_naive(params)) {
        fx_lanes a, b;
        fx_lanes_stride(&a, 4, walk_of_a(params).lane, 0);
        fx_lanes_stride(&b, 4, walk_of_b(params).lane, 0);
        /* Of one warp at one step. */
        out->law = "sectors";
        out->count = fx_law_blocks(&a, 4, facts->geometry.sector_bytes);
        out->count += fx_law_blocks(&b, 4, facts->geometry.sector_bytes);
        out->why_not = "there are only two counts, and the L1 may keep strided lines for later steps";
    } else {
        out->law = "multiply_adds";
        out->count = n * n * n;
        out->why_not = "the bottleneck of a product changes with its size";
    }
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t variant = p->value[VARIANT], b = p->value[STORED], type = p->value[TYPE];
    return p->value[SIDE] % 128 != 0         ? "n must be a multiple of 128"
           : b == FIRST && variant > COLUMNS ? "b=first needs variant=rows or columns"
           : (type == INT8 || type == FP8) != (b == TRANSPOSED && variant == CUBLAS)
               ? "type=int8 and fp8 need variant=cublas b=transposed, the one layout that has fast kernels for them, "
                 "and other types have variant=cublas b=plain"
           : b == TRANSPOSED && variant > COLUMNS && variant != TILE32 && variant != TILE32_PADDED && variant != CUBLAS
               ? "b=transposed needs variant=rows, columns, tile32 or tile32_padded"
           : type == FP64 && variant != CUBLAS ? "type=fp64 needs variant=cublas"
           : type == FP8 && facts->compute_major * 10 + facts->compute_minor < 89
               ? "type=fp8 needs compute capability 8.9"
           : type == FP32 && variant == TENSOR ? "variant=tensor needs type=tf32 or fp16"
           : variant == WGMMA && (type != FP16 || p->value[SIDE] % (2 * WGMMA_ROWS) != 0)
               ? "variant=wgmma needs type=fp16 and n to be a multiple of 256"
           : variant == WGMMA && facts->compute_major != 9
               ? "variant=wgmma needs compute capability 9.0: only Hopper has this instruction"
           : type != FP32 && variant < TENSOR ? "type=tf32 and fp16 need variant=tensor, wgmma (fp16) or cublas"
           : facts->compute_major < 8 && (variant == ASYNC || variant == TENSOR || type == TF32)
               ? "variant=async, variant=tensor and type=tf32 need compute capability 8.0"
           : variant == BULK && facts->compute_major < 9 ? "variant=bulk needs compute capability 9.0"
                                                         : NULL;
}

#ifdef FX_WITH_CUDA
#include <math.h>

#include "../../aids.h"
#include "check.cuh"
#include "cublas.h"
#include "products.cuh"
#include "tensor.cuh"
#include "wgmma.cuh"

enum { POISON = 0xff /* every word a NaN */, MOST_OF_ALL = 512 /* n up to which every element is compared */ };

/* What the kernels get, and what the host keeps. */
typedef struct work {
    task t;
    void *a, *b;
    float *flipped;    /* NULL: not needed */
    uint32_t as, c_as; /* how elements are stored */
    uint32_t turned;   /* B by columns */
    double *y, *z;     /* B x and C x */
    void *cublas;
    uint64_t seed; /* of the sample */
    double allowed;
    int products;                  /* N */
    bool first;                    /* B is transposed before each product */
    uint64_t map_a[16], map_b[16]; /* of wgmma, as the driver made them */
    bool proved;                   /* the check has found an element that was made wrong */
} work;

static fx_status launch_flip(fx_rig *rig, work *w, fx_error *err) {
    const unsigned tiles = w->t.n / FX_WARP;
    return fx_rig_aid(rig, "flip", tiles * tiles, NAIVE_THREADS, fx_arguments{&w->b, &w->flipped, &w->t.n}, err);
}

static fx_status multiply(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    static const cublas_product products[] = {
        {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_N},
        {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_N},
        {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_N},
        {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUBLAS_N},
        {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUBLAS_T},
        {CUDA_R_8F_E4M3, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_T},
    };
    void *arguments[] = {&w->t, w->map_a, w->map_b};
    if (w->cublas) {
        return cublas_multiply(w->cublas, &products[c->params.value[TYPE]], w->a, w->b, w->t.c, w->t.n,
                               rig->gpu->stream, err);
    }
    return fx_gpu_launch_clusters(rig->gpu, rig->work->entry.address, c->params.value[VARIANT] == WGMMA ? 2 : 1,
                                  rig->blocks, rig->warps * FX_WARP, rig->shared_bytes, arguments, err);
}

/* What the launch before left behind must not pass for this one's work. N and 2N products are poisoned equally, so
 * its time cancels. */
static fx_status launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const size_t bytes = (size_t)w->t.n * w->t.n * sizeof(float);
    FX_TRY_CUDA(cudaMemsetAsync(w->t.c, POISON, w->c_as == AS_DOUBLE ? 2 * bytes : bytes, rig->gpu->stream));
    if (w->first) {
        FX_TRY_CUDA(cudaMemsetAsync(w->flipped, POISON, bytes, rig->gpu->stream));
    }
    for (int i = 0; i < (1 + which) * w->products; i++) {
        FX_TRY(w->first ? launch_flip(rig, w, err) : FX_OK);
        FX_TRY(multiply(rig, c, w, err));
    }
    return FX_OK;
}

/* How many rows, or elements, of C are not what they must be. */
static fx_status count_wrong(fx_rig *rig, work *w, unsigned long long *wrong, fx_error *err) {
    const uint32_t n = w->t.n, none = 0;
    const unsigned per_row = n / (CHECK_THREADS / FX_WARP), per_element = n * n / CHECK_THREADS;
    uint64_t signs = fx_mix(w->seed);
    void *of_b[] = {&w->b, &w->as, &w->turned, (void *)&n, &signs, &w->y},
         *of_c[] = {&w->t.c, &w->c_as, (void *)&none, (void *)&n, &signs, &w->z};
    void *rows[] = {&w->a, &w->as, (void *)&n, &w->y, &w->z, &w->allowed, &rig->sums};
    void *all[] = {&w->a, &w->b, &w->as, &w->turned, (void *)&n, &w->t.c, &w->c_as, &w->allowed, &rig->sums};
    if (n <= MOST_OF_ALL) {
        FX_TRY(fx_rig_aid(rig, "compare_elements", per_element, CHECK_THREADS, all, err));
    } else {
        FX_TRY(fx_rig_aid(rig, "times_signs", per_row, CHECK_THREADS, of_b, err));
        FX_TRY(fx_rig_aid(rig, "times_signs", per_row, CHECK_THREADS, of_c, err));
        FX_TRY(fx_rig_aid(rig, "compare_rows", per_row, CHECK_THREADS, rows, err));
    }
    return fx_rig_take_sum(rig, wrong, err);
}

/* However many products were made, C is one of them. Once in each case an element is made wrong by three times what is
 * allowed, to see that the check finds it. */
static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    unsigned long long wrong = 0;
    FX_TRY(count_wrong(rig, w, &wrong, err));
    FX_FAIL_IF(wrong > 0, err, FX_WRONG_RESULT,
               "%llu %s of the product differ from double precision by more than %.3g: the case is discarded; "
               "report it if it persists",
               wrong, w->t.n <= MOST_OF_ALL ? "elements" : "row sums", w->allowed);
    if (!w->proved) {
        uint32_t at = (uint32_t)(fx_random_at(w->seed, 1) % ((uint64_t)w->t.n * w->t.n));
        double by = 3 * w->allowed;
        FX_TRY(fx_rig_aid(rig, "spoil", 1, 1, fx_arguments{&w->t.c, &w->c_as, &at, &by}, err));
        FX_TRY(count_wrong(rig, w, &wrong, err));
        FX_FAIL_IF(wrong != 1, err, FX_WRONG_RESULT,
                   "the check counts %llu wrong results where one element was corrupted: report it", wrong);
        w->proved = true;
    }
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const int64_t type = c->params.value[TYPE];
    uint32_t count = w->t.n * w->t.n, cut = type == FP32 ? WHOLE_BITS : TEN_BITS;
    uint64_t seed_a = fx_random_at(seed, 0), seed_b = fx_random_at(seed, 1);
    void *of_a[] = {&w->a, &count, &w->as, &cut, &seed_a}, *of_b[] = {&w->b, &count, &w->as, &cut, &seed_b};
    FX_TRY(aid(rig, "fill_values", of_a, err));
    FX_TRY(aid(rig, "fill_values", of_b, err));
    w->seed = seed;
    return w->flipped ? launch_flip(rig, w, err) : FX_OK;
}

/* Multiply-adds of one SM and cycle: CUDA C++ Programming Guide, Arithmetic Instructions; of tensor cores NVIDIA's
 * papers on the A100 and the H100. 0: not known here. */
static double peak_of(const fx_facts *facts, int64_t type) {
    const int of = facts->compute_major * 10 + facts->compute_minor;
    if (type == FP32) {
        return of == 75 || of == 80 ? 64 : of >= 86 ? 128 : 0;
    }
    static const double of_fp16[] = {0, 0.5, 1, 0.0625, 2, 2};
    return (of == 80 ? 1024.0 : of == 90 ? 2048.0 : 0) * of_fp16[type];
}

static fx_status report(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err) {
    const fx_facts *facts = &rig->gpu->facts;
    const int64_t type = c->params.value[TYPE];
    const double n = (double)c->params.value[SIDE], width = bytes_of(type);
    const double per_us = peak_of(facts, type) * facts->sm_count * out->sm_clock_MHz;
    out->extra[0] = 2e-3 * n * n * n / out->value;
    out->extra[1] = per_us > 0 ? 100 * 1e3 * n * n * n / out->value / per_us : (double)NAN;
    out->extra[2] = facts->memory_peak_GBps > 0 ? 100 * n * n * (2 * width + 4) / out->value / facts->memory_peak_GBps
                                                : (double)NAN;
    return FX_OK;
}

/* N: so many that the shorter launch takes some 0.3 ms on a large chip. */
static int products_of(const fx_case *c) {
    const double n = (double)c->params.value[SIDE], steps = n * n * n / FX_WARP;
    const double work =
        is_naive(&c->params) ? steps * c->prediction.count : steps / (c->params.value[TYPE] == FP32 ? 1 : 8);
    return work > 0x1p28 ? 1 : work > 0x1p24 ? (int)(0x1p28 / work) : 16;
}

static fx_status allocate(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    const size_t elements = (size_t)w->t.n * w->t.n, bytes = elements * bytes_of(c->params.value[TYPE]);
    FX_TRY(fx_rig_memory(rig, &w->a, FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->b, FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->t.c, FX_DEVICE_MEMORY, elements * (w->c_as == AS_DOUBLE ? 8 : 4), 0, err));
    if (c->params.value[STORED] != PLAIN && !w->turned) {
        FX_TRY(fx_rig_memory(rig, &w->flipped, FX_DEVICE_MEMORY, elements * sizeof *w->flipped, 0, err));
    }
    FX_TRY(fx_rig_memory(rig, &w->y, FX_DEVICE_MEMORY, w->t.n * sizeof *w->y, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->z, FX_DEVICE_MEMORY, w->t.n * sizeof *w->z, 0, err));
    return fx_rig_sums(rig, NULL, err);
}

/* Rounding: a sum of n products of numbers uniform in [-1, 1) is off by some 0.1 x 2^-24 n in FP32 (one standard
 * deviation; ten times that in the worst of 65,000 elements), a sum of n of these with random signs by sqrt(n) times
 * that. Twenty of them are allowed, and eight times as many where tensor cores cut off what rounding would keep. In
 * FP64 the same of 2^-53. Sums of INT8 and of multiples of 1/64, the products of our FP8, are exact. */
static double allowed_of(const fx_case *c) {
    static const double steps[] = {0x1p-23, 0x1p-20, 0x1p-20, 0x1p-52};
    const int64_t type = c->params.value[TYPE];
    if (type >= INT8) {
        return type == INT8 ? 0.5 : 0x1p-7;
    }
    const double n = (double)c->params.value[SIDE], element = steps[type] * n;
    return c->params.value[SIDE] <= MOST_OF_ALL ? element : element * sqrt(n);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t variant = c->params.value[VARIANT];
    const uint32_t n = (uint32_t)c->params.value[SIDE], tiles = n / BOTH_SIDE;
    const walk columns = {1, n, 0}, rows = {n, 1, 0};
    work *w = FX_ARGUMENT(rig, work);
    FX_TRY(variant == CUBLAS ? cublas_open(rig, &w->cublas, err) : FX_OK);
    static const uint32_t stored[] = {AS_FLOAT, AS_FLOAT, AS_HALF, AS_DOUBLE, AS_INT8, AS_FP8};
    const int64_t type = c->params.value[TYPE];
    w->as = stored[type];
    w->c_as = type == FP64 ? AS_DOUBLE : type == INT8 ? AS_INT32 : AS_FLOAT;
    w->turned = type == INT8 || type == FP8;
    w->t.n = n;
    w->t.scale = 1;
    FX_TRY(allocate(rig, c, w, err));
    w->t.a = w->a;
    w->t.b = w->flipped ? w->flipped : w->b;
    w->t.strip = tiles % STRIP == 0 ? STRIP : tiles & (0 - tiles);
    w->first = c->params.value[STORED] == FIRST;
    w->products = products_of(c);
    w->allowed = allowed_of(c);
    if (is_naive(&c->params)) {
        w->t.to_a = walk_of_a(&c->params);
        w->t.to_b = walk_of_b(&c->params);
        w->t.to_c = variant == COLUMNS ? columns : rows;
        rig->carveout_pct = 0;
    }
    if (variant != CUBLAS) {
        const shape s = shapes[variant];
        rig->warps = s.threads / FX_WARP;
        rig->blocks = n / s.rows * (n / s.columns);
        rig->shared_bytes = s.shared_bytes;
    }
    if (variant == WGMMA) {
        FX_TRY(wgmma_maps(w->a, w->b, n, w->map_a, w->map_b, err));
        rig->blocks = (unsigned)rig->gpu->facts.sm_count / 2 * 2; /* one per SM */
        w->t.strip = WGMMA_STRIP;
    }
    rig->units = w->products;
    rig->launch = launch;
    rig->check = check;
    rig->report = report;
    return FX_OK;
}
#endif

#define TILE32(where, pitch, flipped)                                                                                  \
    FX_TIMED(where, FX_K(tiled, 32, pitch, flipped), {"FFMA", 32}, {"LDS", 32}, {"LDS.128", 8}, {"LDG.E", 2})

/* The code of each as a whole: what is not timed apart reads no clock. */
static const fx_kernel kernels[] = {
    FX_TIMED("variant=rows,columns", FX_K(naive), {"LDG.E", 8}, {"FFMA", 4}, {"STG.E", 1}),
    FX_TIMED("variant=tile16", FX_K(tiled, 16, 16, 0), {"FFMA", 16}, {"LDS", 16}, {"LDS.128", 4}, {"LDG.E", 2}),
    TILE32("variant=tile32 b=plain", 32, 0),
    TILE32("variant=tile32 b=transposed", 32, 1),
    TILE32("variant=tile32_padded b=plain", 33, 0),
    TILE32("variant=tile32_padded b=transposed", 33, 1),
    FX_TIMED("variant=one_shared", FX_K(one_shared), {"FFMA", 256}, {"LDS.128", 64}, {"LDG.E", 16}, {"LDG.E.128", 1}),
    FX_TIMED("variant=both_shared", FX_K(both_shared, BY_LOADS), {"FFMA", 1024}, {"LDS.128", 64}, {"LDG.E.128", 4},
             {"STS.128", 4}),
    FX_TIMED_FROM(80, "variant=async", FX_K(both_shared, BY_ASYNC), {"FFMA", 1024}, {"LDS.128", 64},
                  {"LDGSTS.E.BYPASS.128", 0}),
    FX_TIMED_FROM(90, "variant=bulk", FX_K(both_shared, BY_BULK), {"FFMA", 1024}, {"LDS.128", 64}, {"UBLKCP.S.G", 0}),
    FX_TIMED_FROM(80, "variant=tensor type=fp16", FX_K(tensor, FP16_BYTES), {"HMMA.16816.F32", 64},
                  {"LDSM.16.M88.4", 12}, {"LDSM.16.MT88.4", 12}, {"LDGSTS.E.BYPASS.LTC128B.128", 0}),
    FX_TIMED_FROM(80, "variant=tensor type=tf32", FX_K(tensor, TF32_BYTES), {"HMMA.1688.F32.TF32", 64},
                  {"LDSM.16.M88.4", 12}, {"LDGSTS.E.BYPASS.LTC128B.128", 0}),
    FX_TIMED_FROM(-90, "variant=wgmma", FX_K(wgmma), {"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D", 1},
                  {"UTMALDG.3D.MULTICAST", 1}, {"STG.E.64", 64}),
    FX_TIMED("variant=cublas", FX_NO_KERNEL),
    FX_AIDED("", FX_K(flip)),
    FX_AIDED("", FX_K(fill_values)),
    FX_AIDED("", FX_K(times_signs)),
    FX_AIDED("", FX_K(compare_rows)),
    FX_AIDED("", FX_K(compare_elements)),
    FX_AIDED("", FX_K(spoil)),
};

/* Two loads a step. */
static const fx_counter counters[] = {
    {"variant=rows,columns b=plain,transposed", NULL, 0.5, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "smsp__inst_executed_op_global_ld.sum", 0.01, 0.02},
};

FX_PROBE(matrix_multiply,
         .question = "How much does each optimisation gain between a naive matrix product and the library?",
         .method_version = 1, FX_PARTS, .extras = "arithmetic_TFLOPs arithmetic_pct memory_pct", .supported = supported,
         .draw = FX_GPU(draw), FX_TABLE(counters), .sanitized = "n=128")
