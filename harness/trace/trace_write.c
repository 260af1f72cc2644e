#include "trace_write.h"

#include <zlib.h>

#include "core/utf8.h"

enum { BUFFER_BYTES = 1 << 17 };

struct fx_trace_writer {
    gzFile file;
    char line[FX_TRACE_LINE_BYTES];
};

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "a trace is little-endian: on this machine its structs must be turned round"
#endif

fx_status fx_trace_create(const char *path, fx_trace_writer **out, fx_error *err) {
    fx_trace_writer *to = *out = malloc(sizeof *to);
    errno = 0;
    if (to && (to->file = gzopen(path, "wbe1"))) {
        (void)gzbuffer(to->file, BUFFER_BYTES);
        return FX_OK;
    }
    const int code = errno;
    free(to);
    *out = NULL;
    return code && code != ENOMEM ? fx_fail_io(err, "create the trace", path, code)
                                  : fx_fail(err, FX_NO_MEMORY, "out of memory while creating the trace '%s'", path);
}

/* zlib keeps what went wrong first, and what it was with. */
static fx_status fail(fx_trace_writer *to, fx_error *err) {
    int code;
    return fx_fail(err, FX_IO, "cannot write the trace %s; free some space, or write it elsewhere",
                   gzerror(to->file, &code));
}

static fx_status put(fx_trace_writer *to, const void *bytes, size_t size, fx_error *err) {
    return gzfwrite(bytes, 1, size, to->file) == size ? FX_OK : fail(to, err);
}

fx_status fx_trace_frame(fx_trace_writer *to, fx_error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(to->line, FX_TRACE_LINE_BYTES, format, arguments);
    va_end(arguments);
    FX_FAIL_IF(length < 0 || length >= FX_TRACE_LINE_BYTES, err, FX_BAD_INPUT,
               "a frame of the trace would be longer than %d bytes", FX_TRACE_LINE_BYTES);
    to->line[length] = '\n'; /* in the place of the terminating zero */
    return put(to, to->line, (size_t)length + 1, err);
}

fx_status fx_trace_binary(fx_trace_writer *to, const void *data, size_t size, fx_error *err) {
    FX_TRY(put(to, data, size, err));
    return put(to, "\n", 1, err);
}

fx_status fx_trace_columns(fx_trace_writer *to, uint32_t launch, const fx_trace_record *records, size_t count,
                           fx_error *err) {
    const size_t size = count * sizeof *records;
    void *columns = malloc(size + 1);
    FX_FAIL_IF(!columns, err, FX_NO_MEMORY, "out of memory while writing the trace");
    fx_trace_columns_of(records, count, columns);
    fx_status status =
        fx_trace_frame(to, err, "{\"columns\":{\"launch\":%u,\"count\":%zu},\"bytes\":%zu}", launch, count, size);
    status = status ? status : fx_trace_binary(to, columns, size, err);
    free(columns);
    return status;
}

fx_status fx_trace_flush(fx_trace_writer *to, bool last, fx_error *err) {
    return gzflush(to->file, last ? Z_FINISH : Z_SYNC_FLUSH) == Z_OK ? FX_OK : fail(to, err);
}

fx_status fx_trace_close(fx_trace_writer *to, fx_error *err) {
    const fx_status status = fx_trace_flush(to, true, err);
    (void)gzclose(to->file);
    free(to);
    return status;
}

char *fx_trace_quoted(const char *text, char *out, size_t size) {
    enum { LONGEST = 7 }; /* \u0000 and a zero behind the closing quote */
    size_t at = 0;
    out[at++] = '"';
    for (const char *c = text; *c && at + LONGEST < size;) {
        uint32_t point;
        const size_t bytes = fx_utf8_decode(c, &point);
        if (bytes && point < 0x20) {
            at += (size_t)snprintf(out + at, size - at, "\\u%04x", point);
        } else {
            const bool escaped = *c == '"' || *c == '\\';
            at += (size_t)snprintf(out + at, size - at, "%s%.*s", escaped ? "\\" : "", bytes ? (int)bytes : 1,
                                   bytes ? c : "?");
        }
        c += bytes ? bytes : 1;
    }
    out[at++] = '"';
    out[at] = '\0';
    return out;
}
