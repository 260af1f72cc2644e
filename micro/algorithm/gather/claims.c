/* gather: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "random reads of memory use it 2 to 4 times better in passes that each stay within a part of the table",
     .source = "He et al., Efficient Gather and Scatter Operations on Graphics Processors, SC 2007, 6 Evaluation",
     .where = "variant=plain element=4 footprint=128Mi,1Gi,16Gi",
     .against = "variant=sorted window=4Mi",
     .quantity = "cost",
     .low = 2,
     .high = (double)INFINITY},
    {.text = "random reads through a texture are faster than plain ones",
     .source = COMMON_ADVICE ", from the texture caches of compute capability 1 to 6",
     .where = "variant=plain element=4,16",
     .against = "variant=texture",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "random reads of data that nobody writes are faster by __ldg",
     .source = COMMON_ADVICE,
     .where = "variant=plain element=4,16",
     .against = "variant=readonly",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "lanes that read one element together are faster than lanes that each read a whole one",
     .source = "Catanzaro, Keller and Garland, A Decomposition for In-place Matrix Transposition, PPoPP 2014",
     .where = "variant=plain element=32,128",
     .against = "variant=together",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "memory is read by 32 bytes: an element of 32 bytes at random costs as much as one of 4",
     .source = PROGRAMMING_GUIDE "5.3.2 Device Memory Accesses, Size and Alignment Requirement",
     .where = "variant=plain element=32 footprint=1Gi",
     .against = "element=4",
     .quantity = "cost",
     .low = 0.9,
     .high = 1.1},
    {.text = "random accesses cost more once the table is beyond the reach of the TLB",
     .source = COMMON_ADVICE,
     .where = "variant=plain element=32 footprint=64Gi",
     .against = "footprint=1Gi",
     .quantity = "cost",
     .low = 1.1,
     .high = (double)INFINITY},
};

FX_CLAIMS(gather, claims)
