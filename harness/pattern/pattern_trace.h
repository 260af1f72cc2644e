/* The patterns of a trace, for `gpufx pattern --file`: those of the accesses that --space and --op name. */
#ifndef FX_PATTERN_TRACE_H
#define FX_PATTERN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/lanes.h"

typedef struct fx_pattern_trace fx_pattern_trace;

/* True if what is in the file begins as a trace does, whatever its name; a pipe is none. */
bool fx_pattern_file_is_trace(const char *path);

/* FX_BAD_INPUT where it has no such access; the sentence says what it has. */
fx_status fx_pattern_trace_open(const char *path, const char *space, const char *op, fx_pattern_trace **out,
                                fx_error *err);
void fx_pattern_trace_close(fx_pattern_trace *trace); /* NULL is fine */

/* The next of them; false after the last. */
bool fx_pattern_trace_next(fx_pattern_trace *trace, uint32_t *id, unsigned *width_bytes, fx_lanes *lanes);

#endif
