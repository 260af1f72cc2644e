/* What the host's effects ask of the runtime and the rig gives back: streams, events without times, the latch. */
#pragma once

#include "gpu/latch.h"
#include "gpu/rig.h"

static inline void give_stream(fx_rig *rig, void *stream, size_t bytes) {
    cudaStreamDestroy((cudaStream_t)stream);
}

static inline void give_event(fx_rig *rig, void *event, size_t bytes) {
    cudaEventDestroy((cudaEvent_t)event);
}

static inline void give_latch(fx_rig *rig, void *latch, size_t bytes) {
    fx_latch_close((fx_latch *)latch);
}

/* A stream that waits for no other. */
static inline fx_status keep_stream(fx_rig *rig, cudaStream_t *out, fx_error *err) {
    FX_TRY_CUDA(cudaStreamCreateWithFlags(out, cudaStreamNonBlocking));
    return fx_rig_keep(rig, *out, give_stream, err);
}

static inline fx_status keep_event(fx_rig *rig, cudaEvent_t *out, unsigned flags, fx_error *err) {
    FX_TRY_CUDA(cudaEventCreateWithFlags(out, flags));
    return fx_rig_keep(rig, *out, give_event, err);
}

/* Events that have times. */
static inline fx_status keep_marks(fx_rig *rig, cudaEvent_t *marks, size_t count, fx_error *err) {
    for (size_t i = 0; i < count; i++) {
        FX_TRY(fx_rig_event(rig, &marks[i], err));
    }
    return FX_OK;
}

/* Call it last: what waits behind the latch is given back after it. */
static inline fx_status keep_latch(fx_rig *rig, fx_latch *latch, fx_error *err) {
    FX_TRY(fx_latch_open(latch, err));
    return fx_rig_keep(rig, latch, give_latch, err);
}
