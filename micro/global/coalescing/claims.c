/* coalescing: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a stride of two halves the useful bandwidth",
     .source = BEST_PRACTICES "10.2.1.4 Strided Accesses",
     .where = "level=dram stride=2",
     .against = "stride=1",
     .quantity = "rate",
     .low = 0.45,
     .high = 0.55},
    {.text = "what the lanes want is fetched once, in whatever order they want it: lanes may be permuted for nothing",
     .source = BEST_PRACTICES "10.2.1.1 A Simple Access Pattern",
     .where = "op=load order=shuffled,reversed stride=1",
     .against = "order=linear",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "a warp that starts one element off fetches five sectors for four, so it takes a quarter longer",
     .source = BEST_PRACTICES "10.2.1.3 Effects of Misaligned Accesses",
     .where = "op=load layout=isolated width=4 order=linear stride=1 offset=4",
     .against = "offset=0",
     .quantity = "cost",
     .low = 1.2,
     .high = 1.3},
    {.text = "an uncoalesced read costs 32 times a coalesced one",
     .source = COMMON_ADVICE,
     .where = "op=load layout=isolated order=linear stride=32:64 offset=0",
     .against = "stride=1",
     .quantity = "cost",
     .low = 28,
     .high = 36},
    {.text = "a misaligned stream reads as fast as an aligned one, since neighbours share the lines",
     .source = COMMON_ADVICE,
     .where = "op=load layout=stream offset=1:127",
     .against = "offset=0",
     .quantity = "rate",
     .low = 0.97,
     .high = 1.03},
};

FX_CLAIMS(coalescing, claims)
