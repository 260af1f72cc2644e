/* SHA-256 (FIPS 180-4), the name of a module's machine code. Here and not from a library, because a library would be
 * loaded into every program that is recorded. */
#ifndef FX_RECORDER_SHA256_H
#define FX_RECORDER_SHA256_H

#include <stddef.h>

enum { FX_SHA256_TEXT = 65 };

/* 64 hexadecimal digits and a zero. */
void fx_sha256(const void *data, size_t size, char out[FX_SHA256_TEXT]);

#endif
