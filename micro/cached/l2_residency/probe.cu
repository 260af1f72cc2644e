/* l2_residency: what keeps data in the L2, what brings them there, and what does it cost? Method: part of the memory is
 * brought into an empty L2 by the hint of the case, a stream passes through, and links at random places of that part
 * tell which share was kept. With dirty lines the stream itself is timed. */
#include "core/probe.h"

enum { HINT, KEPT, STREAM, ASIDE, AWAY };

// clang-format off
/* Its name on the axis, and the compute capability that it needs. */
#define HINTS(X)                                                                                                       \
    X(NONE, none, 0, 0) X(WINDOW, window, 8, 0) X(WINDOW_RATIO, window_ratio, 8, 0) X(EVICT_LAST, evict_last, 8, 0)    \
    X(STREAM_FIRST, stream_first, 8, 0) X(STREAMING, streaming, 0, 0) X(NO_ALLOCATE, no_allocate, 7, 0)                \
    X(LEFT, left, 8, 0) X(RESET, reset, 8, 0) X(PREFETCH, prefetch, 0, 0) X(BULK_PREFETCH, bulk_prefetch, 9, 0)        \
    X(FETCH, fetch, 0, 0) X(FETCH_64, fetch_64, 7, 5) X(FETCH_128, fetch_128, 7, 5) X(FETCH_256, fetch_256, 8, 0)      \
    X(CLEAN, clean, 0, 0) X(DIRTY, dirty, 0, 0) X(DISCARD, discard, 8, 0)
// clang-format on
#define HINT_(hint, ...)           hint,
#define HINT_WORD(hint, word, ...) " " #word
#define HINT_NEED(hint, word, major, minor)                                                                            \
    {10 * major + minor, "hint=" #word " needs compute capability " #major "." #minor},

enum { HINTS(HINT_) };
static const struct {
    int least;
    const char *reason;
} needs[] = {HINTS(HINT_NEED)};
enum { EIGHTHS = 8, BLOCK = 512 /* one sector of it is fetched */, SAMPLES = 9 };
enum { ACCESS_CYCLES, STREAM_NS };
enum { EXTRA_KEPT, EXTRA_LOST, EXTRA_COLD, EXTRA_HIT, EXTRA_BRING, EXTRA_ASIDE };

static const fx_axis axes[] = {
    {"hint", "",
     "hint that should keep data: none, a persisting window with hit ratio 1, or with the ratio that fits "
     "the set-aside, evict_last on the data, evict_first, .cs or L1::no_allocate on the stream; persisting "
     "lines that another kernel left behind, or that were reset; prefetches in place of loads; one sector "
     "in 512 bytes loaded without or with a fetch size; lines read, written, or written and discarded",
     HINTS(HINT_WORD), 0, 0, NONE},
    {"kept", "eighths", "data that should stay, in eighths of the L2", NULL, 1, EIGHTHS, 2},
    {"stream", "eighths", "data that are read in between, in eighths of the L2", NULL, 0, 64, 32},
    {"aside", "eighths", "part of the L2 set aside for persisting lines, in eighths, or the most that is allowed", NULL,
     0, EIGHTHS, 0},
    {"away", "bytes", "distance from the loaded sector to the one looked for, with a fetch size", NULL, 0, BLOCK - 8,
     0},
};

static const fx_sweep sweeps[] = {
    {"stay", "hint=none,evict_last,stream_first,streaming,no_allocate kept=2,4,6", "hint=none,stream_first kept=2"},
    {"window", "hint=window kept=2,4,6 aside=6", "hint=window kept=2 aside=6"},
    {"stream", "hint=none kept=2 stream=0,2,4,6,8,16", NULL},
    {"aside", "hint=window,evict_last kept=4 aside=0,2,4", NULL},
    {"ratio", "hint=window,window_ratio kept=4,6 aside=2", NULL},
    {"left", "hint=left,reset kept=2,4,6 stream=0 aside=6", "hint=left kept=6 stream=0 aside=6"},
    {"room", "hint=none kept=4,6 stream=0", NULL},
    {"prefetch", "hint=prefetch,bulk_prefetch kept=1,2,4 stream=0", "hint=prefetch kept=2 stream=0"},
    {"fetch", "hint=fetch,fetch_64,fetch_128,fetch_256 kept=4 stream=0 away=32,64,96,128,192,256",
     "hint=fetch kept=4 stream=0 away=32,64"},
    {"discard", "hint=clean,dirty,discard kept=4", "hint=dirty,discard kept=4"},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "dependent access"},
    {"line_ns", "ns", FX_GPU_NS, false, "128 bytes of the stream"},
};

static bool is_fetch(int64_t hint) {
    return hint >= FETCH && hint <= FETCH_256;
}

static bool is_persisting(int64_t hint) {
    return hint == WINDOW || hint == WINDOW_RATIO || hint == LEFT || hint == RESET;
}

/* Which lines an L2 keeps, and in how many places of it a line may lie, is not documented. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->metric = params->value[HINT] >= CLEAN ? STREAM_NS : ACCESS_CYCLES;
    out->useful_bytes = out->metric == STREAM_NS ? FX_LINE_BYTES : 8;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value;
    const bool has = facts->compute_major * 10 + facts->compute_minor >= needs[v[HINT]].least;
    return v[AWAY] != 0 && !is_fetch(v[HINT]) ? "away needs hint=fetch, fetch_64, fetch_128 or fetch_256"
           : v[AWAY] % 8 != 0                 ? "away must be a multiple of 8"
           : v[ASIDE] != 0 && !is_persisting(v[HINT]) && v[HINT] != EVICT_LAST
               ? "aside needs hint=window, window_ratio, evict_last, left or reset"
           : v[HINT] == WINDOW_RATIO && v[ASIDE] == 0 ? "hint=window_ratio needs aside=1 or more"
           : v[HINT] >= CLEAN && v[STREAM] < EIGHTHS  ? "hint=clean, dirty and discard need stream=8 or more"
           : facts->l2_bytes == 0                     ? "the device does not report the size of its L2"
           : has                                      ? NULL
                                                      : needs[v[HINT]].reason;
}

#ifdef FX_WITH_CUDA
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../../aids.h"
#include "kernels.cuh"

enum { WALKERS = 16, TRIPS = 2, WALKED = WALKERS * TRIPS * FX_CHAIN_STEPS };
enum { LOOKERS = 256, LOOKED = LOOKERS * FX_MAX_PASSES, SINGLES = LOOKERS * (FX_MAX_PASSES - 1) };
enum { THREADS = 256, BLOCKS_PER_SM = 8, LEFT_EIGHTHS = 6 };

typedef struct task {
    ring r;
    stream kept, passing, left;
    unsigned long long passing_sum;
    fx_timed_buffer buffer;
    cudaEvent_t from, to;
    size_t aside, before, most_window;
    bool limited;
} task;

static unsigned many(const fx_rig *rig) {
    return (unsigned)rig->gpu->facts.sm_count * BLOCKS_PER_SM;
}

/* Marks all lines in the window, that what follows in the stream touches, as persisting; 0 bytes: ends it. */
static fx_status set_window(fx_rig *rig, const stream *s, double ratio, fx_error *err) {
    const task *t = FX_ARGUMENT(rig, task);
    const size_t bytes = s ? s->quads * QUAD : 0;
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = s ? (void *)s->data : NULL;
    value.accessPolicyWindow.num_bytes = bytes < t->most_window ? bytes : t->most_window;
    value.accessPolicyWindow.hitRatio = (float)ratio;
    value.accessPolicyWindow.hitProp = s ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
    value.accessPolicyWindow.missProp = s ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal;
    return FX_CUDA_STATUS(cudaStreamSetAttribute(rig->gpu->stream, cudaStreamAttributeAccessPolicyWindow, &value));
}

static fx_status reset_persisting(fx_rig *rig, fx_error *err) {
    if (FX_ARGUMENT(rig, task)->limited) {
        FX_TRY_CUDA(cudaStreamSynchronize(rig->gpu->stream));
        FX_TRY_CUDA(cudaCtxResetPersistingL2Cache());
    }
    return FX_OK;
}

static fx_status read_plain(fx_rig *rig, const stream *s, fx_error *err) {
    return fx_rig_launch(rig, (const void *)read_all<NONE>, many(rig), THREADS, fx_arguments{(void *)s}, err);
}

/* Brings the kept data into the L2 once, by the hint. */
static fx_status bring_once(fx_rig *rig, const fx_case *c, uint32_t seed, fx_error *err) {
    const int64_t hint = c->params.value[HINT];
    task *t = FX_ARGUMENT(rig, task);
    void *of_stream[] = {&t->kept}, *of_ring[] = {&t->r, &rig->sums};
    if (is_fetch(hint)) {
        return fx_rig_aid(rig, "touch_all", many(rig), THREADS, of_ring, err);
    }
    if (hint == PREFETCH || hint == BULK_PREFETCH) {
        return fx_rig_aid(rig, "prefetch_all", many(rig), THREADS, of_stream, err);
    }
    if (hint == DIRTY || hint == DISCARD) {
        FX_TRY(fx_gpu_fill(rig->gpu, (void *)t->kept.data, t->kept.quads * QUAD / 4, seed, err));
        return hint == DISCARD ? fx_rig_aid(rig, "discard_all", many(rig), THREADS, of_stream, err) : FX_OK;
    }
    return hint == EVICT_LAST
               ? fx_rig_launch(rig, (const void *)read_all<EVICT_LAST>, many(rig), THREADS, of_stream, err)
               : read_plain(rig, &t->kept, err);
}

static bool brings_twice(int64_t hint) { /* the second time finds the lines of the far half near */
    return hint < PREFETCH;
}

/* Brings the data, and fills `ns`, of the first time: per line. */
static fx_status bring(fx_rig *rig, const fx_case *c, uint32_t seed, double *ns, fx_error *err) {
    const int64_t hint = c->params.value[HINT];
    const bool window = hint == WINDOW || hint == WINDOW_RATIO;
    task *t = FX_ARGUMENT(rig, task);
    const double fits = (double)t->aside / (double)(t->kept.quads * QUAD);
    float ms = 0;
    if (hint == LEFT || hint == RESET) {
        FX_TRY(set_window(rig, &t->left, 1, err));
        FX_TRY(read_plain(rig, &t->left, err));
        FX_TRY(read_plain(rig, &t->left, err));
        FX_TRY(set_window(rig, NULL, 0, err));
        FX_TRY(hint == RESET ? reset_persisting(rig, err) : FX_OK);
    }
    FX_TRY(window ? set_window(rig, &t->kept, hint == WINDOW_RATIO && fits < 1 ? fits : 1, err) : FX_OK);
    FX_TRY_CUDA(cudaEventRecord(t->from, rig->gpu->stream));
    FX_TRY(bring_once(rig, c, seed, err));
    FX_TRY_CUDA(cudaEventRecord(t->to, rig->gpu->stream));
    FX_TRY(brings_twice(hint) ? bring_once(rig, c, seed, err) : FX_OK);
    FX_TRY(window ? set_window(rig, NULL, 0, err) : FX_OK);
    FX_TRY_CUDA(cudaEventSynchronize(t->to));
    FX_TRY_CUDA(cudaEventElapsedTime(&ms, t->from, t->to));
    *ns = 1e6 * (double)ms / (double)(t->kept.quads * QUAD / FX_LINE_BYTES);
    return FX_OK;
}

/* The stream, by the hint, and its sum. */
static fx_status pass(fx_rig *rig, const fx_case *c, double *ns, uint32_t *flags, fx_error *err) {
    const int64_t hint = c->params.value[HINT];
    task *t = FX_ARGUMENT(rig, task);
    const bool of_stream = hint == STREAM_FIRST || hint == STREAMING || hint == NO_ALLOCATE;
    unsigned long long sum = 0;
    FX_TRY(fx_rig_take_sum(rig, &sum, err)); /* of what was brought: the walk tells whether it is there */
    FX_TRY_CUDA(cudaEventRecord(t->from, rig->gpu->stream));
    FX_TRY(of_stream ? fx_rig_aid(rig, "read_all", many(rig), THREADS, fx_arguments{&t->passing}, err)
                     : read_plain(rig, &t->passing, err));
    FX_TRY_CUDA(cudaEventRecord(t->to, rig->gpu->stream));
    FX_TRY(fx_rig_take_sum(rig, &sum, err));
    FX_TRY(fx_event_ns(rig->gpu, t->from, t->to, ns, flags, err));
    *ns /= (double)(t->passing.quads * QUAD / FX_LINE_BYTES);
    FX_FAIL_IF(sum != t->passing_sum, err, FX_WRONG_RESULT, "the data of the stream sum to %llx instead of %llx", sum,
               t->passing_sum);
    return FX_OK;
}

/* Walks along the ring, by `walkers` warps. */
static fx_status launch_walk(fx_rig *rig, const void *kernel, unsigned walkers, uint32_t passes, uint32_t trips,
                             fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    const size_t bytes = walkers * sizeof *t->buffer.host;
    fx_timed timed = {.passes = passes, .barriers = 0, .trips = {0}, .warps = t->buffer.device};
    for (uint32_t p = 0; p < passes; p++) {
        timed.trips[p] = trips;
    }
    FX_TRY_CUDA(cudaMemsetAsync(t->buffer.device, 0xff, bytes, rig->gpu->stream));
    FX_TRY(fx_rig_launch(rig, kernel, walkers, FX_WARP, fx_arguments{&timed, &t->r}, err));
    FX_TRY(fx_gpu_download(rig->gpu, t->buffer.host, t->buffer.device, bytes, err));
    for (unsigned b = 0; b < walkers; b++) {
        FX_FAIL_IF(t->buffer.host[b].wrong != 0, err, FX_WRONG_RESULT, "the pointer chase ended at the wrong address");
    }
    return FX_OK;
}

/* Cycles per link as the L2 is, and once more. */
static fx_status follow(fx_rig *rig, double cycles[2], fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->r.skip = 0;
    FX_TRY(launch_walk(rig, (const void *)walk<FX_CHAIN_STEPS>, WALKERS, 2, TRIPS, err));
    cycles[0] = cycles[1] = 0;
    for (unsigned b = 0; b < WALKERS; b++) {
        const fx_timed_warp *one = &t->buffer.host[b];
        cycles[0] += (double)(one->stop[0] - one->first_cycles) / (TRIPS * FX_CHAIN_STEPS * WALKERS);
        cycles[1] += (double)(one->stop[1] - one->stop[0]) / (TRIPS * FX_CHAIN_STEPS * WALKERS);
    }
    return FX_OK;
}

/* Cycles of single accesses, to other links than those; the first one of each warp is left out. */
static fx_status look(fx_rig *rig, double cycles[SINGLES], fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->r.skip = WALKED;
    FX_TRY(launch_walk(rig, (const void *)walk<1>, LOOKERS, FX_MAX_PASSES, 1, err));
    for (unsigned i = 0; i < SINGLES; i++) {
        const uint64_t *stop = &t->buffer.host[i / (FX_MAX_PASSES - 1)].stop[i % (FX_MAX_PASSES - 1)];
        cycles[i] = (double)(stop[1] - stop[0]);
    }
    return FX_OK;
}

static int ascending(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static fx_status empty_l2(fx_rig *rig, fx_error *err) {
    FX_TRY(reset_persisting(rig, err));
    FX_TRY(fx_gpu_flush_l2(rig->gpu, err));
    return fx_gpu_flush_l2(rig->gpu, err);
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const int64_t hint = c->params.value[HINT];
    task *t = FX_ARGUMENT(rig, task);
    double cold[2], found[2], ns = (double)NAN, miss[SINGLES], single[SINGLES];
    unsigned kept = 0;
    t->r.first = (uint32_t)(fx_random_below(&seed, t->r.blocks));
    FX_TRY(empty_l2(rig, err));
    if (hint < CLEAN) {
        FX_TRY(follow(rig, cold, err));
        FX_TRY(look(rig, miss, err));
        qsort(miss, SINGLES, sizeof miss[0], ascending);
        FX_TRY(empty_l2(rig, err));
    }
    FX_TRY(bring(rig, c, (uint32_t)seed, &out->extra[EXTRA_BRING], err));
    if (c->params.value[STREAM] > 0) {
        FX_TRY(pass(rig, c, &ns, &out->flags, err));
    }
    out->extra[EXTRA_ASIDE] = (double)t->aside;
    if (hint >= CLEAN) {
        out->value = ns;
        return hint == DIRTY ? fx_gpu_verify(rig->gpu, t->kept.data, t->kept.quads * QUAD / 4, (uint32_t)seed, err)
                             : FX_OK;
    }
    FX_TRY(follow(rig, found, err));
    FX_TRY(look(rig, single, err));
    for (unsigned i = 0; i < SINGLES; i++) {
        kept += single[i] < miss[SINGLES / 100];
    }
    out->value = found[0];
    out->extra[EXTRA_COLD] = cold[0];
    out->extra[EXTRA_HIT] = found[1];
    out->extra[EXTRA_KEPT] = 100.0 * kept / SINGLES;
    out->extra[EXTRA_LOST] = 100.0 - out->extra[EXTRA_KEPT];
    return FX_OK;
}

static void give_back(fx_rig *rig, void *nothing, size_t bytes) {
    task *t = FX_ARGUMENT(rig, task);
    fx_timed_close(&t->buffer);
    if (t->limited) {
        fx_error ignored;
        (void)set_window(rig, NULL, 0, &ignored);
        cudaCtxResetPersistingL2Cache();
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, t->before);
    }
}

/* Sets part of the L2 aside: what the case asks for, or the most that the device allows. */
static fx_status set_aside(fx_rig *rig, int64_t eighths, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    int most = 0, window = 0;
    FX_TRY_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, rig->gpu->ordinal));
    FX_TRY_CUDA(cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, rig->gpu->ordinal));
    FX_FAIL_IF(most == 0 && eighths > 0, err, FX_UNSUPPORTED, "no part of the L2 can be set aside here, as under MIG");
    if (most == 0) {
        return FX_OK;
    }
    t->most_window = (size_t)window;
    t->aside = (size_t)(rig->gpu->facts.l2_bytes / EIGHTHS) * (size_t)eighths;
    t->aside = t->aside < (size_t)most ? t->aside : (size_t)most;
    FX_TRY_CUDA(cudaDeviceGetLimit(&t->before, cudaLimitPersistingL2CacheSize));
    if (cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, t->aside) != cudaSuccess) {
        cudaGetLastError();
        return fx_fail(err, FX_UNSUPPORTED, "the part of the L2 that is set aside can't be changed here, as under MPS");
    }
    t->limited = true;
    return FX_CUDA_STATUS(cudaDeviceGetLimit(&t->aside, cudaLimitPersistingL2CacheSize));
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t *v = c->params.value;
    const uint64_t eighth = rig->gpu->facts.l2_bytes / EIGHTHS / PIECE * PIECE;
    const uint64_t kept = eighth * (uint64_t)v[KEPT], passing = eighth * (uint64_t)v[STREAM];
    const uint64_t left = eighth * LEFT_EIGHTHS;
    task *t = FX_ARGUMENT(rig, task);
    uint32_t seed = 5;
    char *memory;
    rig->sample = sample;
    FX_TRY(fx_rig_sums(rig, NULL, err));
    FX_TRY(fx_rig_event(rig, &t->from, err));
    FX_TRY(fx_rig_event(rig, &t->to, err));
    FX_TRY(fx_rig_memory(rig, &memory, FX_POOL_MEMORY, kept + passing + left, PIECE, err));
    FX_TRY(fx_rig_keep(rig, NULL, give_back, err));
    FX_TRY(fx_timed_open(&t->buffer, 1, LOOKERS, 1, err));
    FX_TRY(set_aside(rig, v[ASIDE], err));
    FX_TRY(fx_gpu_fill(rig->gpu, memory, (kept + passing + left) / 4, FX_FILL_SEED, err));
    t->kept = (stream){.data = memory, .quads = kept / QUAD, .sums = rig->sums};
    t->passing = (stream){.data = memory + kept, .quads = passing / QUAD, .sums = rig->sums};
    t->left = (stream){.data = memory + kept + passing, .quads = left / QUAD, .sums = rig->sums};
    t->r.data = memory;
    t->r.block_bytes = is_fetch(v[HINT]) ? (uint32_t)BLOCK : (uint32_t)FX_LINE_BYTES;
    t->r.blocks = (uint32_t)(kept / t->r.block_bytes);
    t->r.away = (uint32_t)v[AWAY];
    FX_FAIL_IF(t->r.blocks < WALKED + LOOKED, err, FX_UNSUPPORTED,
               "the L2 is too small for the links that are followed in %" PRIu64 " bytes of it", kept);
    t->r.step = ring_step(t->r.blocks);
    FX_TRY(fx_rig_aid(rig, "lay", many(rig), THREADS, fx_arguments{&t->r, &seed}, err));
    FX_TRY(read_plain(rig, &t->passing, err));
    return fx_rig_take_sum(rig, &t->passing_sum, err);
}
#endif

#define WALKED_BY                                                                                                      \
    "hint=none,window,window_ratio,evict_last,stream_first,streaming,no_allocate,left,reset,prefetch,bulk_prefetch,"   \
    "fetch,fetch_64,fetch_128,fetch_256"

static const fx_kernel kernels[] = {
    FX_TIMED(WALKED_BY, FX_K(walk, FX_CHAIN_STEPS), {"LDG.E.64.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_AIDED(WALKED_BY, FX_K(walk, 1), {"LDG.E.64.STRONG.GPU", 1}),
    FX_TIMED("hint=clean,dirty,discard", FX_K(read_all, NONE), {"LDG.E.128", 0}),
    FX_AIDED_FROM(80, "hint=evict_last", FX_K(read_all, EVICT_LAST), {"LDG.E.128", 0}),
    FX_AIDED_FROM(80, "hint=stream_first", FX_K(read_all, STREAM_FIRST), {"LDG.E.128", 0}),
    FX_AIDED("hint=streaming", FX_K(read_all, STREAMING), {"LDG.E.EF.128", 0}),
    FX_AIDED_FROM(70, "hint=no_allocate", FX_K(read_all, NO_ALLOCATE), {"LDG.E.NA.128", 0}),
    FX_AIDED("hint=prefetch", FX_K(prefetch_all, PREFETCH), {"CCTL.E.PF2", 0}),
    FX_AIDED_FROM(90, "hint=bulk_prefetch", FX_K(prefetch_all, BULK_PREFETCH), {"UBLKPF.L2", 0}),
    FX_AIDED("hint=fetch", FX_K(touch_all, FETCH), {"LDG.E", 0}),
    FX_AIDED_FROM(75, "hint=fetch_64", FX_K(touch_all, FETCH_64), {"LDG.E.LTC64B", 0}),
    FX_AIDED_FROM(75, "hint=fetch_128", FX_K(touch_all, FETCH_128), {"LDG.E.LTC128B", 0}),
    FX_AIDED_FROM(80, "hint=fetch_256", FX_K(touch_all, FETCH_256), {"LDG.E.LTC256B", 0}),
    FX_AIDED_FROM(80, "hint=discard", FX_K(discard_all), {"CCTL.E.RML2", 0}),
    FX_AIDED("", FX_K(lay)),
};

FX_PROBE(l2_residency, .question = "What keeps data in the L2, what brings them there, and what does it cost?",
         .method_version = 1, FX_PARTS, .extras = "kept_pct lost_pct cold_cycles hit_cycles bring_ns aside_bytes",
         .supported = supported, .samples = SAMPLES)
