/* The Python half: gpufx_plot, which knows archives and nothing of CUDA, and gpufx_validate, which knows the tools of
 * CUDA's toolkit. */
#ifndef FX_PYTHON_H
#define FX_PYTHON_H

#include <stddef.h>

#include "core/error.h"

/* As a shell reports it; the reason has been printed. */
enum { FX_PYTHON_NOT_STARTED = 127 };

#define FX_PLOT_MODULE "gpufx_plot"

/* Runs `python -P -m MODULE` with these arguments and waits. A SIGINT or SIGTERM to this process goes on to Python.
 * *exit_status is Python's, 128 + the signal that ended or should end it, or FX_PYTHON_NOT_STARTED. */
fx_status fx_python_call(const char *root, const char *module, const char *const *arguments, size_t count,
                         int *exit_status, fx_error *err);

#endif
