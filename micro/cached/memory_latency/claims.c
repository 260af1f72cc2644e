/* memory_latency: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "shared memory is as fast as a register, without bank conflicts",
     .source = "NVIDIA, Tutorial CUDA, 2008, Shared Memory Bank Conflicts",
     .where = "space=shared",
     .against = "space=register footprint=0",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "the latency of shared memory is about 100 times lower than that of uncached global memory",
     .source = "Harris, Using Shared Memory in CUDA C/C++, 2013",
     .where = "space=global stride=128 footprint=256Mi",
     .against = "space=shared footprint=16Ki",
     .quantity = "cost",
     .low = 67,
     .high = 150},
    {.text = "an L1 hit is as fast as shared memory",
     .source = COMMON_ADVICE,
     .where = "space=global stride=128 footprint=1Ki,4Ki,16Ki,32Ki,48Ki",
     .against = "space=shared",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "global memory takes 400 to 800 cycles",
     .source = COMMON_ADVICE ", from the CUDA C Programming Guide 5, which says so of compute capability 1 and 2",
     .where = "space=global stride=128 footprint=256Mi",
     .quantity = "cost",
     .low = 400,
     .high = 800},
    {.text = "the latency of the L2 is the same from all SMs",
     .source = COMMON_ADVICE,
     .where = "space=l2 stride=8 footprint=32",
     .against = "sm=0",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
};

FX_CLAIMS(memory_latency, claims)
