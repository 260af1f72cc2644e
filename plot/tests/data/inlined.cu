#include "helper.cuh"
__constant__ float table[256];
template <typename T> __global__ void strided(T *out, const T *in, int step) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = get(in, t * step) * table[t & 255];
    atomicAdd(out, T(1));
}
template __global__ void strided<float>(float *, const float *, int);
__global__ void swap(int *p) { atomicCAS(p, 0, 1); p[1] = atomicAdd(p, 2); }
__device__ __noinline__ int other(const int *p, int k) {
    return p[k] + p[k + 32];
}
__global__ void calls(int *out, const int *in) { out[threadIdx.x] = other(in, threadIdx.x); }
