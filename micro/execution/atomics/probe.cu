/* atomics: what does an atomic operation cost, by where the word lies, what is done, and how many want the same word?
 *
 * Method: the host hands over which word each lane wants, so the compiler can neither see that lanes meet nor add them
 * up by itself. One SM: 32 warps, independent atomics, or one warp whose every atomic goes to the address that the one
 * before returned. Whole device: pairs of launches, each thread with eight words of its own choice. Afterwards every
 * word must hold what that many operations make of it. Where the compiler turns an atomic into a loop around a
 * compare-and-swap, the loop is what is measured. What can fool it: see README.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/probe.h"

enum { MODE, SPACE, OP, TYPE, RESULT, METHOD, LANES, DISTINCT, SPACING, OWNER, BLOCKS, WORDS };
enum { THROUGHPUT, LATENCY, DEVICE };
enum { SHARED, GLOBAL };
enum { ADD, INC, MAX, EXCH, CAS, STORE };
enum { INT32, INT64, FLOAT32 };
enum { UNUSED, USED };
enum { PLAIN, SHUFFLE, REDUX, COMPILER };
enum { BY_WARP, BY_BLOCK, BY_GRID };
enum { ACCESS_CYCLES, ACCESS_NS };
enum { MOST_WORDS = 4 << 20, MOST_PRIVATE_WORDS = 8 << 10, LINE_BYTES = 128 };
enum { WARPS = 32, BLOCK_THREADS = 512, SHARES = 8 /* words of a thread, on the whole device */ };

static const fx_axis axes[] = {
    {"mode", "", "cycles per access of a full SM, or of one dependent chain; or ns per access of all SMs",
     "throughput latency device", 0, 0, THROUGHPUT},
    {"space", "", "where the words lie; device: shared means a private copy for each block", "shared global", 0, 0,
     GLOBAL},
    {"op", "", "add a value, add the constant 1, maximum, exchange, compare and swap; a plain store to compare with",
     "add inc max exch cas store", 0, 0, ADD},
    {"type", "", "of the word; integers are unsigned", "int32 int64 float32", 0, 0, INT32},
    {"result", "", "whether the program wants the old value", "unused used", 0, 0, UNUSED},
    {"method", "", "an atomic for each lane; the warp's sum, by shuffles or one instruction, then one; the compiler's",
     "plain shuffle redux compiler", 0, 0, PLAIN},
    {"lanes", "lanes", "lanes of the warp that take part", NULL, 1, FX_WARP, FX_WARP},
    {"distinct", "words", "distinct words in the warp", NULL, 1, FX_WARP, 1},
    {"spacing", "bytes", "distance of neighbouring words, a multiple of the word", NULL, 4, LINE_BYTES, 4},
    {"owner", "", "who has words of its own: each warp, each block, or only the whole grid", "warp block grid", 0, 0,
     BY_WARP},
    {"blocks", "blocks", "on the whole device; 0: one on each SM", NULL, 0, 1024, 0},
    {"words", "words", "each lane picks its words at random from a table of so many, a power of two; 0: it does not",
     NULL, 0, MOST_WORDS, 0},
};

#define SPREAD      "distinct=1,2,4,8,16,32"
#define BLOCK_STEPS "blocks=1,4,16,64,0"

static const fx_sweep sweeps[] = {
    {"shared", "mode=throughput space=shared op=add,inc,max,store type=int32 result=unused " SPREAD,
     "mode=throughput space=shared op=add,inc type=int32 result=unused distinct=1,32"},
    {"shared_used", "mode=throughput space=shared op=add,exch,cas type=int32 result=used " SPREAD, NULL},
    {"shared_wide", "mode=throughput space=shared op=add,max type=int64 result=unused spacing=8 " SPREAD, NULL},
    {"shared_wide_used", "mode=throughput space=shared op=exch,cas type=int64 result=used spacing=8 " SPREAD, NULL},
    {"shared_float", "mode=throughput space=shared op=add type=float32 result=unused " SPREAD,
     "mode=throughput space=shared op=add type=float32 result=unused distinct=1,32"},
    {"global",
     "mode=throughput space=global op=add type=int32 result=unused distinct=1,2,3,4,6,8,12,16,24,32 spacing=4,32,128",
     "mode=throughput space=global op=add type=int32 result=unused distinct=1,8,32 spacing=4"},
    {"global_used", "mode=throughput space=global op=add type=int32 result=used spacing=4,32 " SPREAD, NULL},
    {"global_op", "mode=throughput space=global op=max,store type=int32 result=unused spacing=4 " SPREAD, NULL},
    {"global_op_used", "mode=throughput space=global op=exch,cas type=int32 result=used spacing=4 " SPREAD,
     "mode=throughput space=global op=cas type=int32 result=used spacing=4 distinct=1,32"},
    {"global_wide", "mode=throughput space=global op=add,max type=int64 result=unused spacing=8 distinct=1,8,32", NULL},
    {"global_wide_used", "mode=throughput space=global op=exch,cas type=int64 result=used spacing=8 distinct=1,8,32",
     NULL},
    {"global_float", "mode=throughput space=global op=add type=float32 result=unused spacing=4 " SPREAD,
     "mode=throughput space=global op=add type=float32 result=unused spacing=4 distinct=1,32"},
    {"lanes", "mode=throughput space=shared,global op=add type=int32 result=unused distinct=1 lanes=1,2,3,4,8,16,24,32",
     NULL},
    {"latency", "mode=latency space=shared,global op=add,max,exch,cas type=int32 result=used distinct=1,8,32",
     "mode=latency space=shared,global op=add type=int32 result=used distinct=1,32"},
    {"latency_wide", "mode=latency space=shared,global op=add,cas type=int64 result=used spacing=8 distinct=1,8,32",
     NULL},
    {"latency_float", "mode=latency space=shared,global op=add type=float32 result=used distinct=1,8,32", NULL},
    {"together",
     "mode=throughput space=shared,global op=add type=int32,float32 result=unused owner=block distinct=1,8,32", NULL},
    {"together_cas", "mode=throughput space=shared,global op=cas type=int32 result=used owner=block distinct=1,8,32",
     NULL},
    {"gathered",
     "mode=throughput space=shared,global op=add type=int32 result=unused owner=warp,block method=plain,shuffle,redux",
     "mode=throughput space=shared,global op=add type=int32 result=unused owner=warp method=plain,redux"},
    {"gathered_compiler",
     "mode=throughput space=shared,global op=add type=int32 result=unused owner=block method=compiler", NULL},
    {"gathered_float",
     "mode=throughput space=shared,global op=add type=float32 result=unused owner=warp,block method=plain,shuffle",
     NULL},
    {"one_word", "mode=device space=global op=add type=int32 result=unused owner=block,grid " BLOCK_STEPS,
     "mode=device space=global op=add type=int32 result=unused owner=grid blocks=1,0"},
    {"one_word_gathered",
     "mode=device space=global op=add type=int32 result=unused owner=grid method=redux,compiler " BLOCK_STEPS,
     "mode=device space=global op=add type=int32 result=unused owner=grid method=redux blocks=1,0"},
    {"one_word_op", "mode=device space=global op=add,exch,cas type=int32 result=used owner=grid blocks=0", NULL},
    {"one_word_float", "mode=device space=global op=add type=float32 result=unused owner=grid blocks=0", NULL},
    {"own_words",
     "mode=device space=global op=add type=int32,float32 result=unused owner=warp,grid distinct=32 blocks=0", NULL},
    {"table", "mode=device space=global op=add type=int32,float32 result=unused words=1,4,32,256,1Ki,16Ki,256Ki,4Mi",
     "mode=device space=global op=add type=int32 result=unused words=1,1Ki"},
    {"table_op", "mode=device space=global op=max type=int32 result=unused words=1Ki,256Ki", NULL},
    {"table_op_used", "mode=device space=global op=add,exch,cas type=int32 result=used words=1Ki,256Ki", NULL},
    {"table_wide", "mode=device space=global op=add type=int64 result=unused spacing=8 words=1Ki,256Ki", NULL},
    {"private", "mode=device space=shared op=add,inc type=int32 result=unused words=1,32,1Ki,8Ki",
     "mode=device space=shared op=inc type=int32 result=unused words=1,1Ki"},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "warp-level access"},
    {"access_ns", "ns", FX_GPU_NS, false, "warp-level access"},
};

static unsigned width_of(const fx_params *params) {
    return params->value[TYPE] == INT64 ? 8 : 4;
}

/* These are loops around a compare-and-swap, on every architecture so far. */
static bool is_loop(const fx_params *params) {
    const int64_t op = params->value[OP], type = params->value[TYPE];
    return params->value[SPACE] == SHARED && (type == FLOAT32 || (type == INT64 && (op == ADD || op == MAX)));
}

static bool lanes(const fx_params *params, fx_lanes *out) {
    if (params->value[WORDS] > 0) {
        return false;
    }
    fx_lanes_multicast(out, (unsigned)params->value[SPACING], (unsigned)params->value[DISTINCT]);
    for (int64_t l = params->value[LANES]; l < FX_WARP; l++) {
        out->offset[l] = -1;
    }
    return true;
}

/* Lanes that want the word that lane l wants. */
static unsigned sharers(const fx_lanes *table, unsigned l) {
    unsigned count = 0;
    for (unsigned k = 0; k < FX_WARP; k++) {
        count += table->offset[k] == table->offset[l];
    }
    return count;
}

/* The largest number of lanes on one word, added up over the aligned blocks of that many bytes: how often blocks must
 * be visited, if a visit serves one lane for each word of a block. */
static unsigned rounds(const fx_lanes *table, int32_t block_bytes) {
    unsigned sum = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int32_t block = table->offset[l] / block_bytes;
        bool counted = table->offset[l] < 0;
        unsigned most = 0;
        for (unsigned k = 0; k < FX_WARP; k++) {
            if (table->offset[k] >= 0 && table->offset[k] / block_bytes == block) {
                const unsigned here = sharers(table, k);
                counted = counted || k < l;
                most = here > most ? here : most;
            }
        }
        sum += counted ? 0 : most;
    }
    return sum;
}

/* Claimed for plain atomics of warps that do not meet; native ones in shared memory do not care whether they do. Chains
 * of loops are not claimed. Of a maximum one lane succeeds and the others see that they need not: no law. Of a loop of
 * compare-and-swaps one lane of a word succeeds in each round. Stores and increments of neighbouring words count 1
 * however many meet: nothing to fit. */
static void set_law(const fx_geometry *geometry, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t op = params->value[OP];
    const bool plain = params->value[METHOD] == PLAIN, rate = params->value[MODE] == THROUGHPUT;
    const bool apart = plain && params->value[OWNER] == BY_WARP && rate;
    if (params->value[SPACE] == GLOBAL && op == STORE) {
        out->law = "l2_store";
        out->count = fx_law_l2_store(geometry, table, width_of(params));
    } else if (params->value[SPACE] == GLOBAL) {
        out->law = op == CAS ? "l2_cas" : params->value[RESULT] == USED ? "l2_atomic" : "l2_reduction";
        out->count = op == CAS                       ? fx_law_l2_cas(geometry, table)
                     : params->value[RESULT] == USED ? fx_law_l2_atomic(geometry, table)
                                                     : fx_law_l2_reduction(geometry, table);
        out->in_fit = apart;
    } else if (is_loop(params) && rate) {
        out->law = "rounds";
        out->count = rounds(table, 1 << 30);
        out->in_fit = apart && op == ADD;
    } else if (op == STORE) {
        out->law = "shared_store";
        out->count = fx_law_shared_store(geometry, table, width_of(params));
    } else {
        out->law = "shared_atomic";
        out->count = fx_law_shared_atomic(geometry, table, width_of(params));
        out->in_fit = plain && op != INC && !is_loop(params);
    }
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const fx_geometry *geometry = &facts->geometry;
    const unsigned width = width_of(params);
    out->metric = params->value[MODE] == DEVICE ? ACCESS_NS : ACCESS_CYCLES;
    out->useful_bytes = (double)(params->value[LANES] * width);
    if (!table) {
        return;
    }
    out->useful_bytes = fx_law_useful_bytes(table, width);
    fx_prediction_count(out, "distinct", fx_law_distinct(table));
    fx_prediction_count(out, "sectors", fx_law_blocks(table, width, geometry->sector_bytes));
    fx_prediction_count(out, "lines", fx_law_blocks(table, width, geometry->line_bytes));
    fx_prediction_count(out, "lanes_per_word", rounds(table, 1 << 30));
    fx_prediction_count(out, "packets", rounds(table, (int32_t)geometry->line_bytes));
    fx_prediction_count(out, "bank_lanes", fx_law_bank_lanes(geometry, table, width));
    if (params->value[MODE] != DEVICE) { /* the whole device: no law is known */
        set_law(geometry, params, table, out);
    }
}

/* Bytes from one owner's words to the next one's. */
static uint64_t pitch_of(const fx_params *p) {
    return (uint64_t)(p->value[DISTINCT] * p->value[SPACING] + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* What no instruction does, or what another case says already. */
static const char *supported_op(const fx_facts *facts, const fx_params *p) {
    const int64_t op = p->value[OP], type = p->value[TYPE];
    const bool used = p->value[RESULT] == USED;
    if (type == FLOAT32 && op != ADD) {
        return "float32 is added only: an exchange or a compare-and-swap moves bits as int32 does";
    }
    if (op == INC && (type != INT32 || p->value[SPACE] != SHARED || used)) {
        return "adding the constant 1 has an instruction of its own only in shared memory, for int32, without a result";
    }
    if (op == INC && facts->compute_major < 8) {
        return "adding the constant 1 in an instruction of its own needs compute capability 8.0";
    }
    if (op == STORE && (type != INT32 || used)) {
        return "a plain store returns nothing, and is here to compare int32 with";
    }
    if ((op == EXCH || op == CAS) && !used) {
        return "an exchange or a compare-and-swap always returns the old value";
    }
    if (used && p->value[MODE] != LATENCY && (op == MAX || (op == ADD && (type != INT32)))) {
        return "whether the result is used is told apart for int32 additions";
    }
    return NULL;
}

static const char *supported_mode(const fx_params *p) {
    const int64_t op = p->value[OP], type = p->value[TYPE], space = p->value[SPACE], words = p->value[WORDS];
    const bool device = p->value[MODE] == DEVICE;
    if (!device && (words > 0 || p->value[BLOCKS] > 0 || p->value[OWNER] == BY_GRID)) {
        return "tables, blocks and words of the whole grid are a matter of the whole device";
    }
    if (device && p->value[LANES] != FX_WARP) {
        return "on the whole device all lanes take part";
    }
    if (device && (op == STORE || (type == INT64 && op != ADD))) {
        return "stores and wide words other than sums are measured on one SM";
    }
    if (device && space == SHARED && (p->value[RESULT] == USED || type != INT32 || (op != ADD && op != INC))) {
        return "private copies are there to count";
    }
    if (device && space == SHARED && (words == 0 || words > MOST_PRIVATE_WORDS)) {
        return "a private copy is a table of up to 8192 words";
    }
    if (p->value[MODE] == LATENCY &&
        (p->value[RESULT] != USED || p->value[OWNER] != BY_WARP || (type == INT64 && (op == MAX || op == EXCH)))) {
        return "a chain needs the result, is one warp's, and of wide words goes through sums and compare-and-swap";
    }
    return NULL;
}

static const char *supported_method(const fx_facts *facts, const fx_params *p) {
    const int64_t method = p->value[METHOD];
    if (method == PLAIN) {
        return NULL;
    }
    if (p->value[MODE] == LATENCY || p->value[OP] != ADD || p->value[RESULT] == USED || p->value[TYPE] == INT64 ||
        p->value[WORDS] > 0) {
        return "a warp's sum is added to one word, without a result";
    }
    if (p->value[LANES] != FX_WARP || p->value[DISTINCT] != 1) {
        return "a warp's sum is that of all its lanes, for one word";
    }
    if (method != SHUFFLE && p->value[TYPE] == FLOAT32) {
        return "sums of a warp in one instruction are integer sums";
    }
    if (method == REDUX && facts->compute_major < 8) {
        return "a warp's sum in one instruction needs compute capability 8.0";
    }
    if (method == COMPILER && p->value[OWNER] == BY_WARP) {
        return "the compiler sees one address only where it is one for the block";
    }
    if (p->value[MODE] == DEVICE && (p->value[OWNER] != BY_GRID || p->value[TYPE] != INT32)) {
        return "on the whole device the sums go to one word of int32";
    }
    return NULL;
}

static const char *supported(const fx_facts *facts, const fx_params *p) {
    const int64_t words = p->value[WORDS];
    const char *reason = supported_op(facts, p);
    reason = reason ? reason : supported_mode(p);
    reason = reason ? reason : supported_method(facts, p);
    if (reason) {
        return reason;
    }
    if (p->value[SPACING] % width_of(p) != 0) {
        return "the spacing is not a multiple of the word";
    }
    if (p->value[DISTINCT] > p->value[LANES]) {
        return "there are more words than lanes";
    }
    if (words & (words - 1)) {
        return "the words of a table are a power of two";
    }
    if (p->value[SPACE] == SHARED && p->value[MODE] == THROUGHPUT && p->value[OWNER] == BY_WARP &&
        facts->shared_per_block_bytes > 0 && WARPS * pitch_of(p) > facts->shared_per_block_bytes) {
        return "the words of 32 warps do not fit into the shared memory of one block";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "atomics.cuh"

enum { PASS_CYCLES = 64000, CHAIN_CYCLES = 16000 }; /* about what a pass, and N trips of a chain, should take */

#define RATE(space, op, type, result)                                                                                  \
    {THROUGHPUT, space, op, type, result, PLAIN, (const void *)rate<space, op, type, result>}
#define CHAIN(space, op, type) {LATENCY, space, op, type, USED, PLAIN, (const void *)chain<space, op, type>}
#define GATHER(space, type, method)                                                                                    \
    {THROUGHPUT, space, ADD, type, UNUSED, method, (const void *)gather<space, type, method>}
#define CROWD(space, op, type, result)                                                                                 \
    {DEVICE, space, op, type, result, PLAIN, (const void *)crowd<space, op, type, result>}
#define GATHER_CROWD(method) {DEVICE, GLOBAL, ADD, INT32, UNUSED, method, (const void *)gather_crowd<method>}
#define BOTH(make, ...)      make(SHARED, __VA_ARGS__), make(GLOBAL, __VA_ARGS__)

/* What `supported` lets through. */
static const struct {
    int mode, space, op, type, result, method;
    const void *kernel;
} kernels[] = {
    RATE(SHARED, INC, INT32, UNUSED),
    BOTH(RATE, ADD, INT32, UNUSED),
    BOTH(RATE, ADD, INT32, USED),
    BOTH(RATE, MAX, INT32, UNUSED),
    BOTH(RATE, EXCH, INT32, USED),
    BOTH(RATE, CAS, INT32, USED),
    BOTH(RATE, STORE, INT32, UNUSED),
    BOTH(RATE, ADD, INT64, UNUSED),
    BOTH(RATE, MAX, INT64, UNUSED),
    BOTH(RATE, EXCH, INT64, USED),
    BOTH(RATE, CAS, INT64, USED),
    BOTH(RATE, ADD, FLOAT32, UNUSED),
    BOTH(CHAIN, ADD, INT32),
    BOTH(CHAIN, MAX, INT32),
    BOTH(CHAIN, EXCH, INT32),
    BOTH(CHAIN, CAS, INT32),
    BOTH(CHAIN, ADD, INT64),
    BOTH(CHAIN, CAS, INT64),
    BOTH(CHAIN, ADD, FLOAT32),
    BOTH(GATHER, INT32, SHUFFLE),
    BOTH(GATHER, INT32, REDUX),
    BOTH(GATHER, INT32, COMPILER),
    BOTH(GATHER, FLOAT32, SHUFFLE),
    CROWD(SHARED, INC, INT32, UNUSED),
    BOTH(CROWD, ADD, INT32, UNUSED),
    CROWD(GLOBAL, ADD, INT32, USED),
    CROWD(GLOBAL, MAX, INT32, UNUSED),
    CROWD(GLOBAL, EXCH, INT32, USED),
    CROWD(GLOBAL, CAS, INT32, USED),
    CROWD(GLOBAL, ADD, INT64, UNUSED),
    CROWD(GLOBAL, ADD, FLOAT32, UNUSED),
    GATHER_CROWD(SHUFFLE),
    GATHER_CROWD(REDUX),
    GATHER_CROWD(COMPILER),
};

static const void *choose_kernel(const fx_params *p) {
    for (size_t i = 0; i < FX_COUNT(kernels); i++) {
        if (kernels[i].mode == p->value[MODE] && kernels[i].space == p->value[SPACE] && kernels[i].op == p->value[OP] &&
            kernels[i].type == p->value[TYPE] && kernels[i].result == p->value[RESULT] &&
            kernels[i].method == p->value[METHOD]) {
            return kernels[i].kernel;
        }
    }
    return NULL;
}

typedef struct state {
    fx_timed_buffer timed;
    fx_pair pair; /* whole device, as all from here on */
    const void *kernel, *lay, *count, *check;
    char *data;
    uint32_t *sink, *adds;
    unsigned long long *sums;
    size_t shared_bytes;
    uint64_t words; /* in data */
    uint32_t trips, accesses, before;
    unsigned blocks;
    work w;
} state;

static void close_case(fx_gpu *gpu, const fx_case *c, void *state_) {
    state *s = (state *)state_;
    (void)gpu, (void)c;
    fx_timed_close(&s->timed);
    fx_pair_close(&s->pair);
    cudaFree(s->data);
    cudaFree(s->sink);
    cudaFree(s->adds);
    cudaFree(s->sums);
    free(s);
}

static fx_status sample_chip(fx_gpu *gpu, state *s, fx_sample *out, fx_error *err) {
    fx_timed timed = fx_timed_argument(&s->timed, s->trips, 0);
    void *arguments[] = {&timed, &s->w};
    if (s->timed.warps == 1) {
        s->w.steps = (uint32_t)fx_timed_steps(&timed, s->accesses, 2); /* ends in the other slot */
    } else {
        timed.trips[0] += fx_timed_total_trips(&timed) % 2 == 0; /* an odd number: floats do not end at 0 */
    }
    s->w.trips = fx_timed_total_trips(&timed);
    return fx_timed_sample(gpu, &s->timed, s->kernel, s->shared_bytes, arguments, &timed, s->accesses, out, err);
}

/* How long a pass must be is found by trying: lanes that meet may cost nothing, or a loop each. */
static fx_status open_chip(fx_gpu *gpu, const fx_case *c, state *s, fx_error *err) {
    const fx_params *p = &c->params;
    const bool latency = p->value[MODE] == LATENCY, loop = is_loop(p);
    const unsigned warps = latency ? 1 : WARPS, gathered = p->value[METHOD] == PLAIN ? ACCESSES : GATHERED;
    const size_t bytes = s->w.pitch * (latency ? 2 : p->value[OWNER] == BY_WARP ? warps : 1);
    fx_status status = FX_OK;
    fx_sample trial = {0};
    s->accesses = loop ? 1 : latency ? FX_CHAIN_STEPS : gathered;
    s->trips = loop ? 64 : 16;
    s->shared_bytes = p->value[SPACE] == SHARED ? bytes : 0;
    FX_CUDA(cudaMalloc((void **)&s->data, bytes));
    FX_CUDA(cudaMalloc((void **)&s->sink, WARPS * (size_t)FX_WARP * sizeof *s->sink));
    s->w.data = s->data;
    s->w.sink = s->sink;
    status = fx_gpu_prepare(s->kernel, s->shared_bytes, p->value[SPACE] == SHARED ? 100 : 0, err);
    if (status == FX_OK) {
        status = fx_timed_open(&s->timed, warps, err);
    }
    if (status == FX_OK) {
        status = sample_chip(gpu, s, &trial, err);
    }
    if (status == FX_OK && trial.value > 0) { /* no number is not more than 0 */
        s->trips = fx_timed_trips(latency ? CHAIN_CYCLES : PASS_CYCLES, s->accesses * warps * trial.value);
    }
cleanup:
    return status;
}

static fx_status launch_trips(fx_gpu *gpu, state *s, uint32_t trips, fx_error *err) {
    void *arguments[] = {&s->w};
    s->w.trips = trips;
    s->w.before = s->before;
    s->before += trips;
    return fx_gpu_launch(gpu, s->kernel, s->blocks, BLOCK_THREADS, s->shared_bytes, arguments, err);
}

static fx_status launch_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    state *s = (state *)context;
    return launch_trips(gpu, s, which == 0 ? s->trips : 2 * s->trips, err);
}

static fx_status check_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    enum { CHECK_BLOCKS = 256, CHECK_THREADS = 256 };
    state *s = (state *)context;
    unsigned long long wrong = 0;
    void *arguments[] = {&s->w, &s->words};
    (void)which;
    s->w.before = s->before;
    fx_status status = fx_gpu_launch(gpu, s->check, CHECK_BLOCKS, CHECK_THREADS, 0, arguments, err);
    if (status == FX_OK) {
        status = fx_sums_take(gpu, s->sums, &wrong, err);
    }
    if (status == FX_OK && wrong > 0) {
        status = fx_fail(err, FX_WRONG_RESULT, "%llu of %llu words do not hold what so many atomics make of them",
                         wrong, (unsigned long long)s->words);
    }
    return status;
}

/* Trips of the shorter launch, by trying: nobody knows beforehand what a crowd costs. An odd number, so that floats,
 * which go up and down, are up after an odd number of launches. */
static fx_status choose_trips(fx_gpu *gpu, state *s, fx_error *err) {
    const double wanted_ns = 200e3;
    fx_status status = FX_OK;
    double ns = 0;
    for (s->trips = 1; s->trips < 100000; s->trips = 4 * s->trips + 1) {
        float ms;
        status = launch_trips(gpu, s, s->trips, err); /* the host is ahead of what follows */
        if (status != FX_OK) {
            return status;
        }
        FX_CUDA(cudaEventRecord(s->pair.event[0], gpu->stream));
        status = launch_trips(gpu, s, s->trips, err);
        if (status != FX_OK) {
            return status;
        }
        FX_CUDA(cudaEventRecord(s->pair.event[1], gpu->stream));
        FX_CUDA(cudaStreamSynchronize(gpu->stream));
        FX_CUDA(cudaEventElapsedTime(&ms, s->pair.event[0], s->pair.event[1]));
        ns = (double)ms * 1e6;
        if (ns > wanted_ns / 4) {
            break;
        }
    }
    s->trips = (uint32_t)(ns > wanted_ns ? s->trips : s->trips * (wanted_ns / ns)) | 1u;
cleanup:
    return status;
}

static fx_status open_device(fx_gpu *gpu, const fx_case *c, state *s, fx_error *err) {
    const fx_params *p = &c->params;
    const uint64_t warps = BLOCK_THREADS / (unsigned)FX_WARP;
    const unsigned width = width_of(p);
    bool weighted = p->value[METHOD] != PLAIN;
    void *lay[] = {&s->w, &s->words}, *count[] = {&s->w, &weighted};
    fx_status status = FX_OK;
    s->blocks = p->value[BLOCKS] > 0 ? (unsigned)p->value[BLOCKS] : (unsigned)gpu->facts.sm_count;
    s->words = p->value[WORDS] > 0 ? (uint64_t)p->value[WORDS]
                                   : s->w.pitch / width *
                                         (p->value[OWNER] == BY_WARP    ? s->blocks * warps
                                          : p->value[OWNER] == BY_BLOCK ? s->blocks
                                                                        : 1);
    s->shared_bytes = p->value[SPACE] == SHARED ? s->words * width : 0;
    FX_CUDA(cudaMalloc((void **)&s->data, s->words * width));
    FX_CUDA(cudaMalloc((void **)&s->adds, s->words * sizeof *s->adds));
    FX_CUDA(cudaMalloc((void **)&s->sink, s->blocks * (size_t)BLOCK_THREADS * sizeof *s->sink));
    status = fx_sums_open(gpu, &s->sums, err);
    if (status == FX_OK) {
        status = fx_pair_open(&s->pair, err);
    }
    if (status == FX_OK) {
        status = fx_gpu_prepare(s->kernel, s->shared_bytes, p->value[SPACE] == SHARED ? 100 : -1, err);
    }
    s->w.data = s->data;
    s->w.adds = s->adds;
    s->w.sums = s->sums;
    s->w.sink = s->sink;
    if (status == FX_OK) {
        status = fx_gpu_launch(gpu, s->lay, s->blocks, BLOCK_THREADS, 0, lay, err);
    }
    if (status == FX_OK) {
        status = fx_gpu_launch(gpu, s->count, s->blocks, BLOCK_THREADS, 0, count, err);
    }
    if (status == FX_OK) {
        status = choose_trips(gpu, s, err);
    }
cleanup:
    return status;
}

static void choose_helpers(const fx_params *p, state *s) {
    const int64_t op = p->value[OP], type = p->value[TYPE];
    s->lay = type == INT32   ? (const void *)lay_words<INT32>
             : type == INT64 ? (const void *)lay_words<INT64>
                             : (const void *)lay_words<FLOAT32>;
    s->count = type == INT64 ? (const void *)count_adds<INT64> : (const void *)count_adds<INT32>;
    s->check = type == INT64     ? (const void *)check_words<ADD, INT64>
               : type == FLOAT32 ? (const void *)check_words<ADD, FLOAT32>
               : op == ADD       ? (const void *)check_words<ADD, INT32>
               : op == INC       ? (const void *)check_words<INC, INT32>
               : op == CAS       ? (const void *)check_words<CAS, INT32>
                           : (const void *)check_words<EXCH, INT32>; /* and the maximum: both as high as it went */
}

static fx_status open_case(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    const uint64_t seed = 13;
    state *s = (state *)calloc(1, sizeof *s);
    if (!s) {
        return fx_fail(err, FX_NO_MEMORY, "no host memory for the case's state");
    }
    s->kernel = choose_kernel(&c->params);
    if (!s->kernel) {
        free(s);
        return fx_fail(err, FX_UNSUPPORTED, "no kernel was compiled for this combination");
    }
    choose_helpers(&c->params, s);
    s->w.lanes = c->lanes;
    s->w.pitch = pitch_of(&c->params);
    s->w.owner = (uint32_t)c->params.value[OWNER];
    s->w.words = (uint32_t)c->params.value[WORDS];
    s->w.seed = seed;
    s->w.start = fx_random_at(seed, 0) & 0x3fffffff3fffffffu; /* room to count up */
    s->w.addend = fx_random_at(seed, 1) | 1;
    const fx_status status = c->params.value[MODE] == DEVICE ? open_device(gpu, c, s, err) : open_chip(gpu, c, s, err);
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
    if (c->params.value[MODE] != DEVICE) { /* the kernel lays its words itself */
        s->w.start = fx_random_at(seed, 0) & 0x3fffffff3fffffffu;
        s->w.addend = fx_random_at(seed, 1) | 1;
        return sample_chip(gpu, s, out, err);
    }
    const fx_pair_work pair = {.context = s,
                               .launch = launch_work,
                               .check = check_work,
                               .units = (double)s->trips *
                                        (double)(SHARES * s->blocks * (BLOCK_THREADS / (unsigned)FX_WARP)),
                               .cold = false};
    return fx_pair_sample(gpu, &s->pair, &pair, out, err);
}
#endif

/* rate<space, op, type, result>, chain<space, op, type>, gather<space, type, method>, crowd as rate. What is a loop is
 * named with the load before its compare-and-swap; a warp's leader is told by a branch. */
static const fx_sass sass[] = {
    {"rate<0, 0, 0, 0>", "ATOMS.ADD", 32, 0},
    {"rate<0, 0, 0, 1>", "ATOMS.ADD", 32, 0},
    {"rate<0, 1, 0, 0>", "ATOMS.POPC.INC.32", 32, 80},
    {"rate<0, 2, 0, 0>", "ATOMS.MAX", 32, 0},
    {"rate<0, 3, 0, 1>", "ATOMS.EXCH", 32, 0},
    {"rate<0, 4, 0, 1>", "ATOMS.CAS", 32, 0},
    {"rate<0, 5, 0, 0>", "STS", 32, 0},
    {"rate<0, 0, 1, 0>", "LDS.64", 1, 0},
    {"rate<0, 0, 1, 0>", "ATOMS.CAST.SPIN.64", 1, 0},
    {"rate<0, 2, 1, 0>", "LDS.64", 1, 0},
    {"rate<0, 2, 1, 0>", "ATOMS.CAST.SPIN.64", 1, 0},
    {"rate<0, 2, 1, 0>", "BRA", 2, 0}, /* out of the loop where the word is as high already */
    {"rate<0, 3, 1, 1>", "ATOMS.EXCH.64", 32, 0},
    {"rate<0, 4, 1, 1>", "ATOMS.CAS.64", 32, 0},
    {"rate<0, 0, 2, 0>", "LDS", 1, 0},
    {"rate<0, 0, 2, 0>", "ATOMS.CAST.SPIN", 1, 0},
    {"rate<1, 0, 0, 0>", "RED.E.ADD.STRONG.GPU", 32, 0},
    {"rate<1, 0, 0, 1>", "ATOMG.E.ADD.STRONG.GPU", 32, 0},
    {"rate<1, 2, 0, 0>", "RED.E.MAX.STRONG.GPU", 32, 0},
    {"rate<1, 3, 0, 1>", "ATOMG.E.EXCH.STRONG.GPU", 32, 0},
    {"rate<1, 4, 0, 1>", "ATOMG.E.CAS.STRONG.GPU", 32, 0},
    {"rate<1, 5, 0, 0>", "STG.E", 32, 0},
    {"rate<1, 0, 1, 0>", "RED.E.ADD.64.STRONG.GPU", 32, 0},
    {"rate<1, 2, 1, 0>", "RED.E.MAX.64.STRONG.GPU", 32, 0},
    {"rate<1, 3, 1, 1>", "ATOMG.E.EXCH.64.STRONG.GPU", 32, 0},
    {"rate<1, 4, 1, 1>", "ATOMG.E.CAS.64.STRONG.GPU", 32, 0},
    {"rate<1, 0, 2, 0>", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 32, 0},
    {"chain<0, 0, 0>", "ATOMS.ADD", 61, 0},
    {"chain<0, 2, 0>", "ATOMS.MAX", 61, 0},
    {"chain<0, 3, 0>", "ATOMS.EXCH", 61, 0},
    {"chain<0, 4, 0>", "ATOMS.CAS", 61, 0},
    {"chain<0, 0, 1>", "LDS.64", 1, 0},
    {"chain<0, 0, 1>", "ATOMS.CAST.SPIN.64", 1, 0},
    {"chain<0, 4, 1>", "ATOMS.CAS.64", 61, 0},
    {"chain<0, 0, 2>", "LDS", 1, 0},
    {"chain<0, 0, 2>", "ATOMS.CAST.SPIN", 1, 0},
    {"chain<1, 0, 0>", "ATOMG.E.ADD.STRONG.GPU", 61, 0},
    {"chain<1, 2, 0>", "ATOMG.E.MAX.STRONG.GPU", 61, 0},
    {"chain<1, 3, 0>", "ATOMG.E.EXCH.STRONG.GPU", 61, 0},
    {"chain<1, 4, 0>", "ATOMG.E.CAS.STRONG.GPU", 61, 0},
    {"chain<1, 0, 1>", "ATOMG.E.ADD.64.STRONG.GPU", 61, 0},
    {"chain<1, 4, 1>", "ATOMG.E.CAS.64.STRONG.GPU", 61, 0},
    {"chain<1, 0, 2>", "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU", 61, 0},
    {"gather<0, 0, 1>", "SHFL.BFLY", 40, 0},
    {"gather<0, 0, 1>", "ATOMS.ADD", 8, 0},
    {"gather<0, 0, 1>", "BSSY", 0, 0},
    {"gather<0, 0, 2>", "REDUX.SUM", 8, 80},
    {"gather<0, 0, 2>", "ATOMS.ADD", 8, 80},
    {"gather<0, 0, 2>", "BSSY", 0, 80},
    {"gather<0, 0, 3>", "REDUX.SUM", 8, 80},
    {"gather<0, 0, 3>", "ATOMS.ADD", 8, 80},
    {"gather<0, 2, 1>", "LDS", 1, 0},
    {"gather<0, 2, 1>", "ATOMS.CAST.SPIN", 1, 0},
    {"gather<1, 0, 1>", "SHFL.BFLY", 40, 0},
    {"gather<1, 0, 1>", "RED.E.ADD.STRONG.GPU", 8, 0},
    {"gather<1, 0, 1>", "BSSY", 0, 0},
    {"gather<1, 0, 2>", "REDUX.SUM", 8, 80},
    {"gather<1, 0, 2>", "RED.E.ADD.STRONG.GPU", 8, 80},
    {"gather<1, 0, 2>", "BSSY", 0, 80},
    {"gather<1, 0, 3>", "REDUX.SUM", 8, 80},
    {"gather<1, 0, 3>", "RED.E.ADD.STRONG.GPU", 8, 80},
    {"gather<1, 2, 1>", "SHFL.BFLY", 40, 0},
    {"gather<1, 2, 1>", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 8, 0},
    {"gather<1, 2, 1>", "BSSY", 0, 0},
    {"crowd<0, 0, 0, 0>", "ATOMS.ADD", 8, 0},
    {"crowd<0, 0, 0, 0>", "RED.E.ADD.STRONG.GPU", 1, 0},
    {"crowd<0, 1, 0, 0>", "ATOMS.POPC.INC.32", 8, 80},
    {"crowd<0, 1, 0, 0>", "RED.E.ADD.STRONG.GPU", 1, 80},
    {"crowd<1, 0, 0, 0>", "RED.E.ADD.STRONG.GPU", 8, 0},
    {"crowd<1, 0, 0, 1>", "ATOMG.E.ADD.STRONG.GPU", 8, 0},
    {"crowd<1, 2, 0, 0>", "RED.E.MAX.STRONG.GPU", 8, 0},
    {"crowd<1, 3, 0, 1>", "ATOMG.E.EXCH.STRONG.GPU", 8, 0},
    {"crowd<1, 4, 0, 1>", "ATOMG.E.CAS.STRONG.GPU", 8, 0},
    {"crowd<1, 0, 1, 0>", "RED.E.ADD.64.STRONG.GPU", 8, 0},
    {"crowd<1, 0, 2, 0>", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 8, 0},
    {"gather_crowd<1>", "SHFL.BFLY", 0, 0},
    {"gather_crowd<1>", "RED.E.ADD.STRONG.GPU", 8, 0},
    {"gather_crowd<2>", "REDUX.SUM", 8, 80},
    {"gather_crowd<2>", "RED.E.ADD.STRONG.GPU", 8, 80},
    {"gather_crowd<3>", "REDUX.SUM", 8, 80},
    {"gather_crowd<3>", "RED.E.ADD.STRONG.GPU", 8, 80},
};

static const fx_probe atomics = {
    .contract = FX_PROBE_CONTRACT,
    .name = "atomics",
    .question = "What does an atomic operation cost, by where the word lies, what is done and how many want it?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "mode space op type result",
    .lanes = lanes,
    .law = law,
    .supported = supported,
    .open = FX_GPU(open_case),
    .sample = FX_GPU(sample_case),
    .close = FX_GPU(close_case),
    FX_TABLE(sass),
};

FX_PROBE(atomics)
