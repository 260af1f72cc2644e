/* transfer: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

static const fx_claim claims[] = {
    {"page-locked memory doubles the bandwidth", "lecture",
     "task=copy kind=pinned direction=h2d,d2h size=64Mi,256Mi,1Gi", "kind=pageable", "rate", 1.8, 2.4},
    {"write-combined memory is faster to send to the device", "vendor guide",
     "task=copy kind=write_combined direction=h2d size=64Mi,256Mi,1Gi", "kind=pinned", "rate", 1.03, INFINITY},
    {"one large copy beats many small ones", "vendor guide",
     "task=loop kind=pinned direction=h2d,d2h pieces=256 size=1Mi,16Mi", "pieces=1", "cost", 1.5, INFINITY},
    {"the batch call takes the cost out of many small copies", "vendor guide",
     "task=batch kind=pinned direction=h2d,d2h pieces=64,256 size=1Mi", "task=loop", "cost", 0, 0.7},
};

FX_CLAIMS(transfer, claims)
