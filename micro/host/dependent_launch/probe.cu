/* dependent_launch: what does a kernel gain that may start before the one before it is done? Method: one block on each
 * SM copies a table into shared memory (prologue), waits for the kernel before, goes through a chain of steps (main
 * part) and writes it (epilogue), and lets the next kernel start at a place that is an axis. Pairs of N and 2N kernels
 * behind a latch. */
#include "core/probe.h"

enum { WAY, TRIGGER, STEPS };
enum { STREAM, PROGRAMMATIC, GRAPH, GRAPH_PROGRAMMATIC };
enum { NEVER, START, WAITED, WORKED, WRITTEN };
enum { WARPS = 8, THREADS = WARPS * FX_WARP, TABLE_WORDS = 8192, MOST_STEPS = 1 << 16, KERNELS = 32 /* N */ };

static const fx_axis axes[] = {
    {"way", "", "launches into a stream, or one graph; programmatic: with programmatic dependent launch",
     "stream programmatic graph graph_programmatic", 0, 0, STREAM},
    {"trigger", "",
     "point from which the next kernel may start: the end, before the prologue, after the wait, after the main part, "
     "or after the epilogue",
     "never start waited worked written", 0, 0, NEVER},
    {"steps", "steps", "length of the main part, in dependent steps", NULL, 0, MOST_STEPS, 256},
};

static const fx_sweep sweeps[] = {
    {"length", "way=stream,graph trigger=never steps=0,16,64,256,1Ki", "way=stream trigger=never steps=64"},
    {"early", "way=programmatic,graph_programmatic trigger=start steps=0,16,64,256,1Ki",
     "way=programmatic trigger=start steps=64"},
    {"place", "way=programmatic trigger=all steps=16,256", NULL},
};

static const fx_metric metrics[] = {{"kernel_ns", "ns", FX_GPU_NS, false, "kernel"}};

/* A kernel is a part that others can hide, and a chain. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = "steps";
    out->count = (double)(params->value[STEPS] + 1); /* one more, which needs the table */
}

static bool is_programmatic(int64_t way) {
    return way == PROGRAMMATIC || way == GRAPH_PROGRAMMATIC;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    if (is_programmatic(params->value[WAY]) && facts->compute_major < 9) {
        return "programmatic dependent launch needs sm_90";
    }
    if (!is_programmatic(params->value[WAY]) && params->value[TRIGGER] != NEVER) {
        return "trigger needs way=programmatic or way=graph_programmatic";
    }
#if defined(CUDART_VERSION) && CUDART_VERSION < 12030
    if (params->value[WAY] == GRAPH_PROGRAMMATIC) {
        return "way=graph_programmatic needs a build by CUDA 12.3 or newer";
    }
#endif
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "../../held.h"
#include "../kept.h"
#include "gpu/cuda_half.cuh"

/* What the kernel gets. */
typedef struct link {
    const uint32_t *table; /* TABLE_WORDS of fx_random_word(FX_FILL_SEED, i) */
    const uint32_t *in;
    uint32_t *out;
    uint32_t steps;
} link;

typedef struct task {
    cudaGraphExec_t graph;
    const uint32_t *table;
    uint32_t *word[2];        /* each in turn the input and the output */
    uint32_t steps, launched; /* launched: kernels since the words were drawn */
    uint64_t seed;
} task;

template <int PROGRAMMATIC_> __device__ __forceinline__ void let_next_start(void) {
    if constexpr (PROGRAMMATIC_) {
        asm volatile(FX_FROM_900("griddepcontrol.launch_dependents;")::: "memory");
    }
}

__device__ __forceinline__ uint32_t stepped(uint32_t word, uint32_t entry) {
    return (word ^ word >> 15) * 0x2c1b3c6du + entry;
}

/* Without griddepcontrol.wait it would be no link of a chain, so the kernel that is launched without the attribute has
 * it as well: there it returns at once. */
template <int TRIGGER_> __global__ void __launch_bounds__(THREADS) follow(const __grid_constant__ link l) {
    __shared__ uint32_t table[TABLE_WORDS];
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    let_next_start<TRIGGER_ == START>();
    for (uint32_t t = threadIdx.x; t < TABLE_WORDS; t += THREADS) {
        table[t] = l.table[t];
    }
    __syncthreads();
    asm volatile(FX_FROM_900("griddepcontrol.wait;")::: "memory");
    let_next_start<TRIGGER_ == WAITED>();
    uint32_t word = l.in[i];
    FX_NO_UNROLL for (uint32_t s = 0; s < l.steps; s++) {
        word = stepped(word, table[(s + threadIdx.x) % TABLE_WORDS]);
    }
    word = stepped(word, table[threadIdx.x]);
    let_next_start<TRIGGER_ == WORKED>();
    l.out[i] = word;
    let_next_start<TRIGGER_ == WRITTEN>();
}

/* How many words are not what so many kernels make of those that were drawn. */
__global__ static void __launch_bounds__(THREADS)
    compare(const uint32_t *found, uint64_t seed, uint32_t kernels, uint32_t steps, unsigned long long *sums) {
    __shared__ uint32_t table[TABLE_WORDS];
    for (uint32_t t = threadIdx.x; t < TABLE_WORDS; t += THREADS) {
        table[t] = fx_random_word(FX_FILL_SEED, t);
    }
    __syncthreads();
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    uint32_t word = fx_random_word(seed, i);
    for (uint32_t k = 0; k < kernels; k++) {
        for (uint32_t s = 0; s < steps; s++) {
            word = stepped(word, table[(s + threadIdx.x) % TABLE_WORDS]);
        }
        word = stepped(word, table[threadIdx.x]);
    }
    fx_sums_add(sums, found[i] != word);
}

static fx_status launch_one(fx_rig *rig, const fx_case *c, uint32_t k, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    link l = {.table = t->table, .in = t->word[k % 2], .out = t->word[(k + 1) % 2], .steps = t->steps};
    const bool early = is_programmatic(c->params.value[WAY]) && k > 0;
    return launch_early(rig, rig->work->entry.address, rig->blocks, THREADS, early, fx_arguments{&l}, err);
}

/* N kernels, an even number: the words are then where they were. The first of them waits for what is before it. */
static fx_status launch_all(fx_rig *rig, const fx_case *c, fx_error *err) {
    for (uint32_t k = 0; k < KERNELS; k++) {
        FX_TRY(launch_one(rig, c, k, err));
    }
    return FX_OK;
}

static fx_status queue(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    for (int i = 0; i <= which; i++, t->launched += KERNELS) {
        if (t->graph) {
            FX_TRY_CUDA(cudaGraphLaunch(t->graph, rig->gpu->stream));
        } else {
            FX_TRY(launch_all(rig, c, err));
        }
    }
    return FX_OK;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    void *arguments[] = {&t->word[0], &t->seed, &t->launched, &t->steps, &rig->sums};
    FX_TRY(fx_rig_aid(rig, "compare", rig->blocks, THREADS, arguments, err));
    return none_wrong(rig, "words differ from the result of consecutive kernels", err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->launched = 0;
    t->seed = seed;
    return fx_gpu_fill(rig->gpu, t->word[0], (size_t)rig->blocks * THREADS, seed, err);
}

/* The capture makes programmatic edges of the attribute. */
static fx_status record(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    FX_TRY_CUDA(cudaStreamBeginCapture(rig->gpu->stream, cudaStreamCaptureModeThreadLocal));
    FX_TRY(end_capture(rig, launch_all(rig, c, err), &t->graph, err));
    return keep_graph(rig, t->graph, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t way = c->params.value[WAY];
    task *t = FX_ARGUMENT(rig, task);
    rig->warps = WARPS;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count;
    rig->units = KERNELS;
    rig->check = check;
    t->steps = (uint32_t)c->params.value[STEPS];
    const size_t bytes = (size_t)rig->blocks * THREADS * sizeof(uint32_t);
    FX_TRY(held_arrange(rig, queue, err));
    FX_TRY(fx_rig_memory(rig, &t->table, FX_DEVICE_MEMORY | FX_FILLED, TABLE_WORDS * sizeof(uint32_t), 0, err));
    FX_TRY(fx_rig_memory(rig, &t->word[0], FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &t->word[1], FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_sums(rig, NULL, err));
    return way == GRAPH || way == GRAPH_PROGRAMMATIC ? record(rig, c, err) : FX_OK;
}
#endif

/* Timed from outside, each kernel as a whole. */
#define FOLLOW(where, trigger)                                                                                         \
    FX_TIMED_FROM(90, where, FX_K(follow, trigger), {"LDG.E", 0}, {"STS", 0}, {"LDS", 0}, {"STG.E", 1})

static const fx_kernel kernels[] = {
    FOLLOW("trigger=never", NEVER),   FOLLOW("trigger=start", START),     FOLLOW("trigger=waited", WAITED),
    FOLLOW("trigger=worked", WORKED), FOLLOW("trigger=written", WRITTEN), FX_AIDED("", FX_K(compare)),
};

FX_PROBE(dependent_launch, .question = "How much does programmatic dependent launch gain?", .method_version = 1,
         FX_PARTS, .fit_by = "way trigger", .supported = supported, .draw = FX_GPU(draw))
