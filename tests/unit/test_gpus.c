/* Several GPUs without one: contexts, mappings and work that begins together, on the stand-in for the CUDA runtime,
 * where what is queued from the wrong device fails. (Each call fails in test_peer.c and test_host_sharing.c.) */
#include "unit.h"

#include "fake_cuda.h"
#include "gpu/multi_gpu.h"

enum { BYTES = 4096, SEED = 5 };

static fx_gpu home_of(int ordinal) {
    fx_gpu home = {.ordinal = ordinal, .facts = {.sm_count = 4}, .timer_tick_ns = 32, .event_tick_ns = 1};
    fx_gpus_in_reach(&home.facts);
    return home;
}

static int two_devices(void **state) {
    fake_current = 0;
    fake = (fake_device){.tick_ns = 1, .devices = 2, .link_ns_per_byte = 0.5, .crowded = 1.5, .free_bytes = 1 << 20};
    return 0;
}

/* Everything was given back, and the thread is where it was. */
static void at_rest(int home) {
    assert_int_equal(fake.live, 0);
    assert_int_equal(fake_current, home);
    assert_int_equal(fake.mapped[0] | fake.mapped[1], 0);
}

TEST_WITH(pairs_are_seen, two_devices, NULL) {
    fake.devices = 3;
    fake.barred[2] = 1u << 0;
    const fx_gpu home = home_of(0);
    assert_int_equal(home.facts.gpu_count, 3);
    assert_int_equal(home.facts.reaches[0], 7);
    assert_int_equal(home.facts.reaches[1], 7);
    assert_int_equal(home.facts.reaches[2], 6);
    assert_int_equal(home.facts.adds[2], 6);
    fake.devices = 12;
    assert_int_equal(home_of(0).facts.gpu_count, FX_MOST_GPUS);
}

/* What the runtime does not tell can't be reached. */
TEST_WITH(what_is_not_told_is_not_there, two_devices, NULL) {
    fake.failing_call = 2;
    fake.failure = cudaErrorUnknown;
    assert_int_equal(home_of(0).facts.reaches[0], 1);
    fake.calls = 0;
    fake.failing_call = 1;
    assert_int_equal(home_of(0).facts.gpu_count, 1);
}

TEST_WITH(others_have_contexts, two_devices, NULL) {
    fx_gpus gpus;
    fx_gpu home = home_of(1);
    fake_current = 1;
    assert_ok(fx_gpus_open(&home, 3, &gpus, &err));
    assert_ptr_equal(gpus.at[1], &home);
    assert_int_equal(gpus.at[0]->ordinal, 0);
    assert_int_equal(gpus.at[0]->facts.sm_count, 10); /* its own */
    assert_non_null(gpus.at[0]->stream);
    assert_null(gpus.at[2]);
    assert_int_equal(fake_current, 1);
    assert_ok(fx_gpus_use(&gpus, 0, &err));
    assert_int_equal(fake_current, 0);
    assert_int_equal(fx_gpus_use(&gpus, 2, &err), FX_BAD_INPUT);
    fx_gpus_close(&gpus);
    fx_gpus_close(&gpus); /* once more is fine */
    at_rest(1);
}

TEST_WITH(there_is_no_third, two_devices, NULL) {
    fx_gpus gpus;
    fx_gpu home = home_of(0);
    assert_int_equal(fx_gpus_open(&home, 7, &gpus, &err), FX_BAD_INPUT);
    assert_string_equal(err.text, "GPU 2: only 2 visible to this process");
    at_rest(0);
}

TEST_WITH(mappings_end_with_the_case, two_devices, NULL) {
    fx_gpus gpus;
    fx_gpu home = home_of(0);
    assert_ok(fx_gpus_open(&home, 3, &gpus, &err));
    assert_ok(fx_gpus_map(&gpus, 1, 0, &err));
    assert_int_equal(fake.mapped[1], 1);
    assert_int_equal(fake.mapped[0], 0);
    assert_int_equal(fake_current, 0);
    assert_ok(fx_gpus_map(&gpus, 0, 0, &err)); /* its own memory needs none */
    fx_gpus_close(&gpus);
    at_rest(0);
    fake.mapped[0] = 2; /* somebody else's stays */
    assert_ok(fx_gpus_open(&home, 3, &gpus, &err));
    assert_ok(fx_gpus_map(&gpus, 0, 1, &err));
    fx_gpus_close(&gpus);
    assert_int_equal(fake.mapped[0], 2);
}

/* Copies between the two, lane 0 there and lane 1 back. */
typedef struct traffic {
    fx_gpus gpus;
    fx_multi_gpu together;
    char *sent[2], *arrived[2];
    unsigned primed;
} traffic;

static fx_status send(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    const traffic *t = context;
    const int from = (int)which, to = 1 - from;
    fx_status status = FX_OK;
    FX_CUDA(cudaMemcpyPeerAsync(t->arrived[which], to, t->sent[which], from, BYTES, lane->stream));
cleanup:
    return status;
}

static fx_status wake(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    traffic *t = context;
    t->primed++;
    return send(context, lane, which, err); /* before the first event: it costs nothing */
}

static fx_status open_traffic(fx_gpu *home, traffic *t, fx_error *err) {
    memset(t, 0, sizeof *t);
    FX_TRY(fx_gpus_open(home, 3, &t->gpus, err));
    FX_TRY(fx_multi_gpu_open(&t->gpus, &t->together, err));
    t->together.context = t;
    t->together.queue = send;
    t->together.prime = wake;
    for (int i = 0; i < 2; i++) {
        FX_TRY(fx_gpus_map(&t->gpus, i, 1 - i, err));
        FX_TRY(fx_multi_gpu_add(&t->together, i, err));
        FX_TRY(fx_gpus_memory(&t->gpus, i, BYTES, &t->sent[i], err));
        FX_TRY(fx_gpus_memory(&t->gpus, 1 - i, BYTES, &t->arrived[i], err));
        FX_TRY(fx_gpu_fill(t->gpus.at[i], t->sent[i], BYTES / 4, SEED + (unsigned)i, err));
    }
    return FX_OK;
}

static void close_traffic(traffic *t) {
    for (int i = 0; i < 2 && t->gpus.home; i++) {
        fx_gpus_free(&t->gpus, i, t->sent[i], BYTES);
        fx_gpus_free(&t->gpus, 1 - i, t->arrived[i], BYTES);
    }
    fx_multi_gpu_close(&t->together);
    fx_gpus_close(&t->gpus);
}

TEST_WITH(lanes_begin_together, two_devices, NULL) {
    traffic t;
    uint32_t flags = 0;
    fx_gpu home = home_of(0);
    assert_ok(open_traffic(&home, &t, &err));
    assert_ok(fx_multi_gpu_run(&t.together, 0, 1, &flags, &err));
    assert_float_equal(t.together.lane[0].ns, BYTES * 0.5, 1);
    assert_int_equal(t.primed, 1);
    t.together.lane[1].repeats = 2;
    assert_ok(fx_multi_gpu_run(&t.together, 0, 2, &flags, &err));
    assert_float_equal(t.together.lane[0].ns, BYTES * 0.5 * 1.5, 1); /* both at once */
    assert_float_equal(t.together.lane[1].ns, BYTES * 0.5 * 1.5, 1); /* of one unit */
    assert_int_equal(flags, 0);
    assert_ok(fx_gpu_verify(t.gpus.at[1], t.arrived[0], BYTES / 4, SEED, &err));
    assert_ok(fx_gpu_verify(t.gpus.at[0], t.arrived[1], BYTES / 4, SEED + 1, &err));
    assert_ok(fx_multi_gpu_run(&t.together, 1, 1, &flags, &err));
    assert_float_equal(t.together.lane[1].ns, BYTES * 0.5, 1);
    assert_int_equal(fake_current, 0);
    fake.late = true;
    assert_ok(fx_multi_gpu_run(&t.together, 0, 2, &flags, &err));
    assert_int_equal(flags, FX_SAMPLE_LATCH_TIMEOUT);
    close_traffic(&t);
    close_traffic(&t);
    at_rest(0);
}

TEST_WITH(there_are_not_more_lanes_than_pairs, two_devices, NULL) {
    fx_gpus gpus;
    fx_multi_gpu together;
    fx_gpu home = home_of(0);
    assert_ok(fx_gpus_open(&home, 3, &gpus, &err));
    assert_ok(fx_multi_gpu_open(&gpus, &together, &err));
    for (int i = 0; i < FX_MOST_LANES; i++) {
        assert_ok(fx_multi_gpu_add(&together, i % 2, &err));
    }
    assert_int_equal(fx_multi_gpu_add(&together, 0, &err), FX_BAD_INPUT);
    fx_multi_gpu_close(&together);
    assert_int_equal(fake_current, 0);
    fx_gpus_close(&gpus);
    at_rest(0);
}

UNIT_MAIN(NULL, NULL)
