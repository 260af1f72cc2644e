/* Claims: what is said about an effect, and which cases decide it. They stand in claims.c beside the probe, which
 * registers them with its last line, FX_CLAIMS(probe, claims). */
#ifndef FX_CLAIM_H
#define FX_CLAIM_H

#include "probe.h"

/* What must be so for a sentence to be about this machine, or this archive, at all: a sentence about write-combined
 * memory says nothing where the host hands out ordinary pages. Measured as a claim is; where any of its pairs lies
 * outside the bounds, or none was measured, the claim is NOT MEASURED, for the reason `otherwise`. */
typedef struct fx_claim_given {
    const char *probe; /* whose cases tell; NULL: the claim's own probe */
    const char *where; /* NULL, with a reason: no case of the probe is what the sentence speaks of */
    const char *against, *quantity;
    double low, high;
    const char *otherwise; /* NULL: nothing is asked */
} fx_claim_given;

/* A sentence that guides, lectures and blogs repeat, in our own words and with its own conditions, and the cases that
 * decide whether it is true of a chip: all that it speaks of. For every case that `where` selects, `against` replaces
 * some of its axes by one other value, and the claim holds if quantity(where) / quantity(against) lies in [low, high];
 * without `against` it is quantity(where) itself. `gpufx claims` says what became of it on an archive. */
typedef struct fx_claim {
    const char *text;    /* one sentence, no full stop: "reading interleaved is about 15 times faster than in chunks" */
    const char *source;  /* title, version or year, and section, where somebody looked it up; else "common advice" */
    const char *where;   /* a selection in the language of axis.h, "order=chunked blocks=1 size=64Mi"; several with ";"
                          * between them select what any of them does */
    const char *against; /* "order=interleaved"; as many as `where` has, or one for all; NULL: nothing */
    const char *quantity; /* "cost": the metric; "rate": useful bytes per time; "peak_pct"; or one of the extras */
    double low, high;     /* inclusive; INFINITY: no upper bound */
    fx_claim_given given;
} fx_claim;

/* Characters of a text, a source or a selection that the archive's readers keep. */
enum { FX_CLAIM_TEXT = 256 };

/* Registers the table of the probe of that name before main. */
#define FX_CLAIMS(probe, table)                                                                                        \
    __attribute__((constructor)) static void fx_register_claims(void) {                                                \
        fx_claims_register(#probe, table, FX_COUNT(table));                                                            \
    }

void fx_claims_register(const char *probe, const fx_claim *claims, size_t count);

/* The claims of a probe, borrowed; NULL and *count 0 where it has none. */
const fx_claim *fx_claims_of(const fx_probe *probe, size_t *count);

/* Registered tables in no order; *count receives how many. */
typedef struct fx_claim_table {
    const char *probe;
    const fx_claim *claims;
    size_t count;
} fx_claim_table;

const fx_claim_table *fx_claim_tables(size_t *count);

/* One comparison that a claim makes: a case that it speaks of, and the one that differs from it in the axes of
 * `against` alone. */
typedef struct fx_claim_pair {
    const fx_case *tested;
    const fx_case *base; /* NULL: the claim compares with nothing */
} fx_claim_pair;

/* True if no case of its probe is what the sentence speaks of. */
bool fx_claim_is_open(const fx_claim *claim);

/* All pairs among `cases`, which are those of the claim's probe, in their order. A case whose partner is not among them
 * is left out. *pairs is owned: free it. FX_BAD_INPUT names the probe and the claim whose line of the table can't be
 * right: a selection that is none, `against` with more than one value on an axis, a quantity that the probe does not
 * have, or bounds that hold nothing; in what is given as well as in the claim. */
fx_status fx_claim_pairs(const fx_probe *probe, const fx_claim *claim, const fx_case *cases, size_t count,
                         fx_claim_pair **pairs, size_t *pair_count, fx_error *err);

#endif
