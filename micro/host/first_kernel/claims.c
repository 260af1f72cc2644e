/* first_kernel: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "lazy loading shortens the start of a program that runs few of the kernels that it has",
     .source = PROGRAMMING_GUIDE_13 "4.7 Lazy Loading",
     .where = "loading=lazy",
     .against = "loading=eager",
     .quantity = "cost",
     .high = 1},
};

FX_CLAIMS(first_kernel, claims)
