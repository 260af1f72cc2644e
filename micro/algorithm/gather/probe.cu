/* gather: what does out[i] = table[index[i]] cost, by the size of the elements and of the table?
 *
 * Method: 4 Mi elements at random places of a table are copied side by side into an array. Indices are fresh for each
 * launch, and come from DRAM, as the results go there. Indices and elements are computed again for the oracle. What can
 * fool it: see README.md. */
#include "shape.h"

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
#include "../../aids.h"
#include "../../textures.h"
#include "gather.cuh"

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
    void *arguments[] = {&w->index, &w->count, &w->seed, &w->elements, &w->window};
    w->seed = seed;
    w->next = 0;
    return aid(rig, "lay_indices", arguments, err);
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
