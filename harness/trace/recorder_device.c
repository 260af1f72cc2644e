#include "recorder_api.h"

#include "trace_write.h"

static int attribute(const fx_api *api, CUdevice_attribute which, CUdevice device) {
    int value = -1;
    return api->DeviceGetAttribute && api->DeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : -1;
}

char *fx_device_text(const fx_api *api, CUdevice device, char out[FX_DEVICE_TEXT]) {
    const int major = attribute(api, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    const int minor = attribute(api, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    const int sms = attribute(api, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    const int l2_bytes = attribute(api, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
    char name[256] = "", quoted[600];
    size_t at = 0;
    if (!api->DeviceGetName || api->DeviceGetName(name, sizeof name, device) != CUDA_SUCCESS) {
        (void)strcpy(name, "?");
    }
    at += (size_t)snprintf(out, FX_DEVICE_TEXT, "{\"name\":%s", fx_trace_quoted(name, quoted, sizeof quoted));
    if (major > 0 && minor >= 0) {
        at += (size_t)snprintf(out + at, FX_DEVICE_TEXT - at, ",\"arch\":\"sm_%d%d\"", major, minor);
    }
    if (sms > 0 && l2_bytes > 0) {
        at += (size_t)snprintf(out + at, FX_DEVICE_TEXT - at, ",\"sms\":%d,\"l2_bytes\":%d", sms, l2_bytes);
    }
    (void)snprintf(out + at, FX_DEVICE_TEXT - at, "}");
    return out;
}

char *fx_kernel_text(const fx_api *api, CUfunction function, char out[FX_KERNEL_TEXT]) {
    int registers, shared;
    out[0] = '\0';
    if (api->FuncGetAttribute &&
        api->FuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS &&
        api->FuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) == CUDA_SUCCESS) {
        (void)snprintf(out, FX_KERNEL_TEXT, ",\"registers\":%d,\"shared_bytes\":%d", registers, shared);
    }
    return out;
}
