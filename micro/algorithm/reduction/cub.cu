/* CUB's device-wide sum, in a file of its own: its templates take long to compile. One type, and the tuning that CUB
 * picks for the architecture. */
#ifdef FX_WITH_CUDA
#include "cub_sum.h"

#include <cub/device/device_reduce.cuh>

cudaError_t fx_cub_sum(void *scratch, size_t *bytes, const uint32_t *in, uint32_t *out, uint32_t count,
                       cudaStream_t stream) {
    return cub::DeviceReduce::Sum(scratch, *bytes, in, out, count, stream);
}
#endif
