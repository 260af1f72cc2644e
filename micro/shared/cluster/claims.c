/* cluster: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "distributed shared memory is nearly as fast as the block's own",
     .source = COMMON_ADVICE,
     .where = "mode=latency readers=one cluster=2,4,8,16 hop=1:15; mode=throughput readers=ring cluster=2,4,8,16 hop=1",
     .against = "path=plain cluster=1 hop=0",
     .quantity = "cost",
     .high = 1.25},
    {.text = "a block reads its own memory at full speed through an address of the cluster, too",
     .source = COMMON_ADVICE,
     .where = "path=mapped cluster=1 hop=0",
     .against = "path=plain",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "it does not matter which block of the cluster is read",
     .source = COMMON_ADVICE,
     .where = "mode=latency readers=one cluster=8,16 hop=2:15",
     .against = "hop=1",
     .quantity = "cost",
     .low = 0.95,
     .high = 1.05},
    {.text = "larger clusters make distributed shared memory slower",
     .source = "Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, 2024, arXiv:2402.13499",
     .given = {.otherwise = "the paper has all SMs at work; the cases here have one cluster at work alone"}},
    {.text = "wider accesses move more bytes in the same time between SMs",
     .source = COMMON_ADVICE,
     .where = "mode=throughput hop=1 width=8,16",
     .against = "width=4",
     .quantity = "rate",
     .low = 1.1,
     .high = (double)INFINITY},
};

FX_CLAIMS(cluster, claims)
