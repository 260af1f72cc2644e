/* Functions in a module's machine code (a cubin: ELF of 64 bits, little-endian). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Calls `found` with each function's name, borrowed from the cubin; is_kernel: it is one, and no function that kernels
 * call. What is no such file, or is cut off, has none. */
void fx_elf_functions(const void *cubin, size_t size, void (*found)(void *to, const char *name, bool is_kernel),
                      void *to);
