/* occupancy: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"full bandwidth needs full occupancy", "lecture", "limit=warps level=dram width=16 warps=32 loads=1,2,4",
     "warps=64", "rate", 0, 0.97},
    {"half of the warps are enough for full bandwidth", "vendor guide",
     "limit=warps level=dram width=16 warps=32 loads=1,2,4", "warps=64", "rate", 0.97, INFINITY},
    {"independent loads replace warps: a quarter of the warps with four loads each read as fast", "paper",
     "limit=warps level=dram,l2 width=16 warps=16 loads=4", "warps=64 loads=1", "rate", 0.97, INFINITY},
    {"wide loads replace warps: a quarter of the warps read as fast with 16 bytes a lane as all with 4", "blog",
     "limit=warps level=dram,l2 width=16 warps=16 loads=1,4", "width=4 warps=64", "rate", 0.97, INFINITY},
    {"a kernel that needs many registers reads slower, since fewer of its blocks fit", "vendor guide",
     "limit=registers level=dram width=16 registers=128,255 loads=1,4", "registers=32", "rate", 0, 0.97},
};

FX_CLAIMS(occupancy, claims)
