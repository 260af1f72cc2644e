/* UTF-8. Nothing else is needed, so the recorder takes it as it is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The bytes of the valid sequence that begins here, with its code point; 0: there is none. Surrogates are none. */
size_t fx_utf8_decode(const char *text, uint32_t *point);
