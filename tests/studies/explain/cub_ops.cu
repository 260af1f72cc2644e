/* Kernels of CUB that were not written for gpufx: reduce, scan, sort, select, histogram, run-length encoding, segmented
 * sums. For `gpufx explain` and for Nsight Compute beside it.
 *
 *     nvcc -O3 -arch=sm_90 -lineinfo -o cub_ops cub_ops.cu && ./cub_ops 1048576
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>

template <typename Call> static void with_storage(const char *name, Call call) {
    void *storage = nullptr;
    size_t bytes = 0;
    call(storage, bytes);
    cudaMalloc(&storage, bytes);
    const cudaError_t code = call(storage, bytes);
    cudaDeviceSynchronize();
    std::printf("%s: %s\n", name, cudaGetErrorString(code == cudaSuccess ? cudaGetLastError() : code));
    cudaFree(storage);
}

struct is_odd {
    __device__ bool operator()(unsigned value) const { return value & 1; }
};

int main(int argc, char **argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20, bins = 256;
    std::vector<unsigned> host(n);
    unsigned state = 1;
    for (unsigned &value : host) {
        value = (state = state * 1664525u + 1013904223u) >> 8;
    }
    std::vector<int> begins;
    for (int at = 0; at <= n; at += 1000) {
        begins.push_back(at);
    }
    unsigned *in, *out, *more;
    int *counts, *offsets;
    cudaMalloc(&in, 4ull * n);
    cudaMalloc(&out, 4ull * n + 64);
    cudaMalloc(&more, 4ull * n);
    cudaMalloc(&counts, 4ull * n + 64);
    cudaMalloc(&offsets, 4 * begins.size());
    cudaMemcpy(in, host.data(), 4ull * n, cudaMemcpyHostToDevice);
    cudaMemcpy(offsets, begins.data(), 4 * begins.size(), cudaMemcpyHostToDevice);
    with_storage("reduce", [&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, n); });
    with_storage("scan", [&](void *s, size_t &b) { return cub::DeviceScan::ExclusiveSum(s, b, in, out, n); });
    with_storage("select",
                 [&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, in, out, counts, n, is_odd()); });
    with_storage("sort", [&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, n); });
    with_storage("pairs",
                 [&](void *s, size_t &b) { return cub::DeviceRadixSort::SortPairs(s, b, in, out, in, more, n); });
    with_storage("histogram", [&](void *s, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(s, b, in, counts, bins + 1, 0u, 1u << 24, n);
    });
    with_storage(
        "runs", [&](void *s, size_t &b) { return cub::DeviceRunLengthEncode::Encode(s, b, in, out, counts, more, n); });
    with_storage("segments", [&](void *s, size_t &b) {
        return cub::DeviceSegmentedReduce::Sum(s, b, in, out, (int)begins.size() - 1, offsets, offsets + 1);
    });
    return 0;
}
