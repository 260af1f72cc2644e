/* coalescing: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"a stride of two halves the useful bandwidth", "vendor guide",
     "level=dram op=load layout=isolated width=4 order=linear stride=2 offset=0 seed=0", "stride=1", "rate", 0.45,
     0.55},
    {"the order of the lanes within the same lines does not matter", "vendor guide",
     "level=l1,l2 op=load width=4 order=shuffled,reversed stride=1", "order=linear", "cost", 0.97, 1.03},
    {"a warp that starts one element off costs a quarter more: five sectors for four", "textbook",
     "level=l1,l2 op=load layout=isolated width=4 order=linear stride=1 offset=4 seed=0", "offset=0", "cost", 1.2, 1.3},
    {"an uncoalesced read costs 32 times a coalesced one", "blog",
     "level=l1,l2 op=load layout=isolated width=4 order=linear stride=32 offset=0 seed=0", "stride=1", "cost", 28, 36},
    {"a misaligned stream reads as fast as an aligned one, since neighbours share the lines", "blog",
     "level=dram op=load layout=stream width=4 offset=4,16,32,64", "offset=0", "rate", 0.97, 1.03},
};

FX_CLAIMS(coalescing, claims)
