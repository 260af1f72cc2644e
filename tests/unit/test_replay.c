/* Ways through machine code, and what a launch takes by a replay of them, against what can be counted by hand. */
#include "unit.h"

#include <math.h>

#include "explain/trace_cost.h"
#include "vectors.h"

/* A loop that meets at a barrier: load, add, store when a predicate holds, barrier, back. control: stall 1, no boards.
 */
static const char loop[] = "7e1 -1 -1 S2R R0, SR_TID.X\n"           /* 00 */
                           "7e1 -1 -1 LDG.E R2, desc[UR4][R2.64]\n" /* 10 */
                           "7e1 0 12 @!P0 LDS R3, [R5]\n"           /* 20 */
                           "7e1 0 12 FADD R3, R3, R2\n"             /* 30 */
                           "7e1 0 13 BAR.SYNC.DEFER_BLOCKING 0x0\n" /* 40 */
                           "7e1 0 13 @P1 BRA 0x20\n"                /* 50 */
                           "7e1 0 14 @P2 EXIT\n"                    /* 60 */
                           "7e1 0 15 STG.E desc[UR4][R2.64], R5\n"  /* 70 */
                           "7e1 0 15 EXIT\n"                        /* 80 */
                           "7e1 -1 -1 IADD3 R1, R1, 0x1, RZ\n"      /* 90 */
                           "7e1 -1 -1 @P1 BRA 0x90\n"               /* a0 */
                           "7e1 -1 -1 BRA 0xb0\n";                  /* b0 */

static fx_machine_code parsed(const char *text) {
    fx_machine_code code;
    fx_machine_code_parse(text, strlen(text), &code);
    return code;
}

static void drop(fx_paths *paths, fx_machine_code *code) {
    fx_paths_free(paths);
    fx_machine_code_free(code);
}

TEST(test_control_bits_and_kinds) {
    /* stall 5, releases board 2 when written and 1 when read, waits for 0 and 3 */
    fx_machine_code code = parsed("4945 3 77 @P0 LDS R3, [R5]\n");
    const fx_code_step *step = code.steps;
    assert_int_equal(step->stall, 5);
    assert_int_equal(step->writes, 2);
    assert_int_equal(step->reads, 1);
    assert_int_equal(step->waits, 9);
    assert_int_equal(step->file, 3);
    assert_int_equal(step->line, 77);
    assert_true(step->predicated && step->shared && !step->store);
    assert_int_equal(step->unit, FX_UNIT_MEMORY);
    fx_machine_code_free(&code);
}

TEST(test_rounds) {
    fx_machine_code code = parsed("7e1 0 1 MOV R3,0x10\n"
                                  "7e1 0 1 SHFL.DOWN PT,R5,R6,R3,0x1f\n"
                                  "7e1 0 1 SHF.R.U32.HI R3,RZ,0x1,R3\n"
                                  "7e1 0 1 ISETP.NE.AND P0,PT,R3,RZ,PT\n"
                                  "7e1 0 1 @P0 BRA 0x10,rounds=5\n"
                                  "7e1 0 1 EXIT\n");
    fx_paths *paths = fx_paths_new(&code);
    assert_false(code.steps[1].repeats);
    assert_int_equal(fx_paths_find(paths, FX_PATH_ENTRY, FX_PATH_EXIT, 0)->count, 2 + 5 * 4);
    drop(paths, &code);
}

TEST(test_loops_of_which_nobody_knows) {
    json_t *cases = vectors("loops.json"), *one, *line, *at;
    size_t i, k, n;
    json_array_foreach(cases, i, one) {
        char text[2048] = "";
        const size_t count = json_array_size(json_object_get(one, "code"));
        bool known[64] = {false};
        json_array_foreach(json_object_get(one, "code"), k, line) {
            (void)snprintf(text + strlen(text), 128, "7e1 0 1 %s", json_string_value(line));
            json_array_foreach(json_object_get(one, "rounds"), n, at) {
                if (json_integer_value(json_array_get(at, 0)) == (json_int_t)k) {
                    (void)snprintf(text + strlen(text), 32, ",rounds=%d",
                                   (int)json_integer_value(json_array_get(at, 1)));
                }
            }
            strcat(text, "\n");
        }
        json_array_foreach(json_object_get(one, "repeats"), n, at) {
            known[json_integer_value(at)] = true;
        }
        fx_machine_code code = parsed(text);
        assert_int_equal(code.count, count);
        for (k = 0; k < count; k++) {
            if (code.steps[k].repeats != known[k]) {
                fail_msg("%s: instruction %zu", json_string_value(json_object_get(one, "loop")), k);
            }
        }
        fx_machine_code_free(&code);
    }
    json_decref(cases);
}

TEST(test_ways) {
    fx_machine_code code = parsed(loop);
    assert_int_equal(code.count, 12);
    fx_paths *paths = fx_paths_new(&code);
    const fx_path *first = fx_paths_find(paths, FX_PATH_ENTRY, 1, 0);
    assert_true(first->found);
    assert_int_equal(first->count, 2);
    const fx_path *again = fx_paths_find(paths, 2, 2, 0); /* once round */
    assert_int_equal(again->count, 4);
    assert_int_equal(again->barriers, 1);
    assert_ptr_equal(again, fx_paths_find(paths, 2, 2, 0));
    const fx_path *out = fx_paths_find(paths, 1, FX_PATH_EXIT, 0); /* the first exit, past the predicated load */
    assert_int_equal(out->count, 5);
    const fx_path *longer = fx_paths_find(paths, 1, FX_PATH_EXIT, 3); /* four barriers: three more rounds */
    assert_int_equal(longer->barriers, 4);
    assert_int_equal(longer->count, 5 + 3 * 4);
    assert_null(fx_paths_find(paths, 7, FX_PATH_EXIT, 1)); /* no barrier lies there */
    assert_false(fx_paths_find(paths, 7, 1, 0)->found);
    assert_true(code.steps[9].repeats && !code.steps[3].repeats);
    drop(paths, &code);
}

/* What lanes may skip, to meet the others behind it, is executed, unless it calls a function. */
TEST(test_skipped_code) {
    static const char *const words[][2] = {{"MUFU.RCP", "BSYNC"}, {"CALL.REL", "BSYNC"}, {"MUFU.RCP", "NOP"}};
    for (unsigned i = 0; i < 3; i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "7e1 0 1 LDG.E R3, desc[UR4][R2.64]\n7e1 0 2 @P0 BRA 0x40\n7e1 0 3 %s R1\n"
                       "7e1 0 4 FADD R1, R1, R2\n7e1 0 5 %s B0\n7e1 0 6 STG.E desc[UR4][R2.64], R3\n7e1 0 7 EXIT\n",
                       words[i][0], words[i][1]);
        fx_machine_code code = parsed(text);
        fx_paths *paths = fx_paths_new(&code);
        assert_int_equal(fx_paths_find(paths, 0, 5, 0)->count, i ? 3 : 5);
        drop(paths, &code);
    }
}

/* Of lanes that parted at a jump, those that go on come first; the others do not come round the loop. */
TEST(test_lanes_that_parted) {
    fx_machine_code code = parsed("7e1 0 1 S2R R0, SR_TID.X\n7e1 0 2 @P0 BRA 0x40\n"
                                  "7e1 0 3 LDG.E R3, desc[UR4][R2.64]\n7e1 0 3 BRA 0x50\n7e1 0 4 LDS R3, [R5]\n"
                                  "7e1 0 5 BSYNC B0\n7e1 0 6 @P1 BRA 0x10\n7e1 0 7 EXIT\n");
    fx_paths *paths = fx_paths_new(&code);
    assert_int_equal(fx_paths_find(paths, 2, 4, 0)->count, 5);
    for (unsigned i = 0; i < 2; i++) { /* the second time it is known */
        assert_int_equal(fx_paths_apart(paths, 2, 4)->count, 3);
        assert_ptr_equal(fx_paths_apart(paths, 4, 2), fx_paths_find(paths, 4, 2, 0));
    }
    drop(paths, &code);
    /* nor through the barrier at its end */
    code = parsed("7e1 0 1 S2R R0, SR_TID.X\n7e1 0 2 @P0 BRA 0x40\n7e1 0 3 STG.E desc[UR4][R2.64], R3\n"
                  "7e1 0 3 BRA 0x50\n7e1 0 4 LDG.E R3, desc[UR4][R2.64]\n7e1 0 5 BSYNC B0\n"
                  "7e1 0 6 BAR.SYNC.DEFER_BLOCKING 0x0\n7e1 0 6 @P1 BRA 0x10\n7e1 0 7 EXIT\n");
    paths = fx_paths_new(&code);
    assert_int_equal(fx_paths_find(paths, 2, 4, 0)->barriers, 1);
    assert_int_equal(fx_paths_apart(paths, 2, 4)->barriers, 0);
    assert_int_equal(fx_paths_apart(paths, 4, 2)->barriers, 1);
    drop(paths, &code);
}

/* What is always called is executed, and comes back; a function that calls itself ends all the same. */
TEST(test_calls) {
    fx_machine_code code = parsed("7e1 0 1 LDG.E R3, desc[UR4][R2.64]\n7e1 0 2 CALL.REL.NOINC 0x40\n"
                                  "7e1 0 3 STG.E desc[UR4][R2.64], R3\n7e1 0 3 EXIT\n7e1 0 4 MUFU.RCP R1\n"
                                  "7e1 0 5 RET.REL.NODEC R4 kernel\n7e1 0 6 CALL.REL.NOINC 0x60\n"
                                  "7e1 0 7 RET.REL.NODEC R4 kernel\n");
    fx_paths *paths = fx_paths_new(&code);
    assert_int_equal(fx_paths_find(paths, 0, 2, 0)->count, 4);
    assert_int_equal(fx_paths_find(paths, 0, 4, 0)->count, 2); /* into the function, ... */
    assert_int_equal(fx_paths_find(paths, 4, 2, 0)->count, 2); /* ... and back */
    assert_non_null(fx_paths_find(paths, FX_PATH_ENTRY - 6, FX_PATH_BACK, 0));
    drop(paths, &code);
}

/* What a stranger's trace may hold: jumps to nowhere, no text, a line without an end. */
TEST(test_text_that_is_no_code) {
    static const char *const texts[] = {"", "7e1 0 1 BRA 0x10", "zz\n\n@P0\n",
                                        "7e1 -1 -1 BRA 0xfffffffffffffff0\n7e1 0 0 EXIT\n",
                                        "7e1 0 0 @!P0 BRA 0x7000\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fx_machine_code code = parsed(texts[i]);
        fx_paths *paths = fx_paths_new(&code);
        if (code.count) {
            assert_non_null(fx_paths_find(paths, FX_PATH_ENTRY, 0, 0));
            assert_non_null(fx_paths_find(paths, 0, FX_PATH_EXIT, 0));
        }
        assert_int_equal(code.count, i == 0 || i == 1 ? 0 : i == 2 ? 3 : i == 3 ? 2 : 1);
        drop(paths, &code);
    }
}

static const fx_rates rates = {.ghz = 1,
                               .sms = 10,
                               .unit = {[FX_UNIT_FMA] = 1, [FX_UNIT_ALU] = 2, [FX_UNIT_SPECIAL] = 8},
                               .shared_latency = 23,
                               .l1_latency = 34,
                               .near_latency = 300,
                               .far_latency = 450,
                               .same_line = 2,
                               .same_word = {5, 20},
                               .off = 1,
                               .dram_latency = 700,
                               .barrier = 28,
                               .block = 100,
                               .dram_read = 0.001,
                               .dram_write = 0.001,
                               .dram_copy = 0.002,
                               .l2 = 0.0005};

/* A launch of so many blocks of one warp that execute the text once, with one access. */
static double cycles_of(const char *text, fx_play_access access, unsigned warps, double grid, double part[FX_TIMES]) {
    fx_machine_code code = parsed(text);
    fx_path path = {.step = calloc(code.count, sizeof *path.step), .found = true};
    fx_path rest = path;
    fx_play_warp all[64];
    uint32_t at = 0;
    while (path.count < code.count && !(path.count && code.steps[path.count - 1].unit == FX_UNIT_MEMORY)) {
        path.step[path.count++] = at++;
    }
    rest.step = path.step + path.count;
    while (at < code.count) {
        path.step[at] = at;
        rest.count++;
        at++;
    }
    const fx_play_item items[] = {{&path, 0}, {&rest, UINT32_MAX}};
    for (unsigned i = 0; i < warps; i++) {
        all[i] = (fx_play_warp){0, 2, code.count};
    }
    const fx_play play = {.rates = &rates,
                          .code = &code,
                          .accesses = &access,
                          .items = items,
                          .warps = all,
                          .blocks = 1,
                          .warps_of_block = warps,
                          .threads = 32 * warps,
                          .resident = 2,
                          .grid = grid,
                          .at_best = UINT32_MAX,
                          .budget = 100000,
                          .early = 100000};
    fx_played played;
    fx_replay(&play, &played);
    double sum = 0;
    for (size_t i = 0; i < FX_TIMES; i++) {
        sum += played.part[i];
        part[i] = played.part[i];
    }
    assert_true(fabs(sum - played.cycles) < 1e-6 * sum);
    free(played.step);
    free(path.step);
    fx_machine_code_free(&code);
    return played.cycles;
}

TEST(test_a_lone_warp_waits_for_its_load) {
    double part[FX_TIMES];
    /* a shared load of 32 wavefronts takes 21 + 2 x 32 cycles, and the add waits for board 0 */
    static const char text[] = "701 0 1 LDS R3, [R5]\nfe1 0 2 FADD R3, R3, R2\n7e1 0 3 EXIT\n";
    const fx_play_access access = {.shared = true, .wavefronts = {32, 1}, .line = 1};
    const double cycles = cycles_of(text, access, 1, 1, part);
    assert_true(fabs(cycles - (21 + 64 + 2)) <= 1);
    assert_true(part[FX_TIME_SHORT] > 60);
    static const char from_dram[] = "701 0 1 LDG.E R3, desc[UR4][R2.64]\nfe1 0 2 FADD R3, R3, R2\n7e1 0 3 EXIT\n";
    const fx_play_access far = {.wavefronts = {1, 1},
                                .to_l2 = {2, 2},
                                .bytes = {128, 128},
                                .lines = {1, 1},
                                .sectors = {4, 4},
                                .dram_read = {128, 128},
                                .level = {FX_PLAY_DRAM, FX_PLAY_DRAM}};
    const double latency = cycles_of(from_dram, far, 1, 1, part); /* its line is in either half of the L2 */
    assert_true(fmin(fabs(latency - 705), fabs(latency - 855)) < 10);
    assert_true(part[FX_TIME_LONG] > 690);
    assert_true(cycles_of(from_dram, far, 16, 1, part) > 850); /* a block ends with its slowest warp */
    fx_play_access hit = {.wavefronts = {1, 1}, .place = 5, .level = {FX_PLAY_L2, FX_PLAY_L2}};
    assert_true(cycles_of(from_dram, hit, 1, 1, part) < 100);
    hit.recent = true; /* the warp that is to bring the line has not come yet */
    assert_true(cycles_of(from_dram, hit, 1, 1, part) > 300);
}

TEST(test_issue_units_and_starts) {
    char text[64 * 40] = "701 0 1 LDS R3, [R5]\n";
    double part[FX_TIMES];
    const fx_play_access none = {.shared = true, .wavefronts = {1, 1}};
    for (int i = 0; i < 50; i++) {
        strcat(text, "7e1 0 2 IADD3 R1, R1, R2, RZ\n");
    }
    strcat(text, "7e1 0 3 EXIT\n");
    /* 16 warps: 4 of each scheduler, whose ALU takes 2 cycles for each of 50 adds */
    const double cycles = cycles_of(text, none, 16, 1, part);
    assert_true(cycles > 4 * 50 * 2 && cycles < 4 * 50 * 2 + 60);
    assert_true(part[FX_TIME_MATH] > 0.4 * cycles);
    /* ten blocks of each SM start 100 cycles apart, and do next to nothing */
    static const char little[] = "701 0 1 LDS R3, [R5]\n7e1 0 3 EXIT\n";
    assert_true(fabs(cycles_of(little, none, 1, 100, part) - 900) < 40);
    assert_true(part[FX_TIME_STARTS] > 800);
}

/* Atomics of all SMs on one word take turns, and a load has come when its last line has: from the far half of the L2.
 */
TEST(test_the_chip_is_shared) {
    double part[FX_TIMES];
    static const char text[] = "701 0 1 LDG.E R3, desc[UR4][R2.64]\nfe1 0 2 FADD R3, R3, R2\n7e1 0 3 EXIT\n";
    fx_play_access load = {
        .wavefronts = {1, 1}, .bytes = {32, 32}, .lines = {1, 1}, .sectors = {1, 1}, .level = {FX_PLAY_L2, FX_PLAY_L2}};
    const double one = cycles_of(text, load, 1, 1, part);
    load.lines[0] = 32;
    assert_true(cycles_of(text, load, 1, 1, part) > one + 70);
    fx_play_access add = load;
    add.atomic = true;
    add.crowded = add.of_word = 1;
    const double whole = cycles_of(text, add, 1, 10, part);
    assert_true(whole > 10 * 5);
    static const char floats[] = "701 0 1 REDG.E.ADD.F32 desc[UR4][R2.64], R3\nfe1 0 2 FADD R3, R3, R2\n7e1 0 3 EXIT\n";
    assert_true(cycles_of(floats, add, 1, 10, part) > whole + 10 * 10);
    add.crowded = 8; /* packets of neighbouring lines */
    assert_true(cycles_of(text, add, 1, 10, part) > 10 * 8 * 2);
    load.store = true;
    load.to_l2[0] = 500; /* the path of the L1 is busy until all sectors have left by it */
    assert_true(cycles_of("7e1 0 1 STG.E desc[UR4][R2.64], R3\n701 0 2 SHFL R3, R4\nfe1 0 3 FADD R3, R3, R2\n", load,
                          16, 1, part) > 16 * 500 * 0.9);
    assert_true(part[FX_TIME_SHARED] > 16 * 500 * 0.3);
}

/* Lanes 0 to 15 share a word, the others have each its own in two sectors, of which the second is another place's. */
TEST(test_packets) {
    fx_trace_pattern pattern = {.mask = ~0u, .bytes = 4};
    for (int l = 0; l < FX_WARP; l++) {
        pattern.offset[l] = l < 16 ? 0 : 32 + 4 * (l - 16);
    }
    const fx_trace_packets of = fx_trace_packets_of(&pattern, 512 - 64, 0);
    assert_true(of.all == 16 + 1 && of.of_word == 16 && fx_trace_packets_of(&pattern, 512 - 64, 1).all == 1);
}

/* As much read as written takes what a copy takes; either alone its own rate. */
TEST(test_dram_turns) {
    double part[FX_TIMES];
    static const char text[] = "7e1 0 1 STG.E desc[UR4][R2.64], R3\n7e1 0 3 EXIT\n";
    fx_play_access store = {.store = true, .wavefronts = {1, 1}, .bytes = {32, 32}, .dram_write = {2048, 2048}};
    const double written = cycles_of(text, store, 16, 1000, part);
    store.dram_write[0] = store.dram_read[0] = 1024;
    const double mixed = cycles_of(text, store, 16, 1000, part);
    assert_true(mixed > 1.9 * written && mixed < 2.1 * written);
}

/* Two blocks fit on an SM, and one could start each 100 cycles, but each stays until the L2 has taken its store. */
TEST(test_a_block_waits_for_its_stores) {
    double part[FX_TIMES];
    static const char text[] = "7e1 0 1 STG.E desc[UR4][R2.64], R3\n7e1 0 3 EXIT\n";
    fx_play_access store = {
        .store = true, .wavefronts = {1, 1}, .bytes = {32, 32}, .lines = {1, 1}, .level = {FX_PLAY_L2, FX_PLAY_L2}};
    const double cycles = cycles_of(text, store, 1, 1000, part); /* (300 + 450) / 2 of each, two at once, 100 blocks */
    assert_true(cycles > 50 * 375 && cycles < 50 * 420);
    assert_true(part[FX_TIME_LONG] > 0.5 * cycles);
}

TEST(test_rates) {
    fx_rates out;
    json_t *few = json_pack("{sf si}", "ghz", 1.5, "sms", 4);
    assert_int_equal(fx_rates_read(few, &out, &err), FX_BAD_INPUT);
    assert_says(err.text, "fma");
    json_decref(few);
}

UNIT_MAIN(NULL, NULL)
