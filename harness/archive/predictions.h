/* What an archive's own fits say of its own cases: by the counts and the fits that stand in it, as its figures show
 * them. What they say of other cases, by the laws of today, is predict.h's. */
#ifndef FX_PREDICTIONS_H
#define FX_PREDICTIONS_H

#include <jansson.h>

#include "core/error.h"

/* An object: name of a case to what its fit says that it costs, also where the law makes no claim for it. Cases without
 * a count or a fit are left out. Free with json_decref. */
fx_status fx_predictions(const char *path, json_t **out, fx_error *err);

#endif
