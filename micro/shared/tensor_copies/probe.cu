/* tensor_copies: what does a tensor copy (TMA) take, by box, swizzle, descriptor and way? Method: boxes of a matrix in
 * the L2 go into shared memory, or from there, one at a time or four in flight, by one warp of one SM. A cluster's copy
 * is timed on the whole chip, by pairs of launches. */
#include <string.h>

#include "core/probe.h"
#include "core/random.h"

enum { MODE, WAY, DIMS, ROW, ROWS, SWIZZLE, DESCRIPTOR, CLUSTER };
enum { LATENCY, THROUGHPUT, READER, CHIP, ENCODE };
enum { LOAD, STORE, ADD, STORE_DONE, ADD_DONE, MULTICAST };
enum { NO_SWIZZLE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128 };
enum { USED, FRESH, PREFETCHED };
enum { READ, DONE };
enum { BOX_CYCLES, ACCESS_CYCLES, BOX_NS, ENCODE_HOST_NS };
enum { ROW_BYTES = 4096, MATRIX_BYTES = 4 << 20, PLANE_ROWS = 8, MOST_BOX = 32 << 10, MOST_CLUSTER = 8 };

static const fx_axis axes[] = {
    {"mode", "",
     "one box at a time, four in flight, reads of a box in shared "
     "memory, boxes on the whole chip, or encoding of a descriptor",
     "latency throughput reader chip encode", 0, 0, LATENCY},
    {"way", "",
     "load into shared memory, store, or addition to memory: until the source may be overwritten, or until it is done; "
     "or one load for all blocks of a cluster",
     "load store add store_done add_done multicast", 0, 0, LOAD},
    {"dims", "", "dimensions of the tensor", NULL, 2, 3, 2},
    {"row", "bytes", "bytes of a box's row, a power of two", NULL, 16, 1024, 128},
    {"rows", "rows", "rows of a box, a power of two", NULL, 1, 256, 64},
    {"swizzle", "", "swizzle of the box in shared memory: span in bytes", "none 32 64 128", 0, 0, NO_SWIZZLE},
    {"descriptor", "", "descriptor: the same for all boxes, one of 1024 in turn, or the latter after a prefetch",
     "used fresh prefetched", 0, 0, USED},
    {"cluster", "blocks", "blocks of a cluster that want the same boxes, with mode=chip", NULL, 1, MOST_CLUSTER, 1},
};

static const fx_sweep sweeps[] = {
    {"box", "mode=latency way=load row=128 rows=1,8,32,64,256", "mode=latency way=load row=128 rows=1,64"},
    {"dims", "mode=latency way=load dims=3", NULL},
    {"descriptor", "mode=latency way=load rows=8 descriptor=fresh,prefetched",
     "mode=latency way=load rows=8 descriptor=fresh"},
    {"row", "mode=throughput way=load row=16,32,64,128 rows=256", "mode=throughput way=load row=32,128 rows=256"},
    {"row_wide", "mode=throughput way=load row=1024 rows=32", NULL},
    {"dims_rate", "mode=throughput way=load dims=3 rows=256", NULL},
    {"swizzle_32", "mode=throughput way=load swizzle=32 row=32 rows=256", NULL},
    {"swizzle_64", "mode=throughput way=load swizzle=64 row=64 rows=256", NULL},
    {"swizzle_128", "mode=throughput way=load swizzle=128 rows=256", NULL},
    {"store", "mode=latency way=store,add,store_done,add_done", NULL},
    {"store_rate", "mode=throughput way=store,add rows=256", "mode=throughput way=store rows=256"},
    {"reader_32", "mode=reader swizzle=none,32 row=32", NULL},
    {"reader_64", "mode=reader swizzle=none,64 row=64", NULL},
    {"reader_128", "mode=reader swizzle=none,128 row=128", "mode=reader swizzle=none,128 row=128"},
    {"chip", "mode=chip way=load cluster=1 rows=128", NULL},
    {"multicast", "mode=chip way=load,multicast cluster=2,4 rows=128", NULL},
    {"encode", "mode=encode", NULL},
};

static const fx_metric metrics[] = {
    {"box_cycles", "cycles", FX_SM_CYCLES, false, "box"},
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"},
    {"box_ns", "ns", FX_GPU_NS, false, "box of a block, of the whole chip"},
    {"encode_host_ns", "ns", FX_HOST_NS, false, "descriptor"},
};

static int32_t swizzle_mask(const fx_params *params) {
    return (1 << params->value[SWIZZLE]) - 1;
}

/* The reader's lane l takes the first chunk of row l, wherever the swizzle has put it. */
static bool lanes(const fx_params *params, fx_lanes *out) {
    for (int32_t l = 0; l < FX_WARP; l++) {
        const int32_t at = l * (int32_t)params->value[ROW];
        out->offset[l] = at ^ ((at >> 7 & swizzle_mask(params)) << 4);
    }
    return params->value[MODE] == READER;
}

/* A box at a time: a time to start, and one more for each line. With more in flight the question is which limit comes
 * first, not a law. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t *v = params->value, mode = v[MODE];
    const double pieces = (double)(v[ROWS] * (v[ROW] > 128 ? v[ROW] / 128 : 1));
    out->metric = mode == CHIP ? BOX_NS : mode == ENCODE ? ENCODE_HOST_NS : mode == READER ? ACCESS_CYCLES : BOX_CYCLES;
    if (mode == READER) {
        out->useful_bytes = 16 * FX_WARP;
        out->law = "shared_load";
        out->count = fx_law_shared_load(&facts->geometry, table, 16);
    } else if (mode != ENCODE) {
        out->useful_bytes = (double)(v[ROW] * v[ROWS]);
        fx_prediction_count(out, "pieces", pieces);
    }
    if (mode == LATENCY && v[WAY] == LOAD) {
        out->law = "pieces";
        out->count = pieces;
        out->why_not = v[DESCRIPTOR] == USED ? NULL : "the descriptor comes first";
    }
}

static const char *unsuited(const int64_t *v) {
    return v[MODE] == READER && (v[WAY] != LOAD || v[DIMS] != 2 || v[ROWS] < FX_WARP || v[ROW] > 128)
               ? "mode=reader needs way=load, dims=2, row up to 128 and rows=32 or more"
           : (v[WAY] == MULTICAST || v[CLUSTER] > 1) && v[MODE] != CHIP
               ? "way=multicast and cluster above 1 need mode=chip"
           : v[MODE] == CHIP && ((v[WAY] != LOAD && v[WAY] != MULTICAST) || v[DIMS] != 2 ||
                                 v[ROW] * v[ROWS] != (16 << 10) || v[SWIZZLE])
               ? "mode=chip needs way=load or multicast, dims=2, row x rows = 16384 and swizzle=none"
           : (v[WAY] != LOAD && v[WAY] != MULTICAST) &&
                   (v[DIMS] != 2 || v[SWIZZLE] || (v[MODE] == THROUGHPUT && v[WAY] > ADD))
               ? "stores need dims=2 and swizzle=none, and way=store or add with mode=throughput"
           : v[MODE] == ENCODE && v[WAY] != LOAD ? "mode=encode needs way=load"
           : v[DESCRIPTOR] != USED && (v[MODE] != LATENCY || v[WAY] != LOAD || v[DIMS] != 2)
               ? "descriptor other than used needs mode=latency, way=load and dims=2"
               : NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    static const int64_t spans[] = {0, 32, 64, 128};
    const int64_t *v = params->value, bytes = v[ROW] * v[ROWS];
    return facts->compute_major < 9 ? "tensor copies need compute capability 9.0"
           : (v[ROW] & (v[ROW] - 1)) != 0 || (v[ROWS] & (v[ROWS] - 1)) != 0 || (v[CLUSTER] & (v[CLUSTER] - 1)) != 0
               ? "row, rows and cluster must be powers of two"
           : bytes < 128 || bytes > MOST_BOX ? "row x rows must be 128 to 32768 bytes"
           : v[SWIZZLE] && v[ROW] != spans[v[SWIZZLE]]
               ? "swizzle: a row of the box must be as long as its span: shorter rows are padded to it"
           : v[DIMS] == 3 && v[ROWS] % PLANE_ROWS != 0        ? "dims=3 needs rows that are a multiple of 8"
           : v[WAY] == MULTICAST && facts->compute_major != 9 ? "way=multicast: above compute capability 9.0 it needs "
                                                                "code for one chip only (sm_100a), which this is not"
                                                              : unsuited(v);
}

#ifdef FX_WITH_CUDA
#include "kernels.cuh"

enum { STAGES = 4, MAPS = 1024, ENCODES = 256 };

typedef struct task {
    work w; /* what the kernels get */
    fx_tensor tensor;
    uint32_t steps;
} task;

static void describe(const fx_case *c, task *t) {
    static const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                                  CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
    const int64_t *v = c->params.value;
    const cuuint64_t width = ROW_BYTES / 4, height = MATRIX_BYTES / ROW_BYTES;
    const cuuint32_t row = (cuuint32_t)v[ROW] / 4;
    const cuuint32_t rows = (cuuint32_t)(v[WAY] == MULTICAST ? v[ROWS] / v[CLUSTER] : v[ROWS]);
    fx_tensor *tensor = &t->tensor;
    tensor->type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
    tensor->rank = (unsigned)v[DIMS];
    tensor->data = t->w.data;
    tensor->swizzle = swizzles[v[SWIZZLE]];
    tensor->size[0] = width;
    tensor->size[1] = v[DIMS] == 3 ? PLANE_ROWS : height;
    tensor->size[2] = height / PLANE_ROWS;
    tensor->pitch[0] = ROW_BYTES;
    tensor->pitch[1] = ROW_BYTES * PLANE_ROWS;
    tensor->box[0] = row;
    tensor->box[1] = v[DIMS] == 3 ? PLANE_ROWS : rows;
    tensor->box[2] = rows / PLANE_ROWS;
}

/* `count` descriptors of the matrix, in device memory. */
static fx_status make_maps(fx_rig *rig, task *t, unsigned count, fx_error *err) {
    unsigned char one[FX_TENSOR_MAP_BYTES];
    char *device = NULL;
    FX_TRY(fx_rig_memory(rig, &device, FX_DEVICE_MEMORY, count * sizeof one, FX_TENSOR_MAP_BYTES, err));
    FX_TRY(fx_tensor_map(&t->tensor, one, err));
    for (unsigned i = 0; i < count; i++) {
        FX_TRY(fx_gpu_upload(rig->gpu, device + i * sizeof one, one, sizeof one, err));
    }
    t->w.maps = device;
    t->w.map_count = count;
    return FX_OK;
}

/* mode=encode: the host alone. */
static fx_status time_encoding(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    unsigned char map[FX_TENSOR_MAP_BYTES];
    const task *t = FX_ARGUMENT(rig, task);
    const double start = fx_now_ns();
    for (int i = 0; i < ENCODES; i++) {
        FX_TRY(fx_tensor_map(&t->tensor, map, err));
    }
    out->value = (fx_now_ns() - start) / (double)ENCODES;
    return FX_OK;
}

static void part(fx_rig *rig, const fx_case *c, int which) {
    task *t = FX_ARGUMENT(rig, task);
    t->w.steps = (uint32_t)(which + 1) * t->steps;
}

static fx_status arrange_chip(fx_rig *rig, const fx_case *c, task *t, fx_error *err) {
    const unsigned blocks = (unsigned)c->params.value[CLUSTER];
    unsigned clusters = 0;
    t->steps = 1024;
    t->w.map_count = blocks; /* for what is expected */
    rig->warps = 2;
    rig->part = part;
    FX_TRY(fx_rig_sums(rig, &t->w.sums, err));
    FX_TRY(fx_rig_cluster(rig, blocks, SHARE_STAGES * SHARE_BOX + 1024, 128, &clusters, err));
    rig->blocks = clusters * blocks;
    rig->units = (double)t->steps * rig->blocks;
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value, mode = v[MODE];
    const size_t bytes = (size_t)(v[ROW] * v[ROWS]);
    const bool stores = v[WAY] != LOAD && v[WAY] != MULTICAST;
    task *t = FX_ARGUMENT(rig, task);
    work *w = &t->w;
    w->lanes = c->lanes;
    w->seed = FX_FILL_SEED;
    w->row_bytes = (uint32_t)v[ROW];
    w->rows = (uint32_t)v[ROWS];
    w->row_shift = (uint32_t)__builtin_ctz(w->row_bytes);
    w->across_shift = (uint32_t)__builtin_ctz(ROW_BYTES) - w->row_shift;
    w->boxes = (uint32_t)(MATRIX_BYTES / bytes);
    w->mask = (uint32_t)swizzle_mask(&c->params);
    FX_TRY(fx_rig_memory(rig, &w->data, FX_DEVICE_MEMORY | (stores ? FX_REFILLED : FX_FILLED), MATRIX_BYTES, 0, err));
    describe(c, t);
    if (mode == ENCODE) {
        rig->sample = time_encoding;
        return FX_OK;
    }
    FX_TRY(make_maps(rig, t, v[DESCRIPTOR] == USED ? 1 : MAPS, err));
    if (mode == CHIP) {
        return arrange_chip(rig, c, t, err);
    }
    rig->warps = mode == READER ? READ_WARPS : 1;
    rig->accesses = mode == READER ? READS : 1;
    rig->shared_bytes = 1024 + (mode == THROUGHPUT ? STAGES : 1) * (bytes < 1024 ? 1024 : bytes);
    rig->carveout_pct = 100;
    rig->trip_cycles =
        mode == READER ? READS * READ_WARPS * c->prediction.count : (mode == LATENCY ? 700 : 0) + (double)(w->rows * 2);
    rig->warm_trips = mode == READER ? 0 : 64;
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    const int64_t way = c->params.value[WAY];
    if (c->params.value[MODE] != CHIP) {
        t->w.steps = fx_timed_total_trips(&rig->timed);
        t->w.seed = way == LOAD ? (uint64_t)FX_FILL_SEED : seed;
    }
    return FX_OK;
}
#endif

#define LOADS(mode, dims, stages, opcode)                                                                              \
    FX_TIMED_FROM(90, "mode=" mode " way=load descriptor=used dims=" #dims, FX_K(load_boxes, dims, stages, USED),      \
                  {opcode, 1}, {"LDS", 1}, {"BRA", 0})
#define STORES(mode, way, kind, until, stages, opcode, ...)                                                            \
    FX_TIMED_FROM(90, "mode=" mode " way=" way, FX_K(store_boxes, kind, until, stages), {opcode, 1},                   \
                  {"UTMACMDFLUSH", 1}, {"BRA", 0}, __VA_ARGS__)

static const fx_kernel kernels[] = {
    LOADS("latency", 2, 1, "UTMALDG.2D"),
    LOADS("latency", 3, 1, "UTMALDG.3D"),
    LOADS("throughput", 2, 4, "UTMALDG.2D"),
    LOADS("throughput", 3, 4, "UTMALDG.3D"),
    FX_TIMED_FROM(90, "mode=latency descriptor=fresh", FX_K(load_boxes, 2, 1, FRESH), {"UTMALDG.2D", 1}, {"LDS", 1},
                  {"BRA", 0}),
    FX_TIMED_FROM(90, "mode=latency descriptor=prefetched", FX_K(load_boxes, 2, 1, PREFETCHED), {"UTMALDG.2D", 1},
                  {"UTMACCTL.PF", 1}, {"LDS", 1}, {"BRA", 0}),
    STORES("latency", "store", STORE, READ, 1, "UTMASTG.2D"),
    STORES("latency", "store_done", STORE, DONE, 1, "UTMASTG.2D", {"CCTL.IVALL", 1}),
    STORES("latency", "add", ADD, READ, 1, "UTMAREDG.2D.ADD"),
    STORES("latency", "add_done", ADD, DONE, 1, "UTMAREDG.2D.ADD", {"CCTL.IVALL", 1}),
    STORES("throughput", "store", STORE, READ, 4, "UTMASTG.2D"),
    STORES("throughput", "add", ADD, READ, 4, "UTMAREDG.2D.ADD"),
    FX_TIMED_FROM(90, "mode=reader", FX_K(read_box), {"LDS.128", 32}),
    FX_TIMED_FROM(90, "mode=chip way=load", FX_K(share_boxes, LOAD), {"UTMALDG.2D", 1}, {"LDS", 1},
                  {"RED.E.ADD.64.STRONG.GPU", 1}, {"CCTL.IVALL", 0}),
    FX_TIMED_FROM(-90, "mode=chip way=multicast", FX_K(share_boxes, MULTICAST), {"UTMALDG.2D.MULTICAST", 1}, {"LDS", 1},
                  {"RED.E.ADD.64.STRONG.GPU", 1}, {"CCTL.IVALL", 0}),
    FX_EXPECTED("mode=chip", FX_K(expect_boxes)),
    FX_TIMED("mode=encode", FX_NO_KERNEL),
};

FX_PROBE(tensor_copies, .question = "How long does a tensor copy (TMA) take, by box, swizzle, descriptor and way?",
         .method_version = 1, FX_PARTS, .fit_by = "mode dims", .lanes = lanes, .supported = supported,
         .draw = FX_GPU(draw), .once = true)
