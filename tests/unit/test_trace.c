/* A trace that was written is read back the same, in the order of blocks; what a kill leaves of one can be read. */
#include "unit.h"

#include <unistd.h>

#include <zlib.h>

#include "trace/trace_read.h"
#include "trace/trace_write.h"

static char path[] = "/tmp/gpufx-test-trace-XXXXXX";

static int make_file(void **state) {
    const int file = mkstemp(path);
    return file < 0 || close(file);
}

static int remove_file(void **state) {
    return unlink(path);
}

enum { BLOCKS = 300, PER_BLOCK = 7 };

/* The file, as it is without its compression. */
static void unpack(void) {
    static char text[1 << 20];
    gzFile in = gzopen(path, "rb");
    assert_non_null(in);
    const size_t size = gzfread(text, 1, sizeof text, in);
    assert_true(gzclose(in) == Z_OK && size < sizeof text);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_true(fwrite(text, 1, size, out) == size && fclose(out) == 0);
}

/* Blocks 299, 298, ... of which each has PER_BLOCK records; every second block in columns. */
static void write_trace(bool packed) {
    fx_error err = {0};
    fx_trace_writer *to = NULL;
    char name[64];
    fx_trace_pattern patterns[] = {{.mask = ~0u, .bytes = 4}, {.mask = 5, .bytes = 8}};
    for (int l = 0; l < FX_WARP; l++) {
        patterns[0].offset[l] = 44 + 4 * l;
    }
    assert_ok(fx_trace_create(path, &to, &err));
    assert_ok(fx_trace_frame(to, &err, "{\"gpufx_trace\":%d,\"program\":[%s]}", FX_TRACE_VERSION,
                             fx_trace_quoted("a \"b\"\n\xff\\ä", name, sizeof name)));
    assert_ok(fx_trace_frame(to, &err, "{\"kernel\":{\"id\":0,\"name\":\"k\"}}"));
    assert_ok(fx_trace_frame(to, &err,
                             "{\"instruction\":{\"id\":0,\"kernel\":0,\"space\":\"shared\",\"op\":"
                             "\"matrix_load\"}}"));
    assert_ok(fx_trace_frame(to, &err, "{\"patterns\":{\"first\":0,\"count\":2},\"bytes\":%zu}", sizeof patterns));
    assert_ok(fx_trace_binary(to, patterns, sizeof patterns, &err));
    assert_ok(fx_trace_frame(to, &err,
                             "{\"launch\":{\"id\":0,\"kernel\":0,\"grid\":[100,10,1],\"block\":[32,2,1],"
                             "\"blocks\":{\"total\":1000,\"recorded\":%d}}}",
                             BLOCKS));
    fx_trace_record records[BLOCKS][PER_BLOCK];
    for (unsigned b = 0; b < BLOCKS; b++) {
        for (unsigned i = 0; i < PER_BLOCK; i++) {
            records[b][i] = (fx_trace_record){.pattern = i % 2,
                                              .base = 128 * i,
                                              .block = 3 * (BLOCKS - 1 - b),
                                              .warp = (uint16_t)(3 * i % 4),
                                              .times = (uint16_t)(1 + i)};
        }
        if (b % 2) {
            assert_ok(fx_trace_frame(to, &err, "{\"records\":{\"launch\":0,\"count\":%d},\"bytes\":%zu}", PER_BLOCK,
                                     sizeof *records));
            assert_ok(fx_trace_binary(to, records[b], sizeof *records, &err));
        } else {
            assert_ok(fx_trace_columns(to, 0, records[b], PER_BLOCK, &err));
        }
        assert_ok(b == 200 ? fx_trace_flush(to, false, &err) : FX_OK);
    }
    assert_ok(fx_trace_frame(to, &err, "{\"end\":{\"status\":0}}"));
    assert_ok(fx_trace_close(to, &err));
    if (!packed) {
        unpack();
    }
}

static void read_back(bool packed) {
    fx_error err = {0};
    fx_trace *trace = NULL;
    write_trace(packed);
    assert_ok(fx_trace_read(path, &trace, &err));
    assert_false(trace->cut);
    assert_non_null(trace->end);
    assert_string_equal(json_string_value(json_array_get(json_object_get(trace->header, "program"), 0)),
                        "a \"b\"\n?\\ä");
    assert_int_equal(trace->instructions[0].space, FX_TRACE_SHARED);
    assert_int_equal(trace->instructions[0].op, FX_TRACE_MATRIX_LOAD);
    assert_int_equal(trace->launches[0].blocks, 1000);
    assert_int_equal(trace->launches[0].threads, 64);
    assert_int_equal(trace->pattern_count, 2);
    assert_int_equal(trace->patterns[0].offset[0], 44);
    assert_int_equal(trace->patterns[1].mask, 5);
    assert_int_equal(trace->patterns[1].offset[1], 0);
    assert_int_equal(trace->record_count, BLOCKS * PER_BLOCK);
    for (unsigned i = 0; i < BLOCKS * PER_BLOCK; i++) {
        assert_int_equal(trace->records[i].block, 3 * (i / PER_BLOCK));
        assert_int_equal(trace->records[i].warp, 3 * (i % PER_BLOCK) % 4);
        assert_int_equal(trace->records[i].base, 128 * (i % PER_BLOCK));
        assert_int_equal(trace->records[i].pattern, i % PER_BLOCK % 2);
        assert_int_equal(trace->records[i].times, 1 + i % PER_BLOCK);
    }
    fx_trace_free(trace);
}

TEST(test_read_back) {
    read_back(false);
    read_back(true);
}

/* The L1 is its SM's: only a load whose scope is wider passes it. */
TEST(test_loads_that_the_l1_may_serve) {
    static const char *const sass[] = {"LDG.E R0, [R2]", "LDG.E.STRONG.SM R0, [R2]", "LDG.E.STRONG.GPU R0, [R2]",
                                       "LDG.E.STRONG.SYS R0, [R2]"};
    fx_trace_writer *to = NULL;
    fx_trace *trace = NULL;
    assert_ok(fx_trace_create(path, &to, &err));
    assert_ok(fx_trace_frame(to, &err, "{\"gpufx_trace\":%d}", FX_TRACE_VERSION));
    assert_ok(fx_trace_frame(to, &err, "{\"kernel\":{\"id\":0,\"name\":\"k\"}}"));
    for (int i = 0; i < 4; i++) {
        assert_ok(fx_trace_frame(to, &err, "{\"instruction\":{\"id\":%d,\"kernel\":0,\"sass\":\"%s\"}}", i, sass[i]));
    }
    assert_ok(fx_trace_close(to, &err));
    assert_ok(fx_trace_read(path, &trace, &err));
    for (int i = 0; i < 4; i++) {
        assert_true(trace->instructions[i].through_l1 == (i < 2));
    }
    fx_trace_free(trace);
}

/* What a kill leaves: wherever the file ends, what stands before is read, as long as the first frame is there. */
static void cut_everywhere(bool packed, size_t step) {
    fx_error err = {0};
    write_trace(packed);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long whole = ftell(file);
    (void)fclose(file);
    size_t before = SIZE_MAX;
    for (long size = whole - 1; size > 0; size -= size > 2000 ? (long)step : 1) {
        fx_trace *trace = NULL;
        assert_int_equal(truncate(path, size), 0);
        if (fx_trace_read(path, &trace, &err)) {
            assert_says(err.text, "not a trace");
            continue;
        }
        assert_true(!trace->end || trace->cut);
        assert_true(trace->record_count <= before);
        before = trace->record_count;
        fx_trace_free(trace);
    }
    assert_int_equal(before, 0);
}

TEST(test_cut) {
    cut_everywhere(false, 997);
    cut_everywhere(true, 1);
}

TEST(test_writer_refuses) {
    fx_trace_writer *to = NULL;
    assert_int_equal(fx_trace_create("/nowhere/trace", &to, &err), FX_IO);
    assert_null(to);
    err = (fx_error){0};
    assert_ok(fx_trace_create("/dev/full", &to, &err));
    assert_ok(fx_trace_frame(to, &err, "{\"gpufx_trace\":1}"));
    assert_int_equal(fx_trace_flush(to, false, &err), FX_IO);
    assert_int_equal(fx_trace_frame(to, &err, "{}"), FX_IO);
    assert_int_equal(err.status, FX_IO);
    assert_int_equal(fx_trace_flush(to, false, &err), FX_IO);
    assert_int_equal(fx_trace_close(to, &err), FX_IO);
}

TEST(test_quoted_is_cut_whole) {
    char out[24];
    for (size_t size = 9; size <= sizeof out; size++) {
        json_t *text = json_loads(fx_trace_quoted("ab\"\\\x01 äöüäöüäöüäöü", out, size), JSON_DECODE_ANY, NULL);
        assert_true(strlen(out) < size);
        assert_true(json_is_string(text));
        json_decref(text);
    }
}

/* No id bounds them, and packed they take next to no room. */
TEST(test_notes_are_bounded) {
    enum { NOTE_BYTES = 1 << 19, MOST = FX_TRACE_MOST_LOOSE_BYTES / NOTE_BYTES };
    char *text = calloc(NOTE_BYTES, 1);
    assert_non_null(text);
    memset(text, 'x', NOTE_BYTES - 64);
    for (unsigned count = MOST - 1; count <= MOST + 1; count += 2) {
        fx_trace_writer *to = NULL;
        fx_trace *trace = NULL;
        assert_ok(fx_trace_create(path, &to, &err));
        assert_ok(fx_trace_frame(to, &err, "{\"gpufx_trace\":%d}", FX_TRACE_VERSION));
        for (unsigned i = 0; i < count; i++) {
            assert_ok(fx_trace_frame(to, &err, "{\"note\":{\"text\":\"%s\"}}", text));
        }
        assert_ok(fx_trace_close(to, &err));
        assert_int_equal(fx_trace_read(path, &trace, &err), count < MOST ? FX_OK : FX_BAD_INPUT);
        assert_true(count < MOST || strstr(err.text, "notes and calls are more than can be kept"));
        fx_trace_free(trace);
    }
    free(text);
}

UNIT_MAIN(make_file, remove_file)
