/* transpose: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "on a GPU the product wants B as it is: lanes along the columns read it coalesced",
     .source = COMMON_ADVICE,
     .where = "b=plain lanes=columns",
     .against = "lanes=rows",
     .quantity = "cost",
     .high = 0.7},
    {.text = "transposing costs next to nothing beside the product",
     .source = COMMON_ADVICE,
     .where = "b=first",
     .against = "b=transposed",
     .quantity = "cost",
     .high = 1.05},
};

FX_CLAIMS(transpose, claims)
