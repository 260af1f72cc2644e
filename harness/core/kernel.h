/* A probe's kernel table (fx_kernel in probe.h): which row serves a case, and what its kernel is called; and which of
 * its hardware counters speak of a case. */
#pragma once

#include "probe.h"

FX_C_BEGIN

/* Whether the row's selection holds the case. */
fx_status fx_kernel_serves(const fx_probe *probe, const fx_kernel *row, const fx_params *params, bool *out,
                           fx_error *err);

/* The row of this role whose selection holds the case, and, where `name` is not NULL, whose kernel has this name
 * without its arguments ("lay_words"). *out is NULL where there is none. FX_BAD_INPUT where there are two, or where a
 * selection can't be read: a mistake in the table. */
fx_status fx_kernel_find(const fx_probe *probe, const fx_params *params, fx_role role, const char *name,
                         const fx_kernel **out, fx_error *err);

/* As the machine code calls it, up to the parameters: "chase<0, 4, 1>". Returns text. */
const char *fx_kernel_name(const fx_kernel *kernel, char *text, size_t size);

/* True where an earlier row has the same kernel. */
bool fx_kernel_is_repeated(const fx_probe *probe, const fx_kernel *kernel);

/* *applies: the counter speaks of this case. *count then is the predicted count that it names, not yet scaled.
 * FX_BAD_INPUT names the probe and the line of its table that can't be right: a selection that is none, one over a
 * number, or a count that the prediction does not have. */
fx_status fx_counter_expect(const fx_case *c, const fx_counter *counter, bool *applies, double *count, fx_error *err);

FX_C_END
