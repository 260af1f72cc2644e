/* Claims that a probe declares (fx_claim in probe.h): which of its cases decide them. */
#ifndef FX_CLAIM_H
#define FX_CLAIM_H

#include "probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One comparison that a claim makes: a case that it speaks of, and the one that differs from it in the axes of
 * `against` alone. */
typedef struct fx_claim_pair {
    const fx_case *tested;
    const fx_case *base; /* NULL: the claim compares with nothing */
} fx_claim_pair;

/* All pairs among `cases`, which are those of the claim's probe, in their order. A case whose partner is not among them
 * is left out. *pairs is owned: free it. FX_BAD_INPUT names the probe and the claim whose line of the table can't be
 * right: a selection that is none, `against` with more than one value on an axis, a quantity that the probe does not
 * have, or bounds that hold nothing. */
fx_status fx_claim_pairs(const fx_probe *probe, const fx_claim *claim, const fx_case *cases, size_t count,
                         fx_claim_pair **pairs, size_t *pair_count, fx_error *err);

#ifdef __cplusplus
}
#endif
#endif
