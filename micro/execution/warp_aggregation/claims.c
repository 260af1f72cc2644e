/* warp_aggregation: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "counting on one global word is about 32 times faster if each warp first adds up its own",
     .source = COMMON_ADVICE ", after Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics, 2014",
     .where = "mode=device method=plain",
     .against = "method=redux",
     .quantity = "cost",
     .low = 24,
     .high = 40},
};

FX_CLAIMS(warp_aggregation, claims)
