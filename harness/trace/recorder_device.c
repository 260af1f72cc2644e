#include "recorder_device.h"

#include <stdio.h>
#include <string.h>

#include "trace_write.h"

static int attribute(const fx_api *api, CUdevice_attribute which, CUdevice device) {
    int value = -1;
    return api->DeviceGetAttribute && api->DeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : -1;
}

char *fx_device_text(const fx_api *api, CUdevice device, char out[FX_DEVICE_TEXT]) {
    const int major = attribute(api, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    const int minor = attribute(api, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    const struct {
        const char *key;
        int value;
    } facts[] = {
        {"sms", attribute(api, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device)},
        {"l2_bytes", attribute(api, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device)},
        {"clock_mhz", attribute(api, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device) / 1000},
    };
    char name[256] = "", quoted[600];
    CUuuid id;
    size_t at = 0;
    const size_t size = FX_DEVICE_TEXT;
    if (!api->DeviceGetName || api->DeviceGetName(name, sizeof name, device) != CUDA_SUCCESS) {
        (void)strcpy(name, "?");
    }
    at += (size_t)snprintf(out, size, "{\"name\":%s", fx_trace_quoted(name, quoted, sizeof quoted));
    if (major > 0 && minor >= 0) {
        at += (size_t)snprintf(out + at, size - at, ",\"arch\":\"sm_%d%d\"", major, minor);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (facts[i].value > 0) {
            at += (size_t)snprintf(out + at, size - at, ",\"%s\":%d", facts[i].key, facts[i].value);
        }
    }
    if (api->DeviceGetUuid && api->DeviceGetUuid(&id, device) == CUDA_SUCCESS) {
        at += (size_t)snprintf(out + at, size - at, ",\"uuid\":\"GPU-");
        for (size_t i = 0; i < sizeof id.bytes; i++) {
            at += (size_t)snprintf(out + at, size - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                   (unsigned char)id.bytes[i]);
        }
        at += (size_t)snprintf(out + at, size - at, "\"");
    }
    (void)snprintf(out + at, size - at, "}");
    return out;
}

char *fx_program_text(char out[FX_PROGRAM_TEXT]) {
    static char arguments[FX_PROGRAM_TEXT / 8]; /* each byte takes 6 of JSON at most */
    FILE *file = fopen("/proc/self/cmdline", "rbe");
    const size_t length = file ? fread(arguments, 1, sizeof arguments - 1, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    arguments[length] = '\0';
    size_t to = 0;
    out[to++] = '[';
    for (size_t at = 0; at < length; at += strlen(arguments + at) + 1) {
        if (at) {
            out[to++] = ',';
        }
        to += strlen(fx_trace_quoted(arguments + at, out + to, FX_PROGRAM_TEXT - 2 - to));
        if (to > FX_PROGRAM_TEXT - 16) {
            break;
        }
    }
    out[to++] = ']';
    out[to] = '\0';
    return out;
}

char *fx_kernel_text(const fx_api *api, CUfunction function, unsigned threads, unsigned dynamic_bytes,
                     char out[FX_KERNEL_TEXT]) {
    int registers, shared, blocks;
    size_t at = 0;
    out[0] = '\0';
    if (api->FuncGetAttribute &&
        api->FuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS &&
        api->FuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) == CUDA_SUCCESS) {
        at = (size_t)snprintf(out, FX_KERNEL_TEXT, ",\"registers\":%d,\"shared_bytes\":%d", registers, shared);
    }
    if (api->OccupancyMaxActiveBlocksPerMultiprocessor &&
        api->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)threads, dynamic_bytes) ==
            CUDA_SUCCESS) {
        (void)snprintf(out + at, FX_KERNEL_TEXT - at, ",\"max_blocks_per_sm\":%d", blocks);
    }
    return out;
}
