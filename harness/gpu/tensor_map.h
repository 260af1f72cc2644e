/* Descriptors of tensor copies (TMA), made by a function of the driver asked for by name: gpufx does not link to it. */
#pragma once

#include <cuda.h>

#include "core/error.h"

FX_C_BEGIN

enum { FX_TENSOR_MAP_BYTES = 128, FX_TENSOR_RANK = 3 };

/* A tensor in device memory and the box that one copy moves; the innermost dimension comes first. */
typedef struct fx_tensor {
    CUtensorMapDataType type;
    unsigned rank; /* up to FX_TENSOR_RANK */
    const void *data;
    cuuint64_t size[FX_TENSOR_RANK];      /* elements */
    cuuint64_t pitch[FX_TENSOR_RANK - 1]; /* bytes from one row, and one plane, to the next */
    cuuint32_t box[FX_TENSOR_RANK];       /* elements */
    CUtensorMapSwizzle swizzle;
} fx_tensor;

/* Writes FX_TENSOR_MAP_BYTES to `map`; promotes to whole pairs of lines in the L2, and reads 0 beyond the edges. */
fx_status fx_tensor_map(const fx_tensor *tensor, void *map, fx_error *err);

FX_C_END
