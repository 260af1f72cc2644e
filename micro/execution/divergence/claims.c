/* divergence: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"a warp whose lanes take two paths takes twice as long", "textbook",
     "shape=switch on=lane mode=throughput paths=2 order=blocked", "paths=1", "cost", 1.9, 2.1},
    {"32 paths in one warp cost 32 times as much as one", "lecture",
     "shape=switch on=lane mode=throughput paths=32 order=blocked", "paths=1", "cost", 29, 35},
    {"to branch on the number of the warp costs nothing", "vendor guide",
     "shape=switch on=warp mode=throughput paths=2,3,4,6,8,12,16,24,32 order=blocked,interleaved",
     "paths=1 order=blocked", "cost", 0.97, 1.03},
    {"which of the lanes take a path does not matter, only how many paths there are", "lecture",
     "shape=switch on=lane mode=throughput,latency paths=2,3,4,8,16,32 order=interleaved,shuffled", "order=blocked",
     "cost", 0.97, 1.03},
    {"short ifs do not diverge, since the compiler predicates them", "vendor guide",
     "shape=if,ifelse mode=throughput,latency length=1,2,3,4 taken=16", "taken=32", "cost", 0.97, 1.03},
};

FX_CLAIMS(divergence, claims)
