/* Textures, clusters and latches of a case, made once and released by the rig. */
#include "rig_objects.h"

static void give_texture(fx_rig *rig, void *texture, size_t bytes) {
    cudaDestroyTextureObject((cudaTextureObject_t)(uintptr_t)texture);
}

static void give_latch(fx_rig *rig, void *latch, size_t bytes) {
    fx_latch_close(latch);
}

fx_status fx_rig_texture(fx_rig *rig, const struct cudaResourceDesc *resource, cudaTextureObject_t *out,
                         fx_error *err) {
    const struct cudaTextureDesc how = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
                                        .filterMode = cudaFilterModePoint,
                                        .readMode = cudaReadModeElementType};
    FX_TRY_CUDA(cudaCreateTextureObject(out, resource, &how, NULL));
    return fx_rig_keep(rig, (void *)(uintptr_t)*out, give_texture, err);
}

fx_status fx_rig_latch(fx_rig *rig, fx_latch *latch, fx_error *err) {
    FX_TRY(fx_latch_open(latch, err));
    return fx_rig_keep(rig, latch, give_latch, err);
}
