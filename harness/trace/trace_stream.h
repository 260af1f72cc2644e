/* The bytes of a trace, gzip or plain: lines and what follows them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef struct fx_trace_stream fx_trace_stream;

/* - is standard input; `path` is borrowed. FX_IO for what can't be opened, FX_BAD_INPUT for a folder or a device file.
 */
fx_status fx_trace_stream_open(const char *path, fx_trace_stream **out, fx_error *err);
void fx_trace_stream_close(fx_trace_stream *stream); /* NULL is fine */

/* One line without its newline, NULL at the end; borrowed until the next call. FX_BAD_INPUT for one that is longer than
 * FX_TRACE_LINE_BYTES, before the file is cut. */
fx_status fx_trace_stream_line(fx_trace_stream *stream, const char **line, size_t *size, fx_error *err);

/* Up to `size` bytes; returns how many, fewer only where the stream ends. `to` NULL: skips them. */
size_t fx_trace_stream_take(fx_trace_stream *stream, void *to, uint64_t size);

/* Bytes of the file, as it lies there, that were read; UINT64_MAX: not known, of a pipe. */
uint64_t fx_trace_stream_offset(const fx_trace_stream *stream);

/* True once the file has ended within a line or within bytes that were asked for, or its gzip is damaged. */
bool fx_trace_stream_cut(const fx_trace_stream *stream);
