/* clock_and_power: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {.text = "dense matrix products do not keep the clock with which they begin: under load it settles to a lower one",
     .source = "TechnoLynx, Power, Thermals, and the Hidden Governors of Performance, 2026",
     .where = "task=mma duration=8 at=5000:7500:500",
     .against = "at=0",
     .quantity = "cost",
     .low = 1.01,
     .high = (double)INFINITY},
};

FX_CLAIMS(clock_and_power, claims)
