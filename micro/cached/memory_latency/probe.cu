/* memory_latency: how long does one dependent access take, in each memory? Method: one warp follows one cycle of links
 * at random places, one in each `stride` bytes. A link holds what its memory needs to find the next one (address,
 * offset, index), so no loop has arithmetic. A stride beyond the line is read past the L1, which needs no translation
 * for a hit. For the halves of the L2 a block comes to each SM, and only that on the wanted SM reads. */
#include <math.h>

#include "core/probe.h"

enum { SPACE, FOOTPRINT, STRIDE, LINE, SM };
enum { REGISTER, SHARED, GLOBAL, L2, CONSTANT, TEXTURE, LOCAL, ORDERED };
enum { LEAST_LINKS = 4, MOST_LINKS = 1 << 22 };
enum { CONSTANT_BYTES = 64 << 10, LOCAL_WORDS = 256 };
enum { LINES = 32, LINE_ROOM = 4096, MOST_L2_BYTES = 1024 }; /* the lines whose place in the L2 is looked at */

static const fx_axis axes[] = {
    {"space", "",
     "memory that holds the links; l2: global memory past the L1, on one SM; ordered: global memory in address order",
     "register shared global l2 constant texture local ordered", 0, 0, GLOBAL},
    {"footprint", "bytes", "bytes that the links are spread over; 0 for a register", NULL, 0, (int64_t)128 << 30,
     16 << 10},
    {"stride", "bytes", "bytes per link: 8 to 128, or a multiple of 128", NULL, 8, 256 << 20, FX_LINE_BYTES},
    {"line", "", "index of the line, with space=l2", NULL, 0, LINES - 1, 0},
    {"sm", "", "SM that reads the line, with space=l2", NULL, 0, 1023, 0},
};

#define IN_L1  "1Ki,2Ki,4Ki,8Ki,16Ki,32Ki,64Ki,96Ki,128Ki,160Ki,192Ki,208Ki,224Ki,240Ki,256Ki,320Ki,384Ki"
#define BEHIND "512Ki,1Mi,2Mi,4Mi,8Mi,16Mi,20Mi,24Mi,28Mi,32Mi,40Mi,48Mi,56Mi,64Mi,80Mi,96Mi,128Mi,160Mi,192Mi,256Mi"

/* Quick ones have three points on each flat part: the fewest that reveal the level of one. */
static const fx_sweep sweeps[] = {
    {"register", "space=register footprint=0", "space=register footprint=0"},
    {"shared", "space=shared footprint=1Ki,4Ki,16Ki,32Ki,48Ki", "space=shared footprint=1Ki,4Ki,16Ki"},
    {"global", "space=global footprint=" IN_L1 "," BEHIND,
     "space=global footprint=4Ki,16Ki,64Ki,1Mi,2Mi,4Mi,128Mi,160Mi,192Mi"},
    {"constant",
     "space=constant stride=64 footprint=256,512,1Ki,1536,2Ki,2304,2560,3Ki,4Ki,8Ki,16Ki,24Ki,32Ki,48Ki,64Ki",
     "space=constant stride=64 footprint=512,1Ki,1536,4Ki,16Ki,32Ki"},
    {"texture", "space=texture footprint=4Ki,16Ki,64Ki,128Ki,512Ki,1Mi,4Mi,16Mi,256Mi",
     "space=texture footprint=4Ki,16Ki,64Ki,1Mi"},
    {"local", "space=local footprint=4Ki,8Ki,16Ki,32Ki", "space=local footprint=4Ki,8Ki,16Ki"},
    {"tlb_64Ki", "space=l2 stride=64Ki footprint=1Mi:512Mi:*2", NULL},
    {"tlb_2Mi", "space=l2 stride=2Mi footprint=32Mi:16Gi:*2", "space=l2 stride=2Mi footprint=32Mi,1Gi"},
    {"tlb_32Mi", "space=l2 stride=32Mi footprint=512Mi,1Gi,2Gi,4Gi,8Gi,16Gi,24Gi,32Gi,48Gi,64Gi,80Gi,96Gi", NULL},
    {"tlb_l1", "space=global stride=2Mi footprint=32Mi:2Gi:*2", NULL},
    {"ordered", "space=ordered footprint=4Mi stride=8,16,32,64,128", NULL},
    {"ordered_dram", "space=ordered footprint=128Mi stride=32,64,128", NULL},
    {"place", "space=l2 stride=8 footprint=32 line=0:15 sm=0:14:2", "space=l2 stride=8 footprint=32 line=0:3 sm=0,2"},
};

/* What the levels hold, between the points of these grids. */
static const fx_search searches[] = {
    {"space=global stride=128", "footprint", FX_FIRST_ENDS, FX_LINE_BYTES, 0, NULL},
    {"space=global stride=128", "footprint", FX_LAST_BEGINS, FX_LINE_BYTES, 0, NULL},
    {"space=constant stride=64", "footprint", FX_FIRST_ENDS, 64, 0, NULL},
    {"space=texture", "footprint", FX_FIRST_ENDS, FX_LINE_BYTES, 0, NULL},
    {"space=l2 stride=2Mi", "footprint", FX_FIRST_ENDS, 2 << 20, 0.1, NULL},
    {"space=l2 stride=32Mi", "footprint", FX_FIRST_ENDS, 32 << 20, 0.1, NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "dependent access"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    static const double bytes[] = {0, 4, 8, 8, 4, 4, 4 * FX_WARP, 8};
    out->useful_bytes = bytes[params->value[SPACE]];
}

static const char *unsuited(const fx_facts *facts, const fx_params *params) {
    const int64_t space = params->value[SPACE], bytes = params->value[FOOTPRINT];
    const bool one_line = params->value[STRIDE] <= FX_LINE_BYTES;
    return space == SHARED && (uint64_t)bytes > facts->shared_per_block_bytes
               ? "space=shared: a block can't have that much shared memory"
           : space == CONSTANT && bytes > CONSTANT_BYTES ? "space=constant needs footprint up to 65536"
           : space == LOCAL && params->value[STRIDE] != FX_LINE_BYTES
               ? "space=local needs stride=128: a line holds one word per lane"
           : space == LOCAL && bytes > LOCAL_WORDS * FX_LINE_BYTES
               ? "space=local: the kernel has 1 KiB of local memory per lane"
           : space == L2 && params->value[SM] >= facts->sm_count ? "sm: the device has fewer SMs"
           : space == L2 && one_line && bytes > MOST_L2_BYTES
               ? "space=l2 with stride up to 128 needs footprint up to 1024: it is about one line"
           : space == L2 && !one_line && params->value[LINE] != 0 ? "line above 0 needs stride=128 or less"
           : space == TEXTURE && bytes > 256 << 20                ? "space=texture needs footprint up to 268435456"
           : (space == GLOBAL || space == ORDERED || (space == L2 && !one_line)) && facts->memory_bytes > 0 &&
                   (uint64_t)bytes > facts->memory_bytes / 4 * 3
               ? "footprint is more than three quarters of the device memory"
               : NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t space = params->value[SPACE], bytes = params->value[FOOTPRINT], stride = params->value[STRIDE];
    return space != L2 && (params->value[LINE] != 0 || params->value[SM] != 0) ? "line and sm need space=l2"
           : space == REGISTER ? bytes == 0 ? NULL : "space=register needs footprint=0"
           : stride % 8 != 0 || (stride > FX_LINE_BYTES && stride % FX_LINE_BYTES != 0)
               ? "stride must be a multiple of 8 up to 128, and of 128 above"
           : stride > FX_LINE_BYTES && space != GLOBAL && space != L2
               ? "stride above 128 needs space=global or space=l2"
           : bytes % stride != 0                                         ? "footprint must be a multiple of stride"
           : bytes / stride < LEAST_LINKS || bytes / stride > MOST_LINKS ? "footprint / stride must be 4 to 4194304"
                                                                         : unsuited(facts, params);
}

#ifdef FX_WITH_CUDA
#include "../../textures.h"
#include "gpu/cuda_half.cuh"

enum { CHAIN_CYCLES = 16000, LINK_CYCLES = 40, REGISTER_CYCLES = 4 }; /* what N trips should take, and one link */
enum { WARM_LINKS = 4096 /* once round an L1, and over as much of the rest as is cheap */ };
enum { TIMED_LINKS = 1024 /* N, at least, where there are so many */ };
enum { ARRIVAL_CYCLES = 10000 }; /* so long a block that only holds its SM stays there */

__constant__ static uint32_t table[CONSTANT_BYTES / 4];

/* Not allocated for each case, so that one line is the same piece of memory for all SMs. */
__device__ static uint64_t lines[LINES * LINE_ROOM / 8] __attribute__((aligned(FX_LINE_BYTES)));

/* The links as they lie in device memory. */
typedef struct ring {
    char *data;
    uint64_t stride, seed;
    uint64_t base; /* a link is base + offset / unit of the next one */
    uint32_t unit, places;
} ring;

/* Byte offset of the link at a place. Beyond the line it lies somewhere in its stride: addresses that differ in their
 * high bits alone would meet in few sets of the caches. */
FX_HOST_DEVICE static inline uint64_t offset_of(const ring *r, uint32_t place) {
    const uint64_t choices = r->stride / FX_LINE_BYTES;
    return place * r->stride + (choices > 1 ? fx_random_at(r->seed, place) % choices * FX_LINE_BYTES : 0);
}

FX_HOST_DEVICE static inline uint64_t link_to(const ring *r, uint32_t place) {
    return r->base + offset_of(r, place) / r->unit;
}

/* Writes each link, and random bits in the rest of its line. */
__global__ static void lay(const __grid_constant__ ring r, const uint32_t *order) {
    const uint32_t words = (uint32_t)(r.stride < FX_LINE_BYTES ? r.stride : FX_LINE_BYTES) / 8;
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < r.places; k += gridDim.x * blockDim.x) {
        uint64_t *line = (uint64_t *)(r.data + offset_of(&r, order[k]));
        line[0] = link_to(&r, order[k + 1 < r.places ? k + 1 : 0]);
        for (uint32_t i = 1; i < words; i++) {
            line[i] = fx_random_at(r.seed, (uint64_t)k * (FX_LINE_BYTES / 8) + i);
        }
    }
}

typedef struct walk {
    ring r;
    cudaTextureObject_t texture;
    uint64_t first, last;        /* where the chain starts, and where it must end */
    uint32_t multiplier, addend; /* of a register's chain */
    uint32_t sm;                 /* l2: where to read */
    uint32_t zero;               /* so that the compiler can't know that all lanes read one address */
} walk;

template <int SPACE_>
__device__ __forceinline__ uint64_t step(uint64_t at, const walk &w, uint32_t multiplier, uint32_t addend) {
    uint32_t next = (uint32_t)at;
    if (SPACE_ == GLOBAL) {
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(at)::"memory");
        return at;
    } else if (SPACE_ == L2) {
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        return at;
    } else if (SPACE_ == REGISTER) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(next) : "r"(multiplier), "r"(addend));
    } else if (SPACE_ == SHARED) {
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(next)::"memory");
    } else if (SPACE_ == CONSTANT) {
        next = *(const uint32_t *)((const char *)table + next);
    } else if (SPACE_ == TEXTURE) {
        next = tex1Dfetch<uint32_t>(w.texture, (int)next);
    } else {
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(next) : "l"(at) : "memory");
    }
    return next;
}

/* Brings the links into the memory that the kernel brings along, and returns where that begins. */
template <int SPACE_> __device__ __forceinline__ uint64_t settle(const ring &r, uint32_t *local) {
    extern __shared__ uint32_t shared[];
    uint64_t begin = 0;
    if (SPACE_ == SHARED) {
        begin = __cvta_generic_to_shared(shared);
        for (uint32_t k = threadIdx.x; k < r.places; k += FX_WARP) {
            shared[k * r.stride / 4] = (uint32_t)(begin + *(const uint64_t *)(r.data + k * r.stride));
        }
        __syncthreads();
    } else if (SPACE_ == LOCAL) {
        begin = __cvta_generic_to_local(local);
        for (uint32_t k = 0; k < r.places; k++) {
            const uint32_t next = (uint32_t)(begin + *(const uint64_t *)(r.data + k * r.stride));
            asm volatile("st.local.u32 [%0], %1;" ::"l"(begin + 4 * k), "r"(next) : "memory");
        }
    }
    return begin;
}

template <int SPACE_> __global__ void chase(FX_TIMED_WITH(walk, w)) {
    uint32_t local[SPACE_ == LOCAL ? LOCAL_WORDS : 1];
    const uint64_t begin = settle<SPACE_>(w.r, local);
    const bool at_work = SPACE_ != L2 || fx_sm_id() == w.sm;
    const uint32_t zero = threadIdx.x * w.zero, multiplier = w.multiplier + zero, addend = w.addend + zero;
    uint64_t at = begin + w.first + zero;
    uint64_t marks[FX_MAX_PASSES] = {0};
    if (at_work) {
        const auto link = [&](int, int) { at = step<SPACE_>(at, w, multiplier, addend); };
        fx_timed_chains<1>(timed, marks, link, [&] { return (uint32_t)at; });
    } else {
        for (const uint64_t start = fx_clock(); fx_clock() - start < ARRIVAL_CYCLES;) {
        }
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, at_work && at != begin + w.last);
}

/* What the kernel gets, and what the host keeps. */
typedef struct work {
    walk w;
    uint32_t *order; /* order[k] is the k-th place of the cycle */
    bool walked;     /* from end to end */
} work;

/* Where the links lie, and how they are written. */
static fx_status place_ring(fx_rig *rig, const fx_params *p, ring *r, fx_error *err) {
    const int64_t space = p->value[SPACE], line = p->value[LINE];
    const size_t bytes = (size_t)p->value[FOOTPRINT];
    char *start = NULL;
    r->stride = (uint64_t)p->value[STRIDE];
    r->places = (uint32_t)(bytes / r->stride);
    r->seed = fx_random_at(7, bytes);
    r->unit = space == TEXTURE ? 4 : space == LOCAL ? FX_WARP : 1;
    if (space == L2 && r->stride <= FX_LINE_BYTES) { /* one in each page of 4 KiB, somewhere in it */
        FX_TRY_CUDA(cudaGetSymbolAddress((void **)&start, lines));
        r->data = start + line * LINE_ROOM +
                  fx_random_at(11, (uint64_t)line) % ((LINE_ROOM - MOST_L2_BYTES) / FX_LINE_BYTES) * FX_LINE_BYTES;
    } else {
        if (bytes >= (size_t)1 << 30) {
            fx_pool_empty(rig->gpu);
        }
        FX_TRY(fx_rig_memory(rig, &r->data, FX_DEVICE_MEMORY, bytes, 0, err));
    }
    r->base = space == GLOBAL || space == L2 || space == ORDERED ? (uint64_t)r->data : 0;
    return FX_OK;
}

/* The cycle, at random or by address. What was written leaves the L2, so that no sample pays for it. */
static fx_status lay_ring(fx_rig *rig, work *w, bool ordered, fx_error *err) {
    ring *r = &w->w.r;
    const size_t bytes = r->places * sizeof *w->order;
    uint32_t *order = NULL;
    fx_status status = FX_OK;
    FX_TRY(fx_rig_memory(rig, &w->order, FX_HOST_MEMORY, bytes, 0, err));
    fx_random_order(r->seed, w->order, r->places);
    for (uint32_t k = 0; k < r->places && ordered; k++) {
        w->order[k] = k;
    }
    FX_CUDA(cudaMalloc((void **)&order, bytes));
    FX_CUDA(cudaMemcpyAsync(order, w->order, bytes, cudaMemcpyHostToDevice, rig->gpu->stream));
    FX_GO(fx_rig_aid(rig, "lay", (unsigned)rig->gpu->facts.sm_count * 4, 256, fx_arguments{r, &order}, err));
    FX_GO(fx_gpu_flush_l2(rig->gpu, err));
    FX_CUDA(cudaStreamSynchronize(rig->gpu->stream));
cleanup:
    fx_memory_free(rig->gpu, order, bytes);
    return status;
}

/* The memories that are reached by a name of their own. */
static fx_status bind(fx_rig *rig, const fx_params *p, walk *w, fx_error *err) {
    const size_t bytes = (size_t)p->value[FOOTPRINT];
    if (p->value[SPACE] == CONSTANT) {
        FX_TRY_CUDA(cudaMemcpyToSymbolAsync(table, w->r.data, bytes, 0, cudaMemcpyDeviceToDevice, rig->gpu->stream));
        FX_TRY_CUDA(cudaStreamSynchronize(rig->gpu->stream));
    } else if (p->value[SPACE] == TEXTURE) {
        FX_TRY(linear_texture(rig, w->r.data, bytes, cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned),
                              &w->texture, err));
    }
    return FX_OK;
}

/* How long the chain is: over many links of a large ring, so that a sample tells of all of it; and once round before.
 */
static void set_lengths(fx_rig *rig, int64_t space, const ring *r) {
    const uint32_t links = r->places < TIMED_LINKS ? r->places : TIMED_LINKS;
    const bool spread = r->stride > FX_LINE_BYTES;
    rig->accesses = FX_CHAIN_STEPS;
    rig->pass_cycles = CHAIN_CYCLES;
    rig->trip_cycles = FX_CHAIN_STEPS * REGISTER_CYCLES;
    if (space != REGISTER) {
        rig->pass_cycles = links * LINK_CYCLES > CHAIN_CYCLES ? links * LINK_CYCLES : CHAIN_CYCLES;
        rig->trip_cycles = FX_CHAIN_STEPS * LINK_CYCLES;
        rig->warm_trips = (spread || r->places < WARM_LINKS ? r->places : WARM_LINKS) / FX_CHAIN_STEPS + 1;
    }
}

static fx_status report(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err) {
    FX_FAIL_IF(!isfinite(out->value), err, FX_UNSUPPORTED, "none of %u blocks came to SM %u", rig->blocks,
               (unsigned)c->params.value[SM]);
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const int64_t space = p->value[SPACE];
    work *w = FX_ARGUMENT(rig, work);
    if (space != REGISTER) {
        FX_TRY(place_ring(rig, p, &w->w.r, err));
        FX_TRY(lay_ring(rig, w, space == ORDERED, err));
        FX_TRY(bind(rig, p, &w->w, err));
    }
    w->w.sm = (uint32_t)p->value[SM];
    rig->warps = 1;
    if (space == L2) { /* so much shared memory that no SM takes two blocks */
        rig->blocks = (unsigned)rig->gpu->facts.sm_count;
        rig->shared_bytes = rig->gpu->facts.shared_per_block_bytes;
    } else if (space == SHARED) {
        rig->shared_bytes = (size_t)p->value[FOOTPRINT];
    }
    rig->carveout_pct = rig->shared_bytes > 0 ? 100 : 0;
    rig->local_memory = space == LOCAL;
    rig->report = report;
    set_lengths(rig, space, &w->w.r);
    return FX_OK;
}

/* Draws the chain's numbers and computes what it must come to after `steps`: multiplier and addend are such that it
 * comes back after 2^32 steps alone. */
static void draw_register(walk *w, uint64_t seed, uint64_t steps) {
    uint32_t x = fx_random_word(seed, 0);
    w->first = x;
    w->multiplier = (fx_random_word(seed, 1) & ~3u) | 1u;
    w->addend = fx_random_word(seed, 2) | 1u;
    for (uint64_t i = 0; i < steps; i++) {
        x = x * w->multiplier + w->addend;
    }
    w->last = x;
}

/* Draws where the chain starts on the ring, and finds where it must end. */
static void draw_ring(work *w, uint64_t seed, uint64_t steps) {
    const ring *r = &w->w.r;
    const uint64_t first = fx_random_below(&seed, r->places);
    w->w.first = link_to(r, w->order[first]);
    w->w.last = link_to(r, w->order[(first + steps) % r->places]);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    const int64_t space = c->params.value[SPACE];
    const size_t bytes = (size_t)c->params.value[FOOTPRINT];
    work *w = FX_ARGUMENT(rig, work);
    const ring *r = &w->w.r;
    const uint32_t round = r->places / FX_CHAIN_STEPS + 1;
    /* Once all links that the L2 holds: the half near to the SM gets copies of lines of the other half. */
    if (!w->walked && bytes <= rig->gpu->facts.l2_bytes && rig->timed.trips[0] < round) {
        rig->timed.trips[0] = round;
    }
    w->walked = true;
    const uint64_t steps = fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, r->places);
    if (space == REGISTER) {
        draw_register(&w->w, seed, steps);
    } else {
        draw_ring(w, seed, steps);
    }
    if ((space == GLOBAL || space == TEXTURE || space == ORDERED) && r->stride <= FX_LINE_BYTES) {
        /* what fits in the L2 shall be there, and of what does not fit nothing */
        return bytes > rig->gpu->facts.l2_bytes ? fx_gpu_flush_l2(rig->gpu, err)
                                                : fx_gpu_read(rig->gpu, r->data, bytes, err);
    }
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("space=register", FX_K(chase, REGISTER), {"IMAD", FX_CHAIN_STEPS}),
    FX_TIMED("space=shared", FX_K(chase, SHARED), {"LDS", FX_CHAIN_STEPS}),
    FX_TIMED("space=global,ordered", FX_K(chase, GLOBAL), {"LDG.E.64", FX_CHAIN_STEPS}),
    FX_TIMED("space=l2", FX_K(chase, L2), {"LDG.E.64.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_TIMED("space=constant", FX_K(chase, CONSTANT), {"LDC", FX_CHAIN_STEPS}),
    FX_TIMED("space=texture", FX_K(chase, TEXTURE), {"TLD", FX_CHAIN_STEPS}),
    FX_TIMED("space=local", FX_K(chase, LOCAL), {"LDL", FX_CHAIN_STEPS}),
    FX_AIDED("space=shared,global,l2,constant,texture,local,ordered", FX_K(lay)),
};

FX_PROBE(memory_latency, .question = "How long does one dependent access take in each memory?", .method_version = 1,
         FX_PARTS, .supported = supported, .draw = FX_GPU(draw), FX_TABLE(searches))
