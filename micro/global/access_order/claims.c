/* access_order: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "reading interleaved is about 15 times faster than in chunks",
     .source = COMMON_ADVICE,
     .where = "order=chunked",
     .against = "order=interleaved",
     .quantity = "cost",
     .low = 10,
     .high = 20},
    {.text = "one block can't use the memory's bandwidth: it reaches no more than a few percent of it",
     .source = COMMON_ADVICE,
     .where = "blocks=1 size=256Mi",
     .quantity = "peak_pct",
     .high = 5},
    {.text = "with enough threads the order does not matter, since the caches hold the chunks",
     .source = COMMON_ADVICE,
     .where = "order=chunked blocks=0",
     .against = "order=interleaved",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "a block with a part of the array to itself reads as fast as threads interleaved over the whole grid",
     .source = COMMON_ADVICE,
     .where = "order=blocked",
     .against = "order=interleaved",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "loads of 16 bytes make a memory-bound sum faster than loads of 4",
     .source = VECTOR_LOADS,
     .where = "size=256Mi,512Mi,1Gi width=16",
     .against = "width=4",
     .quantity = "rate",
     .low = 1.03,
     .high = (double)INFINITY},
};

FX_CLAIMS(access_order, claims)
