/* transpose: what is said about it, and the cases that decide. */
#include "core/claim.h"

/* 30 % more products in the same time, or each in 30 % less time: both are called a gain of 30 %. */
static const fx_claim claims[] = {
    {"transposing B first gains 30 %", "lecture", "b=transposed,first lanes=columns,rows n=1024,2048", "b=plain",
     "cost", 0.69, 0.84},
    {"on a GPU the product wants B as it is: lanes along the columns read it coalesced", "blog",
     "b=plain lanes=columns n=512,1024,2048", "lanes=rows", "cost", 0, 0.7},
    {"transposing costs next to nothing beside the product", "forum", "b=first lanes=columns,rows n=1024,2048",
     "b=transposed", "cost", 0, 1.05},
};

FX_CLAIMS(transpose, claims)
