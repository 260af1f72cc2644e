/* Data beside a probe, as it was when the program was built: claims.json, what guides say about the effect, and
 * quantities.json. results/schema/claims-1.schema.json and quantities-1.schema.json describe them; a test holds both
 * to what the probe can produce. */
#pragma once

#include <jansson.h>

#include "core/probe.h"

/* A list of claims as archives carry them, with every key, in the order of the file; empty if there are none. Owned by
 * the caller. */
json_t *fx_claims_of(const fx_probe *probe);

/* The list of quantities as in the file, NULL if there is none. Owned by the caller. */
json_t *fx_quantities_of(const fx_probe *probe);
