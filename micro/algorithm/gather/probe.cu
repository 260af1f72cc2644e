/* gather: what does out[i] = table[index[i]] cost, by the size of the elements and of the table? Method: 4 Mi elements
 * at random places of a table are copied side by side into an array. Indices are fresh for each launch, and come from
 * DRAM, as the results go there. Indices and elements are computed again for the oracle. */
#include "core/probe.h"
#include "core/random.h"

enum { PLAIN, READONLY, TEXTURE, SORTED, TOGETHER };
enum { VARIANT, ELEMENT, FOOTPRINT, WINDOW };
enum { THREADS = 256, MOST_PART = 16, INDEX_BYTES = 4, TABLE_SEED = 11 };
enum { GATHERED = 4 << 20 /* elements of one run */ };

/* Loads of one lane for one element. */
FX_HOST_DEVICE static inline int parts_of(int element) {
    return element <= MOST_PART ? 1 : element / MOST_PART;
}

/* Elements of a thread: four loads in flight, or those of one element. */
FX_HOST_DEVICE static inline int unroll_of(int element) {
    return parts_of(element) >= 4 ? 1 : 4 / parts_of(element);
}

static const fx_axis axes[] = {
    {"variant", "",
     "one lane per element with plain, read-only or texture loads; "
     "indices sorted within windows; several lanes per element",
     "plain readonly texture sorted together", 0, 0, PLAIN},
    {"element", "bytes", "size of an element: 1, 4, 8, 16, 32 or 128", NULL, 1, 128, 4},
    {"footprint", "bytes", "size of the table, a power of two", NULL, 16 << 10, (int64_t)1 << 40, (int64_t)1 << 30},
    {"window", "elements", "indices per sorted window, a power of two; used by variant=sorted", NULL, FX_WARP, GATHERED,
     1 << 20},
};

static const fx_sweep sweeps[] = {
    {"footprint", "variant=plain element=4,32 footprint=64Ki,8Mi,16Mi,32Mi,64Mi,128Mi,1Gi,4Gi,16Gi",
     "variant=plain element=4 footprint=64Ki,8Mi,1Gi"},
    {"tlb", "variant=plain element=32 footprint=8Gi,32Gi,64Gi", NULL},
    {"element", "variant=plain element=1,8,16,128 footprint=64Ki,8Mi,1Gi", NULL},
    {"path", "variant=readonly,texture element=4,16 footprint=64Ki,8Mi,1Gi", NULL},
    {"sorted", "variant=sorted element=4 footprint=128Mi,1Gi,16Gi window=64Ki,1Mi,4Mi",
     "variant=sorted element=4 footprint=1Gi window=4Mi"},
    {"together", "variant=together element=32,128 footprint=64Ki,8Mi,1Gi", NULL},
};

static const fx_metric metrics[] = {{"gather_ns", "ns", FX_GPU_NS, false, "gather of 4 Mi elements"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "elements";
    out->count = GATHERED;
    out->why_not = "the bottleneck of a gather changes with its element and its table";
    out->useful_bytes = (double)GATHERED * (INDEX_BYTES + 2 * (double)params->value[ELEMENT]);
}

static bool is_power_of_two(int64_t value) {
    return (value & (value - 1)) == 0;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t variant = params->value[VARIANT], element = params->value[ELEMENT];
    const int64_t elements = params->value[FOOTPRINT] / element;
    return !is_power_of_two(element) || element == 2 || element == 64 ? "element must be 1, 4, 8, 16, 32 or 128"
           : !is_power_of_two(params->value[FOOTPRINT])               ? "footprint must be a power of two"
           : elements > (int64_t)1 << 32 ? "footprint must not have more than 4 Gi elements: indices have 32 bits"
           : facts->memory_bytes > 0 && (uint64_t)params->value[FOOTPRINT] > facts->memory_bytes / 2
               ? "footprint is more than half of the device memory"
           : (variant == READONLY || variant == TEXTURE) && element != 4 && element != 16
               ? "variant=readonly and variant=texture need element=4 or element=16"
           : variant == TEXTURE && elements > (int64_t)1 << 28
               ? "variant=texture needs a table of at most 256 Mi elements, the limit of a 1-D texture"
           : variant == TOGETHER && element != 32 && element != 128 ? "variant=together needs element=32 or element=128"
           : variant == SORTED && (!is_power_of_two(params->value[WINDOW]) || params->value[WINDOW] > elements)
               ? "window must be a power of two, and no more than the elements of the table"
           : variant == SORTED && element != 4 ? "variant=sorted needs element=4"
                                               : NULL;
}

#ifdef FX_WITH_CUDA
#include <type_traits>

#include "../../aids.h"
#include "../../textures.h"
#include "gpu/cuda_half.cuh"

/* The kernels of the gather: out[i] = table[index[i]]. A thread has UNROLL elements, THREADS apart; its indices come
 * first, then all their elements, then the stores, so that UNROLL loads of the table are in flight per thread. */

typedef struct job {
    const char *table;
    const uint32_t *index;
    char *out;
    cudaTextureObject_t texture; /* of the table, one texel per element */
} job;

/* One part of an element: 1, 4, 8 or 16 bytes. */
template <int BYTES_>
using part_type =
    std::conditional_t<BYTES_ == 1, uint8_t,
                       std::conditional_t<BYTES_ == 4, uint32_t, std::conditional_t<BYTES_ == 8, uint2, uint4>>>;

template <int PATH_, typename TYPE_> __device__ __forceinline__ TYPE_ fetch(const job &j, uint64_t at) {
    if constexpr (PATH_ == TEXTURE) {
        return tex1Dfetch<TYPE_>(j.texture, (int)at);
    } else {
        const TYPE_ *address = (const TYPE_ *)j.table + at;
        return PATH_ == READONLY ? __ldg(address) : *address;
    }
}

/* A thread reads whole elements, in as many parts as they have. */
template <int PATH_, int ELEMENT_> __global__ void __launch_bounds__(THREADS) take(const __grid_constant__ job j) {
    constexpr int parts = parts_of(ELEMENT_), each = unroll_of(ELEMENT_);
    typedef part_type<ELEMENT_ / parts> type;
    const uint64_t first = (uint64_t)blockIdx.x * (THREADS * each) + threadIdx.x;
    uint32_t at[each];
    type value[each][parts];
    FX_UNROLL for (int u = 0; u < each; u++) {
        at[u] = j.index[first + u * THREADS];
    }
    FX_UNROLL for (int u = 0; u < each; u++) {
        FX_UNROLL for (int p = 0; p < parts; p++) {
            value[u][p] = fetch<PATH_, type>(j, (uint64_t)at[u] * parts + p);
        }
    }
    FX_UNROLL for (int u = 0; u < each; u++) {
        FX_UNROLL for (int p = 0; p < parts; p++) {
            ((type *)j.out)[(first + u * THREADS) * parts + p] = value[u][p];
        }
    }
}

/* Neighbouring lanes read the parts of one element together, and write them together. Each lane still brings one index,
 * and gets those of the others from them. */
template <int ELEMENT_> __global__ void __launch_bounds__(THREADS) take_together(const __grid_constant__ job j) {
    constexpr int parts = parts_of(ELEMENT_), elements = FX_WARP / parts; /* of a warp at a time */
    const uint32_t lane = threadIdx.x % FX_WARP, part = lane % parts;
    const uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / FX_WARP * FX_WARP;
    const uint32_t mine = j.index[first + lane];
    const uint4 *table = (const uint4 *)j.table;
    uint4 *out = (uint4 *)j.out + first * parts + lane;
    uint4 value[parts];
    FX_UNROLL for (int s = 0; s < parts; s++) {
        const uint32_t at = __shfl_sync(0xffffffffu, mine, s * elements + (int)(lane / parts));
        value[s] = table[(uint64_t)at * parts + part];
    }
    FX_UNROLL for (int s = 0; s < parts; s++) {
        out[s * FX_WARP] = value[s];
    }
}

/* Fresh indices, ascending in windows of `window`: the j-th of a window is drawn from the j-th of so many equal pieces
 * of the table. With windows of 1 they are random. Both are powers of two, and the table has `elements`. */
__device__ __forceinline__ uint32_t index_of(uint64_t seed, uint64_t i, uint64_t elements, uint32_t window) {
    const uint64_t word = fx_random_at(seed, i);
    const uint64_t piece = elements >> __popc(window - 1), place = i & (window - 1);
    return (uint32_t)(place * piece + (word & (piece - 1)));
}

__global__ static void lay_indices(uint32_t *to, uint64_t count, uint64_t seed, uint64_t elements, uint32_t window) {
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        to[i] = index_of(seed, i, elements, window);
    }
}

/* What the table holds at a byte: fx_gpu_fill's words. */
__device__ __forceinline__ uint32_t word_of(uint64_t byte) {
    return fx_random_word(TABLE_SEED, byte / 4);
}

/* The oracle, exact: counts the words that are not those which the index names; with elements of one byte, the bytes.
 * Indices are drawn again, not read. */
__global__ static void check_taken(const char *out, uint64_t first, uint64_t count, uint64_t seed, uint64_t elements,
                                   uint32_t window, uint32_t element_bytes, unsigned long long *sums) {
    const uint32_t words = element_bytes < 4 ? 1 : element_bytes / 4, words_bits = __popc(words - 1);
    uint32_t wrong = 0;
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count * words; i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t at = index_of(seed, first + (i >> words_bits), elements, window);
        if (element_bytes < 4) {
            wrong += ((const uint8_t *)out)[i] != (uint8_t)(word_of(at) >> at % 4 * 8);
        } else {
            wrong += ((const uint32_t *)out)[i] != word_of(at * element_bytes + (i & (words - 1)) * 4);
        }
    }
    fx_sums_add(sums, wrong);
}

enum { LAUNCHED = 5 /* times N runs: all launches of a sample */ };

/* What the kernel gets, and what the host keeps. A launch takes the next part of indices and results. */
typedef struct work {
    job j;
    char *table, *out;
    uint32_t *index;
    uint64_t count, elements, seed; /* of indices; of the table */
    uint64_t next, first, last;     /* element of the next launch; those of the last one */
    uint32_t window, element_bytes;
} work;

static fx_status make_texture(fx_rig *rig, work *w, fx_error *err) {
    const int other = w->element_bytes == 16 ? 32 : 0;
    return linear_texture(rig, w->table, w->elements * w->element_bytes,
                          cudaCreateChannelDesc(32, other, other, other, cudaChannelFormatKindUnsigned), &w->j.texture,
                          err);
}

static fx_status launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {&w->j};
    w->first = w->next;
    for (int i = 0; i < (1 + which) * (int)rig->units; i++, w->next += GATHERED) {
        w->j.index = w->index + w->next;
        w->j.out = w->out + w->next * w->element_bytes;
        FX_TRY(fx_rig_launch(rig, rig->work->entry.address, rig->blocks, rig->warps * FX_WARP, arguments, err));
    }
    return FX_OK;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const char *out = w->out + w->first * w->element_bytes;
    uint64_t count = w->next - w->first;
    void *arguments[] = {&out, &w->first, &count, &w->seed, &w->elements, &w->window, &w->element_bytes, &rig->sums};
    FX_TRY(aid(rig, "check_taken", arguments, err));
    return none_wrong(rig, "words are not the ones that their indices select", err);
}

static fx_status take_memory(fx_rig *rig, work *w, uint64_t footprint, fx_error *err) {
    const uint64_t bytes = footprint + w->count * (INDEX_BYTES + w->element_bytes);
    uint64_t room = 0;
    FX_TRY(fx_rig_room(rig, UINT64_MAX, &room, err));
    FX_FAIL_IF(bytes / 2 > room, err, FX_UNSUPPORTED,
               "footprint: there are not %llu bytes of free memory on the device", (unsigned long long)bytes);
    FX_TRY(fx_rig_memory(rig, &w->table, FX_POOL_MEMORY, bytes, 512, err));
    FX_TRY(fx_gpu_fill(rig->gpu, w->table, footprint / 4, TABLE_SEED, err));
    w->index = (uint32_t *)(w->table + footprint);
    w->out = (char *)(w->index + w->count);
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int element = (int)c->params.value[ELEMENT];
    const bool together = c->params.value[VARIANT] == TOGETHER;
    const uint64_t footprint = (uint64_t)c->params.value[FOOTPRINT];
    work *w = FX_ARGUMENT(rig, work);
    w->element_bytes = (uint32_t)element;
    w->elements = footprint / (unsigned)element;
    w->window = c->params.value[VARIANT] == SORTED ? (uint32_t)c->params.value[WINDOW] : 1;
    rig->units = element > 16 ? 1 : 4;
    w->count = (uint64_t)rig->units * LAUNCHED * GATHERED;
    rig->warps = THREADS / FX_WARP;
    rig->blocks = GATHERED / THREADS / (unsigned)(together ? 1 : unroll_of(element));
    rig->carveout_pct = 0;
    rig->launch = launch;
    rig->check = check;
    FX_TRY(take_memory(rig, w, footprint, err));
    w->j.table = w->table;
    FX_TRY(fx_rig_sums(rig, NULL, err));
    return c->params.value[VARIANT] == TEXTURE ? make_texture(rig, w, err) : FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    w->next = 0;
    return aid(rig, "lay_indices", fx_arguments{&w->index, &w->count, &w->seed, &w->elements, &w->window}, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("variant=plain element=1", FX_K(take, PLAIN, 1), {"LDG.E", 4}, {"LDG.E.U8", 4}, {"STG.E.U8", 4}),
    FX_TIMED("variant=plain,sorted element=4", FX_K(take, PLAIN, 4), {"LDG.E", 8}, {"STG.E", 4}),
    FX_TIMED("variant=plain element=8", FX_K(take, PLAIN, 8), {"LDG.E", 4}, {"LDG.E.64", 4}, {"STG.E.64", 4}),
    FX_TIMED("variant=plain element=16", FX_K(take, PLAIN, 16), {"LDG.E", 4}, {"LDG.E.128", 4}, {"STG.E.128", 4}),
    FX_TIMED("variant=plain element=32", FX_K(take, PLAIN, 32), {"LDG.E", 2}, {"LDG.E.128", 4}, {"STG.E.128", 4}),
    FX_TIMED("variant=plain element=128", FX_K(take, PLAIN, 128), {"LDG.E", 1}, {"LDG.E.128", 8}, {"STG.E.128", 8}),
    FX_TIMED("variant=readonly element=4", FX_K(take, READONLY, 4), {"LDG.E", 4}, {"LDG.E.CONSTANT", 4}, {"STG.E", 4}),
    FX_TIMED("variant=readonly element=16", FX_K(take, READONLY, 16), {"LDG.E", 4}, {"LDG.E.128.CONSTANT", 4},
             {"STG.E.128", 4}),
    FX_TIMED("variant=texture element=4", FX_K(take, TEXTURE, 4), {"LDG.E", 4}, {"TLD", 4}, {"STG.E", 4}),
    FX_TIMED("variant=texture element=16", FX_K(take, TEXTURE, 16), {"LDG.E", 4}, {"TLD", 4}, {"STG.E.128", 4}),
    FX_TIMED("variant=together element=32", FX_K(take_together, 32), {"LDG.E", 1}, {"LDG.E.128", 2}, {"STG.E.128", 2}),
    FX_TIMED("variant=together element=128", FX_K(take_together, 128), {"LDG.E", 1}, {"LDG.E.128", 8},
             {"STG.E.128", 8}),
    FX_AIDED("", FX_K(lay_indices)),
    FX_AIDED("", FX_K(check_taken)),
};

FX_PROBE(gather, .question = "What does out[i] = table[index[i]] cost, by the size of the elements and of the table?",
         .method_version = 1, FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
