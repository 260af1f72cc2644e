/* A launch as the device begins and ends it: whether it is recorded, and its frames. The state's lock is held, and let
 * go of where the API is called. */
#pragma once

#include "recorder_state.h"

/* A callback of the API's: a launch begins; of a graph, `data` is what belongs to the id. */
void fx_launch_begin(const Sanitizer_LaunchData *l);
void fx_launch_graph(Sanitizer_CallbackId id, const void *data);
/* Writes the frames of what this thread has launched; the lock is not held. `made`: the driver has taken it; `time_ns`:
 * how long it took, negative where that is not known. */
void fx_launch_end(bool made, double time_ns);
