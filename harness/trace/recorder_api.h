/* NVIDIA's patching API, opened while the program runs: nothing of it is linked or shipped. */
#pragma once

#include <sanitizer.h>

#include "core/error.h"

#define FX_SANITIZER_CALLS(call)                                                                                       \
    call(Subscribe) call(EnableDomain) call(EnableCallback) call(AddPatches) call(PatchInstructions) call(PatchModule) \
        call(UnpatchModule) call(SetLaunchCallbackData) call(GetFunctionPcAndSize) call(GetResultString)               \
            call(AllocHost)

/* What is asked of the driver: numbers that are at rest, and events around a launch. Each may be NULL. */
#define FX_DRIVER_CALLS(call)                                                                                          \
    call(DeviceGetAttribute) call(DeviceGetName) call(FuncGetAttribute) call(EventCreate) call(EventDestroy)           \
        call(EventRecord) call(EventQuery) call(EventElapsedTime) call(StreamIsCapturing)                              \
            call(ThreadExchangeStreamCaptureMode) call(StreamWaitValue32) call(MemsetD32Async)

typedef struct fx_api {
#define FX_FIELD(name) __typeof__(&sanitizer##name) name;
    FX_SANITIZER_CALLS(FX_FIELD)
#undef FX_FIELD
#define FX_FIELD(name) __typeof__(&cu##name) name;
    FX_DRIVER_CALLS(FX_FIELD)
#undef FX_FIELD
} fx_api;

/* `library`: the path of libsanitizer-public.so; NULL or "": as the loader finds it. */
fx_status fx_api_open(const char *library, fx_api *out, fx_error *err);

/* FX_DEVICE with the call and the API's word for the result. */
fx_status fx_api_failed(const fx_api *api, const char *call, SanitizerResult result, fx_error *err);

/* fx_status of api->NAME(...). */
#define FX_API(api, err, name, ...) fx_api_failed((api), "sanitizer" #name, (api)->name(__VA_ARGS__), (err))

/* ---- What a trace says of a device and of a kernel: text of JSON (recorder_device.c) ---- */

enum { FX_DEVICE_TEXT = 1024, FX_KERNEL_TEXT = 128 };

/* {"name":...,"arch":...}; what the driver does not say is left out. Returns `out`. */
char *fx_device_text(const fx_api *api, CUdevice device, char out[FX_DEVICE_TEXT]);

/* ,"registers":...: of a kernel; what the driver does not say is left out. Returns `out`. */
char *fx_kernel_text(const fx_api *api, CUfunction function, char out[FX_KERNEL_TEXT]);
