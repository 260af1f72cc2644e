/* What a trace says of a device and of a kernel: text of JSON. */
#pragma once

#include <stddef.h>

#include "recorder_api.h"

enum { FX_DEVICE_TEXT = 1024, FX_KERNEL_TEXT = 128 };

/* {"name":...,"arch":...}; what the driver does not say is left out. Returns `out`. */
char *fx_device_text(const fx_api *api, CUdevice device, char out[FX_DEVICE_TEXT]);

/* ,"registers":...: of a kernel; what the driver does not say is left out. Returns `out`. */
char *fx_kernel_text(const fx_api *api, CUfunction function, char out[FX_KERNEL_TEXT]);
