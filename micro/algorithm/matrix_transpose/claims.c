/* matrix_transpose: what is said about it, and the cases that decide. The first paper measured 2048 x 2048 words; its
 * sentences are of the GTX 280, whose memory lies in partitions of 256 bytes. The edition that comes with cuda-samples
 * has an M2090 and a K20X, too (naive 61.5 of 125 and 92 of 148 GB/s; diagonal 81.4 and 107 where padded has 103 and
 * 113), and says that from Fermi on addresses are hashed and partitions no issue. The second measured 1024 x 1024 on
 * chips with caches smaller than that. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

#define RUETSCH "Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, 2009, of a GTX 280, "
#define HARRIS  "Harris, An Efficient Matrix Transpose in CUDA C/C++, 2013, "

static const fx_claim claims[] = {
    {.text =
         "a naive transposition, which writes down the columns, runs at a small part of a copy's rate (2.2 of 97 GB/s)",
     .source = RUETSCH "Naïve transpose",
     .where = "variant=read_coalesced n=8192,8256",
     .against = "variant=copy",
     .quantity = "cost",
     .low = 10,
     .high = (double)INFINITY},
    {.text = "a column to spare, which removes bank conflicts, brings next to nothing (16.5 to 16.6 GB/s)",
     .source = RUETSCH "Shared memory bank conflicts",
     .where = "variant=tiled n=8192,8256",
     .against = "variant=padded",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.05},
    {.text =
         "blocks along a diagonal spread over the partitions of memory, and run four times as fast (16.6 to 69.5 GB/s)",
     .source = RUETSCH "Diagonal block reordering",
     .where = "variant=padded n=8192",
     .against = "variant=diagonal",
     .quantity = "cost",
     .low = 3.5,
     .high = 4.7},
    {.text = "a column to spare makes a tiled transposition 1.5 to 1.9 times as fast",
     .source = HARRIS "Shared Memory Bank Conflicts",
     .where = "variant=tiled n=8192,8256",
     .against = "variant=padded",
     .quantity = "cost",
     .low = 1.4,
     .high = 2},
    {.text = "a padded transposition runs at 95 % of the fastest copy",
     .source = HARRIS "Shared Memory Bank Conflicts",
     .where = "variant=padded n=8192,8256",
     .against = "variant=copy_vector",
     .quantity = "rate",
     .low = 0.92,
     .high = 1},
    {.text = "lanes that read down the columns cost as much as lanes that write down them",
     .source = COMMON_ADVICE,
     .where = "variant=read_coalesced n=8192,8256",
     .against = "variant=write_coalesced",
     .quantity = "cost",
     .low = 0.9,
     .high = 1.1},
    {.text = "an exclusive or over the columns does what a column to spare does, without the space",
     .source = COMMON_ADVICE,
     .where = "variant=swizzled",
     .against = "variant=padded",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "wide loads and stores raise the rate of a kernel that the memory limits",
     .source = VECTOR_LOADS,
     .where = "variant=copy_vector n=8192,8256",
     .against = "variant=copy",
     .quantity = "rate",
     .low = 1.02,
     .high = (double)INFINITY},
};

FX_CLAIMS(matrix_transpose, claims)
