/* cluster: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"distributed shared memory is nearly as fast as the block's own", "blog",
     "mode=latency path=mapped readers=one cluster=2 hop=1", "path=plain cluster=1 hop=0", "cost", 0, 1.25},
    {"a block reads its own memory at full speed through an address of the cluster, too", "forum",
     "mode=latency path=mapped readers=one cluster=1 hop=0", "path=plain", "cost", 0.97, 1.03},
    {"it does not matter which block of the cluster is read", "vendor guide",
     "mode=latency path=mapped readers=one cluster=8 hop=2:7", "hop=1", "cost", 0.95, 1.05},
    {"larger clusters make distributed shared memory slower", "paper",
     "mode=throughput path=mapped readers=ring cluster=4,8,16 hop=1 width=4", "cluster=2", "cost", 1.03, INFINITY},
    {"wider accesses move more bytes in the same time between SMs", "vendor guide",
     "mode=throughput path=mapped readers=ring cluster=2,8 hop=1 width=16", "width=4", "rate", 1.1, INFINITY},
};

FX_CLAIMS(cluster, claims)
