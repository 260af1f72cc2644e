/* Where a number comes from: the archive's first line. */
#pragma once

#include "call/options.h"
#include "core/case_list.h"
#include "core/error.h"
#include "core/sampler.h"

/* The `program` and `host` objects. New references; NULL if memory ran out. */
json_t *fx_program_json(void);
json_t *fx_host_json(void);

/* A list of the words of a text. */
json_t *fx_words_json(const char *words);

/* The `run` object, for fx_archive_create. `arguments` are the program's, from the verb on; cases of a probe are
 * neighbours. FX_BAD_INPUT for a --label that is none. */
fx_status fx_run_json(fx_device *device, const fx_options *options, const char *const *arguments, size_t argument_count,
                      const fx_case_list *cases, json_t **out, fx_error *err);
