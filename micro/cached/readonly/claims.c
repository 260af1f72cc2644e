/* readonly: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "texture is faster for read-only data",
     .source = COMMON_ADVICE,
     .where = "path=tex",
     .against = "path=plain",
     .quantity = "cost",
     .high = 0.97},
    {.text = "__ldg, the read-only load, is faster than a plain load",
     .source = COMMON_ADVICE,
     .where = "path=nc",
     .against = "path=plain",
     .quantity = "cost",
     .high = 0.97},
    {.text = "textures win where the lanes of a warp read close together in two dimensions",
     .source = BEST_PRACTICES "10.2.5 Texture Memory",
     .where = "path=tex2d_array,tex2d_pitch walk=tiles,columns",
     .against = "path=plain",
     .quantity = "cost",
     .high = 0.97},
};

FX_CLAIMS(readonly, claims)
