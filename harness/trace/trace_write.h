/* Writes a trace, compressed by gzip. Nothing but zlib, core/error.c and core/utf8.c is needed. One thread at a time.
 * The first call that fails closes nothing: later calls return the same error, and the file keeps what it has. */
#pragma once

#include "core/error.h"
#include "trace.h"

typedef struct fx_trace_writer fx_trace_writer;

/* Replaces the file. */
fx_status fx_trace_create(const char *path, fx_trace_writer **out, fx_error *err);

/* A frame of one line: an object of JSON without its newline, printf style. FX_BAD_INPUT for one that is too long. */
fx_status fx_trace_frame(fx_trace_writer *to, fx_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What stands behind a frame that has so many "bytes". */
fx_status fx_trace_binary(fx_trace_writer *to, const void *data, size_t size, fx_error *err);

/* A frame of FX_TRACE_MOST_COLUMNS records of one launch at most, in the order in which each block made them, where
 * those of a block stand side by side. */
fx_status fx_trace_columns(fx_trace_writer *to, uint32_t launch, const fx_trace_record *records, size_t count,
                           fx_error *err);

/* Hands what was written to the system, to be read if the process dies; last: the file ends, nothing is freed. */
fx_status fx_trace_flush(fx_trace_writer *to, bool last, fx_error *err);

/* Writes what is left, and frees it in any case. */
fx_status fx_trace_close(fx_trace_writer *to, fx_error *err);

/* `text` as a JSON string with its quotes; bytes that are no ASCII and no UTF-8 become '?'. It is cut where `size` (6
 * at least) ends. Returns `out`. */
char *fx_trace_quoted(const char *text, char *out, size_t size);
