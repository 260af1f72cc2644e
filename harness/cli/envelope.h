/* Where an answer goes. What a verb prints on standard output is caught here where it shall lie in a file (--output)
 * or in the one envelope of all verbs (--json, results/schema/envelope-1.schema.json): no verb knows of either. */
#pragma once

#include "call/verb.h"
#include "core/error.h"

enum { FX_ENVELOPE_SCHEMA = 1 };

typedef struct fx_envelope {
    int caught, before; /* file descriptors, -1: nothing is caught */
} fx_envelope;

/* From here on standard output is caught, where the options ask for that. */
fx_status fx_envelope_catch(const fx_options *options, fx_envelope *out, fx_error *err);

/* Gives standard output back, and what was caught to where it belongs: nothing where the verb printed nothing, was
 * used wrongly or was interrupted. `status` is the verb's exit status; returns it, or that of a failed write. */
int fx_envelope_give(fx_envelope *answer, const fx_call *call, int status);
