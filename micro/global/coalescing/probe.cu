/* coalescing: what does a global-memory access cost when the lanes of a warp are not neighbours?
 *
 * Method: every warp-level request has a slot of its own, 64 elements wide per lane, whatever the stride, so footprint
 * and useful bytes stay fixed along a sweep and only the sectors and lines of the request change.
 * L1: 32 warps on one SM share eight slots. L2: each of their requests in flight has its own slot, read past the L1.
 * DRAM: the whole chip reads each slot once after the L2 was flushed by reading; two launches, of N and 2N slots, and
 * the difference of their event times. Loads are summed and the sum checked; stores are read back. */
#include <stdlib.h>

#include "core/probe.h"
#include "core/random.h"

enum { LEVEL, OP, LAYOUT, WIDTH, ORDER, STRIDE, OFFSET, SEED };
enum { L1, L2, DRAM };
enum { LOAD, STORE };
enum { ISOLATED, STREAM };
enum { LINEAR, SHUFFLED, REVERSED, RANDOM };
enum { ACCESS_CYCLES, ACCESS_NS };
enum { MOST_STRIDE = 64, MOST_OFFSET = 128, LEAST_L2_BYTES = 4 << 20 };

static const fx_axis axes[] = {
    {"level", "", "the memory that must serve the request", "l1 l2 dram", 0, 0, L1},
    {"op", "", "the instruction", "load store", 0, 0, LOAD},
    {"layout", "", "slots of 64 elements per lane, or requests end to end", "isolated stream", 0, 0, ISOLATED},
    {"width", "bytes", "bytes per lane: 1, 2, 4, 8 or 16", NULL, 1, 16, 4},
    {"order", "", "order of the lanes", "linear shuffled reversed random", 0, 0, LINEAR},
    {"stride", "elements", "distance of neighbouring lanes", NULL, 1, MOST_STRIDE, 1},
    {"offset", "bytes", "shift of the request from a 128-byte line, a multiple of width", NULL, 0, MOST_OFFSET, 0},
    {"seed", "", "of shuffled and random", NULL, 0, 1000000, 0},
};

#define STRIDES "1,2,3,4,5,6,7,8,9,10,12,14,15,16,17,20,24,28,31,32,33,40,48,56,63,64"

static const fx_sweep sweeps[] = {
    {"stride", "level=l1,l2 op=load width=1,2,4,8,16 stride=" STRIDES,
     "level=l1,l2 op=load width=4 stride=1,2,4,8,16,32"},
    {"stride_store", "level=l2 op=store width=1,2,4,8,16 stride=" STRIDES, NULL},
    {"stride_dram", "level=dram op=load,store width=4,16 stride=1,2,3,4,6,8,12,16,24,32,48,64",
     "level=dram op=load width=4 stride=1,2,4,8,32"},
    {"stride_dram_narrow", "level=dram op=load,store width=1,2,8 stride=1,4,16,64", NULL},
    {"offset", "level=l1,l2 op=load width=4 stride=1 offset=0:128:4",
     "level=l1,l2 op=load width=4 stride=1 offset=0,4,32"},
    {"offset_wide", "level=l1,l2 op=load width=1,2,8,16 stride=1 offset=0:128:16", NULL},
    {"offset_store", "level=l2 op=store width=4 stride=1 offset=0:128:4", NULL},
    {"offset_dram", "level=dram op=load,store layout=isolated,stream width=4 stride=1 offset=0:128:16,4",
     "level=dram op=load layout=stream width=4 stride=1 offset=0,4"},
    {"order", "level=l1,l2 op=load width=4,8,16 order=linear,shuffled,reversed,random stride=1 seed=0:7", NULL},
    {"order_dram", "level=dram op=load width=4 order=linear,shuffled,reversed,random stride=1 seed=0:1", NULL},
    {"stream", "level=dram op=load,store layout=stream width=1,2,4,8,16 stride=1",
     "level=dram op=load,store layout=stream width=4,16 stride=1"},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"},
    {"access_ns", "ns", FX_GPU_NS, false, "warp-level access"},
};

static bool lanes(const fx_params *params, fx_lanes *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    const uint64_t seed = (uint64_t)params->value[SEED];
    fx_lanes_stride(out, width, params->value[STRIDE], 0);
    if (params->value[ORDER] == SHUFFLED) {
        fx_lanes_permute(out, seed);
    } else if (params->value[ORDER] == REVERSED) {
        fx_lanes_reverse(out);
    } else if (params->value[ORDER] == RANDOM) {
        fx_lanes_random(out, width, FX_WARP * MOST_STRIDE, seed);
    }
    for (int l = 0; l < FX_WARP; l++) {
        out->offset[l] += (int32_t)params->value[OFFSET];
    }
    return true;
}

/* The law of each level, and where it is claimed. */
static void set_law(const fx_geometry *geometry, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned width = (unsigned)params->value[WIDTH];
    out->in_fit = params->value[LAYOUT] == ISOLATED;
    if (params->value[LEVEL] == L1) {
        out->law = "l1_load";
        out->count = fx_law_l1_load(geometry, table, width);
    } else if (params->value[LEVEL] == L2 && params->value[OP] == LOAD) {
        out->law = "l2_load";
        out->count = fx_law_l2_load(geometry, table, width);
    } else if (params->value[LEVEL] == L2) {
        out->law = "l2_store";
        out->count = fx_law_l2_store(geometry, table, width);
    } else {
        /* DRAM is read by pairs of sectors. A request that leaves pairs out between its own opens more DRAM pages for
         * the same bytes, which is another effect. A stream's neighbours share the pairs at its ends. */
        const unsigned pair_bytes = 2 * geometry->sector_bytes;
        out->law = "pairs";
        out->count = params->value[LAYOUT] == STREAM ? (double)FX_WARP * width / pair_bytes
                                                     : fx_law_blocks(table, width, pair_bytes);
        out->in_fit = out->in_fit && params->value[OP] == LOAD && params->value[ORDER] != RANDOM &&
                      params->value[STRIDE] * width <= pair_bytes;
    }
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = (unsigned)params->value[WIDTH];
    const unsigned sectors = fx_law_blocks(table, width, geometry->sector_bytes);
    const bool dram = params->value[LEVEL] == DRAM;
    set_law(geometry, params, table, out);
    out->metric = dram ? ACCESS_NS : ACCESS_CYCLES;
    out->useful_bytes = fx_law_useful_bytes(table, width);
    out->moved_bytes = dram && params->value[OP] == LOAD ? out->count * 2 * geometry->sector_bytes
                       : params->value[LAYOUT] == STREAM ? out->useful_bytes
                                                         : (double)sectors * geometry->sector_bytes;
    fx_prediction_count(out, "sectors", sectors);
    fx_prediction_count(out, "lines", fx_law_blocks(table, width, geometry->line_bytes));
    fx_prediction_count(out, "pairs", fx_law_blocks(table, width, 2 * geometry->sector_bytes));
    fx_prediction_count(out, "wavefronts", fx_law_store_wavefronts(geometry, table, width));
    fx_prediction_count(out, "tags", fx_law_l1_tags(geometry, table, width));
    if (dram) {
        fx_prediction_count(out, "dram", 1);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t width = params->value[WIDTH];
    if (width & (width - 1)) {
        return "a global access is 1, 2, 4, 8 or 16 bytes wide";
    }
    if (params->value[OFFSET] % width != 0) {
        return "the offset is not a multiple of the width";
    }
    if (params->value[LEVEL] == L1 && params->value[OP] == STORE) {
        return "stores go through the L1 to the L2";
    }
    if (params->value[LEVEL] == L2 && facts->l2_bytes > 0 && facts->l2_bytes < LEAST_L2_BYTES) {
        return "the L2 does not hold the slots of one SM's requests twice";
    }
    if (params->value[LAYOUT] == STREAM && (params->value[LEVEL] != DRAM || params->value[STRIDE] != 1)) {
        return "a stream is measured from DRAM, at stride 1";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/access.cuh"
#include "gpu/sums.cuh"
#include "gpu/timed.cuh"

enum { CHAINS = 16, ACCESSES = 32, WARPS = 32, PASS_CYCLES = 16000 };

/* Requests of a warp in flight, each in a slot of its own. At the L2 32 warps must cover its latency, but the widest
 * fill the registers; at the L1, where all warps share the slots, all of their lines must fit into the smallest L1. */
__host__ __device__ constexpr int chains_of(int width, bool l1) {
    return l1 || width == 16 ? CHAINS / 2 : CHAINS;
}

/* Bytes from slot to slot, known to the compiler, so that one address register serves all of a warp's slots. At the L1
 * a power of two: the bank of a tag is an exclusive or over address bits, and so each slot has the conflicts of the
 * first. */
__host__ __device__ constexpr int pitch_of(int width, bool l1) {
    return l1 ? 2 * FX_WARP * MOST_STRIDE * width : FX_WARP * MOST_STRIDE * width + MOST_OFFSET;
}

typedef struct slots {
    fx_lanes lanes;
    char *data;
    uint64_t seed;
    uint32_t trips; /* of all passes */
} slots;

/* Where this lane's first access goes. Chain c is c pitches further. */
template <int WIDTH_, bool L1_> __device__ __forceinline__ char *first_address(const slots &s) {
    const int warp = threadIdx.x / FX_WARP, first = L1_ ? 0 : warp * CHAINS;
    return s.data + (int64_t)first * pitch_of(WIDTH_, L1_) + s.lanes.offset[threadIdx.x % FX_WARP];
}

template <int WIDTH_, bool L1_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    load_slots(const __grid_constant__ fx_timed timed, const __grid_constant__ slots s) {
    constexpr int chains = chains_of(WIDTH_, L1_);
    const char *address = first_address<WIDTH_, L1_>(s);
    uint32_t part[chains], sum = 0, expected = 0;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t i) {
#pragma unroll
        for (int a = 0; a < ACCESSES / chains; a++) {
#pragma unroll
            for (int c = 0; c < chains; c++) {
                part[c] = fx_load < L1_ ? FX_L1 : FX_L2, WIDTH_ > (address + c * pitch_of(WIDTH_, L1_));
            }
            __syncwarp(); /* else the assembler merges loads of one address, and takes them out of the loop */
#pragma unroll
            for (int c = 0; c < chains; c++) {
                sum += part[c];
            }
        }
    });
    for (int c = 0; c < chains; c++) {
        const uint64_t byte = (uint64_t)(address + c * pitch_of(WIDTH_, L1_) - s.data);
        expected += s.trips * (ACCESSES / chains) * fx_filled<WIDTH_>(s.seed, byte);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, sum != expected);
}

/* Lanes that share a word write the same value. */
template <int WIDTH_>
__global__ void __launch_bounds__(WARPS *FX_WARP)
    store_slots(const __grid_constant__ fx_timed timed, const __grid_constant__ slots s) {
    const uint32_t value = (uint32_t)s.seed;
    char *address = first_address<WIDTH_, false>(s);
    bool wrong = false;
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t i) {
#pragma unroll
        for (int a = 0; a < ACCESSES / CHAINS; a++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                fx_store<FX_L2, WIDTH_>(address + c * pitch_of(WIDTH_, false), value + i);
            }
        }
    });
    __threadfence();
    for (int c = 0; c < CHAINS; c++) {
        wrong |= fx_load<FX_L2, WIDTH_>(address + c * pitch_of(WIDTH_, false)) != fx_stored<WIDTH_>(value + 1);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* A run over many slots, each once. */
typedef struct run {
    fx_lanes lanes;
    char *data;
    uint64_t seed, pitch_bytes;
    uint64_t first;           /* slot of the launch's first request */
    unsigned long long *sums; /* together the sum of all loads */
} run;

enum { RUN_THREADS = 256, RUN_WARPS = RUN_THREADS / FX_WARP, RUN_CHAINS = 8 };
enum { RUN_SLOTS = RUN_WARPS * RUN_CHAINS }; /* slots of a block: neighbouring warps take neighbouring slots */

template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) load_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    const char *address = r.data + slot * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
    uint32_t part[RUN_CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < RUN_CHAINS; c++) {
        part[c] = fx_load<FX_L2, WIDTH_>(address + c * (RUN_WARPS * r.pitch_bytes));
    }
#pragma unroll
    for (int c = 0; c < RUN_CHAINS; c++) {
        sum += part[c];
    }
    fx_sums_add(r.sums, sum);
}

template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) store_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    char *address = r.data + slot * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
#pragma unroll
    for (int c = 0; c < RUN_CHAINS; c++) {
        fx_store<FX_L2, WIDTH_>(address + c * (RUN_WARPS * r.pitch_bytes), (uint32_t)r.seed);
    }
}

/* The oracle of load_run: the same sum, from the generator and not from memory. */
template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) expect_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    uint32_t sum = 0;
    for (int c = 0; c < RUN_CHAINS; c++) {
        const uint64_t byte = (slot + c * RUN_WARPS) * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
        sum += fx_filled<WIDTH_>(r.seed, byte);
    }
    fx_sums_add(r.sums, sum);
}

/* The oracle of store_run: counts the lanes whose place does not hold what was stored. */
template <int WIDTH_> __global__ void __launch_bounds__(RUN_THREADS) check_run(const __grid_constant__ run r) {
    const uint64_t slot = r.first + (uint64_t)blockIdx.x * RUN_SLOTS + threadIdx.x / FX_WARP;
    const uint32_t want = fx_stored<WIDTH_>((uint32_t)r.seed);
    uint32_t wrong = 0;
    for (int c = 0; c < RUN_CHAINS; c++) {
        const uint64_t byte = (slot + c * RUN_WARPS) * r.pitch_bytes + r.lanes.offset[threadIdx.x % FX_WARP];
        wrong += fx_load<FX_L2, WIDTH_>(r.data + byte) != want;
    }
    fx_sums_add(r.sums, wrong);
}

typedef struct kernels {
    const void *l1, *l2, *l2_store, *run_load, *run_store, *run_expect, *run_check;
} kernels;

template <int WIDTH_> static kernels kernels_of(void) {
    const kernels k = {
        .l1 = (const void *)load_slots<WIDTH_, true>,
        .l2 = (const void *)load_slots<WIDTH_, false>,
        .l2_store = (const void *)store_slots<WIDTH_>,
        .run_load = (const void *)load_run<WIDTH_>,
        .run_store = (const void *)store_run<WIDTH_>,
        .run_expect = (const void *)expect_run<WIDTH_>,
        .run_check = (const void *)check_run<WIDTH_>,
    };
    return k;
}

static kernels choose_kernels(int64_t width) {
    return width == 1   ? kernels_of<1>()
           : width == 2 ? kernels_of<2>()
           : width == 4 ? kernels_of<4>()
           : width == 8 ? kernels_of<8>()
                        : kernels_of<16>();
}

typedef struct state {
    kernels k;
    const void *kernel;
    fx_timed_buffer timed;
    char *allocation, *data; /* data: aligned within it */
    size_t data_bytes;
    uint64_t pitch_bytes, seed;
    uint32_t trips;                 /* L1, L2 */
    unsigned blocks;                /* DRAM: of the shorter launch */
    unsigned long long *sums;       /* DRAM */
    unsigned long long expected[2]; /* DRAM: of the shorter and the longer launch */
    fx_pair pair;                   /* DRAM */
} state;

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    (void)gpu;
    (void)c;
    fx_timed_close(&s->timed);
    if (c->params.value[LEVEL] != DRAM) { /* that is the pool's */
        cudaFree(s->allocation);
    }
    cudaFree(s->sums);
    fx_pair_close(&s->pair);
    free(s);
}

/* Launches `kernel` over the shorter (which = 0) or longer (1) part of the slots. */
static fx_status launch_run(fx_gpu *gpu, const fx_case *c, state *s, const void *kernel, int which, fx_error *err) {
    run r = {.lanes = c->lanes, .data = s->data, .seed = s->seed, .pitch_bytes = s->pitch_bytes, .sums = s->sums};
    void *arguments[] = {&r};
    r.first = which == 0 ? 0 : (uint64_t)s->blocks * RUN_SLOTS;
    return fx_gpu_launch(gpu, kernel, which == 0 ? s->blocks : 2 * s->blocks, RUN_THREADS, 0, arguments, err);
}

static fx_status open_dram(fx_gpu *gpu, const fx_case *c, state *s, fx_error *err) {
    const fx_params *p = &c->params;
    const uint64_t request = (uint64_t)(FX_WARP * p->value[WIDTH]);
    const bool stream = p->value[LAYOUT] == STREAM;
    const uint64_t most = stream ? (uint64_t)3 << 30 : (uint64_t)12 << 30;
    fx_status status = FX_OK;
    size_t free_bytes;
    uint64_t room;
    status = fx_gpu_room(&free_bytes, err);
    if (status != FX_OK) {
        return status;
    }
    room = free_bytes / 2 < most ? free_bytes / 2 : most;
    s->pitch_bytes = stream ? request : (uint64_t)pitch_of((int)p->value[WIDTH], false);
    s->blocks = (unsigned)(room / s->pitch_bytes / RUN_SLOTS / 3);
    s->data_bytes = 3 * s->blocks * s->pitch_bytes * RUN_SLOTS + MOST_OFFSET;
    if (s->blocks == 0 || s->data_bytes < 4 * gpu->facts.l2_bytes) {
        return fx_fail(err, FX_NO_MEMORY, "%zu bytes of free device memory are too few to get past the L2", free_bytes);
    }
    s->kernel = p->value[OP] == LOAD ? s->k.run_load : s->k.run_store;
    status = fx_gpu_take(s->data_bytes, (void **)&s->allocation, err);
    s->data = s->allocation;
    if (status == FX_OK) {
        status = fx_gpu_prepare(s->kernel, 0, 0, err);
    }
    if (status == FX_OK) {
        status = fx_sums_open(gpu, &s->sums, err);
    }
    if (status == FX_OK) {
        status = fx_pair_open(&s->pair, err);
    }
    if (status == FX_OK) {
        status = fx_gpu_fill(gpu, s->data, s->data_bytes / 4, s->seed, err);
    }
    for (int which = 0; which < 2 && status == FX_OK && p->value[OP] == LOAD; which++) {
        status = launch_run(gpu, c, s, s->k.run_expect, which, err);
        if (status == FX_OK) {
            status = fx_sums_take(gpu, s->sums, &s->expected[which], err);
        }
    }
    return status;
}

static fx_status open_chip(fx_gpu *gpu, const fx_case *c, state *s, fx_error *err) {
    const fx_params *p = &c->params;
    fx_status status = FX_OK;
    const bool l1 = p->value[LEVEL] == L1;
    const size_t pitch = (size_t)pitch_of((int)p->value[WIDTH], l1);
    const size_t slack = pitch; /* so that the first slot can begin at a multiple of the pitch */
    s->data_bytes = pitch * (size_t)(l1 ? chains_of((int)p->value[WIDTH], true) : WARPS * CHAINS);
    s->kernel = p->value[OP] == STORE ? s->k.l2_store : l1 ? s->k.l1 : s->k.l2;
    s->trips = fx_timed_trips(PASS_CYCLES, ACCESSES * WARPS * c->prediction.count);
    FX_CUDA(cudaMalloc((void **)&s->allocation, s->data_bytes + slack));
    s->data = (char *)(((uintptr_t)s->allocation + slack - 1) / slack * slack);
    status = fx_gpu_prepare(s->kernel, 0, 0, err);
    if (status == FX_OK) {
        status = fx_timed_open(&s->timed, WARPS, err);
    }
    if (status == FX_OK && p->value[OP] == STORE) { /* what is loaded is filled anew for each sample */
        status = fx_gpu_fill(gpu, s->data, s->data_bytes / 4, s->seed, err);
    }
cleanup:
    return status;
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->k = choose_kernels(c->params.value[WIDTH]);
    s->seed = 11;
    const fx_status status = c->params.value[LEVEL] == DRAM ? open_dram(gpu, c, s, err) : open_chip(gpu, c, s, err);
    if (status != FX_OK) {
        close_case(gpu, c, s);
        return status;
    }
    *out = s;
    return FX_OK;
}

static fx_status sample_chip(fx_gpu *gpu, const fx_case *c, state *s, uint64_t seed, fx_sample *out, fx_error *err) {
    fx_timed timed = fx_timed_argument(&s->timed, s->trips, 0);
    slots arg = {.lanes = c->lanes, .data = s->data, .seed = seed};
    void *arguments[] = {&timed, &arg};
    arg.trips = fx_timed_total_trips(&timed);
    if (c->params.value[OP] == LOAD) {
        const fx_status status = fx_gpu_fill(gpu, s->data, s->data_bytes / 4, seed, err);
        if (status != FX_OK) {
            return status;
        }
    }
    return fx_timed_sample(gpu, &s->timed, s->kernel, 0, arguments, &timed, ACCESSES, out, err);
}

/* A case in the making of a sample. */
typedef struct work {
    const fx_case *c;
    state *s;
} work;

static fx_status launch_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    const work *w = (const work *)context;
    return launch_run(gpu, w->c, w->s, w->s->kernel, which, err);
}

static fx_status check_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    const work *w = (const work *)context;
    const bool stored = w->c->params.value[OP] == STORE;
    unsigned long long total = 0;
    fx_status status = stored ? launch_run(gpu, w->c, w->s, w->s->k.run_check, which, err) : FX_OK;
    if (status == FX_OK) {
        status = fx_sums_take(gpu, w->s->sums, &total, err);
    }
    if (status == FX_OK && total != (stored ? 0 : w->s->expected[which])) {
        status = fx_fail(err, FX_WRONG_RESULT, "%s",
                         stored ? "memory does not hold what the kernel stored there"
                                : "the sum of what was read is not the sum of what was written");
    }
    return status;
}

static fx_status sample_dram(fx_gpu *gpu, const fx_case *c, state *s, uint64_t seed, fx_sample *out, fx_error *err) {
    work w = {.c = c, .s = s};
    const fx_pair_work pair = {.context = &w,
                               .launch = launch_work,
                               .check = check_work,
                               .units = (double)s->blocks * RUN_SLOTS,
                               .cold = true};
    if (c->params.value[OP] == STORE) {
        s->seed = seed;
    }
    return fx_pair_sample(gpu, &s->pair, &pair, out, err);
}

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state_, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    return c->params.value[LEVEL] == DRAM ? sample_dram(gpu, c, s, seed, out, err)
                                          : sample_chip(gpu, c, s, seed, out, err);
}
#endif

static const fx_sass sass[] = {
    {"load_slots<1, true>", "LDG.E.U8", 32, 0},
    {"load_slots<2, true>", "LDG.E.U16", 32, 0},
    {"load_slots<4, true>", "LDG.E", 32, 0},
    {"load_slots<8, true>", "LDG.E.64", 32, 0},
    {"load_slots<16, true>", "LDG.E.128", 32, 0},
    {"load_slots<1, false>", "LDG.E.U8.STRONG.GPU", 32, 0},
    {"load_slots<2, false>", "LDG.E.U16.STRONG.GPU", 32, 0},
    {"load_slots<4, false>", "LDG.E.STRONG.GPU", 32, 0},
    {"load_slots<8, false>", "LDG.E.64.STRONG.GPU", 32, 0},
    {"load_slots<16, false>", "LDG.E.128.STRONG.GPU", 32, 0},
    {"store_slots<1>", "STG.E.U8", 32, 0},
    {"store_slots<2>", "STG.E.U16", 32, 0},
    {"store_slots<4>", "STG.E", 32, 0},
    {"store_slots<8>", "STG.E.64", 32, 0},
    {"store_slots<16>", "STG.E.128", 32, 0},
    {"load_run<1>", "LDG.E.U8.STRONG.GPU", 8, 0},
    {"load_run<2>", "LDG.E.U16.STRONG.GPU", 8, 0},
    {"load_run<4>", "LDG.E.STRONG.GPU", 8, 0},
    {"load_run<8>", "LDG.E.64.STRONG.GPU", 8, 0},
    {"load_run<16>", "LDG.E.128.STRONG.GPU", 8, 0},
    {"store_run<1>", "STG.E.U8", 8, 0},
    {"store_run<2>", "STG.E.U16", 8, 0},
    {"store_run<4>", "STG.E", 8, 0},
    {"store_run<8>", "STG.E.64", 8, 0},
    {"store_run<16>", "STG.E.128", 8, 0},
};

#define LOADS  "smsp__inst_executed_op_global_ld.sum"
#define STORES "smsp__inst_executed_op_global_st.sum"

/* DRAM: one metric a case beside the count of accesses, so that one pass reads both; a second pass would have to save
 * and restore gigabytes. The L2 may keep some of the lines that were written. */
static const fx_counter counters[] = {
    {"level=l1 op=load", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", LOADS, 0.01, 0.02},
    {"level=l1 op=load", "tags", 1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", LOADS, 0.01, 0.02},
    {"level=l1 op=load", "wavefronts", 1, "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum", LOADS, 0.01, 0.02},
    {"level=l2 op=load", "lines", 1, "lts__t_requests_srcunit_tex_op_read.sum", LOADS, 0.01, 0.02},
    {"level=l2 op=load", "sectors", 1, "lts__t_sectors_srcunit_tex_op_read.sum", LOADS, 0.01, 0.02},
    {"level=l2 op=store", "lines", 1, "lts__t_requests_srcunit_tex_op_write.sum", STORES, 0.01, 0.02},
    {"level=l2 op=store", "sectors", 1, "lts__t_sectors_srcunit_tex_op_write.sum", STORES, 0.01, 0.02},
    {"level=dram op=load", NULL, 64, "dram__bytes_read.sum", LOADS, 0.02, 0.02},
    {"level=dram op=store layout=stream", NULL, 64, "dram__bytes_write.sum", STORES, 0.05, 0.02},
};

static const fx_probe coalescing = {
    .contract = FX_PROBE_CONTRACT,
    .name = "coalescing",
    .question = "What does a global-memory access cost when the lanes of a warp are not neighbours?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "level op",
    .lanes = lanes,
    .law = law,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    FX_TABLE(sass),
    FX_TABLE(counters),
};

FX_PROBE(coalescing)
