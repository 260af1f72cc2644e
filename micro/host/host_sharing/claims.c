/* host_sharing: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "page-locked memory gives the highest rate between host and device, also when all GPUs copy at once",
     .source = BEST_PRACTICES "10.1.1 Pinned Memory",
     .where = "task=gpus kind=pinned",
     .against = "kind=pageable",
     .quantity = "sum_GBps",
     .low = 1.1,
     .high = (double)INFINITY},
    {.text = "each GPU has a link of its own, so all copy at once as fast as one alone",
     .source = "NVIDIA DGX H100/H200 User Guide, Introduction: system topology",
     .where = "task=gpus kind=pinned direction=h2d,d2h",
     .quantity = "least_pct",
     .low = 97,
     .high = 103},
    {.text = "a copy from page-locked memory leaves the host's cores alone, and they it",
     .source = PROGRAMMING_GUIDE "Page-Locked Host Memory",
     .where = "task=stream kind=pinned",
     .quantity = "kept_pct",
     .low = 97,
     .high = 103},
    {.text = "pageable copies suffer from other work in the host's memory, since the host copies them once more",
     .source = COMMON_ADVICE,
     .where = "task=stream kind=pageable cores=half,full",
     .quantity = "kept_pct",
     .low = 0,
     .high = 90},
};

FX_CLAIMS(host_sharing, claims)
