/* Kernels of which one has a namesake in other.cu. */
#include "kernels.h"

template <int A, unsigned B> __global__ static void twice(int *p) {
    p[threadIdx.x] += A + B;
}

__global__ static void namesake(int *p) {
    p[threadIdx.x] = 3;
}

const void *const one_twice_1_2 = (const void *)twice<1, 2>, *const one_twice_3_4 = (const void *)twice<3, 4>;
const void *const one_namesake = (const void *)namesake;
