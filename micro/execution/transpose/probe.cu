/* transpose: does it pay to transpose B before a matrix product?
 *
 * Method: the naive product C = A x B of n x n words modulo 2^32, a thread per element of C, no tiles, no shared
 * memory. Where an element of each matrix lies is data (its distance from lane to lane, from warp to warp and from step
 * to step), so one instruction stream serves B as it is, B transposed, and lanes along the rows or the columns of C.
 * What differs is the order in which B and A are read. A sample is the difference of N and 2N products by events, with
 * all matrices warm. The oracle is exact: the sum over C is the sum over k of (column k of A) times (row k of B). The
 * claim under test is a lecture's: on a CPU the columns of B are read against the grain, and transposing helps. */
#include "core/probe.h"

enum { B, LANES, SIDE };
enum { PLAIN, TRANSPOSED, FIRST };
enum { COLUMNS, ROWS };
enum { WARPS = 8, THREADS = WARPS * FX_WARP }; /* 16 x 16 threads would cut a warp in two rows: neither order */

static const fx_axis axes[] = {
    {"b", "", "B as it is, transposed beforehand, or transposed by a kernel before each product",
     "plain transposed first", 0, 0, PLAIN},
    {"lanes", "", "place of neighbouring lanes in C: neighbouring columns, or neighbouring rows", "columns rows", 0, 0,
     COLUMNS},
    {"n", "elements", "rows and columns of the matrices, a multiple of 32", NULL, 32, 4096, 1024},
};

static const fx_sweep sweeps[] = {
    {"product", "b=plain,transposed,first lanes=columns,rows n=512,1024,2048",
     "b=plain,transposed lanes=columns,rows n=512"},
};

static const fx_metric metrics[] = {{"product_ns", "ns", FX_GPU_NS, false, "matrix product"}};

/* Where the elements of a matrix lie, as distances in elements. */
typedef struct walk {
    uint32_t lane, warp, step;
} walk;

/* A's element (i, k) lies at i * n + k. */
static walk walk_of_a(const fx_params *p) {
    const uint32_t n = (uint32_t)p->value[SIDE];
    const walk columns = {0, n, 1}, rows = {n, 0, 1};
    return p->value[LANES] == COLUMNS ? columns : rows;
}

/* B's element (k, j) lies at k * n + j, or at j * n + k once it is transposed. */
static walk walk_of_b(const fx_params *p) {
    const bool plain = p->value[B] == PLAIN;
    const uint32_t n = (uint32_t)p->value[SIDE], next = plain ? 1 : n, step = plain ? n : 1;
    const walk columns = {next, 0, step}, rows = {0, next, step};
    return p->value[LANES] == COLUMNS ? columns : rows;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    fx_lanes a, b;
    (void)table;
    fx_lanes_stride(&a, 4, walk_of_a(params).lane, 0);
    fx_lanes_stride(&b, 4, walk_of_b(params).lane, 0);
    const unsigned a_sectors = fx_law_blocks(&a, 4, facts->geometry.sector_bytes);
    const unsigned b_sectors = fx_law_blocks(&b, 4, facts->geometry.sector_bytes);
    /* Of one warp at one step. */
    out->law = "sectors";
    out->count = a_sectors + b_sectors;
    out->why_not = "there are only two counts, and the L1 may keep strided lines for later steps";
    fx_prediction_count(out, "a_sectors", a_sectors);
    fx_prediction_count(out, "b_sectors", b_sectors);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    (void)facts;
    return params->value[SIDE] % FX_WARP != 0 ? "n must be a multiple of 32" : NULL;
}

#ifdef FX_WITH_CUDA
#include "core/random.h"
#include "gpu/rig.h"
#include "gpu/sums.cuh"

enum { UNROLL = 4, SEED_A = 11, SEED_B = 12, POISON = 0xa5 };

typedef struct task {
    const uint32_t *a, *b;
    uint32_t *c;
    uint32_t n;
    walk to_a, to_b, to_c; /* C has no step */
} task;

__device__ __forceinline__ uint32_t start_of(const walk &w, uint32_t lane, uint32_t warp) {
    return lane * w.lane + warp * w.warp; /* at most 2^24 elements */
}

/* A block has 32 elements of C along the lanes and 8 across; neighbouring blocks are neighbours along the lanes. */
__global__ static void __launch_bounds__(THREADS) multiply(const __grid_constant__ task t) {
    const uint32_t across = t.n / FX_WARP;
    const uint32_t lane = blockIdx.x % across * FX_WARP + threadIdx.x % FX_WARP;
    const uint32_t warp = blockIdx.x / across * WARPS + threadIdx.x / FX_WARP;
    const uint32_t *a = t.a + start_of(t.to_a, lane, warp), *b = t.b + start_of(t.to_b, lane, warp);
    const uint64_t a_step = t.to_a.step, b_step = t.to_b.step;
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t group = t.n / UNROLL; group > 0; group--) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            sum += *a * *b;
            a += a_step;
            b += b_step;
        }
    }
    t.c[start_of(t.to_c, lane, warp)] = sum;
}

/* to[j][k] = from[k][j], by tiles of 32 x 32 with a column to spare, so that no bank is asked twice. */
__global__ static void __launch_bounds__(THREADS) flip(const uint32_t *from, uint32_t *to, uint32_t n) {
    __shared__ uint32_t tile[FX_WARP][FX_WARP + 1];
    const uint32_t lane = threadIdx.x % FX_WARP, warp = threadIdx.x / FX_WARP, tiles = n / FX_WARP;
    const uint32_t row = blockIdx.x / tiles * FX_WARP, column = blockIdx.x % tiles * FX_WARP;
#pragma unroll
    for (uint32_t r = 0; r < FX_WARP; r += WARPS) {
        tile[r + warp][lane] = from[(row + r + warp) * n + column + lane];
    }
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < FX_WARP; r += WARPS) {
        to[(column + r + warp) * n + row + lane] = tile[lane][r + warp];
    }
}

/* The oracle's two sides: the sum of C, and what it must be, from the generator and not from memory. */
__global__ static void __launch_bounds__(THREADS)
    add_up(const uint32_t *words, uint32_t count, unsigned long long *sums) {
    uint32_t sum = 0;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        sum += words[i];
    }
    fx_sums_add(sums, sum);
}

static uint32_t expected_of(uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t column_of_a = 0, row_of_b = 0;
        for (uint32_t i = 0; i < n; i++) {
            column_of_a += fx_random_word(SEED_A, (uint64_t)i * n + k);
            row_of_b += fx_random_word(SEED_B, (uint64_t)k * n + i);
        }
        sum += column_of_a * row_of_b;
    }
    return sum;
}

/* What the kernel gets, and what is beside it. */
typedef struct work {
    task t;
    uint32_t *a, *b, *flipped, *c; /* one allocation, in this order */
    unsigned long long *sums;
    size_t bytes; /* of each matrix */
    uint32_t expected;
    int products; /* N */
    bool every;   /* B is transposed before each product */
} work;

static fx_status launch_flip(fx_rig *rig, work *w, fx_error *err) {
    void *arguments[] = {&w->b, &w->flipped, &w->t.n};
    const unsigned tiles = w->t.n / FX_WARP;
    return fx_rig_aid(rig, "flip", tiles * tiles, THREADS, arguments, err);
}

/* What the launch before left behind must not pass for this one's work. N and 2N products are poisoned alike, so the
 * time of it cancels. */
static fx_status launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {&w->t};
    fx_status status = FX_OK;
    (void)c;
    FX_CUDA(
        cudaMemsetAsync(w->every ? w->flipped : w->c, POISON, w->every ? 2 * w->bytes : w->bytes, rig->gpu->stream));
    for (int i = 0; i < (1 + which) * w->products && status == FX_OK; i++) {
        status = w->every ? launch_flip(rig, w, err) : FX_OK;
        if (status == FX_OK) {
            status = fx_rig_launch(rig, rig->work->entry.address, rig->blocks, THREADS, arguments, err);
        }
    }
cleanup:
    return status;
}

/* However many products were made, C is one of them. */
static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    uint32_t words = w->t.n * w->t.n;
    void *arguments[] = {&w->c, &words, &w->sums};
    const fx_status status = fx_rig_aid(rig, "add_up", (unsigned)rig->gpu->facts.sm_count, THREADS, arguments, err);
    (void)c;
    rig->pending = w->expected;
    return status != FX_OK ? status : fx_rig_check(rig, which, err);
}

/* N: about as many sectors from each case, whose time is then a millisecond or more on a large chip. */
static int products_of(const fx_case *c) {
    const double n = (double)c->params.value[SIDE], steps = n * n * n / (double)FX_WARP;
    const double sectors = steps * c->prediction.count;
    return sectors > 0x1p29 ? 1 : sectors > 0x1p23 ? (int)(0x1p29 / sectors) : 64;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const uint32_t n = (uint32_t)c->params.value[SIDE];
    const size_t elements = (size_t)n * n;
    const walk columns = {1, n, 0}, rows = {n, 1, 0};
    work *w = FX_ARGUMENT(rig, work);
    w->bytes = elements * sizeof *w->a;
    fx_status status = fx_rig_memory(rig, &w->a, FX_DEVICE_MEMORY, 4 * w->bytes, 0, err);
    if (status != FX_OK || (status = fx_rig_sums(rig, &w->sums, err)) != FX_OK) {
        return status;
    }
    w->b = w->a + elements;
    w->flipped = w->b + elements;
    w->c = w->flipped + elements;
    w->products = products_of(c);
    w->every = c->params.value[B] == FIRST;
    w->expected = expected_of(n);
    w->t.a = w->a;
    w->t.b = c->params.value[B] == PLAIN ? w->b : w->flipped;
    w->t.c = w->c;
    w->t.n = n;
    w->t.to_a = walk_of_a(&c->params);
    w->t.to_b = walk_of_b(&c->params);
    w->t.to_c = c->params.value[LANES] == COLUMNS ? columns : rows;
    rig->warps = WARPS;
    rig->blocks = n * n / THREADS;
    rig->carveout_pct = 0;
    rig->units = w->products;
    rig->launch = launch;
    rig->check = check;
    if ((status = fx_gpu_fill(rig->gpu, w->a, elements, SEED_A, err)) != FX_OK ||
        (status = fx_gpu_fill(rig->gpu, w->b, elements, SEED_B, err)) != FX_OK) {
        return status;
    }
    return launch_flip(rig, w, err);
}
#endif

static const fx_kernel kernels[] = {
    {"", FX_K(multiply), FX_WORK, 0, {{"LDG.E", 8}, {"STG.E", 1}}},
    {"", FX_K(flip), FX_AID, 0, {{0}}},
    {"", FX_K(add_up), FX_AID, 0, {{0}}},
};

/* Two loads a step. */
static const fx_counter counters[] = {
    {"b=plain,transposed", NULL, 0.5, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "smsp__inst_executed_op_global_ld.sum", 0.01, 0.02},
};

static const fx_probe transpose = {
    .contract = FX_PROBE_CONTRACT,
    .name = "transpose",
    .question = "Does it pay to transpose B before a matrix product?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = NULL,
    .law = law,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    FX_TABLE(kernels),
    FX_TABLE(counters),
};

FX_PROBE(transpose)
