/* register_spills: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a few spilled registers are harmless",
     .source = COMMON_ADVICE,
     .where = "live=64,72 registers=64",
     .against = "registers=255 warps=8",
     .quantity = "cost",
     .high = 1.03},
};

FX_CLAIMS(register_spills, claims)
