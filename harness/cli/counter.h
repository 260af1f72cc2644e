/* Hardware counters that a probe declares: which of them speak of a case, and what the law says they must show. */
#pragma once

#include "core/probe.h"

/* *applies: the counter speaks of this case. *count then is the predicted count that it names, not yet scaled.
 * FX_BAD_INPUT names the probe and the line of its table that can't be right: a selection that is none, one over a
 * number, or a count that the prediction does not have. */
fx_status fx_counter_expect(const fx_case *c, const fx_counter *counter, bool *applies, double *count, fx_error *err);
