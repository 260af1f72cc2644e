/* constant: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"different words in a warp are read one after the other: 32 of them cost 32 times one", "vendor guide",
     "mode=throughput space=constant distinct=32 spacing=4,64", "distinct=1", "cost", 29, 35},
    {"words that share a line of the constant cache are served together", "forum",
     "mode=throughput space=constant distinct=8,16,32 spacing=4", "spacing=64", "cost", 0.03, 0.5},
    {"where all lanes want one word, constant memory is faster than shared memory", "textbook",
     "mode=throughput space=constant distinct=1 spacing=4,64", "space=shared", "cost", 0, 0.97},
    {"where all lanes want one word, constant memory is faster than global memory", "vendor guide",
     "mode=throughput space=constant distinct=1 spacing=4,64", "space=global", "cost", 0, 0.97},
};

FX_CLAIMS(constant, claims)
