/* What a probe sees of the CUDA device: the checked call, the context, fills, the L2 flush, launches. Memory is
 * pool.h's. */
#pragma once

#include <cuda_runtime_api.h>

#include "core/probe.h"
#include "gpu/sm_groups.h"

/* Pascal has copies of its own of every parameter whose address is taken. Its compilers refuse the word. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#undef __grid_constant__
#define __grid_constant__
#endif

FX_C_BEGIN

/* What outlives a case: see pool.h and host_memory.h. */
typedef struct fx_pool {
    void *memory;
    size_t bytes;
    uint64_t freed_bytes; /* since the device was last seen to be at rest */
    double rest_ns;       /* reading the flush buffer once takes so long at rest; the shortest time seen */
    cudaEvent_t from, to; /* around that reading */
} fx_pool;

typedef struct fx_host_pool {
    void *memory;
    size_t size;
    uint64_t seed;
    int kind; /* fx_host_kind */
} fx_host_pool;

/* The context that probes receive. Everything in it is borrowed. */
struct fx_gpu {
    int ordinal;
    fx_facts facts;
    cudaStream_t stream;         /* all of a probe's work, unless it needs a second one */
    cudaStream_t other_stream;   /* for traffic in the other direction */
    void *flush;                 /* device memory of flush_bytes, written once */
    size_t flush_bytes;          /* at least twice the L2 */
    unsigned long long *scratch; /* a word of device memory for a kernel's answer */
    double timer_tick_ns;        /* step of %globaltimer, measured at start */
    double event_tick_ns;        /* step of the events' clock, likewise */
    bool one_sm;                 /* work of one SM stays where the driver puts it */
    unsigned stretch;            /* timed loops run so many times as long, for counters; 0: as usual */
    fx_sm_groups sm_groups;      /* of work on one SM */
    fx_pool pool;
    fx_host_pool host_pool;
    struct fx_nvml *nvml; /* NULL where there is none */
    int numa_node;        /* of the GPU; -1: unknown */
};

/* Smallest step of %globaltimer seen in a few thousand reads, in ns. */
fx_status fx_gpu_timer_tick(fx_gpu *gpu, double *tick_ns, fx_error *err);

/* Turns a CUDA result into a status. Sticky errors (illegal address, assert, lost device) are FX_DEVICE_LOST. */
fx_status fx_cuda_check(cudaError_t code, const char *expression, const char *file, int line, fx_error *err);

/* Runs a CUDA call inside a function that has `fx_error *err`; FX_CUDA wants a variable `fx_status status` and a label
 * `cleanup`, too. */
#define FX_CUDA_STATUS(call) fx_cuda_check((call), #call, __FILE__, __LINE__, err)
#define FX_CUDA(call)        FX_GO(FX_CUDA_STATUS(call))
#define FX_TRY_CUDA(call)    FX_TRY(FX_CUDA_STATUS(call)) /* returns, like FX_TRY */

/* Fills `words` 32-bit words at device address `data` with word i = fx_random_word(seed, i). Queued on the gpu's
 * stream. */
fx_status fx_gpu_fill(fx_gpu *gpu, void *data, size_t words, uint64_t seed, fx_error *err);

/* Bytes to the device, queued on the gpu's stream; and to the host, which waits. */
fx_status fx_gpu_upload(fx_gpu *gpu, void *to, const void *from, size_t bytes, fx_error *err);
fx_status fx_gpu_download(fx_gpu *gpu, void *to, const void *from, size_t bytes, fx_error *err);

/* Waits for all that is queued on the gpu's stream. */
fx_status fx_gpu_wait(fx_gpu *gpu, fx_error *err);

/* Checks that the buffer still holds what fx_gpu_fill wrote. FX_WRONG_RESULT tells how many words differ. Waits. */
fx_status fx_gpu_verify(fx_gpu *gpu, const void *data, size_t words, uint64_t seed, fx_error *err);

/* Reads the whole buffer (a multiple of 16 bytes) past the L1, so that as much of it as fits lies in the L2. Queued. */
fx_status fx_gpu_read(fx_gpu *gpu, const void *data, size_t bytes, fx_error *err);

/* Present PCIe generation and width; false where NVML does not tell. Idle links drop to a lower generation. */
bool fx_gpu_link(fx_gpu *gpu, unsigned *generation, unsigned *width);

/* The host's clock, in ns from some start: CLOCK_MONOTONIC_RAW, which nobody adjusts. */
double fx_now_ns(void);

/* Energy that the device has used since its driver was loaded, in mJ; false where NVML does not tell. The driver counts
 * it in steps of some 20 to 100 ms. */
bool fx_gpu_energy_mJ(fx_gpu *gpu, uint64_t *energy_mJ);

/* Empties the L2 of everything else by reading the flush buffer; reading leaves no dirty lines for the next sample to
 * pay for. Queued on the gpu's stream. */
fx_status fx_gpu_flush_l2(fx_gpu *gpu, fx_error *err);

/* cudaLaunchKernel on the gpu's stream. `arguments` as cudaLaunchKernel wants them. */
fx_status fx_gpu_launch(fx_gpu *gpu, const void *kernel, unsigned blocks, unsigned threads, size_t shared_bytes,
                        void **arguments, fx_error *err);

/* The same in clusters of so many blocks; 1: none. */
fx_status fx_gpu_launch_clusters(fx_gpu *gpu, const void *kernel, unsigned cluster, unsigned blocks, unsigned threads,
                                 size_t shared_bytes, void **arguments, fx_error *err);

/* NULL is fine. */
void fx_event_drop(cudaEvent_t event);
void fx_stream_drop(cudaStream_t stream);

FX_C_END

#ifdef __cplusplus
/* What a kernel is given, in the call that launches it: fx_arguments{&first, &second}. */
struct fx_arguments {
    void *at[8];
    operator void **() { return at; }
};
#endif
