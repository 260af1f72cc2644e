/* divergence: what does it cost when the lanes of a warp take different paths? Method: 32 paths of equal work behind
 * one indirect branch, whose own cost is the same whichever path is taken; a switch in C would become a tree of
 * comparisons. The path of each lane is data. Of a short `if` the compiler's code is the subject: bodies of 1 to 32
 * instructions, with and without else. */
#include "core/probe.h"

enum { SHAPE, ON, MODE, PATHS, ORDER, SEED, LENGTH, TAKEN };
enum { SWITCH, IF, IF_ELSE };
enum { LANE, WARP };
enum { THROUGHPUT, LATENCY };
enum { BLOCKED, INTERLEAVED, SHUFFLED };
enum { IFS = 4 /* a trip */, WORK = 16 /* multiply-adds of each path */ };
enum { MOST_PREDICATED = 8 /* of a body; the machine code tells */ };

static const fx_axis axes[] = {
    {"shape", "", "indirect branch to one of many paths, if without else, or if with else", "switch if ifelse", 0, 0,
     SWITCH},
    {"on", "", "choice of the path: by each lane, or by the warp as a whole", "lane warp", 0, 0, LANE},
    {"mode", "", "cycles per branch of a full SM, or of one warp alone", "throughput latency", 0, 0, THROUGHPUT},
    {"paths", "paths", "different paths taken by a warp, with shape=switch", NULL, 1, FX_WARP, 1},
    {"order", "", "order of the lanes over the paths of a switch: together, in turn, or shuffled",
     "blocked interleaved shuffled", 0, 0, BLOCKED},
    {"seed", "", "random seed, for order=shuffled", NULL, 0, 1000000, 0},
    {"length", "instructions", "instructions in the body of the if, and in that of its else", NULL, 1, 32, WORK},
    {"taken", "lanes", "lanes that take the if, counted from the first", NULL, 0, FX_WARP, FX_WARP / 2},
};

#define SOME_PATHS   "1,2,3,4,6,8,12,16,24,32"
#define SOME_LENGTHS "1,2,3,4,6,7,8,9,12,16,24,32"

static const fx_sweep sweeps[] = {
    {"paths", "shape=switch on=lane mode=throughput,latency paths=" SOME_PATHS " order=blocked",
     "shape=switch on=lane mode=throughput,latency paths=1,2,4,8,16,32 order=blocked"},
    {"order", "shape=switch on=lane mode=throughput,latency paths=2,3,4,8,16,32 order=interleaved,shuffled", NULL},
    {"seeds", "shape=switch on=lane mode=throughput,latency paths=8 order=shuffled seed=1:4", NULL},
    {"warps", "shape=switch on=warp mode=throughput paths=" SOME_PATHS " order=blocked,interleaved",
     "shape=switch on=warp mode=throughput paths=1,32 order=interleaved"},
    {"predication", "shape=if,ifelse mode=throughput,latency length=" SOME_LENGTHS " taken=0,16,32",
     "shape=if,ifelse mode=latency length=2,8,32 taken=0,16,32"},
};

static const fx_metric metrics[] = {
    {"branch_cycles", "cycles", FX_SM_CYCLES, false, "warp-level branch with its paths"}};

/* Path of lane l, or where whole warps decide, of warp l. */
static void deal_paths(const fx_params *params, uint32_t path[FX_WARP]) {
    const uint32_t paths = (uint32_t)params->value[PATHS];
    fx_lanes order;
    fx_lanes_stride(&order, 1, 1, 0);
    if (params->value[ORDER] == SHUFFLED) {
        fx_lanes_permute(&order, (uint64_t)params->value[SEED]);
    }
    for (uint32_t l = 0; l < FX_WARP; l++) {
        const uint32_t place = (uint32_t)order.offset[l];
        path[l] = params->value[SHAPE] != SWITCH        ? l < params->value[TAKEN]
                  : params->value[ORDER] == INTERLEAVED ? place % paths
                                                        : place * paths / FX_WARP;
    }
}

/* A lane's path as the offset of its word in a table of paths. */
static bool lanes(const fx_params *params, fx_lanes *out) {
    uint32_t path[FX_WARP];
    deal_paths(params, path);
    for (int l = 0; l < FX_WARP; l++) {
        out->offset[l] = (int32_t)(4 * path[l]);
    }
    return params->value[ON] == LANE;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const unsigned paths = table ? fx_law_distinct(table) : 1;
    const unsigned length = params->value[SHAPE] == SWITCH ? WORK : (unsigned)params->value[LENGTH];
    const bool empty_side = params->value[SHAPE] == IF && params->value[TAKEN] < FX_WARP;
    const unsigned instructions = length * (paths - empty_side);
    fx_prediction_count(out, "paths", paths);
    fx_prediction_count(out, "instructions", instructions);
    if (params->value[SHAPE] == SWITCH) {
        out->law = "paths";
        out->count = paths;
    } else if (instructions > 0) {
        out->law = "instructions";
        out->count = instructions;
        out->why_not =
            length > MOST_PREDICATED ? NULL : "so few instructions are predicated, and all lanes execute them";
    }
}

/* Bodies that there is a kernel for. */
static bool known_length(int64_t length) {
    return length <= 4 || (length >= 6 && length <= 9) || length == 12 || length == 16 || length == 24 || length == 32;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[ON] == WARP && (params->value[SHAPE] != SWITCH || params->value[MODE] == LATENCY)
               ? "on=warp needs shape=switch and mode=throughput"
           : params->value[SHAPE] != SWITCH && (params->value[PATHS] != 1 || params->value[ORDER] != BLOCKED)
               ? "shape=if and shape=ifelse need paths=1 and order=blocked"
           : params->value[SHAPE] != SWITCH && !known_length(params->value[LENGTH])
               ? "length must be 1 to 4, 6 to 9, 12, 16, 24 or 32"
           : params->value[SHAPE] == SWITCH && params->value[LENGTH] != WORK ? "shape=switch needs length=16"
                                                                             : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

enum { WARPS = 32, PASS_CYCLES = 48000, CHAIN_CYCLES = 24000 };

/* The constants of the paths. With such a factor, 5 modulo 8, and an odd addend no value returns within 2^32 steps, so
 * that the oracle can tell any two numbers of steps apart. */
#define FACTOR      0x2545f495
#define FACTOR_STEP 0x001b79f8

typedef struct work {
    uint32_t path[FX_WARP]; /* by lane, or by warp */
    uint64_t seed;
    uint32_t trips; /* of all passes */
    bool by_warp;
} work;

/* What `steps` multiply-adds make of x: the map itself is squared again and again, so that this is not the loop. */
__device__ static uint32_t stepped(uint32_t x, uint32_t path, uint32_t addend, uint64_t steps) {
    uint32_t factor = FACTOR + FACTOR_STEP * path;
    for (; steps > 0; steps /= 2) {
        x = steps % 2 ? x * factor + addend : x;
        addend = addend * factor + addend;
        factor *= factor;
    }
    return x;
}

/* Odd, and made by the kernel itself: a kernel's argument would be reread on every path. */
__device__ __forceinline__ uint32_t common_addend(uint64_t seed) {
    return fx_random_word(seed, UINT32_MAX) | 1;
}

__device__ static uint32_t own_path(const work &w) {
    return w.path[w.by_warp ? threadIdx.x / FX_WARP : threadIdx.x % FX_WARP];
}

#define TEXT_(x)  #x
#define TEXT(x)   TEXT_(x)
#define STEP(k)   "mad.lo.u32 %0, %0, " TEXT(FACTOR) " + " TEXT(FACTOR_STEP) " * " #k ", %2;\n"
#define STEPS(k)  STEP(k) STEP(k) STEP(k) STEP(k)
#define PATH(k)   "path" #k ": " STEPS(k) STEPS(k) STEPS(k) STEPS(k) "bra.uni join;\n"
#define TARGET(k) "path" #k

// clang-format off
#define EIGHT(of, then, a, b, c, d, e, f, g, h)                                                                        \
    of(a) then of(b) then of(c) then of(d) then of(e) then of(f) then of(g) then of(h)
#define ALL(of, then)                                                                                                  \
    EIGHT(of, then, 0, 1, 2, 3, 4, 5, 6, 7) then EIGHT(of, then, 8, 9, 10, 11, 12, 13, 14, 15) then                    \
    EIGHT(of, then, 16, 17, 18, 19, 20, 21, 22, 23) then EIGHT(of, then, 24, 25, 26, 27, 28, 29, 30, 31)
// clang-format on

/* One branch to one of 32 paths. */
__device__ __forceinline__ void take_path(uint32_t &x, uint32_t path, uint32_t addend) {
    asm volatile("{\n targets: .branchtargets " ALL(TARGET, ", ") ";\n brx.idx %1, targets;\n" ALL(PATH, "") "join: }\n"
                 : "+r"(x)
                 : "r"(path), "r"(addend));
}

__global__ void take_paths(FX_TIMED_WITH(work, w)) {
    const uint32_t path = own_path(w), addend = common_addend(w.seed);
    uint32_t x = fx_random_word(w.seed, threadIdx.x);
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto drain = [&] { blockDim.x == FX_WARP ? fx_consume(x) : void(); };
    fx_timed_passes(timed, marks, FX_ALL_LANES, [&](uint32_t) { take_path(x, path, addend); }, drain);
    const uint32_t expected =
        stepped(fx_random_word(w.seed, threadIdx.x), own_path(w), addend, (uint64_t)w.trips * WORK);
    fx_timed_end(timed, marks, FX_ALL_LANES, x != expected);
}

/* LENGTH_ multiply-adds of path PATH_, in a form that keeps their number. */
template <int LENGTH_, int PATH_> __device__ __forceinline__ void body(uint32_t &x, uint32_t addend) {
    FX_UNROLL for (int i = 0; i < LENGTH_; i++) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "n"(FACTOR + FACTOR_STEP * PATH_), "r"(addend));
    }
}

template <int LENGTH_, int ELSE_> __global__ void take_if(FX_TIMED_WITH(work, w)) {
    const uint32_t addend = common_addend(w.seed);
    uint32_t path = own_path(w), x = fx_random_word(w.seed, threadIdx.x);
    uint64_t marks[FX_MAX_PASSES] = {0};
    const auto trip = [&](uint32_t) {
        FX_UNROLL for (int i = 0; i < IFS; i++) {
            asm volatile("" : "+r"(path)); /* else the ifs are joined to one */
            if (path == 1) {
                body<LENGTH_, 1>(x, addend);
            } else if (ELSE_) {
                body<LENGTH_, 0>(x, addend);
            }
        }
    };
    fx_timed_passes(timed, marks, FX_ALL_LANES, trip, [&] { blockDim.x == FX_WARP ? fx_consume(x) : void(); });
    const uint64_t steps = ELSE_ || own_path(w) == 1 ? (uint64_t)w.trips * IFS * LENGTH_ : 0;
    const uint32_t expected = stepped(fx_random_word(w.seed, threadIdx.x), own_path(w), addend, steps);
    fx_timed_end(timed, marks, FX_ALL_LANES, x != expected);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const bool latency = p->value[MODE] == LATENCY, is_switch = p->value[SHAPE] == SWITCH;
    const uint32_t branches = is_switch ? 1 : IFS;
    /* the instructions of all paths that some lane takes, and of both sides where they are predicated */
    const double paths = is_switch && c->has_lanes ? fx_law_distinct(&c->lanes) : is_switch ? 1 : 2;
    const double instructions = paths * (is_switch ? (double)WORK : (double)p->value[LENGTH]);
    work *w = FX_ARGUMENT(rig, work);
    deal_paths(p, w->path);
    w->by_warp = p->value[ON] == WARP;
    rig->warps = latency ? 1 : WARPS;
    rig->accesses = branches;
    rig->pass_cycles = latency ? CHAIN_CYCLES : PASS_CYCLES;
    rig->trip_cycles = branches * (latency ? 30 + 5 * instructions : (double)WARPS * (2 + instructions / 2));
    return FX_OK;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    w->seed = seed;
    w->trips = fx_timed_total_trips(&rig->timed);
    return FX_OK;
}
#endif

/* A body that is predicated has no branch of its own; one that is not has one around it, and with an else two. */
#define IF(length, ...)                                                                                                \
    FX_TIMED("shape=if length=" #length, FX_K(take_if, length, 0), {"IMAD", IFS * length}, ##__VA_ARGS__)
#define IF_ELSE(length, ...)                                                                                           \
    FX_TIMED("shape=ifelse length=" #length, FX_K(take_if, length, 1), {"IMAD", 2 * IFS * length}, ##__VA_ARGS__)
#define AROUND        {"BRA", IFS + 1}
#define EITHER        {"BRA", 2 * IFS + 1}
#define SHORT(length) IF(length), IF_ELSE(length)
#define LONG(length)  IF(length, AROUND), IF_ELSE(length, EITHER)

static const fx_kernel kernels[] = {
    /* LDC: from the table of the branch's targets */
    FX_TIMED("shape=switch", FX_K(take_paths), {"IMAD", FX_WARP *WORK}, {"BRX", 1}, {"LDC", 1}),
    SHORT(1),
    SHORT(2),
    SHORT(3),
    SHORT(4),
    SHORT(6),
    SHORT(7),
    IF(8),
    IF_ELSE(8, EITHER),
    LONG(9),
    LONG(12),
    LONG(16),
    LONG(24),
    LONG(32),
};

FX_PROBE(divergence, .question = "What does it cost when the lanes of a warp take different paths?",
         .method_version = 1, FX_PARTS, .fit_by = "shape mode taken", .lanes = lanes, .supported = supported,
         .draw = FX_GPU(draw), .once = true)
