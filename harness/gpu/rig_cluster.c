/* Clusters of blocks, each on an SM of its own. */
#include "rig_objects.h"

fx_status fx_rig_cluster(fx_rig *rig, unsigned blocks, size_t least_bytes, size_t static_bytes, unsigned *most,
                         fx_error *err) {
    const size_t half = rig->gpu->facts.shared_per_sm_bytes / 2 + 1024;
    const size_t limit = rig->gpu->facts.shared_per_block_bytes - static_bytes;
    const void *kernel = rig->work->entry.address;
    int clusters = 0;
    rig->blocks = rig->cluster = blocks;
    rig->shared_bytes = half > least_bytes ? half : least_bytes;
    rig->shared_bytes = rig->shared_bytes < limit ? rig->shared_bytes : limit;
    rig->carveout_pct = 100;
    FX_TRY(fx_rig_prepare(rig, err));
    if (blocks > 1) {
        cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {blocks, 1, 1}};
        const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                           .blockDim = {rig->warps * FX_WARP, 1, 1},
                                           .dynamicSmemBytes = rig->shared_bytes,
                                           .attrs = &attribute,
                                           .numAttrs = 1};
        if (blocks > FX_PORTABLE_CLUSTER) {
            FX_TRY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        }
        FX_TRY_CUDA(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
        FX_FAIL_IF(clusters == 0, err, FX_UNSUPPORTED, "no GPC of the device has %u SMs for a cluster", blocks);
    }
    if (most) {
        *most = clusters > 0 ? (unsigned)clusters : (unsigned)rig->gpu->facts.sm_count;
    }
    return FX_OK;
}
