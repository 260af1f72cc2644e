/* A launch as the device begins and ends it: what is recorded of it, and how it gets into the trace. The state's lock
 * is held, and let go of where the API is called. */
#ifndef FX_RECORDER_RECORD_H
#define FX_RECORDER_RECORD_H

#include "recorder_state.h"

/* A callback of the API's: a launch begins or ends; of a graph, `data` is what belongs to the id. */
void fx_record_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *l);
void fx_record_graph(Sanitizer_CallbackId id, const void *data);
/* Of this thread's launch, or of its launch of the graph: it began and will not end. */
void fx_record_drop(CUgraphExec graph);
/* Writes a launch that has ended with its words, which may be none. FX_BAD_INPUT: its module is not there any more;
 * FX_NO_MEMORY; what writing fails with. */
fx_status fx_record_write(const fx_output_launch *launch, const uint64_t *words, uint64_t count, fx_error *err);

#endif
