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

/* NVIDIA's header: "an API user must serialize access to" these. */
static atomic_int patching;

static void patch(void) {
    fake.overlaps += patching++ > 0;
    (void)usleep(100);
    patching--;
}

SanitizerResult sanitizerAddPatches(const void *image, CUcontext context) {
    (void)image, (void)context;
    patch();
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId id, CUmodule module, const char *call) {
    (void)id, (void)module, (void)call;
    patch();
    return SANITIZER_SUCCESS;
}

/* A thread inside the driver has its lock already. */
static _Thread_local bool inside;

void fake_lock(void) {
    (void)pthread_rwlock_wrlock(&fake.driver);
    inside = true;
}

void fake_unlock(void) {
    inside = false;
    (void)pthread_rwlock_unlock(&fake.driver);
}

static SanitizerResult change(atomic_uint *count) {
    const bool locks = !inside;
    if (locks) {
        (void)pthread_rwlock_wrlock(&fake.driver);
    }
    patch();
    fake.disturbed = fake.disturbed || (locks && fake.running);
    (*count)++;
    if (locks) {
        (void)pthread_rwlock_unlock(&fake.driver);
    }
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
    (void)module;
    *pc = FAKE_PC + (uint64_t)FAKE_BYTES * (unsigned char)name[0];
    *size = FAKE_BYTES;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerGetResultString(SanitizerResult result, const char **text) {
    (void)result;
    *text = "planted";
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerAllocHost(CUcontext context, void **out, size_t size) {
    static void *kept[1024]; /* until the process ends */
    static atomic_uint count;
    (void)context;
    *out = calloc(1, size);
    kept[atomic_fetch_add(&count, 1) % (sizeof kept / sizeof *kept)] = *out;
    return *out ? SANITIZER_SUCCESS : SANITIZER_ERROR_OUT_OF_MEMORY;
}

/* When the three events of a launch come, in ms: one before nothing, and one before and after the launch. */
static float come[] = {0, 0.25F, 0.75F};

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    static _Thread_local unsigned created;
    fake.events++;
    (void)flags;
    *event = (CUevent)(void *)&come[created++ % 3];
    return fake.has_events ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuEventDestroy(CUevent event) {
    (void)event;
    return CUDA_SUCCESS;
}

static _Thread_local const volatile uint32_t *gate;
static _Thread_local uint32_t gate_value;
static _Thread_local bool idle; /* nothing was queued behind the gate yet */

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    (void)stream, (void)flags;
    gate = (const volatile uint32_t *)(uintptr_t)address;
    gate_value = value;
    idle = true;
    return CUDA_SUCCESS;
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream) {
    (void)stream, (void)count; /* of 1 */
    __atomic_store_n((unsigned *)(uintptr_t)address, value, __ATOMIC_RELEASE);
    idle = false;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    (void)event, (void)stream;
    fake.late = fake.late || idle;
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
    (void)event;
    const bool open = !gate || __atomic_load_n(gate, __ATOMIC_ACQUIRE) >= gate_value;
    fake.closed = fake.closed || !open;
    return open ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent stop) {
    *ms = *(const float *)(const void *)stop - *(const float *)(const void *)start;
    return CUDA_SUCCESS;
}
