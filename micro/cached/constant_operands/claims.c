/* constant_operands: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "constant memory is as fast as a register where all lanes want one word",
     .source = BEST_PRACTICES "10.2.6 Constant Memory",
     .where = "path=constant spacing=8",
     .against = "path=register",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
};

FX_CLAIMS(constant_operands, claims)
