/* Host memory near the GPU: which NUMA node is the GPU's, and whether pages are there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

FX_C_BEGIN

/* NUMA node of the PCI address as Linux tells it, -1 where it does not (virtual machines). */
int fx_numa_node_of(const char *pci_bus_id);

/* Maps `size` bytes of fresh, private, page-aligned memory that prefers `node` (-1: no preference). Its pages are not
 * there until they are written: fill it. Free with fx_numa_free. */
fx_status fx_numa_alloc(size_t size, int node, void **out, fx_error *err);
void fx_numa_free(void *memory, size_t size); /* NULL is fine */

/* Writes fx_random_word(seed, i) into 32-bit word i of the memory: what fx_gpu_fill writes on the device. */
void fx_host_fill(void *memory, size_t size, unsigned long long seed);

/* True if a sample of the pages lies on `node`, or if node is -1 or the kernel won't tell. */
bool fx_numa_is_on_node(const void *memory, size_t size, int node);

FX_C_END
