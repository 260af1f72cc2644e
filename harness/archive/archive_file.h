/* The file under an archive: whole lines in, nothing else. Private to archive_*.c. */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "archive.h"

struct fx_archive {
    int file;
    char path[PATH_MAX];
    off_t least; /* the longest size seen: the file must not lose a complete line */
};

/* Cuts off half a line; FX_IO if the file was deleted, or has lost some of what it held. */
fx_status fx_archive_check_whole(fx_archive *archive, fx_error *err);

/* Writes `object` as one line and drops the reference. NULL means memory ran out while it was built. */
fx_status fx_archive_put_take(fx_archive *archive, json_t *object, fx_error *err);

/* CRC-32 of all that the file holds, up to its last newline, and how many lines of cases that is; FX_IO if a line is
 * not one that a run writes. */
fx_status fx_archive_sum(fx_archive *archive, fx_counts *counts, uint32_t *crc, fx_error *err);

/* `text` as a JSON string; bytes that are no UTF-8 (a path's, a text cut in mid-letter) become '?'. */
json_t *fx_archive_text(const char *text);

/* ---- The lines of a file, plain or gzip, read once from the front: an archive at rest, one that is being written, a
 * pipe. zlib reads both forms. What follows a compressed part and is no gzip it ignores; an archive's end line has the
 * sum of all that it hands out. ---- */

typedef struct fx_lines fx_lines;

typedef struct fx_line {
    char *text;     /* yours until the next call, not terminated by a zero; NULL: there is no further line */
    size_t size;    /* with its newline */
    size_t number;  /* from 1 */
    bool cut;       /* the file ends in mid-line: what it has of it */
    uint32_t crc32; /* of all bytes before this line */
} fx_line;

/* Takes the descriptor. `path`, for errors, is borrowed. */
fx_lines *fx_lines_of(int file, const char *path);

/* FX_BAD_INPUT for a gzip file that was cut off or is damaged, and for a line of over 64 MiB. */
fx_status fx_lines_next(fx_lines *lines, fx_line *out, fx_error *err);
bool fx_line_begins(const fx_line *line, const char *text);
void fx_lines_close(fx_lines *lines); /* NULL is fine */
FX_OWNER(fx_lines_close, fx_lines)
