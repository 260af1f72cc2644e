/* --only FILE: the cases named in a file. */
#pragma once

#include "core/case_list.h"
#include "core/error.h"

/* Keeps the cases that the file names, one on a line; blank lines are skipped. FX_BAD_INPUT if the file can't be read,
 * names a case that is not in the list, or none. */
fx_status fx_case_file_keep(const char *file, fx_case_list *list, fx_error *err);
