/* For the recorder: threads that launch on one GPU or several, each in a stream of its own, while others create graphs,
 * load and unload a module, and end. Prints "threads: right" if all kernels did their work.
 *
 *     nvcc -arch=native -lcuda -o threads threads.cu && nvcc -arch=native -cubin -DMODULE -o threads.cubin threads.cu
 *     ./threads THREADS GPUS ROUNDS [threads.cubin]
 *     gpufx explain -- ./threads THREADS GPUS ROUNDS [threads.cubin] */
#include <stdio.h>
#include <stdlib.h>

#include <pthread.h>

#include <cuda.h>

enum { BLOCK = 256, KERNELS = 3, WAVES = 2 };

extern "C" __global__ void of_module(unsigned *to) {
    to[blockIdx.x * BLOCK + threadIdx.x] += 1;
}

#ifndef MODULE
template <int STRIDE> __global__ void add(unsigned *to) {
    __shared__ unsigned word[BLOCK * STRIDE];
    word[threadIdx.x * STRIDE] = to[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    to[blockIdx.x * BLOCK + threadIdx.x] = word[threadIdx.x * STRIDE] + 1;
}

static void (*const kernels[KERNELS])(unsigned *) = {add<1>, add<8>, add<16>};
static int gpus, rounds;
static const char *module_path;
static int failures;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const int result = (int)(call);                                                                                \
        if (result != 0) {                                                                                             \
            (void)fprintf(stderr, "threads: %s: %d\n", #call, result);                                                 \
            __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);                                                        \
        }                                                                                                              \
    } while (0)

/* Adds 1 to all words as often as it returns. */
static unsigned launch(int kernel, int blocks, unsigned *words, cudaStream_t stream) {
    kernels[kernel]<<<blocks, BLOCK, 0, stream>>>(words);
    return 1;
}

static unsigned launch_graph(unsigned *words, cudaStream_t stream) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const unsigned added = launch(0, 1, words, stream) + launch(1, 1, words, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return 2 * added;
}

static unsigned launch_module(unsigned *words, cudaStream_t stream) {
    CUmodule module;
    CUfunction function;
    void *arguments[] = {&words};
    CHECK(cuModuleLoad(&module, module_path));
    CHECK(cuModuleGetFunction(&function, module, "of_module"));
    CHECK(cuLaunchKernel(function, 1, 1, 1, BLOCK, 1, 1, 0, stream, arguments, NULL));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cuModuleUnload(module));
    return 1;
}

static void *work(void *number) {
    const int me = (int)(intptr_t)number;
    unsigned *words = NULL, first = 0, wanted = 0;
    cudaStream_t stream;
    CHECK(cudaSetDevice(me % gpus));
    CHECK(cudaMalloc(&words, 64 * BLOCK * sizeof *words));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemsetAsync(words, 0, 64 * BLOCK * sizeof *words, stream));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 8; i++) { /* shapes that others launch too, and the same ones again */
            wanted += launch((round + i) % KERNELS, 1 + (round + i * me) % 40, words, stream);
        }
        if (me % 4 == 1 && round >= rounds / 2) {
            wanted += launch_graph(words, stream);
        }
        if (me % 4 == 2 && module_path) {
            wanted += launch_module(words, stream);
        }
        if (round % 3 == 0) {
            CHECK(cudaStreamSynchronize(stream)); /* of the device would end other threads' captures */
        }
    }
    if (me % 2) { /* the others end while their kernels may run */
        CHECK(cudaStreamSynchronize(stream));
    }
    CHECK(cudaMemcpyAsync(&first, words, sizeof first, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (first != wanted) {
        (void)fprintf(stderr, "threads: %u launches, %u seen\n", wanted, first);
        __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(words));
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[64];
    const int most = (int)(sizeof threads / sizeof *threads), wanted = count > 3 ? atoi(arguments[1]) : 0;
    if (wanted < 1 || wanted > most) {
        (void)fprintf(stderr, "threads: give THREADS (1 to %d) GPUS ROUNDS [threads.cubin]\n", most);
        return 2;
    }
    gpus = atoi(arguments[2]);
    rounds = atoi(arguments[3]);
    module_path = count > 4 ? arguments[4] : NULL;
    for (int wave = 0; wave < WAVES; wave++) {
        for (int i = 0; i < wanted; i++) {
            (void)pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
        }
        for (int i = 0; i < wanted; i++) {
            (void)pthread_join(threads[i], NULL);
        }
    }
    if (!failures) {
        (void)printf("threads: right\n");
    }
    return failures ? 1 : 0;
}
#endif
