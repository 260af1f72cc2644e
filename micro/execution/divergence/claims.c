/* divergence: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "the paths that a warp's lanes take are executed one after the other: two take twice as long as one",
     .source = BEST_PRACTICES "13.1 Branching and Divergence",
     .where = "shape=switch on=lane paths=2",
     .against = "paths=1 order=blocked seed=0",
     .quantity = "cost",
     .low = 1.9,
     .high = 2.1},
    {.text = "32 paths in one warp cost 32 times as much as one",
     .source = COMMON_ADVICE,
     .where = "shape=switch on=lane paths=32",
     .against = "paths=1 order=blocked seed=0",
     .quantity = "cost",
     .low = 29,
     .high = 35},
    {.text = "to branch on the number of the warp costs nothing",
     .source = BEST_PRACTICES "13.1 Branching and Divergence",
     .where = "shape=switch on=warp paths=2:32",
     .against = "paths=1 order=blocked",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "which of the lanes take a path does not matter, only how many paths there are",
     .source = COMMON_ADVICE,
     .where = "shape=switch on=lane order=interleaved,shuffled",
     .against = "order=blocked seed=0",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "branches of a few instructions lose next to nothing by divergence, since the compiler predicates them",
     .source = BEST_PRACTICES "13.1 Branching and Divergence",
     .where = "shape=if,ifelse length=1:4 taken=16",
     .against = "taken=32",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
};

FX_CLAIMS(divergence, claims)
