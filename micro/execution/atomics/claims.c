/* atomics: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#define ONE_WORD "mode=throughput type=int32 op=add result=unused distinct=1 spacing=4 owner=warp "

static const fx_claim claims[] = {
    {"atomics of one warp on one address are served one after the other: 32 lanes cost 32 times as much as one",
     "vendor guide", ONE_WORD "space=shared,global lanes=32", "lanes=1", "cost", 28, 36},
    {"atomics on shared memory are faster than on global memory", "vendor guide",
     "mode=throughput space=global op=add,max,exch,cas type=int32 lanes=32 distinct=1,32 spacing=4 "
     "owner=warp",
     "space=shared", "cost", 1.03, INFINITY},
    {"atomic additions of floats are as fast as those of integers", "forum",
     "mode=throughput op=add type=float32 result=unused lanes=32 distinct=1,32 spacing=4 owner=warp", "type=int32",
     "cost", 0.97, 1.03},
    {"atomics on shared memory whose lanes all want words of their own cost no more than a store", "lecture",
     "mode=throughput space=shared op=add type=int32 result=unused lanes=32 distinct=32 spacing=4 "
     "owner=warp",
     "op=store", "cost", 0, 1.03},
    {"an atomic whose result nobody wants is faster than one whose result is used", "vendor guide",
     "mode=throughput op=add type=int32 result=used lanes=32 distinct=1,32 spacing=4 owner=warp", "result=unused",
     "cost", 1.03, INFINITY},
};

FX_CLAIMS(atomics, claims)
