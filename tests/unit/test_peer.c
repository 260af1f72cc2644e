/* The host's half of peer on invented GPUs: functions stand in for its kernels, and the stand-in for CUDA for the rest.
 * What arrives is as checked here as on a machine with several GPUs. */
#include "unit.h"

#define FX_WITH_CUDA /* so that the tables below have addresses */
#include "../../micro/host/peer/moves.h"

#include "several_gpus.h"

enum { BYTES = 128 << 10, LOAD_NS = 700 };
static const double LINK = 0.5, CROWDED = 1.5;

static bool lost_word; /* the kernels leave one out */

/* Of its own clock. */
static void took(const fake_launch *l, size_t bytes) {
    fake_busy(l->stream, LINK * (double)bytes);
}

static void copy_quads(const fake_launch *l) {
    char *to = *(char *const *)l->arguments[0], *from = *(char *const *)l->arguments[1];
    const size_t bytes = *(const size_t *)l->arguments[2] * 16;
    memcpy(to, from, bytes - (lost_word ? 4 : 0));
    took(l, bytes);
}

static void add_words(const fake_launch *l) {
    uint32_t *to = *(uint32_t *const *)l->arguments[0], *from = *(uint32_t *const *)l->arguments[1];
    const size_t words = *(const size_t *)l->arguments[2];
    for (size_t i = 0; i < words; i++) {
        to[i] += from[i];
    }
    took(l, words * 4);
}

static void lay(const fake_launch *l) {
    char *data = *(char *const *)l->arguments[0];
    const uint32_t *order = *(uint32_t *const *)l->arguments[1], places = *(const uint32_t *)l->arguments[2];
    for (uint32_t k = 0; k < places; k++) {
        const uint64_t next = (uint64_t)(uintptr_t)(data + (size_t)order[(k + 1) % places] * FX_LINE_BYTES);
        memcpy(data + (size_t)order[k] * FX_LINE_BYTES, &next, sizeof next);
    }
}

/* Walks the ring as the kernel does. */
static void chase(const fake_launch *l) {
    const fx_timed *timed = l->arguments[0];
    const chain *c = l->arguments[1];
    fx_timed_warp *here = timed->warps;
    uint64_t at = c->first, now = 1000;
    memset(here, 0, sizeof *here);
    here->last_ns = 100000;
    here->last_cycles = 180000;
    for (uint32_t p = 0; p < timed->passes; p++) {
        for (uint64_t i = 0; i < (uint64_t)timed->trips[p] * FX_CHAIN_STEPS; i++) {
            memcpy(&at, (const void *)(uintptr_t)at, sizeof at);
        }
        now += (uint64_t)timed->trips[p] * FX_CHAIN_STEPS * LOAD_NS + 5;
        here->stop[p] = now;
    }
    here->wrong = at != c->last || lost_word;
}

static const fx_axis axes[] = {
    {"task", "", "", "move chase", 0, 0, MOVE},
    {"mover", "", "", "push pull store load atomic staged", 0, 0, PUSH},
    {"traffic", "", "", "alone both one_to_all all_to_one all_pairs", 0, 0, ALONE},
    {"from", "", "", NULL, 0, FX_MOST_GPUS - 1, 0},
    {"to", "", "", NULL, 0, FX_MOST_GPUS - 1, 1},
    {"size", "bytes", "", NULL, 0, 1 << 30, BYTES},
};

static const fx_metric metrics[] = {{"move_ns", "ns", FX_GPU_NS, false, "transfer"},
                                    {"access_cycles", "cycles", FX_SM_CYCLES, false, "access"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->metric = params->value[TASK] == CHASE ? ACCESS_CYCLES : MOVE_NS;
}

static const fx_kernel kernels[] = {
    {"task=move mover=store,load", FX_K(copy_quads), FX_WORK, 0, {{0}}},
    {"task=move mover=atomic", FX_K(add_words), FX_WORK, 0, {{0}}},
    {"task=move mover=push,pull,staged", FX_NO_KERNEL, FX_WORK, 0, {{0}}},
    {"task=chase", FX_K(chase), FX_WORK, 0, {{0}}},
    {"task=chase", FX_K(lay), FX_AID, 0, {{0}}},
};

static const fx_sweep sweep = {"all", "", NULL};

static const fx_probe probe = {
    .name = "invented",
    FX_TABLE(axes),
    FX_TABLE(metrics),
    .law = law,
    .arrange = arrange,
    FX_TABLE(kernels),
};

static int devices_at_hand(void **state) {
    fake = (fake_device){.tick_ns = 1,
                         .devices = 3,
                         .link_ns_per_byte = LINK,
                         .crowded = CROWDED,
                         .free_bytes = 1 << 24,
                         .flush_ns = 1000};
    lost_word = false;
    home = 0;
    return 0;
}

static size_t lanes; /* of the last sample: how many pairs moved */

static void count_lanes(fx_rig *rig) {
    lanes = (*FX_ARGUMENT(rig, peer_state *))->together.count;
}

static fx_status sample_of(const int64_t *values, fx_error *err) {
    return sample_at_home(&probe, &sweep, values, count_lanes, err);
}

/* What a case costs, in ns per byte of the link. */
static double cost(int64_t mover, int64_t traffic, int from, int to, size_t pairs) {
    const int64_t values[] = {MOVE, mover, traffic, from, to, BYTES};
    fx_error err = {0};
    home = 1;
    assert_ok(sample_of(values, &err));
    assert_int_equal(lanes, pairs);
    assert_true(fabs(taken.extra[EXTRA_PAIR] - BYTES / taken.value) < 1e-6);
    assert_true(fabs(taken.extra[EXTRA_SUM] - (double)pairs * taken.extra[EXTRA_PAIR]) < 1e-6);
    assert_true(fabs(taken.extra[EXTRA_LEAST] - taken.extra[EXTRA_PAIR]) < 1e-6);
    return taken.value / (BYTES * LINK);
}

TEST_WITH(any_mover_moves_any_pair, devices_at_hand, NULL) {
    for (int64_t mover = PUSH; mover <= ATOMIC; mover++) {
        for (int from = 0; from < 3; from++) {
            assert_true(fabs(cost(mover, ALONE, from, (from + 1) % 3, 1) - 1) < 1e-6);
        }
    }
    assert_true(fabs(cost(STAGED, ALONE, 0, 2, 1) - 8) < 1e-6); /* nothing is mapped */
}

TEST_WITH(others_move_beside_it, devices_at_hand, NULL) {
    assert_true(fabs(cost(PUSH, BOTH, 0, 1, 2) - CROWDED) < 1e-6);
    assert_true(fabs(cost(LOAD, ONE_TO_ALL, 2, 1, 2) - CROWDED) < 1e-6);
    assert_true(fabs(cost(PULL, ALL_TO_ONE, 2, 1, 2) - CROWDED) < 1e-6);
    assert_true(fabs(cost(STORE, ALL_PAIRS, 2, 0, 6) - CROWDED) < 1e-6);
    assert_true(fabs(cost(ATOMIC, BOTH, 0, 1, 2) - CROWDED) < 1e-6); /* each word is added once */
}

TEST_WITH(a_word_that_is_lost_is_found, devices_at_hand, NULL) {
    static const int64_t values[] = {MOVE, LOAD, ALL_PAIRS, 0, 1, BYTES};
    lost_word = true;
    assert_int_equal(sample_of(values, &err), FX_WRONG_RESULT);
}

TEST_WITH(a_chain_is_walked_to_its_end, devices_at_hand, NULL) {
    for (int from = 0; from < 3; from++) {
        const int64_t values[] = {CHASE, LOAD, ALONE, from, 1, 4096 + 128};
        assert_ok(sample_of(values, &err));
        assert_true(fabs(taken.value - LOAD_NS) < 0.01);
    }
    static const int64_t values[] = {CHASE, ATOMIC, ALONE, 2, 0, 4096};
    lost_word = true;
    assert_int_equal(sample_of(values, &err), FX_WRONG_RESULT);
}

TEST_WITH(barred_pairs_are_refused, devices_at_hand, NULL) {
    static const int64_t values[] = {MOVE, PUSH, ALONE, 0, 1, BYTES};
    fake.barred[1] = 1;
    assert_int_equal(sample_of(values, &err), FX_UNSUPPORTED);
}

TEST_WITH(any_call_can_fail, devices_at_hand, NULL) {
    static const int64_t cases[][SIZE + 1] = {{MOVE, PUSH, ALL_PAIRS, 0, 1, 256},
                                              {MOVE, STORE, BOTH, 1, 2, 256},
                                              {MOVE, STAGED, ALONE, 1, 2, 256},
                                              {CHASE, LOAD, ALONE, 2, 1, 4096}};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        fail_each_call(sample_of, cases[i]);
    }
}

UNIT_MAIN(NULL, NULL)
