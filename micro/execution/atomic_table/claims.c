/* atomic_table: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a histogram of few bins is many times faster with a private copy in the shared memory of each block",
     .source = HISTOGRAMS,
     .where = "space=global words=1,32",
     .against = "space=shared",
     .quantity = "cost",
     .low = 4,
     .high = (double)INFINITY},
};

FX_CLAIMS(atomic_table, claims)
