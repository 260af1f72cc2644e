/* Families of random lane tables, to test the laws with.
 *
 * Each family is a kind of structure that programs have; the seed draws its parameters (stride, shape of the tile, how
 * many lanes share, where runs begin) and the elements. All elements lie in [0, span_elements). */
#pragma once

#include "lanes.h"

FX_C_BEGIN

typedef enum fx_family {
    FX_FAMILY_UNIFORM,   /* every lane anywhere within a window of random size */
    FX_FAMILY_STRIDE,    /* element l * stride + start */
    FX_FAMILY_PERMUTED,  /* the same, lanes shuffled */
    FX_FAMILY_TILE,      /* (l % columns) * stride + (l / columns) * pitch */
    FX_FAMILY_SWIZZLE,   /* row l of a tile at an exclusive or of row and column */
    FX_FAMILY_DUPLICATE, /* each lane one of a few elements */
    FX_FAMILY_PAIRS,     /* lanes l and l ^ distance share an element, but for a broken few */
    FX_FAMILY_BANKS,     /* elements a power of two apart, so that few banks or lines serve them all */
    FX_FAMILY_RUNS,      /* a few runs of neighbours */
    FX_FAMILY_LINE,      /* a few elements of one line of 128 bytes, each wanted by as many lanes, or by one more */
    FX_FAMILY_COUNT
} fx_family;

/* Names in the order of the enum, separated by blanks: the choices of an axis. */
#define FX_FAMILY_NAMES "uniform stride permuted tile swizzle duplicate pairs banks runs line"

/* Fills the table. span_elements > 0. With `masked`, each lane is active with a probability that the seed draws, and
 * one lane at least stays. Of a line, whole rounds of its elements stay, in half of all draws one. */
void fx_lanes_family(fx_lanes *out, fx_family family, unsigned width_bytes, unsigned span_elements, bool masked,
                     uint64_t seed);

FX_C_END
