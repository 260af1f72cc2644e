/* Where a number comes from: the archive's first line. */
#ifndef FX_PROVENANCE_H
#define FX_PROVENANCE_H

#include "core/device.h"
#include "options.h"

/* The `program` and `host` objects. New references; NULL if memory ran out. */
json_t *fx_program_json(void);
json_t *fx_host_json(void);

/* The `run` object, for fx_archive_create. `arguments` are the program's, from the verb on. */
fx_status fx_run_json(fx_device *device, const fx_options *options, const char *const *arguments, size_t argument_count,
                      json_t **out, fx_error *err);

#endif
