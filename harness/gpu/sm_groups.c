/* A build of this file runs with drivers that are too old for these functions. */
#include "gpu/sm_groups.h"

#include <cuda.h>

#include "gpu/driver.h"

enum { SMS_OF_A_GROUP = 8, MOST_GROUPS = 64, SINCE = 12050 };

static size_t power_of_two(size_t count) {
    size_t power = 1;
    while (2 * power <= count) {
        power *= 2;
    }
    return count > 0 ? power : 0;
}

#if CUDART_VERSION >= 12050 && !defined(FX_NO_SM_GROUPS)

typedef struct functions {
    CUresult (*get)(CUdevice, CUdevResource *, CUdevResourceType);
    CUresult (*split)(CUdevResource *, unsigned *, const CUdevResource *, CUdevResource *, unsigned, unsigned);
    CUresult (*describe)(CUdevResourceDesc *, CUdevResource *, unsigned);
    CUresult (*create)(CUgreenCtx *, CUdevResourceDesc, CUdevice, unsigned);
    CUresult (*destroy)(CUgreenCtx);
    CUresult (*stream)(CUstream *, CUgreenCtx, unsigned, int);
} functions;

static bool find_all(functions *f) {
    return fx_driver_find("cuDeviceGetDevResource", SINCE, &f->get) &&
           fx_driver_find("cuDevSmResourceSplitByCount", SINCE, &f->split) &&
           fx_driver_find("cuDevResourceGenerateDesc", SINCE, &f->describe) &&
           fx_driver_find("cuGreenCtxCreate", SINCE, &f->create) &&
           fx_driver_find("cuGreenCtxDestroy", SINCE, &f->destroy) &&
           fx_driver_find("cuGreenCtxStreamCreate", SINCE, &f->stream);
}

/* The groups, and as the last one what is left over: on a chip whose GPCs differ in size SMs of the larger ones, and
 * among them the SM that the driver prefers. */
static size_t groups_of(const functions *f, CUdevice device, CUdevResource groups[MOST_GROUPS + 1]) {
    CUdevResource all, rest;
    unsigned count = 0;
    memset(&rest, 0, sizeof rest);
    if (f->get(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
        f->split(NULL, &count, &all, NULL, 0, SMS_OF_A_GROUP) != CUDA_SUCCESS || count == 0) {
        return 0;
    }
    count = count < MOST_GROUPS ? count : MOST_GROUPS;
    if (f->split(groups, &count, &all, &rest, 0, SMS_OF_A_GROUP) != CUDA_SUCCESS) {
        return 0;
    }
    if (rest.sm.smCount > 0) {
        groups[count++] = rest;
    }
    return count;
}

static bool open_one(const functions *f, CUdevice device, CUdevResource *group, fx_sm_groups *groups) {
    CUdevResourceDesc description;
    CUgreenCtx context = NULL;
    CUstream stream = NULL;
    if (f->describe(&description, group, 1) != CUDA_SUCCESS ||
        f->create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS) {
        return false;
    }
    if (f->stream(&stream, context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) {
        f->destroy(context);
        return false;
    }
    groups->stream[groups->count] = stream;
    groups->context[groups->count++] = context;
    return true;
}

void fx_sm_groups_open(int ordinal, fx_sm_groups *groups) {
    CUdevResource found[MOST_GROUPS + 1];
    functions f;
    groups->count = 0;
    if (!find_all(&f)) {
        return;
    }
    const size_t count = groups_of(&f, ordinal, found);
    const size_t wanted = power_of_two(count < FX_MAX_SM_GROUPS ? count : FX_MAX_SM_GROUPS);
    for (size_t i = 0; wanted > 1 && i < wanted; i++) {
        /* Spread evenly, the last one included. */
        if (!open_one(&f, ordinal, &found[(i + 1) * count / wanted - 1], groups)) {
            fx_sm_groups_close(groups);
            return;
        }
    }
}

bool fx_sm_halves_open(int ordinal, fx_sm_groups *halves, unsigned sms[2]) {
    CUdevResource all, half[2];
    functions f;
    unsigned count = 1;
    halves->count = 0;
    memset(half, 0, sizeof half);
    if (!find_all(&f) || f.get(ordinal, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
        f.split(&half[0], &count, &all, &half[1], 0, all.sm.smCount / 2) != CUDA_SUCCESS || half[1].sm.smCount == 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        sms[i] = half[i].sm.smCount;
        if (!open_one(&f, ordinal, &half[i], halves)) {
            fx_sm_groups_close(halves);
            return false;
        }
    }
    return true;
}

void fx_sm_groups_close(fx_sm_groups *groups) {
    functions f;
    if (groups->count == 0 || !find_all(&f)) {
        return;
    }
    for (size_t i = 0; i < groups->count; i++) {
        cudaStreamDestroy(groups->stream[i]);
        f.destroy(groups->context[i]);
    }
    groups->count = 0;
}

#else

void fx_sm_groups_open(int ordinal, fx_sm_groups *groups) {
    groups->count = 0;
}

bool fx_sm_halves_open(int ordinal, fx_sm_groups *halves, unsigned sms[2]) {
    sms[0] = sms[1] = 0;
    halves->count = 0;
    return false;
}

void fx_sm_groups_close(fx_sm_groups *groups) {
    groups->count = 0;
}

#endif

static bool fits(cudaStream_t stream, const void *kernel, unsigned cluster, unsigned threads, size_t shared_bytes) {
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {cluster, 1, 1}};
    const cudaLaunchConfig_t config = {.gridDim = {cluster, 1, 1},
                                       .blockDim = {threads, 1, 1},
                                       .dynamicSmemBytes = shared_bytes,
                                       .stream = stream,
                                       .attrs = &attribute,
                                       .numAttrs = 1};
    int active = 0;
    if (cudaOccupancyMaxActiveClusters(&active, kernel, &config) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return active > 0;
}

size_t fx_sm_groups_for(const fx_sm_groups *groups, const void *kernel, unsigned cluster, unsigned threads,
                        size_t shared_bytes, unsigned char out[FX_MAX_SM_GROUPS]) {
    unsigned char fitting[FX_MAX_SM_GROUPS];
    size_t found = 0;
    for (size_t i = 0; i < groups->count; i++) {
        if (cluster == 1 || fits(groups->stream[i], kernel, cluster, threads, shared_bytes)) {
            fitting[found++] = (unsigned char)i;
        }
    }
    const size_t count = power_of_two(found);
    for (size_t i = 0; i < count; i++) {
        out[i] = fitting[(i + 1) * found / count - 1];
    }
    return count;
}
