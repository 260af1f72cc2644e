/* local_memory: what does it cost when a thread's own variables do not stay in registers?
 *
 * Method: read: each thread owns an array of `words` words, each of which says where the next one to read is: an array
 * in local memory, in shared memory, or in registers behind a chain or a tree of selects, as the usual cures have it;
 * and, for comparison, in registers with indexes that the compiler knows. Lanes of a warp read the same index, or
 * `distinct` different ones, from a lane table. update: `live` values, all read and written in every trip, compiled
 * with enough registers and with too few. What can fool it: see README.md. */
#include <math.h>
#include <stdlib.h>

#include "core/probe.h"
#include "core/random.h"

enum { TASK, MODE, HOME, WORDS, DISTINCT, LIVE, REGISTERS, WARPS };
enum { READ, UPDATE };
enum { THROUGHPUT, LATENCY };
enum { REGISTER, LOCAL, SHARED, SELECT, TREE };
enum { TIGHT_REGISTERS = 64, ROOMY_REGISTERS = 255 };
enum { TIGHT_WARPS = 32, ROOMY_WARPS = 8, READ_WARPS = 16 };
enum { ROWS = 32, MOST_WORDS = 64, WORD_BYTES = 4 };

static const fx_axis axes[] = {
    {"task", "", "read an array by its index, or update values all of which are live", "read update", 0, 0, READ},
    {"mode", "", "cycles per read of a full SM (16 warps), or of one dependent chain", "throughput latency", 0, 0,
     THROUGHPUT},
    {"home", "", "where the array is: register means indexes known at compile time",
     "register local shared select tree", 0, 0, LOCAL},
    {"words", "words", "length of a thread's array: 8, 16, 32 or 64", NULL, 8, MOST_WORDS, 32},
    {"distinct", "indexes", "different indexes that the lanes of a warp read, with 32 words", NULL, 1, FX_WARP, 1},
    {"live", "values", "update: live values of a thread: 16, 32, 64, 72, 80, 96, 128, 160 or 200", NULL, 0, 200, 0},
    {"registers", "registers", "update: registers a thread may have: 64 or 255", NULL, TIGHT_REGISTERS, ROOMY_REGISTERS,
     TIGHT_REGISTERS},
    {"warps", "warps", "update: warps on the SM; with 255 registers at most 8", NULL, 2, TIGHT_WARPS, ROOMY_WARPS},
};

#define LIVES "16,32,64,72,80,96,128,160,200"

static const fx_sweep sweeps[] = {
    {"index", "task=read mode=throughput,latency home=register,local,shared,select,tree words=8,16,32,64",
     "task=read mode=throughput,latency home=register,local,shared,select words=32"},
    {"lanes", "task=read mode=throughput,latency home=local words=32 distinct=1:32",
     "task=read mode=throughput home=local words=32 distinct=1,8,32"},
    {"lanes_shared", "task=read mode=throughput,latency home=shared words=32 distinct=1,2,4,8,12,16,20,24,28,32", NULL},
    {"spill", "task=update live=" LIVES " registers=64 warps=8,16,32",
     "task=update live=32,80,200 registers=64 warps=8"},
    {"roomy", "task=update live=" LIVES " registers=255 warps=8", "task=update live=32,80,200 registers=255 warps=8"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* Where a word of a lane's array lies, counted from the warp's first: word i of lane l at (32 i + l) x 4 bytes. Local
 * memory is interleaved so by the hardware, and the array in shared memory is laid out in the same way. */
static bool lanes(const fx_params *params, fx_lanes *out) {
    const int64_t home = params->value[HOME];
    if (params->value[TASK] != READ || (home != LOCAL && home != SHARED)) {
        return false;
    }
    for (int l = 0; l < FX_WARP; l++) {
        out->offset[l] = (int32_t)(l % params->value[DISTINCT] * FX_WARP + l) * WORD_BYTES;
    }
    return true;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->useful_bytes = FX_WARP * WORD_BYTES;
    if (!table) {
        return; /* no addresses */
    }
    const bool local = params->value[HOME] == LOCAL;
    const unsigned wavefronts = fx_law_shared_load(&facts->geometry, table, WORD_BYTES);
    fx_prediction_count(out, "sectors", fx_law_blocks(table, WORD_BYTES, facts->geometry.sector_bytes));
    fx_prediction_count(out, "lines", fx_law_blocks(table, WORD_BYTES, facts->geometry.line_bytes));
    fx_prediction_count(out, "wavefronts", wavefronts);
    fx_prediction_count(out, "tags", fx_law_l1_tags(&facts->geometry, table, WORD_BYTES));
    out->law = local ? "l1_load" : "wavefronts";
    out->count = local ? fx_law_l1_load(&facts->geometry, table, WORD_BYTES) : wavefronts;
    out->in_fit = local; /* in shared memory the count is always 1: there is no line to fit */
}

static const int64_t lives[] = {16, 32, 64, 72, 80, 96, 128, 160, 200};

/* Place of a number of live values in `lives`; its length where no kernel was compiled for it. */
static size_t place_of(int64_t live) {
    size_t i = 0;
    while (i < FX_COUNT(lives) && lives[i] != live) {
        i++;
    }
    return i;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value;
    if (v[TASK] == UPDATE) {
        return place_of(v[LIVE]) == FX_COUNT(lives)
                   ? "no kernel was compiled with so many live values: 16, 32, 64, 72, 80, 96, 128, 160, 200"
               : v[MODE] == LATENCY ? "updates are measured as a rate"
               : v[DISTINCT] != 1   ? "updates have no index"
               : v[REGISTERS] != TIGHT_REGISTERS && v[REGISTERS] != ROOMY_REGISTERS
                   ? "no kernel was compiled for so many registers: 64 or 255"
               : v[REGISTERS] == ROOMY_REGISTERS && v[WARPS] > ROOMY_WARPS
                   ? "an SM has 64 Ki registers: with 255 a thread they do for 8 warps"
                   : NULL;
    }
    if (v[WORDS] & (v[WORDS] - 1)) {
        return "an array has 8, 16, 32 or 64 words";
    }
    if (v[DISTINCT] > 1 && (v[WORDS] != ROWS || (v[HOME] != LOCAL && v[HOME] != SHARED))) {
        return "lanes read different indexes in arrays of 32 words in local or shared memory";
    }
    if (v[HOME] == SHARED && facts->shared_per_block_bytes > 0 &&
        (uint64_t)(v[WORDS] * (v[MODE] == LATENCY ? 1 : READ_WARPS) * FX_WARP * WORD_BYTES) >
            facts->shared_per_block_bytes) {
        return "the arrays of 16 warps do not fit into a block's shared memory";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/timed.cuh"

enum { CHAINS = 4, SELECT_CHAINS = 2, PASS_CYCLES = 16000 };

__host__ __device__ constexpr bool selects(int home) {
    return home == SELECT || home == TREE;
}

__host__ __device__ constexpr int chains_of(int home, bool latency) {
    return latency ? 1 : selects(home) ? SELECT_CHAINS : CHAINS;
}

/* Links of a chain per trip. A select has two instructions per word of the array, and a loop of more than some 256 runs
 * into the instruction cache. Odd, so that chains along a ring of 8 to 64 places do not come round with the trip. */
__host__ __device__ constexpr int steps_of(int home, int words, int chains) {
    const int selected = 128 / chains / words - 1;
    return !selects(home) ? fx_steps_of(chains) : selected > 1 ? selected : 1;
}

typedef struct walk {
    const uint32_t *image; /* word k of lane l at [32 k + l]: the index that follows k */
    fx_lanes first, last;  /* indexes of the lanes at the start and after all passes */
    uint32_t trips;        /* of all passes */
} walk;

/* One by one, as from `if (x == 0) ... else if (x == 1)`. */
template <int WORDS_> __device__ __forceinline__ uint32_t select_one(const uint32_t (&own)[WORDS_], uint32_t x) {
    uint32_t found = own[0];
#pragma unroll
    for (int k = 1; k < WORDS_; k++) {
        found = x == k ? own[k] : found;
    }
    return found;
}

/* Half of the words by each bit of the index, the lowest first. */
template <int WORDS_> __device__ __forceinline__ uint32_t select_half(const uint32_t (&own)[WORDS_], uint32_t x) {
    if constexpr (WORDS_ == 1) {
        return own[0];
    } else {
        uint32_t left[WORDS_ / 2];
        const bool odd = x & 1;
#pragma unroll
        for (int k = 0; k < WORDS_ / 2; k++) {
            const uint32_t even_word = own[2 * k], odd_word = own[2 * k + 1];
            left[k] = odd ? odd_word : even_word;
        }
        return select_half(left, x / 2);
    }
}

/* The array in memory holds addresses, not indexes, so that no arithmetic stands between two reads. */
__device__ __forceinline__ uint32_t load_local(uint32_t address) {
    uint32_t next;
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(next) : "r"(address) : "memory");
    return next;
}

__device__ __forceinline__ uint32_t load_shared(uint32_t address) {
    uint32_t next;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(next) : "r"(address) : "memory");
    return next;
}

extern __shared__ uint32_t all_arrays[]; /* [index][thread] */

/* LOCAL and SHARED. */
template <int HOME_, int WORDS_, int CHAINS_>
__global__ void __launch_bounds__(READ_WARPS *FX_WARP)
    walk_memory(const __grid_constant__ fx_timed timed, const __grid_constant__ walk w) {
    constexpr int slack = ROWS - 1;
    const uint32_t lane = threadIdx.x % FX_WARP, threads = blockDim.x;
    uint32_t own[HOME_ == LOCAL ? WORDS_ + slack : 1];
    uint32_t base, pitch, offset[CHAINS_];
    bool wrong = false;
    if constexpr (HOME_ == LOCAL) {
        /* the law counts tag banks, which are an exclusive or over address bits: a warp's first row is aligned to
         * ROWS rows, as far as local addresses tell */
        base = (uint32_t)__cvta_generic_to_local(own);
        base = (base + slack * WORD_BYTES) & ~(uint32_t)(ROWS * WORD_BYTES - 1);
        pitch = WORD_BYTES;
    } else {
        base = (uint32_t)__cvta_generic_to_shared(all_arrays) + threadIdx.x * WORD_BYTES;
        pitch = threads * WORD_BYTES;
    }
    for (uint32_t k = 0; k < WORDS_; k++) {
        const uint32_t address = base + k * pitch, next = base + w.image[k * FX_WARP + lane] * pitch;
        if (HOME_ == LOCAL) {
            asm volatile("st.local.u32 [%0], %1;" ::"r"(address), "r"(next) : "memory");
        } else {
            asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(next) : "memory");
        }
    }
    for (int c = 0; c < CHAINS_; c++) {
        offset[c] = base + w.first.offset[lane] * pitch;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t) {
#pragma unroll
            for (int s = 0; s < steps_of(HOME_, WORDS_, CHAINS_); s++) {
#pragma unroll
                for (int c = 0; c < CHAINS_; c++) {
                    offset[c] = HOME_ == LOCAL ? load_local(offset[c]) : load_shared(offset[c]);
                }
            }
        },
        [&] {
            if (CHAINS_ == 1) {
                fx_consume(offset[0]);
            }
        });
    for (int c = 0; c < CHAINS_; c++) {
        wrong |= offset[c] != base + w.last.offset[lane] * pitch;
    }
    if constexpr (HOME_ == LOCAL) {
        asm volatile("" ::"l"(own) : "memory"); /* the array lives to here */
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* SELECT and TREE. */
template <int HOME_, int WORDS_, int CHAINS_>
__global__ void __launch_bounds__(READ_WARPS *FX_WARP)
    walk_selected(const __grid_constant__ fx_timed timed, const __grid_constant__ walk w) {
    const uint32_t lane = threadIdx.x % FX_WARP;
    uint32_t own[WORDS_], index[CHAINS_];
    bool wrong = false;
#pragma unroll
    for (int k = 0; k < WORDS_; k++) {
        own[k] = w.image[k * FX_WARP + lane];
    }
    for (int c = 0; c < CHAINS_; c++) {
        index[c] = w.image[w.first.offset[(lane + c) % FX_WARP] * FX_WARP + lane]; /* the first link */
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t) {
#pragma unroll
            for (int s = 0; s < steps_of(HOME_, WORDS_, CHAINS_); s++) {
#pragma unroll
                for (int c = 0; c < CHAINS_; c++) {
                    index[c] = HOME_ == SELECT ? select_one(own, index[c]) : select_half(own, index[c]);
                }
            }
        },
        [&] {
            if (CHAINS_ == 1) {
                fx_consume(index[0]);
            }
        });
    for (int c = 0; c < CHAINS_; c++) {
        wrong |= index[c] != w.image[w.last.offset[lane] * FX_WARP + lane];
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* REGISTER: an addition takes the word as its operand. Of floats, since nobody may reorder those; of 1 and 2, so that
 * sums are exact. */
template <int WORDS_, int CHAINS_>
__global__ void __launch_bounds__(READ_WARPS *FX_WARP)
    add_registers(const __grid_constant__ fx_timed timed, const __grid_constant__ walk w) {
    constexpr int steps = steps_of(REGISTER, WORDS_, CHAINS_);
    const uint32_t lane = threadIdx.x % FX_WARP;
    float own[WORDS_], sum[CHAINS_];
    uint32_t per_trip = 0;
    bool wrong = false;
#pragma unroll
    for (int k = 0; k < WORDS_; k++) {
        own[k] = (float)(1 + w.image[k * FX_WARP + lane] % 2);
    }
    for (int c = 0; c < CHAINS_; c++) {
        sum[c] = (float)(w.first.offset[lane] + c);
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(
        timed, marks, FX_ALL_LANES,
        [&](uint32_t) {
#pragma unroll
            for (int s = 0; s < steps; s++) {
#pragma unroll
                for (int c = 0; c < CHAINS_; c++) {
                    sum[c] = __fadd_rn(sum[c], own[s % WORDS_]);
                }
            }
        },
        [&] {
            if (CHAINS_ == 1) {
                fx_consume(__float_as_uint(sum[0]));
            }
        });
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        per_trip += 1 + w.image[s % WORDS_ * FX_WARP + lane] % 2;
    }
    for (int c = 0; c < CHAINS_; c++) {
        wrong |= sum[c] != (float)(w.first.offset[lane] + c + w.trips * per_trip);
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* Every value is multiplied by one and grows by one in each trip; the compiler knows of neither one. */
typedef struct update {
    const uint32_t *image; /* a small start value for each lane, then 32 times 1 */
    uint32_t trips;        /* of all passes */
} update;

/* A block of 1024 threads leaves 64 registers to each, one of 256 leaves 255. */
template <int LIVE_, int WARPS_>
__global__ void __launch_bounds__(WARPS_ *FX_WARP)
    update_values(const __grid_constant__ fx_timed timed, const __grid_constant__ update u) {
    const uint32_t lane = threadIdx.x % FX_WARP;
    const float first = (float)u.image[lane], last = first + (float)u.trips, one = (float)u.image[FX_WARP + lane];
    float value[LIVE_];
    bool wrong = false;
#pragma unroll
    for (int k = 0; k < LIVE_; k++) {
        value[k] = first + k;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
#pragma unroll
        for (int k = 0; k < LIVE_; k++) {
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value[k]) : "f"(one));
        }
    });
#pragma unroll
    for (int k = 0; k < LIVE_; k++) {
        wrong |= value[k] != last + k;
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, wrong);
}

/* By HOME, but without REGISTER. */
template <int WORDS_, int LATENCY_> static const void *reader(int64_t home) {
    static const void *const readers[] = {
        (const void *)add_registers<WORDS_, chains_of(REGISTER, LATENCY_)>,
        (const void *)walk_memory<LOCAL, WORDS_, chains_of(LOCAL, LATENCY_)>,
        (const void *)walk_memory<SHARED, WORDS_, chains_of(SHARED, LATENCY_)>,
        (const void *)walk_selected<SELECT, WORDS_, chains_of(SELECT, LATENCY_)>,
        (const void *)walk_selected<TREE, WORDS_, chains_of(TREE, LATENCY_)>,
    };
    return readers[home];
}

template <int WORDS_> static const void *reader_of(const fx_params *p) {
    return p->value[MODE] == LATENCY ? reader<WORDS_, true>(p->value[HOME]) : reader<WORDS_, false>(p->value[HOME]);
}

#define UPDATERS(live) {(const void *)update_values<live, TIGHT_WARPS>, (const void *)update_values<live, ROOMY_WARPS>}

static const void *choose_kernel(const fx_params *p) {
    static const void *const updaters[FX_COUNT(lives)][2] = {
        UPDATERS(16), UPDATERS(32),  UPDATERS(64),  UPDATERS(72),  UPDATERS(80),
        UPDATERS(96), UPDATERS(128), UPDATERS(160), UPDATERS(200),
    };
    const int64_t words = p->value[WORDS];
    if (p->value[TASK] == UPDATE) {
        return updaters[place_of(p->value[LIVE])][p->value[REGISTERS] == ROOMY_REGISTERS];
    }
    return words == 8    ? reader_of<8>(p)
           : words == 16 ? reader_of<16>(p)
           : words == 32 ? reader_of<32>(p)
                         : reader_of<MOST_WORDS>(p);
}

enum { IMAGE_BYTES = MOST_WORDS * FX_WARP * WORD_BYTES };

typedef struct state {
    fx_timed_buffer timed;
    const void *kernel;
    uint32_t *host, *image; /* pinned host memory, device memory: IMAGE_BYTES each */
    uint32_t trips, chains, steps;
    size_t shared_bytes, local_bytes; /* local: of one thread */
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

/* About what a trip costs, so that passes come out about PASS_CYCLES long. */
static double trip_cycles(const fx_case *c, const state *s, unsigned warps) {
    const int64_t *v = c->params.value;
    const double count = c->prediction.count > 1 ? c->prediction.count : 1, reads = s->steps * s->chains;
    if (v[TASK] == UPDATE) {
        return warps * (0.25 * (double)v[LIVE] + 0.5 * (double)s->local_bytes);
    }
    if (selects((int)v[HOME])) {
        const double instructions = reads * (double)v[WORDS] * (v[HOME] == SELECT ? 2 : 1);
        return v[MODE] == LATENCY ? 2.5 * instructions : 0.4 * warps * instructions;
    }
    const bool latency = v[MODE] == LATENCY;
    return v[HOME] == REGISTER ? (latency ? 4 : 0.25 * warps) * reads
                               : (latency ? 30 + 2 * count : warps * count) * reads;
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    const int64_t *v = c->params.value;
    const bool latency = v[MODE] == LATENCY;
    const unsigned warps = v[TASK] == UPDATE ? (unsigned)v[WARPS] : latency ? 1 : READ_WARPS;
    struct cudaFuncAttributes attributes;
    fx_status status = FX_OK;
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->kernel = choose_kernel(&c->params);
    s->chains = (uint32_t)chains_of((int)v[HOME], latency);
    s->steps = (uint32_t)steps_of((int)v[HOME], (int)v[WORDS], (int)s->chains);
    s->shared_bytes = v[TASK] == READ && v[HOME] == SHARED ? (size_t)(v[WORDS] * WORD_BYTES) * warps * FX_WARP : 0;
    FX_CUDA(cudaFuncGetAttributes(&attributes, s->kernel));
    s->local_bytes = attributes.localSizeBytes;
    s->trips = fx_timed_trips(v[TASK] == UPDATE ? 4 * PASS_CYCLES : PASS_CYCLES, trip_cycles(c, s, warps));
    FX_CUDA(cudaMallocHost((void **)&s->host, IMAGE_BYTES));
    FX_CUDA(cudaMalloc((void **)&s->image, IMAGE_BYTES));
    status = (v[TASK] == UPDATE ? v[REGISTERS] == TIGHT_REGISTERS : v[HOME] == LOCAL)
                 ? fx_gpu_prepare_local(s->kernel, 0, 0, err)
                 : fx_gpu_prepare(s->kernel, s->shared_bytes, s->shared_bytes > 0 ? 100 : 0, err);
    if (status == FX_OK) {
        status = fx_timed_open(&s->timed, warps, err);
    }
cleanup:
    if (status != FX_OK) {
        close_case(gpu, c, s);
        return status;
    }
    *out = s;
    return FX_OK;
}

/* Links the words of every lane's array to one random cycle, along which all lanes go together; or, where lanes are at
 * different indexes, each word with its neighbour, index ^ 1: so the lines of a read, and the banks of their tags, stay
 * as different as the table has them. Fills in where the lanes start and end. */
static void link_words(state *s, const fx_case *c, uint64_t seed, fx_timed *timed, walk *w) {
    const uint32_t words = (uint32_t)c->params.value[WORDS];
    const bool pairs = c->params.value[DISTINCT] > 1;
    const uint64_t links = fx_timed_steps(timed, s->steps, pairs ? 2 : words);
    uint32_t order[MOST_WORDS];
    fx_random_order(seed, order, words);
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t from = pairs ? i : order[i], to = pairs ? i ^ 1 : order[(i + 1) % words];
        for (uint32_t l = 0; l < FX_WARP; l++) {
            s->host[from * FX_WARP + l] = to;
        }
    }
    for (int l = 0; l < FX_WARP; l++) {
        const uint32_t index = c->has_lanes ? (uint32_t)c->lanes.offset[l] / (FX_WARP * WORD_BYTES) : order[0];
        uint32_t at = 0;
        while (order[at] != index) {
            at++;
        }
        w->first.offset[l] = (int32_t)index;
        w->last.offset[l] = (int32_t)(pairs ? index ^ (links & 1) : order[(at + links) % words]);
    }
}

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state_, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    fx_status status = FX_OK;
    const bool reads = c->params.value[TASK] == READ;
    fx_timed timed = fx_timed_argument(&s->timed, s->trips, 0);
    walk w = {.image = s->image};
    update u = {.image = s->image};
    void *arguments[] = {&timed, reads ? (void *)&w : (void *)&u};
    if (reads) {
        link_words(s, c, seed, &timed, &w);
    } else {
        timed.barriers = timed.passes; /* one warp's multiply-adds can fill the pipe, and then the others wait */
        for (uint32_t l = 0; l < FX_WARP; l++) {
            s->host[l] = fx_random_word(seed, l) % 4096;
            s->host[FX_WARP + l] = 1;
        }
    }
    w.trips = u.trips = fx_timed_total_trips(&timed);
    FX_CUDA(cudaMemcpyAsync(s->image, s->host, IMAGE_BYTES, cudaMemcpyHostToDevice, gpu->stream));
    status = fx_timed_sample(gpu, &s->timed, s->kernel, s->shared_bytes, arguments, &timed,
                             reads ? s->steps * s->chains : (double)c->params.value[LIVE], out, err);
    out->extra[0] = (double)s->local_bytes;
    out->extra[1] = (double)(s->local_bytes * s->timed.warps * FX_WARP) / 1024;
cleanup:
    return status;
}
#endif

#define READERS(words)                                                                                                 \
    {"add_registers<" #words ", 1>", "FADD", 61, 0}, {"add_registers<" #words ", 4>", "FADD", 148, 0},                 \
        {"walk_memory<1, " #words ", 1>", "LDL", 61, 0}, {"walk_memory<1, " #words ", 4>", "LDL", 148, 0},             \
        {"walk_memory<2, " #words ", 1>", "LDS", 61, 0}, {"walk_memory<2, " #words ", 4>", "LDS", 148, 0},             \
        {"walk_selected<4, " #words ", 1>", "SEL", 0, 0}, {                                                            \
        "walk_selected<4, " #words ", 2>", "SEL", 0, 0                                                                 \
    }

#define ROOMY(live) {"update_values<" #live ", 8>", "FFMA", live, 0}
#define SPILLED(live)                                                                                                  \
    ROOMY(live), {"update_values<" #live ", 32>", "FFMA", live, 0}, {"update_values<" #live ", 32>", "LDL.LU", 0, 0},  \
    {                                                                                                                  \
        "update_values<" #live ", 32>", "STL", 0, 0                                                                    \
    }

/* A tree has two selects for three words: the assembler guards every other one with the next bit. */
static const fx_sass sass[] = {
    READERS(8),
    READERS(16),
    READERS(32),
    READERS(64),
    {"walk_selected<3, 8, 1>", "SEL", 15 * 7, 0},
    {"walk_selected<3, 8, 2>", "SEL", 2 * 7 * 7, 0},
    {"walk_selected<3, 16, 1>", "SEL", 7 * 15, 0},
    {"walk_selected<3, 16, 2>", "SEL", 2 * 3 * 15, 0},
    {"walk_selected<3, 32, 1>", "SEL", 3 * 31, 0},
    {"walk_selected<3, 32, 2>", "SEL", 2 * 31, 0},
    {"walk_selected<3, 64, 1>", "SEL", 63, 0},
    {"walk_selected<3, 64, 2>", "SEL", 2 * 63, 0},
    ROOMY(16),
    {"update_values<16, 32>", "FFMA", 16, 0},
    ROOMY(32),
    {"update_values<32, 32>", "FFMA", 32, 0},
    SPILLED(64),
    SPILLED(72),
    SPILLED(80),
    SPILLED(96),
    SPILLED(128),
    SPILLED(160),
    SPILLED(200),
};

static const fx_counter counters[] = {
    {"task=read home=local", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
     "smsp__inst_executed_op_local_ld.sum", 0.01, 0.02},
};

static const fx_probe local_memory = {
    .contract = FX_PROBE_CONTRACT,
    .name = "local_memory",
    .question = "What does it cost when a thread's own variables do not stay in registers?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "task mode home",
    .extras = "local_bytes local_KiB",
    .lanes = lanes,
    .law = law,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    FX_TABLE(sass),
    FX_TABLE(counters),
};

FX_PROBE(local_memory)
