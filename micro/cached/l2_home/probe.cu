/* l2_home: where does a line of the L2 live, and what does it cost to be far from it? Method: an atomic goes to its
 * line's home, so what it takes tells which half of the L2 and of the SMs a line and an SM belong to. Chains then go
 * along lines whose home is near or far; two words that share a slice cost twice as much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/probe.h"
#include "core/random.h"

enum { MODE, TASK, HOME, LAST, FOOTPRINT, DISTANCE };
enum { LATENCY, SIZE, RATE, PAIR };
enum { READ, ATOMIC, WRITE };
enum { NEAR, FAR, BOTH };
enum { SELF, OTHER, WRITTEN };
enum { ACCESS_CYCLES, ACCESS_NS };
enum { LATENCY_BYTES = 1 << 20, RATE_BYTES = 4 << 20 };

static const fx_axis axes[] = {
    {"mode", "", "dependent chain, the same over footprints, whole-chip rate, or two words that all blocks add to",
     "latency size rate pair", 0, 0, LATENCY},
    {"task", "", "reads that bypass the L1, atomics, or writes", "read atomic write", 0, 0, READ},
    {"home", "", "home of the lines: in the SM's own half, in the other one, or each SM on lines of its own half",
     "near far both", 0, 0, NEAR},
    {"last", "",
     "last to touch the lines: the SM itself by reads, an SM of the other half alone by reads, or one of the other "
     "half by writes after the SM's own reads",
     "self other written", 0, 0, SELF},
    {"footprint", "bytes", "bytes of all lines together, with mode=size", NULL, 1 << 20, 512 << 20, 1 << 20},
    {"distance", "bytes", "distance between the two words, a power of two", NULL, 32, 4 << 20, 32},
};

static const fx_sweep sweeps[] = {
    {"latency", "mode=latency task=read home=near,far last=self,other,written",
     "mode=latency task=read home=near,far last=other"},
    {"latency_atomic", "mode=latency task=atomic home=near,far last=self", NULL},
    {"size", "mode=size home=both footprint=8Mi,16Mi,32Mi,48Mi,56Mi,64Mi,80Mi,112Mi",
     "mode=size home=both footprint=16Mi,32Mi,48Mi,64Mi"},
    {"copies", "mode=size home=far footprint=4Mi,8Mi,16Mi,24Mi,28Mi,32Mi,48Mi", NULL},
    {"rate", "mode=rate task=read,atomic,write home=near,far", NULL},
    {"pair", "mode=pair task=atomic distance=32:4Mi:*2", "mode=pair task=atomic distance=32,64,128,256"},
};

static const fx_search searches[] = {
    {"mode=size home=both", "footprint", FX_FIRST_ENDS, 1 << 20, 0, NULL},
};

static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "dependent access"},
    {"access_ns", "ns", FX_GPU_NS, false, "access of the whole chip, of a warp or of a lane"},
};

/* No count: halves, slices and their sizes are what is looked for. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t mode = params->value[MODE];
    out->metric = mode == RATE || mode == PAIR ? ACCESS_NS : ACCESS_CYCLES;
    out->useful_bytes = mode == RATE ? 16 * FX_WARP : mode == PAIR ? 4 : 8;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t *v = params->value;
    return (v[MODE] == LATENCY ? v[HOME] == BOTH || v[TASK] == WRITE || (v[TASK] == ATOMIC && v[LAST] != SELF)
                               : v[LAST] != SELF)
               ? "mode=latency needs home=near or far and task=read, or task=atomic last=self; others need last=self"
           : v[MODE] == SIZE && (v[TASK] != READ || v[HOME] == NEAR || v[FOOTPRINT] % (2 * FX_LINE_BYTES) != 0)
               ? "mode=size needs task=read, home=far or both, and footprint a multiple of 256"
           : v[MODE] == RATE && v[HOME] == BOTH ? "mode=rate needs home=near or far"
           : v[MODE] == PAIR && (v[TASK] != ATOMIC || v[HOME] != NEAR)
               ? "mode=pair needs task=atomic and home=near, which it ignores"
           : (v[DISTANCE] & (v[DISTANCE] - 1)) != 0 ? "distance must be a power of two"
           : facts->compute_major < 7
               ? "the halves are found by atomics that are timed one by one, which needs compute capability 7.0"
           : facts->memory_bytes > 0 && (uint64_t)v[FOOTPRINT] > facts->memory_bytes / 4
               ? "footprint: more than a quarter of the device's memory"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include "kernels.cuh"

/* SEEN_LINES tell the halves of the SMs apart. LINKS: of a timed pass. */
enum { SEEN_LINES = 64, TURNS = 3, EACH = 1, SM_ROWS = MOST_SMS, LINKS = 1024, RIVALS = 32 };

/* Two levels are two halves from this ratio on, and a line is of one where it is not this near to the middle. */
static const double LEAST_RATIO = 1.2, DOUBT = 0.1;

typedef struct task {
    union {
        walk w;
        flow f;
        rivals r;
    } k;                            /* what the kernels get */
    part_of halves[2];              /* SMs */
    double near_cycles, far_cycles; /* of atomics */
    uint32_t lines[2];              /* of each half's list */
    uint32_t *order[2];             /* on the device */
    uint32_t *ring[2];              /* on the host: the first link of a chain and where it ends */
    uint64_t bytes;
    uint32_t rounds;
    uint32_t pending; /* what the launches since the last check have read or added */
} task;

static void mark(part_of *part, uint32_t sm) {
    part->bits[sm / 32] |= 1u << sm % 32;
}

static int by_size(const void *a, const void *b) {
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static unsigned two_a_SM(const fx_rig *rig) {
    return 2 * (unsigned)rig->gpu->facts.sm_count;
}

/* From what each SM waits for some lines: the SMs of both halves, and what near and far are. One level alone: all SMs
 * are of the first half, and there is no far one. */
static void tell_halves(task *t, const uint16_t *cycles) {
    uint16_t sorted[SEEN_LINES];
    const uint16_t *first = NULL;
    double sums[2] = {0, 0};
    unsigned counts[2] = {0, 0};
    for (uint32_t sm = 0; sm < SM_ROWS; sm++) {
        const uint16_t *row = cycles + sm * SEEN_LINES;
        double level[2] = {0, 0};
        unsigned of[2] = {0, 0};
        if (row[0] == 0xffff) {
            continue; /* there is no such SM, or no block came to it */
        }
        if (!first) {
            first = row;
            memcpy(sorted, row, sizeof sorted);
            qsort(sorted, SEEN_LINES, sizeof sorted[0], by_size);
        }
        const double low = sorted[SEEN_LINES / 10], high = sorted[SEEN_LINES - 1 - SEEN_LINES / 10];
        if (high < LEAST_RATIO * low) {
            t->near_cycles = low;
            t->far_cycles = INFINITY;
            mark(&t->halves[0], sm);
            continue;
        }
        for (uint32_t i = 0; i < SEEN_LINES; i++) { /* by the halves of the lines, as the first SM sees them */
            const int far = 2 * first[i] > low + high;
            level[far] += row[i];
            of[far]++;
        }
        const int half = level[0] * of[1] > level[1] * of[0];
        mark(&t->halves[half], sm);
        sums[0] += level[half] / of[half];
        sums[1] += level[1 - half] / of[1 - half];
        counts[0]++;
        counts[1]++;
    }
    if (counts[0] > 0) {
        t->near_cycles = sums[0] / counts[0];
        t->far_cycles = sums[1] / counts[1];
    }
}

static fx_status find_halves(fx_rig *rig, task *t, char *data, fx_error *err) {
    mapping m = {.data = data, .lines = SEEN_LINES, .turns = TURNS, .each = EACH};
    uint16_t *cycles = NULL;
    const size_t bytes = (size_t)SM_ROWS * SEEN_LINES * sizeof *cycles;
    m.stride = t->bytes / SEEN_LINES / FX_LINE_BYTES * FX_LINE_BYTES + 37 * FX_LINE_BYTES;
    while (m.stride * SEEN_LINES > t->bytes) {
        m.stride -= FX_LINE_BYTES;
    }
    FX_TRY(fx_rig_memory(rig, &m.cycles, FX_DEVICE_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &cycles, FX_HOST_MEMORY, bytes, 0, err));
    FX_TRY_CUDA(cudaMemsetAsync(m.cycles, 0xff, bytes, rig->gpu->stream));
    FX_TRY(fx_rig_launch(rig, (const void *)map_sms, two_a_SM(rig), FX_WARP, fx_arguments{&m}, err));
    FX_TRY(fx_gpu_download(rig->gpu, cycles, m.cycles, bytes, err));
    tell_halves(t, cycles);
    return FX_OK;
}

/* Lists of the lines whose home is in each half, as many of both as `wanted` says, in a random order each. */
static fx_status list_lines(fx_rig *rig, task *t, char *data, uint32_t wanted, fx_error *err) {
    const uint32_t lines = (uint32_t)(t->bytes / FX_LINE_BYTES);
    const double middle = (t->near_cycles + t->far_cycles) / 2, doubt = DOUBT * (t->far_cycles - t->near_cycles);
    mapping m = {
        .data = data, .stride = FX_LINE_BYTES, .lines = lines, .turns = TURNS, .each = EACH, .part = t->halves[0]};
    uint32_t *shuffled = NULL;
    uint16_t *cycles = NULL;
    FX_TRY(fx_rig_memory(rig, &m.cycles, FX_DEVICE_MEMORY, lines * sizeof *cycles, 0, err));
    FX_TRY(fx_rig_memory(rig, &m.next, FX_DEVICE_MEMORY, sizeof *m.next, 0, err));
    FX_TRY(fx_rig_memory(rig, &cycles, FX_HOST_MEMORY, lines * sizeof *cycles, 0, err));
    FX_TRY(fx_rig_memory(rig, &shuffled, FX_HOST_MEMORY, wanted * sizeof *shuffled, 0, err));
    FX_TRY_CUDA(cudaMemsetAsync(m.next, 0, sizeof *m.next, rig->gpu->stream));
    FX_TRY(fx_rig_launch(rig, (const void *)map_lines, two_a_SM(rig), MAP_WARPS * FX_WARP, fx_arguments{&m}, err));
    FX_TRY(fx_gpu_download(rig->gpu, cycles, m.cycles, lines * sizeof *cycles, err));
    for (int half = 0; half < 2; half++) {
        uint32_t *ring = NULL, found = 0;
        FX_TRY(fx_rig_memory(rig, &t->order[half], FX_DEVICE_MEMORY, wanted * sizeof *ring, 0, err));
        FX_TRY(fx_rig_memory(rig, &ring, FX_HOST_MEMORY, wanted * sizeof *ring, 0, err));
        fx_random_order(19, shuffled, wanted);
        for (uint32_t i = 0; i < lines && found < wanted; i++) {
            const bool one = isinf(t->far_cycles);
            if (one ? half == 0 : fabs(cycles[i] - middle) > doubt && (cycles[i] > middle) == (half == 1)) {
                ring[shuffled[found++]] = i;
            }
        }
        t->lines[half] = found;
        t->ring[half] = ring;
        FX_FAIL_IF(found < wanted && !(half == 1 && isinf(t->far_cycles)), err, FX_UNSUPPORTED,
                   "only %u of %u lines could be attributed to one half of the L2", found, wanted);
        FX_TRY(fx_gpu_upload(rig->gpu, t->order[half], ring, found * sizeof *ring, err));
    }
    return fx_gpu_wait(rig->gpu, err);
}

/* Memory, its halves, and lists of `wanted` lines of each. */
static fx_status find_lines(fx_rig *rig, task *t, uint32_t wanted, char **data, fx_error *err) {
    t->bytes = (uint64_t)wanted * FX_LINE_BYTES * 5 / 2 + (4 << 20);
    FX_TRY(fx_rig_memory(rig, data, FX_DEVICE_MEMORY | FX_FILLED, t->bytes, 0, err));
    FX_TRY(find_halves(rig, t, *data, err));
    return list_lines(rig, t, *data, wanted, err);
}

static fx_status arrange_walk(fx_rig *rig, const fx_case *c, task *t, fx_error *err) {
    const int64_t *v = c->params.value;
    const uint32_t lines = (uint32_t)((v[MODE] == LATENCY ? LATENCY_BYTES : v[FOOTPRINT]) / FX_LINE_BYTES);
    walk *w = &t->k.w;
    w->sink = rig->gpu->scratch;
    w->places = v[HOME] == BOTH ? lines / 2 : lines;
    FX_TRY(find_lines(rig, t, w->places, &w->data, err));
    FX_FAIL_IF(v[HOME] == FAR && isinf(t->far_cycles), err, FX_UNSUPPORTED,
               "all SMs wait equally long for all lines of the L2: it has no far half");
    for (int half = 0; half < 2 && t->lines[half] > 0; half++) {
        void *lay_arguments[] = {&w->data, &t->order[half], &w->places};
        FX_TRY(fx_rig_launch(rig, (const void *)lay, two_a_SM(rig), 256, lay_arguments, err));
    }
    FX_TRY_CUDA(cudaStreamSynchronize(rig->gpu->stream));
    rig->warps = 1;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count;
    rig->shared_bytes = rig->gpu->facts.shared_per_block_bytes; /* so much that no SM takes two blocks */
    rig->carveout_pct = 100;
    rig->accesses = FX_CHAIN_STEPS;
    rig->trip_cycles = FX_CHAIN_STEPS * 300.0;
    rig->pass_cycles = LINKS * 300.0;
    return FX_OK;
}

/* An SM of a half, another one each time. */
static part_of choose(const part_of *half, uint64_t seed) {
    part_of chosen = {{0}};
    uint32_t sms[MOST_SMS], count = 0;
    for (uint32_t sm = 0; sm < MOST_SMS; sm++) {
        if (half->bits[sm / 32] >> sm % 32 & 1) {
            sms[count++] = sm;
        }
    }
    if (count > 0) {
        mark(&chosen, sms[fx_random_below(&seed, count)]);
    }
    return chosen;
}

static fx_status touch_lines(fx_rig *rig, walk w, uint32_t ring, bool writes, fx_error *err) {
    return fx_rig_launch(rig, writes ? (const void *)touch<ATOMIC> : (const void *)touch<READ>, two_a_SM(rig),
                         TOUCH_THREADS, fx_arguments{&w, &ring}, err);
}

static fx_status draw_walk(fx_rig *rig, const fx_case *c, task *t, uint64_t seed, fx_error *err) {
    const int64_t *v = c->params.value;
    walk *w = &t->k.w;
    const uint32_t side = isinf(t->far_cycles) ? 0 : (uint32_t)seed & 1, home = v[HOME] == FAR ? 1 - side : side;
    const part_of self = choose(&t->halves[side], seed), other = choose(&t->halves[1 - side], ~seed);
    const part_of nobody = {{0}};
    walk as_other;
    const uint64_t steps = fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, w->places);
    const uint32_t first = (uint32_t)fx_random_below(&seed, w->places);
    w->first = first;
    w->last = (uint32_t)((first + steps) % w->places);
    w->order[0] = t->order[home];
    w->part[0] = self;
    w->order[1] = t->order[1 - home];
    w->part[1] = v[HOME] == BOTH && t->lines[1] > 0 ? other : nobody;
    as_other = *w;
    as_other.part[0] = other;
    if (v[LAST] == OTHER) {
        FX_TRY(fx_gpu_flush_l2(rig->gpu, err));
        return touch_lines(rig, t->lines[1] > 0 ? as_other : *w, 0, false, err);
    }
    FX_TRY(touch_lines(rig, *w, 0, false, err));
    if (v[LAST] == WRITTEN) {
        return touch_lines(rig, t->lines[1] > 0 ? as_other : *w, 0, true, err);
    }
    return v[HOME] == BOTH && t->lines[1] > 0 ? touch_lines(rig, *w, 1, false, err) : FX_OK;
}

/* mode=rate */

static void part(fx_rig *rig, const fx_case *c, int which) {
    task *t = FX_ARGUMENT(rig, task);
    const uint32_t times = (uint32_t)(which + 1);
    if (c->params.value[MODE] == RATE) {
        flow *f = &t->k.f;
        f->rounds = times * t->rounds;
        f->value = f->value * 5 + 1;
        t->pending += f->rounds * RATE_LOADS * RATE_WARPS * FX_WARP * rig->blocks *
                      (c->params.value[TASK] == READ ? f->taken : f->value);
    } else {
        t->k.r.trips = times * t->rounds;
    }
}

static fx_status check_rate(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    flow *f = &t->k.f;
    const int64_t kind = c->params.value[TASK];
    unsigned long long sum = 0;
    const uint32_t wanted = kind == WRITE ? 2 * 8 * f->lines : t->pending;
    t->pending = 0;
    if (kind != READ) {
        FX_TRY(fx_rig_launch(rig, kind == ATOMIC ? (const void *)take_pieces<ATOMIC> : (const void *)take_pieces<WRITE>,
                             256, 256, fx_arguments{f}, err));
    }
    FX_TRY(fx_rig_take_sum(rig, &sum, err));
    FX_FAIL_IF((uint32_t)sum != wanted, err, FX_WRONG_RESULT,
               "what was read or written adds up to %08x, and must be %08x", (unsigned)sum, wanted);
    return FX_OK;
}

static fx_status arrange_rate(fx_rig *rig, const fx_case *c, task *t, fx_error *err) {
    flow *f = &t->k.f;
    uint64_t pieces, seed = 23;
    f->lines = RATE_BYTES / 2 / FX_LINE_BYTES;
    FX_TRY(find_lines(rig, t, f->lines, &f->data, err));
    FX_FAIL_IF(isinf(t->far_cycles), err, FX_UNSUPPORTED,
               "all SMs wait equally long for all lines of the L2: it has no far half");
    const int swapped = c->params.value[HOME] == FAR;
    f->order[0] = t->order[swapped];
    f->order[1] = t->order[1 - swapped];
    f->part = t->halves[0];
    f->taken = 0x9e3779b9u;
    pieces = t->bytes / 16;
    FX_TRY(fx_rig_launch(rig, (const void *)fill_pieces, two_a_SM(rig), 256, fx_arguments{f, &pieces, &seed}, err));
    FX_TRY(fx_rig_sums(rig, &f->sums, err));
    rig->warps = RATE_WARPS;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count;
    rig->shared_bytes = rig->gpu->facts.shared_per_block_bytes;
    rig->carveout_pct = 100;
    t->rounds = 2 * f->lines * 8 / (RATE_WARPS * FX_WARP) / RATE_LOADS;
    rig->units = (double)t->rounds * RATE_LOADS * RATE_WARPS * rig->blocks;
    rig->part = part;
    rig->check = check_rate;
    return FX_OK;
}

/* mode=pair */

static fx_status arrange_pair(fx_rig *rig, task *t, fx_error *err) {
    rivals *r = &t->k.r;
    t->bytes = 64 << 20;
    t->rounds = 64;
    rig->warps = 1;
    rig->blocks = RIVALS;
    rig->units = (double)t->rounds * (double)(PAIR_TRIPS * RIVALS);
    rig->part = part;
    for (int which = 0; which < 2; which++) {
        rig->expected[which] = (unsigned long long)(which + 1) * t->rounds * PAIR_TRIPS * RIVALS;
    }
    FX_TRY(fx_rig_memory(rig, &r->data, FX_DEVICE_MEMORY, t->bytes, 0, err));
    return fx_rig_sums(rig, &r->sums, err);
}

static fx_status draw_pair(fx_rig *rig, const fx_case *c, task *t, uint64_t seed, fx_error *err) {
    rivals *r = &t->k.r;
    r->distance = (uint64_t)c->params.value[DISTANCE];
    r->base = fx_random_below(&seed, t->bytes / 32) * 32 & ~r->distance;
    FX_TRY_CUDA(cudaMemsetAsync(r->data + r->base, 0, 4, rig->gpu->stream));
    return FX_CUDA_STATUS(cudaMemsetAsync(r->data + r->base + r->distance, 0, 4, rig->gpu->stream));
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    const int64_t mode = c->params.value[MODE];
    return mode == RATE   ? arrange_rate(rig, c, t, err)
           : mode == PAIR ? arrange_pair(rig, t, err)
                          : arrange_walk(rig, c, t, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    const int64_t mode = c->params.value[MODE];
    return mode == PAIR                      ? draw_pair(rig, c, t, seed, err)
           : mode == LATENCY || mode == SIZE ? draw_walk(rig, c, t, seed, err)
                                             : FX_OK;
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("mode=latency,size task=read", FX_K(chase, READ), {"LDG.E.64.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_TIMED("mode=latency task=atomic", FX_K(chase, ATOMIC), {"ATOMG.E.ADD.64.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_TIMED("mode=rate task=read", FX_K(stream, READ), {"LDG.E.128.STRONG.GPU", 8}, {"LDG.E", 8},
             {"RED.E.ADD.64.STRONG.GPU", 1}),
    FX_TIMED("mode=rate task=atomic", FX_K(stream, ATOMIC), {"RED.E.ADD.STRONG.GPU", 8}, {"LDG.E", 8}),
    FX_TIMED("mode=rate task=write", FX_K(stream, WRITE), {"STG.E.128", 8}, {"LDG.E", 8}),
    FX_TIMED("mode=pair", FX_K(crowd_pair), {"RED.E.ADD.STRONG.GPU", 64}),
    FX_CHECKED("mode=pair", FX_K(take_pair)),
    FX_AIDED("mode=latency,size,rate", FX_K(map_sms), {"ATOMG.E.ADD.STRONG.GPU", 4}),
    FX_AIDED("mode=latency,size,rate", FX_K(map_lines), {"ATOMG.E.ADD.STRONG.GPU", 4}),
    FX_AIDED("mode=latency,size", FX_K(lay)),
    FX_AIDED("mode=latency,size", FX_K(touch, READ)),
    FX_AIDED("mode=latency last=written", FX_K(touch, ATOMIC)),
    FX_AIDED("mode=rate", FX_K(fill_pieces)),
    FX_AIDED("mode=rate task=atomic", FX_K(take_pieces, ATOMIC)),
    FX_AIDED("mode=rate task=write", FX_K(take_pieces, WRITE)),
};

FX_PROBE(l2_home, .question = "Where does a line of the L2 live, and what does it cost to be far from it?",
         .method_version = 1, FX_PARTS, .supported = supported, .draw = FX_GPU(draw), FX_TABLE(searches), .once = true)
