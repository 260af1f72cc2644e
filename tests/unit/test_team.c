/* The team of cores that streams beside a copy. */
#include "unit.h"

#include "../../micro/host/host_sharing/team.h"

TEST(it_streams_until_it_is_told) {
    fx_error err = {0};
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
    fx_error err = {0};
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
    fx_error err = {0};
    team t;
    assert_ok(team_open(&t, 0, -1, &err));
    assert_int_equal(t.count, 1);
    team_close(&t);
    assert_ok(team_open(&t, 1000, -1, &err));
    assert_int_equal(t.count, TEAM_MOST_THREADS);
    team_close(&t);
}

UNIT_MAIN(NULL, NULL)
