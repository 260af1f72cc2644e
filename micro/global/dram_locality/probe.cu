/* dram_locality: what do stride, order and direction of accesses cost at the memory itself, and what is the best rate?
 * Method: the whole chip works through memory far larger than its L2. Footprint and bytes are the same in all cases;
 * the order is a bijection computed from data, one code for all strides and runs. What is read is summed, what is
 * written or copied is read back. */
#include "core/probe.h"
#include "core/random.h"

enum { TASK, VARIANT, WIDTH, LOADS, THREADS, GRID, DATA, ORDER, STRIDE, RUN, WINDOW, WRITES };
enum { READ, WRITE, COPY, MIX_FINE, MIX_COARSE };
enum { PLAIN, STREAMING, NO_ALLOCATE, EVICT_FIRST, RUNTIME };
enum { ONCE, PERSISTENT };
enum { RANDOM_BITS, CONSTANT };
enum { LINEAR, STRIDED, RANDOM };
enum { QUAD = 16, EIGHTHS = 8 };
/* The only shape in which orders and mixtures are measured. */
enum { WALK_WIDTH = QUAD, WALK_LOADS = 8, WALK_THREADS = 256, MOST_THREADS = 1024 };

static const fx_axis axes[] = {
    {"task", "", "reads, writes, a copy, or reads and writes mixed within a thread or by blocks of the grid",
     "read write copy mix_fine mix_coarse", 0, 0, READ},
    {"variant", "", "cache hint of the instruction, or the runtime's own copy and memset",
     "plain streaming no_allocate evict_first runtime", 0, 0, PLAIN},
    {"width", "bytes", "bytes per lane: 4, 8 or 16", NULL, 4, 16, WALK_WIDTH},
    {"loads", "accesses", "accesses in flight per thread: 1, 2, 4 or 8", NULL, 1, 8, WALK_LOADS},
    {"threads", "threads", "threads per block, a power of two", NULL, 32, MOST_THREADS, WALK_THREADS},
    {"grid", "", "one access per thread, or a loop in as many blocks as fit", "once persistent", 0, 0, ONCE},
    {"data", "", "written data: random bits, or one byte everywhere", "random constant", 0, 0, RANDOM_BITS},
    {"order", "", "order of the blocks: ascending, by a stride, or a random permutation", "linear strided random", 0, 0,
     LINEAR},
    {"stride", "bytes", "distance between consecutive 128-byte lines, a multiple of 128", NULL, FX_LINE_BYTES, 16 << 20,
     FX_LINE_BYTES},
    {"run", "bytes", "contiguous bytes in random order, a power of two", NULL, 64, 1 << 20, FX_LINE_BYTES},
    {"window", "bytes", "size of the windows within which runs are permuted, a power of two; 0: everywhere", NULL, 0,
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
    out->useful_bytes = FX_LINE_BYTES;
    if (params->value[ORDER] == RANDOM) {
        out->law = "runs";
        out->count = (double)FX_LINE_BYTES / (double)params->value[RUN];
        out->why_not = "the law was claimed and does not hold: only runs of half a line cost more";
    }
    fx_prediction_count(out, "access_bytes", (double)(FX_WARP * params->value[WIDTH]));
    if (is_mix(params)) {
        fx_prediction_count(out, "written", (double)params->value[WRITES] / (double)EIGHTHS);
    }
    fx_prediction_count(out, "dram", 1);
}

static const char *code_problem(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], variant = params->value[VARIANT], width = params->value[WIDTH];
    return !is_power_of_two(width)                  ? "width must be 4, 8 or 16"
           : !is_power_of_two(params->value[LOADS]) ? "loads must be 1, 2, 4 or 8"
           : !is_power_of_two(params->value[THREADS])
               ? "threads must be a power of two, or the blocks would not fill the footprint"
           : variant == RUNTIME && task != COPY && !(task == WRITE && params->value[DATA] == CONSTANT)
               ? "variant=runtime needs task=copy, or task=write and data=constant"
           : params->value[DATA] == CONSTANT && task != WRITE      ? "data=constant needs task=write"
           : variant != PLAIN && variant != RUNTIME && width != 16 ? "variant other than plain needs width=16"
           : variant == NO_ALLOCATE && facts->compute_major < 7    ? "variant=no_allocate needs compute capability 7.0"
           : variant == EVICT_FIRST && facts->compute_major < 8    ? "variant=evict_first needs compute capability 8.0"
                                                                   : NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const bool usual = params->value[VARIANT] == PLAIN && params->value[WIDTH] == WALK_WIDTH &&
                       params->value[LOADS] == WALK_LOADS && params->value[THREADS] == WALK_THREADS &&
                       params->value[GRID] == ONCE && params->value[DATA] == RANDOM_BITS;
    const int64_t order = params->value[ORDER], window = params->value[WINDOW];
    const bool walk = order != LINEAR;
    return (walk || is_mix(params)) && !usual ? "task=mix_fine, task=mix_coarse, order=strided and order=random need "
                                                "width=16, loads=8, threads=256 and "
                                                "grid=once"
           : walk && params->value[TASK] != READ && params->value[TASK] != WRITE
               ? "order=strided and order=random need task=read or task=write"
           : order == STRIDED && params->value[STRIDE] % FX_LINE_BYTES != 0 ? "stride must be a multiple of 128"
           : order == RANDOM && (!is_power_of_two(params->value[RUN]) || (window != 0 && !is_power_of_two(window)))
               ? "run and window must be powers of two"
           : order == RANDOM && window != 0 && window < params->value[RUN] ? "window must be 0, or run at least"
                                                                           : code_problem(facts, params);
}

#ifdef FX_WITH_CUDA
#include "../../aids.h"
#include "dram_locality.cuh"
#include "gpu/pool.h"

/* What the kernel gets, and what it is made of. */
typedef struct work {
    job j;
    char *data;          /* 4 parts */
    uint64_t bytes;      /* of a part: read and written by the shorter launch, a power of two */
    uint32_t seed, base; /* of what the present sample writes */
    unsigned resident;   /* blocks that the device holds at a time */
    route way;
    unsigned long long *sums;
} work;

static uint32_t log2_of(uint64_t power) {
    return 63u - (uint32_t)__builtin_clzll(power | 1);
}

/* The identity where the order is linear. */
static route route_of(const fx_params *p, uint64_t footprint) {
    route r = {.run_bits = 0, .bits = 0, .mask = 0, .turn = 0, .shift = 31, .factor = {1, 1, 1}};
    if (p->value[ORDER] == STRIDED) {
        uint32_t lines = (uint32_t)(p->value[STRIDE] / FX_LINE_BYTES);
        r.run_bits = log2_of(FX_LINE_BYTES / QUAD);
        r.bits = log2_of(footprint / FX_LINE_BYTES);
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
static job job_of(const work *w, const fx_params *p, int which) {
    const int64_t task = p->value[TASK];
    const uint64_t begin = which == 0 ? 0 : w->bytes, bytes = which == 0 ? w->bytes : 2 * w->bytes;
    const uint64_t reads = task == READ    ? EIGHTHS
                           : task == WRITE ? 0
                           : task == COPY  ? EIGHTHS / 2
                                           : EIGHTHS - (uint64_t)p->value[WRITES];
    const uint64_t to = task == COPY ? 2 * w->bytes : 3 * w->bytes / EIGHTHS * reads;
    const bool routed = p->value[ORDER] != LINEAR;
    job j = {.from = w->data, .to = w->data, .sums = w->sums, .fill_seed = FX_FILL_SEED, .fill_byte = 0};
    j.quads = (uint32_t)((task == COPY ? bytes / 2 : bytes) / QUAD);
    j.first = routed ? (uint32_t)(begin / QUAD) : 0;
    j.chunks = (uint32_t)((uint64_t)j.quads * QUAD / (uint64_t)(p->value[WIDTH] * p->value[LOADS] * p->value[THREADS]));
    j.writes = (uint32_t)p->value[WRITES];
    j.seed = w->seed;
    j.keep = p->value[DATA] == CONSTANT ? 0 : UINT32_MAX;
    j.base = p->value[DATA] == CONSTANT ? w->base : 0;
    j.way = w->way;
    if (!routed) {
        j.fill_byte = begin / EIGHTHS * reads;
        j.from += j.fill_byte;
        j.to += to + begin / EIGHTHS * (EIGHTHS - reads);
    }
    return j;
}

static void part(fx_rig *rig, const fx_case *c, int which) {
    work *w = FX_ARGUMENT(rig, work);
    w->j = job_of(w, &c->params, which);
    rig->blocks = c->params.value[GRID] == ONCE || w->j.chunks < w->resident ? w->j.chunks : w->resident;
}

/* The runtime's own copy and memset. */
static fx_status launch_runtime(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    const job *j = &FX_ARGUMENT(rig, work)->j;
    const uint64_t bytes = (uint64_t)j->quads * QUAD;
    if (c->params.value[TASK] == COPY) {
        FX_TRY_CUDA(cudaMemcpyAsync(j->to, j->from, bytes, cudaMemcpyDeviceToDevice, rig->gpu->stream));
    } else {
        FX_TRY_CUDA(cudaMemsetAsync(j->to, (int)(j->base & 0xff), bytes, rig->gpu->stream));
    }
    return FX_OK;
}

/* Launches an oracle and takes its sum. */
static fx_status ask(fx_rig *rig, const char *oracle, job j, unsigned long long *sum, fx_error *err) {
    return aid_sum(rig, oracle, fx_arguments{&j}, sum, err);
}

/* Of a mixture, only its share of the job is read or written. */
static job share_of(const fx_params *p, job j, bool reads) {
    if (is_mix(p)) {
        j.quads = j.quads / EIGHTHS * (reads ? EIGHTHS - j.writes : j.writes);
    }
    return j;
}

static fx_status check(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    const int64_t task = c->params.value[TASK];
    const job j = job_of(FX_ARGUMENT(rig, work), &c->params, which);
    FX_TRY(fx_rig_check(rig, which, err));
    if (task != READ) {
        job written = share_of(&c->params, j, false);
        FX_TRY(aid(rig, "check_memory", fx_arguments{&written}, err));
        FX_TRY(none_wrong(rig, "words do not contain what was stored", err));
    }
    if (task == COPY) { /* or the next sample's copy would be there before it was made */
        FX_TRY_CUDA(cudaMemsetAsync(j.to, 0, (uint64_t)j.quads * QUAD, rig->gpu->stream));
    }
    return FX_OK;
}

/* Proves that the route visits each block once: the sum over all of it must be the sum of all the memory. */
static fx_status prove_route(fx_rig *rig, const fx_case *c, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    unsigned long long rest = 0, all = 0;
    job j = job_of(w, &c->params, 0);
    j.first = (uint32_t)(3 * w->bytes / QUAD);
    FX_TRY(ask(rig, "expect_sum", j, &rest, err));
    j.first = 0;
    j.quads *= 4;
    j.way.mask = 0;
    FX_TRY(ask(rig, "expect_sum", j, &all, err));
    FX_FAIL_IF((uint32_t)(rig->expected[0] + rig->expected[1] + rest) != (uint32_t)all, err, FX_WRONG_RESULT,
               "the order of blocks visits some twice and others never");
    return FX_OK;
}

/* Fills the memory and finds the sums that reads must give. */
static fx_status expect_reads(fx_rig *rig, const fx_case *c, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    const fx_params *p = &c->params;
    fx_status status = fx_gpu_fill(rig->gpu, w->data, 4 * w->bytes / 4, FX_FILL_SEED, err);
    for (int which = 0; which < 2 && status == FX_OK && p->value[TASK] != COPY; which++) {
        status = ask(rig, "expect_sum", share_of(p, job_of(w, p, which), true), &rig->expected[which], err);
    }
    return status == FX_OK && p->value[ORDER] != LINEAR ? prove_route(rig, c, err) : status;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    work *w = FX_ARGUMENT(rig, work);
    uint64_t room;
    int blocks = 0;
    FX_TRY(fx_rig_room(rig, (uint64_t)4 << 30, &room, err));
    for (w->bytes = (uint64_t)1 << 30; w->bytes > room / 4;) {
        w->bytes /= 2;
    }
    w->bytes = w->bytes < (uint64_t)32 << 20 ? 0 : w->bytes;
    w->base = 0xa5a5a5a5u;
    w->way = route_of(p, 4 * w->bytes);
    rig->warps = (unsigned)p->value[THREADS] / FX_WARP;
    rig->carveout_pct = 0;
    rig->units = (double)w->bytes / (double)FX_LINE_BYTES;
    rig->cold = true;
    rig->part = part;
    rig->launch = p->value[VARIANT] == RUNTIME ? launch_runtime : NULL;
    rig->check = check;
    FX_TRY(fx_rig_dram(rig, &w->data, 0, 3 * w->bytes, w->bytes, err));
    FX_TRY(fx_rig_sums(rig, &w->sums, err));
    if (!rig->launch) {
        FX_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rig->work->entry.address,
                                                                  (int)p->value[THREADS], 0));
        w->resident = (unsigned)(blocks * rig->gpu->facts.sm_count);
    }
    return p->value[TASK] != WRITE ? expect_reads(rig, c, err) : FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = (uint32_t)seed;
    w->base = ~w->base; /* the sample before wrote the other one */
    return FX_OK;
}
#endif

#define LOADS_ROW(name, width, hint, loads, modifiers, compute)                                                        \
    FX_TIMED_FROM(compute, "order=linear task=read variant=" name " width=" #width " loads=" #loads,                   \
                  FX_K(stream, READ, width, loads, hint), {"LDG.E" modifiers, loads}),                                 \
        FX_TIMED_FROM(compute, "order=linear task=write variant=" name " width=" #width " loads=" #loads,              \
                      FX_K(stream, WRITE, width, loads, hint), {"STG.E" modifiers, loads}),                            \
        FX_TIMED_FROM(compute, "order=linear task=copy variant=" name " width=" #width " loads=" #loads,               \
                      FX_K(stream, COPY, width, loads, hint), {"LDG.E" modifiers, loads}, {"STG.E" modifiers, loads})
#define ROWS(name, width, hint, modifiers, compute)                                                                    \
    LOADS_ROW(name, width, hint, 1, modifiers, compute), LOADS_ROW(name, width, hint, 2, modifiers, compute),          \
        LOADS_ROW(name, width, hint, 4, modifiers, compute), LOADS_ROW(name, width, hint, 8, modifiers, compute)

static const fx_kernel kernels[] = {
    ROWS("plain", 4, PLAIN, "", 0),
    ROWS("plain", 8, PLAIN, ".64", 0),
    ROWS("plain", 16, PLAIN, ".128", 0),
    ROWS("streaming", 16, STREAMING, ".EF.128", 0),
    ROWS("no_allocate", 16, NO_ALLOCATE, ".NA.128", 0),
    ROWS("evict_first", 16, EVICT_FIRST, ".128", 80),
    FX_TIMED("order=linear variant=runtime task=copy,write", FX_NO_KERNEL),
    FX_TIMED("order=strided,random task=read", FX_K(walk, READ), {"LDG.E.128", 8}),
    FX_TIMED("order=strided,random task=write", FX_K(walk, WRITE), {"STG.E.128", 8}),
    FX_TIMED("task=mix_fine", FX_K(mix, 1), {"LDG.E.128", 8}, {"STG.E.128", 8}),
    FX_TIMED("task=mix_coarse", FX_K(mix, 0), {"LDG.E.128", 8}, {"STG.E.128", 8}),
    FX_AIDED("", FX_K(expect_sum)),
    FX_AIDED("task=copy", FX_K(check_memory, 1)),
    FX_AIDED("task=write,mix_fine,mix_coarse", FX_K(check_memory, 0)),
};

/* Bytes that the memory delivers for one load of a warp, in whatever order and run length. What is written stays partly
 * in the L2, so it is not counted here. */
static const fx_counter counters[] = {
    {"task=read", "access_bytes", 1, "dram__bytes_read.sum", "smsp__inst_executed_op_global_ld.sum", 0.02, 0.02},
};

FX_PROBE(dram_locality, .question = "What do stride, order and direction cost in DRAM, and what is the best rate?",
         .method_version = 1, FX_PARTS, .fit_by = "task", .supported = supported, .draw = FX_GPU(draw),
         FX_TABLE(counters))
