#include "kernels.h"

__global__ static void namesake(int *p) {
    p[threadIdx.x] *= 7;
}

const void *const other_namesake = (const void *)namesake;
