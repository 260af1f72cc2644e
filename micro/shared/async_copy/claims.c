/* async_copy: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"cp.async is faster than loading and storing, since the data go past the registers", "vendor guide",
     "level=l2 way=cp_async width=4,8,16 tile=2Ki stages=1 warps=1,4,8,32", "way=load_store", "cost", 0, 0.97},
    {"cp.async should copy 16 bytes a lane: narrower copies are slower", "vendor guide",
     "level=l2 way=cp_async width=4,8 tile=2Ki stages=2 warps=32", "width=16", "cost", 1.03, INFINITY},
    {"double buffering is enough: more stages gain nothing, however many warps there are", "lecture",
     "level=dram way=cp_async width=16 tile=2Ki stages=4 warps=1,4,8", "stages=2", "cost", 0.97, 1.03},
    {"without asynchronous copies 90 % of the memory's bandwidth is out of reach", "blog",
     "level=dram way=load_store width=4,16 tile=2Ki stages=1 warps=32", NULL, "peak_pct", 0, 90},
    {"one thread of an SM keeps the memory busy with bulk copies", "vendor guide",
     "level=dram way=bulk tile=32Ki stages=4 warps=1", NULL, "peak_pct", 90, 100},
};

FX_CLAIMS(async_copy, claims)
