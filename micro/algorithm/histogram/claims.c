/* histogram: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a histogram of 256 bins is faster in the shared memory of each block than in global memory",
     .source = HISTOGRAMS,
     .where = "variant=global bins=256",
     .against = "variant=shared",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text =
         "atomics in shared memory depend little on the data: one value takes less than twice as long as random ones",
     .source = HISTOGRAMS,
     .where = "variant=shared data=constant bins=256",
     .against = "data=uniform",
     .quantity = "cost",
     .high = 2},
    {.text = "a copy of the bins for each warp is faster than one for the block",
     .source = COMMON_ADVICE ", after Podlozhnyuk, Histogram calculation in CUDA, 2007, which has no other way on G8x",
     .where = "variant=shared",
     .against = "variant=per_warp",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "several copies of the bins among which the lanes are spread are faster than one",
     .source =
         "Gomez-Luna et al., An Optimized Approach to Histogram Computation on GPU, Machine Vision and Applications "
         "2013, 3 Replication",
     .where = "variant=shared",
     .against = "variant=copies",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "one atomic for all lanes of a warp with the same value is faster than one for each lane",
     .source = COMMON_ADVICE ", after Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics, 2014",
     .where = "variant=global",
     .against = "variant=aggregated",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text =
         "atomics in global memory are slow where many threads want one bin: one value takes longer than random ones",
     .source = PROGRAMMING_GUIDE "4.1 SIMT Architecture",
     .where = "variant=global data=constant bins=256",
     .against = "data=uniform",
     .quantity = "cost",
     .low = 1.5,
     .high = (double)INFINITY},
};

FX_CLAIMS(histogram, claims)
