/* matrix_multiply: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

#define WORKLOG "Boehm, How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance, 2022, "

static const fx_claim claims[] = {
    {.text = "on a GPU the product wants B as it is: lanes along the columns read it coalesced",
     .source = COMMON_ADVICE,
     .where = "variant=columns b=plain type=fp32",
     .against = "variant=rows",
     .quantity = "cost",
     .high = 0.7},
    {.text = "transposing costs next to nothing beside the product",
     .source = COMMON_ADVICE,
     .where = "variant=rows,columns b=first type=fp32",
     .against = "b=transposed",
     .quantity = "cost",
     .high = 1.05},
    {.text = "a product with tiles of both matrices in shared memory is faster than one straight from global memory",
     .source = BEST_PRACTICES "Shared Memory in Matrix Multiplication (C=AB)",
     .where = "variant=tile32 b=plain type=fp32",
     .against = "variant=columns",
     .quantity = "cost",
     .high = 0.95},
    {.text = "a column of padding makes a product faster whose tile is turned as it is stored",
     .source = BEST_PRACTICES "Shared Memory in Matrix Multiplication (C=AAT)",
     .where = "variant=tile32_padded b=transposed type=fp32",
     .against = "variant=tile32",
     .quantity = "cost",
     .high = 0.95},
    {.text = "a product with one operand in registers is faster than one with tiles of both in shared memory",
     .source = "Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, SC 2008, abstract and Matrix-Matrix "
               "Multiply",
     .where = "variant=one_shared b=plain type=fp32",
     .against = "variant=tile16",
     .quantity = "cost",
     .high = 0.95},
    {.text = "with 8 x 8 elements per thread a product by tiles is more than five times as fast as with one",
     .source = WORKLOG "kernels 3 and 5",
     .where = "variant=both_shared b=plain type=fp32",
     .against = "variant=tile32",
     .quantity = "cost",
     .high = 0.2},
    {.text = "a product is faster if the next tile is copied asynchronously while this one is multiplied",
     .source = BEST_PRACTICES "Asynchronous Copy from Global Memory to Shared Memory",
     .where = "variant=async b=plain type=fp32",
     .against = "variant=both_shared",
     .quantity = "cost",
     .high = 0.99},
    {.text = "a product of one's own reaches 94 % of cuBLAS in FP32, at n = 4096",
     .source = WORKLOG "summary",
     .where = "variant=async b=plain type=fp32 n=4096",
     .against = "variant=cublas",
     .quantity = "cost",
     .high = 1 / 0.937},
    {.text = "cuBLAS multiplies large matrices of FP16 more than ten times as fast as of FP32",
     .source = "NVIDIA, H100 Tensor Core GPU Architecture, 2022, table of peak rates: 989 against 67 TFLOPS",
     .where = "variant=cublas b=plain type=fp16 n=4096,8192",
     .against = "type=fp32",
     .quantity = "cost",
     .high = 0.1},
};

FX_CLAIMS(matrix_multiply, claims)
