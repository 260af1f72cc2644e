/* Rows of a file of tests/unit/data, whose last numbers may be the lanes' offsets; # begins a comment. */
#pragma once

#include "core/lanes.h"

/* The next row; false behind the last one. */
static inline bool next_row(const char *name, char text[512]) {
    static FILE *file;
    if (!file) {
        (void)snprintf(text, 512, "%s/%s", FX_DATA, name);
        assert_non_null(file = fopen(text, "r"));
    }
    while (fgets(text, 512, file)) {
        if (*text != '#') {
            return true;
        }
    }
    (void)fclose(file);
    file = NULL;
    return false;
}

/* Lanes that the row lacks are idle. Returns how many it has. */
static inline int lanes_from(const char *at, int32_t unit_bytes, fx_lanes *out) {
    int count = 0;
    memset(out, -1, sizeof *out);
    for (char *end; count < FX_WARP; count++, at = end) {
        const long offset = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        out->offset[count] = (int32_t)offset * unit_bytes;
    }
    return count;
}
