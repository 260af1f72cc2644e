/* What a trace says of a device, a kernel and a process: text of JSON. */
#pragma once

#include <stddef.h>

#include "recorder_api.h"

enum { FX_DEVICE_TEXT = 1024, FX_PROGRAM_TEXT = 1 << 16 };

/* {"name":...,"arch":...}; what the driver does not say is left out. Returns `out`. */
char *fx_device_text(const fx_api *api, CUdevice device, char out[FX_DEVICE_TEXT]);

/* ["./app","4096"]: this process's arguments, as many as fit. Returns `out`. */
char *fx_program_text(char out[FX_PROGRAM_TEXT]);

/* Registers, static shared memory and blocks per SM; -1: not known. */
void fx_kernel_resources(const fx_api *api, CUfunction function, unsigned threads, unsigned dynamic_bytes,
                         int *registers, int *shared_bytes, int *blocks_per_sm);
