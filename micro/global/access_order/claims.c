/* access_order: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"reading interleaved is about 15 times faster than in chunks", "lecture",
     "order=chunked blocks=16,64,256,0 size=256Mi width=4", "order=interleaved", "cost", 10, 20},
    {"one block can't use the memory's bandwidth: it reaches no more than a few percent of it", "lecture",
     "order=interleaved blocks=1 size=256Mi width=4", NULL, "peak_pct", 0, 5},
    {"with enough threads the order does not matter, since the caches hold the chunks", "forum",
     "order=chunked blocks=0 size=256Mi,1Gi width=4", "order=interleaved", "cost", 0.97, 1.03},
    {"a block with a part of the array to itself reads as fast as threads interleaved over the whole grid", "blog",
     "order=blocked blocks=0 size=256Mi,1Gi width=4", "order=interleaved", "cost", 0.97, 1.03},
    {"loads of 16 bytes make a memory-bound sum faster than loads of 4", "blog",
     "order=interleaved blocks=0 size=256Mi,1Gi width=16", "width=4", "rate", 1.03, INFINITY},
};

FX_CLAIMS(access_order, claims)
