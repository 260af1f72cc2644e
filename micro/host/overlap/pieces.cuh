/* Small pieces that lie apart on the host: sent one by one, or gathered by the host and sent as one. */
#pragma once

#include <string.h>

#include "../arrival.h"
#include "gpu/rig.h"

typedef struct piece_work {
    char *apart, *gathered, *device;    /* the first two on the host */
    size_t bytes, pieces, stride_bytes; /* stride: from piece to piece on the host */
    bool sent_apart;
} piece_work;

static fx_status sample_pieces(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    const piece_work *w = FX_ARGUMENT(rig, piece_work);
    const size_t bytes = w->bytes, part = bytes / w->pieces;
    FX_TRY_CUDA(cudaMemsetAsync(w->device, 0xa5, bytes, gpu->stream));
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    const double begin = fx_now_ns();
    for (size_t i = 0; i < w->pieces; i++) {
        char *from = w->apart + i * w->stride_bytes;
        if (w->sent_apart) {
            FX_TRY_CUDA(cudaMemcpyAsync(w->device + i * part, from, part, cudaMemcpyHostToDevice, gpu->stream));
        } else {
            memcpy(w->gathered + i * part, from, part);
        }
    }
    if (!w->sent_apart) {
        FX_TRY_CUDA(cudaMemcpyAsync(w->device, w->gathered, bytes, cudaMemcpyHostToDevice, gpu->stream));
    }
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    out->value = fx_now_ns() - begin;
    return fx_gpu_verify(gpu, w->device, bytes / 4, PATTERN_SEED, err);
}

static fx_status arrange_pieces(fx_rig *rig, size_t bytes, size_t pieces, bool sent_apart, fx_error *err) {
    piece_work *w = FX_ARGUMENT(rig, piece_work);
    const size_t part = bytes / pieces;
    w->bytes = bytes;
    w->pieces = pieces;
    w->stride_bytes = 2 * part + 4096;
    w->sent_apart = sent_apart;
    rig->sample = sample_pieces;
    FX_TRY(fx_rig_memory(rig, &w->apart, FX_PINNED_MEMORY, pieces * w->stride_bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->gathered, FX_PINNED_MEMORY, bytes, 0, err));
    FX_TRY(fx_rig_memory(rig, &w->device, FX_DEVICE_MEMORY, bytes, 0, err));
    memset(w->gathered, 0, bytes);
    for (size_t byte = 0; byte < bytes; byte += 4) {
        uint32_t *word = (uint32_t *)(w->apart + byte / part * w->stride_bytes + byte % part);
        *word = fx_random_word(PATTERN_SEED, byte / 4);
    }
    return FX_OK;
}
