/* The plan of a run: what is settled where the user says nothing, which cases the next process measures, by planted
 * spreads and by an archive that is still being written, and how a choice is handed over. */
#include "unit.h"

#include <math.h>
#include <unistd.h>

#include "numbers.h"
#include "run/plan.h"

enum { PLANTED = 200 };

static uint64_t drawn(void) {
    return UINT64_C(0x123456789abcdef0);
}

/* What a run settles: that is given nothing; that is a look, in one way or another; that is given its numbers; that is
 * the child of the first. */
TEST(what_is_settled) {
    enum { DRAWN = 0x12345678 };
    static const struct {
        bool quick, no_archive, synthetic, one, child;
        int64_t given, given_seed;
        bool usual;
        int64_t processes, seed, new_seed;
    } ways[] = {
        {.given_seed = -1, .usual = true, .processes = FX_USUAL_PROCESSES, .seed = DRAWN, .new_seed = DRAWN},
        {.quick = true, .given_seed = -1, .processes = 1, .seed = DRAWN, .new_seed = DRAWN},
        {.no_archive = true, .given_seed = -1, .processes = 1, .seed = DRAWN, .new_seed = DRAWN},
        {.synthetic = true, .given_seed = -1, .processes = 1, .seed = FX_SYNTHETIC_SEED, .new_seed = -1},
        {.one = true, .given_seed = -1, .processes = 1, .seed = DRAWN, .new_seed = DRAWN},
        {.given = 5, .given_seed = 7, .processes = 5, .seed = 7, .new_seed = -1},
        {.one = true, .child = true, .given_seed = 9, .usual = true, .processes = 3, .seed = 9, .new_seed = -1},
    };
    for (size_t i = 0; i < FX_COUNT(ways); i++) {
        fx_options options = {.seed = ways[i].given_seed, .quick = ways[i].quick, .parent = fx_parent_record_none()};
        options.run.no_archive = ways[i].no_archive;
        options.run.processes = ways[i].given;
        options.parent.usual = ways[i].child;
        fx_plan plan = {0};
        fx_plan_settle(&plan, &options, ways[i].synthetic, ways[i].one, drawn);
        assert_int_equal(plan.usual, ways[i].usual);
        assert_int_equal(options.run.by_need, ways[i].usual);
        assert_int_equal(options.run.processes, ways[i].processes);
        assert_int_equal(options.seed, ways[i].seed);
        assert_int_equal(plan.new_seed, ways[i].new_seed);
    }
}

TEST(what_repeats_well_runs_once) {
    static const fx_probe often = {.name = "often"}, once = {.name = "once", .once = true};
    fx_case cases[] = {{.probe = &often}, {.probe = &once}, {.probe = &once}};
    const fx_case_list all = {.cases = cases, .count = 3}, alone = {.cases = cases + 1, .count = 2};
    assert_int_equal(fx_plan_once(&(fx_plan){.usual = true, .cases = all}), 2);
    assert_int_equal(fx_plan_once(&(fx_plan){.usual = false, .cases = all}), 0);
    assert_int_equal(fx_plan_once(&(fx_plan){.usual = true, .cases = alone}), 0);
}

/* A process measures 100 units, give or take `spread` between processes; its own samples say `inside`. */
static void measure(fx_plan_repeat *r, double spread, double inside, uint64_t *state) {
    double median = 100 * exp(spread * normal(state)), half = 1.96 * inside;
    fx_plan_repeat_add(r, median, median * exp(-half), median * exp(half));
}

static size_t wanted_of(const fx_plan_repeat *cases, size_t count, double precision, bool *more) {
    size_t wanted = 0;
    fx_plan_repeat_more(cases, count, precision, more);
    for (size_t i = 0; i < count; i++) {
        wanted += more[i];
    }
    return wanted;
}

TEST(the_mean_and_its_squares_are_those_of_logarithms) {
    fx_plan_repeat r = {0};
    const double values[] = {10, 11, 12.5};
    double mean = 0, squares = 0;
    for (int i = 0; i < 3; i++) {
        fx_plan_repeat_add(&r, values[i], NAN, NAN);
        mean += log(values[i]) / 3;
    }
    for (int i = 0; i < 3; i++) {
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    }
    assert_int_equal(r.count, 3);
    assert_true(fabs(r.mean - mean) < 1e-12);
    assert_true(fabs(r.squares - squares) < 1e-12);
    assert_int_equal(r.known, 0);
}

/* Ten in a hundred cases are noisy, and their samples show it: these go on, the others do not. */
TEST(noisy_cases_go_on_and_calm_ones_do_not) {
    fx_plan_repeat cases[PLANTED] = {{0}};
    bool more[PLANTED];
    uint64_t seed = 1;
    size_t calm = 0, noisy = 0;
    for (size_t i = 0; i < PLANTED; i++) {
        double spread = i % 10 ? 0.0005 : 0.03;
        for (int process = 0; process < FX_FIRST_PROCESSES; process++) {
            measure(&cases[i], spread, spread, &seed);
        }
    }
    size_t wanted = wanted_of(cases, PLANTED, 0.005, more);
    for (size_t i = 0; i < PLANTED; i++) {
        calm += more[i] && i % 10;
        noisy += more[i] && !(i % 10);
    }
    assert_int_equal(wanted, calm + noisy);
    assert_int_equal(calm, 0);
    assert_int_equal(noisy, PLANTED / 10);
}

/* A noisy case whose two processes happen to agree is known by its samples, since the group's others tell what these
 * are worth; in a group of its own it would be believed. */
TEST(chance_agreement_is_not_believed) {
    fx_plan_repeat cases[PLANTED] = {{0}};
    bool more[PLANTED];
    uint64_t seed = 2;
    for (size_t i = 0; i < PLANTED; i++) {
        for (int process = 0; process < 2; process++) {
            measure(&cases[i], 0.03, 0.003, &seed); /* ten times what the samples say */
        }
    }
    cases[7] = (fx_plan_repeat){0};
    for (int process = 0; process < 2; process++) {
        measure(&cases[7], 0, 0.003, &seed);
    }
    (void)wanted_of(cases, PLANTED, 0.005, more);
    assert_true(more[7]);
    cases[7].group = 1;
    (void)wanted_of(cases, PLANTED, 0.005, more);
    assert_false(more[7]);
}

TEST(more_processes_reach_the_precision) {
    fx_plan_repeat cases[PLANTED] = {{0}};
    bool more[PLANTED];
    uint64_t seed = 3;
    size_t before = PLANTED;
    for (int process = 0; process < 40; process++) {
        for (size_t i = 0; i < PLANTED; i++) {
            measure(&cases[i], 0.005, 0.005, &seed);
        }
        if (process == 1) {
            assert_true(10 * wanted_of(cases, PLANTED, 0.005, more) > 9 * PLANTED);
        }
    }
    assert_true(wanted_of(cases, PLANTED, 0.005, more) < before / 20);
    assert_int_equal(wanted_of(cases, PLANTED, 0.0001, more), PLANTED);
}

TEST(waived_and_lonely_cases) {
    fx_plan_repeat cases[4] = {{0}};
    bool more[4];
    fx_plan_repeat_add(&cases[1], 100, 99, 101); /* measured once: it failed the other time */
    for (int process = 0; process < 5; process++) {
        fx_plan_repeat_add(&cases[2], 100, 100, 100);
    }
    cases[3].unmet = true; /* both processes crashed before it */
    assert_int_equal(wanted_of(cases, 4, 0.005, more), 2);
    assert_false(more[0]); /* waived */
    assert_true(more[1]);
    assert_false(more[2]);
    assert_true(more[3]);
    assert_int_equal(wanted_of(cases, 0, 0.005, more), 0);
}

enum { CASES = 7 };

static const fx_probe probe = {.name = "copy"}, once = {.name = "copy", .once = true};

static const char *const names[CASES] = {"copy/calm",   "copy/noisy", "copy/waived", "copy/lonely",
                                         "copy/absent", "copy/zero",  "copy/again"};

/* The last line is cut off, as by a process that was killed. */
static const char text[] =
    "{\"type\":\"run\",\"schema\":2}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/calm\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/noisy\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/lonely\",\"median\":10.0,\"ci95\":null,\"elapsed_s\":0.31}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/zero\",\"median\":0.0,\"ci95\":null}\n"
    "{\"type\":\"case\",\"process\":0,\"name\":\"copy/again\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":0,\"repetition\":1,\"name\":\"copy/again\",\"median\":19.0,\"ci95\":[9.9,20.0]}\n"
    "{\"type\":\"waived\",\"process\":0,\"name\":\"copy/waived\"}\n"
    "{\"type\":\"fit\",\"process\":0,\"probe\":\"copy\"}\n"
    "{\"type\":\"waived\",\"process\":1,\"name\":\"copy/waived\"}\n"
    "{\"type\":\"failed\",\"process\":1,\"name\":\"copy/lonely\"}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/calm\",\"median\":10.001,\"ci95\":[10.0,10.002]}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/noisy\",\"median\":12.0,"
    "\"ci95\":[11.999,12.001],\"elapsed_s\":0.3}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/again\",\"median\":10.0,\"ci95\":[9.999,10.001]}\n"
    "{\"type\":\"case\",\"process\":1,\"name\":\"copy/absent\",\"med";

static void list_of(fx_case *cases, fx_case_list *list) {
    for (size_t i = 0; i < CASES; i++) {
        cases[i] = (fx_case){.probe = &probe};
        (void)snprintf(cases[i].name, sizeof cases[i].name, "%s", names[i]);
    }
    *list = (fx_case_list){.cases = cases, .count = CASES};
}

static fx_archive *archive_of(char *path) {
    fx_error err = {0};
    fx_archive *archive = NULL;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    (void)close(fd);
    assert_ok(fx_archive_append_to(path, &archive, &err));
    return archive;
}

static fx_plan plan_of(fx_case *cases, bool by_need, bool usual) {
    fx_plan plan = {.repetitions = 1, .processes = 5, .first = by_need ? 2 : 5};
    plan.by_need = by_need;
    plan.usual = usual;
    list_of(cases, &plan.cases);
    return plan;
}

/* Process number `process` measures what `wanted` says, per case; NULL: everything. */
static void assert_next(fx_plan *plan, const char *path, size_t process, const char *wanted, size_t cases,
                        ptrdiff_t unexpected) {
    fx_error err = {0};
    char *chosen = NULL;
    size_t count = 0;
    ptrdiff_t more = 0;
    assert_ok(fx_plan_next(plan, NULL, path, process, &chosen, &count, &more, &err));
    if (!wanted || !chosen || strcmp(chosen, wanted) != 0) {
        assert_ptr_equal(chosen, wanted);
    }
    assert_int_equal(count, cases);
    assert_int_equal(more, unexpected);
    free(chosen);
}

TEST(cases_of_the_next_process) {
    char path[] = "/tmp/gpufx-test-XXXXXX";
    fx_case *cases = calloc(CASES, sizeof *cases);
    fx_archive *archive = archive_of(path);
    fx_plan plan = plan_of(cases, true, false);
    assert_next(&plan, path, 0, NULL, CASES, 0);
    assert_next(&plan, path, 1, NULL, CASES, 0);
    assert_next(&plan, path, 2, "0101100", 3, 3);
    plan.repetitions = 4;
    assert_next(&plan, path, 3, "0101100", 3, 12);
    /* Where the number of processes is ours: what took longer than 0.3 s gets no further process, and what no process
     * came to does; the second process leaves out the same, of the seven that were promised. */
    plan = plan_of(cases, true, true);
    assert_next(&plan, path, 1, "0100100", 2, 2 - CASES);
    assert_next(&plan, path, 2, "0100100", 2, 2);
    plan = plan_of(cases, true, true);
    cases[1].probe = &once; /* its second process leaves out what was promised to be left out */
    assert_next(&plan, path, 1, "0000100", 1, 1 - (CASES - 1));
    assert_next(&plan, path, 2, "0000100", 1, 1);
    plan = plan_of(cases, false, false);
    assert_next(&plan, path, 4, NULL, CASES, 0);
    fx_archive_close(archive);
    assert_int_equal(unlink(path), 0);
    free(cases);
}

TEST(a_choice_is_kept_and_one_from_another_list_refused) {
    fx_case *cases = calloc(CASES, sizeof *cases);
    fx_plan plan = plan_of(cases, true, false);
    assert_int_equal(fx_plan_keep(&plan, "010100", &err), FX_BAD_INPUT);
    assert_int_equal(fx_plan_keep(&plan, "01010010", &err), FX_BAD_INPUT);
    assert_int_equal(plan.cases.count, CASES);
    assert_ok(fx_plan_keep(&plan, "0101001", &err));
    assert_int_equal(plan.cases.count, 3);
    assert_string_equal(plan.cases.cases[0].name, "copy/noisy");
    assert_string_equal(plan.cases.cases[1].name, "copy/lonely");
    assert_string_equal(plan.cases.cases[2].name, "copy/again");
    free(cases);
}

UNIT_MAIN(NULL, NULL)
