/* atomics: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "atomics of one warp on one address are served one after the other: 32 lanes cost 32 times as much as one",
     .source = PROGRAMMING_GUIDE "4.1 SIMT Architecture",
     .where = "distinct=1 lanes=32",
     .against = "lanes=1",
     .quantity = "cost",
     .low = 28,
     .high = 36},
    {.text = "atomics on shared memory are faster than on global memory",
     .source = HISTOGRAMS,
     .where = "space=global op=add,inc,max,exch,cas",
     .against = "space=shared",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "atomic additions of floats are as fast as those of integers",
     .source = COMMON_ADVICE,
     .where = "op=add type=float32",
     .against = "type=int32",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "atomics on shared memory whose lanes all want words of their own cost no more than a store",
     .source = COMMON_ADVICE,
     .where = "mode=throughput space=shared op=add,inc,max type=int32 result=unused distinct=32 owner=warp",
     .against = "op=store",
     .quantity = "cost",
     .high = 1.03},
    {.text = "an atomic whose result nobody wants is faster than one whose result is used",
     .source = COMMON_ADVICE,
     .where = "mode=throughput result=used",
     .against = "result=unused",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
};

FX_CLAIMS(atomics, claims)
