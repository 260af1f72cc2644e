/* All that the CUDA half of most probes is written with: the rig and what it keeps, loops on the SM's clock, accesses,
 * copies, clusters and tensor cores, sums and random words. */
#pragma once

#include "core/random.h"
#include "gpu/access.cuh"
#include "gpu/async.cuh"
#include "gpu/cluster.cuh"
#include "gpu/matrix.cuh"
#include "gpu/rig_objects.h"
#include "gpu/sums.cuh"
#include "gpu/timed.cuh"
