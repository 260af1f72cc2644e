/* matrix_transpose: what does a transposition cost compared with a copy of the same bytes, and what closes the gap?
 * Method: N and 2N kernels, queued behind a latch, over the same two matrices. Fresh words for each sample; `out` is
 * poisoned between the warm-up and what is timed, and all of it is compared. */
#include "core/probe.h"

enum { VARIANT, SIDE };
enum {
    COPY,
    COPY_VECTOR,
    READ_COALESCED,
    WRITE_COALESCED,
    TILED,
    TILED_PADDED,
    TILED_SWIZZLED,
    TILED_DIAGONAL,
    REGISTERS,
    VECTOR,
    BULK,
    VARIANTS
};
enum { PLAIN, PADDED, SWIZZLED };
enum { TILE = 32, WIDE = 64, WARPS = 8, THREADS = WARPS * FX_WARP };
enum { ROUNDS = 4, QUADS = 4 }; /* loads, and stores, of each thread */
enum { MOST_POLLS = 1 << 20 };

/* Rows and columns of a block's tile. */
__attribute__((unused)) static inline unsigned tile_of(int64_t variant) {
    return variant == COPY_VECTOR || variant >= REGISTERS ? WIDE : TILE;
}

static const fx_axis axes[] = {
    {"variant", "",
     "a copy of words or of 16 bytes per lane, and ways to transpose, in the order in which they are taught",
     "copy copy_vector read_coalesced write_coalesced tiled padded swizzled diagonal registers vector bulk", 0, 0,
     TILED_PADDED},
    {"n", "elements", "rows and columns, a multiple of 64", NULL, 64, 32768, 8192},
};

static const fx_sweep sweeps[] = {
    {"dram", "variant=all n=8192,8256", "variant=copy_vector,read_coalesced,tiled,padded,vector n=8192"},
    {"l2", "variant=all n=1024", NULL},
    {"large", "variant=copy_vector,padded,vector n=16384", NULL},
};

static const fx_metric metrics[] = {{"transpose_ns", "ns", FX_GPU_NS, false, "transposition or copy"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double elements = (double)params->value[SIDE] * (double)params->value[SIDE];
    out->law = "elements";
    out->count = elements;
    out->why_not = "the bottleneck of a transposition changes with its variant and its size";
    out->useful_bytes = 2 * 4 * elements; /* read and written */
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const uint64_t n = (uint64_t)params->value[SIDE];
    return n % WIDE != 0 ? "n must be a multiple of 64"
           : params->value[VARIANT] == BULK && facts->compute_major > 0 && facts->compute_major < 9
               ? "variant=bulk needs compute capability 9.0"
           : facts->memory_bytes > 0 && 8 * n * n > facts->memory_bytes / 2
               ? "both matrices need more than half of the device memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../held.h"
#include "gpu/cuda_half.cuh"

/* The ways of a matrix from `in` to `out`, n x n words, row by row: a block of 8 warps for each tile of 32 x 32 or
 * 64 x 64. Lane and warp of a block index column and row of the tile that is read. */

typedef struct task {
    const uint32_t *in;
    uint32_t *out;
    uint32_t n;
    unsigned long long *sums;
    uint64_t seed;
} task;

/* Where this thread is in its tile, and where the tile begins. */
typedef struct place {
    uint32_t lane, warp, row, column;
} place;

__device__ __forceinline__ place place_of(uint32_t side) {
    const place p = {threadIdx.x % FX_WARP, threadIdx.x / FX_WARP, blockIdx.y * side, blockIdx.x * side};
    return p;
}

__global__ static void __launch_bounds__(THREADS) copy(const task t) {
    const place p = place_of(TILE);
    const uint32_t at = (p.row + p.warp) * t.n + p.column + p.lane;
    uint32_t part[ROUNDS];
    FX_UNROLL for (int r = 0; r < ROUNDS; r++) {
        part[r] = t.in[at + r * WARPS * t.n];
    }
    FX_UNROLL for (int r = 0; r < ROUNDS; r++) {
        t.out[at + r * WARPS * t.n] = part[r];
    }
}

/* Every block copies 16 KiB, end to end. */
__global__ static void __launch_bounds__(THREADS) copy_vector(const task t) {
    const uint32_t at = (blockIdx.y * gridDim.x + blockIdx.x) * (THREADS * QUADS) + threadIdx.x;
    uint4 part[QUADS];
    FX_UNROLL for (int k = 0; k < QUADS; k++) {
        part[k] = ((const uint4 *)t.in)[at + k * THREADS];
    }
    FX_UNROLL for (int k = 0; k < QUADS; k++) {
        ((uint4 *)t.out)[at + k * THREADS] = part[k];
    }
}

/* Lanes lie along the rows of `in`, and each writes to a row of its own; or the other way round. */
template <int READ_> __global__ void __launch_bounds__(THREADS) naive(const task t) {
    const place p = place_of(TILE);
    uint32_t part[ROUNDS];
    FX_UNROLL for (uint32_t r = 0; r < ROUNDS; r++) {
        const uint32_t row = p.row + p.warp + r * WARPS, column = p.column + p.lane;
        part[r] = t.in[READ_ ? row * t.n + column : column * t.n + row];
    }
    FX_UNROLL for (uint32_t r = 0; r < ROUNDS; r++) {
        const uint32_t row = p.row + p.warp + r * WARPS, column = p.column + p.lane;
        t.out[READ_ ? column * t.n + row : row * t.n + column] = part[r];
    }
}

/* Where element (row, column) of a tile lies in shared memory. */
template <int LAYOUT_> __device__ __forceinline__ uint32_t word_of(uint32_t row, uint32_t column) {
    return LAYOUT_ == PADDED     ? row * (TILE + 1) + column
           : LAYOUT_ == SWIZZLED ? row * TILE + (column ^ row)
                                 : row * TILE + column;
}

/* Rows come and rows go; between them the tile is read by columns. DIAGONAL_: blocks that follow each other work along
 * a diagonal of the matrix. */
template <int LAYOUT_, int DIAGONAL_> __global__ void __launch_bounds__(THREADS) tiled(const task t) {
    __shared__ uint32_t tile[TILE * (TILE + 1)];
    place p = place_of(TILE);
    if (DIAGONAL_) {
        const uint32_t along = blockIdx.x + blockIdx.y;
        p.row = blockIdx.x * TILE;
        p.column = (along < gridDim.x ? along : along - gridDim.x) * TILE;
    }
    FX_UNROLL for (uint32_t r = 0; r < TILE; r += WARPS) {
        tile[word_of<LAYOUT_>(p.warp + r, p.lane)] = t.in[(p.row + p.warp + r) * t.n + p.column + p.lane];
    }
    __syncthreads();
    FX_UNROLL for (uint32_t r = 0; r < TILE; r += WARPS) {
        t.out[(p.column + p.warp + r) * t.n + p.row + p.lane] = tile[word_of<LAYOUT_>(p.lane, p.warp + r)];
    }
}

/* to[k] = column k of the square from[0..3]. */
__device__ __forceinline__ void turn(const uint4 from[4], uint4 to[4]) {
    to[0] = make_uint4(from[0].x, from[1].x, from[2].x, from[3].x);
    to[1] = make_uint4(from[0].y, from[1].y, from[2].y, from[3].y);
    to[2] = make_uint4(from[0].z, from[1].z, from[2].z, from[3].z);
    to[3] = make_uint4(from[0].w, from[1].w, from[2].w, from[3].w);
}

/* Row `row` of quads of a matrix, from column `column` on, both in words. */
__device__ __forceinline__ const uint4 *quads_at(const uint32_t *matrix, uint32_t n, uint32_t row, uint32_t column) {
    return (const uint4 *)(matrix + row * n + column);
}

/* A square of 4 x 4 words, the thread's own in the tile, turned in its registers. */
__device__ __forceinline__ void read_turned(const task &t, const place &p, uint32_t x, uint32_t y, uint4 (&to)[4]) {
    uint4 from[4];
    FX_UNROLL for (int k = 0; k < 4; k++) {
        from[k] = *quads_at(t.in, t.n, p.row + 4 * y + k, p.column + 4 * x);
    }
    turn(from, to);
}

/* A square for each thread: no shared memory, no barrier. A warp reads four whole lines and writes halves of eight.
 * Four neighbouring lanes write such a half: eight of them in different rows would all meet in the same banks on their
 * way to the L2. */
__global__ static void __launch_bounds__(THREADS) registers(const task t) {
    const place p = place_of(WIDE);
    const uint32_t x = p.warp % 2 * 8 + p.lane / 4, y = p.warp / 2 * 4 + p.lane % 4; /* of 16 x 16 squares */
    uint4 to[4];
    read_turned(t, p, x, y, to);
    FX_UNROLL for (int k = 0; k < 4; k++) {
        *(uint4 *)quads_at(t.out, t.n, p.column + 4 * x + k, p.row + 4 * y) = to[k];
    }
}

/* The same squares, gathered to rows of 256 bytes in shared memory. The column of quads is an exclusive or with the
 * square's row, so that neither side meets in banks. */
__global__ static void __launch_bounds__(THREADS) vector(const task t) {
    __shared__ uint4 tile[WIDE][WIDE / 4];
    const place p = place_of(WIDE);
    const uint32_t x = threadIdx.x % 16, y = threadIdx.x / 16;
    uint4 to[4];
    read_turned(t, p, x, y, to);
    FX_UNROLL for (int k = 0; k < 4; k++) {
        tile[4 * x + k][y ^ x] = to[k];
    }
    __syncthreads();
    FX_UNROLL for (uint32_t r = 0; r < WIDE; r += 16) {
        *(uint4 *)quads_at(t.out, t.n, p.column + y + r, p.row + 4 * x) = tile[y + r][x ^ (y + r) / 4];
    }
}

/* The copy engine brings the rows of the tile, a copy for each. After four of them a quad is left out, so that reading
 * columns of squares does not meet in banks. */
__global__ static void __launch_bounds__(THREADS) bulk(const task t) {
#if __CUDA_ARCH__ >= 900
    enum { ROW_QUADS = WIDE / 4, ROWS_OF_WARP = WIDE / WARPS };
    __shared__ __align__(128) uint4 tile[WIDE * ROW_QUADS + WIDE / 4];
    __shared__ __align__(8) uint64_t barrier;
    const place p = place_of(WIDE);
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile), warp = fx_warp_id();
    const uint32_t there = (uint32_t)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        fx_barrier_init(there, WARPS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (fx_elect()) {
        fx_barrier_expect(there, ROWS_OF_WARP * ROW_QUADS * 16);
        FX_UNROLL for (uint32_t r = 0; r < ROWS_OF_WARP; r++) {
            const uint32_t row = warp * ROWS_OF_WARP + r;
            const char *from = (const char *)(t.in + (p.row + row) * t.n + p.column);
            fx_bulk_start(to + (row * ROW_QUADS + row / 4) * 16, from, ROW_QUADS * 16, there);
        }
    }
    __syncwarp();
    fx_barrier_wait(there, 0, MOST_POLLS);
    const uint32_t x = threadIdx.x / 16, y = threadIdx.x % 16;
    uint4 from[4], turned[4];
    FX_UNROLL for (uint32_t k = 0; k < 4; k++) {
        from[k] = tile[(4 * y + k) * ROW_QUADS + y + x];
    }
    turn(from, turned);
    FX_UNROLL for (int k = 0; k < 4; k++) {
        *(uint4 *)quads_at(t.out, t.n, p.column + 4 * x + k, p.row + 4 * y) = turned[k];
    }
#endif
}

/* Elements of `out` that are not what they must be, by the generator and not from memory: in[column][row], or after a
 * copy in[row][column]. */
template <int TURNED_> __global__ void count_wrong(const task t) {
    const uint64_t words = (uint64_t)t.n * t.n, step = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long wrong = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < words; i += step) {
        const uint64_t row = i / t.n, column = i % t.n;
        wrong += t.out[i] != fx_random_word(t.seed, TURNED_ ? column * t.n + row : i);
    }
    fx_sums_add(t.sums, wrong);
}

enum { MOST_RUNS = 32, POISON = 0xa5 };
static const double RUN_BYTES = 0x1p30; /* of N transpositions together, about */

typedef struct work {
    task t;       /* what the kernels get */
    size_t bytes; /* of a matrix */
    int runs;     /* N */
} work;

/* What the warm-up wrote is poisoned. */
static fx_status queue(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    const unsigned tiles = w->t.n / tile_of(c->params.value[VARIANT]);
    const dim3 grid(tiles, tiles, 1), block(THREADS, 1, 1);
    task t = w->t;
    void *arguments[] = {&t};
    for (int i = 0; i < (1 + which) * w->runs; i++) {
        FX_TRY_CUDA(cudaLaunchKernel(rig->work->entry.address, grid, block, arguments, 0, rig->gpu->stream));
    }
    if (held_of(rig)->timed) {
        FX_TRY_CUDA(cudaMemsetAsync(w->t.out, POISON, w->bytes, rig->gpu->stream));
    }
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->t.seed = seed;
    return fx_gpu_fill(rig->gpu, (void *)w->t.in, w->bytes / 4, seed, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const uint32_t n = (uint32_t)c->params.value[SIDE];
    const unsigned tiles = n / tile_of(c->params.value[VARIANT]);
    work *w = FX_ARGUMENT(rig, work);
    uint32_t *both;
    w->bytes = (size_t)n * n * sizeof *both;
    w->t.n = n;
    const double runs = RUN_BYTES / (2 * (double)w->bytes);
    w->runs = runs < 1 ? 1 : runs < MOST_RUNS ? (int)runs : MOST_RUNS;
    FX_TRY(held_arrange(rig, queue, err));
    FX_TRY(fx_rig_sums(rig, &w->t.sums, err));
    FX_TRY(2 * w->bytes >= 4 * rig->gpu->facts.l2_bytes
               ? fx_rig_dram(rig, &both, 0, 2 * w->bytes, 0, err)
               : fx_rig_memory(rig, &both, FX_DEVICE_MEMORY, 2 * w->bytes, 0, err));
    w->t.in = both;
    w->t.out = both + (size_t)n * n;
    /* Loaded before a latch holds the stream. */
    FX_TRY_CUDA(cudaMemsetAsync(w->t.out, POISON, w->bytes, rig->gpu->stream));
    rig->warps = WARPS;
    rig->blocks = tiles * tiles;
    rig->units = w->runs;
    return FX_OK;
}
#endif

/* Timed from outside, each kernel as a whole. */
static const fx_kernel kernels[] = {
    FX_TIMED("variant=copy", FX_K(copy), {"LDG.E", ROUNDS}, {"STG.E", ROUNDS}),
    FX_TIMED("variant=copy_vector", FX_K(copy_vector), {"LDG.E.128", QUADS}, {"STG.E.128", QUADS}),
    FX_TIMED("variant=read_coalesced", FX_K(naive, 1), {"LDG.E", ROUNDS}, {"STG.E", ROUNDS}),
    FX_TIMED("variant=write_coalesced", FX_K(naive, 0), {"LDG.E", ROUNDS}, {"STG.E", ROUNDS}),
    FX_TIMED("variant=tiled", FX_K(tiled, PLAIN, 0), {"LDG.E", 4}, {"STS", 4}, {"LDS", 4}, {"STG.E", 4}),
    FX_TIMED("variant=padded", FX_K(tiled, PADDED, 0), {"LDG.E", 4}, {"STS", 4}, {"LDS", 4}, {"STG.E", 4}),
    FX_TIMED("variant=swizzled", FX_K(tiled, SWIZZLED, 0), {"LDG.E", 4}, {"STS", 4}, {"LDS", 4}, {"STG.E", 4}),
    FX_TIMED("variant=diagonal", FX_K(tiled, PADDED, 1), {"LDG.E", 4}, {"STS", 4}, {"LDS", 4}, {"STG.E", 4}),
    FX_TIMED("variant=registers", FX_K(registers), {"LDG.E.128", 4}, {"STG.E.128", 4}),
    FX_TIMED("variant=vector", FX_K(vector), {"LDG.E.128", 4}, {"STS.128", 4}, {"LDS.128", 4}, {"STG.E.128", 4}),
    FX_TIMED_FROM(90, "variant=bulk", FX_K(bulk), {"UBLKCP.S.G", 8}, {"LDS.128", 4}, {"STG.E.128", 4}),
    FX_CHECKED("variant=copy,copy_vector", FX_K(count_wrong, 0)),
    FX_CHECKED("variant=read_coalesced,write_coalesced,tiled,padded,swizzled,diagonal,registers,vector,bulk",
               FX_K(count_wrong, 1)),
};

FX_PROBE(matrix_transpose,
         .question = "What does a matrix transpose cost compared with a copy, and what closes the gap?",
         .method_version = 1, FX_PARTS, .supported = supported, .draw = FX_GPU(draw), .sanitized = "n=128")
