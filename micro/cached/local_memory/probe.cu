/* local_memory: what does it cost to read a thread's own array by an index that is not known at compile time? Method:
 * each thread owns an array whose words say where the next one to read is: in local memory, in shared memory, in
 * registers behind selects, or in registers with indexes that the compiler knows. */
#include "core/probe.h"

enum { MODE, HOME, WORDS, DISTINCT };
enum { THROUGHPUT, LATENCY };
enum { REGISTER, LOCAL, SHARED, SELECT, TREE };
enum { ROWS = 32, MOST_WORDS = 64, WORD_BYTES = 4, READ_WARPS = 16, CHAINS = 4, SELECT_CHAINS = 2 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per read of a full SM (16 warps), or of one dependent chain", "throughput latency", 0, 0,
     THROUGHPUT},
    {"home", "", "place of the array; register: indexes known at compile time", "register local shared select tree", 0,
     0, LOCAL},
    {"words", "words", "length of the array per thread: 8, 16, 32 or 64", NULL, 8, MOST_WORDS, 32},
    {"distinct", "indexes", "different indexes among the lanes of a warp, with words=32", NULL, 1, FX_WARP, 1},
};

static const fx_sweep sweeps[] = {
    {"index", "mode=throughput,latency home=register,local,shared,select,tree words=8,16,32,64",
     "mode=throughput,latency home=register,local,shared,select words=32"},
    {"lanes", "mode=throughput,latency home=local words=32 distinct=1:32",
     "mode=throughput home=local words=32 distinct=1,8,32"},
    {"lanes_shared", "mode=throughput,latency home=shared words=32 distinct=1,2,4,8,12,16,20,24,28,32", NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

/* Where a word of a lane's array lies, counted from the warp's first: word i of lane l at (32 i + l) x 4 bytes. Local
 * memory is interleaved so by the hardware, and the array in shared memory is laid out in the same way. */
static bool lanes(const fx_params *params, fx_lanes *out) {
    const int64_t home = params->value[HOME];
    if (home != LOCAL && home != SHARED) {
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
    out->why_not = local ? NULL : "the count is always 1";
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value;
    const int64_t bytes = v[WORDS] * (v[MODE] == LATENCY ? 1 : READ_WARPS) * FX_WARP * WORD_BYTES;
    return v[WORDS] & (v[WORDS] - 1) ? "words must be 8, 16, 32 or 64"
           : v[DISTINCT] > 1 && (v[WORDS] != ROWS || (v[HOME] != LOCAL && v[HOME] != SHARED))
               ? "distinct above 1 needs words=32 and home=local or home=shared"
           : v[HOME] == SHARED && facts->shared_per_block_bytes > 0 && (uint64_t)bytes > facts->shared_per_block_bytes
               ? "home=shared: the arrays of 16 warps do not fit into the shared memory of a block"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

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
    FX_UNROLL for (int k = 1; k < WORDS_; k++) {
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
        FX_UNROLL for (int k = 0; k < WORDS_ / 2; k++) {
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

extern __shared__ uint32_t all_arrays[]; /* [index][thread] */

/* LOCAL and SHARED. */
template <int HOME_, int WORDS_, int CHAINS_>
__global__ void __launch_bounds__(READ_WARPS *FX_WARP) walk_memory(FX_TIMED_WITH(walk, w)) {
    constexpr int slack = ROWS - 1;
    const uint32_t lane = threadIdx.x % FX_WARP, threads = blockDim.x;
    uint32_t own[HOME_ == LOCAL ? WORDS_ + slack : 1];
    uint32_t base, pitch, offset[CHAINS_];
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
    const auto link = [&](int, int c) {
        offset[c] = HOME_ == LOCAL ? load_local(offset[c]) : fx_load<FX_SHARED, 4>(offset[c]);
    };
    fx_timed_chains<CHAINS_, steps_of(HOME_, WORDS_, CHAINS_)>(timed, marks, link, [&] { return offset[0]; });
    if constexpr (HOME_ == LOCAL) {
        asm volatile("" ::"l"(own) : "memory"); /* the array lives to here */
    }
    fx_timed_end_all<CHAINS_>(timed, marks, [&](int c) { return offset[c] != base + w.last.offset[lane] * pitch; });
}

/* SELECT and TREE. */
template <int HOME_, int WORDS_, int CHAINS_>
__global__ void __launch_bounds__(READ_WARPS *FX_WARP) walk_selected(FX_TIMED_WITH(walk, w)) {
    const uint32_t lane = threadIdx.x % FX_WARP;
    uint32_t own[WORDS_], index[CHAINS_];
    FX_UNROLL for (int k = 0; k < WORDS_; k++) {
        own[k] = w.image[k * FX_WARP + lane];
    }
    for (int c = 0; c < CHAINS_; c++) {
        index[c] = w.image[w.first.offset[(lane + c) % FX_WARP] * FX_WARP + lane]; /* the first link */
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int c) {
        index[c] = HOME_ == SELECT ? select_one(own, index[c]) : select_half(own, index[c]);
    };
    fx_timed_chains<CHAINS_, steps_of(HOME_, WORDS_, CHAINS_)>(timed, marks, link, [&] { return index[0]; });
    const auto is_wrong = [&](int c) { return index[c] != w.image[w.last.offset[lane] * FX_WARP + lane]; };
    fx_timed_end_all<CHAINS_>(timed, marks, is_wrong);
}

/* REGISTER: an addition takes the word as its operand. Of floats, since nobody may reorder those; of 1 and 2, so that
 * sums are exact. */
template <int WORDS_, int CHAINS_>
__global__ void __launch_bounds__(READ_WARPS *FX_WARP) add_registers(FX_TIMED_WITH(walk, w)) {
    constexpr int steps = steps_of(REGISTER, WORDS_, CHAINS_);
    const uint32_t lane = threadIdx.x % FX_WARP;
    float own[WORDS_], sum[CHAINS_];
    uint32_t per_trip = 0;
    FX_UNROLL for (int k = 0; k < WORDS_; k++) {
        own[k] = (float)(1 + w.image[k * FX_WARP + lane] % 2);
    }
    for (int c = 0; c < CHAINS_; c++) {
        sum[c] = (float)(w.first.offset[lane] + c);
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int s, int c) { sum[c] = __fadd_rn(sum[c], own[s % WORDS_]); };
    fx_timed_chains<CHAINS_, steps>(timed, marks, link, [&] { return __float_as_uint(sum[0]); });
    FX_NO_UNROLL for (int s = 0; s < steps; s++) {
        per_trip += 1 + w.image[s % WORDS_ * FX_WARP + lane] % 2;
    }
    const auto is_wrong = [&](int c) { return sum[c] != (float)(w.first.offset[lane] + c + w.trips * per_trip); };
    fx_timed_end_all<CHAINS_>(timed, marks, is_wrong);
}

enum { IMAGE_BYTES = MOST_WORDS * FX_WARP * WORD_BYTES };

/* What the kernel gets, and what the host keeps. */
typedef struct task {
    walk w;
    uint32_t *host; /* the image */
    uint32_t chains, steps;
} task;

/* About what a trip costs. */
static double trip_cycles(const fx_case *c, const task *t, unsigned warps) {
    const int64_t *v = c->params.value;
    const bool latency = v[MODE] == LATENCY;
    const double count = c->prediction.count > 1 ? c->prediction.count : 1, reads = t->steps * t->chains;
    if (selects((int)v[HOME])) {
        const double instructions = reads * (double)v[WORDS] * (v[HOME] == SELECT ? 2 : 1);
        return latency ? 2.5 * instructions : 0.4 * warps * instructions;
    }
    return v[HOME] == REGISTER ? (latency ? 4 : 0.25 * warps) * reads
                               : (latency ? 30 + 2 * count : warps * count) * reads;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    const bool latency = v[MODE] == LATENCY;
    task *t = FX_ARGUMENT(rig, task);
    t->chains = (uint32_t)chains_of((int)v[HOME], latency);
    t->steps = (uint32_t)steps_of((int)v[HOME], (int)v[WORDS], (int)t->chains);
    rig->warps = latency ? 1 : READ_WARPS;
    rig->shared_bytes = v[HOME] == SHARED ? (size_t)(v[WORDS] * WORD_BYTES) * rig->warps * FX_WARP : 0;
    rig->carveout_pct = rig->shared_bytes > 0 ? 100 : 0;
    rig->local_memory = v[HOME] == LOCAL;
    rig->accesses = t->steps * t->chains;
    rig->trip_cycles = trip_cycles(c, t, rig->warps);
    rig->report = fx_rig_local;
    FX_TRY(fx_rig_memory(rig, &t->host, FX_PINNED_MEMORY, IMAGE_BYTES, 0, err));
    return fx_rig_memory(rig, &t->w.image, FX_DEVICE_MEMORY, IMAGE_BYTES, 0, err);
}

/* Links the words of every lane's array to one random cycle, along which all lanes go together; or, where lanes are at
 * different indexes, each word with its neighbour, index ^ 1: so the lines of a read, and the banks of their tags, stay
 * as different as the table has them. Fills in where the lanes start and end. */
static void link_words(task *t, const fx_case *c, uint64_t seed, fx_timed *timed) {
    const uint32_t words = (uint32_t)c->params.value[WORDS];
    const bool pairs = c->params.value[DISTINCT] > 1;
    const uint64_t links = fx_timed_steps(timed, t->steps, pairs ? 2 : words);
    uint32_t order[MOST_WORDS];
    fx_random_order(seed, order, words);
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t from = pairs ? i : order[i], to = pairs ? i ^ 1 : order[(i + 1) % words];
        for (uint32_t l = 0; l < FX_WARP; l++) {
            t->host[from * FX_WARP + l] = to;
        }
    }
    for (int l = 0; l < FX_WARP; l++) {
        const uint32_t index = c->has_lanes ? (uint32_t)c->lanes.offset[l] / (FX_WARP * WORD_BYTES) : order[0];
        uint32_t at = 0;
        while (order[at] != index) {
            at++;
        }
        t->w.first.offset[l] = (int32_t)index;
        t->w.last.offset[l] = (int32_t)(pairs ? index ^ (links & 1) : order[(at + links) % words]);
    }
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    link_words(t, c, seed, &rig->timed);
    t->w.trips = fx_timed_total_trips(&rig->timed);
    return fx_gpu_upload(rig->gpu, (void *)t->w.image, t->host, IMAGE_BYTES, err);
}
#endif

/* A tree has two selects for three words: the assembler guards every other one with the next bit. How many selects a
 * group of either mode has follows from the words of the array. */
#define MODE_ROWS(mode, words, chains, steps, select_chains, selects)                                                  \
    FX_TIMED(mode " home=register words=" #words, FX_K(add_registers, words, chains), {"FADD", chains * steps}),       \
        FX_TIMED(mode " home=local words=" #words, FX_K(walk_memory, LOCAL, words, chains), {"LDL", chains * steps}),  \
        FX_TIMED(mode " home=shared words=" #words, FX_K(walk_memory, SHARED, words, chains),                          \
                 {"LDS", chains * steps}),                                                                             \
        FX_TIMED(mode " home=select words=" #words, FX_K(walk_selected, SELECT, words, select_chains),                 \
                 {"SEL", selects}),                                                                                    \
        FX_TIMED(mode " home=tree words=" #words, FX_K(walk_selected, TREE, words, select_chains), {"SEL", 0})
#define WORDS_ROWS(words, selects, selects_abreast)                                                                    \
    MODE_ROWS("mode=latency", words, 1, FX_CHAIN_STEPS, 1, selects),                                                   \
        MODE_ROWS("mode=throughput", words, CHAINS, FX_RATE_STEPS, SELECT_CHAINS, selects_abreast)

static const fx_kernel kernels[] = {
    WORDS_ROWS(8, 105, 98),
    WORDS_ROWS(16, 105, 90),
    WORDS_ROWS(32, 93, 62),
    WORDS_ROWS(64, 63, 126),
};

static const fx_counter counters[] = {
    {"home=local", "sectors", 1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "smsp__inst_executed_op_local_ld.sum",
     0.01, 0.02},
};

FX_PROBE(local_memory, .question = "What does it cost to index a thread's own array at run time?", .method_version = 1,
         FX_PARTS, .fit_by = "mode home", .extras = "local_bytes local_KiB", .lanes = lanes, .supported = supported,
         .draw = FX_GPU(draw), FX_TABLE(counters), .once = true)
