#define FX_WITH_CUDA /* so that the tables below have addresses */
#include "scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"

enum { WAY, PLACE };

static const fx_axis axes[] = {{"way", "", "", "chain rate read write bare own", 0, 0, CHAIN},
                               {"place", "", "", NULL, 0, 3, 0}};

scratch_faults fault;
fx_gpu gpu;

typedef struct word_task {
    uint32_t *data;
    unsigned long long *sums;
    uint64_t seed;
    uint32_t first, count;
} word_task;

/* A chain or a rate: clock reads of warps that cost COST cycles per access. */
static void tick(const fake_launch *l) {
    const fx_timed *timed = l->arguments[0];
    const word_task *t = l->arguments[1];
    const unsigned warps = l->block.x / FX_WARP;
    for (unsigned w = 0; w < l->grid.x * warps && !fault.unwritten; w++) {
        fx_timed_warp *here = &timed->warps[w];
        uint64_t now = 1000;
        memset(here, 0, sizeof *here);
        here->last_ns = 100000;
        here->last_cycles = 180000;
        here->sm = l->stream ? (uint32_t)(uintptr_t)l->stream : fault.sms > 0 ? w / warps % fault.sms : 7;
        here->wrong = fault.wrong_lane && w == 0;
        for (uint32_t i = 0; t->data && i < WORDS; i++) { /* filled for this very sample? */
            here->wrong += t->data[i] != fx_random_word(t->seed, i) && here->wrong < FX_WARP;
        }
        for (uint32_t p = 0; p < timed->passes; p++) {
            now += (uint64_t)timed->trips[p] * ACCESSES * COST * warps + 5;
            here->stop[p] = now;
        }
    }
}

static void add(const fake_launch *l) {
    const word_task *t = l->arguments[0];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        t->sums[i % FX_SUMS] += t->data[i];
    }
    t->sums[0] += fault.lost_word;
    fake.clock_ns += LAUNCH_NS + (double)t->count * UNIT_NS + fault.later_ns * fault.launches++;
}

static void expect_words(const fake_launch *l) {
    const word_task *t = l->arguments[0];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        t->sums[0] += fx_random_word(FX_FILL_SEED, i);
    }
}

static void put(const fake_launch *l) {
    const word_task *t = l->arguments[0];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        t->data[i] = (uint32_t)t->seed;
    }
    t->data[t->first] += fault.unstored;
    fake.clock_ns += LAUNCH_NS + (double)t->count * UNIT_NS;
}

static void count_wrong(const fake_launch *l) {
    const word_task *t = l->arguments[0];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        t->sums[0] += t->data[i] != (uint32_t)t->seed;
    }
}

static void part(fx_rig *rig, const fx_case *c, int which) {
    word_task *t = FX_ARGUMENT(rig, word_task);
    t->count = WORDS / 4 * (1 + (uint32_t)which);
    t->first = which == 0 ? 0 : WORDS / 4;
    rig->blocks = 1 + (unsigned)which;
}

static fx_status launch_bare(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    fake.clock_ns += LAUNCH_NS + (1 + which) * 1000.0 * UNIT_NS;
    return FX_OK;
}

/* A sample of the probe's own, around an event of the rig's. */
static fx_status sample_own(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    cudaEvent_t event = *FX_ARGUMENT(rig, cudaEvent_t);
    fx_status status = FX_OK;
    assert_int_equal(seed, 1000);
    FX_CUDA(cudaEventRecord(event, rig->gpu->stream));
    FX_CUDA(cudaStreamSynchronize(rig->gpu->stream));
    out->value = 42;
cleanup:
    return status;
}

void give_back_token(fx_rig *rig, void *what, size_t bytes) {
    assert_ptr_equal(what, &fault);
    fault.given_back++;
}

static fx_status arrange_pair(fx_rig *rig, fx_error *err) {
    word_task *t = FX_ARGUMENT(rig, word_task);
    const fx_status status = fx_rig_dram(rig, &t->data, FX_FILLED, WORDS * sizeof *t->data, 64, err);
    rig->warps = 8;
    rig->cold = true;
    rig->units = WORDS / 4;
    rig->part = part;
    return status != FX_OK ? status : fx_rig_sums(rig, &t->sums, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    word_task *t = FX_ARGUMENT(rig, word_task);
    const int64_t way = c->params.value[WAY];
    assert_non_null(rig->work);
    assert_null(t->data); /* zeroed */
    if (fault.fail_arrange == 1) {
        return fx_fail(err, FX_UNSUPPORTED, "not today");
    }
    fx_status status = fx_rig_keep(rig, &fault, give_back_token, err);
    if (status != FX_OK) {
        return status;
    }
    if (way == READ || way == WRITE) {
        status = arrange_pair(rig, err);
    } else if (way == OWN) {
        rig->sample = c->params.value[PLACE] == 0 ? sample_own : NULL;
        status = fx_rig_event(rig, FX_ARGUMENT(rig, cudaEvent_t), err);
    } else if (way == BARE) {
        rig->units = 1000;
        rig->launch = c->params.value[PLACE] == 0 ? launch_bare : NULL;
    } else {
        rig->warps = way == CHAIN ? 1 : 32;
        rig->blocks = c->params.value[PLACE] == 2 ? 64 : c->params.value[PLACE] == 3 ? 4 : 1;
        rig->cluster = c->params.value[PLACE] == 3 ? 4 : 1;
        rig->shared_bytes = 1024;
        rig->carveout_pct = 100;
        rig->accesses = ACCESSES;
        rig->trip_cycles = ACCESSES * COST * rig->warps;
        status = way == CHAIN
                     ? FX_OK
                     : fx_rig_memory(rig, &t->data, FX_DEVICE_MEMORY | FX_REFILLED, WORDS * sizeof *t->data, 4096, err);
    }
    if (status == FX_OK && fault.fail_arrange == 2) {
        status = fx_fail(err, FX_UNSUPPORTED, "not today either");
    }
    return status;
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    word_task *t = FX_ARGUMENT(rig, word_task);
    t->seed = c->params.value[WAY] == READ ? FX_FILL_SEED : seed;
    return FX_OK;
}

static const fx_kernel kernels[] = {
    {"way=chain,rate place=0:3", FX_K(tick), FX_WORK, 0, {{"LDS", 61}}},
    {"way=read place=0", FX_K(add), FX_WORK, 0, {{"LDG.E", 8}}},
    {"way=read", FX_K(expect_words), FX_EXPECT, 0, {{0}}},
    {"way=write place=0", FX_K(put), FX_WORK, 0, {{"STG.E", 8}}},
    {"way=write", FX_K(count_wrong), FX_CHECK, 0, {{0}}},
    {"way=bare,own", FX_NO_KERNEL, FX_WORK, 0, {{0}}},
};

static const fx_probe probe = {.name = "scratch", FX_TABLE(axes), .arrange = arrange, .draw = draw, FX_TABLE(kernels)};

fx_case case_of(int64_t way, int64_t place) {
    return (fx_case){.probe = &probe, .name = "scratch", .params = {.value = {way, place}}};
}

int fresh_device(void **state) {
    memset(&fault, 0, sizeof fault);
    fake = (fake_device){
        .free_bytes = 1 << 20, .flush_ns = 20000, .sm_MHz = 1755, .failure = cudaErrorMemoryAllocation, .tick_ns = 2};
    gpu = (fx_gpu){
        .timer_tick_ns = 32, .event_tick_ns = 2, .flush_bytes = 100000, .facts = {.sm_count = 4, .l2_bytes = 512}};
    fx_error err = {0};
    assert_int_equal(fx_pool_open(&gpu, &err), FX_OK);
    fake.flushes = fake.calls = 0;
    return 0;
}

int nothing_is_left(void **state) {
    fx_pool_close(&gpu);
    assert_int_equal(fake.live, 0);
    return 0;
}

fx_sample nothing_known(void) {
    return (fx_sample){
        .value = (double)NAN, .intercept = (double)NAN, .t_n = (double)NAN, .sm_clock_MHz = (double)NAN, .sm = -1};
}

fx_status run(const fx_case *c, unsigned samples, fx_sample *out, fx_launched *ran, fx_error *err) {
    void *rig;
    fx_sample sample = nothing_known();
    fx_status status = fx_rig_open(&gpu, c, &rig, err);
    if (status != FX_OK) {
        return status;
    }
    for (unsigned i = 0; i < samples && status == FX_OK; i++) {
        sample = nothing_known();
        status = fx_rig_sample(rig, 1000 + i, &sample, err);
    }
    if (ran) {
        *ran = (fx_launched){.registers = -1, .shared_bytes = -1};
        fx_rig_ran(rig, ran);
    }
    if (out) {
        *out = sample;
    }
    fx_rig_close(rig);
    return status;
}

void run_fine(const fx_case *c, unsigned samples, fx_sample *out, fx_launched *ran) {
    fx_error err = {0};
    if (run(c, samples, out, ran, &err) != FX_OK) {
        fail_msg("%s", err.text);
    }
}

/* The groups of the device: clusters fit only into the even ones. */
size_t fx_sm_groups_for(const fx_sm_groups *groups, const void *kernel, unsigned cluster, unsigned threads,
                        size_t shared_bytes, unsigned char out[FX_MAX_SM_GROUPS]) {
    size_t count = 0;
    assert_ptr_equal(kernel, tick);
    assert_true(threads % 32 == 0 && shared_bytes == 1024);
    for (size_t i = 0; i < groups->count; i += cluster == 1 ? 1 : 2) {
        out[count++] = (unsigned char)i;
    }
    return count;
}
