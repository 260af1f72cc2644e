/* The machine code of a kernel, by the address that a launch is given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes the hash of the code that the GPU runs, as the archive has it; returns false, and writes nothing, where it is
 * not known: code that the driver compiled, or that nvcc compressed. */
bool fx_kernel_hash(const void *kernel, char hash[17]);

/* Finds the machine code of the source file that the kernel stands in: a fatbin of `bytes` bytes at `offset` in the
 * file of the running program. Returns false where it is not known. */
bool fx_kernel_fatbin(const void *kernel, size_t *offset, size_t *bytes);
