/* occupancy: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "low occupancy, of a quarter or less, always leaves latency unhidden, so that performance suffers",
     .source = BEST_PRACTICES "11.1 Occupancy",
     .where = "limit=warps warps=1,2,4,8,16",
     .against = "warps=64",
     .quantity = "rate",
     .high = 0.97},
    {.text = "half of the warps are enough for full bandwidth",
     .source = COMMON_ADVICE,
     .where = "limit=warps warps=32",
     .against = "warps=64",
     .quantity = "rate",
     .low = 0.97,
     .high = (double)INFINITY},
    {.text = "independent loads replace warps: a quarter of the warps with four loads each read as fast",
     .source = "Volkov, Better Performance at Lower Occupancy, GTC 2010",
     .where = "limit=warps warps=16 loads=4",
     .against = "warps=64 loads=1",
     .quantity = "rate",
     .low = 0.97,
     .high = (double)INFINITY},
    {.text = "wide loads replace warps: a quarter of the warps read as fast with 16 bytes per lane as all with 4",
     .source = COMMON_ADVICE,
     .where = "limit=warps width=16 warps=16",
     .against = "width=4 warps=64",
     .quantity = "rate",
     .low = 0.97,
     .high = (double)INFINITY},
    {.text = "a kernel that needs many registers reads slower, since fewer of its blocks fit",
     .source = BEST_PRACTICES "11.1.1 Calculating Occupancy",
     .where = "limit=registers registers=128,255",
     .against = "registers=32",
     .quantity = "rate",
     .high = 0.97},
};

FX_CLAIMS(occupancy, claims)
