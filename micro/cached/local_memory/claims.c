/* local_memory: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#define EVERY_LENGTH " words=8,16,32,64"

static const fx_claim claims[] = {
    {"a read from local memory is about 100 times slower than one from a register", "vendor guide",
     "mode=latency home=local" EVERY_LENGTH, "home=register", "cost", 67, 150},
    {"local memory is part of device memory, so a read from it takes hundreds of cycles, however small the array",
     "vendor guide", "mode=latency home=local" EVERY_LENGTH, NULL, "cost", 200, (double)INFINITY},
    {"an array that is indexed at run time is faster in shared memory than in local memory", "forum",
     "mode=throughput,latency home=shared" EVERY_LENGTH, "home=local", "cost", 0, 0.97},
    {"a small array is better read by selects over registers than from local memory", "blog",
     "mode=throughput,latency home=select,tree words=8", "home=local", "cost", 0, 0.97},
    {"accesses to local memory are always coalesced", "vendor guide",
     "mode=throughput home=local words=32 distinct=2,4,8,16,32", "distinct=1", "cost", 0, 1.03},
};

FX_CLAIMS(local_memory, claims)
