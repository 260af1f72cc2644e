#include "fake_cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "gpu/cuda.h"
#include "gpu/latch.h"
#include "gpu/stamps.h"

fake_device fake;
_Thread_local int fake_current;

enum { MOST_STREAMS = 128 };

struct fake_stream {
    int device;
    double ns;
};

struct fake_event {
    double ns;
    bool own; /* by the clock of its stream */
};

static struct fake_stream *streams[MOST_STREAMS]; /* that were made here; others are a test's own numbers */

static struct fake_stream *made_here(cudaStream_t stream) {
    for (size_t i = 0; stream && i < MOST_STREAMS; i++) {
        if (streams[i] == stream) {
            return stream;
        }
    }
    return NULL;
}

/* Whether it may be used on the current device. */
static bool elsewhere(cudaStream_t stream) {
    const struct fake_stream *own = made_here(stream);
    return own && own->device != fake_current;
}

/* True where this call is the one that fails. */
static bool fails(void) {
    return __atomic_add_fetch(&fake.calls, 1, __ATOMIC_SEQ_CST) == fake.failing_call;
}

static cudaError_t allocate(void **memory, size_t bytes) {
    if (fails()) {
        return fake.failure;
    }
    *memory = malloc(bytes);
    fake.live++;
    return cudaSuccess;
}

static cudaError_t release(void *memory) {
    fake.torn = fake.torn || (memory && fake.textured && memory == fake.resource.res.pitch2D.devPtr);
    fake.live -= memory != NULL;
    free(memory);
    return cudaSuccess;
}

/* What is larger than this only fills a device, and nothing touches it: a byte will do. */
enum { MOST_TOUCHED_BYTES = 64 << 20 };

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    fake.asked_bytes = bytes;
    return allocate(memory, bytes > MOST_TOUCHED_BYTES ? 1 : bytes);
}

cudaError_t cudaFree(void *memory) {
    return release(memory);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) {
    return allocate(memory, bytes);
}

cudaError_t cudaFreeHost(void *memory) {
    return release(memory);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags) {
    return allocate(memory, bytes);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned flags) {
    const cudaError_t code = allocate(memory, bytes);
    if (code == cudaSuccess) {
        memset(*memory, 0, bytes);
    }
    return code;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags) {
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory) {
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes) {
    *free_bytes = fake.free_bytes;
    *all_bytes = fake.free_bytes + fake.used_bytes;
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    if (fails()) {
        return fake.failure;
    }
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (fails()) {
        return fake.failure;
    }
    if (elsewhere(stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    memcpy(to, from, bytes);
    fake_busy(stream, (double)bytes * fake.link_ns_per_byte);
    return cudaSuccess;
}

void fake_busy(cudaStream_t stream, double ns) {
    struct fake_stream *own = made_here(stream);
    if (own) {
        own->ns += ns * (fake.held > 1 ? fake.crowded : 1);
    }
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    const struct fake_stream *own = made_here(stream);
    const bool mapped = (fake.mapped[to_device] >> from_device | fake.mapped[from_device] >> to_device) & 1;
    if (fails()) {
        return fake.failure;
    }
    if (!own || elsewhere(stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    memcpy(to, from, bytes);
    fake_busy(stream, (double)bytes * fake.link_ns_per_byte * (mapped ? 1 : 8));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    return allocate((void **)event, sizeof **event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return release(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const struct fake_stream *own = made_here(stream);
    if (elsewhere(stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    event->own = own != NULL;
    event->ns = own ? own->ns : fake.clock_ns;
    fake.clock_ns += 1500 + (fake.calls % 5 == 0) * fake.tick_ns; /* an event takes time of its own */
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    const double tick = from->own || fake.tick_ns <= 0 ? 1 : fake.tick_ns;
    *ms = (float)((floor(to->ns / tick) - floor(from->ns / tick)) * tick / 1e6);
    return fails() ? fake.failure : cudaSuccess;
}

static cudaError_t launch(const void *kernel, const fake_launch *l) {
    if (fails()) {
        return fake.failure;
    }
    if (elsewhere(l->stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    ((fake_kernel *)(uintptr_t)kernel)(l);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    const fake_launch l = {
        .grid = grid, .block = block, .arguments = arguments, .shared_bytes = shared_bytes, .stream = stream};
    return launch(kernel, &l);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    const fake_launch l = {.grid = config->gridDim,
                           .block = config->blockDim,
                           .arguments = arguments,
                           .shared_bytes = config->dynamicSmemBytes,
                           .stream = config->stream,
                           .cluster = config->numAttrs > 0 ? config->attrs[0].val.clusterDim.x : 0};
    return launch(kernel, &l);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
    *attributes =
        (struct cudaFuncAttributes){.sharedSizeBytes = 512, .localSizeBytes = fake.local_bytes, .numRegs = 40};
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        fake.carveout_pct = value;
    }
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view) {
    if (fails()) {
        return fake.failure;
    }
    fake.resource = *resource;
    fake.texture = *description;
    fake.textured = true;
    fake.live++;
    *texture = 1;
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    fake.live -= texture == 1;
    fake.textured = false;
    return cudaSuccess;
}

/* Several devices. */

static int devices(void) {
    return fake.devices > 0 ? fake.devices : 1;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = devices();
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= devices()) {
        return cudaErrorInvalidDevice;
    }
    fake_current = device; /* no call that can fail: a test of those would end elsewhere */
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device) {
    *value = 10 + device;
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    (void)snprintf(text, (size_t)size, "ffff:%02x:00.0", (unsigned)device);
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    *can = device != peer && !(fake.barred[device] >> peer & 1);
    return fails() ? fake.failure : cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int device, int peer) {
    return cudaDeviceCanAccessPeer(value, device, peer);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    if (fails()) {
        return fake.failure;
    }
    if (fake.mapped[fake_current] >> peer & 1) {
        return cudaErrorPeerAccessAlreadyEnabled;
    }
    if (fake.barred[fake_current] >> peer & 1) {
        return cudaErrorPeerAccessUnsupported;
    }
    fake.mapped[fake_current] |= (unsigned char)(1u << peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    if (!(fake.mapped[fake_current] >> peer & 1)) {
        return cudaErrorPeerAccessNotEnabled;
    }
    fake.mapped[fake_current] &= (unsigned char)~(1u << peer);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    size_t place = 0;
    const cudaError_t code = allocate((void **)stream, sizeof **stream);
    if (code != cudaSuccess) {
        return code;
    }
    **stream = (struct fake_stream){.device = fake_current};
    while (streams[place]) {
        place++; /* past the end is for the sanitizer */
    }
    streams[place] = *stream;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    for (size_t i = 0; i < MOST_STREAMS; i++) {
        streams[i] = streams[i] == stream ? NULL : streams[i];
    }
    return release(stream);
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t code) {
    return code == cudaErrorMemoryAllocation ? "out of memory" : "something else";
}

const char *cudaGetErrorName(cudaError_t code) {
    return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}

/* What rig.c asks for where several SMs take turns; a test of that has its own. */
__attribute__((weak)) size_t fx_sm_groups_for(const fx_sm_groups *groups, const void *kernel, unsigned cluster,
                                              unsigned threads, size_t shared_bytes,
                                              unsigned char out[FX_MAX_SM_GROUPS]) {
    return 0;
}

/* What buffers.cu does on a device. */

fx_status fx_gpu_fill(fx_gpu *gpu, void *data, size_t words, uint64_t seed, fx_error *err) {
    uint32_t *at = data;
    if (fails()) {
        return fx_cuda_check(fake.failure, "fill", "fake_cuda.c", 0, err);
    }
    for (size_t i = 0; i < words; i++) {
        at[i] = fx_random_word(seed, i);
    }
    return FX_OK;
}

fx_status fx_gpu_verify(fx_gpu *gpu, const void *data, size_t words, uint64_t seed, fx_error *err) {
    const uint32_t *at = data;
    for (size_t i = 0; i < words; i++) {
        if (at[i] != fx_random_word(seed, i)) {
            return fx_fail(err, FX_WRONG_RESULT, "word %zu of a device buffer is not what was written", i);
        }
    }
    return FX_OK;
}

fx_status fx_gpu_flush_l2(fx_gpu *gpu, fx_error *err) {
    if (fails()) {
        return fx_cuda_check(fake.failure, "flush", "fake_cuda.c", 0, err);
    }
    fake.clock_ns += fake.slow_flushes > 0 ? 1.5 * fake.flush_ns : fake.flush_ns;
    fake.slow_flushes -= fake.slow_flushes > 0;
    fake.flushes++;
    return FX_OK;
}

/* What stamps.cu does: blocks come to SMs in an order of their own. */
fx_status fx_gpu_stamp(fx_gpu *gpu, fx_stamp *to, unsigned count, fx_error *err) {
    if (fails()) {
        return fx_cuda_check(fake.failure, "stamp", "fake_cuda.c", 0, err);
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned sm = (i + fake.stamps) % count + fake.stamps * fake.strange_sms;
        to[i] = (fx_stamp){.cycles = (uint64_t)(1e6 * sm + fake.clock_ns * fake.sm_MHz / 1e3), /* each has a zero */
                           .ns = (uint64_t)fake.clock_ns,
                           .sm = sm};
    }
    fake.stamps++;
    fake.clock_ns += 1000;
    return FX_OK;
}

/* What latch.cu does. */

static uint32_t latch_words[2];

fx_status fx_latch_open(fx_latch *latch, fx_error *err) {
    if (fails()) {
        return fx_cuda_check(fake.failure, "latch", "fake_cuda.c", 0, err);
    }
    *latch = (fx_latch){.host = latch_words, .device = latch_words};
    fake.live++;
    return FX_OK;
}

void fx_latch_close(fx_latch *latch) {
    fake.live -= latch->host != NULL;
    *latch = (fx_latch){0};
}

fx_status fx_latch_hold(fx_latch *latch, cudaStream_t stream, fx_error *err) {
    if (fails() || elsewhere(stream)) {
        return fx_cuda_check(elsewhere(stream) ? cudaErrorInvalidResourceHandle : fake.failure, "hold", "fake_cuda.c",
                             0, err);
    }
    fake.held = latch->host[0] ? 1 : fake.held + 1;
    latch->host[0] = 0;
    latch->host[1] = fake.late;
    return FX_OK;
}

void fx_latch_release(fx_latch *latch) {
    latch->host[0] = 1;
}

bool fx_latch_timed_out(const fx_latch *latch) {
    return latch->host[1] != 0;
}
