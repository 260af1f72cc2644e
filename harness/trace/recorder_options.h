/* What the recorder is asked for, by the environment of the program that it is loaded into:
 *
 *     GPUFX_TRACE_FILE      the trace; XXXXXX at its end is replaced by what no other process has. Without it nothing
 *                           is recorded
 *     GPUFX_TRACE_SANITIZER libsanitizer-public.so; else the loader's search
 *     GPUFX_TRACE_CUBINS    a folder for the machine code of kernels that were recorded, as HASH.cubin
 *     GPUFX_TRACE_KERNEL    an extended regular expression of a kernel's name, mangled or not
 *     GPUFX_TRACE_LAUNCHES  launches recorded of each kernel, grid and block
 *     GPUFX_TRACE_BLOCKS    blocks recorded of a launch, or "all"
 *     GPUFX_TRACE_MEMORY    bytes of pinned host memory through which the accesses of each context go
 *     GPUFX_TRACE_RANGE     profiler: only launches from cuProfilerStart to cuProfilerStop
 *     GPUFX_TRACE_TIME      1: no access is recorded, only each launch's time on the device */
#pragma once

#include <regex.h>

#include "core/error.h"

typedef struct fx_recorder_options {
    char *file; /* with its letters filled in; nothing here is freed */
    const char *library, *cubins;
    regex_t kernel;
    bool one_kernel;           /* `kernel` is set */
    bool time, in_range;       /* in_range: only between the profiler's calls */
    uint32_t launches, blocks; /* blocks: 0 for all */
    uint64_t ring_words;       /* a power of two */
} fx_recorder_options;

/* Reads the environment. FX_BAD_INPUT names the variable; the file is known all the same. */
fx_status fx_recorder_read_options(fx_recorder_options *out, fx_error *err);

/* Whether a kernel of this name is asked for; those that wait for others only where a name is given. */
bool fx_recorder_wants(const fx_recorder_options *options, const char *name);
