/* The whole of host_sharing, which has no kernel, on invented GPUs: what each keeps, what the archive is told of it,
 * and that what did not arrive is found. */
#include "unit.h"

#define FX_WITH_CUDA
#include "../../micro/host/host_sharing/probe.cu"

#include "several_gpus.h"

enum { BYTES = 1 << 17 };
static const double LINK = 0.02, CROWDED = 1.25;

static int devices_at_hand(void **ignored) {
    fake =
        (fake_device){.tick_ns = 1, .devices = 3, .link_ns_per_byte = LINK, .crowded = CROWDED, .free_bytes = 1 << 24};
    home = 1;
    return 0;
}

static fx_status sample_of(const int64_t *values, fx_error *err) {
    return sample_at_home(&probe_host_sharing, &sweeps[0], values, NULL, err);
}

#define is_near(value, wanted) assert_true(fabs((value) - (wanted)) <= 1e-4 * (wanted))

TEST_WITH(pinned_copies_share, devices_at_hand, NULL) {
    for (int64_t direction = H2D; direction <= D2H; direction++) {
        const int64_t values[] = {GPUS, PINNED, direction, 3, FULL, BYTES};
        assert_ok(sample_of(values, &err));
        is_near(taken.value, BYTES * LINK * CROWDED);
        is_near(taken.extra[EXTRA_KEPT], 100 / CROWDED);
        is_near(taken.extra[EXTRA_LEAST], 100 / CROWDED);
        is_near(taken.extra[EXTRA_SUM], 3 / (LINK * CROWDED));
        assert_true(isnan(taken.extra[EXTRA_HOST_KEPT]));
    }
}

/* Both directions of one GPU are at work alone, too: the stand-in's link is as crowded then. */
TEST_WITH(both_ways_are_one_gpus, devices_at_hand, NULL) {
    static const int64_t values[] = {GPUS, PINNED, BOTH, 2, FULL, BYTES};
    assert_ok(sample_of(values, &err));
    is_near(taken.extra[EXTRA_KEPT], 100);
    is_near(taken.extra[EXTRA_SUM], 4 / (LINK * CROWDED));
}

TEST_WITH(pageable_copies_have_threads, devices_at_hand, NULL) {
    static const int64_t values[] = {GPUS, PAGEABLE, BOTH, 3, FULL, BYTES};
    assert_ok(sample_of(values, &err));
    assert_true(taken.value > 0 && taken.extra[EXTRA_KEPT] > 0 && taken.extra[EXTRA_LEAST] <= taken.extra[EXTRA_KEPT]);
}

TEST_WITH(cores_stream_beside_one_gpu, devices_at_hand, NULL) {
    static const int64_t values[] = {STREAM, PINNED, H2D, 1, HALF, BYTES};
    assert_ok(sample_of(values, &err));
    is_near(taken.value, BYTES * LINK);
    is_near(taken.extra[EXTRA_KEPT], 100); /* the stand-in's link does not know of cores */
    assert_true(taken.extra[EXTRA_HOST] > 0 && taken.extra[EXTRA_HOST_KEPT] > 0 && taken.extra[EXTRA_THREADS] >= 1);
}

TEST_WITH(any_call_can_fail, devices_at_hand, NULL) {
    static const int64_t cases[][SIZE + 1] = {{GPUS, PINNED, BOTH, 2, FULL, BYTES},
                                              {GPUS, PAGEABLE, D2H, 2, FULL, BYTES},
                                              {STREAM, PINNED, D2H, 1, ONE, BYTES}};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        fail_each_call(sample_of, cases[i]);
    }
}

/* The team of cores that streams beside a copy. */

TEST(it_streams_until_it_is_told) {
    team t;
    double GBps = 0;
    int cpu[TEAM_MOST_THREADS];
    assert_true(team_cpus(cpu) >= 1);
    assert_ok(team_open(&t, 3, -1, &err));
    assert_int_equal(t.count, 3);
    for (int i = 0; i < 2; i++) { /* the second time its memory is there */
        assert_ok(team_alone(&t, 0.002, &GBps, &err));
        assert_true(GBps > 0);
        for (int m = 0; m < t.count; m++) {
            assert_true(t.member[m].bytes >= 2 * TEAM_PIECE_BYTES && t.member[m].seconds > 0);
            assert_int_equal(t.member[m].wrong, 0);
        }
    }
    team_close(&t);
    team_close(&t);
}

TEST(a_wrong_copy_is_no_rate) {
    team t = {.count = 3};
    double GBps;
    for (int m = 0; m < t.count; m++) {
        t.member[m].bytes = 4e9;
        t.member[m].seconds = 2;
    }
    assert_ok(team_sum(&t, 3, &GBps, &err));
    assert_float_equal(GBps, 6, 1e-9);
    t.member[2].wrong = 1;
    assert_int_equal(team_sum(&t, 3, &GBps, &err), FX_WRONG_RESULT);
    assert_string_equal(err.text, "1 of 3 threads found wrong data in their copies");
}

TEST(a_team_has_bounds) {
    team t;
    assert_ok(team_open(&t, 0, -1, &err));
    assert_int_equal(t.count, 1);
    team_close(&t);
    assert_ok(team_open(&t, 1000, -1, &err));
    assert_int_equal(t.count, TEAM_MOST_THREADS);
    team_close(&t);
}

UNIT_MAIN(NULL, NULL)
