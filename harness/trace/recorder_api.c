#include "recorder_api.h"

#include <dlfcn.h>

/* A function's address, which C converts from no object's. */
static void take(void *library, const char *name, void *out) {
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(out, &found, sizeof found);
}

fx_status fx_api_open(const char *library, fx_api *out, fx_error *err) {
    void *sanitizer = dlopen(library && *library ? library : "libsanitizer-public.so", RTLD_NOW | RTLD_LOCAL);
    FX_FAIL_IF(!sanitizer, err, FX_UNSUPPORTED, "cannot load the library of Compute Sanitizer: %s", dlerror());
#define FX_TAKE(name)                                                                                                  \
    take(sanitizer, "sanitizer" #name, &out->name);                                                                    \
    FX_FAIL_IF(!out->name, err, FX_UNSUPPORTED, "the library of Compute Sanitizer has no sanitizer" #name);
    FX_SANITIZER_CALLS(FX_TAKE)
#undef FX_TAKE
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
#define FX_TEXT(name)   #name
#define FX_QUOTED(name) FX_TEXT(name) /* cuda.h defines newer names for some */
#define FX_TAKE(name)   take(driver, FX_QUOTED(cu##name), &out->name);
    FX_DRIVER_CALLS(FX_TAKE)
#undef FX_TAKE
    return FX_OK;
}

fx_status fx_api_failed(const fx_api *api, const char *call, SanitizerResult result, fx_error *err) {
    if (result == SANITIZER_SUCCESS) {
        return FX_OK;
    }
    const char *text = "no text";
    (void)api->GetResultString(result, &text);
    return fx_fail(err, FX_DEVICE, "%s: %s", call, text ? text : "no text");
}
