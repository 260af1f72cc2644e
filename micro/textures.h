/* Textures over memory that a probe has. */
#pragma once

#include "gpu/rig_objects.h"

static inline fx_status linear_texture(fx_rig *rig, void *data, size_t bytes, struct cudaChannelFormatDesc format,
                                       cudaTextureObject_t *out, fx_error *err) {
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear,
                                              .res = {.linear = {data, format, bytes}}};
    return fx_rig_texture(rig, &resource, out, err);
}

/* Rows of `width` elements, one behind the other. */
static inline fx_status pitch_texture(fx_rig *rig, void *data, size_t width, size_t height, size_t row_bytes,
                                      struct cudaChannelFormatDesc format, cudaTextureObject_t *out, fx_error *err) {
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D,
                                              .res = {.pitch2D = {data, format, width, height, row_bytes}}};
    return fx_rig_texture(rig, &resource, out, err);
}
