/* dram_locality: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#define BEST       "variant=plain width=16 loads=8 threads=256 grid=once data=random "
#define OWN        "variant=plain width=16 loads=1,2,4,8 threads=256 grid=once,persistent order=linear "
#define BY_RUNTIME "variant=runtime width=16 loads=8 threads=256 grid=once order=linear "

static const fx_claim claims[] = {
    {"strides of large powers of two are slower than their neighbours, since all accesses meet in one channel",
     "vendor guide", "task=read order=strided stride=64Ki " BEST, "stride=65664", "cost", 1.05, INFINITY},
    {"reads in random order reach only a small part of the bandwidth, even if each takes whole sectors", "lecture",
     "task=read order=random run=64 window=0 " BEST, "order=linear run=128", "rate", 0, 0.25},
    {"blocks of 4 KiB in random order are read as fast as all in sequence", "textbook",
     "task=read order=random run=4Ki window=0 " BEST, "order=linear run=128", "rate", 0.97, 1.03},
    {"mixing reads and writes costs bandwidth", "textbook", "task=mix_fine writes=4 order=linear " BEST, "writes=0",
     "rate", 0, 0.95},
    {"the runtime's copy is faster than a kernel written by hand", "forum", "task=copy data=random " OWN, BY_RUNTIME,
     "cost", 1.01, INFINITY},
    {"the runtime's memset is faster than a kernel that writes", "forum", "task=write data=constant " OWN, BY_RUNTIME,
     "cost", 1.01, INFINITY},
    {"a kernel can't reach more than 80 to 90 % of the peak bandwidth", "vendor guide", "task=read order=linear " BEST,
     NULL, "peak_pct", 0, 90},
};

FX_CLAIMS(dram_locality, claims)
