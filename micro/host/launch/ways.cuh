/* The ways of launching kernels that do nothing, and the check that each way launches as many as it must. */
#pragma once

#include "../kept.h"
#include "gpu/from.cuh"

typedef struct work {
    cudaGraphExec_t graph;
    cudaEvent_t done;    /* of waits=event and blocking_event */
    cudaEvent_t mark[3]; /* of gap and single */
    fx_latch latch;
    uint32_t *flag, *device_flag; /* of waits=mapped: the last kernel sets it to 1 */
    unsigned flags_before;        /* the device's */
} work;

/* Pascal and CUDA 12.0 know no more than a page of parameters: there `supported` waives what would have more. */
#if CUDART_VERSION < 12010 || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700)
#define TAKEN_BYTES(bytes) ((bytes) < PAGE_BYTES ? (bytes) : PAGE_BYTES)
#else
#define TAKEN_BYTES(bytes) (bytes)
#endif

template <int BYTES_> struct parameters_of {
    unsigned char byte[TAKEN_BYTES(BYTES_)];
};

static unsigned char no_parameters[MOST_BYTES];

__global__ static void nothing(void) {}

template <int BYTES_> __global__ void nothing_with(const parameters_of<BYTES_>) {}

/* The next one may start at once; it waits for this one where it says so. */
__global__ static void nothing_early(void) {
    asm volatile(FX_FROM_900("griddepcontrol.launch_dependents;"));
    asm volatile(FX_FROM_900("griddepcontrol.wait;")::: "memory");
}

__global__ static void count(unsigned long long *counter) {
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1ull);
    }
}

__global__ static void tell(volatile uint32_t *flag) {
    if (threadIdx.x == 0) {
        *flag = 1;
    }
}

/* Launches. */

static fx_status launch(fx_rig *rig, const fx_case *c, const void *kernel, void **arguments, fx_error *err) {
    const cudaStream_t stream = rig->gpu->stream;
    const dim3 grid(1, 1, 1), block(FX_WARP, 1, 1);
    if (c->params.value[WAY] == COOPERATIVE) {
        FX_TRY_CUDA(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, stream));
    } else if (c->params.value[WAY] == PROGRAMMATIC) {
        return launch_early(rig, kernel, 1, FX_WARP, true, arguments, err);
    } else {
        FX_TRY_CUDA(cudaLaunchKernel(kernel, grid, block, arguments, 0, stream));
    }
    return FX_OK;
}

/* The case's kernels one by one. The last one tells the host, where it waits for that. */
static fx_status launch_all(fx_rig *rig, const fx_case *c, const void *kernel, void **arguments, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *telling[] = {&w->device_flag};
    const int64_t others = c->params.value[KERNELS] - (w->device_flag != NULL);
    for (int64_t i = 0; i < others; i++) {
        FX_TRY(launch(rig, c, kernel, arguments, err));
    }
    if (w->device_flag) {
        FX_TRY(launch(rig, c, (const void *)tell, telling, err));
    }
    return FX_OK;
}

static fx_status record_graph(fx_rig *rig, const fx_case *c, const void *kernel, void **arguments, cudaGraphExec_t *out,
                              fx_error *err) {
    FX_TRY_CUDA(cudaStreamBeginCapture(rig->gpu->stream, cudaStreamCaptureModeThreadLocal));
    return end_capture(rig, launch_all(rig, c, kernel, arguments, err), out, err);
}

/* Queues the case's kernels, by the way of the case. */
static fx_status queue(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {no_parameters};
    if (!w->graph) {
        return launch_all(rig, c, rig->work->entry.address, arguments, err);
    }
    return FX_CUDA_STATUS(cudaGraphLaunch(w->graph, rig->gpu->stream));
}

/* The oracle: an empty kernel leaves nothing behind, so kernels that count go the same way first. */
static fx_status check_way(fx_rig *rig, const fx_case *c, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    work *w = FX_ARGUMENT(rig, work);
    const unsigned long long wanted = (unsigned long long)(c->params.value[KERNELS] - (w->device_flag != NULL));
    unsigned long long counted = 0;
    void *arguments[] = {&gpu->scratch};
    cudaGraphExec_t graph = NULL;
    fx_status status = FX_OK;
    FX_CUDA(cudaMemsetAsync(gpu->scratch, 0, sizeof *gpu->scratch, gpu->stream));
    if (c->params.value[WAY] == GRAPH) {
        FX_GO(record_graph(rig, c, (const void *)count, arguments, &graph, err));
        FX_CUDA(cudaGraphLaunch(graph, gpu->stream));
    } else {
        FX_GO(launch_all(rig, c, (const void *)count, arguments, err));
    }
    FX_GO(fx_gpu_download(gpu, &counted, gpu->scratch, sizeof counted, err));
    if (counted != wanted || (w->flag && *(volatile uint32_t *)w->flag != 1)) {
        status = fx_fail(err, FX_WRONG_RESULT,
                         "%llu of %llu kernels ran: the case is discarded; report it if it persists", counted, wanted);
    }
cleanup:
    if (graph) {
        cudaStreamSynchronize(gpu->stream);
        cudaGraphExecDestroy(graph);
    }
    return status;
}
