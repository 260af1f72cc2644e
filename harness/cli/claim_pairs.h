/* From a claim's selections to the pairs of cases that decide it, for `list --claims`. */
#pragma once

#include <jansson.h>

#include "core/case_list.h"

/* A case that the claim speaks of, and the one that differs from it in the axes of `against` alone. */
typedef struct fx_claim_pair {
    const fx_case *tested;
    const fx_case *base; /* NULL: the claim compares with nothing */
} fx_claim_pair;

/* All pairs among `cases`, which are those of the claim's probe, in their order; none if no case is what the sentence
 * speaks of. A case whose partner is not among them is left out. *pairs is owned: free it. */
fx_status fx_claim_pairs(const fx_probe *probe, const json_t *claim, const fx_case *cases, size_t count,
                         fx_claim_pair **pairs, size_t *pair_count, fx_error *err);
