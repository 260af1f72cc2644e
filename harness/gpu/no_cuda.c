/* The GPU room of a build with -DGPUFX_CUDA=OFF: there is no device, and it says why. */
#include "gpu.h"
#include "kernel_hash.h"

static const char reason[] = FX_WITHOUT_CUDA;

size_t fx_cuda_device_count(char *why, size_t size) {
    (void)snprintf(why, size, "%s", reason);
    return 0;
}

fx_status fx_cuda_device_open(int ordinal, fx_device **out, fx_error *err) {
    *out = NULL;
    return fx_fail(err, FX_UNSUPPORTED,
                   "CUDA device %d can't be opened: this gpufx was %s; build with -DGPUFX_CUDA=ON, or use "
                   "--device synthetic:generic",
                   ordinal, reason);
}

fx_status fx_cuda_device_list(json_t **out, fx_error *err) {
    *out = json_array();
    return *out ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while listing devices");
}

bool fx_kernel_fatbin(const void *kernel, size_t *offset, size_t *bytes) {
    return false;
}
