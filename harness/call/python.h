/* The Python half: gpufx_plot, which knows archives and nothing of CUDA, and gpufx_validate, which knows the tools of
 * CUDA's toolkit. It is given command lines in their normal form (fx_options_normal). */
#pragma once

#include "core/error.h"
#include "options.h"

/* As a shell reports it; the reason has been printed. */
enum { FX_PYTHON_NOT_STARTED = 127 };

#define FX_PLOT_MODULE     "gpufx_plot"
#define FX_PASTED_MODULE   "gpufx_plot.pasted"
#define FX_VALIDATE_MODULE "gpufx_validate"

/* A verb of gpufx_plot, with the words that a user would give it. A SIGINT, SIGTERM or SIGHUP to this process is passed
 * on to Python. *exit_status is Python's, 128 + the signal that ended or should end it, or FX_PYTHON_NOT_STARTED. It is
 * 1 only where Python's answer is no: who died without one has ended with 2. */
fx_status fx_python_plot(const char *root, const char *verb, char **words, int count, int *exit_status, fx_error *err);

/* Runs `python -P -m MODULE QUESTION` and gives all that it prints; the caller frees *answer. */
fx_status fx_python_ask(const char *root, const char *module, const char *question, char **answer, fx_error *err);

/* A verb that is done in Python: the same, with the exit status that is ours; reasons have been printed. */
int fx_python_verb(const char *module, const char *verb, const fx_options *options);
