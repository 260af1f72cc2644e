/* What the searches of a run's first process added, for the processes behind it, so that all measure the same. */
#ifndef FX_ADDED_H
#define FX_ADDED_H

#include "archive/archive.h"
#include "core/cases.h"

/* Adds the searched cases of an archive that is being written to the list, in its order, each once. Those of a probe or
 * a sweep that the list does not have are left out. *count (may be NULL): how many. */
fx_status fx_added_take(const char *path, const fx_facts *facts, fx_case_list *cases, size_t *count, fx_error *err);

#endif
