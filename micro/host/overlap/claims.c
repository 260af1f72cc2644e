/* overlap: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "copies and kernels of different streams overlap: in chunks on several streams it takes less time",
     .source = BEST_PRACTICES "10.1.2 Asynchronous and Overlapping Transfers with Computation",
     .where = "task=pipeline streams=2,4,8 chunk=512Ki,1Mi,4Mi",
     .against = "streams=1 chunk=16Mi",
     .quantity = "cost",
     .high = 0.9},
    {.text = "a pipeline on several streams takes as long as its slowest stage",
     .source = COMMON_ADVICE,
     .where = "task=pipeline streams=4,8 chunk=512Ki,1Mi",
     .quantity = "share_pct",
     .low = 90,
     .high = 101},
    {.text = "what stands in one stream runs in the order of the stream, so that chunks on one stream gain nothing",
     .source = "Ruetsch, How to Overlap Data Transfers in CUDA Fortran, 2012",
     .where = "task=pipeline streams=1 chunk=1Mi,4Mi",
     .against = "chunk=16Mi",
     .quantity = "cost",
     .low = 0.97,
     .high = (double)INFINITY},
    {.text = "two copies run at the same time if they go in different directions, so that neither waits for the other",
     .source = STREAMS_AND_CONCURRENCY,
     .where = "task=pair subject=h2d neighbour=d2h; task=pair subject=d2h neighbour=h2d",
     .quantity = "share_pct",
     .low = 55, /* of its own rate; 50 if one waits for the other */
     .high = (double)INFINITY},
    {.text = "kernels and copies run at the same time, so that neither waits for the other",
     .source = STREAMS_AND_CONCURRENCY,
     .where = "task=pair subject=kernel neighbour=h2d,d2h; task=pair subject=h2d,d2h neighbour=kernel",
     .quantity = "share_pct",
     .low = 55,
     .high = (double)INFINITY},
    {.text = "copies in both directions and a kernel at once are up to three times as fast as one after the other",
     .source = STREAMS_AND_CONCURRENCY,
     .where = "task=pipeline compute=arithmetic streams=4,8 chunk=512Ki,1Mi",
     .against = "streams=1 chunk=16Mi",
     .quantity = "cost",
     .low = 0.33,
     .high = 1},
    {.text = "many small transfers are better combined into one, even if they must be gathered for it",
     .source = BEST_PRACTICES "10.1 Data Transfer Between Host and Device",
     .where = "task=combined",
     .against = "task=apart",
     .quantity = "cost",
     .high = 0.9},
};

FX_CLAIMS(overlap, claims)
