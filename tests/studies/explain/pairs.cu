/* Pairs of kernels that do the same work, one with a costly pattern and one with its cure, to hold the savings that
 * `gpufx explain` predicts against measured ones:
 *
 *     nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -o pairs tests/studies/explain/pairs.cu
 *     ./gpufx explain -- ./pairs
 *
 *
 * results/traces/pairs.fxtrace is its trace and names lines of it, so kernels stay where they are.
 * The last pair spends its time in dependent arithmetic: its saving is hidden. */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));             \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

constexpr int side = 4096, tile = 32, rows = 8, count = side * side;
constexpr int rounds = 256; // of shared accesses or of arithmetic for each value

__global__ void transpose_direct(float *out, const float *in) {
    const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows) {
        out[x * side + y + i] = in[(y + i) * side + x];
    }
}

template <int pad> __device__ void transpose_by_tile(float *out, const float *in) {
    __shared__ float kept[tile][tile + pad];
    const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows) {
        kept[threadIdx.y + i][threadIdx.x] = in[(y + i) * side + x];
    }
    __syncthreads();
    const int column = blockIdx.y * tile + threadIdx.x, row = blockIdx.x * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows) {
        out[(row + i) * side + column] = kept[threadIdx.x][threadIdx.y + i];
    }
}

__global__ void transpose_tile(float *out, const float *in) {
    transpose_by_tile<0>(out, in);
}
__global__ void transpose_padded(float *out, const float *in) {
    transpose_by_tile<1>(out, in);
}

/* One coordinate of points: in structures of four floats, and in an array of its own. */
__global__ void points_structures(float *out, const float *in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[4 * i];
}

__global__ void points_arrays(float *out, const float *in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

/* Each thread copies eight values: its own eight in a row, or every blockDim.x-th. */
__global__ void copy_rows(float *out, const float *in) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int i = 0; i < 8; i++) {
        out[first + i] = in[first + i];
    }
}

__global__ void copy_side_by_side(float *out, const float *in) {
    const int first = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    for (int i = 0; i < 8; i++) {
        out[first + i * blockDim.x] = in[first + i * blockDim.x];
    }
}

/* Four accesses of 4 bytes to the fields of a structure, and one of 16. The compiler can't merge the four, since
 * it does not know that they are aligned. */
__global__ void fields_narrow(float *out, const float *in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
}

__global__ void fields_wide(float *out, const float *in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = ((const float4 *)in)[i];
    out[i] = v.x + v.y + v.z + v.w;
}

/* A column of a shared tile again and again: the bank conflicts are all that the kernel does. */
template <int pad> __device__ void columns(float *out, const float *in, int arithmetic) {
    __shared__ float kept[tile][tile + pad];
    const int at = threadIdx.y * tile + threadIdx.x, i = blockIdx.x * tile * rows + at;
    for (int y = threadIdx.y; y < tile; y += rows) {
        kept[y][threadIdx.x] = in[i];
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < (arithmetic ? 4 : rounds); j++) {
        sum += *(volatile float *)&kept[threadIdx.x][(threadIdx.y + j) % tile];
        for (int k = 0; k < arithmetic; k++) {
            sum = fmaf(sum, 0.999f, 1.0f);
        }
    }
    out[i] = sum;
}

__global__ void columns_conflicting(float *out, const float *in) {
    columns<0>(out, in, 0);
}
__global__ void columns_padded(float *out, const float *in) {
    columns<1>(out, in, 0);
}
__global__ void hidden_conflicting(float *out, const float *in) {
    columns<0>(out, in, rounds);
}
__global__ void hidden_padded(float *out, const float *in) {
    columns<1>(out, in, rounds);
}

int main() {
    const dim3 square(side / tile, side / tile), lanes(tile, rows), flat(count / 4 / 256), line(256);
    const dim3 eights(count / 8 / 256), tiles(count / (tile * rows));
    const struct {
        void (*kernel)(float *out, const float *in);
        dim3 grid, block;
    } all[] = {{transpose_direct, square, lanes},   {transpose_tile, square, lanes}, {transpose_padded, square, lanes},
               {points_structures, flat, line},     {points_arrays, flat, line},     {copy_rows, eights, line},
               {copy_side_by_side, eights, line},   {fields_narrow, flat, line},     {fields_wide, flat, line},
               {columns_conflicting, tiles, lanes}, {columns_padded, tiles, lanes},  {hidden_conflicting, tiles, lanes},
               {hidden_padded, tiles, lanes}};
    float *in, *out;
    TRY(cudaMalloc(&in, count * sizeof *in));
    TRY(cudaMalloc(&out, count * sizeof *out));
    TRY(cudaMemset(in, 0, count * sizeof *in));
    for (const auto &one : all) {
        for (int i = 0; i < 8; i++) { /* explain takes the median */
            one.kernel<<<one.grid, one.block>>>(out, in);
            TRY(cudaGetLastError());
        }
    }
    TRY(cudaDeviceSynchronize());
    TRY(cudaFree(in));
    TRY(cudaFree(out));
    return 0;
}
