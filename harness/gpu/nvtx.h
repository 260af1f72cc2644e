/* Named spans for profilers: each case is in an NVTX range of its own name, in the domain "gpufx". Nsight Systems
 * and Nsight Compute show it; without a profiler it costs a test of a pointer. */
#pragma once

/* Ranges nest, and end in the thread that began them. `name` is copied. */
void fx_nvtx_begin(const char *name);
void fx_nvtx_end(void);
