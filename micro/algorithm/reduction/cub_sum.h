/* The sum of the toolkit's own library, which reduction's last rung is compared with. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

/* cub::DeviceReduce::Sum, queued on `stream`. With `scratch` NULL nothing runs, and *bytes is what it wants. */
cudaError_t fx_cub_sum(void *scratch, size_t *bytes, const uint32_t *in, uint32_t *out, uint32_t count,
                       cudaStream_t stream);
