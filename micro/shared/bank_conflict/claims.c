/* bank_conflict: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a 32-way bank conflict costs 4 times an access without one",
     .source = COMMON_ADVICE,
     .where = "op=load,store width=4 pattern=stride stride=32,64; op=load,store width=4 pattern=column",
     .against = "stride=1; pattern=stride stride=1",
     .quantity = "cost",
     .low = 3,
     .high = 5},
    {.text = "a conflict of 32 ways takes a 32nd of the bandwidth, since the access is split into as many as there are "
             "ways",
     .source = BEST_PRACTICES "10.2.3.1 Shared Memory and Memory Banks",
     .where = "mode=throughput op=load,store width=4 pattern=stride stride=32,64; mode=throughput op=load,store "
              "width=4 pattern=column",
     .against = "stride=1; pattern=stride stride=1",
     .quantity = "cost",
     .low = 29,
     .high = 35},
    {.text = "odd strides are free of conflicts",
     .source = COMMON_ADVICE,
     .where = "pattern=stride stride=3:63:2 offset=0",
     .against = "stride=1",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "padding each row of a tile of floats by one element frees its columns from conflicts",
     .source = BEST_PRACTICES "10.2.3.3 Shared Memory in Matrix Multiplication (C=AAT)",
     .where = "width=4 pattern=padded",
     .against = "pattern=stride",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "atomics in shared memory conflict no more than loads do",
     .source = COMMON_ADVICE,
     .where = "mode=throughput op=atomic_add",
     .against = "op=load",
     .quantity = "cost",
     .low = 0.9,
     .high = 1.1},
};

FX_CLAIMS(bank_conflict, claims)
