/* histogram: what does counting values into bins cost, by where and how it is counted? Method: the whole device counts
 * 32 Mi values, fresh for each launch; clearing the bins belongs to a run. The oracle is exact: sums over values and
 * over bins, with random weights. */
#include "core/probe.h"
#include "core/random.h"

enum { GLOBAL, AGGREGATED, SHARED, PER_WARP, COPIES, RUNS };
enum { UNIFORM, SKEWED, REPEATED, CONSTANT };
enum { VARIANT, DATA, BINS };

enum { COUNTED = 32 << 20 /* values of one run */, WORD_BYTES = 4 };
enum { THREADS = 512, WARPS = THREADS / FX_WARP, BLOCKS_PER_SM = 4 };
enum { QUAD = 4, RUN = 16 /* values of a thread's turn */ };
enum { LANE_COPIES = 8, MOST_BINS = 64 << 10, SHARED_BYTES = 48 << 10 /* of a block, so that four fit everywhere */ };
enum { REPEATS = 16 /* of a value, in a row */ };

/* Value i of the input named `seed`, below 2^bins_bits. Skewed: the fourth power of a uniform number, so that bin 0
 * gets the fourth root of 1 / bins. */
FX_HOST_DEVICE static inline uint32_t value_of(int data, uint64_t seed, uint64_t i, uint32_t bins_bits) {
    const uint64_t place = data == CONSTANT ? 0 : data == REPEATED ? i / REPEATS : i;
    uint64_t u = fx_random_at(seed, place) >> 32;
    if (data == SKEWED) {
        u = u * u >> 32;
        u = u * u >> 32;
    }
    return (uint32_t)(u >> (32 - bins_bits));
}

/* Where copy `lane` or `warp` of a bin lies in the shared memory of a block, in words: bin * step + warp * of_warp +
 * (lane modulo the copies) * 1. One code serves all; a single copy has step 1. */
typedef struct copies {
    uint32_t step, of_warp, lanes, words;
} copies;

static inline copies copies_of(int64_t variant, uint32_t bins) {
    const copies one = {1, 0, 1, bins}, per_warp = {1, bins, 1, bins * WARPS};
    const copies per_lane = {LANE_COPIES, 0, LANE_COPIES, bins * LANE_COPIES};
    return variant == PER_WARP ? per_warp : variant == COPIES ? per_lane : one;
}

static const fx_axis axes[] = {
    {"variant", "",
     "atomics in global memory, one per value or one per distinct value in a warp; in shared memory, "
     "one copy per block, one per warp, or eight by lane; the same after each thread has added up runs",
     "global aggregated shared per_warp copies runs", 0, 0, SHARED},
    {"data", "",
     "distribution of the values: uniform; fourth powers of uniform numbers; uniform, each 16 times in a row; one "
     "value",
     "uniform skewed repeated constant", 0, 0, UNIFORM},
    {"bins", "bins", "bins, a power of two", NULL, 32, MOST_BINS, 256},
};

static const fx_sweep sweeps[] = {
    {"bins", "variant=global,aggregated data=uniform bins=256,4Ki,64Ki", "variant=global data=uniform bins=4Ki"},
    {"bins_shared", "variant=shared,runs data=uniform bins=64,256,4Ki,16Ki", "variant=shared data=uniform bins=4Ki"},
    {"bins_copies", "variant=per_warp,copies data=uniform bins=64,256,1Ki", NULL},
    {"data", "variant=all data=skewed,repeated,constant bins=256", "variant=shared,runs data=constant bins=256"},
};

static const fx_metric metrics[] = {{"histogram_ns", "ns", FX_GPU_NS, false, "histogram of 32 Mi values"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "values";
    out->count = COUNTED;
    out->why_not = "the bottleneck of a histogram changes with its data and its bins";
    out->useful_bytes = (double)COUNTED * WORD_BYTES;
}

static bool in_shared(int64_t variant) {
    return variant != GLOBAL && variant != AGGREGATED;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t bins = params->value[BINS];
    return bins & (bins - 1) ? "bins must be a power of two"
           : params->value[VARIANT] == AGGREGATED && facts->compute_major < 7
               ? "variant=aggregated needs compute capability 7.0"
           : in_shared(params->value[VARIANT]) &&
                   copies_of(params->value[VARIANT], (uint32_t)bins).words * (uint64_t)WORD_BYTES >
                       facts->shared_per_block_bytes
               ? "bins: the copies of a block do not fit into its shared memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "gpu/cuda_half.cuh"

/* The kernels of the histogram. Blocks go through the input together, a quad of values per thread at a time, and count
 * in global memory, or in copies of their own in shared memory, which they add up at their end. */

typedef struct job {
    const uint4 *in;
    uint32_t *bins;
    uint32_t quads, bin_count, bins_bits;
    copies own;
} job;

/* Every value an atomic in global memory; or one for all lanes of the warp that share a value. */
template <int VARIANT_> __device__ __forceinline__ void count_global(const job &j, uint32_t value) {
    if constexpr (VARIANT_ == AGGREGATED) {
#if __CUDA_ARCH__ >= 700
        const unsigned same = __match_any_sync(0xffffffffu, value);
        if (__ffs((int)same) - 1 == (int)(threadIdx.x % FX_WARP)) {
            atomicAdd(&j.bins[value], (uint32_t)__popc(same));
        }
#endif
    } else {
        atomicAdd(&j.bins[value], 1u);
    }
}

template <int VARIANT_> __global__ void __launch_bounds__(THREADS) count(const __grid_constant__ job j) {
    FX_NO_UNROLL for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < j.quads; i += gridDim.x * THREADS) {
        const uint4 v = j.in[i];
        count_global<VARIANT_>(j, v.x);
        count_global<VARIANT_>(j, v.y);
        count_global<VARIANT_>(j, v.z);
        count_global<VARIANT_>(j, v.w);
    }
}

__device__ __forceinline__ void clear_own(const job &j, uint32_t *own) {
    for (uint32_t w = threadIdx.x; w < j.own.words; w += THREADS) {
        own[w] = 0;
    }
    __syncthreads();
}

/* Adds the block's copies to the common table. Lanes begin with different copies of their bins, whose banks differ. */
__device__ __forceinline__ void add_own(const job &j, const uint32_t *own) {
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < j.bin_count; b += THREADS) {
        uint32_t sum = 0;
        const uint32_t all = j.own.words / j.bin_count;
        FX_NO_UNROLL for (uint32_t c = 0; c < all; c++) {
            sum += own[j.own.lanes > 1 ? b * LANE_COPIES + (c + threadIdx.x / (FX_WARP / LANE_COPIES)) % LANE_COPIES
                                       : c * j.bin_count + b];
        }
        atomicAdd(&j.bins[b], sum);
    }
}

__global__ static void __launch_bounds__(THREADS) count_shared(const __grid_constant__ job j) {
    extern __shared__ uint32_t own[];
    clear_own(j, own);
    uint32_t *mine = own + threadIdx.x / FX_WARP * j.own.of_warp + threadIdx.x % j.own.lanes;
    const uint32_t step = j.own.step;
    FX_NO_UNROLL for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < j.quads / 2; i += gridDim.x * THREADS) {
        const uint4 v = j.in[i], w = j.in[i + j.quads / 2];
        atomicAdd(mine + v.x * step, 1u);
        atomicAdd(mine + v.y * step, 1u);
        atomicAdd(mine + v.z * step, 1u);
        atomicAdd(mine + v.w * step, 1u);
        atomicAdd(mine + w.x * step, 1u);
        atomicAdd(mine + w.y * step, 1u);
        atomicAdd(mine + w.z * step, 1u);
        atomicAdd(mine + w.w * step, 1u);
    }
    add_own(j, own);
}

/* RUN values side by side per thread; what repeats is added once. */
__global__ static void __launch_bounds__(THREADS) count_runs(const __grid_constant__ job j) {
    extern __shared__ uint32_t own[];
    clear_own(j, own);
    FX_NO_UNROLL for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < j.quads / (RUN / QUAD);
                      i += gridDim.x * THREADS) {
        uint32_t value[RUN], length = 1;
        FX_UNROLL for (int q = 0; q < RUN / QUAD; q++) {
            const uint4 v = j.in[i * (RUN / QUAD) + q];
            value[q * QUAD] = v.x, value[q * QUAD + 1] = v.y, value[q * QUAD + 2] = v.z, value[q * QUAD + 3] = v.w;
        }
        FX_UNROLL for (int k = 1; k < RUN; k++) {
            if (value[k] != value[k - 1]) {
                atomicAdd(&own[value[k - 1]], length);
                length = 0;
            }
            length++;
        }
        atomicAdd(&own[value[RUN - 1]], length);
    }
    add_own(j, own);
}

__global__ static void lay_values(uint32_t *to, uint64_t count, uint64_t seed, int data, uint32_t bins_bits) {
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        to[i] = value_of(data, seed, i, bins_bits);
    }
}

/* The oracle: each bin has a random weight of 64 bits, and the weights of all values must add up to those of all bins,
 * each times its count. Values are made again, not read. */
__global__ static void weigh_values(uint64_t first, uint64_t count, uint64_t seed, int data, uint32_t bins_bits,
                                    unsigned long long *sums) {
    unsigned long long sum = 0;
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        sum += fx_random_at(~seed, value_of(data, seed, first + i, bins_bits));
    }
    fx_sums_add(sums, sum);
}

__global__ static void weigh_bins(const uint32_t *bins, uint32_t count, uint64_t seed, unsigned long long *sums) {
    unsigned long long sum = 0;
    for (uint32_t b = blockIdx.x * blockDim.x + threadIdx.x; b < count; b += gridDim.x * blockDim.x) {
        sum += bins[b] * fx_random_at(~seed, b);
    }
    fx_sums_add(sums, sum);
}

enum { LAUNCHED = 3 /* times N runs: all of a sample */, RESERVED_BYTES = 1024 /* of shared memory, a block */ };

/* What the kernel gets, and what the host keeps. */
typedef struct work {
    job j;
    uint32_t *values;
    uint64_t count, seed, next, last; /* of the values; where the next launch begins, and the last run began */
    int data;
} work;

/* Blocks of one SM, all there at once. */
static uint32_t blocks_per_sm(const fx_facts *facts, uint32_t own_words) {
    const uint64_t room = facts->shared_per_sm_bytes / (own_words * (uint64_t)WORD_BYTES + RESERVED_BYTES);
    const uint64_t warps = facts->warps_per_sm > 0 ? (uint64_t)facts->warps_per_sm / WARPS : BLOCKS_PER_SM;
    const uint64_t most = warps < BLOCKS_PER_SM ? warps : BLOCKS_PER_SM;
    return (uint32_t)(room > most ? most : room > 0 ? room : 1);
}

static uint32_t bits_of(int64_t bins) {
    uint32_t bits = 0;
    while (bins > 1) {
        bins /= 2;
        bits++;
    }
    return bits;
}

/* A run clears the bins and counts. Each has values of its own. */
static fx_status launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    for (int i = 0; i < (1 + which) * (int)rig->units; i++, w->next += COUNTED) {
        w->j.in = (const uint4 *)(w->values + w->next);
        w->last = w->next;
        FX_TRY_CUDA(cudaMemsetAsync(w->j.bins, 0, w->j.bin_count * sizeof *w->j.bins, rig->gpu->stream));
        FX_TRY(fx_gpu_launch(rig->gpu, rig->work->entry.address, rig->blocks, THREADS, rig->shared_bytes,
                             fx_arguments{&w->j}, err));
    }
    return FX_OK;
}

/* The bins hold the last run's values. */
static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    uint64_t count = COUNTED;
    void *values[] = {&w->last, &count, &w->seed, &w->data, &w->j.bins_bits, &rig->sums};
    void *bins[] = {&w->j.bins, &w->j.bin_count, &w->seed, &rig->sums};
    unsigned long long wanted = 0, found = 0;
    FX_TRY(aid_sum(rig, "weigh_values", values, &wanted, err));
    FX_TRY(aid_sum(rig, "weigh_bins", bins, &found, err));
    FX_FAIL_IF(found != wanted, err, FX_WRONG_RESULT, "the bins hold wrong counts (sum %016llx, not %016llx)", found,
               wanted);
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const bool shared = in_shared(c->params.value[VARIANT]);
    work *w = FX_ARGUMENT(rig, work);
    w->j.bin_count = (uint32_t)c->params.value[BINS];
    w->j.bins_bits = bits_of(c->params.value[BINS]);
    w->j.own = copies_of(c->params.value[VARIANT], w->j.bin_count);
    w->j.quads = COUNTED / QUAD;
    rig->units = shared ? 4 : 1; /* one takes milliseconds in global memory */
    w->count = (uint64_t)rig->units * LAUNCHED * COUNTED;
    w->data = (int)c->params.value[DATA];
    rig->shared_bytes = shared ? w->j.own.words * sizeof *w->j.bins : 0;
    rig->carveout_pct = shared ? 100 : 0;
    rig->warps = WARPS;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count * blocks_per_sm(&rig->gpu->facts, shared ? w->j.own.words : 0);
    rig->cold = true;
    rig->launch = launch;
    rig->check = check;
    FX_TRY(fx_rig_memory(rig, &w->values, FX_POOL_MEMORY, w->count * sizeof *w->values, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->j.bins, FX_DEVICE_MEMORY, w->j.bin_count * sizeof *w->j.bins, 0, err));
    return fx_rig_sums(rig, NULL, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    w->next = 0;
    return aid(rig, "lay_values", fx_arguments{&w->values, &w->count, &w->seed, &w->data, &w->j.bins_bits}, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("variant=global", FX_K(count, GLOBAL), {"LDG.E.128", 1}, {"RED.E.ADD.STRONG.GPU", 4}),
    FX_TIMED("variant=aggregated", FX_K(count, AGGREGATED), {"LDG.E.128", 1}, {"RED.E.ADD.STRONG.GPU", 4},
             {"MATCH.ANY", 0}),
    FX_TIMED_FROM(80, "variant=shared,per_warp,copies", FX_K(count_shared), {"LDG.E.128", 2}, {"ATOMS.POPC.INC.32", 8},
                  {"RED.E.ADD.STRONG.GPU", 0}),
    FX_TIMED_FROM(80, "variant=runs", FX_K(count_runs), {"LDG.E.128", 4}, {"ATOMS.ADD", 15}, {"ATOMS.POPC.INC.32", 1},
                  {"RED.E.ADD.STRONG.GPU", 0}),
    FX_AIDED("", FX_K(lay_values)),
    FX_AIDED("", FX_K(weigh_values)),
    FX_AIDED("", FX_K(weigh_bins)),
};

FX_PROBE(histogram, .question = "What does a histogram cost, by where and how it is counted?",
         .method_version = 2, /* 1: atomics on words picked at random, now atomic_table */
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
