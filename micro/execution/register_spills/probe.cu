/* register_spills: what does it cost when a thread has more live values than registers? Method: `live` values of a
 * thread, all read and written in every trip by a multiply-add each, compiled for 64 and for 255 registers. With too
 * few the compiler keeps the rest in local memory and moves it in and out. All warps begin each pass together, since
 * one warp's multiply-adds can fill the pipe. */
#include "core/probe.h"

enum { LIVE, REGISTERS, WARPS };
enum { TIGHT_REGISTERS = 64, ROOMY_REGISTERS = 255 };
enum { TIGHT_WARPS = 32, ROOMY_WARPS = 8 };

static const fx_axis axes[] = {
    {"live", "values", "live values per thread: 16, 32, 64, 72, 80, 96, 128, 160 or 200", NULL, 0, 200, 80},
    {"registers", "registers", "maximum registers per thread: 64 or 255", NULL, TIGHT_REGISTERS, ROOMY_REGISTERS,
     TIGHT_REGISTERS},
    {"warps", "warps", "warps on the SM; at most 8 with registers=255", NULL, 2, TIGHT_WARPS, ROOMY_WARPS},
};

#define LIVES "16,32,64,72,80,96,128,160,200"

static const fx_sweep sweeps[] = {
    {"spill", "live=" LIVES " registers=64 warps=8,16,32", "live=32,80,200 registers=64 warps=8"},
    {"roomy", "live=" LIVES " registers=255 warps=8", "live=32,80,200 registers=255 warps=8"},
};

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "update of one value by a warp"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)facts, (void)params, (void)table; /* what is kept where is the compiler's choice */
    out->useful_bytes = FX_WARP * 4;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value;
    const int64_t live = v[LIVE];
    const bool known = live <= 64 ? live >= 16 && !(live & (live - 1))
                                  : live == 72 || live == 80 || live == 96 || live == 128 || live == 160 || live == 200;
    return !known ? "live must be 16, 32, 64, 72, 80, 96, 128, 160 or 200"
           : v[REGISTERS] != TIGHT_REGISTERS && v[REGISTERS] != ROOMY_REGISTERS ? "registers must be 64 or 255"
           : v[REGISTERS] == ROOMY_REGISTERS && v[WARPS] > ROOMY_WARPS
               ? "registers=255 needs warps up to 8: an SM has 65536 registers"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

enum { PASS_CYCLES = 64000, IMAGE_BYTES = 2 * FX_WARP * 4 };

/* Every value is multiplied by one and grows by one in each trip; the compiler knows of neither one. */
typedef struct update {
    const uint32_t *image; /* a small start value for each lane, then 32 times 1 */
    uint32_t trips;        /* of all passes */
} update;

/* A block of 1024 threads leaves 64 registers to each, one of 256 leaves 255. */
template <int LIVE_, int WARPS_>
__global__ void __launch_bounds__(WARPS_ *FX_WARP) update_values(FX_TIMED_WITH(update, u)) {
    const uint32_t lane = threadIdx.x % FX_WARP;
    const float first = (float)u.image[lane], last = first + (float)u.trips, one = (float)u.image[FX_WARP + lane];
    float value[LIVE_];
    FX_UNROLL for (int k = 0; k < LIVE_; k++) {
        value[k] = first + k;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_accesses<LIVE_>(timed, marks, FX_ALL_LANES, [&](uint32_t, int k) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value[k]) : "f"(one));
    });
    fx_timed_end_all<LIVE_>(timed, marks, [&](int k) { return value[k] != last + k; });
}

/* What the kernel gets, and what the host keeps. */
typedef struct task {
    update u;
    uint32_t *host; /* the image */
} task;

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    task *t = FX_ARGUMENT(rig, task);
    rig->warps = (unsigned)v[WARPS];
    rig->carveout_pct = 0;
    rig->local_memory = v[REGISTERS] == TIGHT_REGISTERS;
    rig->accesses = (double)v[LIVE];
    rig->pass_cycles = PASS_CYCLES;
    rig->trip_cycles = rig->warps * (0.25 * (double)v[LIVE] + 0.5 * (double)rig->attributes.localSizeBytes);
    rig->together = true; /* one warp's multiply-adds can fill the pipe, and then the others wait */
    rig->report = fx_rig_local;
    FX_TRY(fx_rig_memory(rig, &t->host, FX_PINNED_MEMORY, IMAGE_BYTES, 0, err));
    return fx_rig_memory(rig, &t->u.image, FX_DEVICE_MEMORY, IMAGE_BYTES, 0, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    for (uint32_t l = 0; l < FX_WARP; l++) {
        t->host[l] = fx_random_word(seed, l) % 4096;
        t->host[FX_WARP + l] = 1;
    }
    t->u.trips = fx_timed_total_trips(&rig->timed);
    return fx_gpu_upload(rig->gpu, (void *)t->u.image, t->host, IMAGE_BYTES, err);
}
#endif

#define ROOMY(live) FX_TIMED("registers=255 live=" #live, FX_K(update_values, live, ROOMY_WARPS), {"FFMA", live})
#define TIGHT(live) FX_TIMED("registers=64 live=" #live, FX_K(update_values, live, TIGHT_WARPS), {"FFMA", live})
#define SPILLED(live)                                                                                                  \
    FX_TIMED("registers=64 live=" #live, FX_K(update_values, live, TIGHT_WARPS), {"FFMA", live}, {"LDL.LU", 0},        \
             {"STL", 0})

static const fx_kernel kernels[] = {
    ROOMY(16), ROOMY(32), ROOMY(64),   ROOMY(72),   ROOMY(80),   ROOMY(96),   ROOMY(128),   ROOMY(160),   ROOMY(200),
    TIGHT(16), TIGHT(32), SPILLED(64), SPILLED(72), SPILLED(80), SPILLED(96), SPILLED(128), SPILLED(160), SPILLED(200),
};

FX_PROBE(register_spills, .question = "What does it cost when a thread has more live values than registers?",
         .method_version = 1, FX_PARTS, .extras = "local_bytes local_KiB", .supported = supported, .draw = FX_GPU(draw))
