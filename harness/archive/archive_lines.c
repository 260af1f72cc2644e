/* What begins as gzip does is unpacked, all else handed through as it is. zlib's own reader of files (gzread) takes
 * anything behind a compressed part for padding; here only zeros are. */
#include "archive_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BLOCK = 64 << 10,
    WINDOW_OF_GZIP = 15 + 16,
    LONGEST_LINE = 64 << 20
}; /* the last as in plot/gpufx_plot/archive/file.py */

struct fx_lines {
    int file;
    char *path;
    unsigned char *in; /* what was read from the file and not yet unpacked: z.next_in, z.avail_in */
    z_stream z;
    bool packed, unpacked; /* gzip; and at the end of a compressed part, which another may follow */
    bool drained;          /* the file has no more */
    char *text;            /* what was read and not yet handed out: [from, end) of room bytes */
    size_t from, end, room;
    size_t number;
    uLong crc;
    bool ended;
};

/* Reads on behind what is in `in`. */
static fx_status refill(fx_lines *lines, fx_error *err) {
    ssize_t got;
    memmove(lines->in, lines->z.next_in, lines->z.avail_in);
    lines->z.next_in = lines->in;
    do {
        got = read(lines->file, lines->in + lines->z.avail_in, BLOCK - lines->z.avail_in);
    } while (got < 0 && errno == EINTR);
    FX_FAIL_IF(got < 0, err, FX_IO, "cannot read '%s': %s; check the disk", lines->path, strerror(errno));
    lines->z.avail_in += (unsigned)got;
    lines->drained = got == 0;
    return FX_OK;
}

/* By its first two bytes; a pipe may give them one by one. */
static fx_status find_kind(fx_lines *lines, fx_error *err) {
    lines->z.next_in = lines->in;
    while (lines->z.avail_in < 2 && !lines->drained) {
        FX_TRY(refill(lines, err));
    }
    lines->packed = lines->z.avail_in > 1 && lines->in[0] == 0x1f && lines->in[1] == 0x8b;
    return !lines->packed || inflateInit2(&lines->z, WINDOW_OF_GZIP) == Z_OK
               ? FX_OK
               : fx_fail(err, FX_NO_MEMORY, "out of memory while opening '%s'", lines->path);
}

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
    fx_lines *lines = calloc(1, sizeof *lines);
    if (!lines) {
        (void)close(file);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while opening '%s'", path);
    }
    *lines = (fx_lines){.file = file,
                        .path = strdup(path),
                        .in = malloc(BLOCK),
                        .text = malloc(BLOCK),
                        .room = BLOCK,
                        .crc = crc32(0, NULL, 0)};
    const fx_status status = lines->path && lines->in && lines->text
                                 ? find_kind(lines, err)
                                 : fx_fail(err, FX_NO_MEMORY, "out of memory while opening '%s'", path);
    if (status != FX_OK) {
        fx_lines_close(lines);
        return status;
    }
    *out = lines;
    return FX_OK;
}

/* Behind a compressed part stands another, or nothing but zeros. */
static fx_status next_part(fx_lines *lines, fx_error *err) {
    for (; lines->z.avail_in > 0 && !*lines->z.next_in; lines->z.avail_in--) {
        lines->z.next_in++;
    }
    if (lines->z.avail_in == 0) {
        lines->ended = lines->drained;
        return FX_OK;
    }
    FX_FAIL_IF(*lines->z.next_in != 0x1f, err, FX_BAD_INPUT,
               "'%s' is damaged: something follows its compressed part; restore it", lines->path);
    lines->unpacked = false;
    return inflateReset(&lines->z) == Z_OK ? FX_OK
                                           : fx_fail(err, FX_BAD_INPUT, "'%s' can't be decompressed", lines->path);
}

/* Some bytes into [z.next_out, + z.avail_out), or `ended`. */
static fx_status unpack(fx_lines *lines, fx_error *err) {
    const unsigned room = lines->z.avail_out;
    fx_status status = FX_OK;
    while (status == FX_OK && lines->z.avail_out == room && !lines->ended) {
        if (lines->z.avail_in == 0 && !lines->drained) {
            status = refill(lines, err);
        } else if (lines->unpacked) {
            status = next_part(lines, err);
        } else if (lines->z.avail_in == 0) {
            status = fx_fail(err, FX_BAD_INPUT, "the compressed file '%s' is truncated after line %zu; copy it again",
                             lines->path, lines->number);
        } else {
            const int code = inflate(&lines->z, Z_NO_FLUSH);
            lines->unpacked = code == Z_STREAM_END;
            if (code == Z_MEM_ERROR) {
                status = fx_fail(err, FX_NO_MEMORY, "out of memory while reading '%s'", lines->path);
            } else if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END) {
                status = fx_fail(err, FX_BAD_INPUT, "'%s' is damaged after line %zu: gzip reports %s; restore it",
                                 lines->path, lines->number, lines->z.msg ? lines->z.msg : "no more");
            }
        }
    }
    return status;
}

/* The same without unpacking. */
static fx_status copy(fx_lines *lines, fx_error *err) {
    if (lines->z.avail_in == 0 && refill(lines, err) != FX_OK) {
        return err->status;
    }
    const unsigned size = lines->z.avail_in < lines->z.avail_out ? lines->z.avail_in : lines->z.avail_out;
    memcpy(lines->z.next_out, lines->z.next_in, size);
    lines->z.next_in += size;
    lines->z.avail_in -= size;
    lines->z.next_out += size;
    lines->z.avail_out -= size;
    lines->ended = size == 0;
    return FX_OK;
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
        char *larger = realloc(lines->text, 2 * lines->room);
        FX_FAIL_IF(!larger, err, FX_NO_MEMORY, "out of memory while reading '%s', line %zu", lines->path,
                   lines->number + 1);
        lines->text = larger;
        lines->room *= 2;
    }
    lines->z.next_out = (unsigned char *)lines->text + lines->end;
    lines->z.avail_out = (unsigned)(lines->room - lines->end);
    const fx_status status = lines->packed ? unpack(lines, err) : copy(lines, err);
    lines->end = (size_t)((char *)lines->z.next_out - lines->text);
    lines->ended = lines->ended || status != FX_OK;
    return status;
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
    if (lines->packed) {
        (void)inflateEnd(&lines->z);
    }
    (void)close(lines->file);
    free(lines->in);
    free(lines->text);
    free(lines->path);
    free(lines);
}
