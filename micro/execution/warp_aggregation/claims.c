/* warp_aggregation: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"counting on one global word is about 32 times faster if each warp first adds up its own", "blog",
     "mode=device space=global type=int32 owner=grid blocks=0 method=plain", "method=redux", "cost", 24, 40},
};

FX_CLAIMS(warp_aggregation, claims)
