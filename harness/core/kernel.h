/* A probe's kernel table (fx_kernel in probe.h): which row serves a case, and what its kernel is called. */
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

FX_C_END
