/* readonly: what is said about it, and the cases that decide. */
#include "core/claim.h"

static const fx_claim claims[] = {
    {"texture is faster for read-only data", "textbook", "mode=throughput path=tex walk=line footprint=16Ki,1Mi",
     "path=plain", "cost", 0, 0.97},
    {"__ldg, the read-only load, is faster than a plain load", "blog",
     "mode=throughput path=nc walk=line footprint=16Ki,1Mi", "path=plain", "cost", 0, 0.97},
    {"textures win where reads are local in two dimensions", "vendor guide",
     "mode=throughput path=tex2d_array walk=tiles,columns footprint=64Ki,2Mi", "path=plain", "cost", 0, 0.97},
};

FX_CLAIMS(readonly, claims)
