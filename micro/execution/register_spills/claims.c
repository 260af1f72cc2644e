/* register_spills: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"a few spilled registers are harmless", "forum", "live=64 registers=64 warps=8", "registers=255", "cost", 0, 1.03},
};

FX_CLAIMS(register_spills, claims)
