/* data_toggle: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"the data do not matter for the speed of a kernel", "forum", "task=copy,fma,mma data=random", "data=zeros", "cost",
     0.99, 1.01},
    {"a copy of zeros is as fast as one of random bits", "forum", "task=copy data=zeros", "data=random", "cost", 0.99,
     1.01},
    {"matrices of zeros or ones will do for a benchmark of a matrix product", "forum", "task=mma data=zeros,ones",
     "data=random", "cost", 0.99, 1.01},
    {"random data draw more power than zeros", "paper", "task=copy,fma,mma data=random", "data=zeros", "power_W", 1.05,
     (double)INFINITY},
    {"zeros among the operands save power even where no instruction is left out for them", "paper",
     "task=fma,mma data=sparse", "data=random", "pJ_per_flop", 0, 0.95},
};

FX_CLAIMS(data_toggle, claims)
