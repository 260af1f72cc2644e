/* What the fuzz targets share. Each target is one function that takes any bytes and aborts where a property does not
 * hold: that what was accepted is within its limits, that what was refused leaves nothing behind and says why.
 * libFuzzer (with -DGPUFX_FUZZ=ON) or replay.c calls it. */
#ifndef FX_FUZZ_H
#define FX_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert() would go away with NDEBUG. */
#define fuzz_require(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A refusal has its status and one sentence in its place. */
static inline void fuzz_require_reason(fx_status status, const fx_error *err) {
    fuzz_require(status != FX_OK && err->status == status);
    fuzz_require(memchr(err->text, '\0', sizeof err->text) != NULL);
    fuzz_require(strlen(err->text) > 10);
    fuzz_require(strcmp(fx_status_name(status), "unknown") != 0);
}

static char fuzz_path[64];

static inline void fuzz_remove_file(void) {
    (void)unlink(fuzz_path);
}

/* The bytes as a file, in memory where there is such a folder: one for all inputs, fuzz_path. */
static inline void fuzz_put(const uint8_t *data, size_t size) {
    static int file = -1;
    if (file < 0) {
        strcpy(fuzz_path, access("/dev/shm", W_OK) ? "/tmp/gpufx-fuzz-XXXXXX" : "/dev/shm/gpufx-fuzz-XXXXXX");
        file = mkstemp(fuzz_path);
        fuzz_require(file >= 0);
        (void)atexit(fuzz_remove_file);
    }
    fuzz_require(ftruncate(file, 0) == 0);
    fuzz_require(pwrite(file, data, size, 0) == (ssize_t)size);
}

#endif
