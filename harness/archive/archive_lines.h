/* The lines of a file, plain or gzip, read once from the front: an archive at rest, one that is being written, a pipe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef struct fx_lines fx_lines;

typedef struct fx_line {
    const char *text; /* borrowed until the next call, not terminated by a zero; NULL: there is no further line */
    size_t size;      /* with its newline */
    size_t number;    /* from 1 */
    bool cut;         /* the file ends in mid-line: what it has of it */
    uint32_t crc32;   /* of all bytes before this line */
} fx_line;

/* FX_IO for what cannot be read, FX_BAD_INPUT for a folder or a device file. `path` is borrowed. */
fx_status fx_lines_open(const char *path, fx_lines **out, fx_error *err);

/* FX_BAD_INPUT for a gzip file that was cut off or is damaged, and for a line of over 64 MiB. */
fx_status fx_lines_next(fx_lines *lines, fx_line *out, fx_error *err);

void fx_lines_close(fx_lines *lines); /* NULL is fine */
