/* constant: what does a constant-memory read cost when lanes of a warp want different words?
 *
 * Method: `distinct` addresses, `spacing` bytes apart, are shared out among the lanes and linked to one seeded cycle:
 * each word holds the offset of the next. All lanes step along the cycle together, so that every access of the warp has
 * the same set of distinct addresses. The same tables in shared and global memory show where the crossover lies. With a
 * footprint instead, all lanes walk one cycle over the footprint: the levels of the constant cache. */
#include <stdlib.h>
#include <string.h>

#include "core/probe.h"
#include "core/random.h"

enum { MODE, SPACE, DISTINCT, SPACING, FOOTPRINT };
enum { THROUGHPUT, LATENCY };
enum { CONSTANT, SHARED, GLOBAL };
enum { TABLE_BYTES = 64 << 10, FIRST_LEVEL_BYTES = 2 << 10 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, THROUGHPUT},
    {"space", "", "where the table lies", "constant shared global", 0, 0, CONSTANT},
    {"distinct", "addresses", "distinct addresses in the warp", NULL, 1, 32, 1},
    {"spacing", "bytes", "distance of neighbouring addresses, a multiple of 4", NULL, 4, 256, 4},
    {"footprint", "bytes", "bytes walked by all lanes together; 0: the distinct addresses alone", NULL, 0, TABLE_BYTES,
     0},
};

static const fx_sweep sweeps[] = {
    {"divergence", "mode=throughput,latency space=constant distinct=1:32 spacing=4,64,256",
     "mode=throughput,latency space=constant distinct=1,2,4,8,16,32 spacing=4,64"},
    {"spacing", "mode=throughput,latency space=constant distinct=1,2,3,4,8,12,16,20,24,28,32 spacing=8,16,32,128",
     NULL},
    {"crossover", "mode=throughput space=shared,global distinct=1:32 spacing=4,64,256",
     "mode=throughput space=shared,global distinct=1,2,4,8,16,32 spacing=64"},
    {"footprint",
     "mode=latency space=constant distinct=1 spacing=64 "
     "footprint=256,512,1Ki,1536,2Ki,2304,2560,3Ki,4Ki,6Ki,8Ki,12Ki,16Ki,24Ki,32Ki,40Ki,48Ki,56Ki,64Ki",
     "mode=latency space=constant distinct=1 spacing=64 footprint=1Ki,2Ki,4Ki,16Ki,64Ki"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

static bool lanes(const fx_params *params, fx_lanes *out) {
    fx_lanes_multicast(out, (unsigned)params->value[SPACING], (unsigned)params->value[DISTINCT]);
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned distinct = fx_law_distinct(table);
    const unsigned wavefronts = fx_law_wavefronts(&facts->geometry, table, 4);
    const unsigned lines = fx_law_blocks(table, 4, facts->geometry.line_bytes);
    fx_prediction_count(out, "distinct", distinct);
    fx_prediction_count(out, "wavefronts", wavefronts);
    fx_prediction_count(out, "sectors", fx_law_blocks(table, 4, facts->geometry.sector_bytes));
    fx_prediction_count(out, "lines", lines);
    out->useful_bytes = fx_law_useful_bytes(table, 4);
    if (params->value[FOOTPRINT] > 0) {
        return; /* a staircase of cache levels, not a law of addresses */
    }
    out->law = params->value[SPACE] == CONSTANT ? "distinct" : params->value[SPACE] == SHARED ? "wavefronts" : "lines";
    out->count = params->value[SPACE] == CONSTANT ? distinct : params->value[SPACE] == SHARED ? wavefronts : lines;
    /* every constant cache published so far serves 2 KiB at its first level; the sweep "footprint" checks it */
    out->in_fit = params->value[SPACE] != CONSTANT || distinct * params->value[SPACING] <= FIRST_LEVEL_BYTES;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    (void)facts;
    if (params->value[SPACE] != CONSTANT && params->value[MODE] == LATENCY) {
        return "its address sums would be timed too: see the probes bank_conflict and readonly for that latency";
    }
    if (params->value[SPACING] % 4 != 0) {
        return "the spacing is not a multiple of 4 bytes";
    }
    if (params->value[FOOTPRINT] > 0 && params->value[DISTINCT] != 1) {
        return "all lanes walk a footprint together: distinct must be 1";
    }
    if (params->value[FOOTPRINT] > 0 && params->value[FOOTPRINT] < params->value[SPACING]) {
        return "the footprint is smaller than the spacing";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/timed.cuh"

enum {
    CHAINS = 4,
    GLOBAL_CHAINS = 2 /* its address sums make the loop long */,
    THROUGHPUT_WARPS = 32,
    SHARED_BYTES = 8 << 10
};
enum { PASS_CYCLES = 16000, CHAIN_CYCLES = 16000 }; /* about what N trips should take */

__constant__ static uint32_t table[TABLE_BYTES / 4];

typedef struct walk {
    fx_lanes first, last;  /* offsets at the start and after all passes */
    const uint32_t *image; /* the table in global memory */
} walk;

template <int SPACE_>
__device__ __forceinline__ uint32_t step(uint32_t offset, const uint32_t *image, const uint32_t *copy) {
    if (SPACE_ == CONSTANT) {
        return *(const uint32_t *)((const char *)table + offset);
    }
    if (SPACE_ == SHARED) {
        return *(const volatile uint32_t *)((const char *)copy + offset);
    }
    uint32_t next;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(next) : "l"((const char *)image + offset) : "memory");
    return next;
}

template <int SPACE_, int CHAINS_>
__global__ void walk_indexed(const __grid_constant__ fx_timed timed, const __grid_constant__ walk w) {
    __shared__ uint32_t copy[SHARED_BYTES / 4];
    const uint32_t first = w.first.offset[threadIdx.x % FX_WARP], last = w.last.offset[threadIdx.x % FX_WARP];
    uint32_t offset[CHAINS_];
    bool wrong = false;
    if (SPACE_ == SHARED) {
        for (uint32_t i = threadIdx.x; i < SHARED_BYTES / 4; i += blockDim.x) {
            copy[i] = w.image[i];
        }
        __syncthreads();
    }
    for (int c = 0; c < CHAINS_; c++) {
        offset[c] = first;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t i) {
#pragma unroll
            for (int a = 0; a < fx_steps_of(CHAINS_); a++) {
#pragma unroll
                for (int c = 0; c < CHAINS_; c++) {
                    offset[c] = step<SPACE_>(offset[c], w.image, copy);
                }
            }
        },
        [&] {
            if (CHAINS_ == 1) {
                fx_consume(offset[0]);
            }
        });
    for (int c = 0; c < CHAINS_; c++) {
        wrong |= offset[c] != last;
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

typedef struct state {
    fx_timed_buffer timed;
    const void *kernel;
    uint32_t *host, *image; /* pinned host memory, device memory: TABLE_BYTES each */
    uint32_t trips, length, chains;
    size_t bytes; /* of the table that the case touches */
} state;

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    (void)gpu;
    (void)c;
    fx_timed_close(&s->timed);
    cudaFreeHost(s->host);
    cudaFree(s->image);
    free(s);
}

static const void *choose_kernel(const fx_params *p) {
    static const void *const throughput[] = {
        (const void *)walk_indexed<CONSTANT, CHAINS>,
        (const void *)walk_indexed<SHARED, CHAINS>,
        (const void *)walk_indexed<GLOBAL, GLOBAL_CHAINS>,
    };
    return p->value[MODE] == LATENCY ? (const void *)walk_indexed<CONSTANT, 1> : throughput[p->value[SPACE]];
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    const fx_params *p = &c->params;
    const bool latency = p->value[MODE] == LATENCY;
    fx_status status = FX_OK;
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->kernel = choose_kernel(p);
    s->chains = latency ? 1 : p->value[SPACE] == GLOBAL ? GLOBAL_CHAINS : CHAINS;
    s->length = (uint32_t)(p->value[FOOTPRINT] > 0 ? p->value[FOOTPRINT] / p->value[SPACING] : p->value[DISTINCT]);
    s->bytes = p->value[SPACE] == SHARED ? (size_t)SHARED_BYTES : s->length * (size_t)p->value[SPACING];
    const uint32_t count = c->prediction.count > 1 ? (uint32_t)c->prediction.count : 1;
    s->trips = latency ? fx_timed_trips(CHAIN_CYCLES, FX_CHAIN_STEPS * (30 + 2 * count))
                       : fx_timed_trips(PASS_CYCLES, FX_RATE_STEPS * s->chains * THROUGHPUT_WARPS * count);
    FX_CUDA(cudaMallocHost((void **)&s->host, TABLE_BYTES));
    FX_CUDA(cudaMalloc((void **)&s->image, TABLE_BYTES));
    status = fx_gpu_prepare(s->kernel, 0, 25, err);
    if (status == FX_OK) {
        status = fx_timed_open(&s->timed, latency ? 1 : THROUGHPUT_WARPS, err);
    }
cleanup:
    if (status != FX_OK) {
        close_case(gpu, c, s);
        return status;
    }
    *out = s;
    return FX_OK;
}

/* Links the first `length` addresses of the table to one random cycle, and finds where each lane ends after `steps`. */
static void link_cycle(state *s, const fx_case *c, uint64_t seed, uint64_t steps, walk *w) {
    enum { MOST = TABLE_BYTES / 4 };
    static uint32_t order[MOST], place[MOST];
    const uint32_t spacing = (uint32_t)c->params.value[SPACING], n = s->length;
    for (uint32_t i = 0; i < s->bytes / 4; i++) {
        s->host[i] = fx_random_word(seed, i);
    }
    fx_random_order(seed, order, n);
    for (uint32_t i = 0; i < n; i++) {
        place[order[i]] = i;
        s->host[order[i] * spacing / 4] = order[(i + 1) % n] * spacing;
    }
    w->first = c->lanes;
    for (int l = 0; l < FX_WARP; l++) {
        const uint32_t at = place[(uint32_t)c->lanes.offset[l] / spacing];
        w->last.offset[l] = (int32_t)(order[(at + steps) % n] * spacing);
    }
}

static fx_status upload(fx_gpu *gpu, state *s, fx_error *err) {
    fx_status status = FX_OK;
    FX_CUDA(cudaMemcpyToSymbolAsync(table, s->host, s->bytes, 0, cudaMemcpyHostToDevice, gpu->stream));
    FX_CUDA(cudaMemcpyAsync(s->image, s->host, s->bytes, cudaMemcpyHostToDevice, gpu->stream));
cleanup:
    return status;
}

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state_, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    fx_status status = FX_OK;
    const uint32_t steps = (uint32_t)fx_steps_of((int)s->chains);
    fx_timed timed = fx_timed_argument(&s->timed, s->trips, s->length / steps + 1); /* once round to warm up */
    walk w;
    void *arguments[] = {&timed, &w};
    link_cycle(s, c, seed, fx_timed_steps(&timed, steps, s->length), &w);
    w.image = s->image;
    status = upload(gpu, s, err);
    if (status == FX_OK) {
        status = fx_timed_sample(gpu, &s->timed, s->kernel, 0, arguments, &timed, steps * s->chains, out, err);
    }
    return status;
}
#endif

static const fx_sass sass[] = {
    {"walk_indexed<0, 1>", "LDC", 61, 0},
    {"walk_indexed<0, 4>", "LDC", 148, 0},
    {"walk_indexed<1, 4>", "LDS", 148, 0},
    {"walk_indexed<2, 2>", "LDG.E", 74, 0},
};

static const fx_counter counters[] = {
    {"space=constant", "distinct", 1, "idc__requests.sum", "smsp__inst_executed_op_ldc.sum", 0.01, 0.02},
    {"space=shared", "wavefronts", 1, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "smsp__inst_executed_op_shared_ld.sum", 0.01, 0.02},
    {"space=global", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "smsp__inst_executed_op_global_ld.sum", 0.01, 0.02},
};

static const fx_probe constant = {
    .contract = FX_PROBE_CONTRACT,
    .name = "constant",
    .question = "What does a constant-memory read cost when lanes of a warp want different words?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "mode space spacing",
    .lanes = lanes,
    .law = law,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    FX_TABLE(sass),
    FX_TABLE(counters),
};

FX_PROBE(constant)
