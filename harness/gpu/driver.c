/* Asks the CUDA runtime for functions of the driver. */
#include "gpu/driver.h"

#include <cuda_runtime_api.h>

bool fx_driver_find(const char *name, unsigned since, void *function) {
    enum cudaDriverEntryPointQueryResult found;
    void *address = NULL;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &address, since, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        cudaGetLastError();
        return false;
    }
    memcpy(function, &address, sizeof address);
    return address != NULL;
}
