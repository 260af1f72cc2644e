/* bank_conflict: what is said about it, and the cases that decide. */
#include "core/claim.h"

/* The first is told of latency as well as of throughput; both decide. */
static const fx_claim claims[] = {
    {"a 32-way bank conflict costs 4 times an access without one", "lecture",
     "mode=throughput,latency op=load width=4 pattern=stride stride=32 offset=0", "stride=1", "cost", 3, 5},
    {"a 32-way bank conflict costs 32 times an access without one", "vendor guide",
     "mode=throughput op=load,store width=4 pattern=stride stride=32 offset=0", "stride=1", "cost", 29, 35},
    {"odd strides are free of conflicts", "vendor guide",
     "mode=throughput op=load,store width=4 pattern=stride stride=3,5,7,9,15,17,31,33 offset=0", "stride=1", "cost",
     0.97, 1.03},
    {"padding each row by one element frees the columns of a tile from conflicts", "vendor guide",
     "mode=throughput,latency op=load width=4 pattern=padded", "pattern=stride", "cost", 0.97, 1.03},
    {"atomics in shared memory conflict no more than loads do", "forum",
     "mode=throughput op=atomic_add width=4 pattern=stride stride=1,2,4,8,16,32 offset=0", "op=load", "cost", 0.9, 1.1},
};

FX_CLAIMS(bank_conflict, claims)
