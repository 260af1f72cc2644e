/* Work in a process of its own: the program starts itself again, for one hook of one probe. For what happens once in a
 * process, such as the creation of its context. */
#pragma once

#include "probe.h"

FX_C_BEGIN

enum { FX_FRESH_MOST = 16 };

/* Runs probe->in_fresh_process(argument) in a new process and waits for it. `variable`: "NAME=value", which it
 * has in its environment; NULL: none. `count` numbers come back, FX_FRESH_MOST at most. What the hook refuses
 * comes back as its own status and sentence; a process that dies or takes over a minute is FX_DEVICE. */
fx_status fx_fresh_process(const fx_probe *probe, const char *argument, const char *variable, double *numbers,
                           size_t count, fx_error *err);

/* The other side: whether the program was started so, and what it then does. *exit_status is that of the process. */
bool fx_fresh_process_serves(int argc, char **argv, int *exit_status);

FX_C_END
