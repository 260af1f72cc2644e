/* A case's life without a GPU: the rig runs kernels of a stand-in for the CUDA runtime (tests/fake_cuda), whose truth
 * is planted, and so are its faults. Under the address sanitizer what leaks is seen twice. */
#include "unit.h"

#include <math.h>

#include "gpu/host_memory.h"
#include "gpu/rig_objects.h"
#include "scratch.h"

RIG_TEST(test_chain) {
    const fx_case c = case_of(CHAIN, 0);
    fx_sample sample;
    fx_launched ran;
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

RIG_TEST(test_rate_and_its_memory) {
    const fx_case c = case_of(RATE, 0);
    fx_sample sample;
    fx_launched ran;
    run_fine(&c, 2, &sample, &ran); /* the kernel finds words of each sample's seed */
    assert_true(fabs(sample.value - COST) < 0.01 && isnan(sample.t_n) && isnan(sample.intercept));
    assert_true(ran.units_n == 0);
    assert_int_equal(ran.buffer_count, 1);
    assert_int_equal(ran.buffers[0].bytes, WORDS * 4);
    assert_int_equal(ran.buffers[0].address_low21 % 4096, 0); /* as aligned as was asked */
}

RIG_TEST(test_grids_and_clusters) {
    fx_case c = case_of(CHAIN, 2);
    fx_sample sample;
    fx_launched ran;
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

/* Samples of a case of this place, and on which SMs they came to be, the stream's number standing for the SM. */
static size_t samples_on(int64_t place, unsigned samples, int sms[], fx_launched *ran) {
    const fx_case c = case_of(CHAIN, place);
    fx_error err = {0};
    void *out;
    assert_ok(fx_rig_open(&gpu, &c, &out, &err));
    fx_rig *rig = out;
    const size_t round = rig->group_count;
    for (unsigned i = 0; i < samples; i++) {
        fx_sample sample = nothing_known();
        assert_ok(fx_rig_sample(rig, i, &sample, &err));
        assert_ptr_equal(gpu.stream, NULL); /* only while it was taken */
        sms[i] = sample.sm;
    }
    *ran = (fx_launched){0};
    fx_rig_ran(rig, ran);
    fx_rig_close(rig);
    return round;
}

RIG_TEST(test_one_block_visits_groups_in_turn) {
    int sms[8];
    fx_launched ran;
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

RIG_TEST(test_pairs) {
    fx_case c = case_of(READ, 0);
    fx_sample sample;
    fx_launched ran;
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

/* The shorter and the longer launch take turns in coming first: what rises from launch to launch is no bias. */
RIG_TEST(test_pairs_take_turns) {
    const fx_case c = case_of(READ, 0);
    fx_sample first, second;
    fault.later_ns = 512;
    run_fine(&c, 1, &first, NULL);
    run_fine(&c, 2, &second, NULL);
    assert_true(fabs(first.value - second.value) > 3);
    assert_true(fabs((first.value + second.value) / 2 - UNIT_NS) < 0.1);
}

/* The clock of an SM beside launches that fill the device: from kernels before and after, on one and the same SM. */
RIG_TEST(test_pairs_know_the_clock) {
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

RIG_TEST(test_clock_reads_of_one_sm) {
    const fx_stamp before[] = {{.cycles = 900, .ns = 0, .sm = 9}, {.cycles = 5000, .ns = 100, .sm = 3}};
    const fx_stamp after[] = {{.cycles = 25000, .ns = 10100, .sm = 3}, {.cycles = 22900, .ns = 10000, .sm = 9}};
    const fx_stamp back[] = {{.cycles = 4000, .ns = 10100, .sm = 3}, {.cycles = 25000, .ns = 0, .sm = 9}};
    double scratch[2];
    assert_true(fx_stamps_MHz(before, after, 2, 25, scratch) == 2100); /* 2000 and 2200, in 10 us of 400 ticks */
    assert_true(isnan(fx_stamps_MHz(before, after, 2, 25.01, scratch)));
    assert_true(isnan(fx_stamps_MHz(before, after, 1, 25, scratch))); /* SM 9 against SM 3 */
    assert_true(isnan(fx_stamps_MHz(before, back, 2, 1, scratch)));   /* clocks that ran backwards, or stood */
}

/* What goes before a copy goes its way: small before small, the engine's before the engine's. */
RIG_TEST(test_primes) {
    for (size_t size = 4; size <= 1 << 30; size *= 2) {
        for (size_t pieces = 1; pieces <= 256 && pieces * 4 <= size; pieces *= 2) {
            const size_t piece = size / pieces, prime = fx_prime_bytes(size, piece);
            assert_int_equal(prime < FX_LEAST_ENGINE_BYTES, piece < FX_LEAST_ENGINE_BYTES);
            assert_true(prime <= FX_MOST_PRIME_BYTES && prime <= size && prime % 4 == 0);
        }
        assert_int_equal(fx_prime_bytes(size, size), size < FX_MOST_PRIME_BYTES ? size : FX_MOST_PRIME_BYTES);
    }
}

RIG_TEST(test_samples_of_ones_own) {
    const fx_case c = case_of(OWN, 0);
    fx_sample sample;
    run_fine(&c, 1, &sample, NULL);
    assert_true(sample.value == 42 && isnan(sample.t_n));
}

RIG_TEST(test_few_ticks_are_flagged) {
    const fx_case c = case_of(READ, 0);
    fx_sample sample;
    gpu.event_tick_ns = fake.tick_ns = WORDS / 4 * UNIT_NS / 49.0;
    run_fine(&c, 1, &sample, NULL);
    assert_int_equal(sample.flags, FX_SAMPLE_TIMER_RESOLUTION);
    double tick_ns;
    fake.tick_ns = 512;
    assert_ok(fx_event_tick(&gpu, &tick_ns, &err));
    assert_true(fabs(tick_ns - 500) < 13); /* no step is that small: the manual's */
    fake.tick_ns = 32;
    assert_ok(fx_event_tick(&gpu, &tick_ns, &err));
    assert_true(fabs(tick_ns - 32) < 1);
}

/* What is arranged can be tried, to find out how long it should take. */
RIG_TEST(test_trials) {
    for (int64_t way = CHAIN; way <= BARE; way++) {
        const fx_case c = case_of(way, 0);
        double cost = 0;
        void *rig;
        assert_ok(fx_rig_open(&gpu, &c, &rig, &err));
        assert_ok(fx_rig_trial(rig, &cost, &err));
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

/* What may go wrong: each case says so, and leaves nothing behind. */

static void refused(int64_t way, int64_t place, fx_status status, const char *text) {
    const fx_case c = case_of(way, place);
    fx_error err = {0};
    if (run(&c, 1, NULL, NULL, &err) != status || !strstr(err.text, text)) {
        fail_msg("status %d: %s", (int)err.status, err.text);
    }
}

RIG_TEST(test_wrong_results_are_no_numbers) {
    fault.unwritten = true;
    refused(CHAIN, 0, FX_WRONG_RESULT, "wrote no record for 1 of its 1 warps");
    fault.unwritten = false;
    fault.wrong_lane = true;
    refused(RATE, 0, FX_WRONG_RESULT, "1 lanes of 1024 differ");
    fault.lost_word = true;
    refused(READ, 0, FX_WRONG_RESULT, "the sum of the values read differs from the sum of the values written (");
    fault.unstored = true;
    refused(WRITE, 0, FX_WRONG_RESULT, "memory does not contain what the kernel stored (00000001 instead of 00000000)");
}

RIG_TEST(test_refusals) {
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
    refused(READ, 0, FX_NO_MEMORY, "1048576 bytes of free device memory are too few to exceed the L2");
}

/* Every call fails once, at opening and in the second sample; the case says so, and leaves nothing behind. */
RIG_TEST(test_each_call_may_fail) {
    for (int64_t way = CHAIN; way <= OWN; way++) {
        const fx_case c = case_of(way, 0);
        unsigned failed = 0;
        for (;;) {
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

RIG_TEST(test_a_lost_device_is_said) {
    fake.failure = cudaErrorIllegalAddress;
    fake.failing_call = 3;
    refused(CHAIN, 0, FX_DEVICE_LOST, "the device is lost to this process");
}

/* What the rig gives back: memory, with what is freed waited for, textures, latches, and what a probe brings itself. */

/* Room for 48 pieces: the next is refused, and still given back. */
RIG_TEST(test_pieces_are_counted) {
    fx_rig *rig = calloc(1, sizeof *rig);
    void *memory;
    rig->gpu = &gpu;
    for (int i = 0; i < FX_RIG_PIECES; i++) {
        const unsigned kinds[] = {FX_DEVICE_MEMORY, FX_PINNED_MEMORY, FX_HOST_MEMORY};
        assert_ok(fx_rig_memory(rig, &memory, kinds[i % 3], 100, 0, &err));
    }
    assert_int_equal(fx_rig_keep(rig, &fault, give_back_token, &err), FX_BAD_INPUT);
    assert_int_equal(fault.given_back, 1);
    assert_int_equal(fx_rig_memory(rig, &memory, FX_HOST_MEMORY, 100, 0, &err), FX_BAD_INPUT);
    assert_says(err.text, "more than 48 resources");
    fx_rig_close(rig);
    fx_rig_close(NULL);
}

/* A texture of two rows of four floats. */
static struct cudaResourceDesc rows_of(void *memory) {
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 2;
    return resource;
}

/* They read elements as they are, and go before the memory that was there first. */
RIG_TEST(test_textures) {
    fx_rig *rig = calloc(1, sizeof *rig);
    cudaTextureObject_t texture;
    void *memory;
    rig->gpu = &gpu;
    assert_ok(fx_rig_memory(rig, &memory, FX_DEVICE_MEMORY, 32, 0, &err));
    const struct cudaResourceDesc resource = rows_of(memory);
    assert_ok(fx_rig_texture(rig, &resource, &texture, &err));
    assert_ptr_equal(fake.resource.res.pitch2D.devPtr, memory);
    assert_int_equal(fake.texture.readMode, cudaReadModeElementType);
    assert_int_equal(fake.texture.filterMode, cudaFilterModePoint);
    assert_int_equal(fake.texture.addressMode[0], cudaAddressModeClamp);
    assert_int_equal(fake.texture.addressMode[1], cudaAddressModeClamp);
    assert_false(fake.texture.normalizedCoords);
    fake.failing_call = fake.calls + 1;
    assert_int_equal(fx_rig_texture(rig, &resource, &texture, &err), FX_NO_MEMORY);
    assert_int_equal(rig->piece_count, 2);
    fx_rig_close(rig);
    assert_false(fake.torn); /* the texture went first */
}

/* Closed with the case, and at once where the rig has no room. */
RIG_TEST(test_latches) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_latch latch = {0};
    const unsigned live = fake.live;
    fake.failing_call = fake.calls + 1;
    assert_int_equal(fx_rig_latch(rig, &latch, &err), FX_NO_MEMORY);
    assert_int_equal(rig->piece_count, 0);
    assert_ok(fx_rig_latch(rig, &latch, &err));
    assert_non_null(latch.host);
    assert_int_equal(rig->piece_count, 1);
    rig->piece_count = FX_RIG_PIECES;
    fx_latch other;
    assert_int_equal(fx_rig_latch(rig, &other, &err), FX_BAD_INPUT);
    assert_null(other.host);
    rig->piece_count = 1;
    fx_rig_close(rig);
    assert_null(latch.host);
    assert_int_equal(fake.live, live);
}

RIG_TEST(test_the_pool_lends_one_buffer) {
    fx_rig *rig = calloc(1, sizeof *rig);
    void *one, *two;
    rig->gpu = &gpu;
    assert_ok(fx_rig_memory(rig, &one, FX_POOL_MEMORY, 100, 0, &err));
    assert_int_equal(fx_rig_memory(rig, &two, FX_POOL_MEMORY, 100, 0, &err), FX_BAD_INPUT);
    fx_rig_close(rig);
    assert_int_equal(fake.live, 1 + 2 /* events */); /* the pool keeps it ... */
    assert_ok(fx_pool_borrow(&gpu, 50, &two, &err));
    assert_ptr_equal(two, one); /* ... and lends it again */
    size_t room;
    assert_ok(fx_pool_room(&gpu, &room, &err));
    assert_int_equal(room, fake.free_bytes + 100);
}

/* After much was freed the next pair waits until memory is as fast again as it was at rest, and not for a known time.
 */
RIG_TEST(test_clearing_is_waited_for) {
    const fx_case c = case_of(READ, 0);
    uint32_t flags = 0;
    assert_ok(fx_memory_settle(&gpu, &flags, &err));
    assert_int_equal(fake.flushes, 0); /* nothing was freed */
    fx_memory_free(&gpu, NULL, 1 << 30);
    fx_memory_free(&gpu, calloc(1, 10), 10);
    fake.live++;
    assert_ok(fx_memory_settle(&gpu, &flags, &err));
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
    assert_int_equal(flags, 0);
    fake.flush_ns *= 2; /* a device that clocked down: it is no waiting for that */
    assert_ok(fx_memory_settle(&gpu, &flags, &err));
    assert_int_equal(flags, FX_SAMPLE_UNSETTLED);
    run_fine(&c, 1, NULL, NULL);
}

UNIT_MAIN(NULL, NULL)
