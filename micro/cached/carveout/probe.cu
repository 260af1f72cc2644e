/* carveout: what does shared memory take from the L1? Method: for each share that the kernel asks for, the same walk
 * over a growing footprint: one warp along a random cycle of all lines, or 32 warps of four chains each on cycles of
 * their own. The kernels use no shared memory themselves. */
#include "core/probe.h"

enum { MODE, CARVEOUT, FOOTPRINT };
enum { LATENCY, THROUGHPUT, DEVICE };
enum { WORD_BYTES = 8, ROW_BYTES = FX_WARP * WORD_BYTES };
enum { MOST_BYTES = 4 << 20, WARPS = 32 /* where the SM is full */, CHAINS = 4 };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of one dependent chain, of one full SM, or of each SM while all run",
     "latency throughput device", 0, 0, LATENCY},
    {"carveout", "%", "share of the array requested as shared memory; -1: the driver chooses", NULL, -1, 100, 0},
    {"footprint", "bytes", "bytes read over and over, a multiple of 256", NULL, 1 << 10, MOST_BYTES, 16 << 10},
};

/* On compute capability 9.0 each of these asks for another of its sizes, 0 to 228 KiB of shared memory. */
#define SHARES "-1,0,3,7,14,28,43,57,71,85,100"
#define FOOTPRINTS                                                                                                     \
    "8Ki,16Ki,20Ki,24Ki,28Ki,32Ki,48Ki,56Ki,64Ki,88Ki,96Ki,120Ki,128Ki,152Ki,160Ki,184Ki,192Ki,208Ki,"                 \
    "224Ki,240Ki,256Ki"

static const fx_sweep sweeps[] = {
    {"latency", "mode=latency carveout=" SHARES " footprint=" FOOTPRINTS,
     "mode=latency carveout=-1,0,57,100 footprint=8Ki,16Ki,24Ki,64Ki,128Ki,192Ki"},
    {"throughput", "mode=throughput carveout=0,57,100 footprint=16Ki,32Ki,64Ki,96Ki,128Ki,160Ki,192Ki,224Ki,256Ki",
     "mode=throughput carveout=0,100 footprint=16Ki,128Ki"},
    {"device", "mode=device carveout=0,57,100 footprint=16Ki,32Ki,64Ki,96Ki,128Ki,160Ki,192Ki,224Ki,256Ki", NULL},
};

/* What is left of the L1, between the footprints of the grid. */
static const fx_search searches[] = {
    {"mode=latency", "footprint", FX_FIRST_ENDS, ROW_BYTES, 0, NULL},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->useful_bytes = params->value[MODE] == LATENCY ? WORD_BYTES : ROW_BYTES;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[MODE] == LATENCY
               ? params->value[FOOTPRINT] % ROW_BYTES == 0 ? NULL : "footprint must be a multiple of 256"
           : params->value[FOOTPRINT] % (2 * WARPS * ROW_BYTES) == 0
               ? NULL
               : "footprint must be a multiple of 16384 unless mode=latency: each of 32 warps walks rows of its own";
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

enum { PASS_CYCLES = 16000, CHAIN_CYCLES = 16000, LINK_CYCLES = 40 };
enum { BLOCK_STEP = 37 /* places by which the blocks of a grid start apart, so that they don't read in step */ };

typedef struct walk {
    const uint64_t *data;
    const uint32_t *order; /* order[k] is the k-th place of the cycle */
    uint32_t places;       /* of a warp's own cycle */
    uint32_t place_words;  /* words of a place */
    uint32_t lane_words;   /* 0: all lanes read the same word; 1: neighbours */
    uint32_t first;        /* where on the cycle the first chain starts */
    uint32_t ahead;        /* how far from there, once round at most, every chain must end */
} walk;

/* Address of what this lane reads at position `at` of its warp's cycle. */
__device__ __forceinline__ uint64_t address_of(const walk &w, uint32_t at) {
    const uint32_t place = w.order[threadIdx.x / FX_WARP * w.places + at % w.places];
    return (uint64_t)(w.data + place * w.place_words + threadIdx.x % FX_WARP * w.lane_words);
}

/* Position at which chain `c` of this warp starts: evenly spaced, so that none follows close behind another. */
__device__ __forceinline__ uint32_t start_of(const walk &w, uint32_t c, uint32_t chains) {
    return w.first + c * w.places / chains + blockIdx.x * BLOCK_STEP;
}

template <int CHAINS_> __global__ void __launch_bounds__(WARPS *FX_WARP) chase(FX_TIMED_WITH(walk, w)) {
    uint64_t at[CHAINS_];
    for (int c = 0; c < CHAINS_; c++) {
        at[c] = address_of(w, start_of(w, c, CHAINS_));
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto link = [&](int, int c) { asm volatile("ld.global.u64 %0, [%0];" : "+l"(at[c])::"memory"); };
    fx_timed_chains<CHAINS_>(timed, marks, link, [&] { return (uint32_t)at[0]; });
    const auto is_wrong = [&](int c) { return at[c] != address_of(w, start_of(w, c, CHAINS_) + w.ahead); };
    fx_timed_end_all<CHAINS_>(timed, marks, is_wrong);
}

/* Links the places to one random cycle for each warp, lane by lane, and brings them to the device. A cycle of its own:
 * warps drift, and on a common one the slow would find what the fast have just brought. */
static fx_status lay_cycle(fx_rig *rig, walk *w, size_t bytes, uint32_t places, fx_error *err) {
    const size_t order_bytes = places * sizeof(uint32_t);
    uint64_t *words, *data;
    uint32_t *order, *device_order;
    FX_TRY(fx_rig_memory(rig, &words, FX_HOST_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &order, FX_HOST_MEMORY, order_bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &data, FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &device_order, FX_DEVICE_MEMORY, order_bytes, 0, err));
    fx_random_order(fx_random_at(5, bytes), order, places);
    for (uint32_t k = 0; k < places; k++) {
        const uint32_t first = k / w->places * w->places, after = first + (k + 1 - first) % w->places;
        const uint32_t here = order[k] * w->place_words, next = order[after] * w->place_words;
        for (uint32_t i = 0; i < w->place_words; i++) {
            words[here + i] = (uint64_t)(data + next + i);
        }
    }
    w->data = data;
    w->order = device_order;
    FX_TRY_CUDA(cudaMemcpyAsync(data, words, bytes, cudaMemcpyHostToDevice, rig->gpu->stream));
    FX_TRY_CUDA(cudaMemcpyAsync(device_order, order, order_bytes, cudaMemcpyHostToDevice, rig->gpu->stream));
    return fx_gpu_wait(rig->gpu, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const bool latency = p->value[MODE] == LATENCY;
    const uint32_t chains = latency ? 1 : CHAINS, steps = (uint32_t)fx_steps_of((int)chains);
    walk *w = FX_ARGUMENT(rig, walk);
    w->place_words = (latency ? (uint32_t)FX_LINE_BYTES : (uint32_t)ROW_BYTES) / WORD_BYTES;
    w->lane_words = latency ? 0 : 1;
    const uint32_t places = (uint32_t)((size_t)p->value[FOOTPRINT] / WORD_BYTES / w->place_words);
    w->places = latency ? places : places / WARPS;
    rig->warps = latency ? 1 : WARPS;
    rig->blocks = p->value[MODE] == DEVICE ? (unsigned)rig->gpu->facts.sm_count : 1;
    rig->carveout_pct = (int)p->value[CARVEOUT];
    rig->accesses = steps * chains;
    rig->warm_trips = 2 * w->places / steps + 1; /* twice round to settle */
    rig->together = true; /* some warps' rows stay in the L1 and others' do not: the block waits for all */
    if (latency) {        /* N is the whole cycle at least, so that a sample counts every place */
        const uint32_t cycles = places * LINK_CYCLES;
        rig->pass_cycles = cycles > CHAIN_CYCLES ? cycles : CHAIN_CYCLES;
        rig->trips = fx_rig_trips(rig, FX_CHAIN_STEPS * LINK_CYCLES) + 1;
    } else {
        rig->pass_cycles = 3 * PASS_CYCLES;
        rig->trip_cycles = FX_RATE_STEPS * CHAINS * WARPS * 2;
    }
    return lay_cycle(rig, w, (size_t)p->value[FOOTPRINT], places, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    walk *w = FX_ARGUMENT(rig, walk);
    const uint32_t steps = (uint32_t)fx_steps_of(rig->warps == 1 ? 1 : CHAINS);
    w->first = (uint32_t)fx_random_below(&seed, w->places);
    w->ahead = (uint32_t)(fx_timed_steps(&rig->timed, steps, w->places) % w->places);
    return fx_gpu_read(rig->gpu, w->data, (size_t)c->params.value[FOOTPRINT], err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("mode=latency", FX_K(chase, 1), {"LDG.E.64", FX_CHAIN_STEPS}),
    FX_TIMED("mode=throughput,device", FX_K(chase, CHAINS), {"LDG.E.64", CHAINS *FX_RATE_STEPS}),
};

FX_PROBE(carveout, .question = "How much L1 does shared memory take away?", .method_version = 1, FX_PARTS,
         .supported = supported, .draw = FX_GPU(draw), FX_TABLE(searches))
