/* What a run takes where the user says nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/settle.h"

static uint64_t drawn(void) {
    return UINT64_C(0x123456789abcdef0);
}

static fx_options nothing(void) {
    return (fx_options){.seed = -1, .parent = fx_parent_record_none()};
}

static void three_processes_in_a_new_order(void **state) {
    fx_options options = nothing();
    (void)state;
    fx_settled settled = fx_settle(&options, false, false, drawn);
    assert_true(settled.usual);
    assert_int_equal(options.processes, FX_USUAL_PROCESSES);
    assert_true(options.by_need);
    assert_int_equal(options.seed, 0x12345678);
    assert_int_equal(settled.new_seed, options.seed);
}

static void one_process_is_a_look(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        fx_options options = nothing();
        options.quick = way == 0;
        options.no_archive = way == 1;
        const fx_settled settled = fx_settle(&options, way == 2, way == 3, drawn);
        assert_false(settled.usual);
        assert_int_equal(options.processes, 1);
        assert_false(options.by_need);
        assert_int_equal(options.seed, way == 2 ? FX_SYNTHETIC_SEED : 0x12345678);
    }
}

static void what_is_given_stays(void **state) {
    fx_options options = nothing();
    (void)state;
    options.processes = 5;
    options.seed = 7;
    const fx_settled settled = fx_settle(&options, false, false, drawn);
    assert_false(settled.usual);
    assert_int_equal(options.processes, 5);
    assert_int_equal(options.seed, 7);
    assert_int_equal(settled.new_seed, -1);
}

static void ranks_share_their_order(void **state) {
    fx_options options = nothing();
    (void)state;
    options.parent.here_fd = 3;
    options.parent.go_fd = 4;
    const fx_settled settled = fx_settle(&options, false, false, drawn);
    assert_int_equal(settled.new_seed, -1);
    assert_int_equal(options.seed, FX_SYNTHETIC_SEED);
    assert_false(settled.usual || options.by_need);
    assert_int_equal(options.processes, 1);
}

static void a_child_settles_as_its_parent(void **state) {
    fx_options parent = nothing(), child = nothing();
    (void)state;
    (void)fx_settle(&parent, false, false, drawn);
    child.parent.usual = true;
    child.seed = parent.seed;
    const fx_settled settled = fx_settle(&child, false, true, drawn);
    assert_true(settled.usual && child.by_need == parent.by_need);
    assert_int_equal(child.processes, parent.processes);
    assert_int_equal(child.seed, parent.seed);
}

static void what_repeats_well_is_spared(void **state) {
    static const fx_probe often = {.name = "often"}, once = {.name = "once", .once = true};
    fx_case cases[] = {{.probe = &often}, {.probe = &once}, {.probe = &once}};
    const fx_case_list all = {.cases = cases, .count = 3}, alone = {.cases = cases + 1, .count = 2};
    const fx_settled usual = {.usual = true}, given = {.usual = false};
    (void)state;
    assert_int_equal(fx_spared(&usual, &all, 3), 2);
    assert_int_equal(fx_spared(&given, &all, 3), 0);
    assert_int_equal(fx_spared(&usual, &all, 2), 0);
    assert_int_equal(fx_spared(&usual, &alone, 2), 0);

    bool more[] = {true, true, false};
    assert_int_equal(fx_spare(&given, &all, 3, more), 2);
    assert_true(more[0] && more[1] && !more[2]);
    assert_int_equal(fx_spare(&usual, &all, 3, more), 1);
    assert_true(more[0] && !more[1] && !more[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_processes_in_a_new_order),
        cmocka_unit_test(one_process_is_a_look),
        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(ranks_share_their_order),
        cmocka_unit_test(a_child_settles_as_its_parent),
        cmocka_unit_test(what_repeats_well_is_spared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
