/* zlib's own reader of files tells gzip from plain, and hands out what stands before the place where a file was cut. */
#include "trace_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "trace.h"

enum { BUFFER_BYTES = 1 << 18 };

struct fx_trace_stream {
    gzFile file;
    char *path;
    char *buffer; /* [from, end): read and not yet handed out */
    size_t from, end, room;
    bool ended, cut;
};

static fx_status check_kind(int file, const char *path, fx_error *err) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return fx_fail_io(err, "read the trace", path, errno);
    }
    return S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT, "'%s' is not a file: name a trace, as `gpufx explain --record` writes it",
                         path);
}

fx_status fx_trace_stream_open(const char *path, fx_trace_stream **out, fx_error *err) {
    const bool standard = !strcmp(path, "-");
    const int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out = NULL;
    FX_FAIL_IF(file < 0, err, FX_IO, "cannot read the trace '%s': %s; check its name", path, strerror(errno));
    if (check_kind(file, standard ? "standard input" : path, err)) {
        (void)close(file);
        return err->status;
    }
    if (!standard) {
        (void)fcntl(file, F_SETFL, 0); /* only the opening of a FIFO without a writer was not to wait */
    }
    fx_trace_stream *stream = calloc(1, sizeof *stream);
    if (stream) {
        *stream = (fx_trace_stream){
            .path = strdup(path), .buffer = malloc(BUFFER_BYTES), .room = BUFFER_BYTES, .file = gzdopen(file, "rb")};
    }
    if (!stream || !stream->path || !stream->buffer || !stream->file) {
        if (!stream || !stream->file) {
            (void)close(file);
        }
        fx_trace_stream_close(stream);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while opening the trace '%s'", path);
    }
    (void)gzbuffer(stream->file, BUFFER_BYTES);
    *out = stream;
    return FX_OK;
}

void fx_trace_stream_close(fx_trace_stream *stream) {
    if (!stream) {
        return;
    }
    if (stream->file) {
        (void)gzclose(stream->file);
    }
    free(stream->path);
    free(stream->buffer);
    free(stream);
}

/* Reads on into `to`. Damage ends the stream as an end of the file does, but is remembered. */
static size_t read_some(fx_trace_stream *stream, char *to, size_t size) {
    const int got = stream->ended ? 0 : gzread(stream->file, to, (unsigned)(size < INT32_MAX ? size : INT32_MAX));
    int code = Z_OK;
    if (got <= 0) {
        (void)gzerror(stream->file, &code);
        stream->cut = stream->cut || got < 0 || code != Z_OK;
        stream->ended = true;
    }
    return got > 0 ? (size_t)got : 0;
}

/* Moves what is left to the front, makes room, and reads on. */
static fx_status fill(fx_trace_stream *stream, fx_error *err) {
    memmove(stream->buffer, stream->buffer + stream->from, stream->end - stream->from);
    stream->end -= stream->from;
    stream->from = 0;
    FX_FAIL_IF(stream->end > FX_TRACE_LINE_BYTES, err, FX_BAD_INPUT,
               "'%s' has a line of more than %d bytes: not a trace", stream->path, FX_TRACE_LINE_BYTES);
    if (stream->end == stream->room) {
        char *larger = realloc(stream->buffer, 2 * stream->room);
        FX_FAIL_IF(!larger, err, FX_NO_MEMORY, "out of memory while reading the trace '%s'", stream->path);
        stream->buffer = larger;
        stream->room *= 2;
    }
    stream->end += read_some(stream, stream->buffer + stream->end, stream->room - stream->end);
    return FX_OK;
}

fx_status fx_trace_stream_line(fx_trace_stream *stream, const char **line, size_t *size, fx_error *err) {
    *line = NULL;
    *size = 0;
    for (;;) {
        const char *from = stream->buffer + stream->from;
        const size_t there = stream->end - stream->from;
        const char *newline = memchr(from, '\n', there);
        if (newline) {
            *line = from;
            *size = (size_t)(newline - from);
            stream->from += *size + 1;
            return FX_OK;
        }
        if (stream->ended) {
            stream->cut = stream->cut || there > 0;
            stream->from = stream->end;
            return FX_OK;
        }
        FX_TRY(fill(stream, err));
    }
}

size_t fx_trace_stream_take(fx_trace_stream *stream, void *to, size_t size) {
    char skipped[4096];
    size_t done = 0;
    while (done < size) {
        size_t part = stream->end - stream->from;
        part = part < size - done ? part : size - done;
        if (part > 0) {
            if (to) {
                memcpy((char *)to + done, stream->buffer + stream->from, part);
            }
            stream->from += part;
        } else if (to) {
            part = read_some(stream, (char *)to + done, size - done);
        } else {
            part = read_some(stream, skipped, sizeof skipped < size - done ? sizeof skipped : size - done);
        }
        if (part == 0) {
            stream->cut = true;
            break;
        }
        done += part;
    }
    return done;
}

uint64_t fx_trace_stream_offset(const fx_trace_stream *stream) {
    const z_off_t at = gzoffset(stream->file);
    return at < 0 ? UINT64_MAX : (uint64_t)at;
}

bool fx_trace_stream_cut(const fx_trace_stream *stream) {
    return stream->cut;
}
