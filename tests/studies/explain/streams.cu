/* A program that the recorder must not disturb: new shapes and old ones in turn, several streams, one that is destroyed
 * while its launch runs, and with an argument a graph. Its results are checked; exit status 0 if all are right.
 *
 *     nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -o streams tests/studies/explain/streams.cu
 *     ./gpufx explain -- ./streams graph
 *
 * Under recorders that patched modules in the callback of a launch's beginning it stopped for ever, on the first stream
 * of its own. */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));             \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

constexpr int threads = 256, count = 1 << 20, step = 37;
typedef unsigned word;

__global__ void turned(word *out, const word *in) {
    __shared__ word kept[threads];
    kept[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * threads + threadIdx.x] = kept[threads - 1 - threadIdx.x];
}

__global__ void scaled(word *out, const word *in) {
    out[blockIdx.x * threads + threadIdx.x] = in[blockIdx.x * threads + threadIdx.x] * 3 + 1;
}

__global__ void slow(word *out, const word *in, int rounds) {
    const int i = blockIdx.x * threads + threadIdx.x;
    word sum = 0;
    for (int r = 0; r < rounds; r++) {
        sum += in[(i + r * step) % count];
    }
    out[i] = sum;
}

static std::vector<word> data(count), found(count);
static int wrong;

template <typename F> static void check(const word *out, int blocks, F expected) {
    TRY(cudaMemcpy(found.data(), out, sizeof(word) * blocks * threads, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * threads; i += i % 7 + 1) {
        wrong += found[i] != expected(i);
    }
}

int main(int words, char **) {
    const auto turn = [](int i) { return data[i / threads * threads + threads - 1 - i % threads]; };
    const auto scale = [](int i) { return data[i] * 3 + 1; };
    const auto sum = [](int i) {
        word all = 0;
        for (int r = 0; r < 2000; r++) {
            all += data[(i + r * step) % count];
        }
        return all;
    };
    word *in, *out, *other;
    for (int i = 0; i < count; i++) {
        data[i] = i * 2654435761u;
    }
    TRY(cudaMalloc(&in, sizeof(word) * count));
    TRY(cudaMalloc(&out, sizeof(word) * count));
    TRY(cudaMalloc(&other, sizeof(word) * count));
    TRY(cudaMemcpy(in, data.data(), sizeof(word) * count, cudaMemcpyHostToDevice));
    for (int round = 0; round < 8; round++) {
        for (int again = 0; again < 2; again++) {
            turned<<<100 + round, threads>>>(out, in);
            check(out, 100 + round, turn);
            scaled<<<4096, threads>>>(out, in);
            check(out, 4096, scale);
        }
    }
    cudaStream_t first, second;
    TRY(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    for (int round = 0; round < 6; round++) {
        slow<<<4096, threads, 0, first>>>(other, in, 2000);
        if (round == 5) {
            TRY(cudaStreamDestroy(first));
        }
        turned<<<200 + round, threads, 0, second>>>(out, in);
        scaled<<<300 + round, threads, 0, second>>>(out, in);
        TRY(cudaStreamSynchronize(second));
        check(out, 300 + round, scale);
    }
    TRY(cudaDeviceSynchronize());
    check(other, 16, sum);
    if (words > 1) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        TRY(cudaStreamBeginCapture(second, cudaStreamCaptureModeGlobal));
        turned<<<600, threads, 0, second>>>(out, in);
        scaled<<<601, threads, 0, second>>>(other, in);
        TRY(cudaStreamEndCapture(second, &graph));
        TRY(cudaGraphInstantiate(&exec, graph, 0));
        for (int round = 0; round < 4; round++) {
            TRY(cudaGraphLaunch(exec, second));
            TRY(cudaStreamSynchronize(second));
            check(out, 600, turn);
            check(other, 601, scale);
            turned<<<700 + round, threads>>>(out, in);
            check(out, 700 + round, turn);
        }
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
