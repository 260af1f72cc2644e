/* NVTX is a header alone: it looks for a profiler in the process at the first call. */
#include "gpu/nvtx.h"

#include <nvtx3/nvToolsExt.h>

/* NULL where no profiler is there, and then the calls do nothing. */
static nvtxDomainHandle_t domain(void) {
    static nvtxDomainHandle_t handle;
    if (!handle) {
        handle = nvtxDomainCreateA("gpufx");
    }
    return handle;
}

void fx_nvtx_begin(const char *name) {
    const nvtxEventAttributes_t event = {
        .version = NVTX_VERSION,
        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .messageType = NVTX_MESSAGE_TYPE_ASCII,
        .message = {.ascii = name},
    };
    nvtxDomainRangePushEx(domain(), &event);
}

void fx_nvtx_end(void) {
    nvtxDomainRangePop(domain());
}
