/* zlib's own reader of files tells gzip from plain, and hands out what stands before the place where a file was cut. */
#include "trace_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "trace.h"

enum { BUFFER_BYTES = 1 << 18 };

struct fx_trace_stream {
    gzFile file;
    const char *path;
    bool cut;
    char line[FX_TRACE_LINE_BYTES + 2]; /* with its newline and a zero */
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
    fx_trace_stream *stream = malloc(sizeof *stream);
    gzFile opened = stream ? gzdopen(file, "rb") : NULL;
    if (!opened) {
        (void)close(file);
        free(stream);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while opening the trace '%s'", path);
    }
    stream->file = opened;
    stream->path = path;
    stream->cut = false;
    (void)gzbuffer(stream->file, BUFFER_BYTES);
    *out = stream;
    return FX_OK;
}

void fx_trace_stream_close(fx_trace_stream *stream) {
    if (stream) {
        (void)gzclose(stream->file);
        free(stream);
    }
}

/* Damage ends the stream as an end of the file does, but is remembered. */
static bool is_damaged(const fx_trace_stream *stream) {
    int code = Z_OK;
    (void)gzerror(stream->file, &code);
    return code != Z_OK;
}

fx_status fx_trace_stream_line(fx_trace_stream *stream, const char **line, size_t *size, fx_error *err) {
    const bool any = gzgets(stream->file, stream->line, sizeof stream->line) != NULL;
    *size = any ? strlen(stream->line) : 0;
    *line = NULL;
    if (*size && stream->line[*size - 1] == '\n') {
        *line = stream->line;
        --*size;
        return FX_OK;
    }
    FX_FAIL_IF(*size > FX_TRACE_LINE_BYTES, err, FX_BAD_INPUT, "'%s' has a line of more than %d bytes: not a trace",
               stream->path, FX_TRACE_LINE_BYTES);
    stream->cut = stream->cut || any || is_damaged(stream);
    return FX_OK;
}

size_t fx_trace_stream_take(fx_trace_stream *stream, void *to, uint64_t size) {
    enum { SKIPPED = 1 << 12 };
    char skipped[SKIPPED];
    size_t done = 0;
    for (size_t got = 1; done < size && got > 0; done += got) {
        const uint64_t left = size - done;
        got = to ? gzfread((char *)to + done, 1, left, stream->file)
                 : gzfread(skipped, 1, left < SKIPPED ? left : SKIPPED, stream->file);
    }
    stream->cut = stream->cut || done < size;
    return done;
}

uint64_t fx_trace_stream_offset(const fx_trace_stream *stream) {
    const z_off_t at = gzoffset(stream->file);
    return at < 0 ? UINT64_MAX : (uint64_t)at;
}

bool fx_trace_stream_cut(const fx_trace_stream *stream) {
    return stream->cut;
}
