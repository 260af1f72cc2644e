/* data_toggle: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "the data do not matter for the speed of a kernel",
     .source = COMMON_ADVICE,
     .where = "data=zeros,ones,sparse",
     .against = "data=random",
     .quantity = "cost",
     .low = 0.99,
     .high = 1.01},
    {.text = "a matrix product runs faster on zeros or ones than on random bits",
     .source = "He, Strangely, Matrix Multiplications on GPUs Run Faster When Given Predictable Data!, 2024",
     .where = "task=mma data=zeros,ones",
     .against = "data=random",
     .quantity = "cost",
     .high = 0.99},
    {.text = "a matrix product of random data draws more power than one of zeros",
     .source = "Gregersen et al., Input-Dependent Power Usage in GPUs, SC 2024 Workshops",
     .where = "task=mma data=random",
     .against = "data=zeros",
     .quantity = "power_W",
     .low = 1.05,
     .high = (double)INFINITY},
    {.text = "zeros among the operands of a matrix product save energy",
     .source = "Gregersen et al., Input-Dependent Power Usage in GPUs, SC 2024 Workshops",
     .where = "task=mma data=sparse",
     .against = "data=random",
     .quantity = "pJ_per_flop",
     .high = 0.95},
};

FX_CLAIMS(data_toggle, claims)
