/* Contexts of other GPUs live from the first case that wants them to the end of the process; streams, memory and
 * mappings are a case's own, so that no other case runs on a device whose memory is mapped elsewhere. */
#include "gpu/gpus.h"

#include "gpu/numa.h"
#include "gpu/pool.h"

/* What the runtime says of a pair, 0 where it does not. */
static unsigned char bit_if(cudaError_t code, int value, int bit) {
    if (code != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return (unsigned char)(value ? 1u << bit : 0);
}

void fx_gpus_in_reach(fx_facts *facts) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        count = 1; /* the one that asks */
    }
    facts->gpu_count = count < FX_MOST_GPUS ? count : (int)FX_MOST_GPUS;
    for (int from = 0; from < facts->gpu_count; from++) {
        facts->reaches[from] = facts->adds[from] = (unsigned char)(1u << from);
        for (int to = 0; to < facts->gpu_count; to++) {
            int can = 0;
            cudaError_t code = from == to ? cudaSuccess : cudaDeviceCanAccessPeer(&can, from, to);
            facts->reaches[from] |= bit_if(code, can, to);
            can = 0;
            code = from == to ? cudaSuccess
                              : cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrNativeAtomicSupported, from, to);
            facts->adds[from] |= bit_if(code, can, to);
        }
    }
}

fx_status fx_gpus_use(const fx_gpus *gpus, int which, fx_error *err) {
    FX_FAIL_IF(which < 0 || which >= FX_MOST_GPUS || !gpus->at[which], err, FX_BAD_INPUT,
               "GPU %d was not opened for this case: open it with fx_gpus_open", which);
    return FX_CUDA_STATUS(cudaSetDevice(which));
}

fx_status fx_gpus_home_after(const fx_gpus *gpus, fx_status status, fx_error *err) {
    const cudaError_t code = cudaSetDevice(gpus->home->ordinal);
    return status == FX_OK ? fx_cuda_check(code, "cudaSetDevice", __FILE__, __LINE__, err) : status;
}

static fx_status open_one(fx_gpus *gpus, int which, fx_error *err) {
    char bus[32] = "";
    int sm_count = 0;
    fx_gpu *gpu = fx_new(1, sizeof *gpu);
    gpus->at[which] = gpu;
    gpu->ordinal = which;
    gpu->facts = gpus->home->facts;
    gpu->timer_tick_ns = gpus->home->timer_tick_ns;
    gpu->event_tick_ns = gpus->home->event_tick_ns;
    gpu->one_sm = true;
    gpu->numa_node = -1;
    FX_TRY_CUDA(cudaSetDevice(which));
    FX_TRY_CUDA(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, which));
    gpu->facts.sm_count = sm_count;
    FX_TRY_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, which));
    gpu->numa_node = fx_numa_node_of(bus);
    FX_TRY_CUDA(cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    FX_TRY_CUDA(cudaStreamCreateWithFlags(&gpu->other_stream, cudaStreamNonBlocking));
    return FX_CUDA_STATUS(cudaMalloc((void **)&gpu->scratch, sizeof *gpu->scratch));
}

fx_status fx_gpus_open(fx_gpu *home, unsigned which, fx_gpus *out, fx_error *err) {
    *out = (fx_gpus){.home = home, .count = home->facts.gpu_count};
    if (home->ordinal < FX_MOST_GPUS) {
        out->at[home->ordinal] = home;
    }
    fx_status status = FX_OK;
    for (int i = 0; i < FX_MOST_GPUS && status == FX_OK; i++) {
        if ((which >> i & 1) && i >= out->count) {
            status = fx_fail(err, FX_BAD_INPUT, "GPU %d: only %d visible to this process", i, out->count);
        } else if ((which >> i & 1) && !out->at[i]) {
            status = open_one(out, i, err);
        }
    }
    status = fx_gpus_home_after(out, status, err);
    if (status != FX_OK) {
        fx_gpus_close(out);
    }
    return status;
}

static void close_one(fx_gpus *gpus, int which) {
    fx_gpu *gpu = gpus->at[which];
    for (int to = 0; to < FX_MOST_GPUS; to++) {
        if (gpus->mapped[which] >> to & 1) {
            (void)cudaSetDevice(which);
            (void)cudaDeviceDisablePeerAccess(to);
        }
    }
    if (!gpu || gpu == gpus->home) {
        return;
    }
    (void)cudaSetDevice(which);
    cudaFree(gpu->scratch);
    fx_stream_drop(gpu->stream);
    fx_stream_drop(gpu->other_stream);
    free(gpu);
}

void fx_gpus_close(fx_gpus *gpus) {
    if (!gpus->home) {
        return;
    }
    for (int i = 0; i < FX_MOST_GPUS; i++) {
        close_one(gpus, i);
    }
    (void)cudaSetDevice(gpus->home->ordinal);
    *gpus = (fx_gpus){0};
}

fx_status fx_gpus_map(fx_gpus *gpus, int from, int to, fx_error *err) {
    fx_status status = FX_OK;
    if (from == to || (gpus->mapped[from] >> to & 1)) {
        return FX_OK;
    }
    FX_FAIL_IF(!(gpus->home->facts.reaches[from] >> to & 1), err, FX_UNSUPPORTED,
               "GPU %d can't map the memory of GPU %d", from, to);
    FX_TRY(fx_gpus_use(gpus, from, err));
    const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
    } else {
        FX_CUDA(code);
        gpus->mapped[from] |= (unsigned char)(1u << to);
    }
cleanup:
    return fx_gpus_home_after(gpus, status, err);
}

fx_status fx_gpus_memory(const fx_gpus *gpus, int which, size_t bytes, void *out, fx_error *err) {
    void *memory = NULL;
    fx_status status = FX_OK;
    FX_TRY(fx_gpus_use(gpus, which, err));
    FX_CUDA(cudaMalloc(&memory, bytes));
    memcpy(out, &memory, sizeof memory);
cleanup:
    return fx_gpus_home_after(gpus, status, err);
}

void fx_gpus_free(const fx_gpus *gpus, int which, void *memory, size_t bytes) {
    if (memory) {
        fx_memory_free(gpus->at[which], memory, bytes);
    }
}
