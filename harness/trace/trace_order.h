/* What was read of a trace is held against itself, and its records are put in order. */
#pragma once

#include "core/error.h"
#include "trace_memory.h"

/* Records of a frame, as they came. */
typedef struct fx_trace_part {
    uint32_t launch;
    size_t first, count;
} fx_trace_part;

/* FX_BAD_INPUT: frames or records name what is not in the trace. Parts of launches that are not in it, which a program
 * that was killed may leave, are dropped. `name`: of the file. */
fx_status fx_trace_check(const fx_trace *t, fx_trace_part *parts, size_t count, const char *name, fx_error *err);

/* By launch and block, those of a block as they came: of sound parts. False: no memory. */
bool fx_trace_order(fx_trace *t, const fx_trace_part *parts, size_t count);
