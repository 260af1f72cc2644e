/* Reads a trace once and counts its distinct lane patterns of one space and operation. */
#include "pattern_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "core/probe.h"
#include "pattern.h"
#include "trace/trace_read.h"

struct fx_pattern_trace {
    fx_trace *trace;
    bool *wanted; /* by pattern */
    size_t at;
};

bool fx_pattern_file_is_trace(const char *path) {
    static const char beginning[] = "{\"gpufx_trace\"";
    char found[sizeof beginning - 1];
    struct stat info;
    gzFile file = !stat(path, &info) && S_ISREG(info.st_mode) ? gzopen(path, "rbe") : NULL;
    const bool is =
        file && gzread(file, found, sizeof found) == (int)sizeof found && !memcmp(found, beginning, sizeof found);
    if (file) {
        (void)gzclose(file);
    }
    return is;
}

/* The word of --op. */
static const char *plain_op(fx_trace_space space, fx_trace_op op) {
    switch (op) {
    case FX_TRACE_LOAD:
    case FX_TRACE_ASYNC_LOAD:
        return fx_pattern_ops[FX_LOADS];
    case FX_TRACE_STORE:
    case FX_TRACE_ASYNC_STORE:
        return fx_pattern_ops[FX_STORES];
    case FX_TRACE_CAS:
        return fx_pattern_ops[FX_COMPARES];
    case FX_TRACE_ATOMIC:
        return fx_pattern_ops[space == FX_TRACE_GLOBAL ? FX_FETCHES : FX_ADDS];
    case FX_TRACE_REDUCTION:
    case FX_TRACE_COUNT:
        return fx_pattern_ops[FX_ADDS];
    default:
        return "";
    }
}

static fx_status none_found(const fx_trace *trace, const char *path, const char *space, const char *op, fx_error *err) {
    char has[256] = "";
    for (fx_trace_space s = FX_TRACE_GLOBAL; s <= FX_TRACE_SHARED; s++) {
        for (size_t o = 0; o < FX_PATTERN_OPS; o++) {
            bool any = false;
            for (size_t i = 0; i < trace->instruction_count && !any; i++) {
                any = trace->instructions[i].frame && trace->instructions[i].space == s &&
                      !strcmp(plain_op(s, trace->instructions[i].op), fx_pattern_ops[o]);
            }
            const size_t length = strlen(has);
            if (any) {
                (void)snprintf(has + length, sizeof has - length, "%s--space %s --op %s", length ? ", " : "",
                               fx_trace_space_name(s), fx_pattern_ops[o]);
            }
        }
    }
    return fx_fail(err, FX_BAD_INPUT, "--file %s: the trace has no access of --space %s --op %s; it has %s", path,
                   space, op, *has ? has : "none with a law");
}

fx_status fx_pattern_trace_open(const char *path, const char *space, const char *op, fx_pattern_trace **out,
                                fx_error *err) {
    fx_trace *trace = NULL;
    bool any = false;
    *out = NULL;
    FX_TRY(fx_trace_read(path, &trace, err));
    fx_pattern_trace *t = calloc(1, sizeof *t);
    bool *wanted = calloc(trace->pattern_count + 1, sizeof *wanted);
    if (!t || !wanted) {
        free(t);
        free(wanted);
        fx_trace_free(trace);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading the trace '%s'", path);
    }
    *t = (fx_pattern_trace){.trace = trace, .wanted = wanted};
    for (size_t i = 0; i < trace->record_count; i++) {
        const fx_trace_record *record = &trace->records[i];
        const fx_trace_instruction *by = &trace->instructions[record->instruction];
        if (trace->patterns[record->pattern].mask && !strcmp(fx_trace_space_name(by->space), space) &&
            !strcmp(plain_op(by->space, by->op), op)) {
            any = wanted[record->pattern] = true;
        }
    }
    if (!any) {
        const fx_status status = none_found(trace, path, space, op, err);
        fx_pattern_trace_close(t);
        return status;
    }
    *out = t;
    return FX_OK;
}

void fx_pattern_trace_close(fx_pattern_trace *trace) {
    if (trace) {
        fx_trace_free(trace->trace);
        free(trace->wanted);
        free(trace);
    }
}

bool fx_pattern_trace_next(fx_pattern_trace *trace, uint32_t *id, unsigned *width_bytes, fx_lanes *lanes) {
    while (trace->at < trace->trace->pattern_count && !trace->wanted[trace->at]) {
        trace->at++;
    }
    if (trace->at == trace->trace->pattern_count) {
        return false;
    }
    const fx_trace_pattern *pattern = &trace->trace->patterns[trace->at];
    *id = (uint32_t)trace->at++;
    *width_bytes = pattern->bytes;
    fx_trace_lanes(pattern, 0, lanes);
    return true;
}
