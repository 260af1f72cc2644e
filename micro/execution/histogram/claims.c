/* histogram: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"a histogram of few bins is many times faster with a private copy in the shared memory of each block", "blog",
     "space=global op=add type=int32 result=unused words=1,32", "space=shared", "cost", 4, INFINITY},
};

FX_CLAIMS(histogram, claims)
