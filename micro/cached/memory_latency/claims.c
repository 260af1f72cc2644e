/* memory_latency: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"shared memory is as fast as a register", "vendor guide", "space=shared footprint=4Ki,16Ki",
     "space=register footprint=0", "cost", 0.97, 1.03},
    {"an L1 hit is as fast as shared memory", "blog", "space=global stride=128 footprint=4Ki,16Ki", "space=shared",
     "cost", 0.97, 1.03},
    {"global memory takes 400 to 800 cycles", "vendor guide", "space=global stride=128 footprint=256Mi", NULL, "cost",
     400, 800},
    {"the latency of the L2 is the same from all SMs", "forum", "space=l2 stride=8 footprint=32 line=0:15 sm=2:14:2",
     "sm=0", "cost", 0.97, 1.03},
    {"constant memory is as fast as a register when it hits", "vendor guide", "space=constant stride=64 footprint=1Ki",
     "space=register stride=128 footprint=0", "cost", 0.97, 1.03},
};

FX_CLAIMS(memory_latency, claims)
