/* Names of the functions in a module's machine code (a cubin: ELF of 64 bits, little-endian). */
#ifndef FX_RECORDER_ELF_H
#define FX_RECORDER_ELF_H

#include <stddef.h>

/* Calls `found` with each function's name, borrowed from the cubin. What is no such file, or is cut off, has none. */
void fx_elf_functions(const void *cubin, size_t size, void (*found)(void *to, const char *name), void *to);

#endif
