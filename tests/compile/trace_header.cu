/* The header for one's own programs, in CUDA C++: marked accesses to global, shared and local memory. */
#define GPUFX_TRACE
#include "trace/gpufx_trace.h"

__global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    double own[4] = {0, 1, 2, 3};
    *GPUFX_WRITE(&tile[threadIdx.y][threadIdx.x]) = *GPUFX_READ(&in[y * n + x]);
    __syncthreads();
    const float extra = (float)*GPUFX_READ(&own[(x + y) & 3]);
    *GPUFX_WRITE(&out[x * n + y]) = *GPUFX_READ(&tile[threadIdx.x][threadIdx.y]) + extra;
}

int main(void) {
    const int n = 1024;
    float *in, *out;
    if (cudaMalloc(&in, n * n * sizeof *in) || cudaMalloc(&out, n * n * sizeof *out) ||
        gpufx_trace_open("transpose.fxtrace")) {
        return 1;
    }
    const dim3 grid(n / 32, n / 32), block(32, 32);
    gpufx_trace_launch("transpose", grid, block);
    transpose<<<grid, block>>>(out, in, n);
    return gpufx_trace_close() ? 1 : 0;
}
