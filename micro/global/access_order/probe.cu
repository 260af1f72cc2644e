/* access_order: what does it cost to read an array in the wrong order, by how many threads? Method: the sum of the
 * squares of an array modulo 2^32, which does not depend on the order. A thread's share is data (first element, stride,
 * count), so one instruction stream serves the three orders. */
#include "core/probe.h"

enum { ORDER, BLOCKS, SIZE, WIDTH };
enum { CHUNKED, INTERLEAVED, BLOCKED };
enum { THREADS = 256, MOST_BLOCKS = 1 << 20 };

static const fx_axis axes[] = {
    {"order", "", "assignment of elements to threads", "chunked interleaved blocked", 0, 0, INTERLEAVED},
    {"blocks", "", "blocks of 256 threads; 0: as many as the device holds at once", NULL, 0, MOST_BLOCKS, 0},
    {"size", "bytes", "length of the array, a multiple of 4096", NULL, 64 << 10, (int64_t)4 << 30, 256 << 20},
    {"width", "bytes", "bytes per load: 4 or 16", NULL, 4, 16, 4},
};

static const fx_sweep sweeps[] = {
    {"blocks", "order=chunked,interleaved,blocked blocks=1,4,16,64,256,0 size=16Mi width=4",
     "order=chunked,interleaved blocks=1,0 size=16Mi width=4"},
    {"one_block_dram", "order=interleaved blocks=1,4 size=256Mi width=4", NULL},
    {"blocks_dram", "order=chunked,interleaved,blocked blocks=16,64,256,0 size=256Mi width=4", NULL},
    {"size",
     "order=chunked,interleaved,blocked blocks=0 width=4 size=1Mi,4Mi,16Mi,32Mi,64Mi,128Mi,256Mi,384Mi,512Mi,768Mi,1Gi",
     "order=chunked,interleaved,blocked blocks=0 width=4 size=256Mi"},
    {"vector", "order=chunked,interleaved,blocked blocks=0 width=16 size=16Mi,64Mi,256Mi,512Mi,1Gi",
     "order=interleaved blocks=0 width=16 size=256Mi"},
};

static const fx_metric metrics[] = {{"sum_ns", "ns", FX_GPU_NS, false, "pass over the array"}};

/* Loads of a thread in flight: as many registers hold what they bring. */
#define LOADS_OF(width) ((width) == 4 ? 8 : 4)

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const double size = (double)params->value[SIZE];
    const unsigned width = (unsigned)params->value[WIDTH];
    const bool chunked = params->value[ORDER] == CHUNKED;
    const bool dram = facts->l2_bytes > 0 && size >= 4 * (double)facts->l2_bytes;
    fx_lanes request;
    /* Chunks are longer than a sector (see `blocks_of`), and as a rule longer than a line. */
    fx_lanes_stride(&request, width, chunked ? facts->geometry.line_bytes / width : 1, 0);
    out->law = "bytes";
    out->count = size;
    /* Claimed where the memory is the limit. */
    out->why_not = !dram                                 ? "part of each pass hits the L2"
                   : params->value[ORDER] == CHUNKED     ? "the L1 keeps the lines of some chunks and not of others"
                   : params->value[ORDER] != INTERLEAVED ? "blocks with a share each drift apart from pass to pass"
                   : params->value[BLOCKS] != 0          ? "a few blocks wait for latencies"
                                                         : NULL;
    out->useful_bytes = size;
    fx_prediction_count(out, "sectors", fx_law_blocks(&request, width, facts->geometry.sector_bytes));
    fx_prediction_count(out, "lines", fx_law_blocks(&request, width, facts->geometry.line_bytes));
    if (dram) {
        fx_prediction_count(out, "dram", 1);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH], size = params->value[SIZE];
    return width != 4 && width != 16    ? "width must be 4 or 16"
           : size % (THREADS * 16) != 0 ? "size must be a multiple of 4096"
           : size / width < params->value[BLOCKS] * THREADS * LOADS_OF(width)
               ? "size is too small for that many blocks: a thread has less to read than it has loads in flight"
           : facts->memory_bytes > 0 && (uint64_t)size > facts->memory_bytes / 2
               ? "size: the array does not fit into half of the device's memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "gpu/cuda_half.cuh"

typedef struct task {
    const char *data;
    uint64_t elements; /* of the load's width */
    uint32_t order;
    uint32_t groups; /* groups of loads that every thread has in a pass; at most one group's worth is left */
    uint32_t passes;
    unsigned long long *sums; /* together the sum of all squares, modulo 2^32 */
} task;

/* What one thread reads: elements first, first + stride, ... */
typedef struct share {
    uint64_t first, stride, count;
} share;

__device__ __forceinline__ share share_of(const task &t) {
    const uint64_t threads = (uint64_t)gridDim.x * THREADS, me = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    share s = {.first = me, .stride = threads, .count = (t.elements + threads - 1 - me) / threads};
    if (t.order == CHUNKED) {
        s.first = me * t.elements / threads;
        s.stride = 1;
        s.count = (me + 1) * t.elements / threads - s.first;
    } else if (t.order == BLOCKED) {
        /* in rounds of one element a thread: a share that begins within a line would cost each request a sector more */
        const uint64_t rounds = t.elements / THREADS;
        const uint64_t begin = blockIdx.x * rounds / gridDim.x, end = (blockIdx.x + 1) * rounds / gridDim.x;
        s.first = begin * THREADS + threadIdx.x;
        s.stride = THREADS;
        s.count = end - begin;
    }
    return s;
}

template <int WIDTH_> __device__ __forceinline__ uint32_t squares(const uint32_t (&word)[WIDTH_ / 4]) {
    uint32_t sum = 0;
    FX_UNROLL for (int i = 0; i < WIDTH_ / 4; i++) {
        sum += word[i] * word[i];
    }
    return sum;
}

template <int WIDTH_> __global__ void __launch_bounds__(THREADS) sum_squares(const __grid_constant__ task t) {
    constexpr int loads = LOADS_OF(WIDTH_);
    const share s = share_of(t);
    const char *begin = t.data + s.first * WIDTH_;
    const uint64_t step = s.stride * WIDTH_;
    const uint32_t rest = (uint32_t)(s.count - (uint64_t)t.groups * loads); /* 0 to `loads`: see `groups_of` */
    uint32_t sum = 0;
    FX_NO_UNROLL for (uint32_t pass = t.passes; pass > 0; pass--) {
        const char *at = begin;
        FX_NO_UNROLL for (uint32_t group = t.groups; group > 0; group--) {
            uint32_t word[loads][WIDTH_ / 4];
            FX_UNROLL for (int i = 0; i < loads; i++) {
                fx_load_words<FX_L1, WIDTH_>(at, word[i]);
                at += step;
            }
            FX_UNROLL for (int i = 0; i < loads; i++) {
                sum += squares<WIDTH_>(word[i]);
            }
        }
        if (__any_sync(0xffffffffu, rest > 0)) {
            uint32_t word[loads][WIDTH_ / 4] = {0};
            FX_UNROLL for (int i = 0; i < loads; i++) {
                fx_load_if<WIDTH_>(i < rest, at, word[i]);
                at += step;
            }
            FX_UNROLL for (int i = 0; i < loads; i++) {
                sum += squares<WIDTH_>(word[i]);
            }
        }
        __syncwarp(); /* else the assembler may take loads of one address out of the loop over the passes */
    }
    fx_sums_add(t.sums, sum);
}

/* The oracle: the sum of one pass, from the generator and not from memory. */
__global__ static void __launch_bounds__(THREADS)
    expect_squares(uint64_t words, uint64_t seed, unsigned long long *sums) {
    uint32_t sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < words; i += (uint64_t)gridDim.x * THREADS) {
        const uint32_t word = fx_random_word(seed, i);
        sum += word * word;
    }
    fx_sums_add(sums, sum);
}

/* Blocks of the grid: what the axis says, or as many as are resident at once, as long as every thread has as much to
 * read as it has loads in flight. */
static unsigned blocks_of(const fx_gpu *gpu, const fx_params *p, int resident) {
    const uint64_t elements = (uint64_t)(p->value[SIZE] / p->value[WIDTH]);
    const uint64_t most = elements / THREADS / LOADS_OF(p->value[WIDTH]);
    const uint64_t full = (uint64_t)resident * (unsigned)gpu->facts.sm_count;
    const uint64_t wanted = p->value[BLOCKS] > 0 ? (uint64_t)p->value[BLOCKS] : full;
    return (unsigned)(wanted < most ? wanted : most > 0 ? most : 1);
}

/* N: enough for the clock, and no more. What fits the caches is read faster and must repeat better; a few blocks read
 * slower, and so do chunks. */
static uint32_t passes_of(const fx_gpu *gpu, const fx_params *p, unsigned blocks) {
    const uint64_t size = (uint64_t)p->value[SIZE], sms = (uint64_t)gpu->facts.sm_count;
    uint64_t bytes = size > gpu->facts.l2_bytes ? (uint64_t)512 << 20 : (uint64_t)2 << 30;
    bytes /= p->value[ORDER] == CHUNKED ? 4 : 1;
    bytes = blocks < sms ? bytes * blocks / sms : bytes;
    return bytes > size ? (uint32_t)(bytes / size) : 1;
}

/* Whatever the order, a thread has quotient or quotient + 1 elements, so what the groups leave is one group at most. */
static uint32_t groups_of(const fx_params *p, uint64_t elements, unsigned blocks) {
    return (uint32_t)(elements / ((uint64_t)blocks * THREADS) / LOADS_OF(p->value[WIDTH]));
}

/* What the kernel gets, and what the shorter launch is made of. */
typedef struct work {
    task t;
    uint32_t passes;
} work;

static void part(fx_rig *rig, const fx_case *c, int which) {
    work *w = FX_ARGUMENT(rig, work);
    w->t.passes = which == 0 ? w->passes : 2 * w->passes;
}

static fx_status expect(fx_rig *rig, const work *w, uint64_t words, fx_error *err) {
    uint64_t seed = FX_FILL_SEED;
    unsigned long long *sums = w->t.sums, total = 0;
    FX_TRY(aid_sum(rig, "expect_squares", fx_arguments{&words, &seed, &sums}, &total, err));
    rig->expected[0] = total * w->passes;
    rig->expected[1] = 2 * rig->expected[0];
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const size_t size = (size_t)p->value[SIZE];
    work *w = FX_ARGUMENT(rig, work);
    int resident = 0;
    FX_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, rig->work->entry.address, THREADS, 0));
    rig->warps = THREADS / FX_WARP;
    rig->blocks = blocks_of(rig->gpu, p, resident);
    rig->carveout_pct = 0;
    rig->cold = size > rig->gpu->facts.l2_bytes;
    rig->part = part;
    w->passes = passes_of(rig->gpu, p, rig->blocks);
    rig->units = w->passes;
    w->t.elements = size / (size_t)p->value[WIDTH];
    w->t.order = (uint32_t)p->value[ORDER];
    w->t.groups = groups_of(p, w->t.elements, rig->blocks);
    FX_TRY(fx_rig_memory(rig, &w->t.data, FX_POOL_MEMORY | FX_FILLED, size, 0, err));
    FX_TRY(fx_rig_sums(rig, &w->t.sums, err));
    return expect(rig, w, size / 4, err);
}
#endif

/* Once in the loop over the groups, and once more, under predicates, for what they leave. */
static const fx_kernel kernels[] = {
    FX_TIMED("width=4", FX_K(sum_squares, 4), {"LDG.E", 2 * LOADS_OF(4)}),
    FX_TIMED("width=16", FX_K(sum_squares, 16), {"LDG.E.128", 2 * LOADS_OF(16)}),
    FX_AIDED("", FX_K(expect_squares)),
};

/* A thread's last loads may be idle, which the instruction count holds and the sectors do not. */
static const fx_counter counters[] = {
    {"order=chunked,interleaved,blocked", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "smsp__inst_executed_op_global_ld.sum", 0.05, 0.02},
};

FX_PROBE(access_order, .question = "What does reading an array in the wrong order cost?", .method_version = 1, FX_PARTS,
         .fit_by = "order width", .supported = supported, FX_TABLE(counters))
