/* The CUDA device behind the table of core/device.h. Without CUDA (none.c) the same functions say so. */
#pragma once

#include "core/device.h"

/* Why there is no device in a build with -DGPUFX_CUDA=OFF. */
#define FX_WITHOUT_CUDA "built without CUDA"

/* Number of CUDA devices that this process may use. If there is none, `why` receives one clause that says why ("built
 * without CUDA"), fit to stand in brackets; it is left as it is otherwise. */
size_t fx_cuda_device_count(char *why, size_t size);

/* Opens a device by its CUDA index. Free with fx_device_destroy. Under MIG CUDA shows the one instance that
 * CUDA_VISIBLE_DEVICES names, as 0. */
fx_status fx_cuda_device_open(int ordinal, fx_device **out, fx_error *err);

/* A new array with one object per device: "ordinal", "name", "uuid", "arch", "memory_bytes". Empty without devices. */
fx_status fx_cuda_device_list(json_t **out, fx_error *err);
