/* alignment: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"a structure of arrays is as many times faster as the structure has fields, when one field is read",
     "vendor guide", "task=structs level=dram width=4 fields=4 layout=aos read=one", "layout=soa", "cost", 3.5, 4.5},
    {"when all fields are read, arrays of structures cost as much as structures of arrays", "forum",
     "task=structs level=dram,l2 width=4 fields=3,5,7 layout=aos read=whole", "layout=soa", "cost", 0.97, 1.03},
    {"a misaligned base halves the bandwidth of a contiguous read", "vendor guide",
     "task=base level=dram width=4 base=4,28,124", "base=0", "cost", 1.8, 2.2},
    {"a 2-D array needs the pitch of cudaMallocPitch to be read at full speed", "vendor guide",
     "task=rows level=dram order=linear,random row=60,124,252,1020 pitch=tight", "pitch=cuda", "cost", 1.03, INFINITY},
    {"vector loads reach a higher bandwidth than scalar loads", "blog", "task=base level=dram width=16 base=0",
     "width=4", "rate", 1.03, INFINITY},
};

FX_CLAIMS(alignment, claims)
