/* zlib reads both forms. What follows a compressed part and is no gzip it ignores; an archive's end line has the sum of
 * all that it hands out. */
#include "archive_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/grow.h"

enum { BLOCK = 64 << 10, LONGEST_LINE = 64 << 20 }; /* the last as in plot/gpufx_plot/archive/file.py */

struct fx_lines {
    gzFile file;
    const char *path;
    char *text; /* what was read and not yet handed out: [from, end) of room bytes */
    size_t from, end, room;
    size_t number;
    uLong crc;
    bool ended;
};

fx_status fx_lines_open(const char *path, fx_lines **out, fx_error *err) {
    struct stat info;
    *out = NULL;
    FX_FAIL_IF(stat(path, &info) != 0, err, FX_IO, "cannot read the archive '%s': %s; check its name", path,
               strerror(errno));
    FX_FAIL_IF(S_ISDIR(info.st_mode), err, FX_BAD_INPUT, "'%s' is a folder: name an archive (.jsonl, .jsonl.gz) in it",
               path);
    /* A pipe is fine (a decompressor's, say); a device file may never end. */
    FX_FAIL_IF(!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode), err, FX_BAD_INPUT,
               "'%s' is not a file: name an archive (.jsonl, .jsonl.gz)", path);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    FX_FAIL_IF(file < 0, err, FX_IO, "cannot read the archive '%s': %s; check its permissions", path, strerror(errno));
    fx_lines *lines = *out = fx_new(1, sizeof *lines);
    *lines = (fx_lines){.file = fx_given(gzdopen(file, "rb")),
                        .path = path,
                        .text = fx_new(BLOCK, 1),
                        .room = BLOCK,
                        .crc = crc32(0, NULL, 0)};
    return FX_OK;
}

/* Why the last read ended; FX_OK: there is more, or nothing more. */
static fx_status read_status(const fx_lines *lines, fx_error *err) {
    const int cause = errno;
    int code;
    const char *why = gzerror(lines->file, &code);
    switch (code) {
    case Z_OK:
    case Z_STREAM_END:
        return FX_OK;
    case Z_ERRNO:
        return fx_fail(err, FX_IO, "cannot read '%s': %s; check the disk", lines->path, strerror(cause));
    case Z_BUF_ERROR:
        return fx_fail(err, FX_BAD_INPUT, "the compressed file '%s' is truncated after line %zu; copy it again",
                       lines->path, lines->number);
    default:
        return fx_fail(err, FX_BAD_INPUT, "'%s' is damaged after line %zu: gzip reports %s; restore it", lines->path,
                       lines->number, why);
    }
}

/* Reads on behind `end`; sets `ended` where there is nothing more. */
static fx_status fill(fx_lines *lines, fx_error *err) {
    if (lines->from > 0) {
        memmove(lines->text, lines->text + lines->from, lines->end - lines->from);
        lines->end -= lines->from;
        lines->from = 0;
    }
    if (lines->end == lines->room) {
        FX_FAIL_IF(lines->room >= LONGEST_LINE, err, FX_BAD_INPUT,
                   "'%s', line %zu is too long for an archive; restore the file", lines->path, lines->number + 1);
        lines->room *= 2;
        lines->text = fx_given(realloc(lines->text, lines->room));
    }
    const int got = gzread(lines->file, lines->text + lines->end, (unsigned)(lines->room - lines->end));
    lines->end += got > 0 ? (size_t)got : 0;
    lines->ended = got <= 0;
    return read_status(lines, err);
}

fx_status fx_lines_next(fx_lines *lines, fx_line *out, fx_error *err) {
    size_t seen = 0;
    *out = (fx_line){.number = lines->number, .crc32 = (uint32_t)lines->crc};
    for (;;) {
        const size_t size = lines->end - lines->from;
        const char *from = lines->text + lines->from;
        const char *newline = memchr(from + seen, '\n', size - seen);
        if (!newline && !lines->ended) {
            seen = size;
            FX_TRY(fill(lines, err));
            continue;
        }
        if (!newline && size == 0) {
            return FX_OK;
        }
        out->text = from;
        out->size = newline ? (size_t)(newline - from) + 1 : size;
        out->cut = !newline;
        out->number = ++lines->number;
        lines->from += out->size;
        lines->crc = crc32_z(lines->crc, (const Bytef *)out->text, out->size);
        return FX_OK;
    }
}

void fx_lines_close(fx_lines *lines) {
    if (!lines) {
        return;
    }
    (void)gzclose(lines->file);
    free(lines->text);
    free(lines);
}
