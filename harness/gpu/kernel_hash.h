/* The machine code of a kernel, by the address that a launch is given. */
#ifndef FX_KERNEL_HASH_H
#define FX_KERNEL_HASH_H

#include <stdbool.h>

/* Writes the hash of the code that the GPU runs, as the archive has it; returns false, and writes nothing, where it is
 * not known: code that the driver compiled, or that nvcc compressed. */
bool fx_kernel_hash(const void *kernel, char hash[17]);

#endif
