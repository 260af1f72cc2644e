/* readonly: does data that nobody writes come faster through the read-only, the texture or the constant path? Method:
 * dependent reads over a random cycle of 128-byte lines, the same on every path: an element of eight bytes holds what
 * its path needs to find the next one (pointer, index, texture coordinates), so no loop has arithmetic. */
#include <string.h>

#include "core/probe.h"

enum { MODE, PATH, WALK, FOOTPRINT };
enum { THROUGHPUT, LATENCY };
enum { PLAIN, CA, NC, CG, TEX, TEX2D_ARRAY, TEX2D_PITCH, CONST, PLAIN_NC, PLAIN_TEX };
enum { LINE, ROWS, COLUMNS, TILES, RANDOM };
enum { ELEMENT_BYTES = 8, CONST_BYTES = 64 << 10, CHAINS = 4 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain", "throughput latency", 0, 0, LATENCY},
    {"path", "",
     "load: plain, ld.global.ca, .nc, .cg, texture 1-D, 2-D array, 2-D "
     "pitch-linear, constant, or plain alternating with .nc or texture 1-D",
     "plain ca nc cg tex tex2d_array tex2d_pitch const plain_nc plain_tex", 0, 0, PLAIN},
    {"walk", "", "elements read by the 32 lanes of an access", "line rows columns tiles random", 0, 0, LINE},
    {"footprint", "bytes", "bytes walked", NULL, 1 << 10, (int64_t)1 << 30, 16 << 10},
};

#define ON_CHIP "1Ki,4Ki,16Ki,32Ki,64Ki,128Ki,192Ki,208Ki,224Ki,256Ki,320Ki,512Ki,1Mi,4Mi,16Mi,24Mi"
/* Two caches would hold twice as much. */
#define BOTH "16Ki,32Ki,64Ki,128Ki,192Ki,208Ki,224Ki,256Ki,320Ki,384Ki,416Ki,448Ki,512Ki,1Mi,4Mi"

static const fx_sweep sweeps[] = {
    {"footprint", "mode=latency path=plain,nc,cg,tex walk=line footprint=" ON_CHIP,
     "mode=latency path=plain,nc,cg,tex walk=line footprint=16Ki,64Ki,1Mi"},
    {"footprint_l2", "mode=latency path=plain,cg walk=line footprint=32Mi,40Mi,48Mi,64Mi", NULL},
    {"footprint_far", "mode=latency path=plain walk=line footprint=96Mi,128Mi,192Mi,256Mi", NULL},
    {"footprint_ca", "mode=latency path=ca walk=line footprint=1Ki:1Mi:*2", NULL},
    {"footprint_const", "mode=latency path=const walk=line footprint=1Ki,1536,2Ki,3Ki,4Ki,8Ki,16Ki,24Ki,32Ki,48Ki,64Ki",
     "mode=latency path=const walk=line footprint=1Ki,16Ki"},
    {"footprint_both", "mode=latency path=plain_nc,plain_tex walk=line footprint=" BOTH, NULL},
    {"hits", "mode=throughput path=plain,ca,nc,cg,tex walk=line footprint=16Ki,1Mi",
     "mode=throughput path=plain,nc,tex walk=line footprint=16Ki"},
    {"walk2d", "mode=throughput path=plain,tex2d_array,tex2d_pitch walk=rows,columns,tiles,random footprint=64Ki,2Mi",
     "mode=throughput path=plain,tex2d_array walk=rows,columns footprint=64Ki"},
};

/* Where the first level of each path ends: one L1 for all of them ends at one footprint. */
static const fx_search searches[] = {
    {"mode=latency path=plain,nc,cg,tex walk=line", "footprint", FX_FIRST_ENDS, 128, 0, NULL},
    {"mode=latency path=plain_nc,plain_tex walk=line", "footprint", FX_FIRST_ENDS, 256, 0, NULL},
    {"mode=latency path=const walk=line", "footprint", FX_FIRST_ENDS, 128, 0, NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->useful_bytes = params->value[MODE] == LATENCY ? ELEMENT_BYTES : ELEMENT_BYTES * FX_WARP;
}

/* Every other load by another path: the cycle has an even number of lines, so that each is always read by the same. */
static bool is_mixed(int64_t path) {
    return path == PLAIN_NC || path == PLAIN_TEX;
}

static bool is_2d(int64_t path) {
    return path == TEX2D_ARRAY || path == TEX2D_PITCH;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t path = params->value[PATH], bytes = params->value[FOOTPRINT];
    return path == CONST && (bytes > CONST_BYTES || params->value[MODE] == THROUGHPUT || params->value[WALK] != LINE)
               ? "path=const needs mode=latency, walk=line and footprint up to 65536; the probe constant measures the "
                 "rest"
           : bytes % 128 != 0 ? "footprint must be a multiple of 128"
           : is_mixed(path) && (params->value[MODE] != LATENCY || params->value[WALK] != LINE || bytes % 256 != 0)
               ? "path=plain_nc and path=plain_tex need mode=latency, walk=line and a footprint that is a multiple of "
                 "256"
           : params->value[MODE] == LATENCY && (params->value[WALK] != LINE || is_2d(path))
               ? "mode=latency needs walk=line and a path of one dimension"
           : is_2d(path) && params->value[WALK] == LINE ? "walk=line needs a path of one dimension"
           : params->value[WALK] != LINE && (path == CA || path == NC || path == CG || path == TEX)
               ? "walk=rows, columns, tiles and random need path=plain or a 2-D texture"
           : params->value[WALK] != LINE && (bytes & (bytes - 1) || bytes < (8 << 10) || bytes > (128 << 20))
               ? "footprint must be a power of two from 8192 to 134217728 for walks of two dimensions"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "../../textures.h"
#include "gpu/cuda_half.cuh"

enum { WARPS = 32, PASS_CYCLES = 16000, CHAIN_CYCLES = 16000 };

__constant__ static uint64_t table[CONST_BYTES / ELEMENT_BYTES];

/* Where a chain stands: what its last read returned. */
typedef union element {
    uint64_t pointer;  /* global paths */
    uint2 index;       /* x: index of a 1-D texture, or byte offset in constant memory */
    float2 coordinate; /* 2-D textures: texel centres */
} element;

typedef struct walk {
    cudaTextureObject_t texture;
    const element *first, *last; /* by thread and chain: where it starts, and where it must end */
} walk;

template <int PATH_> __device__ __forceinline__ element step(element at, cudaTextureObject_t texture) {
    element next;
#define LOAD(way) asm volatile("ld.global" way ".u64 %0, [%1];" : "=l"(next.pointer) : "l"(at.pointer) : "memory")
    if (PATH_ == PLAIN) {
        LOAD("");
    } else if (PATH_ == CA) {
        LOAD(".ca");
    } else if (PATH_ == NC) {
        LOAD(".nc");
    } else if (PATH_ == CG) {
        LOAD(".cg");
    } else if (PATH_ == TEX) {
        next.index = tex1Dfetch<uint2>(texture, (int)at.index.x);
    } else if (PATH_ == CONST) {
        next.pointer = *(const uint64_t *)((const char *)table + (uint32_t)at.pointer);
    } else {
        next.coordinate = tex2D<float2>(texture, at.coordinate.x, at.coordinate.y);
    }
#undef LOAD
    return next;
}

/* Steps of a trip: an even number where two paths take turns. */
template <int PATH_, int CHAINS_> __device__ constexpr int steps_of() {
    return fx_steps_of(CHAINS_) - (PATH_ == PLAIN_NC || PATH_ == PLAIN_TEX);
}

template <int PATH_>
__device__ __forceinline__ element step_by_turns(element at, cudaTextureObject_t texture, int turn) {
    constexpr int first = PATH_ == PLAIN_NC || PATH_ == PLAIN_TEX ? PLAIN : PATH_;
    constexpr int second = PATH_ == PLAIN_NC ? NC : PATH_ == PLAIN_TEX ? TEX : PATH_;
    return turn % 2 == 0 ? step<first>(at, texture) : step<second>(at, texture);
}

template <int PATH_, int CHAINS_> __global__ void __launch_bounds__(WARPS *FX_WARP) chase(FX_TIMED_WITH(walk, w)) {
    element at[CHAINS_];
    for (int c = 0; c < CHAINS_; c++) {
        at[c] = w.first[threadIdx.x * CHAINS_ + c];
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int s, int c) { at[c] = step_by_turns<PATH_>(at[c], w.texture, s); };
    fx_timed_chains<CHAINS_, steps_of<PATH_, CHAINS_>()>(timed, marks, link, [&] { return at[0].index.x; });
    const auto is_wrong = [&](int c) { return at[c].pointer != w.last[threadIdx.x * CHAINS_ + c].pointer; };
    fx_timed_end_all<CHAINS_>(timed, marks, is_wrong);
}

/* What the kernel gets, and what the host keeps. */
typedef struct task {
    walk w;
    element *host;             /* the elements as the path sees them */
    uint32_t *order;           /* order[k] is the k-th position of the cycle */
    element *ends_host, *ends; /* first, then last, of every thread and chain */
    element *data;             /* device memory, or NULL where an array holds it */
    cudaArray_t array;
    size_t bytes;
    uint32_t positions; /* of the cycle: lines, groups of 32, or single texels */
    uint32_t width;     /* texels in a row of a 2-D footprint */
    uint32_t chains;
} task;

/* Element index that `lane` reads at cycle position `position`. */
static uint32_t element_of(const task *s, const fx_case *c, uint32_t position, uint32_t lane) {
    const uint32_t width = s->width;
    const uint32_t across = width / 8; /* tiles, 8 wide and 4 high */
    const int64_t walk = c->params.value[WALK];
    return c->params.value[MODE] == LATENCY ? position * (FX_LINE_BYTES / ELEMENT_BYTES)
           : walk == COLUMNS
               ? (position / width * FX_WARP + lane) * width + position % width /* 32 rows at one column */
           : walk == TILES  ? (position / across * 4 + lane / 8) * width + position % across * 8 + lane % 8
           : walk == RANDOM ? position /* every lane its own place on the cycle of all texels */
                            : position * FX_WARP + lane;
}

/* How the path writes down the place of element `index`. */
static element name_of(const task *s, int64_t path, uint32_t index) {
    element e;
    memset(&e, 0, sizeof e);
    if (path == TEX) {
        e.index.x = index;
    } else if (path == CONST) {
        e.pointer = (uint64_t)index * ELEMENT_BYTES;
    } else if (is_2d(path)) {
        e.coordinate.x = (float)(index % s->width) + 0.5f;
        e.coordinate.y = (float)(index / s->width) + 0.5f;
    } else {
        e.pointer = (uint64_t)(s->data + index);
    }
    return e;
}

/* The path by which the line at a position of the cycle is read. */
static int64_t path_at(const fx_case *c, uint64_t position) {
    const int64_t path = c->params.value[PATH];
    return !is_mixed(path) ? path : position % 2 == 0 ? PLAIN : path == PLAIN_NC ? NC : TEX;
}

/* Steps of a trip of this case, of one chain. */
static uint32_t trip_steps(const task *s, const fx_case *c) {
    return (uint32_t)(fx_steps_of((int)s->chains) - is_mixed(c->params.value[PATH]));
}

/* Lays the random cycle into s->host. */
static void lay_cycle(task *s, const fx_case *c, uint64_t seed) {
    const uint32_t lanes = c->params.value[MODE] == LATENCY || c->params.value[WALK] == RANDOM ? 1 : FX_WARP;
    for (size_t i = 0; i < s->bytes / ELEMENT_BYTES; i++) {
        s->host[i].pointer = fx_random_at(seed, i);
    }
    fx_random_order(seed, s->order, s->positions);
    for (uint32_t i = 0; i < s->positions; i++) {
        const uint32_t here = s->order[i], next = s->order[i + 1 < s->positions ? i + 1 : 0];
        for (uint32_t l = 0; l < lanes; l++) {
            s->host[element_of(s, c, here, l)] = name_of(s, path_at(c, i + 1), element_of(s, c, next, l));
        }
    }
}

static void give_array(fx_rig *rig, void *array, size_t bytes) {
    cudaFreeArray((cudaArray_t)array);
}

static fx_status make_texture(fx_rig *rig, task *s, const fx_case *c, fx_error *err) {
    const int64_t path = c->params.value[PATH];
    const size_t height = s->bytes / ELEMENT_BYTES / s->width;
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 32, 0, 0, is_2d(path) ? cudaChannelFormatKindFloat : cudaChannelFormatKindUnsigned);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    if (!is_2d(path)) {
        return linear_texture(rig, s->data, s->bytes, format, &s->w.texture, err);
    }
    if (path == TEX2D_PITCH) {
        return pitch_texture(rig, s->data, s->width, height, s->width * ELEMENT_BYTES, format, &s->w.texture, err);
    }
    FX_TRY_CUDA(cudaMallocArray(&s->array, &format, s->width, height, 0));
    FX_TRY(fx_rig_keep(rig, s->array, give_array, err));
    resource.res.array.array = s->array;
    return fx_rig_texture(rig, &resource, &s->w.texture, err);
}

/* Brings the elements to where the path reads them. */
static fx_status upload(fx_gpu *gpu, const fx_case *c, const task *s, fx_error *err) {
    const int64_t path = c->params.value[PATH];
    if (path == TEX2D_ARRAY) {
        const size_t row = s->width * ELEMENT_BYTES;
        FX_TRY_CUDA(cudaMemcpy2DToArrayAsync(s->array, 0, 0, s->host, row, row, s->bytes / row, cudaMemcpyHostToDevice,
                                             gpu->stream));
    } else if (path == CONST) {
        FX_TRY_CUDA(cudaMemcpyToSymbolAsync(table, s->host, s->bytes, 0, cudaMemcpyHostToDevice, gpu->stream));
    } else {
        FX_TRY_CUDA(cudaMemcpyAsync(s->data, s->host, s->bytes, cudaMemcpyHostToDevice, gpu->stream));
    }
    return fx_gpu_wait(gpu, err);
}

/* Memory of the host and of the device. */
static fx_status take_memory(fx_rig *rig, const fx_case *c, task *s, fx_error *err) {
    const int64_t path = c->params.value[PATH];
    const size_t ends_bytes = 2 * (size_t)rig->warps * FX_WARP * s->chains * sizeof(element);
    FX_TRY(fx_rig_memory(rig, &s->host, FX_HOST_MEMORY, s->bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &s->order, FX_HOST_MEMORY, s->positions * sizeof *s->order, 0, err));
    FX_TRY(fx_rig_memory(rig, &s->ends_host, FX_HOST_MEMORY, ends_bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &s->ends, FX_DEVICE_MEMORY, ends_bytes, 0, err));
    if (path != TEX2D_ARRAY && path != CONST) {
        FX_TRY(fx_rig_memory(rig, &s->data, FX_DEVICE_MEMORY, s->bytes, 0, err));
    }
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    enum { WARM_LINES = 8192 }; /* a first pass over all of an L1's lines, and over as much of the rest as is cheap */
    const fx_params *p = &c->params;
    const bool latency = p->value[MODE] == LATENCY;
    task *s = FX_ARGUMENT(rig, task);
    s->bytes = (size_t)p->value[FOOTPRINT];
    s->chains = latency ? 1 : CHAINS;
    s->positions = (uint32_t)(latency                    ? s->bytes / FX_LINE_BYTES
                              : p->value[WALK] == RANDOM ? s->bytes / ELEMENT_BYTES
                                                         : s->bytes / ELEMENT_BYTES / FX_WARP);
    for (s->width = FX_WARP; (size_t)s->width * s->width * ELEMENT_BYTES < s->bytes;) {
        s->width *= 2;
    }
    const uint32_t steps = trip_steps(s, c);
    rig->warps = latency ? 1 : WARPS;
    rig->carveout_pct = 0;
    rig->accesses = steps * s->chains;
    rig->pass_cycles = latency ? CHAIN_CYCLES : PASS_CYCLES;
    rig->trip_cycles = rig->accesses * (latency ? 40 : WARPS * 2);
    rig->warm_trips = (s->positions < WARM_LINES ? s->positions : WARM_LINES) / steps + 1;
    FX_TRY(take_memory(rig, c, s, err));
    if ((p->value[PATH] == TEX || p->value[PATH] == PLAIN_TEX || is_2d(p->value[PATH]))) {
        FX_TRY(make_texture(rig, s, c, err));
    }
    lay_cycle(s, c, fx_random_at(3, (uint64_t)s->bytes));
    return upload(rig->gpu, c, s, err);
}

/* Draws where the chains start, evenly spaced on the cycle so that none follows close in another's cache lines, and
 * finds where they must end after `steps`. */
static void draw_ends(task *s, const fx_case *c, uint32_t threads, uint64_t seed, uint64_t steps) {
    const bool random_walk = c->params.value[WALK] == RANDOM; /* which latency never has */
    const uint32_t count = threads * s->chains;
    uint64_t random = seed;
    const uint64_t drawn = fx_random_below(&random, s->positions);
    const uint64_t first = drawn - (is_mixed(c->params.value[PATH]) ? drawn % 2 : 0);
    const uint64_t walkers = random_walk ? count : count / FX_WARP;
    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t k = 0; k < s->chains; k++) {
            const uint64_t walker = (random_walk ? t : t / FX_WARP) * s->chains + k;
            const uint32_t at = (uint32_t)((first + walker * s->positions / walkers) % s->positions);
            const uint32_t end = (uint32_t)((at + steps) % s->positions);
            const uint32_t i = t * s->chains + k, lane = t % FX_WARP;
            s->ends_host[i] = name_of(s, path_at(c, at), element_of(s, c, s->order[at], lane));
            s->ends_host[count + i] = name_of(s, path_at(c, end), element_of(s, c, s->order[end], lane));
        }
    }
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    const uint32_t threads = rig->warps * FX_WARP, count = threads * s->chains;
    s->w.first = s->ends;
    s->w.last = s->ends + count;
    draw_ends(s, c, threads, seed, fx_timed_steps(&rig->timed, trip_steps(s, c), s->positions));
    FX_TRY(fx_gpu_upload(rig->gpu, s->ends, s->ends_host, 2 * count * sizeof *s->ends, err));
    if (s->data) { /* what fits in the L2 shall be there; what does not leaves its end there */
        FX_TRY(fx_gpu_read(rig->gpu, s->data, s->bytes, err));
    }
    return FX_OK;
}
#endif

#define BOTH_MODES(where, path, opcode)                                                                                \
    FX_TIMED("mode=latency " where, FX_K(chase, path, 1), {opcode, FX_CHAIN_STEPS}),                                   \
        FX_TIMED("mode=throughput " where, FX_K(chase, path, CHAINS), {opcode, CHAINS * FX_RATE_STEPS})

static const fx_kernel kernels[] = {
    BOTH_MODES("path=plain", PLAIN, "LDG.E.64"),
    BOTH_MODES("path=ca", CA, "LDG.E.64.STRONG.SM"),
    BOTH_MODES("path=nc", NC, "LDG.E.64.CONSTANT"),
    BOTH_MODES("path=cg", CG, "LDG.E.64.STRONG.GPU"),
    BOTH_MODES("path=tex", TEX, "TLD"),
    FX_TIMED("mode=latency path=const", FX_K(chase, CONST, 1), {"LDC", FX_CHAIN_STEPS}),
    FX_TIMED("mode=latency path=plain_nc", FX_K(chase, PLAIN_NC, 1), {"LDG.E.64", 30}, {"LDG.E.64.CONSTANT", 30}),
    FX_TIMED("mode=latency path=plain_tex", FX_K(chase, PLAIN_TEX, 1), {"LDG.E", 30}, {"TLD", 30}),
    FX_TIMED("mode=throughput path=tex2d_array,tex2d_pitch", FX_K(chase, TEX2D_ARRAY, CHAINS),
             {"TEX", CHAINS *FX_RATE_STEPS}),
};

FX_PROBE(readonly, .question = "Are read-only, texture or constant loads faster?",
         .method_version = 2, /* 2: the memory of a case is another one, so that cg at 1 KiB costs 6 % more than in the
                                 first archives */
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw), FX_TABLE(searches))
