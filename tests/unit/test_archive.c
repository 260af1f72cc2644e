/* The archive: what is written is read back, cut-off and foreign files are named, full disks and closed folders are
 * reported, and no line is ever glued to half of another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/archive.h"

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gpufx-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static int remove_folder(void **state) {
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const fx_axis axes[] = {
    {.name = "op", .unit = "", .choices = "load store"},
    {.name = "size", .unit = "bytes", .min = 0, .max = INT64_MAX},
};
static const fx_metric metrics[] = {{"copy_ns", "ns", FX_GPU_NS, false, "access"},
                                    {"access_cycles", "cycles", FX_SM_CYCLES, false, "access"}};
static const fx_sweep sweep = {"all", "size=1", NULL};
static const fx_probe probe = {
    .name = "copy",
    .method_version = 3,
    .axes = axes,
    .axes_count = 2,
    .metrics = metrics,
    .metrics_count = 2,
    .extras = "  link_GBps   wait_ns",
};

/* A case and a result with every field set; the caller frees nothing. */
static fx_case full_case(void) {
    fx_case c = {.probe = &probe, .sweep = &sweep, .has_lanes = true, .name = "copy/op:store/size:1073741824"};
    c.params.value[0] = 1;
    c.params.value[1] = 1073741824;
    for (int32_t l = 0; l < FX_WARP; l++) {
        c.lanes.offset[l] = l == 31 ? -1 : 4 * l;
    }
    c.prediction = (fx_prediction){.law = "bytes", .count = 1073741824, .in_fit = true, .useful_bytes = 500};
    c.prediction.moved_bytes = 2000;
    fx_prediction_count(&c.prediction, "dram", 3);
    return c;
}

static double samples[] = {10, 10.123456789012, 1073741824123456, 9.5, 9, 10};
static double t_n[] = {100, 101.5, NAN, 103, 104, 105};

static fx_result full_result(void) {
    fx_result result = {
        .samples = samples,
        .t_n = t_n,
        .n = 6,
        .summary = {.n = 6, .median = 10, .ci_low = 9, .ci_high = 12.5, .outliers = 1, .lag1 = -0.25},
        .stop = FX_STOP_TIME_LIMIT,
        .flags = FX_FLAG_DRIFT | FX_SAMPLE_LATCH_TIMEOUT,
        .clock_moved = 2,
        .intercept = NAN,
        .sm_clock_MHz = 1000,
        .sm_clock_min_MHz = 990,
        .sm_clock_max_MHz = 1001.5,
        .extra = {NAN, 7, NAN, NAN},
        .after = {.known = true,
                  .sm_MHz = 1980,
                  .temperature_C = NAN,
                  .throttle_reasons = 1u << 2 | 1ull << 40,
                  .age_ms = 12.5,
                  .number = 7},
        .ran = {.kernel = "copy<4>",
                .code_hash = "0123456789abcdef",
                .registers = 32,
                .blocks = 132,
                .threads = 1024,
                .buffers = {{1u << 30, 0x1fff00}, {512, 0}},
                .buffer_count = 2,
                .dram_bytes = 1u << 30,
                .sms = {3, 131},
                .sm_count = 2,
                .units_n = 64},
        .elapsed_s = 0.125,
    };
    return result;
}

static json_t *run_line(void) {
    return json_pack("{ss s[s]}", "provenance", "synthetic", "arguments", "run");
}

/* Collects copies of all lines. */
static fx_status collect(void *context, const json_t *object, size_t number, fx_error *err) {
    (void)err;
    json_t *lines = context;
    assert_int_equal(json_array_size(lines) + 1, number);
    json_array_append_new(lines, json_deep_copy(object));
    return FX_OK;
}

static json_t *read_all(const char *path, bool *truncated) {
    fx_error err = {0};
    json_t *lines = json_array();
    if (fx_archive_read(path, collect, lines, truncated, &err) != FX_OK) {
        fail_msg("%s", err.text);
    }
    return lines;
}

static fx_archive *create(const char *where) {
    fx_error err = {0};
    fx_archive *archive;
    json_t *run = run_line();
    if (fx_archive_create(where, run, &archive, &err) != FX_OK) {
        fail_msg("%s", err.text);
    }
    json_decref(run);
    return archive;
}

static void in_folder(char path[200], const char *name) {
    snprintf(path, 200, "%s/%s", folder, name);
}

static void write_text(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void expect_json(const json_t *object, const char *key, const char *expected) {
    json_t *value = json_object_get(object, key);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) : NULL;
    if (!text || strcmp(text, expected) != 0) {
        fail_msg("%s is %s, not %s", key, text ? text : "absent", expected);
    }
    free(text);
}

static void round_trip(void **state) {
    (void)state;
    char path[200];
    in_folder(path, "deep/er/folder/");
    fx_error err = {0};
    fx_archive *archive = create(path);
    fx_case c = full_case();
    fx_result result = full_result();
    fx_facts facts = {.memory_peak_GBps = 400};
    fx_fit fit = {.n = 5, .a = 1.5, .b = 2, .r_squared = NAN, .residual_sd_pct = 0.25, .largest_residual_pct = 0.5};
    fx_counts counts = {1, 1, 1};
    fx_turn turn = {.process = 2, .place = 41, .repetition = 3, .began_s = 1.25};
    json_t *group = json_pack("{ss}", "op", "store");
    fx_error cause;
    fx_fail(&cause, FX_WRONG_RESULT, "word 5 is wrong in '\xff\xfe'");
    assert_int_equal(fx_archive_case(archive, &turn, &c, &result, &facts, &err), FX_OK);
    assert_int_equal(fx_archive_waived(archive, &turn, &c, "no \"managed\" memory", &err), FX_OK);
    assert_int_equal(fx_archive_failed(archive, &turn, &c, &cause, &err), FX_OK);
    assert_int_equal(fx_archive_fit(archive, 2, &probe, group, "bytes", "copy_ns", &fit, "copy/x", &err), FX_OK);
    assert_int_equal(fx_archive_end(archive, NULL, &counts, 4.5, &err), FX_OK);
    json_decref(group);

    bool truncated = true;
    json_t *lines = read_all(fx_archive_path(archive), &truncated);
    assert_false(truncated);
    assert_int_equal(json_array_size(lines), 6);
    json_t *line = json_array_get(lines, 0);
    expect_json(line, "type", "\"run\"");
    expect_json(line, "schema", "2");
    expect_json(line, "provenance", "\"synthetic\"");

    line = json_array_get(lines, 1);
    expect_json(line, "type", "\"case\"");
    expect_json(line, "process", "2");
    expect_json(line, "place", "41");
    expect_json(line, "repetition", "3");
    expect_json(line, "began_s", "1.25");
    expect_json(line, "method_version", "3");
    expect_json(line, "sweep", "\"all\"");
    expect_json(line, "params", "{\"op\":\"store\",\"size\":1073741824}");
    expect_json(line, "metric", "{\"name\":\"copy_ns\",\"unit\":\"ns\",\"timebase\":\"gpu_ns\",\"better\":\"lower\"}");
    expect_json(line, "samples", "[10,10.1234568,1073741824123456,9.5,9,10]");
    expect_json(line, "ci95", "[9,12.5]");
    expect_json(line, "lag1", "-0.25");
    expect_json(line, "intercept", "null");
    expect_json(line, "stop", "\"time_limit\"");
    expect_json(line, "law",
                "{\"name\":\"bytes\",\"count\":1073741824,\"in_fit\":true,\"why_not\":null,\"counts\":{\"dram\":3}}");
    expect_json(line, "derived", "{\"useful_GBps\":50,\"moved_GBps\":200,\"peak_pct\":50}");
    expect_json(line, "extras", "{\"wait_ns\":7}");
    expect_json(line, "flags", "[\"latch_timeout\",\"drift\"]");
    expect_json(line, "clocks",
                "{\"sm_clock_MHz\":1000,\"sm_clock_min_MHz\":990,\"sm_clock_max_MHz\":1001.5,\"nvml\":["
                "{\"sm_MHz\":1980,\"memory_MHz\":null,\"temperature_C\":null,\"power_W\":null,"
                "\"throttle_reasons\":[\"sw_power_cap\",\"bit_40\"],\"age_ms\":12.5}]}");
    expect_json(line, "code",
                "{\"kernel\":\"copy<4>\",\"hash\":\"0123456789abcdef\",\"registers\":32,\"blocks\":132,"
                "\"threads\":1024,\"shared_bytes\":0}");
    expect_json(line, "memory",
                "{\"buffers\":[{\"bytes\":1073741824,\"address_low21\":2096896},{\"bytes\":512,\"address_low21\":0}],"
                "\"dram_bytes\":1073741824}");
    expect_json(line, "sms", "[3,131]");
    expect_json(line, "lengths", "{\"n\":64,\"t_n\":[100,101.5,null,103,104,105]}");
    assert_int_equal(json_array_size(json_object_get(line, "lanes")), 32);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(line, "lanes"), 31)), -1);

    expect_json(json_array_get(lines, 2), "reason", "\"no \\\"managed\\\" memory\"");
    expect_json(json_array_get(lines, 3), "status", "\"wrong_result\"");
    expect_json(json_array_get(lines, 3), "reason", "\"word 5 is wrong in '\?\?'\"");
    expect_json(json_array_get(lines, 4), "group", "{\"op\":\"store\"}");
    expect_json(json_array_get(lines, 4), "process", "2");
    expect_json(json_array_get(lines, 4), "r_squared", "null");
    expect_json(json_array_get(lines, 4), "residual_sd_pct", "0.25");
    expect_json(json_array_get(lines, 4), "holds", "true");
    expect_json(json_array_get(lines, 5), "complete", "true");
    expect_json(json_array_get(lines, 5), "reason", "null");
    expect_json(json_array_get(lines, 5), "cases", "1");
    json_decref(lines);
    fx_archive_close(archive);
}

static void a_case_with_no_law_in_cycles(void **state) {
    (void)state;
    fx_error err = {0};
    fx_archive *archive = create(folder);
    fx_case c = full_case();
    c.has_lanes = false;
    c.prediction = (fx_prediction){.metric = 1, .useful_bytes = 128};
    fx_result result = full_result();
    result.summary.ci_low = result.summary.ci_high = NAN;
    result.flags = 0;
    result.t_n = NULL;
    result.ran = (fx_ran){.registers = -1, .shared_bytes = -1};
    result.before = result.after; /* one and the same */
    assert_int_equal(fx_archive_case(archive, &(fx_turn){0}, &c, &result, &(fx_facts){0}, &err), FX_OK);
    json_t *lines = read_all(fx_archive_path(archive), NULL);
    json_t *line = json_array_get(lines, 1);
    expect_json(line, "lanes", "null");
    expect_json(line, "law", "null");
    expect_json(line, "ci95", "null");
    expect_json(line, "flags", "[]");
    expect_json(line, "code", "null");
    expect_json(line, "memory", "null");
    expect_json(line, "sms", "null");
    expect_json(line, "lengths", "null");
    assert_int_equal(json_array_size(json_object_get(json_object_get(line, "clocks"), "nvml")), 1);
    expect_json(line, "derived", "{\"useful_bytes_per_cycle\":12.8,\"moved_bytes_per_cycle\":12.8}");
    json_decref(lines);
    fx_archive_close(archive);
}

static void name_and_first_bytes(void **state) {
    (void)state;
    fx_archive *archive = create(folder);
    regex_t pattern;
    assert_int_equal(regcomp(&pattern, "/[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}\\.jsonl$", REG_EXTENDED | REG_NOSUB), 0);
    assert_int_equal(regexec(&pattern, fx_archive_path(archive), 0, NULL, 0), 0);
    regfree(&pattern);
    json_t *lines = read_all(fx_archive_path(archive), NULL);
    const char *id = json_string_value(json_object_get(json_array_get(lines, 0), "id"));
    assert_non_null(strstr(fx_archive_path(archive), id));
    assert_int_equal(strlen(json_string_value(json_object_get(json_array_get(lines, 0), "started_utc"))), 20);
    json_decref(lines);
    char head[32] = "";
    FILE *file = fopen(fx_archive_path(archive), "r");
    assert_int_equal(fread(head, 1, 27, file), 27);
    fclose(file);
    assert_string_equal(head, "{\"type\":\"run\",\"schema\":2,\"i");
    fx_archive_close(archive);
    fx_archive_close(NULL);
}

static void two_writers_in_one_folder(void **state) {
    (void)state;
    enum { LINES = 200 };
    fx_error err = {0};
    fx_case c = full_case();
    fx_archive *mine = create(folder);
    int way[2];
    assert_int_equal(pipe(way), 0);
    pid_t child = fork();
    if (child == 0) {
        fx_archive *other = create(folder);
        int good = 1;
        for (int i = 0; i < LINES; i++) {
            good = good && fx_archive_waived(other, &(fx_turn){.process = 1}, &c, "child", &err) == FX_OK;
        }
        const char *path = fx_archive_path(other);
        good = good && write(way[1], path, strlen(path) + 1) > 0;
        _exit(good ? 0 : 1);
    }
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(fx_archive_waived(mine, &(fx_turn){.process = 0}, &c, "parent", &err), FX_OK);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char other[200];
    assert_true(read(way[0], other, sizeof other) > 0);
    close(way[0]);
    close(way[1]);
    assert_string_not_equal(other, fx_archive_path(mine));
    const char *paths[] = {fx_archive_path(mine), other}, *reasons[] = {"\"parent\"", "\"child\""};
    for (int which = 0; which < 2; which++) {
        json_t *lines = read_all(paths[which], NULL);
        assert_int_equal(json_array_size(lines), LINES + 1);
        for (size_t i = 1; i <= LINES; i++) {
            expect_json(json_array_get(lines, i), "reason", reasons[which]);
        }
        json_decref(lines);
    }
    fx_archive_close(mine);
}

/* Each writer looks for half a line before it writes: the other's line, while it is being written, must not be taken
 * for one. The lines are longer than a page, and the kernel makes a file longer page by page. */
static void two_writers_on_one_archive(void **state) {
    (void)state;
    enum { LINES = 1000, WRITERS = 2, LONG = 20000 };
    fx_error err = {0};
    fx_case c = full_case();
    fx_archive *archive = create(folder);
    pid_t children[WRITERS];
    for (unsigned w = 0; w < WRITERS; w++) {
        children[w] = fork();
        if (children[w] == 0) {
            fx_archive *own = NULL;
            char *reason = malloc(LONG + 1);
            memset(reason, 'a' + (int)w, LONG);
            reason[LONG] = '\0';
            bool good = fx_archive_append_to(fx_archive_path(archive), &own, &err) == FX_OK;
            for (int i = 0; i < LINES && good; i++) {
                good = fx_archive_waived(own, &(fx_turn){.process = w}, &c, reason, &err) == FX_OK;
            }
            _exit(good ? 0 : 1);
        }
    }
    for (unsigned w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(children[w], &status, 0), children[w]);
        assert_int_equal(status, 0);
    }
    bool truncated = true;
    json_t *lines = read_all(fx_archive_path(archive), &truncated);
    assert_false(truncated);
    assert_int_equal(json_array_size(lines), 1 + WRITERS * LINES);
    json_decref(lines);
    fx_archive_close(archive);
}

static int is_archive(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".jsonl");
}

/* A signal that ends the process in the middle of its first line, as a kill may: no archive without one is left. */
static void a_kill_in_the_first_line(void **state) {
    (void)state;
    char where[200];
    in_folder(where, "killed");
    pid_t child = fork();
    if (child == 0) {
        fx_error err = {0};
        fx_archive *archive = NULL;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){20, 20});
        signal(SIGXFSZ, SIG_DFL);
        (void)fx_archive_create(where, run_line(), &archive, &err);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    struct dirent **found = NULL;
    assert_int_equal(scandir(where, &found, is_archive, NULL), 0);
    free(found);
}

static void a_cut_off_line_is_skipped_and_then_replaced(void **state) {
    (void)state;
    fx_error err = {0};
    fx_case c = full_case();
    fx_counts counts = {0, 2, 0};
    fx_archive *archive = create(folder);
    assert_int_equal(fx_archive_waived(archive, &(fx_turn){.process = 0}, &c, "first", &err), FX_OK);
    /* What a kill inside write(2) leaves: half a line, longer than the block that is searched for its start. */
    FILE *file = fopen(fx_archive_path(archive), "a");
    fprintf(file, "{\"type\":\"case\",\"x\":\"%09000d", 0);
    fclose(file);
    bool truncated = false;
    json_t *lines = read_all(fx_archive_path(archive), &truncated);
    assert_true(truncated);
    assert_int_equal(json_array_size(lines), 2);
    json_decref(lines);

    fx_archive *next = NULL;
    assert_int_equal(fx_archive_append_to(fx_archive_path(archive), &next, &err), FX_OK);
    assert_int_equal(fx_archive_waived(next, &(fx_turn){.process = 1}, &c, "second", &err), FX_OK);
    fx_archive_close(next);
    assert_int_equal(fx_archive_end(archive, "interrupted", &counts, 1, &err), FX_OK);
    lines = read_all(fx_archive_path(archive), &truncated);
    assert_false(truncated);
    assert_int_equal(json_array_size(lines), 4);
    expect_json(json_array_get(lines, 2), "reason", "\"second\"");
    expect_json(json_array_get(lines, 3), "complete", "false");
    expect_json(json_array_get(lines, 3), "reason", "\"interrupted\"");
    json_decref(lines);
    fx_archive_close(archive);
}

static void expect_refusal(const char *path, fx_status status, const char *text) {
    fx_error err = {0};
    json_t *lines = json_array();
    if (fx_archive_read(path, collect, lines, NULL, &err) != status) {
        fail_msg("%s: status %s", path, fx_status_name(err.status));
    }
    json_decref(lines);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
    assert_non_null(strstr(err.text, path));
}

static void refuses(const char *content, size_t size, const char *text) {
    char path[200];
    in_folder(path, "given.jsonl");
    write_text(path, content, size);
    expect_refusal(path, FX_BAD_INPUT, text);
}

#define REFUSES(content, text) refuses(content, sizeof(content) - 1, text)
#define RUN                    "{\"type\":\"run\",\"schema\":1}\n"

static void foreign_newer_and_damaged_files(void **state) {
    (void)state;
    REFUSES("", "not a gpufx archive");
    REFUSES("{\"type\":\"run\",\"sch", "no complete line");
    REFUSES("hello\n", "line 1 is not a JSON object");
    REFUSES("\x89PNG\r\n\x1a\n\0\0", "line 1 is not a JSON object");
    REFUSES("[1]\n", "not a gpufx archive");
    REFUSES("{\"type\":\"case\",\"schema\":1}\n", "not a gpufx archive");
    REFUSES("{\"type\":\"run\"}\n", "not a gpufx archive");
    REFUSES("{\"type\":\"run\",\"schema\":\"1\"}\n", "not a gpufx archive");
    REFUSES("{\"type\":\"run\",\"schema\":0}\n", "schema 0, of which there are no archives");
    REFUSES("{\"type\":\"run\",\"schema\":3}\n", "newer gpufx (schema 3), this one reads up to 2: update gpufx");
    REFUSES(RUN "{\"type\":\"fit\"}\n{\"type\":\n{\"type\":\"fit\"}\n", "line 3");
    REFUSES(RUN "{\"type\":\"fit\"}\n[]\n", "line 3");
    REFUSES(RUN "\n", "line 2");
    REFUSES(RUN "{\"n\":1}\n", "line 2: there is no \"type\"");
    REFUSES(RUN "{\"type\":\"x\",\"type\":\"y\"}\n", "line 2");
    expect_refusal(folder, FX_BAD_INPUT, "is a folder");
    expect_refusal("/tmp/gpufx/not/there", FX_IO, "check its name");
    expect_refusal("/dev/zero", FX_BAD_INPUT, "is not a file");
}

static fx_status stop_at_line_2(void *context, const json_t *object, size_t number, fx_error *err) {
    (void)object;
    *(size_t *)context = number;
    return number == 2 ? fx_fail(err, FX_NO_MEMORY, "enough") : FX_OK;
}

static void the_callback_ends_the_reading(void **state) {
    (void)state;
    char path[200];
    in_folder(path, "given.jsonl");
    const char text[] = RUN "{\"type\":\"fit\"}\n{\"type\":\"fit\"}\n";
    write_text(path, text, sizeof text - 1);
    fx_error err;
    size_t last = 0;
    assert_int_equal(fx_archive_read(path, stop_at_line_2, &last, NULL, &err), FX_NO_MEMORY);
    assert_int_equal(last, 2);
    assert_string_equal(err.text, "enough");
}

static void lines_may_be_long(void **state) {
    (void)state;
    fx_error err = {0};
    enum { LENGTH = 3 << 20 };
    char *reason = malloc(LENGTH + 1);
    memset(reason, 'x', LENGTH);
    reason[LENGTH] = '\0';
    fx_case c = full_case();
    fx_archive *archive = create(folder);
    assert_int_equal(fx_archive_waived(archive, &(fx_turn){.process = 0}, &c, reason, &err), FX_OK);
    json_t *lines = read_all(fx_archive_path(archive), NULL);
    assert_string_equal(json_string_value(json_object_get(json_array_get(lines, 1), "reason")), reason);
    json_decref(lines);
    free(reason);
    fx_archive_close(archive);
}

static void cannot_create(const char *where, const char *text) {
    fx_error err = {0};
    fx_archive *archive;
    json_t *run = run_line();
    assert_int_equal(fx_archive_create(where, run, &archive, &err), FX_IO);
    json_decref(run);
    assert_null(archive);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
}

static void unwritable_folders(void **state) {
    (void)state;
    char path[200], below[220], text[300];
    in_folder(path, "file");
    write_text(path, "x", 1);
    snprintf(below, sizeof below, "%s/sub", path);
    snprintf(text, sizeof text, "'%s': File exists; a part of that path is a file, not a folder", path);
    cannot_create(path, text);
    cannot_create(below, text);
    cannot_create("/proc/gpufx-nothing", "cannot make the folder");
    in_folder(path, "closed");
    assert_int_equal(mkdir(path, 0500), 0);
    /* root may write anywhere, so it becomes somebody else for a moment. */
    uid_t user = geteuid();
    if (user == 0 && seteuid(65534) != 0) {
        skip();
    }
    cannot_create(path, "Permission denied; choose a folder that you may write to");
    assert_int_equal(seteuid(user), 0);
}

static void a_full_disk(void **state) {
    (void)state;
    fx_error err = {0};
    fx_case c = full_case();
    int full = open("/dev/full", O_RDWR), next = dup(full);
    close(next);
    fx_archive *archive = create(folder);
    /* The archive's descriptor is the lowest that was free. */
    assert_int_equal(dup2(full, next), next);
    close(full);
    assert_int_equal(fx_archive_waived(archive, &(fx_turn){.process = 0}, &c, "x", &err), FX_IO);
    assert_non_null(strstr(err.text, "No space left on device; free some space"));
    fx_archive_close(archive);
}

static void a_first_line_that_does_not_fit(void **state) {
    (void)state;
    fx_error err = {0};
    fx_archive *archive = NULL;
    json_t *run = json_object();
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){20, old.rlim_max});
    fx_status status = fx_archive_create(folder, run, &archive, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    json_decref(run);
    assert_int_equal(status, FX_IO);
    assert_null(archive);
    assert_non_null(strstr(err.text, "nothing was written"));
}

/* Not even the line without an end, which would be cut from an archive. */
static void what_is_no_archive_is_not_appended_to(void **state) {
    (void)state;
    static const char *const texts[] = {"", "half", "{\"type\":\"case\"}\nhalf", "text\nhalf", "{\"type\":\"run\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fx_error err = {0};
        fx_archive *archive = create(folder), *other = NULL;
        struct stat after;
        assert_int_equal(fx_archive_in_place(archive, &err), FX_OK);
        assert_int_equal(unlink(fx_archive_path(archive)), 0);
        FILE *file = fopen(fx_archive_path(archive), "w");
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(fx_archive_append_to(fx_archive_path(archive), &other, &err), FX_BAD_INPUT);
        assert_null(other);
        assert_int_equal(stat(fx_archive_path(archive), &after), 0);
        assert_int_equal(after.st_size, strlen(texts[i]));
        assert_int_equal(fx_archive_in_place(archive, &err), FX_IO);
        assert_non_null(strstr(err.text, "replaced"));
        unlink(fx_archive_path(archive));
        fx_archive_close(archive);
    }
    fx_error err = {0};
    fx_archive *archive = NULL;
    assert_int_equal(fx_archive_append_to("/dev/full", &archive, &err), FX_BAD_INPUT);
}

/* A file size limit stops a write in mid-line, as a disk that fills up does. */
static void half_a_line_is_taken_back(void **state) {
    (void)state;
    fx_error err = {0};
    fx_case c = full_case();
    fx_archive *archive = create(folder);
    struct stat before, after;
    stat(fx_archive_path(archive), &before);
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)before.st_size + 50, old.rlim_max});
    fx_status status = fx_archive_waived(archive, &(fx_turn){.process = 0}, &c, "x", &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, FX_IO);
    assert_non_null(strstr(err.text, "ulimit -f"));
    stat(fx_archive_path(archive), &after);
    assert_int_equal(after.st_size, before.st_size);
    fx_archive_close(archive);
}

static void an_archive_that_vanished(void **state) {
    (void)state;
    fx_error err = {0};
    fx_archive *archive = create(folder), *other = NULL;
    fx_case c = full_case();
    assert_int_equal(unlink(fx_archive_path(archive)), 0);
    assert_int_equal(fx_archive_waived(archive, &(fx_turn){.process = 0}, &c, "x", &err), FX_IO);
    assert_non_null(strstr(err.text, "was deleted during the run"));
    assert_int_equal(fx_archive_append_to(fx_archive_path(archive), &other, &err), FX_IO);
    assert_non_null(strstr(err.text, fx_archive_path(archive)));
    assert_null(other);
    fx_archive_close(archive);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(a_case_with_no_law_in_cycles),
        cmocka_unit_test(name_and_first_bytes),
        cmocka_unit_test(two_writers_in_one_folder),
        cmocka_unit_test(two_writers_on_one_archive),
        cmocka_unit_test(a_kill_in_the_first_line),
        cmocka_unit_test(a_cut_off_line_is_skipped_and_then_replaced),
        cmocka_unit_test(foreign_newer_and_damaged_files),
        cmocka_unit_test(the_callback_ends_the_reading),
        cmocka_unit_test(lines_may_be_long),
        cmocka_unit_test(unwritable_folders),
        cmocka_unit_test(a_full_disk),
        cmocka_unit_test(a_first_line_that_does_not_fit),
        cmocka_unit_test(what_is_no_archive_is_not_appended_to),
        cmocka_unit_test(half_a_line_is_taken_back),
        cmocka_unit_test(an_archive_that_vanished),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
