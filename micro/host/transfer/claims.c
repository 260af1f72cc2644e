/* transfer: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "page-locked memory doubles the bandwidth",
     .source = COMMON_ADVICE,
     .where = "task=copy kind=pinned size=64Mi,256Mi,1Gi",
     .against = "kind=pageable",
     .quantity = "rate",
     .low = 1.8,
     .high = 2.4},
    {.text = "write-combined memory is sent to the device faster than other pinned memory, by up to 40 %",
     .source = PROGRAMMING_GUIDE "Write-Combining Memory",
     .where = "task=copy kind=write_combined direction=h2d size=64Mi,256Mi,1Gi",
     .against = "kind=pinned",
     .quantity = "rate",
     .low = 1.03,
     .high = 1.45,
     .given = {.probe = "host_memory",
               .where = "task=host_read kind=write_combined",
               .against = "kind=pinned",
               .quantity = "cost",
               .low = 3,
               .high = (double)INFINITY,
               .otherwise = "the host has ordinary pages for write-combined ones: it reads them as fast as others"}},
    {.text = "one large copy beats many small ones",
     .source = BEST_PRACTICES "10.1 Data Transfer Between Host and Device",
     .where = "task=loop pieces=64,256",
     .against = "pieces=1",
     .quantity = "cost",
     .low = 1.5,
     .high = (double)INFINITY},
    {.text = "the batch call takes the cost out of many small copies",
     .source = COMMON_ADVICE,
     .where = "task=batch pieces=64,256",
     .against = "task=loop",
     .quantity = "cost",
     .high = 0.7},
};

FX_CLAIMS(transfer, claims)
