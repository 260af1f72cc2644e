/* The machine code of a kernel, for the archive: which bytes the GPU ran. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks through an image that holds uncompressed cubins (a fatbin, an object file) for the kernel of that mangled name,
 * compiled for that architecture, 90 for sm_90. *hash: FNV-1a, 64 bits, of its code. Returns whether it is there. Pure:
 * whatever the image is, nothing outside it is read. */
bool fx_code_hash(const void *image, size_t size, unsigned architecture, const char *mangled, uint64_t *hash);
