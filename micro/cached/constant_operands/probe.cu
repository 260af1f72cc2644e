/* constant_operands: what does a constant cost if its address is in the code? Method: 32 warps add 128 words of
 * constant memory, at addresses that the compiler knows, to sums in registers; the baseline adds words in registers.
 * How the words are read is the compiler's choice, which the machine code tells. */
#include "core/probe.h"

enum { PATH, USES, SPACING };
enum { CONSTANT, REGISTER };
enum { WORDS = 128, BANK_BYTES = 64 << 10 };

static const fx_axis axes[] = {
    {"path", "", "source of the words that are added: constant memory, or a register", "constant register", 0, 0,
     CONSTANT},
    {"uses", "additions", "additions of each word: 1, 2 or 4", NULL, 1, 4, 1},
    {"spacing", "bytes", "distance between neighbouring words of the 128: 8, 16, ... 512", NULL, 8, 512, 8},
};

static const fx_sweep sweeps[] = {
    {"uses", "path=constant,register uses=1,2,4 spacing=8", "path=constant,register uses=1,2,4 spacing=8"},
    {"spacing", "path=constant uses=1 spacing=8,16,32,64,128,256,512", "path=constant uses=1 spacing=8,64,512"},
};

static const fx_metric metrics[] = {{"word_cycles", "cycles", FX_SM_CYCLES, false, "warp-level read of a word"}};

static bool operands(const fx_facts *facts) {
    return facts->compute_major < 9;
}

/* Instructions that a warp issues for a word: its additions, and the load where it is not their operand. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *g = &facts->geometry;
    const unsigned known = g->constant_sets * g->constant_ways * g->constant_line_bytes;
    const int64_t uses = params->value[USES], level = known > 0 ? known : 2048;
    const bool loads = params->value[PATH] == CONSTANT && !operands(facts);
    out->law = "instructions";
    out->count = (double)(uses + loads);
    /* a full level would be one line too few: the kernel's arguments are constants too */
    out->why_not = params->value[PATH] == CONSTANT && WORDS * params->value[SPACING] >= level
                       ? "more words than the first level of the constant cache holds"
                       : NULL;
    out->useful_bytes = params->value[PATH] == CONSTANT ? 4 : 0;
    fx_prediction_count(out, "uses", (double)uses);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t uses = params->value[USES], spacing = params->value[SPACING];
    return uses == 3                 ? "uses must be 1, 2 or 4"
           : spacing & (spacing - 1) ? "spacing must be a power of two"
           : spacing != 8 && (uses != 1 || params->value[PATH] == REGISTER)
               ? "spacing above 8 needs path=constant and uses=1"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

enum { WARPS = 32, SUMS = 8, IN_REGISTERS = 16, PASS_CYCLES = 96000 };

__constant__ static float bank[BANK_BYTES / 4];

typedef struct work {
    uint64_t seed;
    uint32_t trips;
    uint32_t none; /* 0, but the compiler does not know */
} work;

/* Small whole numbers, so that sums of floats are exact. */
__host__ __device__ static float value_at(uint64_t seed, uint32_t word) {
    return (float)(fx_random_word(seed, word) % 8);
}

/* Each word goes to `USES_` sums. A loop that never runs follows: the compiler takes constants out of innermost loops
 * alone, and without it half of the words would be read before the first trip. */
template <int PATH_, int USES_, int SPACING_>
__global__ void __launch_bounds__(WARPS *FX_WARP) add(FX_TIMED_WITH(work, w)) {
    const float nothing = (float)(threadIdx.x * w.none); /* keeps sums out of the registers that a warp has in common */
    float sum[SUMS], kept[IN_REGISTERS], total = 0, expected = 0;
    for (int s = 0; s < SUMS; s++) {
        sum[s] = nothing;
    }
    for (int i = 0; i < IN_REGISTERS; i++) {
        kept[i] = value_at(w.seed, i) + nothing;
    }
    uint64_t marks[FX_MAX_PASSES] = {0};
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) {
        FX_UNROLL for (int i = 0; i < WORDS; i++) {
            const float word = PATH_ == REGISTER ? kept[i % IN_REGISTERS] : bank[i * SPACING_ / 4];
            FX_UNROLL for (int u = 0; u < USES_; u++) {
                sum[(i + u) % SUMS] += word;
            }
        }
        FX_NO_UNROLL for (uint32_t k = 0; k < w.none; k++) {
#if __CUDA_ARCH__ >= 700
            asm volatile("nanosleep.u32 1;");
#else
            asm volatile("membar.cta;");
#endif
        }
    });
    for (int i = 0; i < WORDS; i++) {
        expected += value_at(w.seed, PATH_ == REGISTER ? i % IN_REGISTERS : i * SPACING_ / 4);
    }
    for (int s = 0; s < SUMS; s++) {
        total += sum[s];
    }
    fx_timed_end(timed, marks, FX_ALL_LANES, total != expected * (float)(USES_ * w.trips));
}

typedef struct task {
    work w;
    float *host; /* pinned: what the bank holds */
} task;

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    rig->warps = WARPS;
    rig->accesses = WORDS;
    rig->pass_cycles = PASS_CYCLES;
    rig->trip_cycles = rig->accesses * rig->warps * (0.25 * c->prediction.count + (c->prediction.why_not ? 0.75 : 0));
    return fx_rig_memory(rig, &t->host, FX_PINNED_MEMORY, BANK_BYTES, 0, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->w.seed = seed;
    t->w.trips = fx_timed_total_trips(&rig->timed);
    for (uint32_t i = 0; i < BANK_BYTES / 4; i++) {
        t->host[i] = value_at(seed, i);
    }
    return FX_CUDA_STATUS(
        cudaMemcpyToSymbolAsync(bank, t->host, BANK_BYTES, 0, cudaMemcpyHostToDevice, rig->gpu->stream));
}
#endif

/* The loop that never runs has branches. Up to sm_89 every addition of a word has it as an operand. */
#define READ(uses, spacing, since)                                                                                     \
    FX_TIMED_FROM(since, "path=constant uses=" #uses " spacing=" #spacing, FX_K(add, CONSTANT, uses, spacing),         \
                  {"c[3]", WORDS}, {"FADD", WORDS * uses}, {"BRA", 0})
#define KEPT(uses)                                                                                                     \
    FX_TIMED("path=register uses=" #uses, FX_K(add, REGISTER, uses, 8), {"FADD", WORDS * uses}, {"BRA", 0})

static const fx_kernel kernels[] = {
    READ(1, 8, 0),  READ(2, 8, 90), READ(4, 8, 90), KEPT(1),         KEPT(2),         KEPT(4),
    READ(1, 16, 0), READ(1, 32, 0), READ(1, 64, 0), READ(1, 128, 0), READ(1, 256, 0), READ(1, 512, 0),
};

FX_PROBE(constant_operands, .question = "What does a constant-memory operand of an instruction cost?",
         .method_version = 1, FX_PARTS, .fit_by = "", .supported = supported, .draw = FX_GPU(draw))
