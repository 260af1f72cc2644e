/* What the host's effects ask of the runtime and the rig gives back: streams, graphs, launches. */
#pragma once

#include "gpu/rig_objects.h"

static inline void give_stream(fx_rig *rig, void *stream, size_t bytes) {
    cudaStreamDestroy((cudaStream_t)stream);
}

static inline void give_graph(fx_rig *rig, void *graph, size_t bytes) {
    cudaGraphExecDestroy((cudaGraphExec_t)graph);
}

/* A stream that waits for no other. */
static inline fx_status keep_stream(fx_rig *rig, cudaStream_t *out, fx_error *err) {
    FX_TRY_CUDA(cudaStreamCreateWithFlags(out, cudaStreamNonBlocking));
    return fx_rig_keep(rig, *out, give_stream, err);
}

/* Launches a kernel that may start before the one before it is done, where it is `early`. */
static inline fx_status launch_early(fx_rig *rig, const void *kernel, unsigned blocks, unsigned threads, bool early,
                                     void **arguments, fx_error *err) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks, 1, 1);
    config.blockDim = dim3(threads, 1, 1);
    config.stream = rig->gpu->stream;
    config.attrs = &attribute;
    config.numAttrs = early;
    return FX_CUDA_STATUS(cudaLaunchKernelExC(&config, kernel, arguments));
}

/* Ends the capture of what was queued on the rig's stream with that status; *out receives its graph. */
static inline fx_status end_capture(fx_rig *rig, fx_status queued, cudaGraphExec_t *out, fx_error *err) {
    cudaGraph_t graph = NULL;
    const cudaError_t ended = cudaStreamEndCapture(rig->gpu->stream, &graph); /* whatever became of the launches */
    fx_status status = queued;
    if (queued != FX_OK) {
        cudaGetLastError();
        goto cleanup;
    }
    FX_CUDA(ended);
    FX_CUDA(cudaGraphInstantiate(out, graph, 0));
cleanup:
    if (graph) {
        cudaGraphDestroy(graph);
    }
    return status;
}

/* Ready on the device. */
static inline fx_status keep_graph(fx_rig *rig, cudaGraphExec_t graph, fx_error *err) {
    FX_TRY(fx_rig_keep(rig, graph, give_graph, err));
    FX_TRY_CUDA(cudaGraphUpload(graph, rig->gpu->stream));
    return fx_gpu_wait(rig->gpu, err);
}
