/* Stands in for libsanitizer-public.so, where the device's memory is the host's and fake_play makes a callback, and for
 * libcuda.so.1, whose name it has. */
#include "fake_sanitizer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Sanitizer_CallbackFunc callback;
fake_state fake = {.driver = PTHREAD_RWLOCK_INITIALIZER};

static _Thread_local const void *given;

const void *fake_data(void) {
    return given;
}

fake_state *fake_get(void) {
    return &fake;
}

void fake_play(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void *data) {
    callback(NULL, domain, id, data);
}

SanitizerResult sanitizerSubscribe(Sanitizer_SubscriberHandle *handle, Sanitizer_CallbackFunc call, void *data) {
    (void)data;
    *handle = NULL;
    callback = call;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerEnableDomain(uint32_t on, Sanitizer_SubscriberHandle handle, Sanitizer_CallbackDomain domain) {
    (void)on, (void)handle, (void)domain;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerEnableCallback(uint32_t on, Sanitizer_SubscriberHandle handle, Sanitizer_CallbackDomain domain,
                                        Sanitizer_CallbackId id) {
    (void)on, (void)handle, (void)domain, (void)id;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerAddPatches(const void *image, CUcontext context) {
    (void)image, (void)context;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId id, CUmodule module, const char *call) {
    (void)id, (void)module, (void)call;
    return SANITIZER_SUCCESS;
}

static SanitizerResult change(unsigned *count) {
    (void)pthread_rwlock_wrlock(&fake.driver);
    fake.disturbed = fake.disturbed || fake.running;
    (*count)++;
    (void)pthread_rwlock_unlock(&fake.driver);
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerPatchModule(CUmodule module) {
    (void)module;
    return change(&fake.patched);
}

SanitizerResult sanitizerUnpatchModule(CUmodule module) {
    (void)module;
    return change(&fake.unpatched);
}

SanitizerResult sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle launch, CUfunction function,
                                               Sanitizer_StreamHandle stream, const void *data) {
    (void)launch, (void)function, (void)stream;
    given = data;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerGetFunctionPcAndSize(CUmodule module, const char *name, uint64_t *pc, uint64_t *size) {
    (void)module, (void)name;
    (void)pthread_rwlock_rdlock(&fake.driver);
    (void)pthread_rwlock_unlock(&fake.driver);
    *pc = FAKE_PC;
    *size = FAKE_BYTES;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerGetResultString(SanitizerResult result, const char **text) {
    (void)result;
    *text = "planted";
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerAlloc(CUcontext context, void **out, size_t size) {
    (void)context;
    *out = size > fake.most_bytes ? NULL : calloc(1, size); /* the device's: goes with the process */
    return *out ? SANITIZER_SUCCESS : SANITIZER_ERROR_OUT_OF_MEMORY;
}

SanitizerResult sanitizerFree(CUcontext context, void *memory) {
    (void)context;
    fake.freed++;
    free(memory);
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerMemcpyHostToDeviceAsync(void *to, void *from, size_t size, Sanitizer_StreamHandle stream) {
    (void)stream;
    memcpy(to, from, size);
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerMemcpyDeviceToHost(void *to, void *from, size_t size, Sanitizer_StreamHandle stream) {
    return sanitizerMemcpyHostToDeviceAsync(to, from, size, stream);
}

SanitizerResult sanitizerStreamSynchronize(Sanitizer_StreamHandle stream) {
    (void)stream;
    if (fake.on_wait) {
        fake.on_wait();
    }
    return fake.failing ? SANITIZER_ERROR_UNKNOWN : SANITIZER_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    (void)flags;
    *event = (CUevent)&fake;
    return fake.has_events ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuEventDestroy(CUevent event) {
    (void)event;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    (void)event, (void)stream;
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
    (void)event;
    (void)usleep(50);
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
    (void)event;
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent stop) {
    (void)start, (void)stop;
    *ms = 0.25F;
    return CUDA_SUCCESS;
}
