/* What probes ask of the runtime besides memory and events, and the rig gives back. */
#pragma once

#include "gpu/latch.h"
#include "gpu/rig.h"

FX_C_BEGIN

/* A texture over `resource`, which gives elements as they are: the nearest one, and those of the edge beyond it. In
 * linear memory there is nothing between elements and no edge, and CUDA heeds neither. */
fx_status fx_rig_texture(fx_rig *rig, const struct cudaResourceDesc *resource, cudaTextureObject_t *out, fx_error *err);

/* Opens the start latch, which lies in the probe's argument. */
fx_status fx_rig_latch(fx_rig *rig, fx_latch *latch, fx_error *err);

/* Clusters of `blocks` blocks (1: none), each on an SM of its own: sets the rig's blocks to one cluster, and shared
 * memory to more than half of an SM's, at least `least_bytes` where a block can have them beside `static_bytes`. Fails
 * as unsupported where no part of the device has so many SMs. `most`, unless NULL, receives how many clusters fit. */
enum { FX_PORTABLE_CLUSTER = 8 };
fx_status fx_rig_cluster(fx_rig *rig, unsigned blocks, size_t least_bytes, size_t static_bytes, unsigned *most,
                         fx_error *err);

FX_C_END
