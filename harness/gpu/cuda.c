/* Checked CUDA calls and launches. */
#include "gpu/cuda.h"

#include <time.h>

static bool is_sticky(cudaError_t code) {
    switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
#if CUDART_VERSION >= 12080
    case cudaErrorContained:
    case cudaErrorTensorMemoryLeak:
#endif
    case cudaErrorContextIsDestroyed:
    case cudaErrorOperatingSystem:
    case cudaErrorNoDevice:
    case cudaErrorMpsClientTerminated:
    case cudaErrorUnknown:
        return true;
    default:
        return false;
    }
}

/* What the user can do about it. */
static const char *advice(cudaError_t code) {
    switch (code) {
    case cudaErrorMemoryAllocation:
        return "; nvidia-smi shows which processes use the device memory";
    case cudaErrorDevicesUnavailable:
        return "; another process has exclusive use of the device: wait for it, or choose another with --device";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
        return "; this build has no machine code for the device: set GPUFX_ARCHITECTURES to its compute capability "
               "without the dot, and start again";
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
#if CUDART_VERSION >= 12080
    case cudaErrorContained:
#endif
        return "; the device reports a fault: check nvidia-smi -q and the kernel log";
    default:
        return is_sticky(code)
                   ? "; the device is lost to this process: start again, and check the kernel log if it persists"
                   : "";
    }
}

fx_status fx_cuda_check(cudaError_t code, const char *expression, const char *file, int line, fx_error *err) {
    if (code == cudaSuccess) {
        return FX_OK;
    }
    cudaGetLastError(); /* a non-sticky error must not surface again at the next call */
    const char *slash = strrchr(file, '/');
    const fx_status status = code == cudaErrorMemoryAllocation ? FX_NO_MEMORY
                             : code == cudaErrorNotSupported   ? FX_UNSUPPORTED
                             : is_sticky(code)                 ? FX_DEVICE_LOST
                                                               : FX_DEVICE;
    return fx_fail(err, status, "%s:%d: %s: %s (%s)%s", slash ? slash + 1 : file, line, expression,
                   cudaGetErrorString(code), cudaGetErrorName(code), advice(code));
}

fx_status fx_gpu_upload(fx_gpu *gpu, void *to, const void *from, size_t bytes, fx_error *err) {
    return FX_CUDA_STATUS(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, gpu->stream));
}

fx_status fx_gpu_download(fx_gpu *gpu, void *to, const void *from, size_t bytes, fx_error *err) {
    FX_TRY_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, gpu->stream));
    return fx_gpu_wait(gpu, err);
}

fx_status fx_gpu_wait(fx_gpu *gpu, fx_error *err) {
    return FX_CUDA_STATUS(cudaStreamSynchronize(gpu->stream));
}

fx_status fx_gpu_launch(fx_gpu *gpu, const void *kernel, unsigned blocks, unsigned threads, size_t shared_bytes,
                        void **arguments, fx_error *err) {
    const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    return FX_CUDA_STATUS(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, gpu->stream));
}

/* With the attribute only where there are clusters, which older devices don't know. */
fx_status fx_gpu_launch_clusters(fx_gpu *gpu, const void *kernel, unsigned cluster, unsigned blocks, unsigned threads,
                                 size_t shared_bytes, void **arguments, fx_error *err) {
    if (cluster == 1) {
        return fx_gpu_launch(gpu, kernel, blocks, threads, shared_bytes, arguments, err);
    }
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {cluster, 1, 1}};
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {threads, 1, 1},
                                       .dynamicSmemBytes = shared_bytes,
                                       .stream = gpu->stream,
                                       .attrs = &attribute,
                                       .numAttrs = 1};
    return FX_CUDA_STATUS(cudaLaunchKernelExC(&config, kernel, arguments));
}

void fx_event_drop(cudaEvent_t event) {
    if (event) {
        cudaEventDestroy(event);
    }
}

void fx_stream_drop(cudaStream_t stream) {
    if (stream) {
        cudaStreamDestroy(stream);
    }
}

double fx_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
