/* dram_locality: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "strides of large powers of two are slower than their neighbours, since all accesses meet in one channel",
     .source = "Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, 2009, Partition Camping, of chips "
               "before Fermi",
     .where = "stride=4Ki; stride=4Ki; stride=64Ki; stride=64Ki; stride=256Ki; stride=256Ki; stride=1Mi; stride=1Mi; "
              "stride=4Mi; stride=4Mi; stride=8Mi",
     .against = "stride=3968; stride=4224; stride=65408; stride=65664; stride=262016; stride=262272; stride=1048448; "
                "stride=1048704; stride=4194176; stride=4194432; stride=8388736",
     .quantity = "cost",
     .low = 1.05,
     .high = (double)INFINITY},
    {.text = "reads in random order reach only a small part of the bandwidth, even if each takes whole sectors",
     .source = COMMON_ADVICE,
     .given = {.otherwise = "the smallest piece read in random order has 64 bytes, two sectors"}},
    {.text = "blocks of 4 KiB in random order are read as fast as all in sequence",
     .source = COMMON_ADVICE,
     .where = "task=read order=random run=4Ki",
     .against = "order=linear run=128",
     .quantity = "rate",
     .low = 0.97,
     .high = 1.03},
    {.text = "mixing reads and writes costs bandwidth",
     .source = COMMON_ADVICE,
     .where = "task=mix_fine,mix_coarse writes=1:6",
     .against = "task=mix_fine writes=0",
     .quantity = "rate",
     .high = 0.95},
    {.text = "the runtime's copy is faster than a kernel written by hand",
     .source = COMMON_ADVICE,
     .where = "task=copy variant=plain,streaming,no_allocate,evict_first",
     .against = "variant=runtime width=16 loads=8 threads=256 grid=once",
     .quantity = "cost",
     .low = 1.01,
     .high = (double)INFINITY},
    {.text = "the runtime's memset is faster than a kernel that writes one byte everywhere",
     .source = COMMON_ADVICE,
     .where = "task=write data=constant variant=plain,streaming,evict_first",
     .against = "variant=runtime width=16 loads=8 threads=256 grid=once",
     .quantity = "cost",
     .low = 1.01,
     .high = (double)INFINITY},
    {.text = "not even the best kernel reaches more than 90 % of the peak bandwidth",
     .source = COMMON_ADVICE,
     .where = "task=read,write,copy variant=plain data=random width=16 loads=8 threads=256 grid=once order=linear",
     .quantity = "peak_pct",
     .high = 90},
    {.text = "vector loads reach a higher bandwidth than scalar loads",
     .source = VECTOR_LOADS,
     .where = "width=8,16 data=random order=linear",
     .against = "width=4",
     .quantity = "rate",
     .low = 1.03,
     .high = (double)INFINITY},
};

FX_CLAIMS(dram_locality, claims)
