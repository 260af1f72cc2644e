/* managed_memory: what is said about it, and the cases that decide. */
#include "core/claim.h"

#define MEM_ADVISE "CUDA Runtime API 13, cudaMemAdvise"

static const fx_claim claims[] = {
    {.text = "pages advised to be mostly read are copied by the first read of a side, so that its later reads find "
             "them there",
     .source = MEM_ADVISE ", cudaMemAdviseSetReadMostly",
     .where = "kind=read_again direction=h2d,d2h size=1Mi,16Mi",
     .against = "kind=managed_resident",
     .quantity = "cost",
     .high = 1.1},
    {.text = "pages that a processor is advised to access are mapped for it, which keeps it from faults on them",
     .source = MEM_ADVISE ", cudaMemAdviseSetAccessedBy",
     .where = "kind=accessed_by direction=h2d size=1Mi,16Mi",
     .against = "kind=managed_fault",
     .quantity = "cost",
     .high = 1},
};

FX_CLAIMS(managed_memory, claims)
