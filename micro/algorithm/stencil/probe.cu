/* stencil: what does a 2-D stencil cost, by how its neighbours are read? Method: a field of floats becomes a weighted
 * sum of itself and its neighbours, N and 2N times, by variants that differ in who reads what. Every sample has fresh
 * values, every launch another weight; the oracle is the same sum in double precision. */
#include "core/probe.h"

enum { COLUMNS, ROWS, READONLY, TEXTURE, TILE, TILE_ASYNC, MARCH, VECTOR, MARCH_VECTOR, VARIANTS };
enum { VARIANT, RADIUS, LEVEL };
enum { L2, DRAM };
enum { MOST_RADIUS = 4, QUAD = 4 /* elements of a float4 */ };

/* Around the field lie values that nobody computes: MOST_RADIUS rows above and below, a line to either side. */
enum { SIDE = 32 };

/* Blocks: 256 threads, as 64 columns by 4 rows or 32 rows by 8 columns; tiles of 64 x 32, whose rows of shared memory
 * begin a float4 before the tile and end one behind it; marches that go down 32 or 16 rows. */
enum { THREADS = 256, ACROSS = 64, DOWN = THREADS / ACROSS };
enum { TILE_DOWN = 32, TILE_PITCH = ACROSS + 2 * QUAD, TILES = 4 /* of one block of tile_async */ };
enum { MARCH_DOWN = 32, MARCH_GROUP = 4, VECTOR_THREADS = 128, VECTOR_DOWN = 16 };

/* Columns, rows and threads of a block. */
typedef struct part_of_block {
    unsigned across, down, threads;
} part_of_block;

__attribute__((unused)) static inline part_of_block part_of(int64_t variant) {
    static const part_of_block parts[VARIANTS] = {
        {THREADS / FX_WARP, FX_WARP, THREADS},                /* columns */
        {ACROSS, DOWN, THREADS},                              /* rows */
        {ACROSS, DOWN, THREADS},                              /* readonly */
        {ACROSS, DOWN, THREADS},                              /* texture */
        {ACROSS, TILE_DOWN, THREADS},                         /* tile */
        {ACROSS, TILES * TILE_DOWN, THREADS},                 /* tile_async */
        {THREADS, MARCH_DOWN, THREADS},                       /* march */
        {QUAD * ACROSS, DOWN, THREADS},                       /* vector */
        {QUAD * VECTOR_THREADS, VECTOR_DOWN, VECTOR_THREADS}, /* march_vector */
    };
    return parts[variant];
}

/* The field: a power of two across, so that no block divides; a multiple of every block's part down. */
typedef struct extent {
    uint32_t across_bits, across, down, pitch; /* pitch: elements from row to row */
} extent;

static inline extent extent_of(uint64_t bytes, uint32_t across_bits) {
    const uint32_t across = 1u << across_bits, step = TILES * TILE_DOWN;
    const uint32_t rows = (uint32_t)(bytes / sizeof(float) >> across_bits) / step * step;
    const extent e = {across_bits, across, rows > step ? rows : step, across + 2 * SIDE};
    return e;
}

/* The field of a case on this device. */
static inline extent field_of_case(const fx_facts *facts, const fx_params *params) {
    const bool dram = params->value[LEVEL] == DRAM;
    const uint64_t l2 = facts->l2_bytes > 0 ? facts->l2_bytes : (uint64_t)32 << 20;
    return extent_of(dram ? 4 * l2 : l2 / 4, dram ? 13 : 11);
}

static const fx_axis axes[] = {
    {"variant", "",
     "one thread per point, with the lanes along columns or rows of the field; the same "
     "by read-only loads, by a 2-D texture; a tile in shared memory, the same copied "
     "asynchronously; a column's values kept in registers; four points per thread; both",
     "columns rows readonly texture tile tile_async march vector march_vector", 0, 0, ROWS},
    {"radius", "points", "distance of the farthest neighbour in each of four directions: 1 or 4", NULL, 1, MOST_RADIUS,
     1},
    {"level", "", "size of each of the two fields: a quarter of the L2, or four times the L2", "l2 dram", 0, 0, DRAM},
};

static const fx_sweep sweeps[] = {
    {"near", "variant=all radius=1 level=l2,dram", "variant=rows,tile,march_vector radius=1 level=dram"},
    {"wide", "variant=rows,tile,tile_async,march,vector,march_vector radius=4 level=l2,dram", NULL},
};

static const fx_metric metrics[] = {{"field_ns", "ns", FX_GPU_NS, false, "field"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const extent e = field_of_case(facts, params);
    out->law = "points";
    out->count = (double)e.across * e.down;
    out->why_not = "the bottleneck of a stencil changes with its variant and its field";
    out->useful_bytes = 2 * out->count * sizeof(float);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t variant = params->value[VARIANT], radius = params->value[RADIUS];
    return radius != 1 && radius != 4 ? "radius must be 1 or 4"
           : radius != 1 && (variant == COLUMNS || variant == READONLY || variant == TEXTURE)
               ? "variant=columns, readonly and texture need radius=1"
           : variant == TILE_ASYNC && facts->compute_major < 8 ? "variant=tile_async needs compute capability 8.0"
                                                               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "../../textures.h"
#include "stencil.cuh"

/* A result may be off by this part of the sum of all weights: some twenty roundings of single precision. */
#define TOLERANCE 0x1p-19

/* What the kernel gets, and what the host keeps. */
typedef struct work {
    field f;
    extent size;
    float *from, *to; /* two fields with what lies around them, end to end */
    uint64_t count;   /* elements of each */
    uint64_t seed;
    uint32_t launches;
} work;

static fx_status make_texture(fx_rig *rig, work *w, fx_error *err) {
    return pitch_texture(rig, w->from, w->size.pitch, w->size.down + 2 * MOST_RADIUS, w->size.pitch * sizeof(float),
                         cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat), &w->f.texture, err);
}

/* Every launch has a weight of its own, so that what the one before left behind can't pass for this one's work. */
static fx_status launch(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {&w->f};
    w->f.c[0] = 0.25f + (float)(w->launches++ % 64) / 128;
    for (int i = 0; i < (1 + which) * (int)rig->units; i++) {
        FX_TRY(fx_rig_launch(rig, rig->work->entry.address, rig->blocks, rig->warps * FX_WARP, arguments, err));
    }
    return FX_OK;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    uint32_t count = w->size.across * w->size.down;
    double tolerance = (double)w->f.c[0];
    for (int64_t k = 1; k <= c->params.value[RADIUS]; k++) {
        tolerance += 4 * (double)w->f.c[k];
    }
    tolerance *= TOLERANCE;
    FX_TRY(aid(rig, "check_field", fx_arguments{&w->f, &w->size.across_bits, &count, &tolerance, &rig->sums}, err));
    return none_wrong(rig, "points differ from double precision", err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t variant = c->params.value[VARIANT];
    const part_of_block part = part_of(variant);
    work *w = FX_ARGUMENT(rig, work);
    w->size = field_of_case(&rig->gpu->facts, &c->params);
    w->count = (uint64_t)w->size.pitch * (w->size.down + 2 * MOST_RADIUS);
    FX_TRY(fx_rig_memory(rig, &w->from, FX_POOL_MEMORY, 2 * w->count * sizeof(float), 512, err));
    FX_TRY(fx_rig_sums(rig, NULL, err));
    w->to = w->from + w->count;
    w->f.in = w->from + MOST_RADIUS * w->size.pitch + SIDE;
    w->f.out = w->to + MOST_RADIUS * w->size.pitch + SIDE;
    w->f.pitch = w->size.pitch;
    for (uint32_t blocks = w->size.across / part.across; blocks > 1; blocks /= 2) {
        w->f.blocks_bits++;
    }
    rig->warps = part.threads / FX_WARP;
    rig->blocks = w->size.across / part.across * (w->size.down / part.down);
    rig->carveout_pct = variant == TILE || variant == TILE_ASYNC ? -1 : 0;
    rig->cold = c->params.value[LEVEL] == DRAM;
    rig->units = rig->cold ? 2 : 32;
    rig->dram_bytes = rig->cold ? 2 * w->count * sizeof(float) : 0;
    rig->launch = launch;
    rig->check = check;
    return variant == TEXTURE ? make_texture(rig, w, err) : FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    for (int k = 1; k <= MOST_RADIUS; k++) {
        w->f.c[k] = (float)(1 + fx_random_word(seed, (uint64_t)k) % 64) / 512;
    }
    return aid(rig, "lay_field", fx_arguments{&w->from, &w->count, &w->seed}, err);
}
#endif

/* Of a tile's asynchronous copies one stage stands before the loop and one within. With radius 1 the quads to the
 * sides are loads of the one element that is wanted. */
static const fx_kernel kernels[] = {
    FX_TIMED("variant=columns", FX_K(points, COLUMNS, 1), {"LDG.E", 5}, {"STG.E", 1}),
    FX_TIMED("variant=rows radius=1", FX_K(points, ROWS, 1), {"LDG.E", 5}, {"STG.E", 1}),
    FX_TIMED("variant=rows radius=4", FX_K(points, ROWS, 4), {"LDG.E", 17}, {"STG.E", 1}),
    FX_TIMED("variant=readonly", FX_K(points, READONLY, 1), {"LDG.E.CONSTANT", 5}, {"STG.E", 1}),
    FX_TIMED("variant=texture", FX_K(points, TEXTURE, 1), {"TEX", 5}, {"STG.E", 1}),
    FX_TIMED("variant=tile radius=1", FX_K(tiled, 1), {"LDG.E.128", 3}, {"STS.128", 3}, {"LDS", 40}, {"STG.E", 8}),
    FX_TIMED("variant=tile radius=4", FX_K(tiled, 4), {"LDG.E.128", 3}, {"STS.128", 3}, {"LDS", 0}, {"STG.E", 8}),
    FX_TIMED_FROM(80, "variant=tile_async radius=1", FX_K(tiled_async, 1), {"LDGSTS.E.BYPASS.128", 6}, {"STG.E", 8}),
    FX_TIMED_FROM(80, "variant=tile_async radius=4", FX_K(tiled_async, 4), {"LDGSTS.E.BYPASS.128", 6}, {"STG.E", 8}),
    FX_TIMED("variant=march radius=1", FX_K(march, 1), {"LDG.E", 14}, {"STG.E", 4}),
    FX_TIMED("variant=march radius=4", FX_K(march, 4), {"LDG.E", 44}, {"STG.E", 4}),
    FX_TIMED("variant=vector radius=1", FX_K(vector, 1), {"LDG.E.128", 3}, {"LDG.E", 2}, {"STG.E.128", 1}),
    FX_TIMED("variant=vector radius=4", FX_K(vector, 4), {"LDG.E.128", 11}, {"STG.E.128", 1}),
    FX_TIMED("variant=march_vector radius=1", FX_K(march_vector, 1), {"LDG.E.128", 4}, {"LDG.E", 4}, {"STG.E.128", 2}),
    FX_TIMED("variant=march_vector radius=4", FX_K(march_vector, 4), {"LDG.E.128", 14}, {"STG.E.128", 2}),
    FX_AIDED("", FX_K(lay_field)),
    FX_AIDED("radius=1", FX_K(check_field, 1)),
    FX_AIDED("radius=4", FX_K(check_field, 4)),
};

FX_PROBE(stencil, .question = "What does a 2-D stencil cost, by how its neighbours are read?", .method_version = 1,
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw))
