/* carveout: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"a kernel that uses no shared memory gets the whole array as L1 by itself", "vendor guide",
     "mode=latency carveout=-1 footprint=16Ki,64Ki,128Ki,160Ki,192Ki", "carveout=0", "cost", 0.97, 1.03},
    {"shared memory and L1 come from one array, so a larger carve-out costs L1 hits", "vendor guide",
     "mode=latency carveout=57,71,85,100 footprint=192Ki", "carveout=0", "cost", 1.03, INFINITY},
    {"the carve-out does not matter to data that fit into what is left", "blog",
     "mode=latency carveout=3,7,14,28,43,57,71,85,100 footprint=16Ki", "carveout=0", "cost", 0.97, 1.03},
    {"the L2 is fast enough that a smaller L1 is hardly felt in throughput", "forum",
     "mode=throughput,device carveout=100 footprint=128Ki", "carveout=0", "cost", 0, 1.1},
};

FX_CLAIMS(carveout, claims)
