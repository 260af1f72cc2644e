/* The archive: what is written is read back, and cut-off, foreign and damaged files are named. */
#include "unit.h"

#include <math.h>
#include <regex.h>

#include "archived.h"

TEST(round_trip) {
    char path[200];
    in_folder(path, "deep/er/folder/");
    fx_archive *archive = create(path);
    fx_case c = full_case();
    fx_result result = full_result();
    fx_facts facts = {.memory_peak_GBps = 400};
    fx_fit fit = {.n = 5, .a = 1.5, .b = 2, .r_squared = NAN, .residual_sd_pct = 0.25, .largest_residual_pct = 0.5};
    fx_counts counts = {1, 1, 1};
    fx_run_position turn = {.process = 2, .place = 41, .repetition = 3, .began_s = 1.25};
    json_t *group = json_pack("{ss}", "op", "store");
    fx_error cause;
    fx_fail(&cause, FX_WRONG_RESULT, "word 5 is wrong in '\xff\xfe'");
    assert_ok(fx_archive_case(archive, &turn, &c, &result, &facts, &err));
    assert_ok(fx_archive_skipped(archive, &turn, &c, FX_UNSUPPORTED, "no \"managed\" memory", &err));
    assert_ok(fx_archive_skipped(archive, &turn, &c, cause.status, cause.text, &err));
    assert_ok(fx_archive_fit(archive, 2, &probe, group, "bytes", "copy_ns", &fit, "copy/x", &err));
    assert_ok(fx_archive_end(archive, NULL, &counts, 4.5, &err));
    json_decref(group);

    bool incomplete = true;
    json_t *lines = read_all(fx_archive_path(archive), &incomplete);
    assert_false(incomplete);
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
                "\"throttle_reasons\":[\"sw_power_cap\",\"bit_40\"],\"other_programs\":2,\"age_ms\":12.5}]}");
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

TEST(a_case_with_no_law_in_cycles) {
    fx_archive *archive = create(folder);
    fx_case c = full_case();
    c.has_lanes = false;
    c.prediction = (fx_prediction){.metric = 1, .useful_bytes = 128};
    fx_result result = full_result();
    result.summary.ci_low = result.summary.ci_high = NAN;
    result.flags = 0;
    result.t_n = NULL;
    result.ran = (fx_launched){.registers = -1, .shared_bytes = -1};
    result.before = result.after; /* one and the same */
    assert_ok(fx_archive_case(archive, &(fx_run_position){0}, &c, &result, &(fx_facts){0}, &err));
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

TEST(name_and_first_bytes) {
    fx_archive *archive = create(folder);
    regex_t pattern;
    assert_int_equal(regcomp(&pattern, "/[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}\\.jsonl$", REG_EXTENDED | REG_NOSUB), 0);
    assert_int_equal(regexec(&pattern, fx_archive_path(archive), 0, NULL, 0), 0);
    regfree(&pattern);
    json_t *lines = read_all(fx_archive_path(archive), NULL);
    const char *id = json_string_value(json_object_get(json_array_get(lines, 0), "id"));
    assert_says(fx_archive_path(archive), id);
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

TEST(a_cut_off_line_is_skipped_and_then_replaced) {
    fx_case c = full_case();
    fx_counts counts = {0, 2, 0};
    fx_archive *archive = create(folder);
    assert_ok(fx_archive_skipped(archive, &(fx_run_position){.process = 0}, &c, FX_UNSUPPORTED, "first", &err));
    /* What a kill inside write(2) leaves: half a line, longer than the block that is searched for its start. */
    FILE *file = fopen(fx_archive_path(archive), "a");
    fprintf(file, "{\"type\":\"case\",\"x\":\"%09000d", 0);
    fclose(file);
    bool incomplete = false;
    json_t *lines = read_all(fx_archive_path(archive), &incomplete);
    assert_true(incomplete);
    assert_int_equal(json_array_size(lines), 2);
    json_decref(lines);

    fx_archive *next = NULL;
    assert_ok(fx_archive_append_to(fx_archive_path(archive), &next, &err));
    assert_ok(fx_archive_skipped(next, &(fx_run_position){.process = 1}, &c, FX_UNSUPPORTED, "second", &err));
    fx_archive_close(next);
    assert_ok(fx_archive_end(archive, "interrupted", &counts, 1, &err));
    lines = read_all(fx_archive_path(archive), NULL);
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
    if (fx_archive_read(path, "", collect, lines, NULL, &err) != status) {
        fail_msg("%s: status %s", path, fx_status_name(err.status));
    }
    json_decref(lines);
    assert_says(err.text, text);
    assert_says(err.text, path);
}

static void refuses(const char *content, size_t size, const char *text) {
    char path[200];
    in_folder(path, "given.jsonl");
    write_text(path, content, size);
    expect_refusal(path, FX_BAD_INPUT, text);
}

#define REFUSES(content, text) refuses(content, sizeof(content) - 1, text)

#define RUN "{\"type\":\"run\",\"schema\":2}\n"

TEST(foreign_newer_and_damaged_files) {
    REFUSES("", "not a gpufx archive");
    REFUSES("{\"type\":\"run\",\"sch", "no complete line");
    REFUSES("hello\n", "its first line is not a JSON object");
    REFUSES("\x89PNG\r\n\x1a\n\0\0", "its first line is not a JSON object");
    REFUSES("[1]\n", "not a gpufx archive");
    REFUSES("{\"type\":\"case\",\"schema\":1}\n", "not a gpufx archive");
    REFUSES("{\"type\":\"run\"}\n", "not a gpufx archive");
    REFUSES("{\"type\":\"run\",\"schema\":\"1\"}\n", "not a gpufx archive");
    REFUSES("{\"type\":\"run\",\"schema\":0}\n", "has schema 0, of development versions before 0.1.0");
    REFUSES("{\"type\":\"run\",\"schema\":1}\n", "this gpufx reads schema 2: measure again");
    REFUSES("{\"type\":\"run\",\"schema\":3}\n", "newer gpufx (schema 3), this one reads schema 2: update gpufx");
    REFUSES(RUN "{\"type\":\"fit\"}\n{\"type\":\"fit\n{\"type\":\"fit\"}\n", "line 3");
    REFUSES(RUN "{\"type\":\"x\",\"type\":\"y\"}\n", "line 2");
    expect_refusal(folder, FX_BAD_INPUT, "is a folder");
    expect_refusal("/tmp/gpufx/not/there", FX_IO, "check its name");
    expect_refusal("/dev/zero", FX_BAD_INPUT, "is not a file");
}

static fx_status stop_at_line_2(void *context, const json_t *object, size_t number, fx_error *err) {
    *(size_t *)context = number;
    return number == 2 ? fx_fail(err, FX_NO_MEMORY, "enough") : FX_OK;
}

TEST(the_callback_ends_the_reading) {
    char path[200];
    in_folder(path, "given.jsonl");
    const char text[] = RUN "{\"type\":\"fit\"}\n{\"type\":\"fit\"}\n";
    write_text(path, text, sizeof text - 1);
    size_t last = 0;
    assert_int_equal(fx_archive_read(path, "", stop_at_line_2, &last, NULL, &err), FX_NO_MEMORY);
    assert_int_equal(last, 2);
    assert_string_equal(err.text, "enough");
}

TEST(lines_may_be_long) {
    enum { LENGTH = 3 << 20 };
    char *reason = malloc(LENGTH + 1);
    memset(reason, 'x', LENGTH);
    reason[LENGTH] = '\0';
    fx_case c = full_case();
    fx_archive *archive = create(folder);
    assert_ok(fx_archive_skipped(archive, &(fx_run_position){.process = 0}, &c, FX_UNSUPPORTED, reason, &err));
    json_t *lines = read_all(fx_archive_path(archive), NULL);
    assert_string_equal(json_string_value(json_object_get(json_array_get(lines, 1), "reason")), reason);
    json_decref(lines);
    free(reason);
    fx_archive_close(archive);
}

UNIT_MAIN(make_folder, remove_folder)
