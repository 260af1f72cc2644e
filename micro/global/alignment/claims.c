/* alignment: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "when one field of four is read, a structure of arrays is four times faster than an array of structures",
     .source = COMMON_ADVICE,
     .where = "task=structs fields=4 layout=aos read=one",
     .against = "layout=soa",
     .quantity = "cost",
     .low = 3.5,
     .high = 4.5},
    {.text = "when all fields are read, arrays of structures cost as much as structures of arrays",
     .source = COMMON_ADVICE,
     .where = "task=structs layout=aos read=whole",
     .against = "layout=soa",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "a misaligned read of 4-byte words reaches about nine tenths of the bandwidth, since neighbouring warps "
             "share what is fetched",
     .source = BEST_PRACTICES "10.2.1.3 Effects of Misaligned Accesses",
     .where = "task=base width=4 base=4,8,16,28,124",
     .against = "base=0",
     .quantity = "rate",
     .low = 0.85,
     .high = 0.95},
    {.text = "a 2-D array whose width is no multiple of the warp is read faster if its rows are padded, as "
             "cudaMallocPitch does",
     .source = PROGRAMMING_GUIDE "5.3.2 Device Memory Accesses, Two-Dimensional Arrays",
     .where = "task=rows pitch=tight",
     .against = "pitch=cuda",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
};

FX_CLAIMS(alignment, claims)
