/* gpufx_plot, the Python half: it knows archives and nothing of CUDA. */
#ifndef FX_PYTHON_H
#define FX_PYTHON_H

#include <stddef.h>

#include "core/error.h"

/* Runs `python -m gpufx_plot` with these arguments and waits. *exit_status is Python's, or 128 + signal. FX_UNSUPPORTED
 * if there is no such Python or it lacks the package. */
fx_status fx_python_call(const char *root, const char *const *arguments, size_t count, int *exit_status, fx_error *err);

#endif
