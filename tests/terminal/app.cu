/* A program for `explain -- ./app`: reads the rows of a matrix by columns, and reads them once more in order. */
#include <cstdio>

__global__ void by_column(const float *from, float *to, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    if (row < n) {
        to[column * n + row] = from[row * n + column];
    }
}

__global__ void by_row(const float *from, float *to, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column < n) {
        to[row * n + column] = from[row * n + column];
    }
}

int main() {
    const int n = 2048;
    float *from = nullptr, *to = nullptr;
    if (cudaMalloc(&from, n * n * sizeof *from) != cudaSuccess || cudaMalloc(&to, n * n * sizeof *to) != cudaSuccess) {
        return 1;
    }
    cudaMemset(from, 0, n * n * sizeof *from);
    by_column<<<dim3(n / 256, n), 256>>>(from, to, n);
    by_row<<<dim3(n / 256, n), 256>>>(from, to, n);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("app: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
