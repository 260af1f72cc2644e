/* matrix_transpose: what does a transposition cost compared with a copy of the same bytes, and what closes the gap?
 *
 * Method: N and 2N kernels, queued behind a latch, over the same two matrices. Fresh words for each sample; `out` is
 * poisoned between the warm-up and what is timed, and all of it is compared. What can fool it: see README.md. */
#include "shape.h"

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
#include "kernels.cuh"

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
