/* The header for one's own programs, in C: a transpose through shared memory whose threads run one after the other
 * leaves the trace that a warp would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GPUFX_TRACE
#define GPUFX_TRACE_BLOCKS   4
#define GPUFX_TRACE_ACCESSES 2000
#include "trace/gpufx_trace.h"
#include "trace/trace_read.h"

enum { TILE = 32, BLOCKS = 100 };

static float tile[TILE][TILE], in[TILE * TILE], out[TILE * TILE];
static int first_line;

/* Threads of 32 x 2: each thread copies TILE / 2 elements into the tile; threads of the first warp copy a column out.
 */
static void transpose(unsigned thread, unsigned steps) {
    const unsigned x = thread % 32, y = thread / 32;
    first_line = __LINE__ + 2;
    for (unsigned i = 0; i < steps; i++) {
        *GPUFX_WRITE(&tile[(2 * i + y) % TILE][x]) = *GPUFX_READ(&in[(2 * i + y) % TILE * TILE + x]);
    }
    if (y == 0 && x < 16) {
        *GPUFX_WRITE(&out[x]) = *GPUFX_READ(&tile[x][0]);
    }
}

static void play(unsigned blocks, unsigned steps) {
    for (unsigned b = 0; b < blocks; b++) {
        for (unsigned t = 0; t < 64; t++) {
            gpufx_trace_thread(b, t);
            transpose(t, steps);
        }
    }
}

static fx_trace *record(unsigned blocks, unsigned steps) {
    char path[] = "/tmp/gpufx-test-header-XXXXXX";
    fx_error err = {0};
    fx_trace *trace = NULL;
    const int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    assert_int_equal(gpufx_trace_open(path), 0);
    gpufx_trace_shared(tile, sizeof tile);
    gpufx_trace_launch("transpose", blocks, 64);
    play(blocks, steps);
    gpufx_trace_launch("again", 1, 64);
    play(1, 1);
    gpufx_trace_launch("transpose", 1, 64);
    assert_int_equal(gpufx_trace_close(), 0);
    if (fx_trace_read(path, &trace, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(unlink(path), 0);
    return trace;
}

static void expect(const fx_trace *trace, size_t at, const char *space, const char *op, unsigned line, unsigned mask,
                   int stride) {
    const fx_trace_record *record = &trace->records[at];
    const fx_trace_instruction *by = &trace->instructions[record->instruction];
    const fx_trace_pattern *pattern = &trace->patterns[record->pattern];
    assert_string_equal(fx_trace_space_name(by->space), space);
    assert_string_equal(fx_trace_op_name(by->op), op);
    assert_int_equal(json_integer_value(json_object_get(by->frame, "line")), line);
    assert_non_null(strstr(json_string_value(json_object_get(by->frame, "file")), "test_trace_header.c"));
    assert_int_equal(pattern->mask, mask);
    assert_int_equal(pattern->bytes, 4);
    for (int l = 1; l < 32; l++) {
        assert_int_equal(pattern->offset[l], mask >> l & 1 ? pattern->offset[0] + l * stride : 0);
    }
}

static void test_as_a_warp_would(void **state) {
    (void)state;
    fx_trace *trace = record(2, 3);
    const unsigned line = (unsigned)first_line;
    assert_int_equal(trace->kernel_count, 2);
    assert_int_equal(trace->launch_count, 3);
    assert_int_equal(trace->launches[0].kernel, 0);
    assert_int_equal(trace->launches[1].kernel, 1);
    assert_int_equal(trace->launches[2].kernel, 0);
    assert_int_equal(trace->launches[0].count, 2 * (2 * 6 + 2));
    assert_int_equal(trace->launches[1].count, 2 * 2 + 2);
    assert_int_equal(trace->launches[2].count, 0);
    /* Warp 0 reads and writes three rows, then a column; warp 1 comes after it, since threads do. */
    const fx_trace_record *records = trace->records;
    for (size_t i = 0; i < 28; i++) {
        const size_t of_block = i % 14;
        assert_int_equal(records[i].block, i / 14);
        assert_int_equal(records[i].warp, of_block >= 8);
        if (of_block != 6 && of_block != 7) {
            expect(trace, i, of_block % 2 ? "shared" : "global", of_block % 2 ? "store" : "load", line, UINT32_MAX, 4);
        }
    }
    expect(trace, 6, "shared", "load", line + 3, 0xffff, 128);
    expect(trace, 7, "global", "store", line + 3, 0xffff, 4);
    assert_int_equal(records[1].base, 0);
    assert_int_equal(records[3].base, 256);
    fx_trace_free(trace);
}

/* Whole blocks of a grid, the first and the last among them; what does not fit is counted. */
static void test_sample(void **state) {
    (void)state;
    fx_trace *trace = record(BLOCKS, 16);
    json_t *accesses = json_object_get(trace->launches[0].frame, "accesses");
    const size_t count = trace->launches[0].count;
    assert_int_equal(trace->launches[0].blocks, BLOCKS);
    assert_in_range(trace->launches[0].recorded, 2, 12);
    assert_int_equal(trace->records[0].block, 0);
    assert_int_equal(trace->records[count - 1].block, BLOCKS - 1);
    assert_int_equal(json_integer_value(json_object_get(accesses, "seen")), trace->launches[0].recorded * 66);
    assert_int_equal(json_integer_value(json_object_get(accesses, "kept")), count);
    fx_trace_free(trace);
    trace = record(4, 500);
    assert_int_equal(trace->launches[0].count, GPUFX_TRACE_ACCESSES);
    accesses = json_object_get(trace->launches[0].frame, "accesses");
    assert_int_equal(json_integer_value(json_object_get(accesses, "seen")), 4 * (2 * 1000 + 2));
    fx_trace_free(trace);
}

static void test_refused(void **state) {
    (void)state;
    assert_int_equal(gpufx_trace_open("/nowhere/trace"), -1);
    gpufx_trace_launch("k", 1, 32);
    play(1, 1);
    assert_int_equal(gpufx_trace_close(), -1);
    assert_int_equal(gpufx_trace_open("/dev/full"), 0);
    gpufx_trace_launch("k", 1, 32);
    assert_int_equal(gpufx_trace_close(), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_a_warp_would),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
