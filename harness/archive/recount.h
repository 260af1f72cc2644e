/* Cases of an archive, counted by the laws of today: what was measured stays, what it is held against is of this
 * program. So an archive from before a law counted otherwise still predicts, and laws can be judged on any archive. */
#ifndef FX_RECOUNT_H
#define FX_RECOUNT_H

#include <jansson.h>

#include "core/probe.h"

/* What the device said of itself in the first line of an archive. The geometry is today's knowledge of a real chip, and
 * an invented one's own. */
fx_facts fx_facts_of_run(const json_t *run);

/* The params of a case line as those of the probe; false where a value is missing or none of its axis. */
bool fx_params_read(const fx_probe *probe, const json_t *params, fx_params *out);

/* A case line as it would be counted today; its sweep and what is waived are not filled in. False where nothing of it
 * can be counted: its probe is unknown here or has other axes, it has no law, or the law is of another metric. */
bool fx_recount(const fx_facts *facts, const json_t *line, fx_case *out);

#endif
