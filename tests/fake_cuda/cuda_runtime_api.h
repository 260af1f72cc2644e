/* A stand-in for the part of the CUDA runtime that harness/gpu/{rig,keep,pair,pool,timed,cuda,gpus,together}.c use, so
 * that they can be tested where there is no CUDA: names, fields and meaning as in NVIDIA's header, values our own. */
#pragma once

#include <stddef.h>

#define CUDART_VERSION 13000

typedef enum cudaError_t {
    cudaSuccess,
    cudaErrorMemoryAllocation,
    cudaErrorNotSupported,
    cudaErrorNoKernelImageForDevice,
    cudaErrorUnsupportedPtxVersion,
    cudaErrorIllegalAddress,
    cudaErrorLaunchTimeout,
    cudaErrorAssert,
    cudaErrorHardwareStackError,
    cudaErrorIllegalInstruction,
    cudaErrorMisalignedAddress,
    cudaErrorInvalidAddressSpace,
    cudaErrorInvalidPc,
    cudaErrorLaunchFailure,
    cudaErrorECCUncorrectable,
    cudaErrorNvlinkUncorrectable,
    cudaErrorDevicesUnavailable,
    cudaErrorContained,
    cudaErrorTensorMemoryLeak,
    cudaErrorContextIsDestroyed,
    cudaErrorOperatingSystem,
    cudaErrorNoDevice,
    cudaErrorMpsClientTerminated,
    cudaErrorUnknown,
    cudaErrorInvalidDevice,
    cudaErrorInvalidResourceHandle,
    cudaErrorPeerAccessAlreadyEnabled,
    cudaErrorPeerAccessNotEnabled,
    cudaErrorPeerAccessUnsupported,
} cudaError_t;

typedef struct fake_stream *cudaStream_t;
typedef struct fake_event *cudaEvent_t;

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

struct cudaFuncAttributes {
    size_t sharedSizeBytes, localSizeBytes;
    int numRegs;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout,
};

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank, cudaDevP2PAttrNativeAtomicSupported };
enum { cudaStreamNonBlocking = 1 };

typedef enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension } cudaLaunchAttributeID;

typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        dim3 clusterDim;
    } val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

/* Textures: the fields that are used here. */
typedef unsigned long long cudaTextureObject_t;
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaTextureReadMode { cudaReadModeNormalizedFloat, cudaReadModeElementType };
enum cudaTextureFilterMode { cudaFilterModeLinear, cudaFilterModePoint };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp };

struct cudaResourceDesc {
    enum cudaResourceType resType;
    struct {
        struct {
            void *devPtr;
            size_t width, height;
        } pitch2D;
    } res;
};

struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int normalizedCoords;
};

struct cudaResourceViewDesc;

cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaFreeHost(void *memory);
enum { cudaHostAllocDefault, cudaHostAllocMapped, cudaHostAllocWriteCombined };
enum { cudaHostRegisterDefault, cudaMemAttachGlobal };
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
enum { cudaEventDefault };
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t code);
const char *cudaGetErrorName(cudaError_t code);
