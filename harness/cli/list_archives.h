#ifndef FX_LIST_ARCHIVES_H
#define FX_LIST_ARCHIVES_H

#include "core/error.h"
#include "options.h"

/* `list --archives`: those that can be named (named.h), newest first; where probes are named, those that were meant to
 * have cases of all of them. */
fx_status fx_list_archives(const fx_options *options, fx_error *err);

#endif
