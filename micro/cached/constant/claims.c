/* constant: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "different words in a warp are read one after the other: 32 of them cost 32 times one",
     .source = BEST_PRACTICES "10.2.6 Constant Memory",
     .where = "mode=throughput space=constant distinct=32",
     .against = "distinct=1",
     .quantity = "cost",
     .low = 29,
     .high = 35},
    {.text = "words that share a line of the constant cache are served together",
     .source = COMMON_ADVICE,
     .where = "mode=throughput space=constant distinct=4:32 spacing=4",
     .against = "spacing=64",
     .quantity = "cost",
     .low = 0.03,
     .high = 0.5},
    {.text = "where all lanes want one word, constant memory is faster than shared and global memory",
     .source = COMMON_ADVICE,
     .given = {.otherwise = "compilers read a uniform address as an operand, c[bank][offset], or by a uniform load; "
                            "the cases here use LDC with an address per lane"}},
};

FX_CLAIMS(constant, claims)
