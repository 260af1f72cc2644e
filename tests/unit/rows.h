/* Files of FX_DATA: what chips took, a row of numbers for each set of lanes. */
#pragma once

#include "core/lanes.h"

/* The next row that is no comment. The file is opened before the first and closed after the last one. */
static inline bool next_row(const char *path, FILE **file, char row[512]) {
    if (!*file) {
        assert_non_null(*file = fopen(path, "r"));
    }
    do {
        if (!fgets(row, 512, *file)) {
            (void)fclose(*file);
            return false;
        }
    } while (row[0] == '#');
    return true;
}

/* The numbers of a row from here on, each `bytes` bytes, are the first lanes; those without one do not take part. */
static inline int row_lanes(const char *at, int bytes, fx_lanes *lanes) {
    char *end;
    int count = 0;
    memset(lanes, -1, sizeof *lanes);
    for (long number; count < FX_WARP && (number = strtol(at, &end, 10), end != at); at = end) {
        lanes->offset[count++] = (int32_t)number * bytes;
    }
    return count;
}
