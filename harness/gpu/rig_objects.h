/* What probes ask of the runtime beside memory and events, and the rig gives back. */
#ifndef FX_KEEP_H
#define FX_KEEP_H

#include "gpu/latch.h"
#include "gpu/rig.h"

FX_C_BEGIN

/* A texture over `resource`, which gives elements as they are: the nearest one, and those of the edge beyond it. In
 * linear memory there is nothing between elements and no edge, and CUDA heeds neither. */
fx_status fx_rig_texture(fx_rig *rig, const struct cudaResourceDesc *resource, cudaTextureObject_t *out, fx_error *err);

/* Opens the start latch, which lies in the probe's argument. */
fx_status fx_rig_latch(fx_rig *rig, fx_latch *latch, fx_error *err);

FX_C_END
#endif
