/* carveout: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a kernel that uses no shared memory has the whole array as its L1, 256 KiB on compute capability 9.0",
     .source = COMMON_ADVICE,
     .where = "mode=latency carveout=-1 footprint=256Ki",
     .against = "footprint=16Ki",
     .quantity = "cost",
     .high = 1.03,
     .given = {.where = "mode=latency carveout=0 footprint=192Ki",
               .against = "footprint=16Ki",
               .quantity = "cost",
               .high = 1.03,
               .otherwise = "the array of this chip has less than 256 KiB"}},
    {.text = "shared memory and L1 come from one array, so a larger carve-out costs L1 hits",
     .source = "Ampere Tuning Guide 13.1, 1.4.2.3 Unified Shared Memory/L1/Texture Cache",
     .where = "carveout=57,71,85,100 footprint=128Ki,152Ki,160Ki,184Ki,192Ki",
     .against = "carveout=0",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "the carve-out does not matter to data that fit into what is left",
     .source = COMMON_ADVICE,
     .where = "carveout=3,7,14,28 footprint=8Ki,16Ki,32Ki,64Ki,96Ki,128Ki; carveout=43,57 "
              "footprint=8Ki,16Ki,32Ki,64Ki; carveout=71,85,100 footprint=8Ki,16Ki",
     .against = "carveout=0",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "the L2 is fast enough that a smaller L1 is hardly felt in throughput",
     .source = COMMON_ADVICE,
     .where = "mode=throughput,device carveout=100 footprint=32Ki,64Ki,96Ki,128Ki,160Ki,192Ki",
     .against = "carveout=0",
     .quantity = "cost",
     .high = 1.1},
};

FX_CLAIMS(carveout, claims)
