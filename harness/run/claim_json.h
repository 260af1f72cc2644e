/* A claim as the archive and `list --claims --json` have it. */
#ifndef FX_CLAIM_JSON_H
#define FX_CLAIM_JSON_H

#include <jansson.h>

#include "core/claim.h"

/* Owned by the caller. Where no case is what the sentence speaks of, its selection and quantity
 * are empty. */
json_t *fx_claim_json(const fx_claim *claim);

#endif
