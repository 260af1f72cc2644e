/* local_memory: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "an array that is indexed at run time is faster in shared memory than in local memory",
     .source = COMMON_ADVICE,
     .where = "home=shared",
     .against = "home=local",
     .quantity = "cost",
     .high = 0.97},
    {.text = "a small array is better read by selects over registers than from local memory",
     .source = COMMON_ADVICE,
     .where = "home=select,tree words=8,16",
     .against = "home=local",
     .quantity = "cost",
     .high = 0.97},
    {.text = "accesses to local memory are coalesced where all lanes use one index: they cost no more than shared ones "
             "without a conflict",
     .source = PROGRAMMING_GUIDE "5.3.2 Device Memory Accesses, Local Memory",
     .where = "mode=throughput home=local distinct=1",
     .against = "home=shared",
     .quantity = "cost",
     .high = 1.03},
};

FX_CLAIMS(local_memory, claims)
