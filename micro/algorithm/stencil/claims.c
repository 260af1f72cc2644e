/* stencil: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

#define FINITE_DIFFERENCE "Micikevicius, 3D Finite Difference Computation on GPUs using CUDA, GPGPU-2, 2009, "

static const fx_claim claims[] = {
    {.text = "neighbours staged in a tile of shared memory are faster than each read from global memory",
     .source = FINITE_DIFFERENCE "3 Experimental Results",
     .where = "variant=rows",
     .against = "variant=tile",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text =
         "values along the axis that threads march down belong in registers: it is faster than a tile of shared memory",
     .source = FINITE_DIFFERENCE "2 CUDA Implementation",
     .where = "variant=tile",
     .against = "variant=march",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "texture fetches are faster where the lanes of a warp read places that lie close together in 2-D",
     .source = BEST_PRACTICES "10.2.5 Texture Memory",
     .where = "variant=rows radius=1",
     .against = "variant=texture",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "asynchronous copies into shared memory are faster than copies through registers",
     .source = BEST_PRACTICES "10.2.3.4 Asynchronous Copy from Global Memory to Shared Memory",
     .where = "variant=tile",
     .against = "variant=tile_async",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "data that the kernel only reads comes faster through __ldg",
     .source = COMMON_ADVICE,
     .where = "variant=rows radius=1",
     .against = "variant=readonly",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "loads and stores of 16 bytes per lane make a kernel that is bound by bandwidth faster",
     .source = VECTOR_LOADS,
     .where = "variant=rows level=dram",
     .against = "variant=vector",
     .quantity = "cost",
     .low = 1.03,
     .high = (double)INFINITY},
    {.text = "lanes that walk down a column of a row-major array cost several times the time of lanes along a row",
     .source = BEST_PRACTICES "10.2.1.4 Strided Accesses",
     .where = "variant=columns radius=1",
     .against = "variant=rows",
     .quantity = "cost",
     .low = 2,
     .high = (double)INFINITY},
};

FX_CLAIMS(stencil, claims)
