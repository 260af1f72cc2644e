/* A synthetic device whose file is a text. */
#pragma once

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/synthetic.h"

/* As fx_synthetic_load; an include finds nothing. */
static inline fx_status synthetic_of_text(const char *text, size_t size, uint64_t seed, fx_device **out,
                                          fx_error *err) {
    char path[64];
    const int file = memfd_create("device", MFD_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const fx_status status = write(file, text, size) == (ssize_t)size ? fx_synthetic_load("/none", path, seed, out, err)
                                                                      : fx_fail(err, FX_IO, "no memory for a file");
    (void)close(file);
    return status;
}
