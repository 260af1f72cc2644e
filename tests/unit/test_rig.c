/* A case's life without a GPU: the rig runs kernels of a stand-in for the CUDA runtime (tests/fake_cuda), whose truth
 * is planted and whose every call can fail. Under the address sanitizer what leaks is seen twice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FX_WITH_CUDA /* so that the tables below have addresses */
#include "core/random.h"
#include "fake_cuda.h"
#include "gpu/host_memory.h"
#include "gpu/rig.h"

enum { WAY, PLACE };
enum { CHAIN, RATE, READ, WRITE, BARE, OWN };
enum { WORDS = 1024, UNIT_NS = 10, LAUNCH_NS = 3000, COST = 30, ACCESSES = 61 };

static const fx_axis axes[] = {{"way", "", "", "chain rate read write bare own", 0, 0, CHAIN},
                               {"place", "", "", NULL, 0, 3, 0}};

/* Faults that a test plants. */
static struct {
    bool unwritten, wrong_lane, lost_word, unstored;
    unsigned sms;
    int fail_arrange; /* 1: before, 2: after it has memory */
    unsigned given_back;
} fault;

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
    fake.clock_ns += LAUNCH_NS + (double)t->count * UNIT_NS;
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
    (void)c;
    t->count = WORDS / 4 * (1 + (uint32_t)which);
    t->first = which == 0 ? 0 : WORDS / 4;
    rig->blocks = 1 + (unsigned)which;
}

static fx_status launch_bare(fx_rig *rig, const fx_case *c, int which, fx_error *err) {
    (void)rig, (void)c, (void)err;
    fake.clock_ns += LAUNCH_NS + (1 + which) * 1000.0 * UNIT_NS;
    return FX_OK;
}

/* A sample of the probe's own, around an event of the rig's. */
static fx_status sample_own(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    cudaEvent_t event = *FX_ARGUMENT(rig, cudaEvent_t);
    fx_status status = FX_OK;
    (void)c;
    assert_int_equal(seed, 1000);
    FX_CUDA(cudaEventRecord(event, rig->gpu->stream));
    FX_CUDA(cudaStreamSynchronize(rig->gpu->stream));
    out->value = 42;
cleanup:
    return status;
}

static void give_back_token(fx_rig *rig, void *what, size_t bytes) {
    (void)rig, (void)bytes;
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
    (void)err;
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

static fx_gpu gpu;

static fx_case case_of(int64_t way, int64_t place) {
    return (fx_case){.probe = &probe, .name = "scratch", .params = {.value = {way, place}}};
}

static int fresh_device(void **state) {
    (void)state;
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

/* Nothing of a case may be left, and of the device only what the pool holds. */
static int nothing_is_left(void **state) {
    (void)state;
    fx_pool_close(&gpu);
    assert_int_equal(fake.live, 0);
    return 0;
}

static fx_sample nothing_known(void) {
    return (fx_sample){
        .value = (double)NAN, .intercept = (double)NAN, .t_n = (double)NAN, .sm_clock_MHz = (double)NAN, .sm = -1};
}

/* Opens the case, takes `samples` samples and closes it; *ran and *out may be NULL. */
static fx_status run(const fx_case *c, unsigned samples, fx_sample *out, fx_ran *ran, fx_error *err) {
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
        *ran = (fx_ran){.registers = -1, .shared_bytes = -1};
        fx_rig_ran(rig, ran);
    }
    if (out) {
        *out = sample;
    }
    fx_rig_close(rig);
    return status;
}

static void run_fine(const fx_case *c, unsigned samples, fx_sample *out, fx_ran *ran) {
    fx_error err = {0};
    if (run(c, samples, out, ran, &err) != FX_OK) {
        fail_msg("%s", err.text);
    }
}

static void test_chain(void **state) {
    const fx_case c = case_of(CHAIN, 0);
    fx_sample sample;
    fx_ran ran;
    (void)state;
    run_fine(&c, 3, &sample, &ran);
    assert_true(sample.value == COST);
    assert_true(sample.intercept == 5);
    assert_true(sample.t_n == ran.units_n * COST + 5);
    assert_true(sample.sm_clock_MHz == 1800);
    assert_int_equal(sample.flags, 0);
    assert_string_equal(ran.kernel, "tick");
    assert_int_equal(ran.registers, 40);
    assert_int_equal(ran.blocks, 1);
    assert_int_equal(ran.threads, 32);
    assert_int_equal(ran.shared_bytes, 512 + 1024);
    assert_int_equal(ran.sm_count, 1);
    assert_int_equal(ran.sms[0], 7);
    assert_int_equal(ran.buffer_count, 0);
    assert_int_equal(ran.dram_bytes, 0);
    assert_int_equal(fake.carveout_pct, 100);
    assert_int_equal(fault.given_back, 1);
}

static void test_rate_and_its_memory(void **state) {
    const fx_case c = case_of(RATE, 0);
    fx_sample sample;
    fx_ran ran;
    (void)state;
    run_fine(&c, 2, &sample, &ran); /* the kernel finds words of each sample's seed */
    assert_true(fabs(sample.value - COST) < 0.01 && isnan(sample.t_n) && isnan(sample.intercept));
    assert_true(ran.units_n == 0);
    assert_int_equal(ran.buffer_count, 1);
    assert_int_equal(ran.buffers[0].bytes, WORDS * 4);
    assert_int_equal(ran.buffers[0].address_low21 % 4096, 0); /* as aligned as was asked */
}

static void test_grids_and_clusters(void **state) {
    fx_case c = case_of(CHAIN, 2);
    fx_sample sample;
    fx_ran ran;
    (void)state;
    fault.sms = 3;
    run_fine(&c, 4, &sample, &ran);
    assert_true(sample.value == COST);
    assert_int_equal(ran.blocks, 64);
    assert_int_equal(ran.sm_count, 3);
    fault.sms = 64;
    run_fine(&c, 2, &sample, &ran);
    assert_int_equal(ran.sm_count, 0); /* too many to tell */
    c = case_of(CHAIN, 3);
    run_fine(&c, 1, &sample, &ran);
    assert_int_equal(ran.blocks, 4);
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

/* Samples of a case of this place, and on which SMs they came to be, the stream's number standing for the SM. */
static size_t samples_on(int64_t place, unsigned samples, int sms[], fx_ran *ran) {
    const fx_case c = case_of(CHAIN, place);
    fx_error err = {0};
    void *out;
    assert_int_equal(fx_rig_open(&gpu, &c, &out, &err), FX_OK);
    fx_rig *rig = out;
    const size_t round = rig->group_count;
    for (unsigned i = 0; i < samples; i++) {
        fx_sample sample = nothing_known();
        assert_int_equal(fx_rig_sample(rig, i, &sample, &err), FX_OK);
        assert_ptr_equal(gpu.stream, NULL); /* only while it was taken */
        sms[i] = sample.sm;
    }
    *ran = (fx_ran){0};
    fx_rig_ran(rig, ran);
    fx_rig_close(rig);
    return round;
}

static void test_one_block_visits_groups_in_turn(void **state) {
    int sms[8];
    fx_ran ran;
    (void)state;
    assert_int_equal(samples_on(0, 2, sms, &ran), 0); /* a device without groups */
    assert_int_equal(sms[1], 7);
    gpu.sm_groups.count = 4;
    for (uintptr_t i = 0; i < 4; i++) {
        gpu.sm_groups.stream[i] = (cudaStream_t)(20 + i);
    }
    assert_int_equal(samples_on(0, 8, sms, &ran), 4);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(sms[i], 20 + i % 4);
    }
    assert_int_equal(ran.sm_count, 4);
    assert_int_equal(samples_on(3, 4, sms, &ran), 2); /* a cluster, where it fits */
    assert_true(sms[0] == 20 && sms[1] == 22 && sms[2] == 20);
    assert_int_equal(samples_on(2, 1, sms, &ran), 0); /* 64 blocks are everywhere */
    assert_int_equal(sms[0], -1);
    gpu.one_sm = true;
    assert_int_equal(samples_on(0, 2, sms, &ran), 0);
    assert_int_equal(sms[1], 7);
}

static void test_pairs(void **state) {
    fx_case c = case_of(READ, 0);
    fx_sample sample;
    fx_ran ran;
    (void)state;
    run_fine(&c, 3, &sample, &ran);
    assert_int_equal(fake.flushes, 6); /* cold: before each launch */
    assert_true(fabs(sample.value - UNIT_NS) < 0.02);
    assert_true(fabs(sample.t_n - (WORDS / 4 * UNIT_NS + LAUNCH_NS)) < 2000); /* and the event's own time */
    assert_int_equal(sample.flags, 0);
    assert_string_equal(ran.kernel, "add");
    assert_int_equal(ran.blocks, 1); /* of the shorter launch */
    assert_int_equal(ran.threads, 256);
    assert_true(ran.units_n == WORDS / 4);
    assert_int_equal(ran.dram_bytes, WORDS * 4);
    assert_int_equal(ran.buffers[0].bytes, WORDS * 4 + 64);
    c = case_of(WRITE, 0);
    run_fine(&c, 3, &sample, NULL);
    assert_true(fabs(sample.value - UNIT_NS) < 0.02);
    c = case_of(BARE, 0);
    run_fine(&c, 3, &sample, &ran);
    assert_true(fabs(sample.value - UNIT_NS) < 0.02);
    assert_string_equal(ran.kernel, "");
}

/* The clock of an SM beside launches that fill the device: from kernels before and after, on one and the same SM. */
static void test_pairs_know_the_clock(void **state) {
    (void)state;
    for (int64_t way = READ; way <= BARE; way++) {
        const fx_case c = case_of(way, 0);
        fx_sample fast, slow, sample;
        fake.stamps = 0;
        run_fine(&c, 3, &fast, NULL);
        assert_int_equal(fake.stamps, 6); /* around the longer launch alone */
        assert_true(fabs(fast.sm_clock_MHz - 1755) < 0.5);
        fake.sm_MHz = 1700; /* 3 % less: clock_moved can fire */
        run_fine(&c, 1, &slow, NULL);
        assert_true(fabs(slow.sm_clock_MHz - 1700) < 0.5);
        assert_true(fabs(slow.value - fast.value) < 0.02);
        fake.strange_sms = 4;
        run_fine(&c, 1, &sample, NULL);
        assert_true(isnan(sample.sm_clock_MHz)); /* no SM in both */
        fake.strange_sms = 1;
        run_fine(&c, 1, &sample, NULL);
        assert_true(fabs(sample.sm_clock_MHz - 1700) < 0.5);
        fake.strange_sms = 0;
        gpu.timer_tick_ns = 1000;
        run_fine(&c, 1, &sample, NULL);
        assert_true(isnan(sample.sm_clock_MHz)); /* too few ticks for half a percent */
        assert_int_equal(sample.flags, 0);       /* which says nothing of the time, by other clocks */
        gpu.timer_tick_ns = 32;
        fake.sm_MHz = 1755;
    }
}

static void test_clock_reads_of_one_sm(void **state) {
    const fx_stamp before[] = {{.cycles = 900, .ns = 0, .sm = 9}, {.cycles = 5000, .ns = 100, .sm = 3}};
    const fx_stamp after[] = {{.cycles = 25000, .ns = 10100, .sm = 3}, {.cycles = 22900, .ns = 10000, .sm = 9}};
    const fx_stamp back[] = {{.cycles = 4000, .ns = 10100, .sm = 3}, {.cycles = 25000, .ns = 0, .sm = 9}};
    double scratch[2];
    (void)state;
    assert_true(fx_stamps_MHz(before, after, 2, 25, scratch) == 2100); /* 2000 and 2200, in 10 us of 400 ticks */
    assert_true(isnan(fx_stamps_MHz(before, after, 2, 25.01, scratch)));
    assert_true(isnan(fx_stamps_MHz(before, after, 1, 25, scratch))); /* SM 9 against SM 3 */
    assert_true(isnan(fx_stamps_MHz(before, back, 2, 1, scratch)));   /* clocks that ran backwards, or stood */
}

/* What goes before a copy goes its way: small before small, the engine's before the engine's. */
static void test_primes(void **state) {
    (void)state;
    for (size_t size = 4; size <= 1 << 30; size *= 2) {
        for (size_t pieces = 1; pieces <= 256 && pieces * 4 <= size; pieces *= 2) {
            const size_t piece = size / pieces, prime = fx_prime_bytes(size, piece);
            assert_int_equal(prime < FX_LEAST_ENGINE_BYTES, piece < FX_LEAST_ENGINE_BYTES);
            assert_true(prime <= FX_MOST_PRIME_BYTES && prime <= size && prime % 4 == 0);
        }
        assert_int_equal(fx_prime_bytes(size, size), size < FX_MOST_PRIME_BYTES ? size : FX_MOST_PRIME_BYTES);
    }
}

static void test_samples_of_ones_own(void **state) {
    const fx_case c = case_of(OWN, 0);
    fx_sample sample;
    (void)state;
    run_fine(&c, 1, &sample, NULL);
    assert_true(sample.value == 42 && isnan(sample.t_n));
}

static void test_few_ticks_are_flagged(void **state) {
    const fx_case c = case_of(READ, 0);
    fx_sample sample;
    (void)state;
    gpu.event_tick_ns = fake.tick_ns = WORDS / 4 * UNIT_NS / 49.0;
    run_fine(&c, 1, &sample, NULL);
    assert_int_equal(sample.flags, FX_SAMPLE_TIMER_RESOLUTION);
    fx_error err = {0};
    double tick_ns;
    fake.tick_ns = 512;
    assert_int_equal(fx_event_tick(&gpu, &tick_ns, &err), FX_OK);
    assert_true(fabs(tick_ns - 500) < 13); /* no step is that small: the manual's */
    fake.tick_ns = 32;
    assert_int_equal(fx_event_tick(&gpu, &tick_ns, &err), FX_OK);
    assert_true(fabs(tick_ns - 32) < 1);
}

static void refused(int64_t way, int64_t place, fx_status status, const char *text) {
    const fx_case c = case_of(way, place);
    fx_error err = {0};
    if (run(&c, 1, NULL, NULL, &err) != status || !strstr(err.text, text)) {
        fail_msg("status %d: %s", (int)err.status, err.text);
    }
}

static void test_wrong_results_are_no_numbers(void **state) {
    (void)state;
    fault.unwritten = true;
    refused(CHAIN, 0, FX_WRONG_RESULT, "wrote no record for 1 of its 1 warps");
    fault.unwritten = false;
    fault.wrong_lane = true;
    refused(RATE, 0, FX_WRONG_RESULT, "1 lanes of 1024 differ");
    fault.lost_word = true;
    refused(READ, 0, FX_WRONG_RESULT, "the sum of what was read is not the sum of what was written (");
    fault.unstored = true;
    refused(WRITE, 0, FX_WRONG_RESULT,
            "memory does not hold what the kernel stored there (00000001, and it must be 00000000)");
}

static void test_refusals(void **state) {
    (void)state;
    fault.fail_arrange = 1;
    refused(CHAIN, 0, FX_UNSUPPORTED, "not today");
    fault.fail_arrange = 2;
    refused(RATE, 0, FX_UNSUPPORTED, "not today either");
    assert_int_equal(fault.given_back, 1);
    fault.fail_arrange = 0;
    refused(READ, 1, FX_UNSUPPORTED, "no kernel of probe scratch serves this case");
    refused(BARE, 1, FX_BAD_INPUT, "a case without a kernel sets rig->launch or rig->sample");
    refused(OWN, 1, FX_BAD_INPUT, "a case without a kernel sets rig->launch or rig->sample");
    fake.local_bytes = 8;
    refused(CHAIN, 0, FX_WRONG_RESULT, "8 bytes of local memory per thread");
    fake.local_bytes = 0;
    gpu.facts.l2_bytes = 1 << 20;
    refused(READ, 0, FX_NO_MEMORY, "1048576 bytes of free device memory are too few to get past the L2");
}

/* Every call fails once, at opening and in the second sample; the case says so, and leaves nothing behind. */
static void test_each_call_may_fail(void **state) {
    (void)state;
    for (int64_t way = CHAIN; way <= OWN; way++) {
        const fx_case c = case_of(way, 0);
        unsigned failed = 0;
        for (;;) {
            fx_error err = {0};
            fx_pool_close(&gpu);
            fresh_device(NULL);
            fake.failing_call = ++failed;
            const fx_status status = run(&c, way == OWN ? 1 : 2, NULL, NULL, &err);
            if (fake.calls < failed) {
                assert_int_equal(status, FX_OK);
                break;
            }
            if (status != FX_NO_MEMORY || !strstr(err.text, "out of memory")) {
                fail_msg("way %d, call %u: status %d, '%s'", (int)way, failed, (int)status, err.text);
            }
            fx_pool_close(&gpu);
            if (fake.live > 0) {
                fail_msg("way %d: %u pieces are left after call %u failed", (int)way, fake.live, failed);
            }
        }
        assert_true(failed > (way == OWN ? 3 : 8));
    }
}

static void test_a_lost_device_is_said(void **state) {
    (void)state;
    fake.failure = cudaErrorIllegalAddress;
    fake.failing_call = 3;
    refused(CHAIN, 0, FX_DEVICE_LOST, "the device is lost to this process");
}

/* Room for 48 pieces: the next is refused, and still given back. */
static void test_pieces_are_counted(void **state) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_error err = {0};
    void *memory;
    (void)state;
    rig->gpu = &gpu;
    for (int i = 0; i < FX_RIG_PIECES; i++) {
        const unsigned kinds[] = {FX_DEVICE_MEMORY, FX_PINNED_MEMORY, FX_HOST_MEMORY};
        assert_int_equal(fx_rig_memory(rig, &memory, kinds[i % 3], 100, 0, &err), FX_OK);
    }
    assert_int_equal(fx_rig_keep(rig, &fault, give_back_token, &err), FX_BAD_INPUT);
    assert_int_equal(fault.given_back, 1);
    assert_int_equal(fx_rig_memory(rig, &memory, FX_HOST_MEMORY, 100, 0, &err), FX_BAD_INPUT);
    assert_non_null(strstr(err.text, "more than 48 pieces"));
    fx_rig_close(rig);
    fx_rig_close(NULL);
}

static void test_the_pool_lends_one_buffer(void **state) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_error err = {0};
    void *one, *two;
    (void)state;
    rig->gpu = &gpu;
    assert_int_equal(fx_rig_memory(rig, &one, FX_POOL_MEMORY, 100, 0, &err), FX_OK);
    assert_int_equal(fx_rig_memory(rig, &two, FX_POOL_MEMORY, 100, 0, &err), FX_BAD_INPUT);
    fx_rig_close(rig);
    assert_int_equal(fake.live, 1 + 2 /* events */); /* the pool keeps it ... */
    assert_int_equal(fx_pool_borrow(&gpu, 50, &two, &err), FX_OK);
    assert_ptr_equal(two, one); /* ... and lends it again */
    size_t room;
    assert_int_equal(fx_pool_room(&gpu, &room, &err), FX_OK);
    assert_int_equal(room, fake.free_bytes + 100);
}

/* After much was freed the next pair waits until memory is as fast again as it was at rest, and not for a known time.
 */
static void test_clearing_is_waited_for(void **state) {
    const fx_case c = case_of(READ, 0);
    fx_error err = {0};
    (void)state;
    assert_int_equal(fx_memory_settle(&gpu, &err), FX_OK);
    assert_int_equal(fake.flushes, 0); /* nothing was freed */
    fx_memory_free(&gpu, NULL, 1 << 30);
    fx_memory_free(&gpu, calloc(1, 10), 10);
    fake.live++;
    assert_int_equal(fx_memory_settle(&gpu, &err), FX_OK);
    assert_int_equal(fake.flushes, 0); /* too little to see */
    fake.live++;
    fx_memory_free(&gpu, calloc(1, 10), 1 << 30);
    fake.slow_flushes = 500;
    run_fine(&c, 1, NULL, NULL);
    assert_int_equal(fake.slow_flushes, 0);
    assert_in_range(fake.flushes, 524, 540);
    fake.flushes = 0;
    run_fine(&c, 1, NULL, NULL);
    assert_int_equal(fake.flushes, 2); /* once */
    fake.live++;
    fx_memory_free(&gpu, calloc(1, 10), 1 << 30);
    fake.flush_ns *= 2; /* a device that clocked down: it is no waiting for that */
    run_fine(&c, 1, NULL, NULL);
}

/* What is arranged can be tried, to find out how long it should take. */
static void test_trials(void **state) {
    (void)state;
    for (int64_t way = CHAIN; way <= BARE; way++) {
        const fx_case c = case_of(way, 0);
        fx_error err = {0};
        double cost = 0;
        void *rig;
        assert_int_equal(fx_rig_open(&gpu, &c, &rig, &err), FX_OK);
        assert_int_equal(fx_rig_trial(rig, &cost, &err), FX_OK);
        const double ns = LAUNCH_NS + UNIT_NS * (way == BARE ? 1000 : WORDS / 4);
        if (way <= RATE ? fabs(cost - COST) > 0.01 : !(cost > ns && cost < ns + 2500)) {
            fail_msg("way %d: a trial costs %g", (int)way, cost);
        }
        fx_sample sample = nothing_known(); /* a trial's sums do not stay behind */
        if (fx_rig_sample(rig, 5, &sample, &err) != FX_OK) {
            fail_msg("way %d: %s", (int)way, err.text);
        }
        fx_rig_close(rig);
    }
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, fresh_device, nothing_is_left)

int main(void) {
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_chain),
        RIG_TEST(test_rate_and_its_memory),
        RIG_TEST(test_grids_and_clusters),
        RIG_TEST(test_one_block_visits_groups_in_turn),
        RIG_TEST(test_pairs),
        RIG_TEST(test_pairs_know_the_clock),
        RIG_TEST(test_clock_reads_of_one_sm),
        RIG_TEST(test_primes),
        RIG_TEST(test_samples_of_ones_own),
        RIG_TEST(test_few_ticks_are_flagged),
        RIG_TEST(test_wrong_results_are_no_numbers),
        RIG_TEST(test_refusals),
        RIG_TEST(test_each_call_may_fail),
        RIG_TEST(test_a_lost_device_is_said),
        RIG_TEST(test_pieces_are_counted),
        RIG_TEST(test_the_pool_lends_one_buffer),
        RIG_TEST(test_clearing_is_waited_for),
        RIG_TEST(test_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
