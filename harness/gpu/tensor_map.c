/* Encodes tensor maps through cuTensorMapEncodeTiled, looked up at run time. */
#include "gpu/tensor_map.h"

#include "gpu/driver.h"

typedef CUresult encoder(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                         const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                         CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

fx_status fx_tensor_map(const fx_tensor *tensor, void *map, fx_error *err) {
    const cuuint32_t ones[FX_TENSOR_RANK] = {1, 1, 1};
    encoder *encode = NULL;
    CUtensorMap made;
    void *data = NULL;
    memcpy(&data, &tensor->data, sizeof data); /* the driver takes what it only notes as not const */
    FX_FAIL_IF(!fx_driver_find("cuTensorMapEncodeTiled", 12000, &encode), err, FX_UNSUPPORTED,
               "the driver has no cuTensorMapEncodeTiled: tensor copies need one of CUDA 12");
    FX_FAIL_IF(encode(&made, tensor->type, tensor->rank, data, tensor->size, tensor->pitch, tensor->box, ones,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, tensor->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS,
               err, FX_DEVICE, "cuTensorMapEncodeTiled refuses a tensor of %u dimensions", tensor->rank);
    memcpy(map, &made, sizeof made);
    return FX_OK;
}
