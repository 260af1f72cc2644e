/* Reads a trace, which is data from a stranger: every number is checked before it is used, memory grows only with what
 * the file really holds, and what is refused is said in one sentence. */
#pragma once

#include "core/error.h"
#include "trace_memory.h"

/* Reads all of it. FX_IO for what can't be read, FX_BAD_INPUT for what is no trace or contradicts itself: a record of
 * an instruction, pattern or launch that is nowhere, a pattern with an offset below 0. */
fx_status fx_trace_read(const char *path, fx_trace **out, fx_error *err);
void fx_trace_free(fx_trace *trace); /* NULL is fine */

void fx_trace_lanes(const fx_trace_pattern *pattern, fx_lanes *out);
