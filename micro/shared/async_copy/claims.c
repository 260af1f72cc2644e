/* async_copy: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "cp.async is faster than loading and storing in nearly all cases, since the data go past the registers",
     .source = BEST_PRACTICES "10.2.3.4 Asynchronous Copy from Global Memory to Shared Memory",
     .where = "way=cp_async",
     .against = "way=load_store stages=1",
     .quantity = "cost",
     .high = 0.97},
    {.text = "cp.async does best with 8 or 16 bytes per lane: 4 are slower",
     .source = BEST_PRACTICES "10.2.3.4 Asynchronous Copy from Global Memory to Shared Memory",
     .where = "way=cp_async width=4; way=cp_async width=4",
     .against = "width=8; width=16",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "cp.async should copy 16 bytes per lane: 8 are slower",
     .source = COMMON_ADVICE,
     .where = "way=cp_async width=8",
     .against = "width=16",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "double buffering is enough: more stages gain nothing",
     .source = COMMON_ADVICE,
     .where = "way=cp_async stages=4,8",
     .against = "stages=2",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "without asynchronous copies 90 % of the memory's bandwidth is out of reach",
     .source = COMMON_ADVICE,
     .where = "level=dram way=load_store warps=32",
     .quantity = "peak_pct",
     .high = 90},
    {.text = "one thread of an SM keeps the memory busy with bulk copies",
     .source = "Hopper Tuning Guide 13, Tensor Memory Accelerator",
     .where = "level=dram way=bulk tile=32Ki stages=4 warps=1",
     .quantity = "peak_pct",
     .low = 90,
     .high = (double)INFINITY},
};

FX_CLAIMS(async_copy, claims)
