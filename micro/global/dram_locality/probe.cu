/* dram_locality: what do stride, order and direction of accesses cost at the memory itself, and what is the best rate?
 *
 * Method: the whole chip works through memory far larger than its L2, emptied by reading before each launch; two
 * launches, of N and of 2N bytes, and the difference of their event times. Footprint and useful bytes are the same in
 * all cases; only the order of the blocks (strided, or a random permutation of runs), the share of writes, or the code
 * changes. The order is a bijection computed from data, one and the same code for all strides and runs. What is read is
 * summed, what is written or copied is read back. What can fool it: see README.md, above all the TLB. */
#include <math.h>
#include <stdlib.h>

#include "core/probe.h"
#include "core/random.h"

enum { TASK, VARIANT, WIDTH, LOADS, THREADS, GRID, DATA, ORDER, STRIDE, RUN, WINDOW, WRITES };
enum { READ, WRITE, COPY, MIX_FINE, MIX_COARSE };
enum { PLAIN, STREAMING, NO_ALLOCATE, EVICT_FIRST, RUNTIME };
enum { ONCE, PERSISTENT };
enum { RANDOM_BITS, CONSTANT };
enum { LINEAR, STRIDED, RANDOM };
enum { LINE = 128, QUAD = 16, EIGHTHS = 8 };
/* The only shape in which orders and mixtures are measured. */
enum { WALK_WIDTH = QUAD, WALK_LOADS = 8, WALK_THREADS = 256, MOST_THREADS = 1024 };

static const fx_axis axes[] = {
    {"task", "", "read, write, copy, or reads and writes mixed within a thread or by blocks of the grid",
     "read write copy mix_fine mix_coarse", 0, 0, READ},
    {"variant", "", "cache hint of the instruction, or the runtime's own copy and memset",
     "plain streaming no_allocate evict_first runtime", 0, 0, PLAIN},
    {"width", "bytes", "bytes per lane: 4, 8 or 16", NULL, 4, 16, WALK_WIDTH},
    {"loads", "accesses", "accesses of a thread in flight: 1, 2, 4 or 8", NULL, 1, 8, WALK_LOADS},
    {"threads", "threads", "of a block: a power of two", NULL, 32, MOST_THREADS, WALK_THREADS},
    {"grid", "", "each thread once, or as many blocks as fit, over and over", "once persistent", 0, 0, ONCE},
    {"data", "", "what is written: random bits, or one byte everywhere", "random constant", 0, 0, RANDOM_BITS},
    {"order", "", "of the blocks: ascending, by a stride, or a random permutation", "linear strided random", 0, 0,
     LINEAR},
    {"stride", "bytes", "from one 128-byte line to the next, a multiple of 128", NULL, LINE, 16 << 20, LINE},
    {"run", "bytes", "contiguous bytes in random order, a power of two", NULL, 64, 1 << 20, LINE},
    {"window", "bytes", "runs are permuted within windows of this size, a power of two; 0: everywhere", NULL, 0,
     1 << 30, 0},
    {"writes", "eighths", "share of the bytes that a mixture writes", NULL, 0, EIGHTHS, 0},
};

static const fx_sweep sweeps[] = {
    {"stride",
     "task=read order=strided "
     "stride=128,256,512,1Ki,2Ki,3968,4Ki,4224,8Ki,16Ki,32Ki,65408,64Ki,65664,128Ki,262016,256Ki,262272,512Ki,1048448,"
     "1Mi,1048704,2Mi,4194176,4Mi,4194432,8Mi,8388736",
     "task=read order=strided stride=128,64Ki,65664"},
    {"order", "task=read order=random run=64,128,256,512,1Ki,2Ki,4Ki,16Ki", "task=read order=random run=64,1Ki,16Ki"},
    {"order_write", "task=write order=random run=64,128,256,1Ki,4Ki,16Ki", NULL},
    {"window", "task=read order=random run=64 window=64Ki,1Mi,16Mi,128Mi,1Gi", NULL},
    {"turnaround", "task=mix_fine writes=0,1,2,4,6,8", "task=mix_fine writes=0,4,8"},
    {"turnaround_coarse", "task=mix_coarse writes=1,2,4,6", NULL},
    {"read", "task=read variant=plain width=4,8,16 loads=4,8 grid=once", "task=read variant=plain width=16 loads=8"},
    {"flight", "task=read,copy,write variant=plain width=16 loads=1,2,4,8 grid=once,persistent", NULL},
    {"hint", "task=read,copy,write variant=streaming,no_allocate,evict_first width=16 loads=4", NULL},
    {"threads", "task=read,copy,write variant=plain width=16 loads=4 threads=512,1024", NULL},
    {"narrow", "task=copy,write variant=plain width=4 loads=1,8", NULL},
    {"constant", "task=write variant=plain data=constant width=16 loads=1,2,4,8 grid=once,persistent", NULL},
    {"constant_hint", "task=write variant=streaming,evict_first data=constant width=16 loads=1,4", NULL},
    {"runtime_copy", "task=copy variant=runtime", "task=copy variant=plain,runtime"},
    {"runtime_set", "task=write variant=runtime data=constant", "task=write variant=plain,runtime data=constant"},
};

static const fx_metric metrics[] = {{"line_ns", "ns", FX_GPU_NS, false, "128 bytes"}};

static bool is_mix(const fx_params *params) {
    return params->value[TASK] == MIX_FINE || params->value[TASK] == MIX_COARSE;
}

static bool is_power_of_two(int64_t value) {
    return value > 0 && (value & (value - 1)) == 0;
}

/* All figures are for 128 bytes read or written; a copied byte is one read and one written. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)facts, (void)table;
    out->useful_bytes = LINE;
    if (params->value[ORDER] == RANDOM) {
        out->law = "runs";
        out->count = (double)LINE / (double)params->value[RUN];
        out->in_fit = false; /* it was claimed, and does not hold: only runs of half a line cost more, see the page */
    }
    fx_prediction_count(out, "access_bytes", (double)(FX_WARP * params->value[WIDTH]));
    if (is_mix(params)) {
        fx_prediction_count(out, "written", (double)params->value[WRITES] / (double)EIGHTHS);
    }
    fx_prediction_count(out, "dram", 1);
}

static const char *code_problem(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], variant = params->value[VARIANT], width = params->value[WIDTH];
    if (!is_power_of_two(width)) {
        return "an access is 4, 8 or 16 bytes wide here";
    }
    if (!is_power_of_two(params->value[LOADS])) {
        return "1, 2, 4 or 8 accesses are in flight";
    }
    if (!is_power_of_two(params->value[THREADS])) {
        return "the threads of a block are not a power of two, and so would not fill the footprint";
    }
    if (variant == RUNTIME && task != COPY && !(task == WRITE && params->value[DATA] == CONSTANT)) {
        return "the runtime copies, and sets to one byte, and does nothing else";
    }
    if (params->value[DATA] == CONSTANT && task != WRITE) {
        return "a constant is written by task=write alone";
    }
    if (variant != PLAIN && variant != RUNTIME && width != 16) {
        return "hints are measured with 16 bytes a lane";
    }
    if (variant == EVICT_FIRST && facts->compute_major < 8) {
        return "a cache policy in the instruction needs compute capability 8.0";
    }
    return NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const bool usual = params->value[VARIANT] == PLAIN && params->value[WIDTH] == WALK_WIDTH &&
                       params->value[LOADS] == WALK_LOADS && params->value[THREADS] == WALK_THREADS &&
                       params->value[GRID] == ONCE && params->value[DATA] == RANDOM_BITS;
    const int64_t order = params->value[ORDER], window = params->value[WINDOW];
    const bool walk = order != LINEAR;
    if ((walk || is_mix(params)) && !usual) {
        return "orders and mixtures are measured in one shape: 16 bytes a lane, 8 in flight, 256 threads, grid once";
    }
    if (walk && params->value[TASK] != READ && params->value[TASK] != WRITE) {
        return "orders are measured for reads and for writes";
    }
    if (order == STRIDED && params->value[STRIDE] % LINE != 0) {
        return "the stride is not a multiple of 128 bytes";
    }
    if (order == RANDOM && (!is_power_of_two(params->value[RUN]) || (window != 0 && !is_power_of_two(window)))) {
        return "run and window must be powers of two";
    }
    if (order == RANDOM && window != 0 && window < params->value[RUN]) {
        return "the window is smaller than the run";
    }
    return code_problem(facts, params);
}

#ifdef FX_WITH_CUDA
#include "dram_locality.cuh"
#include "gpu/pool.h"

template <int TASK_, int WIDTH_, int HINT_> static const void *stream_by_loads(int64_t loads) {
    return loads == 1   ? (const void *)stream<TASK_, WIDTH_, 1, HINT_>
           : loads == 2 ? (const void *)stream<TASK_, WIDTH_, 2, HINT_>
           : loads == 4 ? (const void *)stream<TASK_, WIDTH_, 4, HINT_>
                        : (const void *)stream<TASK_, WIDTH_, 8, HINT_>;
}

template <int TASK_> static const void *stream_of(const fx_params *p) {
    const int64_t hint = p->value[VARIANT], width = p->value[WIDTH], loads = p->value[LOADS];
    return hint == STREAMING     ? stream_by_loads<TASK_, 16, STREAMING>(loads)
           : hint == NO_ALLOCATE ? stream_by_loads<TASK_, 16, NO_ALLOCATE>(loads)
           : hint == EVICT_FIRST ? stream_by_loads<TASK_, 16, EVICT_FIRST>(loads)
           : width == 4          ? stream_by_loads<TASK_, 4, PLAIN>(loads)
           : width == 8          ? stream_by_loads<TASK_, 8, PLAIN>(loads)
                                 : stream_by_loads<TASK_, 16, PLAIN>(loads);
}

static const void *choose_kernel(const fx_params *p) {
    const int64_t task = p->value[TASK];
    if (p->value[ORDER] != LINEAR) {
        return task == READ ? (const void *)walk<READ> : (const void *)walk<WRITE>;
    }
    return task == MIX_FINE     ? (const void *)mix<true>
           : task == MIX_COARSE ? (const void *)mix<false>
           : task == READ       ? stream_of<READ>(p)
           : task == WRITE      ? stream_of<WRITE>(p)
                                : stream_of<COPY>(p);
}

typedef struct state {
    const fx_params *params;
    const void *kernel;
    char *data;    /* 4 parts */
    uint64_t part; /* bytes read and written by the shorter launch, a power of two */
    uint64_t fill_seed;
    uint32_t seed, base; /* of what the present sample writes */
    unsigned resident;   /* blocks that the device holds at a time */
    route way;
    unsigned long long *sums;
    uint32_t expected[2]; /* sums of the shorter and the longer launch */
    fx_pair pair;
} state;

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    (void)gpu;
    (void)c;
    cudaFree(s->sums);
    fx_pair_close(&s->pair);
    free(s);
}

static uint32_t log2_of(uint64_t power) {
    uint32_t bits = 0;
    while (power >>= 1) {
        bits++;
    }
    return bits;
}

/* The identity where the order is linear. */
static route route_of(const fx_params *p, uint64_t footprint) {
    route r = {.run_bits = 0, .bits = 0, .mask = 0, .turn = 0, .shift = 31, .factor = {1, 1, 1}};
    if (p->value[ORDER] == STRIDED) {
        uint32_t lines = (uint32_t)(p->value[STRIDE] / LINE);
        r.run_bits = log2_of(LINE / QUAD);
        r.bits = log2_of(footprint / LINE);
        for (; lines % 2 == 0; lines /= 2) {
            r.turn++;
        }
        r.factor[0] = lines;
    } else if (p->value[ORDER] == RANDOM) {
        const uint64_t window = p->value[WINDOW] ? (uint64_t)p->value[WINDOW] : footprint;
        r.run_bits = log2_of((uint64_t)p->value[RUN] / QUAD);
        r.bits = log2_of((window < footprint ? window : footprint) / (uint64_t)p->value[RUN]);
        r.shift = r.bits < 2 ? 1 : (r.bits + 1) / 2;
        for (uint32_t i = 0; i < 3; i++) {
            r.factor[i] = fx_random_word(5, i) | 1;
        }
    }
    r.mask = (1u << r.bits) - 1;
    return r;
}

/* The job of the shorter launch (which = 0: the first part) or the longer one (1: the next two parts). Copies read from
 * the first half of the memory and write to the second; mixtures write behind what both launches read. */
static job job_of(const state *s, int which) {
    const fx_params *p = s->params;
    const int64_t task = p->value[TASK];
    const uint64_t begin = which == 0 ? 0 : s->part, bytes = which == 0 ? s->part : 2 * s->part;
    const uint64_t reads = task == READ    ? EIGHTHS
                           : task == WRITE ? 0
                           : task == COPY  ? EIGHTHS / 2
                                           : EIGHTHS - (uint64_t)p->value[WRITES];
    const uint64_t to = task == COPY ? 2 * s->part : 3 * s->part / EIGHTHS * reads;
    const bool routed = p->value[ORDER] != LINEAR;
    job j = {.from = s->data, .to = s->data, .sums = s->sums, .fill_seed = s->fill_seed, .fill_byte = 0};
    j.quads = (uint32_t)((task == COPY ? bytes / 2 : bytes) / QUAD);
    j.first = routed ? (uint32_t)(begin / QUAD) : 0;
    j.chunks = (uint32_t)((uint64_t)j.quads * QUAD / (uint64_t)(p->value[WIDTH] * p->value[LOADS] * p->value[THREADS]));
    j.writes = (uint32_t)p->value[WRITES];
    j.seed = s->seed;
    j.keep = p->value[DATA] == CONSTANT ? 0 : UINT32_MAX;
    j.base = p->value[DATA] == CONSTANT ? s->base : 0;
    j.way = s->way;
    if (!routed) {
        j.fill_byte = begin / EIGHTHS * reads;
        j.from += j.fill_byte;
        j.to += to + begin / EIGHTHS * (EIGHTHS - reads);
    }
    return j;
}

static fx_status launch_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    const state *s = (const state *)context;
    const fx_params *p = s->params;
    job j = job_of(s, which);
    const uint64_t bytes = (uint64_t)j.quads * QUAD;
    void *arguments[] = {&j};
    fx_status status = FX_OK;
    if (p->value[VARIANT] == RUNTIME && p->value[TASK] == COPY) {
        FX_CUDA(cudaMemcpyAsync(j.to, j.from, bytes, cudaMemcpyDeviceToDevice, gpu->stream));
    } else if (p->value[VARIANT] == RUNTIME) {
        FX_CUDA(cudaMemsetAsync(j.to, (int)(j.base & 0xff), bytes, gpu->stream));
    } else {
        const unsigned blocks = p->value[GRID] == ONCE || j.chunks < s->resident ? j.chunks : s->resident;
        status = fx_gpu_launch(gpu, s->kernel, blocks, (unsigned)p->value[THREADS], 0, arguments, err);
    }
cleanup:
    return status;
}

/* Launches an oracle and takes its sum. */
static fx_status ask(fx_gpu *gpu, const state *s, const void *oracle, job j, uint32_t *sum, fx_error *err) {
    void *arguments[] = {&j};
    unsigned long long total = 0;
    fx_status status = fx_gpu_launch(gpu, oracle, (unsigned)gpu->facts.sm_count * 8, 256, 0, arguments, err);
    if (status == FX_OK) {
        status = fx_sums_take(gpu, s->sums, &total, err);
    }
    *sum = (uint32_t)total;
    return status;
}

/* Of a mixture, only its share of the job is read or written. */
static job share_of(const state *s, job j, bool reads) {
    if (is_mix(s->params)) {
        j.quads = j.quads / EIGHTHS * (reads ? EIGHTHS - j.writes : j.writes);
    }
    return j;
}

static fx_status check_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    const state *s = (const state *)context;
    const int64_t task = s->params->value[TASK];
    const job j = job_of(s, which);
    unsigned long long total = 0;
    uint32_t wrong = 0;
    fx_status status = fx_sums_take(gpu, s->sums, &total, err);
    if (status == FX_OK && (uint32_t)total != s->expected[which]) {
        return fx_fail(err, FX_WRONG_RESULT, "the sum of what was read is not the sum of what was written");
    }
    if (status == FX_OK && task != READ) {
        const void *oracle = task == COPY ? (const void *)check_memory<true> : (const void *)check_memory<false>;
        status = ask(gpu, s, oracle, share_of(s, j, false), &wrong, err);
    }
    if (status == FX_OK && wrong > 0) {
        return fx_fail(err, FX_WRONG_RESULT, "memory does not hold what was stored there: %u words differ", wrong);
    }
    if (status == FX_OK && task == COPY) { /* or the next sample's copy would be there before it was made */
        FX_CUDA(cudaMemsetAsync(j.to, 0, (uint64_t)j.quads * QUAD, gpu->stream));
    }
cleanup:
    return status;
}

/* Fills the memory, finds the sums that reads must give, and proves that the route visits each block once: the sum over
 * all of it must be the sum of all the memory. */
static fx_status open_reads(fx_gpu *gpu, state *s, fx_error *err) {
    const void *oracle = (const void *)expect_sum;
    uint32_t rest, all;
    fx_status status = fx_gpu_fill(gpu, s->data, 4 * s->part / 4, s->fill_seed, err);
    for (int which = 0; which < 2 && status == FX_OK && s->params->value[TASK] != COPY; which++) {
        status = ask(gpu, s, oracle, share_of(s, job_of(s, which), true), &s->expected[which], err);
    }
    if (status == FX_OK && s->params->value[ORDER] != LINEAR) {
        job j = job_of(s, 0);
        j.first = (uint32_t)(3 * s->part / QUAD);
        status = ask(gpu, s, oracle, j, &rest, err);
        j.first = 0;
        j.quads *= 4;
        j.way.mask = 0;
        if (status == FX_OK) {
            status = ask(gpu, s, oracle, j, &all, err);
        }
        if (status == FX_OK && s->expected[0] + s->expected[1] + rest != all) {
            status = fx_fail(err, FX_WRONG_RESULT, "the order of blocks visits some twice and others never");
        }
    }
    return status;
}

static fx_status open_device(fx_gpu *gpu, state *s, fx_error *err) {
    const fx_params *p = s->params;
    const bool runtime = p->value[VARIANT] == RUNTIME;
    fx_status status = FX_OK;
    size_t free_bytes;
    int blocks = 0;
    status = fx_pool_room(gpu, &free_bytes, err);
    if (status != FX_OK) {
        return status;
    }
    for (s->part = (uint64_t)1 << 30; s->part > free_bytes / 8;) {
        s->part /= 2;
    }
    if (s->part < (uint64_t)32 << 20 || 3 * s->part < 4 * gpu->facts.l2_bytes) {
        return fx_fail(err, FX_NO_MEMORY, "%zu bytes of free device memory are too few to get past the L2", free_bytes);
    }
    s->way = route_of(p, 4 * s->part);
    s->kernel = runtime ? NULL : choose_kernel(p);
    status = fx_pool_borrow(gpu, 4 * s->part, (void **)&s->data, err);
    if (status != FX_OK) {
        return status;
    }
    if (!runtime) {
        status = fx_gpu_prepare(s->kernel, 0, 0, err);
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s->kernel, (int)p->value[THREADS], 0));
        s->resident = (unsigned)(blocks * gpu->facts.sm_count);
    }
    status = fx_sums_open(gpu, &s->sums, err);
    if (status == FX_OK) {
        status = fx_pair_open(&s->pair, err);
    }
    if (status == FX_OK && p->value[TASK] != WRITE) {
        status = open_reads(gpu, s, err);
    }
cleanup:
    return status;
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->params = &c->params;
    s->fill_seed = 11;
    s->base = 0xa5a5a5a5u;
    const fx_status status = open_device(gpu, s, err);
    if (status != FX_OK) {
        close_case(gpu, c, s);
        return status;
    }
    *out = s;
    return FX_OK;
}

static fx_status sample_case(fx_gpu *gpu, const fx_case *c, void *state_, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    state *s = (state *)state_;
    const fx_pair_work pair = {.context = s,
                               .launch = launch_work,
                               .check = check_work,
                               .units = (double)s->part / (double)LINE,
                               .cold = true};
    (void)c;
    s->seed = (uint32_t)seed;
    s->base = ~s->base; /* the sample before wrote the other one */
    return fx_pair_sample(gpu, &s->pair, &pair, out, err);
}
#endif

#define BY_LOADS(task, width, hint, opcode, compute)                                                                   \
    {"stream<" task ", " width ", 1, " hint ">", opcode, 1, compute},                                                  \
        {"stream<" task ", " width ", 2, " hint ">", opcode, 2, compute},                                              \
        {"stream<" task ", " width ", 4, " hint ">", opcode, 4, compute}, {                                            \
        "stream<" task ", " width ", 8, " hint ">", opcode, 8, compute                                                 \
    }
#define BY_TASK(width, hint, modifiers, compute)                                                                       \
    BY_LOADS("0", width, hint, "LDG.E" modifiers, compute), BY_LOADS("1", width, hint, "STG.E" modifiers, compute),    \
        BY_LOADS("2", width, hint, "LDG.E" modifiers, compute), BY_LOADS("2", width, hint, "STG.E" modifiers, compute)

static const fx_sass sass[] = {
    BY_TASK("4", "0", "", 0),         BY_TASK("8", "0", ".64", 0),       BY_TASK("16", "0", ".128", 0),
    BY_TASK("16", "1", ".EF.128", 0), BY_TASK("16", "2", ".NA.128", 0),  BY_TASK("16", "3", ".128", 80),
    {"walk<0>", "LDG.E.128", 8, 0},   {"walk<1>", "STG.E.128", 8, 0},    {"mix<true>", "LDG.E.128", 8, 0},
    {"mix<true>", "STG.E.128", 8, 0}, {"mix<false>", "LDG.E.128", 8, 0}, {"mix<false>", "STG.E.128", 8, 0},
};

/* Bytes that the memory delivers for one load of a warp, in whatever order and run length. What is written stays partly
 * in the L2, so it is not counted here. */
static const fx_counter counters[] = {
    {"task=read", "access_bytes", 1, "dram__bytes_read.sum", "smsp__inst_executed_op_global_ld.sum", 0.02, 0.02},
};

static const fx_probe dram_locality = {
    .contract = FX_PROBE_CONTRACT,
    .name = "dram_locality",
    .question = "What do stride, order and direction cost at the memory itself, and what is the best rate?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "task",
    .law = law,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    FX_TABLE(sass),
    FX_TABLE(counters),
};

FX_PROBE(dram_locality)
